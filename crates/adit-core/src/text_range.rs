use serde::{Deserialize, Serialize};

/// A half-open range of byte offsets into a document's extracted UTF-8 text.
///
/// Offsets always fall on character boundaries, so [`TextRange::slice`] returns `None` only for a
/// range that belongs to another text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default)]
pub struct TextRange {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl TextRange {
    /// The range `start..end`; an inverted pair becomes the empty range at `start`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Length in bytes.
    #[must_use]
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether the range covers nothing.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.end == self.start
    }

    /// Whether the two ranges share at least one byte.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether `other` lies inside `self`.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The part of `text` this range covers, or `None` if it does not lie inside it on character boundaries.
    #[must_use]
    pub fn slice(self, text: &str) -> Option<&str> {
        text.get(self.start..self.end)
    }
}
