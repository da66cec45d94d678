use adit_core::{MediaType, MetadataValue, ParseError, ParsedDocument};
use serde_json::Value;

use crate::flow::{FlowWriter, WhiteSpace};
use crate::{html, markdown, plain_text};

/// Parses a Jupyter notebook (nbformat 3 and 4).
///
/// Markdown cells go through the Markdown parser into one document; code cells become code blocks in
/// the kernel's language, each followed by its text outputs and errors (colours removed). Of several
/// forms of one output, plain text is kept. Left out with a warning: images and other outputs without
/// text. Bytes that are no notebook become plain text with a warning.
///
/// # Errors
/// [`ParseError::Empty`] without words.
pub(crate) fn parse(text: &str, _name: &str) -> Result<ParsedDocument, ParseError> {
    if text.trim().is_empty() {
        return Err(ParseError::Empty);
    }
    // The reader refuses values nested more than 128 deep, so nothing here recurses further.
    let notebook = match serde_json::from_str::<Value>(text) {
        Ok(notebook) if cells(&notebook).is_some() => notebook,
        Ok(_) => return Ok(as_plain_text(text, "it has no cells")),
        Err(error) => return Ok(as_plain_text(text, &error.to_string())),
    };
    let mut writer = NotebookWriter {
        flow: FlowWriter::new(WhiteSpace::Keep),
        language: language(&notebook),
        images: 0,
        other_outputs: 0,
    };
    writer.write_metadata(&notebook);
    for cell in cells(&notebook).into_iter().flatten() {
        writer.cell(cell);
    }
    writer.warn();
    let mut document = writer.flow.finish().finish(MediaType::Notebook);
    if document.title.is_none() {
        document.title = document.sections.first().map(|section| section.heading.clone());
    }
    Ok(document)
}

fn as_plain_text(text: &str, reason: &str) -> ParsedDocument {
    let mut document = plain_text::parse(text);
    document.media_type = MediaType::Notebook;
    document
        .coverage
        .warnings
        .push(format!("this is no valid notebook and was kept as plain text: {reason}"));
    document
}

/// Format 3 has its cells one level deeper, in worksheets.
fn cells(notebook: &Value) -> Option<Vec<&Value>> {
    if let Some(cells) = notebook.get("cells").and_then(Value::as_array) {
        return Some(cells.iter().collect());
    }
    let worksheets = notebook.get("worksheets").and_then(Value::as_array)?;
    let cells = worksheets.iter().filter_map(|sheet| sheet.get("cells").and_then(Value::as_array));
    Some(cells.flatten().collect())
}

fn language(notebook: &Value) -> Option<String> {
    let pointers = ["/metadata/language_info/name", "/metadata/kernelspec/language"];
    pointers.iter().find_map(|pointer| notebook.pointer(pointer)?.as_str()).map(str::to_owned)
}

