use std::collections::BTreeSet;

/// How alike two questions are, in multiples of what it takes to belong together: 1 is just enough.
///
/// Where both have a vector it is their cosine over `cosine_threshold`; otherwise Dice's coefficient of
/// their words, twice the shared over the sum of both, over `word_threshold` (Dice 1945).
pub(super) fn relative_similarity(
    (left_vector, left_words): (Option<&[f32]>, &BTreeSet<String>),
    (right_vector, right_words): (Option<&[f32]>, &BTreeSet<String>),
    cosine_threshold: f32,
    word_threshold: f32,
) -> f32 {
    match (left_vector, right_vector) {
        (Some(left), Some(right)) if left.len() == right.len() => {
            let cosine: f32 = left.iter().zip(right).map(|(a, b)| a * b).sum();
            cosine / cosine_threshold
        }
        _ => {
            let both = left_words.len() + right_words.len();
            let shared = left_words.intersection(right_words).count();
            if both == 0 { 0.0 } else { 2.0 * shared as f32 / both as f32 / word_threshold }
        }
    }
}

/// A symmetric matrix of similarities.
pub(super) struct SimilarityMatrix {
    size: usize,
    values: Vec<f32>,
}

impl SimilarityMatrix {
    pub(super) fn new(size: usize, similarity: impl Fn(usize, usize) -> f32) -> Self {
        let mut matrix = Self { size, values: vec![0.0; size * size] };
        for left in 0..size {
            for right in 0..left {
                matrix.set(left, right, similarity(left, right));
            }
        }
        matrix
    }

    pub(super) fn get(&self, left: usize, right: usize) -> f32 {
        self.values.get(left * self.size + right).copied().unwrap_or(0.0)
    }

    pub(super) fn set(&mut self, left: usize, right: usize, value: f32) {
        let value = if value.is_finite() { value } else { 0.0 };
        for place in [left * self.size + right, right * self.size + left] {
            if let Some(cell) = self.values.get_mut(place) {
                *cell = value;
            }
        }
    }
}
