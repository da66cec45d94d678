use adit_core::{BlockKind, ParsedDocument, Table, TextRange};

/// One block with the white space behind it (and, for the first, before it): the units of a document
/// cover its text without a hole.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit<'a> {
    /// Bytes it covers.
    pub(crate) range: TextRange,
    /// What may be cut inside it.
    pub(crate) kind: UnitKind<'a>,
    /// Its section.
    pub(crate) section: Option<usize>,
    /// Page it starts on.
    pub(crate) page: Option<u32>,
}

/// What a chunker must know about a block.
#[derive(Debug, Clone, Copy)]
pub(crate) enum UnitKind<'a> {
    Heading,
    Prose,
    List(&'a [TextRange]),
    Table(&'a Table),
    Code,
}

/// The document's blocks as units. Words that stand in no block become prose of their own, so a parser's
/// slip costs structure, never text.
pub(crate) fn tile(document: &ParsedDocument) -> Vec<Unit<'_>> {
    let text = document.text.as_str();
    let mut units: Vec<Unit<'_>> = Vec::with_capacity(document.blocks.len());
    let mut cursor = 0;
    for block in &document.blocks {
        let range = TextRange::new(block.range.start.max(cursor), block.range.end);
        if range.is_empty() || range.slice(text).is_none() {
            continue;
        }
        let start = fill_gap(text, &mut units, cursor, range.start);
        let kind = match &block.kind {
            BlockKind::Heading => UnitKind::Heading,
            BlockKind::Paragraph | BlockKind::Quote | BlockKind::PageBreak => UnitKind::Prose,
            BlockKind::List { items } => UnitKind::List(items),
            BlockKind::Table(table) => UnitKind::Table(table),
            BlockKind::Code { .. } => UnitKind::Code,
        };
        units.push(Unit {
            range: TextRange::new(start, range.end),
            kind,
            section: block.section,
            page: block.page,
        });
        cursor = range.end;
    }
    let start = fill_gap(text, &mut units, cursor, text.len());
    if start < text.len() {
        units.push(prose(TextRange::new(start, text.len()), None));
    }
    units
}

/// Gives `text[cursor..end]` to the unit before it or, if it has words, to a unit of its own. Returns
/// where the next unit starts.
fn fill_gap(text: &str, units: &mut Vec<Unit<'_>>, cursor: usize, end: usize) -> usize {
    let gap = TextRange::new(cursor, end);
    if gap.slice(text).is_some_and(|words| !words.trim().is_empty()) {
        let before = units.last().copied();
        units.push(prose(gap, before));
        return end;
    }
    match units.last_mut() {
        Some(last) => {
            last.range.end = end;
            end
        }
        None => cursor,
    }
}

fn prose<'a>(range: TextRange, before: Option<Unit<'a>>) -> Unit<'a> {
    Unit {
        range,
        kind: UnitKind::Prose,
        section: before.and_then(|unit| unit.section),
        page: before.and_then(|unit| unit.page),
    }
}

/// The unit that holds byte `offset`, of units that tile the text.
pub(crate) fn unit_at(units: &[Unit<'_>], offset: usize) -> usize {
    units.partition_point(|unit| unit.range.end <= offset).min(units.len().saturating_sub(1))
}
