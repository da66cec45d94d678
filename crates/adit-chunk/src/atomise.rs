use adit_core::{Table, TextRange};

use crate::atom::{Atom, Boundary};
use crate::split;
use crate::token_map::TokenMap;
use crate::unit::{Unit, UnitKind};

/// A sentence that is too long is cut into pieces of this share of a chunk, so that the last piece of a
/// full chunk wastes little.
const PIECES_PER_CHUNK: usize = 8;

/// The atoms of some units: what fits into `budget_tokens` together with the headings right above it
/// stays whole, except prose, which is always cut into sentences so that an overlap can be made of them.
pub(crate) fn atomise(
    text: &str,
    units: &[Unit<'_>],
    first_unit: usize,
    tokens: &TokenMap,
    budget_tokens: usize,
) -> Vec<Atom> {
    let mut atomiser =
        Atomiser { text, tokens, budget_tokens, room_tokens: budget_tokens, unit: 0, atoms: Vec::new() };
    let mut lead_tokens = 0;
    let mut after_heading = false;
    for (offset, unit) in units.iter().enumerate() {
        atomiser.unit = first_unit + offset;
        atomiser.room_tokens = budget_tokens.saturating_sub(lead_tokens).max(1);
        let first = if after_heading { Boundary::Forbidden } else { Boundary::Block };
        atomiser.add(unit, first);
        after_heading = matches!(unit.kind, UnitKind::Heading);
        lead_tokens = if after_heading { lead_tokens + tokens.count(unit.range) } else { 0 };
    }
    atomiser.atoms
}

struct Atomiser<'a> {
    text: &'a str,
    tokens: &'a TokenMap,
    budget_tokens: usize,
    /// What the headings above the current unit leave of the budget.
    room_tokens: usize,
    unit: usize,
    atoms: Vec<Atom>,
}

impl Atomiser<'_> {
    fn add(&mut self, unit: &Unit<'_>, first: Boundary) {
        let range = unit.range;
        if let UnitKind::Prose = unit.kind {
            let sentences = split::sentences(self.text, range);
            self.add_series(
                sentences.into_iter().map(|sentence| (sentence, Boundary::Sentence)),
                first,
                true,
            );
            return;
        }
        if self.tokens.count(range) <= self.room_tokens {
            self.push(range, first, false, None);
            return;
        }
        match unit.kind {
            UnitKind::Heading | UnitKind::Prose => self.add_words(range, first, None),
            UnitKind::List(items) => self.add_items(range, items, first),
            UnitKind::Table(table) => self.add_rows(range, table, first),
            UnitKind::Code => {
                let lines = split::code_lines(self.text, range);
                let lines = lines.into_iter().map(|(line, after_blank)| {
                    (line, if after_blank { Boundary::Part } else { Boundary::Sentence })
                });
                self.add_series(lines, first, false);
            }
        }
    }

    /// Pieces one after the other; one that is too long is cut into words.
    fn add_series(
        &mut self,
        pieces: impl Iterator<Item = (TextRange, Boundary)>,
        first: Boundary,
        are_sentences: bool,
    ) {
        for (index, (piece, boundary)) in pieces.enumerate() {
            let boundary = if index == 0 { first } else { boundary };
            let room_tokens = if index == 0 { self.room_tokens } else { self.budget_tokens };
            if self.tokens.count(piece) <= room_tokens {
                self.push(piece, boundary, are_sentences, None);
            } else {
                let from = self.atoms.len();
                self.add_words(piece, boundary, None);
                for atom in self.atoms.iter_mut().skip(from) {
                    atom.is_prose = are_sentences;
                }
            }
        }
    }

    fn add_items(&mut self, range: TextRange, items: &[TextRange], first: Boundary) {
        for (index, item) in
            split::tile_at(range, items.iter().skip(1).map(|item| item.start)).into_iter().enumerate()
        {
            let boundary = if index == 0 { first } else { Boundary::Part };
            if self.tokens.count(item) <= if index == 0 { self.room_tokens } else { self.budget_tokens } {
                self.push(item, boundary, false, None);
                continue;
            }
            let sentences = split::sentences(self.text, item);
            self.add_series(
                sentences.into_iter().map(|sentence| (sentence, Boundary::Sentence)),
                boundary,
                false,
            );
        }
    }

    fn add_rows(&mut self, range: TextRange, table: &Table, first: Boundary) {
        let header = self.header_to_repeat(table);
        let header_tokens = header.map_or(0, |header| self.tokens.count(header));
        let room_tokens = self.budget_tokens.saturating_sub(header_tokens).max(1);
        let tiles = split::tile_at(range, table.rows.iter().skip(1).map(|row| row.range.start));
        if tiles.len() != table.rows.len() {
            // Rows that do not lie in the table's range: the words count, not the parser's slip.
            self.add_words(range, first, None);
            return;
        }
        for (index, (row, tile)) in table.rows.iter().zip(tiles).enumerate() {
            let boundary = match index {
                0 => first,
                _ if index <= table.header_rows => Boundary::Forbidden,
                _ => Boundary::Part,
            };
            let header = header.filter(|_| index >= table.header_rows);
            if self.tokens.count(tile) <= room_tokens.min(self.room_tokens) {
                self.push(tile, boundary, false, header);
                continue;
            }
            for (cell_index, cell) in split::cells(self.text, tile, row).into_iter().enumerate() {
                let boundary = if cell_index == 0 { boundary } else { Boundary::Sentence };
                if self.tokens.count(cell) <= room_tokens / PIECES_PER_CHUNK {
                    self.push(cell, boundary, false, header);
                } else {
                    self.add_words(cell, boundary, header);
                }
            }
        }
    }

    /// The header rows, cut short where they would leave less than two thirds of a chunk for rows.
    fn header_to_repeat(&self, table: &Table) -> Option<TextRange> {
        let rows = table.rows.get(..table.header_rows)?;
        let whole = TextRange::new(rows.first()?.range.start, rows.last()?.range.end);
        let most_tokens = self.budget_tokens / 3;
        if self.tokens.count(whole) <= most_tokens {
            return Some(whole);
        }
        let end = self.tokens.cut_after(whole.start, most_tokens)?;
        (most_tokens > 0 && end < whole.end).then(|| TextRange::new(whole.start, end))
    }

    fn add_words(&mut self, range: TextRange, first: Boundary, header: Option<TextRange>) {
        let pieces = split::words(self.text, range, self.tokens, self.budget_tokens / PIECES_PER_CHUNK);
        for (index, piece) in pieces.into_iter().enumerate() {
            self.push(piece, if index == 0 { first } else { Boundary::Word }, false, header);
        }
    }

    fn push(&mut self, range: TextRange, boundary: Boundary, is_sentence: bool, header: Option<TextRange>) {
        if range.is_empty() {
            return;
        }
        self.atoms.push(Atom {
            range,
            tokens: self.tokens.count(range),
            unit: self.unit,
            boundary,
            is_prose: is_sentence,
            is_sentence,
            header,
        });
    }
}
