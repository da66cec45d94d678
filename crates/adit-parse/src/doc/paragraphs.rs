use crate::compound::{size_at, u16_at, u32_at};

/// Where the header keeps the list of paragraph pages ([MS-DOC] 2.5.6, `fcPlcfBtePapx`).
const PAGE_LIST_AT: usize = 0x102;
const PAGE_BYTES: usize = 512;
/// Bytes of one entry of a page: a pointer and reserved space ([MS-DOC] 2.9.23).
const ENTRY_BYTES: usize = 13;
/// The property that marks a paragraph in a table (`sprmPFInTable`).
const IN_TABLE: u16 = 0x2416;
/// The property that marks the end of a table row (`sprmPFTtp`).
const ROW_END: u16 = 0x2417;
/// The property that overrides the outline level (`sprmPOutLvl`).
const OUTLINE_LEVEL: u16 = 0x2640;

/// What a paragraph's properties say of its place in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ParagraphStyle {
    /// 1 to 9 for a heading.
    pub(crate) heading_level: Option<u8>,
    /// The paragraph stands in a table.
    pub(crate) is_in_table: bool,
    /// The mark ends a row of a table.
    pub(crate) ends_row: bool,
}

/// The properties of all paragraphs by where their text stands in the file.
pub(crate) struct ParagraphStyles {
    /// First byte, one past the last, style; by position.
    ranges: Vec<(u32, u32, ParagraphStyle)>,
}

impl ParagraphStyles {
    /// Pages that are not there leave their paragraphs without style: the words count more.
    pub(crate) fn read(main: &[u8], table: &[u8]) -> Self {
        let mut ranges = Vec::new();
        let list = size_at(main, PAGE_LIST_AT)
            .zip(size_at(main, PAGE_LIST_AT + 4))
            .and_then(|(start, length)| table.get(start..start.checked_add(length)?))
            .unwrap_or_default();
        let count = list.len().saturating_sub(4) / 8;
        for index in 0..count {
            let page = size_at(list, 4 * (count + 1) + 4 * index).and_then(|number| {
                let start = (number & 0x003f_ffff).checked_mul(PAGE_BYTES)?;
                main.get(start..start.checked_add(PAGE_BYTES)?)
            });
            if let Some(page) = page {
                read_page(page, &mut ranges);
            }
        }
        ranges.sort_by_key(|(start, ..)| *start);
        Self { ranges }
    }

    /// The style of the paragraph whose mark stands at `offset`.
    pub(crate) fn at(&self, offset: u32) -> ParagraphStyle {
        let after = self.ranges.partition_point(|(start, ..)| *start <= offset);
        let found = after.checked_sub(1).and_then(|index| self.ranges.get(index));
        found.filter(|(_, end, _)| offset < *end).map(|(.., style)| *style).unwrap_or_default()
    }
}

/// One page ([MS-DOC] 2.9.183): where paragraphs begin, then a pointer to the properties of each.
fn read_page(page: &[u8], ranges: &mut Vec<(u32, u32, ParagraphStyle)>) {
    let count = usize::from(page.last().copied().unwrap_or(0));
    for index in 0..count {
        let (Some(start), Some(end)) = (u32_at(page, 4 * index), u32_at(page, 4 * (index + 1))) else {
            return;
        };
        let pointer = page.get(4 * (count + 1) + ENTRY_BYTES * index).copied().unwrap_or(0);
        let style = if pointer == 0 { None } else { read_properties(page, 2 * usize::from(pointer)) };
        ranges.push((start, end, style.unwrap_or_default()));
    }
}

fn read_properties(page: &[u8], at: usize) -> Option<ParagraphStyle> {
    // A length of 0 says that the length follows in another unit ([MS-DOC] 2.9.175).
    let (start, length) = match usize::from(*page.get(at)?) {
        0 => (at + 2, 2 * usize::from(*page.get(at + 1)?)),
        halves => (at + 1, 2 * halves - 1),
    };
    let properties = page.get(start..(start.checked_add(length)?).min(page.len()))?;
    // The built-in styles 1 to 9 are the headings ([MS-DOC] 2.9.260).
    let style = u16_at(properties, 0)?;
    let mut found = ParagraphStyle {
        heading_level: u8::try_from(style).ok().filter(|level| (1..=9).contains(level)),
        ..ParagraphStyle::default()
    };
    let mut rest = properties.get(2..).unwrap_or_default();
    while let Some(name) = u16_at(rest, 0) {
        let operand = rest.get(2..).unwrap_or_default();
        match (name, operand.first()) {
            (IN_TABLE, Some(on)) => found.is_in_table = *on != 0,
            (ROW_END, Some(on)) => found.ends_row = *on != 0,
            (OUTLINE_LEVEL, Some(level)) => {
                found.heading_level = Some(*level).filter(|level| *level < 9).map(|level| level + 1);
            }
            _ => {}
        }
        let Some(length) = operand_bytes(name, operand) else { break };
        rest = operand.get(length..).unwrap_or_default();
    }
    Some(found)
}

/// The length of a property's value is part of its name ([MS-DOC] 2.2.5.1).
fn operand_bytes(name: u16, operand: &[u8]) -> Option<usize> {
    Some(match name >> 13 {
        0 | 1 => 1,
        2 | 4 | 5 => 2,
        3 => 4,
        7 => 3,
        // A table definition counts itself in two bytes.
        _ if name == 0xd608 => usize::from(u16_at(operand, 0)?) + 1,
        _ => usize::from(*operand.first()?) + 1,
    })
}
