use std::ops::RangeInclusive;

use roaring::RoaringBitmap;

/// Below this share a roaring bitmap keeps its ids as sorted lists, where a look-up is a binary search.
const LIST_SHARE: u64 = 16;

/// Most bits a plain set may take for every document of the segment.
const MOST_BITS_PER_DOCUMENT: u64 = 32;

/// The allowed chunks of one segment, quick to ask.
pub(crate) enum ChunkSet<'a> {
    /// The bitmap itself, where it is dense.
    Bitmap(&'a RoaringBitmap),
    /// One bit an id from `first` on.
    Bits { first: u32, words: Vec<u64> },
}

impl<'a> ChunkSet<'a> {
    /// The ids of `allowed` (`allowed_count` of them) in `range`, for a segment of `document_count`.
    pub(crate) fn new(
        allowed: &'a RoaringBitmap,
        range: &RangeInclusive<u32>,
        allowed_count: u64,
        document_count: u32,
    ) -> Self {
        let (first, last) = (*range.start(), *range.end());
        let span = u64::from(last.saturating_sub(first)) + 1;
        let is_list = allowed_count * LIST_SHARE < span;
        if !is_list || span > u64::from(document_count) * MOST_BITS_PER_DOCUMENT {
            return Self::Bitmap(allowed);
        }
        let mut words = vec![0_u64; (span / 64) as usize + 1];
        for id in allowed.range(range.clone()) {
            let bit = id - first;
            if let Some(word) = words.get_mut((bit / 64) as usize) {
                *word |= 1 << (bit % 64);
            }
        }
        Self::Bits { first, words }
    }

    /// Whether `id`, an id of the segment, is allowed.
    #[inline]
    pub(crate) fn contains(&self, id: u32) -> bool {
        match self {
            Self::Bitmap(allowed) => allowed.contains(id),
            Self::Bits { first, words } => {
                let bit = id.wrapping_sub(*first);
                words.get((bit / 64) as usize).is_some_and(|word| word >> (bit % 64) & 1 == 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_hold_the_same() {
        let allowed: RoaringBitmap = (0..5_000).filter(|id| id % 37 == 5).collect();
        let range = 100..=4_000;
        let bits = ChunkSet::new(&allowed, &range, allowed.range_cardinality(range.clone()), 3_901);
        assert!(matches!(bits, ChunkSet::Bits { .. }));
        let wide = ChunkSet::new(&allowed, &range, 1, 1);
        assert!(matches!(wide, ChunkSet::Bitmap(_)));
        for id in range {
            assert_eq!(bits.contains(id), allowed.contains(id), "{id}");
        }
        assert!(!bits.contains(0));
        assert!(!bits.contains(u32::MAX));
    }
}
