use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// Grams that occur more often in the pattern say nothing about where in it they stand.
const MOST_OCCURRENCES_IN_PATTERN: usize = 8;
/// Candidates looked at when nothing was found, only to say how near the nearest came.
const NEAREST_CANDIDATES: usize = 3;

/// Where a pattern comes nearest, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Approximate {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Insertions, deletions and substitutions (Levenshtein 1966).
    pub(super) edits: usize,
}

/// Finds the part of `text` that is fewest edits away from `pattern`, at most `most_edits`; else, as an
/// error, a near miss if there is one.
///
/// q-gram filter (Jokinen and Ukkonen 1991): a part that is k edits away shares at least
/// n - q + 1 - kq of the pattern's q-grams, on neighbouring diagonals. Diagonals with enough of them are
/// checked by dynamic programming that leaves out cells above the limit (Ukkonen 1985). Among equally
/// good parts the one that starts nearest to `expected_start` wins, without one the first.
pub(super) fn find_approximate(
    text: &[char],
    pattern: &[char],
    most_edits: usize,
    expected_start: Option<usize>,
) -> Result<Approximate, Option<Approximate>> {
    let grams = PatternGrams::new(pattern);
    let candidates = grams.candidates(text, most_edits);
    let mut best: Option<Approximate> = None;
    for candidate in &candidates {
        let limit = best.map_or(most_edits, |best| best.edits);
        if candidate.shared_grams < grams.fewest_shared(limit) {
            break;
        }
        if let Some(found) = candidate.verify(text, pattern, limit) {
            let distance =
                |found: &Approximate| expected_start.map_or(found.start, |at| found.start.abs_diff(at));
            if best.is_none_or(|best| (found.edits, distance(&found)) < (best.edits, distance(&best))) {
                best = Some(found);
            }
        }
    }
    best.ok_or_else(|| nearest_miss(&candidates, text, pattern))
}

/// The best of the most promising candidates, up to half of the pattern edited.
fn nearest_miss(candidates: &[Candidate], text: &[char], pattern: &[char]) -> Option<Approximate> {
    let verified = candidates
        .iter()
        .take(NEAREST_CANDIDATES)
        .filter_map(|candidate| candidate.verify(text, pattern, pattern.len() / 2));
    verified.min_by_key(|found| found.edits)
}

/// Part of the text in which the pattern may stand, and how many grams speak for it.
#[derive(Debug)]
struct Candidate {
    start: usize,
    end: usize,
    shared_grams: usize,
}

impl Candidate {
    fn verify(&self, text: &[char], pattern: &[char], limit: usize) -> Option<Approximate> {
        let window = text.get(self.start..self.end)?;
        let found = nearest_part(window, pattern, limit)?;
        Some(Approximate { start: found.start + self.start, end: found.end + self.start, edits: found.edits })
    }
}

type GramMap = HashMap<u64, Vec<usize>, BuildHasherDefault<DefaultHasher>>;

/// Positions of the pattern's q-grams.
struct PatternGrams {
    positions: GramMap,
    gram_length: usize,
    pattern_length: usize,
    kept: usize,
}

impl PatternGrams {
    fn new(pattern: &[char]) -> Self {
        let gram_length = if pattern.len() < 16 { 3 } else { 4 };
        let mut positions = GramMap::default();
        for (at, gram) in pattern.windows(gram_length).enumerate() {
            positions.entry(gram_key(gram)).or_default().push(at);
        }
        positions.retain(|_, at| at.len() <= MOST_OCCURRENCES_IN_PATTERN);
        let kept = positions.values().map(Vec::len).sum();
        Self { positions, gram_length, pattern_length: pattern.len(), kept }
    }

    /// Grams that a part with `edits` still shares, for each edit destroys at most q of them.
    fn fewest_shared(&self, edits: usize) -> usize {
        self.kept.saturating_sub(edits * self.gram_length).max(1)
    }

    /// Candidates that share enough grams, the most promising first; where none does, the few best.
    fn candidates(&self, text: &[char], most_edits: usize) -> Vec<Candidate> {
        let width = (2 * most_edits + 1).max(8);
        let counts = self.count_by_diagonal(text, width);
        let pairs = counts.iter().zip(counts.iter().skip(1)).map(|(one, next)| one + next).enumerate();
        let enough = self.fewest_shared(most_edits);
        let mut candidates: Vec<(usize, usize)> =
            pairs.clone().filter(|(_, count)| *count >= enough).collect();
        if candidates.is_empty() {
            candidates = pairs.filter(|(_, count)| *count > 0).collect();
            candidates.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            candidates.truncate(NEAREST_CANDIDATES);
        }
        candidates.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let to_candidate = |(bucket, shared_grams): (usize, usize)| {
            // Diagonals are moved up by the pattern's length so that none is negative.
            let first = (bucket * width).saturating_sub(self.pattern_length);
            let past = ((bucket + 2) * width).saturating_sub(self.pattern_length);
            Candidate {
                start: first.saturating_sub(most_edits).min(text.len()),
                end: (past + self.pattern_length + most_edits).min(text.len()),
                shared_grams,
            }
        };
        candidates.into_iter().map(to_candidate).collect()
    }

    fn count_by_diagonal(&self, text: &[char], width: usize) -> Vec<usize> {
        let mut counts = vec![0; (text.len() + self.pattern_length) / width + 2];
        for (at, gram) in text.windows(self.gram_length).enumerate() {
            let Some(positions) = self.positions.get(&gram_key(gram)) else { continue };
            for in_pattern in positions {
                let diagonal = at + self.pattern_length - in_pattern;
                if let Some(count) = counts.get_mut(diagonal / width) {
                    *count += 1;
                }
            }
        }
        counts
    }
}

