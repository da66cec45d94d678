use std::ops::Range;

use crate::http::{FailureKind, HttpFailure};

/// Why items were not answered.
#[derive(Debug, PartialEq)]
pub(super) enum BatchFailure {
    /// Any failure but that a batch is too large.
    Http(HttpFailure),
    /// This single item is too large for the provider.
    ItemTooLarge { index: usize, detail: String },
}

/// Consecutive ranges of items, each of `most` items and `most_tokens` tokens at most; an item that is larger
/// by itself is alone.
pub(super) fn ranges(tokens: &[usize], most: usize, most_tokens: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut start, mut sum) = (0, 0_usize);
    for (index, tokens) in tokens.iter().enumerate() {
        if index > start && (index - start >= most || sum.saturating_add(*tokens) > most_tokens) {
            ranges.push(start..index);
            (start, sum) = (index, 0);
        }
        sum = sum.saturating_add(*tokens);
    }
    if start < tokens.len() {
        ranges.push(start..tokens.len());
    }
    ranges
}

/// Asks for each range in order, halving one that the provider finds too large until a single item is left.
pub(super) fn ask<T>(
    ranges: Vec<Range<usize>>,
    ask: &mut dyn FnMut(Range<usize>) -> Result<Vec<T>, HttpFailure>,
) -> Result<Vec<T>, BatchFailure> {
    let mut answers = Vec::new();
    let mut open: Vec<Range<usize>> = ranges.into_iter().rev().collect();
    while let Some(range) = open.pop() {
        match ask(range.clone()) {
            Ok(mut part) => answers.append(&mut part),
            Err(failure) if failure.kind == FailureKind::TooLong && range.len() > 1 => {
                let middle = range.start + range.len() / 2;
                open.push(middle..range.end);
                open.push(range.start..middle);
            }
            Err(failure) if failure.kind == FailureKind::TooLong => {
                return Err(BatchFailure::ItemTooLarge { index: range.start, detail: failure.detail });
            }
            Err(failure) => return Err(BatchFailure::Http(failure)),
        }
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_keep_both_limits_and_lose_nothing() {
        assert_eq!(ranges(&[1, 1, 1, 9, 1, 1], 2, 5), [0..2, 2..3, 3..4, 4..6]);
        assert_eq!(ranges(&[], 2, 5), Vec::<Range<usize>>::new());
    }

    #[test]
    fn a_batch_is_halved_until_it_fits_and_the_order_stays() {
        let too_long = || HttpFailure::new(FailureKind::TooLong, "x");
        let mut fits = |range: Range<usize>| {
            if range.len() > 3 { Err(too_long()) } else { Ok(range.collect::<Vec<_>>()) }
        };
        assert_eq!(ask(vec![0..7, 7..20], &mut fits).unwrap(), (0..20).collect::<Vec<_>>());
        let mut one_is_too_large = |range: Range<usize>| {
            if range.contains(&5) { Err(too_long()) } else { Ok(range.collect::<Vec<_>>()) }
        };
        let failure = ask(vec![0..4, 4..9], &mut one_is_too_large).unwrap_err();
        assert_eq!(failure, BatchFailure::ItemTooLarge { index: 5, detail: "x".to_owned() });
    }
}
