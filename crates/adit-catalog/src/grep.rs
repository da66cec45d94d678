use std::ops::ControlFlow;

use adit_core::{DocumentId, DocumentRecord, PassageId, ReadScope, TextRange};
use rusqlite::OptionalExtension;

use crate::record::{from_json, signed_size};
use crate::{CatalogError, CatalogView, text_pieces};

/// Most characters of a line shown before and after a hit.
const CONTEXT_CHARACTERS: usize = 200;

/// One place where the words stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepHit {
    /// The document.
    pub document: DocumentId,
    /// Its path or URI.
    pub source: String,
    /// Its title.
    pub title: String,
    /// Bytes of the extracted text.
    pub range: TextRange,
    /// First character of the hit in the extracted text.
    pub char_start: usize,
    /// One past its last character.
    pub char_end: usize,
    /// Line of the extracted text it begins on, from 1.
    pub line_number: usize,
    /// That line, or the part of a long one around the hit.
    pub line: String,
    /// The first passage that contains its beginning.
    pub passage: Option<PassageId>,
    /// Headings above it, outermost first.
    pub heading_path: Vec<String>,
    /// Page of that passage, from 1.
    pub page: Option<u32>,
}

/// What a search went through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GrepSummary {
    /// Documents in scope that were read.
    pub documents_searched: usize,
    /// Hits shown.
    pub hits: usize,
    /// Whether it stopped at the limit with text left to search.
    pub stopped_at_limit: bool,
}

impl CatalogView {
    /// Finds `words` letter by letter in the extracted texts of the living documents in scope, by source,
    /// then by position; hits do not overlap. One document is in memory at a time. With `ignore_case`,
    /// letters are compared by their lower case in any script. Empty `words` are nowhere.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn grep(
        &self,
        words: &str,
        ignore_case: bool,
        scope: ReadScope<'_>,
        limit: usize,
        visit: &mut dyn FnMut(GrepHit),
    ) -> Result<GrepSummary, CatalogError> {
        let mut summary = GrepSummary::default();
        if words.is_empty() {
            return Ok(summary);
        }
        self.for_each_living(scope, &mut |record, version_row| {
            let text = text_pieces::read_all(&self.lock(), version_row)?;
            summary.documents_searched += 1;
            let mut places = Places::new(&text);
            for range in find_all(&text, words, ignore_case) {
                if summary.hits == limit {
                    summary.stopped_at_limit = true;
                    return Ok(ControlFlow::Break(()));
                }
                summary.hits += 1;
                visit(self.hit(&record, version_row, range, &mut places)?);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(summary)
    }

    fn hit(
        &self,
        record: &DocumentRecord,
        version_row: i64,
        range: TextRange,
        places: &mut Places<'_>,
    ) -> Result<GrepHit, CatalogError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT chunk_index, heading_path, page_start FROM chunks
             WHERE version_row = ?1 AND range_start <= ?2 AND range_end > ?2 ORDER BY chunk_index LIMIT 1",
        )?;
        let chunk: Option<(u32, String, Option<u32>)> = statement
            .query_row((version_row, signed_size(range.start)), |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        let (passage, heading_path, page) = match chunk {
            None => (None, Vec::new(), None),
            Some((chunk_index, heading_path, page)) => (
                Some(PassageId { document: record.id.clone(), chunk_index }),
                from_json("heading path", &heading_path)?,
                page,
            ),
        };
        let (char_start, line_number) = places.advance(range.start);
        let found = range.slice(places.text).unwrap_or_default();
        Ok(GrepHit {
            document: record.id.clone(),
            source: record.source.clone(),
            title: record.title.clone(),
            range,
            char_start,
            char_end: char_start + found.chars().count(),
            line_number,
            line: surrounding_line(places.text, range),
            passage,
            heading_path,
            page,
        })
    }
}

/// Counts characters and lines up to rising byte offsets, each byte once.
struct Places<'a> {
    text: &'a str,
    byte: usize,
    characters: usize,
    line_number: usize,
}

impl<'a> Places<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, byte: 0, characters: 0, line_number: 1 }
    }

    /// Characters before `byte`, and the line it is on from 1.
    fn advance(&mut self, byte: usize) -> (usize, usize) {
        for character in self.text.get(self.byte..byte).unwrap_or_default().chars() {
            self.characters += 1;
            self.line_number += usize::from(character == '\n');
        }
        self.byte = byte;
        (self.characters, self.line_number)
    }
}

/// Ranges of `words` in `text` that do not overlap, rising.
fn find_all<'a>(
    text: &'a str,
    words: &'a str,
    ignore_case: bool,
) -> Box<dyn Iterator<Item = TextRange> + 'a> {
    if ignore_case {
        return Box::new(find_all_ignoring_case(text, words));
    }
    Box::new(text.match_indices(words).map(|(start, found)| TextRange::new(start, start + found.len())))
}

fn find_all_ignoring_case<'a>(text: &'a str, words: &str) -> impl Iterator<Item = TextRange> + 'a {
    let wanted: Vec<char> = words.chars().map(fold).collect();
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = wanted.first()?;
        let rest = text.get(next..)?;
        for (offset, character) in rest.char_indices() {
            if fold(character) == *first
                && let Some(length) = match_length(rest.get(offset..)?, &wanted)
            {
                let start = next + offset;
                next = start + length;
                return Some(TextRange::new(start, next));
            }
        }
        next = text.len() + 1;
        None
    })
}

/// How many bytes at the beginning of `text` match, if they do.
fn match_length(text: &str, wanted: &[char]) -> Option<usize> {
    let mut characters = text.chars();
    let mut length = 0;
    for one in wanted {
        let character = characters.next()?;
        if fold(character) != *one {
            return None;
        }
        length += character.len_utf8();
    }
    Some(length)
}

/// One character for one, so that offsets stay those of the text. The only letter whose lower case is
/// two characters is the dotted capital I; its dot is dropped. The two forms of small sigma are one.
fn fold(character: char) -> char {
    match character {
        'ς' => 'σ',
        'ſ' => 's',
        _ if character.is_ascii() => character.to_ascii_lowercase(),
        _ => character.to_lowercase().next().unwrap_or(character),
    }
}

/// The line a hit begins on, cut to a bounded number of characters around it.
fn surrounding_line(text: &str, range: TextRange) -> String {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.start..).unwrap_or_default();
    let begin = before
        .char_indices()
        .rev()
        .take(CONTEXT_CHARACTERS)
        .take_while(|(_, character)| *character != '\n')
        .last()
        .map_or(range.start, |(at, _)| at);
    let end = after
        .char_indices()
        .take_while(|(_, character)| *character != '\n')
        .take(CONTEXT_CHARACTERS)
        .last()
        .map_or(range.start, |(at, character)| range.start + at + character.len_utf8());
    text.get(begin..end).unwrap_or_default().trim_end_matches('\r').to_owned()
}
