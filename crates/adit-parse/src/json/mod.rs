mod scan;

use std::collections::BTreeMap;
use std::ops::Range;

use adit_core::{MediaType, ParseError, ParsedDocument, TableCell};
use serde::de::IgnoredAny;

use crate::builder::{DocumentBuilder, plain_cell};
use crate::plain_text;
use scan::{children, decode_readable_escapes, is_container, plain_words, top_values};

/// A value up to this size stays in one block.
const WHOLE_VALUE_BYTES: usize = 600;
/// A larger value inside another is cut inside.
const LARGE_VALUE_BYTES: usize = 4_000;
/// Small values are gathered up to this size.
const GATHERED_BYTES: usize = 400;
/// No cut is looked for deeper than this.
const MAX_CUT_DEPTH: usize = 32;
const MAX_HEADING_LEVEL: u8 = 4;
/// Wider records and longer values read better as they stand.
const MAX_TABLE_COLUMNS: usize = 12;
const MAX_CELL_BYTES: usize = 160;
const MIN_TABLE_ROWS: usize = 2;

/// Parses JSON and JSON lines (RFC 8259; any number of values one after the other).
///
/// The text is the file's own, cut into code blocks behind the commas of the outer levels. Three things
/// differ: escapes that hide a word are decoded (`\u00fc`, `\n`), a line break is put at a cut where the
/// file has no white space, and a large object of containers becomes sections with the key as heading
/// (its quotes, colon and comma left out). Flat records with the same keys become a table. Invalid
/// JSON becomes plain text with a warning.
///
/// # Errors
/// [`ParseError::Empty`] without a value.
pub(crate) fn parse(text: &str, _name: &str) -> Result<ParsedDocument, ParseError> {
    if text.trim().is_empty() {
        return Err(ParseError::Empty);
    }
    let values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    if let Some(error) = values.filter_map(Result::err).next() {
        let mut document = plain_text::parse(text);
        document.media_type = MediaType::Json;
        document.coverage.warnings.push(format!("this is no valid JSON and was kept as plain text: {error}"));
        return Ok(document);
    }
    let decoded;
    let text = if text.contains('\\') {
        decoded = decode_readable_escapes(text);
        &decoded
    } else {
        text
    };
    let mut builder = DocumentBuilder::new();
    let mut top = top_values(text);
    match (top.next(), top.next()) {
        (Some(only), None) => write_document(text, only, &mut builder),
        _ => write_lines(text, &mut builder),
    }
    let has_title = builder.has_title();
    let mut document = builder.finish(MediaType::Json);
    if !has_title {
        // The first key of a file is not its title.
        document.title = None;
    }
    Ok(document)
}

fn write_document(text: &str, value: Range<usize>, builder: &mut DocumentBuilder) {
    let title = children(text, value.clone()).find_map(|child| {
        let key = plain_words(text.get(child.key?)?);
        let raw = text.get(child.value)?;
        (key.eq_ignore_ascii_case("title") && raw.starts_with('"')).then(|| plain_words(raw))
    });
    if let Some(title) = title {
        builder.set_title(&title);
    }
    write_value(text, value, 1, builder);
}

fn write_value(text: &str, value: Range<usize>, level: u8, builder: &mut DocumentBuilder) {
    let is_object = text.get(value.clone()).is_some_and(|raw| raw.starts_with('{'));
    if is_object && level <= MAX_HEADING_LEVEL && is_object_of_containers(text, value.clone()) {
        return write_sections(text, value, level, builder);
    }
    if !is_object {
        let records = || children(text, value.clone()).map(|child| child.value);
        if let Some(rows) = table_rows(text, records) {
            return builder.table(rows, 1, None);
        }
    }
    let mut cutter = Cutter::new(text, value.start, builder);
    if value.len() > WHOLE_VALUE_BYTES {
        cutter.cut_inside(value.clone(), 0);
    }
    cutter.cut_at(value.end);
}

/// JSON lines: one block a value, or one row a value.
fn write_lines(text: &str, builder: &mut DocumentBuilder) {
    if let Some(rows) = table_rows(text, || top_values(text)) {
        return builder.table(rows, 1, None);
    }
    let mut cutter = Cutter::new(text, 0, builder);
    for value in top_values(text) {
        if value.len() > LARGE_VALUE_BYTES {
            cutter.cut_inside(value.clone(), 1);
        }
        cutter.cut_at(value.end);
    }
}

