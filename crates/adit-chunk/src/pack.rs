use adit_core::{ChunkError, TextRange};

use crate::assemble::{Assembler, Draft};
use crate::atom::{Atom, Boundary};
use crate::context::Contexts;
use crate::unit::Unit;

/// The sizes that hold for one segment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    /// Most tokens of an `indexed` text, special tokens included.
    pub(crate) limit_tokens: usize,
    /// What the segment's context leaves of it.
    pub(crate) budget_tokens: usize,
    /// Most tokens shared with the chunk before.
    pub(crate) overlap_tokens: usize,
}

/// Packs the atoms of one segment into chunks, in order and without a hole.
pub(crate) struct Packer<'p, 'a> {
    text: &'a str,
    units: &'a [Unit<'a>],
    atoms: Vec<Atom>,
    /// `sums[i]`: estimated tokens of all atoms before atom `i`.
    sums: Vec<usize>,
    sizes: Sizes,
    contexts: &'p mut Contexts<'a>,
    assembler: &'p mut Assembler<'a>,
}

impl<'p, 'a> Packer<'p, 'a> {
    pub(crate) fn new(
        text: &'a str,
        units: &'a [Unit<'a>],
        atoms: Vec<Atom>,
        sizes: Sizes,
        contexts: &'p mut Contexts<'a>,
        assembler: &'p mut Assembler<'a>,
    ) -> Self {
        let mut packer = Self { text, units, atoms, sums: Vec::new(), sizes, contexts, assembler };
        packer.sum_up();
        packer
    }

    pub(crate) fn pack(mut self) -> Result<(), ChunkError> {
        let mut start = 0;
        let mut fresh = 0;
        while fresh < self.atoms.len() {
            let (taken_from, end, draft) = self.next_chunk(start, fresh)?;
            self.assembler.push(draft);
            start = self.overlap_start(taken_from, end);
            fresh = end;
        }
        Ok(())
    }

    /// The chunk that begins at atom `start` and must hold at least atom `fresh`. Returns the atoms it
    /// took, since the overlap is given up where it leaves no room.
    fn next_chunk(&mut self, mut start: usize, fresh: usize) -> Result<(usize, usize, Draft), ChunkError> {
        let mut end = self.choose_end(start, fresh, self.furthest_end(start, fresh));
        loop {
            let draft = self.draft(start, end, true)?;
            let Some(excess_tokens) =
                draft.tokens.checked_sub(self.sizes.limit_tokens).filter(|excess| *excess > 0)
            else {
                return Ok((start, end, draft));
            };
            // The estimate was too low: tokens were joined differently at some edge.
            if end > fresh + 1 {
                let wanted = self.sum(end).saturating_sub(excess_tokens);
                let mut shorter = end - 1;
                while shorter > fresh + 1 && self.sum(shorter) > wanted {
                    shorter -= 1;
                }
                end = self.choose_end(start, fresh, shorter);
            } else if start < fresh {
                start = fresh;
            } else if !self.halve(fresh) {
                return self.bare_character(fresh);
            }
        }
    }

    /// One character that does not fit beside its context goes without it.
    fn bare_character(&mut self, atom: usize) -> Result<(usize, usize, Draft), ChunkError> {
        let draft = self.draft(atom, atom + 1, false)?;
        if draft.tokens <= self.sizes.limit_tokens {
            return Ok((atom, atom + 1, draft));
        }
        Err(ChunkError::NothingFits { byte_offset: draft.range.start, limit_tokens: self.sizes.limit_tokens })
    }

    fn draft(&mut self, start: usize, end: usize, with_context: bool) -> Result<Draft, ChunkError> {
        let (Some(first), Some(last)) = (self.atoms.get(start), self.atoms.get(end.saturating_sub(1))) else {
            return Err(ChunkError::NothingFits { byte_offset: 0, limit_tokens: self.sizes.limit_tokens });
        };
        let range = TextRange::new(first.range.start, last.range.end);
        let units = self.units.get(first.unit..=last.unit).unwrap_or_default();
        let context = self.contexts.of(self.contexts.shared_section(units))?;
        if with_context {
            let header = self.header_at(start);
            self.assembler.draft(range, &context.line, &context.heading_path, header)
        } else {
            self.assembler.draft(range, "", &context.heading_path, None)
        }
    }

    /// The header to repeat when a chunk begins with atom `start`: none when it begins the table itself.
    fn header_at(&self, start: usize) -> Option<TextRange> {
        let atom = self.atoms.get(start)?;
        atom.header.filter(|header| header.end <= atom.range.start)
    }

    /// The last end that the estimate permits, at least one atom after `fresh`.
    fn furthest_end(&self, start: usize, fresh: usize) -> usize {
        let header_tokens = match self.atoms.get(start).and_then(|atom| atom.header) {
            Some(header) if self.header_at(start).is_some() => self.assembler.estimate(header),
            _ => 0,
        };
        let most = self.sum(start) + self.sizes.budget_tokens.saturating_sub(header_tokens);
        // `sums` rises, so the first one above `most` ends the chunk.
        let end = self.sums.partition_point(|sum| *sum <= most).saturating_sub(1);
        end.clamp(fresh + 1, self.atoms.len())
    }

    /// The best cut at or before `furthest`: the strongest boundary that leaves the chunk at least half
    /// full, and among equals the one nearest to the wished size. The last two chunks share what is left.
    fn choose_end(&self, start: usize, fresh: usize, furthest: usize) -> usize {
        if furthest >= self.atoms.len() {
            return self.atoms.len();
        }
        let left_tokens = self.sum(self.atoms.len()) - self.sum(start);
        let budget_tokens = self.sizes.budget_tokens;
        let wished = if left_tokens < budget_tokens * 2 {
            (left_tokens / 2).min(budget_tokens)
        } else {
            budget_tokens
        };
        let mut best: Option<(Boundary, usize, usize)> = None;
        for end in (fresh + 1..=furthest).rev() {
            let Some(boundary) = self.atoms.get(end).map(|atom| atom.boundary) else { continue };
            let used = self.sum(end) - self.sum(start);
            if used * 2 < wished && best.is_some() {
                break;
            }
            let distance = used.abs_diff(wished);
            let is_better = best.is_none_or(|(other, other_distance, _)| {
                boundary > other || (boundary == other && distance < other_distance)
            });
            if boundary > Boundary::Forbidden && is_better {
                best = Some((boundary, distance, end));
            }
        }
        best.map_or(furthest, |(_, _, end)| end)
    }

    /// Where the chunk after `start..end` begins: as many whole sentences before `end` as the overlap
    /// permits, if prose goes on there.
    fn overlap_start(&self, start: usize, end: usize) -> usize {
        let Some(next) = self.atoms.get(end).filter(|next| next.is_prose) else { return end };
        let room = self.sizes.overlap_tokens.min(self.sizes.budget_tokens.saturating_sub(next.tokens));
        let (mut overlap, mut shared_tokens) = (end, 0);
        while overlap > start + 1 {
            let Some(before) = self.atoms.get(overlap - 1).filter(|before| before.is_sentence) else { break };
            shared_tokens += before.tokens + usize::from(self.begins_inside_word(before.range.start));
            if shared_tokens > room {
                break;
            }
            overlap -= 1;
        }
        overlap
    }

    /// Whether the last token before `offset` may reach into what follows, as between sentences of a script
    /// without spaces; that token would be counted on neither side.
    fn begins_inside_word(&self, offset: usize) -> bool {
        self.text.get(..offset).is_some_and(|before| before.ends_with(|last: char| !last.is_whitespace()))
    }

    /// Cuts one atom in the middle; `false` if it is a single character.
    fn halve(&mut self, index: usize) -> bool {
        let Some(atom) = self.atoms.get(index).copied() else { return false };
        let middle = self.text.ceil_char_boundary(atom.range.start + atom.range.len().div_ceil(2));
        let middle = if middle < atom.range.end {
            middle
        } else {
            self.text.floor_char_boundary(atom.range.start + atom.range.len() / 2)
        };
        if middle <= atom.range.start || middle >= atom.range.end {
            return false;
        }
        let left = TextRange::new(atom.range.start, middle);
        let right = TextRange::new(middle, atom.range.end);
        let half = |range: TextRange, boundary: Boundary, estimate: usize| Atom {
            range,
            tokens: estimate,
            boundary,
            is_sentence: false,
            ..atom
        };
        let left_tokens = self.assembler.estimate(left);
        let halves = [
            half(left, atom.boundary, left_tokens),
            half(right, Boundary::Word, atom.tokens.saturating_sub(left_tokens)),
        ];
        self.atoms.splice(index..=index, halves);
        self.sum_up();
        true
    }

    fn sum_up(&mut self) {
        let mut sum = 0;
        self.sums.clear();
        self.sums.push(0);
        for atom in &self.atoms {
            sum += atom.tokens;
            self.sums.push(sum);
        }
    }

    fn sum(&self, index: usize) -> usize {
        self.sums.get(index).or(self.sums.last()).copied().unwrap_or(0)
    }
}
