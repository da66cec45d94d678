use adit_core::{MediaType, ParseError, ParsedDocument};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::flow::{FlowWriter, WhiteSpace};
use crate::html::elements::is_html_element;
use crate::{front_matter, html};

/// Parses Markdown (CommonMark with tables, footnotes, strikethrough and task lists).
///
/// Links keep their words and lose their address, as a reader of the rendered page sees them; images
/// keep their alternative text; HTML keeps its text. What looks like an HTML tag but is none
/// (`Vec<T>`, `<your-key>`) is kept as written.
///
/// # Errors
/// [`ParseError::Damaged`] for front matter that speaks of `acl` or `tenant` and cannot be read: a
/// list that is not understood must not open a document to everybody.
pub(crate) fn parse(text: &str) -> Result<ParsedDocument, ParseError> {
    let mut flow = FlowWriter::new(WhiteSpace::Keep);
    let body = match front_matter::split(text) {
        Some((header, body)) => match front_matter::read(header) {
            Ok(metadata) => {
                front_matter::apply(metadata, &mut flow.builder);
                body
            }
            Err(problem) if front_matter::speaks_of_rights(header) => {
                return Err(unreadable_rights(&problem));
            }
            Err(problem) => {
                flow.builder
                    .warn(format!("the front matter is no valid YAML and was kept as text: {problem}"));
                text
            }
        },
        None if front_matter::opens_without_end(text) => {
            return Err(unreadable_rights("it is not closed by a line `---`"));
        }
        None => text,
    };
    write_body(body, &mut flow);
    Ok(flow.finish().finish(MediaType::Markdown))
}

fn unreadable_rights(problem: &str) -> ParseError {
    let detail = format!("its front matter names access rights but cannot be read: {problem}");
    ParseError::Damaged { media_type: MediaType::Markdown, detail }
}

pub(crate) fn write_body(body: &str, flow: &mut FlowWriter) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let mut html_block: Option<String> = None;
    for event in Parser::new_ext(body, options) {
        match event {
            Event::Start(tag) => match tag {
                Tag::HtmlBlock => html_block = Some(String::new()),
                tag => start(tag, flow),
            },
            Event::End(TagEnd::HtmlBlock) => write_html_block(&html_block.take().unwrap_or_default(), flow),
            Event::End(tag) => end(tag, flow),
            Event::Html(piece) => match &mut html_block {
                Some(block) => block.push_str(&piece),
                None => write_html_block(&piece, flow),
            },
            Event::InlineHtml(tag) => write_inline_html(&tag, flow),
            Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                match &mut html_block {
                    Some(block) => block.push_str(&text),
                    None => flow.text(&text),
                }
            }
            Event::FootnoteReference(label) => flow.text(&format!("[{label}]")),
            Event::SoftBreak => flow.text(" "),
            Event::HardBreak => flow.line_break(),
            Event::Rule => flow.end_paragraph(),
            Event::TaskListMarker(done) => flow.text(if done { "[x] " } else { "[ ] " }),
        }
    }
}

fn start(tag: Tag<'_>, flow: &mut FlowWriter) {
    match tag {
        Tag::Heading { level, .. } => flow.start_heading(level as u8),
        Tag::BlockQuote(_) => flow.start_quote(),
        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => flow.start_code(fence_language(&info)),
        Tag::CodeBlock(CodeBlockKind::Indented) => flow.start_code(None),
        Tag::List(first_number) => flow.start_list(first_number),
        Tag::Item => flow.start_item(),
        Tag::FootnoteDefinition(label) => {
            flow.end_paragraph();
            flow.text(&format!("[{label}] "));
        }
        Tag::Table(_) => flow.start_table(),
        Tag::TableHead => flow.start_row(true),
        Tag::TableRow => flow.start_row(false),
        Tag::TableCell => flow.start_cell(false, 1, 1),
        // The label of a footnote stands before its first paragraph, which must not push it away.
        Tag::Paragraph => {}
        _ => {}
    }
}

fn end(tag: TagEnd, flow: &mut FlowWriter) {
    match tag {
        TagEnd::Paragraph | TagEnd::FootnoteDefinition => flow.end_paragraph(),
        TagEnd::Heading(_) => flow.end_heading(),
        TagEnd::BlockQuote(_) | TagEnd::List(_) => flow.end_container(),
        TagEnd::CodeBlock => flow.end_code(),
        TagEnd::Item => flow.end_item(),
        TagEnd::TableCell => flow.finish_cell(),
        TagEnd::Table => flow.end_table(),
        _ => {}
    }
}

