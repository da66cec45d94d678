//! The int8 rows of a segment or tail block, and the order in which candidates are ranked.

use crate::kernel::prefetch;
use crate::quantise::QuantisedQuery;

/// int8 rows one after the other, and the step of each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) steps: &'a [f32],
    pub(crate) stride_bytes: usize,
}

impl<'a> Rows<'a> {
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The row, or an empty one for an ordinal that does not exist: damage must not stop a search.
    #[inline]
    pub(crate) fn row(&self, ordinal: u32) -> &'a [u8] {
        let start = ordinal as usize * self.stride_bytes;
        self.bytes.get(start..start + self.stride_bytes).unwrap_or(&[])
    }

    #[inline]
    pub(crate) fn step(&self, ordinal: u32) -> f32 {
        self.steps.get(ordinal as usize).copied().unwrap_or(0.0)
    }

    #[inline]
    pub(crate) fn score(&self, query: &QuantisedQuery, ordinal: u32) -> f32 {
        query.score(self.row(ordinal), self.step(ordinal))
    }

    #[inline]
    pub(crate) fn prefetch(&self, ordinal: u32) {
        prefetch(self.row(ordinal));
    }
}

/// Score and ordinal in one integer that compares as "better": higher score first, then lower ordinal.
#[inline]
pub(crate) fn rank_key(score: f32, ordinal: u32) -> u64 {
    let bits = score.to_bits();
    // Floats compare as integers once negative ones are inverted and positive ones lifted above them.
    let ordered = if bits >> 31 == 1 { !bits } else { bits | (1 << 31) };
    (u64::from(ordered) << 32) | u64::from(!ordinal)
}

#[inline]
pub(crate) fn key_ordinal(key: u64) -> u32 {
    !(key as u32)
}

#[inline]
pub(crate) fn key_score(key: u64) -> f32 {
    let ordered = (key >> 32) as u32;
    f32::from_bits(if ordered >> 31 == 1 { ordered & !(1 << 31) } else { !ordered })
}

/// Keeps the best `depth` of a stream of rank keys.
#[derive(Debug)]
pub(crate) struct BestKeys {
    keys: Vec<u64>,
    depth: usize,
    /// Keys that are not above cannot be among the best.
    threshold: u64,
}

impl BestKeys {
    pub(crate) fn new(depth: usize) -> Self {
        Self { keys: Vec::with_capacity(depth.saturating_mul(2).min(1 << 16)), depth, threshold: 0 }
    }

    #[inline]
    pub(crate) fn offer(&mut self, key: u64) {
        if key > self.threshold {
            self.keys.push(key);
            if self.keys.len() >= self.depth.saturating_mul(2).max(2) {
                self.shrink();
            }
        }
    }

    fn shrink(&mut self) {
        if self.depth == 0 {
            self.keys.clear();
            self.threshold = u64::MAX;
        } else if self.keys.len() > self.depth {
            let (_, last, _) =
                self.keys.select_nth_unstable_by(self.depth - 1, |left, right| right.cmp(left));
            self.threshold = *last;
            self.keys.truncate(self.depth);
        }
    }

    /// The best, in no order.
    pub(crate) fn into_keys(mut self) -> Vec<u64> {
        self.shrink();
        self.keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_order_as_scores_then_ordinals(left in (-2.0_f32..2.0, any::<u32>()), right in (-2.0_f32..2.0, any::<u32>())) {
            let expected = left.0.total_cmp(&right.0).then(right.1.cmp(&left.1));
            prop_assert_eq!(rank_key(left.0, left.1).cmp(&rank_key(right.0, right.1)), expected);
            prop_assert_eq!(key_ordinal(rank_key(left.0, left.1)), left.1);
            prop_assert_eq!(key_score(rank_key(left.0, left.1)).to_bits(), left.0.to_bits());
        }

        #[test]
        fn the_best_keys_are_those_a_sort_gives(mut keys in prop::collection::vec(1_u64.., 0..200), depth in 0_usize..50) {
            let mut best = BestKeys::new(depth);
            keys.iter().for_each(|key| best.offer(*key));
            let mut found = best.into_keys();
            found.sort_unstable();
            keys.sort_unstable();
            prop_assert_eq!(found.as_slice(), &keys[keys.len().saturating_sub(depth)..]);
        }
    }
}