/// A number for up to four characters; collisions only make a candidate too many.
fn gram_key(gram: &[char]) -> u64 {
    gram.iter().fold(0, |key, character| (key << 16) ^ u64::from(u32::from(*character)))
}

/// One cell of the table: fewest edits for a prefix of the pattern, and where in the window that began.
#[derive(Debug, Clone, Copy)]
struct Cell {
    edits: usize,
    start: usize,
}

/// The part of `window` nearest to `pattern`, if at most `limit` edits away (Sellers 1980).
fn nearest_part(window: &[char], pattern: &[char], limit: usize) -> Option<Approximate> {
    let mut column: Vec<Cell> = (0..=pattern.len()).map(|row| Cell { edits: row, start: 0 }).collect();
    // Rows below this one hold more than `limit` edits and stay out of the computation.
    let mut last_row = limit.min(pattern.len());
    let mut best: Option<Approximate> = None;
    for (at, character) in window.iter().enumerate() {
        last_row = advance(&mut column, pattern, *character, at + 1, last_row, limit);
        if last_row < pattern.len() {
            continue;
        }
        let Some(cell) = column.last().filter(|cell| cell.edits <= limit) else { continue };
        let found = Approximate { start: cell.start, end: at + 1, edits: cell.edits };
        let off_length = |found: &Approximate| (found.end - found.start).abs_diff(pattern.len());
        if best.is_none_or(|best| (found.edits, off_length(&found)) < (best.edits, off_length(&best))) {
            best = Some(found);
        }
    }
    best
}

/// Moves the column by one character of the window; returns the last row within `limit`.
fn advance(
    column: &mut [Cell],
    pattern: &[char],
    character: char,
    after: usize,
    last_row: usize,
    limit: usize,
) -> usize {
    let mut rows = column.iter_mut();
    let Some(top) = rows.next() else { return 0 };
    let mut diagonal = *top;
    *top = Cell { edits: 0, start: after };
    let mut above = *top;
    let mut last_within = 0;
    for (row, (cell, wanted)) in rows.zip(pattern).enumerate().take(last_row + 1) {
        // What lies below the last row was not kept up to date; it is above the limit anyway.
        let left = if row < last_row { *cell } else { Cell { edits: limit + 1, start: cell.start } };
        let matched = Cell { edits: diagonal.edits + usize::from(*wanted != character), ..diagonal };
        let skipped_in_pattern = Cell { edits: above.edits + 1, ..above };
        let skipped_in_window = Cell { edits: left.edits + 1, ..left };
        diagonal = left;
        above = fewest(fewest(matched, skipped_in_pattern), skipped_in_window);
        *cell = above;
        if above.edits <= limit {
            last_within = row + 1;
        }
    }
    last_within
}

fn fewest(one: Cell, other: Cell) -> Cell {
    if other.edits < one.edits { other } else { one }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    /// The textbook table over the whole text, with nothing left out.
    fn fewest_edits(text: &[char], pattern: &[char]) -> usize {
        let mut column: Vec<usize> = (0..=pattern.len()).collect();
        let mut best = pattern.len();
        for character in text {
            let mut next = vec![0];
            for row in 1..=pattern.len() {
                let substituted = column[row - 1] + usize::from(pattern[row - 1] != *character);
                next.push(substituted.min(column[row] + 1).min(next[row - 1] + 1));
            }
            best = best.min(next[pattern.len()]);
            column = next;
        }
        best
    }

    #[test]
    fn finds_the_right_part() {
        let text = chars("In the north the ovens cool slowly after a shift.");
        let found = find_approximate(&text, &chars("the ovans cool slowley"), 3, None).unwrap();
        assert_eq!(text[found.start..found.end].iter().collect::<String>(), "the ovens cool slowly");
        assert_eq!(found.edits, 2);
        let miss = find_approximate(&text, &chars("entirely different words"), 3, None);
        assert!(miss.is_err(), "{miss:?}");
    }

    proptest! {
        #[test]
        fn is_as_near_as_the_whole_table_says(text in "[ab]{0,10}[a-d ]{0,60}", pattern in "[a-d ]{7,24}") {
            let (text, pattern) = (chars(&text), chars(&pattern));
            let limit = pattern.len() * 15 / 100;
            let fewest = fewest_edits(&text, &pattern);
            match nearest_part(&text, &pattern, limit) {
                Some(found) => {
                    prop_assert_eq!(found.edits, fewest);
                    let part = &text[found.start..found.end];
                    prop_assert_eq!(fewest_edits(part, &pattern), fewest);
                }
                None => prop_assert!(fewest > limit),
            }
        }

        #[test]
        fn the_filter_loses_nothing(
            before in "[a-e ]{0,80}", pattern in "[a-z ]{14,60}", after in "[a-e ]{0,80}",
            edits in proptest::collection::vec((0usize..60, 0u8..3, proptest::char::range('a', 'z')), 0..4),
        ) {
            let pattern = chars(&pattern);
            let limit = pattern.len() * 15 / 100;
            let mut changed = pattern.clone();
            for (at, kind, character) in edits.into_iter().take(limit) {
                let at = at % changed.len();
                match kind {
                    0 => changed[at] = character,
                    1 => changed.insert(at, character),
                    _ => drop(changed.remove(at)),
                }
            }
            let text = [chars(&before), changed, chars(&after)].concat();
            let fewest = fewest_edits(&text, &pattern);
            prop_assert!(fewest <= limit);
            // Patterns of few different grams are not promised.
            if PatternGrams::new(&pattern).kept + 3 >= pattern.len()
                && PatternGrams::new(&pattern).kept > limit * 4
            {
                prop_assert_eq!(find_approximate(&text, &pattern, limit, None).unwrap().edits, fewest);
            }
        }
    }
}