/// Large enough for sections, and most of it stands inside containers.
fn is_object_of_containers(text: &str, object: Range<usize>) -> bool {
    let inside: usize = children(text, object.clone())
        .filter(|child| is_container(text, &child.value))
        .map(|child| child.value.len())
        .sum();
    object.len() > WHOLE_VALUE_BYTES && inside * 2 > object.len()
}

fn write_sections(text: &str, object: Range<usize>, level: u8, builder: &mut DocumentBuilder) {
    let mut before_sections: Option<Range<usize>> = None;
    let mut in_sections = false;
    for child in children(text, object) {
        let Some(key) = child.key else { continue };
        if !in_sections && !is_container(text, &child.value) {
            let start = before_sections.map_or(key.start, |range| range.start);
            before_sections = Some(start..child.after_comma.unwrap_or(child.value.end));
            continue;
        }
        write_members(text, before_sections.take(), builder);
        in_sections = true;
        builder.heading(level, &plain_words(text.get(key).unwrap_or_default()));
        write_value(text, child.value, level + 1, builder);
    }
    write_members(text, before_sections, builder);
}

fn write_members(text: &str, members: Option<Range<usize>>, builder: &mut DocumentBuilder) {
    if let Some(members) = members {
        Cutter::new(text, members.start, builder).cut_at(members.end);
    }
}

/// Header and rows, if every record is a flat object with the keys of the first one and short values.
fn table_rows<I>(text: &str, records: impl Fn() -> I) -> Option<Vec<Vec<TableCell>>>
where
    I: Iterator<Item = Range<usize>>,
{
    let words = |range: Range<usize>| plain_words(text.get(range).unwrap_or_default());
    let first =
        records().next().filter(|record| text.get(record.clone()).is_some_and(|raw| raw.starts_with('{')))?;
    let columns: Vec<String> =
        children(text, first).take(MAX_TABLE_COLUMNS + 1).filter_map(|child| child.key).map(words).collect();
    let places: BTreeMap<&str, usize> =
        columns.iter().enumerate().map(|(place, key)| (key.as_str(), place)).collect();
    if columns.is_empty() || columns.len() > MAX_TABLE_COLUMNS || places.len() != columns.len() {
        return None;
    }
    let mut rows = vec![columns.iter().map(|key| plain_cell(key)).collect()];
    for record in records() {
        let mut cells: Vec<Option<TableCell>> = vec![None; columns.len()];
        for child in children(text, record) {
            let cell = cells.get_mut(*places.get(words(child.key?).as_str())?)?;
            if cell.is_some() || is_container(text, &child.value) || child.value.len() > MAX_CELL_BYTES {
                return None;
            }
            *cell = Some(plain_cell(&words(child.value)));
        }
        rows.push(cells.into_iter().collect::<Option<Vec<_>>>()?);
    }
    (rows.len() > MIN_TABLE_ROWS).then_some(rows)
}

/// Writes the text piece by piece, the white space between two pieces kept.
struct Cutter<'a> {
    text: &'a str,
    start: usize,
    gap: Option<String>,
    builder: &'a mut DocumentBuilder,
}

impl<'a> Cutter<'a> {
    fn new(text: &'a str, start: usize, builder: &'a mut DocumentBuilder) -> Self {
        Self { text, start, gap: None, builder }
    }

    /// Cuts behind the commas of `value`, and inside its large children.
    fn cut_inside(&mut self, value: Range<usize>, depth: usize) {
        if depth >= MAX_CUT_DEPTH || !is_container(self.text, &value) {
            return;
        }
        for child in children(self.text, value) {
            if child.value.len() > LARGE_VALUE_BYTES {
                self.cut_inside(child.value.clone(), depth + 1);
            }
            let Some(end) = child.after_comma else { continue };
            let is_outer_part = depth == 0 && is_container(self.text, &child.value);
            if is_outer_part || end.saturating_sub(self.start) >= GATHERED_BYTES {
                self.cut_at(end);
            }
        }
    }