fn fence_language(info: &str) -> Option<String> {
    let name = info.split([' ', ',', '{', '\t']).next().unwrap_or_default();
    (!name.is_empty()).then(|| name.to_owned())
}

fn write_html_block(block: &str, flow: &mut FlowWriter) {
    flow.end_paragraph();
    match tag_name(block.trim_start()) {
        Some(name) if !is_html_element(name) => flow.text(block),
        _ => html::write_fragment(block, flow),
    }
    flow.end_paragraph();
}

fn write_inline_html(tag: &str, flow: &mut FlowWriter) {
    match tag_name(tag) {
        Some(name) if name.eq_ignore_ascii_case("br") => flow.line_break(),
        Some(name) if name.eq_ignore_ascii_case("img") => html::write_fragment(tag, flow),
        Some(name) if !is_html_element(name) => flow.text(tag),
        _ => {}
    }
}

fn tag_name(tag: &str) -> Option<&str> {
    let name = tag.strip_prefix("</").or_else(|| tag.strip_prefix('<'))?;
    let end = name.find(|one: char| !one.is_ascii_alphanumeric() && one != '-').unwrap_or(name.len());
    name.get(..end).filter(|name| name.starts_with(|first: char| first.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::BlockKind;

    #[test]
    fn words_stay_whole_and_markup_goes() {
        let text = parse("un*frigging*believable `ERR_4021` [link](http://x.y) ~~old~~ ![alt](i.png)\nnext")
            .unwrap()
            .text;
        assert_eq!(text, "unfriggingbelievable ERR_4021 link old alt next");
    }

    #[test]
    fn what_is_no_html_tag_is_kept() {
        let text = parse(
            "A Vec<T> and <b>bold</b> with <your-key>.\n\n<div>inside <i>html</i></div>\n\n<key>\nvalue",
        )
        .unwrap()
        .text;
        assert_eq!(text, "A Vec<T> and bold with <your-key>.\n\ninside html\n\n<key>\nvalue");
    }

    #[test]
    fn lists_keep_their_items_with_nested_ones_inside() {
        let document = parse("- a\n  - b\n    1. c\n- [x] d\n\n      code\n").unwrap();
        assert_eq!(document.text, "- a\n  - b\n    1. c\n- [x] d\n  code");
        let BlockKind::List { items } = &document.blocks[0].kind else { panic!("no list") };
        let items: Vec<_> = items.iter().map(|item| item.slice(&document.text).unwrap()).collect();
        assert_eq!(items, ["- a\n  - b\n    1. c", "- [x] d\n  code"]);
    }

    #[test]
    fn tables_have_headers() {
        let document = parse("# T\n\n| a | b |\n|---|---|\n| 1 | `x\\|y` |\n").unwrap();
        assert_eq!(document.text, "T\n\na | b\n1 | x|y");
        let BlockKind::Table(table) = &document.blocks[1].kind else { panic!("no table") };
        assert_eq!((table.header_rows, table.rows.len()), (1, 2));
        assert_eq!(document.heading_path(document.blocks[1].section), ["T"]);
    }

    #[test]
    fn front_matter_becomes_metadata() {
        let document =
            parse("---\ntitle: Leave policy\ntags: [hr, 'de']\ntenant: acme\n---\n# Leave\n").unwrap();
        assert_eq!(document.title.as_deref(), Some("Leave policy"));
        assert_eq!(document.metadata["tags"].len(), 2);
        assert_eq!(document.text, "Leave");
        let broken = parse("---\na: [1\n---\nwords").unwrap();
        assert!(broken.text.contains("a: [1") && broken.text.contains("words"));
        assert_eq!(broken.coverage.warnings.len(), 1);
    }

    #[test]
    fn headings_in_quotes_and_footnotes_are_kept() {
        let document = parse("> # Head\n> words\n\nNote[^n].\n\n[^n]: The note.\n").unwrap();
        assert_eq!(document.text, "Head\nwords\n\nNote[n].\n\n[n] The note.");
        assert_eq!(document.blocks[0].kind, BlockKind::Quote);
        assert!(document.sections.is_empty());
    }
}