/// A text is one string or a list of lines.
fn text_of(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

struct NotebookWriter {
    flow: FlowWriter,
    language: Option<String>,
    images: usize,
    other_outputs: usize,
}

impl NotebookWriter {
    fn write_metadata(&mut self, notebook: &Value) {
        if let Some(title) = notebook.pointer("/metadata/title").and_then(Value::as_str) {
            self.flow.builder.set_title(title);
        }
        let authors = notebook.pointer("/metadata/authors").and_then(Value::as_array);
        for author in authors.into_iter().flatten() {
            if let Some(name) = author.get("name").unwrap_or(author).as_str() {
                let known = self.flow.builder.metadata().entry("author".to_owned()).or_default();
                known.push(MetadataValue::Text(name.to_owned()));
            }
        }
    }

    fn cell(&mut self, cell: &Value) {
        let source = text_of(cell.get("source").or_else(|| cell.get("input")));
        match cell.get("cell_type").and_then(Value::as_str) {
            Some("markdown") => {
                markdown::write_body(&source, &mut self.flow);
                self.flow.end_paragraph();
                let attachments = cell.get("attachments").and_then(Value::as_object);
                self.images += attachments.map_or(0, serde_json::Map::len);
            }
            Some("heading") => {
                let level = cell.get("level").and_then(Value::as_u64).unwrap_or(1);
                self.flow.builder.heading(u8::try_from(level).unwrap_or(9), &source);
            }
            Some("code") => {
                let own = cell.get("language").and_then(Value::as_str).map(str::to_owned);
                self.flow.builder.code(&source, self.language.clone().or(own));
                for output in cell.get("outputs").and_then(Value::as_array).into_iter().flatten() {
                    self.output(output);
                }
            }
            _ => self.flow.builder.code(&source, None),
        }
    }

    fn output(&mut self, output: &Value) {
        match output.get("output_type").and_then(Value::as_str) {
            Some("stream") => self.write_output(&text_of(output.get("text"))),
            Some("error" | "pyerr") => self.error(output),
            _ => {
                // Format 3 has the forms of an output beside its other keys and with short names.
                let data = output.get("data").unwrap_or(output);
                let form = |names: [&str; 2]| {
                    names.iter().map(|name| text_of(data.get(name))).find(|text| !text.trim().is_empty())
                };
                let has_image = data.as_object().is_some_and(|forms| {
                    forms.keys().any(|key| {
                        key.starts_with("image/") || matches!(key.as_str(), "png" | "jpeg" | "svg")
                    })
                });
                self.images += usize::from(has_image);
                if let Some(text) = form(["text/plain", "text"]) {
                    self.write_output(&text);
                } else if let Some(text) = form(["text/markdown", "markdown"]) {
                    markdown::write_body(&text, &mut self.flow);
                    self.flow.end_paragraph();
                } else if let Some(text) = form(["text/html", "html"]) {
                    html::write_fragment(&text, &mut self.flow);
                    self.flow.end_paragraph();
                } else if let Some(text) = form(["text/latex", "latex"]) {
                    self.flow.builder.code(&text, Some("latex".to_owned()));
                } else if !has_image {
                    self.other_outputs += 1;
                }
            }
        }
    }

    fn error(&mut self, output: &Value) {
        let lines: Vec<&str> = output
            .get("traceback")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let traceback = without_terminal_codes(&lines.join("\n"));
        let (name, value) = (text_of(output.get("ename")), text_of(output.get("evalue")));
        // Most tracebacks end with the error itself.
        if traceback.contains(&name) && traceback.contains(&value) {
            self.write_output(&traceback);
        } else {
            self.write_output(&format!("{name}: {value}\n{traceback}"));
        }
    }

    fn write_output(&mut self, text: &str) {
        self.flow.builder.code(&without_terminal_codes(text), None);
    }

    fn warn(&mut self) {
        if self.images > 0 {
            self.flow.builder.warn(format!("{} images in cells were left out", self.images));
        }
        if self.other_outputs > 0 {
            self.flow.builder.warn(format!("{} outputs without text were left out", self.other_outputs));
        }
    }
}

/// Removes ANSI escape sequences (ECMA-48 CSI) and turns carriage returns into line breaks.
fn without_terminal_codes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, code)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        let parameters = code.len() - code.trim_start_matches(|one: char| matches!(one, ' '..='?')).len();
        let behind = code.get(parameters..).unwrap_or_default();
        rest = match behind.chars().next() {
            Some('@'..='~') => behind.get(1..).unwrap_or_default(),
            _ => behind,
        };
    }
    plain.push_str(rest);
    plain.replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::BlockKind;
    use proptest::prelude::*;

    #[test]
    fn cells_and_outputs_are_in_order() {
        let text = serde_json::json!({
            "nbformat": 4, "metadata": {"kernelspec": {"language": "python"}, "authors": [{"name": "Ann"}]},
            "cells": [
                {"cell_type": "markdown", "source": ["# Title\n", "Some *words*."]},
                {"cell_type": "code", "source": "print(1)", "outputs": [
                    {"output_type": "stream", "text": ["\u{1b}[31mone\u{1b}[0m\n"]},
                    {"output_type": "display_data", "data": {"image/png": "QUJD"}},
                    {"output_type": "execute_result", "data": {"text/html": "<b>frame</b>", "text/plain": "frame"}},
                    {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": ["Traceback", "KeyError: 'x'"]}]},
                {"cell_type": "markdown", "source": "## Part\n- a\n- b"},
                {"cell_type": "raw", "source": "raw text"}
            ]
        })
        .to_string();
        let document = parse(&text, "a.ipynb").unwrap();
        assert_eq!(
            document.text,
            "Title\n\nSome words.\n\nprint(1)\n\none\n\nframe\n\nTraceback\nKeyError: 'x'\n\nPart\n\n- a\n- b\n\nraw text"
        );
        assert_eq!(document.title.as_deref(), Some("Title"));
        assert_eq!(document.blocks[2].kind, BlockKind::Code { language: Some("python".into()) });
        assert_eq!(document.coverage.warnings, ["1 images in cells were left out"]);
        assert_eq!(document.metadata["author"][0].to_text(), "Ann");
    }

    #[test]
    fn format_three_is_read() {
        let text = r#"{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "heading", "level": 2, "source": ["Old"]},
            {"cell_type": "code", "language": "python", "input": ["x"], "outputs": [{"output_type": "pyout", "text": ["7"]}]}]}]}"#;
        let document = parse(text, "a.ipynb").unwrap();
        assert_eq!(document.text, "Old\n\nx\n\n7");
        assert_eq!(document.title.as_deref(), Some("Old"));
    }

    #[test]
    fn what_is_no_notebook_is_kept() {
        for text in ["{\"cells\": 1, \"word\": 2}", "{\"cells\": [", "[1]"] {
            let document = parse(text, "a.ipynb").unwrap();
            assert_eq!(document.text, text);
            assert_eq!(document.coverage.warnings.len(), 1);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn words_of_cells_are_kept(cells in prop::collection::vec((prop::sample::select(vec!["markdown", "code", "raw"]), "([a-z]{3,6}|\n|- |# |> |\\||\\*){0,12}"), 0..6)) {
            let list: Vec<_> = cells.iter().map(|(kind, source)| serde_json::json!({"cell_type": kind, "source": source, "outputs": [{"output_type": "stream", "text": source}]})).collect();
            let document = parse(&serde_json::json!({"cells": list}).to_string(), "a.ipynb").unwrap();
            for word in cells.iter().flat_map(|(_, source)| source.split(|one: char| !one.is_alphabetic())).filter(|word| word.len() >= 3) {
                prop_assert!(document.text.contains(word), "{} not in {}", word, document.text);
            }
        }
    }
}
