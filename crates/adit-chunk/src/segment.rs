use std::ops::Range;

use adit_core::{ParsedDocument, Section};

use crate::token_map::TokenMap;
use crate::unit::{Unit, UnitKind};

/// Consecutive units that are cut together and never share a chunk with their neighbours: one section's
/// own text, or several very small sections.
///
/// Sections are packed only when all of them are tiny (at most an eighth of a chunk each, half a chunk
/// together) and stand directly beside or under the first: a glossary or a list of contacts becomes a few
/// readable chunks, while a section with something to say keeps a vector of its own. The heading path of
/// such a chunk is the path they share, so it is true of every word, and their headings are in its words.
#[derive(Debug)]
pub(crate) struct Segment {
    /// Its units.
    pub(crate) units: Range<usize>,
    /// Estimated tokens.
    pub(crate) tokens: usize,
    /// The section of its first words.
    section: Option<usize>,
    /// Whether it holds anything but headings.
    has_body: bool,
    /// Whether more may be packed into it.
    is_tiny: bool,
}

/// Groups units into segments.
pub(crate) fn segments(
    document: &ParsedDocument,
    units: &[Unit<'_>],
    tokens: &TokenMap,
    limit_tokens: usize,
) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for section in sections_in_order(units, tokens, limit_tokens) {
        match segments.last_mut() {
            // A heading stays with what follows it.
            Some(last) if !last.has_body => last.absorb(section, true),
            Some(last)
                // A bare heading must be free to go with the section behind it.
                if last.is_tiny
                    && section.is_tiny
                    && section.has_body
                    && last.tokens + section.tokens <= limit_tokens / 2
                    && are_related(&document.sections, last.section, section.section) =>
            {
                last.absorb(section, false);
            }
            _ => segments.push(section),
        }
    }
    segments
}

impl Segment {
    fn absorb(&mut self, next: Self, takes_its_section: bool) {
        self.units.end = next.units.end;
        self.tokens += next.tokens;
        self.is_tiny &= next.is_tiny;
        self.has_body |= next.has_body;
        if takes_its_section {
            self.section = next.section;
        }
    }
}

/// Maximal runs of units of one section.
fn sections_in_order(units: &[Unit<'_>], tokens: &TokenMap, limit_tokens: usize) -> Vec<Segment> {
    let mut sections: Vec<Segment> = Vec::new();
    for (index, unit) in units.iter().enumerate() {
        let unit_tokens = tokens.count(unit.range);
        let is_body = !matches!(unit.kind, UnitKind::Heading);
        match sections.last_mut() {
            Some(last) if last.section == unit.section => {
                last.units.end = index + 1;
                last.tokens += unit_tokens;
                last.has_body |= is_body;
            }
            _ => sections.push(Segment {
                units: index..index + 1,
                tokens: unit_tokens,
                section: unit.section,
                has_body: is_body,
                is_tiny: false,
            }),
        }
    }
    for section in &mut sections {
        section.is_tiny = section.section.is_some() && section.tokens <= limit_tokens / 8;
    }
    sections
}

/// Whether `next` is a sibling or a child of `first`.
fn are_related(sections: &[Section], first: Option<usize>, next: Option<usize>) -> bool {
    let parent =
        |index: Option<usize>| index.and_then(|index| sections.get(index)).map(|section| section.parent);
    match (parent(first), parent(next)) {
        (Some(first_parent), Some(next_parent)) => next_parent == first_parent || next_parent == first,
        _ => false,
    }
}
