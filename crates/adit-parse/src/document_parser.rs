use std::ops::ControlFlow;

use adit_core::{ChildFile, Expansion, MediaType, ParseError, ParsedDocument, Parser, SourceFile};

use crate::container::nested::{Nested, OpenLevel};
use crate::container::{Take, expand_level};

use crate::media_type::{describe_binary, detect_media_type};
use crate::{
    ParseLimits, asciidoc, chat, code, csv, doc, docx, email, encoding, epub, findings, hidden_marks, html,
    json, markdown, notebook, odf, org, outlook, pdf, plain_text, ppt, pptx, restructured_text, rtf,
    spreadsheet, subtitles, xml,
};

/// Reads every supported format in this process.
#[derive(Debug, Clone, Default)]
pub struct DocumentParser {
    limits: ParseLimits,
}

impl DocumentParser {
    /// A parser that refuses files above `limits.max_file_bytes`.
    #[must_use]
    pub fn with_limits(limits: ParseLimits) -> Self {
        Self { limits }
    }
}

impl Parser for DocumentParser {
    fn parse(&self, file: SourceFile<'_>) -> Result<ParsedDocument, ParseError> {
        self.limits.check_size(file.bytes)?;
        if file.bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(ParseError::Empty);
        }
        let mut document = match detect_media_type(file) {
            MediaType::Pdf => pdf::parse(file.bytes)?,
            MediaType::Docx => docx::parse(file.bytes)?,
            MediaType::Pptx => pptx::parse(file.bytes)?,
            MediaType::Odt => odf::parse_text(file.bytes)?,
            MediaType::Odp => odf::parse_slides(file.bytes)?,
            MediaType::Spreadsheet => spreadsheet::parse(file.bytes)?,
            MediaType::Rtf => rtf::parse(file.bytes)?,
            MediaType::Email => email::parse(file.bytes)?,
            MediaType::Epub => epub::parse(file.bytes)?,
            MediaType::Outlook => outlook::parse(file.bytes)?,
            MediaType::Doc => doc::parse(file.bytes)?,
            MediaType::Ppt => ppt::parse(file.bytes)?,
            media_type @ (MediaType::Archive | MediaType::Mbox) => {
                return Err(ParseError::Container { media_type });
            }
            MediaType::Image => {
                let what = describe_binary(file.bytes);
                let detail = "text recognition is not set up".to_owned();
                return Err(ParseError::NeedsOcr { what, detail });
            }
            MediaType::Unknown => {
                return Err(ParseError::Unsupported { detail: describe_binary(file.bytes) });
            }
            media_type => parse_text(media_type, file)?,
        };
        document.coverage.bytes_in = file.bytes.len() as u64;
        if document.text.trim().is_empty() {
            return Err(ParseError::Empty);
        }
        findings::find(&mut document);
        Ok(document)
    }

    fn expand(
        &self,
        file: SourceFile<'_>,
        take: &mut dyn FnMut(ChildFile) -> ControlFlow<()>,
    ) -> Result<Option<Expansion>, ParseError> {
        self.limits.check_size(file.bytes)?;
        Nested::new(self, &self.limits).expand(file, take)
    }
}

impl OpenLevel for DocumentParser {
    fn open(&self, file: SourceFile<'_>, take: &mut Take<'_>) -> Result<Option<Expansion>, ParseError> {
        expand_level(file, &self.limits, take)
    }
}

fn parse_text(media_type: MediaType, file: SourceFile<'_>) -> Result<ParsedDocument, ParseError> {
    let declared = match media_type {
        MediaType::Html => encoding::declared_in_html(file.bytes),
        _ => None,
    };
    let (text, report) = encoding::decode(file.bytes, declared);
    let text = hidden_marks::without_marks(normalise_line_ends(text));
    let mut document = match media_type {
        MediaType::Markdown => markdown::parse(&text)?,
        MediaType::Html => html::parse(&text),
        MediaType::Csv => csv::parse(&text, file.name),
        MediaType::Code => code::parse(&text, file.name),
        MediaType::Chat => chat::parse(&text)?,
        MediaType::Json => json::parse(&text, file.name)?,
        MediaType::Xml => xml::parse(&text, file.name)?,
        MediaType::Notebook => notebook::parse(&text, file.name)?,
        MediaType::Subtitles => subtitles::parse(&text, file.name)?,
        MediaType::RestructuredText => restructured_text::parse(&text, file.name)?,
        MediaType::Asciidoc => asciidoc::parse(&text, file.name)?,
        MediaType::Org => org::parse(&text, file.name)?,
        _ => plain_text::parse(&text),
    };
    document.coverage.warnings.extend(encoding::warnings(&report));
    document.coverage.encoding = Some(report);
    Ok(document)
}

fn normalise_line_ends(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
        DocumentParser::default().parse(SourceFile { name, bytes })
    }

    #[test]
    fn blank_files_are_empty_in_every_encoding() {
        assert_eq!(parse("a.md", b""), Err(ParseError::Empty));
        assert_eq!(parse("a.txt", b" \r\n\t "), Err(ParseError::Empty));
        assert_eq!(parse("a.txt", b"\xFF\xFE \0\n\0"), Err(ParseError::Empty));
        assert_eq!(parse("a.html", b"<html><script>x()</script></html>"), Err(ParseError::Empty));
    }

    #[test]
    fn files_above_the_limit_are_refused() {
        let parser = DocumentParser::with_limits(ParseLimits { max_file_bytes: 3, ..ParseLimits::default() });
        let error = parser.parse(SourceFile { name: "a.txt", bytes: b"four" }).unwrap_err();
        assert_eq!(error, ParseError::TooLarge { size_bytes: 4, limit_bytes: 3 });
    }

    #[test]
    fn binary_junk_is_unsupported() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        assert!(matches!(parse("a.md", png), Err(ParseError::NeedsOcr { .. })));
        let program = b"\x7fELF\x02\x01\x01\0";
        assert!(matches!(parse("a.md", program), Err(ParseError::Unsupported { .. })));
    }

    #[test]
    fn windows_line_ends_do_not_reach_the_text() {
        let document = parse("a.txt", b"one\r\ntwo\r\n\r\nthree").unwrap();
        assert_eq!(document.text.trim(), "one\ntwo\n\nthree");
        assert_eq!(document.blocks.len(), 2);
        assert_eq!(document.coverage.bytes_in, 17);
    }
}