    fn cut_at(&mut self, end: usize) {
        let Some(piece) = self.text.get(self.start..end) else { return };
        self.start = end;
        let words = piece.trim();
        if words.is_empty() {
            return;
        }
        let space_before = piece.get(..piece.len() - piece.trim_start().len()).unwrap_or_default();
        let indentation_start = space_before.rfind('\n').map_or(0, |line_end| line_end + 1);
        let (lines_before, indentation) =
            space_before.split_at_checked(indentation_start).unwrap_or((space_before, ""));
        if let Some(gap) = self.gap.take() {
            let gap = gap + lines_before;
            self.builder.set_gap(if gap.is_empty() { "\n" } else { &gap });
        }
        self.builder.code(&format!("{indentation}{words}"), Some("json".to_owned()));
        self.gap = Some(piece.get(piece.trim_end().len()..).unwrap_or_default().to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::BlockKind;
    use proptest::prelude::*;

    fn text_of(text: &str) -> String {
        parse(text, "a.json").unwrap().text
    }

    #[test]
    fn small_files_are_one_block_and_unchanged() {
        let text = "{\n  \"id\": \"A-1\",\n  \"list\": [1, 2, {\"x\": null}]\n}";
        let document = parse(text, "a.json").unwrap();
        assert_eq!(document.text, text);
        assert_eq!(document.blocks.len(), 1);
        assert_eq!(document.title, None);
    }

    #[test]
    fn json_lines_are_a_block_a_line() {
        let text = "{\"id\": 1, \"tags\": [\"a\"]}\n{\"id\": 2, \"tags\": []}\n\n[3]\n";
        let document = parse(text, "a.jsonl").unwrap();
        assert_eq!(document.text, text.trim_end());
        assert_eq!(document.blocks.len(), 3);
    }

    #[test]
    fn flat_records_become_a_table() {
        for text in [
            r#"[{"id": 1, "name": "A\nB"}, {"name": "", "id": null}]"#,
            "{\"id\": 1, \"name\": \"A\\nB\"}\n{\"name\": \"\", \"id\": null}\n",
        ] {
            let document = parse(text, "a.json").unwrap();
            assert_eq!(document.text, "id | name\n1 | A B\nnull | ");
            let BlockKind::Table(table) = &document.blocks[0].kind else { panic!("no table") };
            assert_eq!(table.header_rows, 1);
        }
        assert_eq!(text_of(r#"[{"a": 1}, {"b": 2}]"#), r#"[{"a": 1}, {"b": 2}]"#);
    }

    #[test]
    fn an_object_of_objects_has_sections() {
        let long = "word ".repeat(100);
        let text = format!(
            "{{\"title\": \"My API\", \"paths\": {{\"x\": \"{long}\", \"y\": 1}},\n\"parts\": [\"{long}\"], \"end\": 7}}"
        );
        let document = parse(&text, "a.json").unwrap();
        let headings: Vec<_> = document.sections.iter().map(|section| section.heading.as_str()).collect();
        assert_eq!(headings, ["paths", "parts", "end"]);
        assert_eq!(document.title.as_deref(), Some("My API"));
        assert!(document.text.starts_with("\"title\": \"My API\",\n\npaths\n\n{\"x\""), "{}", document.text);
    }

    #[test]
    fn invalid_json_is_plain_text_with_a_warning() {
        let document = parse("{\"a\": 1,\n// no\n}", "a.json").unwrap();
        assert_eq!(document.text, "{\"a\": 1,\n// no\n}");
        assert_eq!(document.coverage.warnings.len(), 1);
        assert_eq!(document.media_type, MediaType::Json);
    }

    #[test]
    fn deep_nesting_is_no_recursion() {
        let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        assert!(parse(&deep, "a.json").unwrap().text.contains("[[[["));
        let deep = format!("{}1{}", "{\"key\":".repeat(20_000), "}".repeat(20_000));
        assert!(parse(&deep, "a.json").is_ok());
    }

    fn json_value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<i32>().prop_map(Into::into),
            "[a-zé\"\\\\\n ]{0,60}".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 200, 12, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..12).prop_map(Into::into),
                prop::collection::btree_map("[a-z]{3,8}", inner, 0..12)
                    .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        })
    }

    fn words(text: &str) -> Vec<String> {
        let mut words: Vec<String> = text
            .split(|one: char| !one.is_alphanumeric())
            .filter(|word| word.chars().count() >= 3 && *word != "null")
            .map(str::to_owned)
            .collect();
        words.sort();
        words
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_word_is_kept_once(value in json_value(), pretty: bool) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
            let document = parse(&text, "a.json").unwrap();
            let is_table = document.blocks.iter().any(|block| matches!(block.kind, BlockKind::Table(_)));
            let (mut expected, mut found) = (words(&decode_readable_escapes(&text)), words(&document.text));
            if is_table { expected.dedup(); found.dedup(); }
            prop_assert_eq!(expected, found);
        }

        #[test]
        fn any_text_is_no_panic(text in "[\\[\\]{}:,\"\\\\a-z0-9 \nu]{0,60}") {
            let _ = parse(&text, "a.json");
        }
    }
}
