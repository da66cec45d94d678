//! int8 vectors: each component as a multiple of the vector's own step, which is its largest component
//! over 127. Rows are stored in offset binary (value + 128), because the byte multiply-add of AVX-512
//! VNNI takes one unsigned side; the query is the signed side.

use crate::VectorError;
use crate::kernel::{InstructionSet, ROW_ALIGNMENT_BYTES};

const OFFSET: u8 = 128;

/// Bytes of one int8 row: the dimension rounded up to a multiple of 64.
pub(crate) fn row_stride_bytes(dimension: usize) -> usize {
    dimension.next_multiple_of(ROW_ALIGNMENT_BYTES)
}

/// Appends the row of `vector` to `rows` and returns its step.
pub(crate) fn append_row(vector: &[f32], rows: &mut Vec<u8>) -> f32 {
    let step = step(vector);
    let start = rows.len();
    rows.extend(vector.iter().map(|component| (quantise(*component, step) as u8) ^ OFFSET));
    rows.resize(start + row_stride_bytes(vector.len()), OFFSET);
    step
}

fn step(vector: &[f32]) -> f32 {
    vector.iter().fold(0.0_f32, |largest, component| largest.max(component.abs())) / 127.0
}

fn quantise(component: f32, step: f32) -> i8 {
    // A zero vector has step 0, and 0 / 0 becomes 0 in the cast; the cast also saturates.
    (component / step).round() as i8
}

/// A query in both precisions, made once and used on every segment.
#[derive(Debug, Clone)]
pub struct PreparedQuery {
    vector: Vec<f32>,
    pub(crate) quantised: QuantisedQuery,
}

impl PreparedQuery {
    /// Prepares a vector of length 1.
    ///
    /// # Errors
    /// [`VectorError::NotFinite`].
    pub fn new(vector: &[f32]) -> Result<Self, VectorError> {
        if !vector.iter().all(|component| component.is_finite()) {
            return Err(VectorError::NotFinite { what: "the query".to_owned() });
        }
        Ok(Self { vector: vector.to_vec(), quantised: QuantisedQuery::of_vector(vector) })
    }

    /// The vector as given.
    #[must_use]
    pub fn vector(&self) -> &[f32] {
        &self.vector
    }

    /// Dot product with a stored float32 vector: their cosine.
    #[must_use]
    pub fn exact_score(&self, vector: &[f32]) -> f32 {
        self.quantised.instructions.dot_float32(&self.vector, vector)
    }
}

/// The signed side of the int8 product.
#[derive(Debug, Clone)]
pub(crate) struct QuantisedQuery {
    components: Vec<i8>,
    step: f32,
    /// What the rows' offset adds to every product: 128 times the sum of the components.
    offset_product: i32,
    instructions: InstructionSet,
}

impl QuantisedQuery {
    pub(crate) fn empty() -> Self {
        Self { components: Vec::new(), step: 0.0, offset_product: 0, instructions: InstructionSet::detect() }
    }

    fn of_vector(vector: &[f32]) -> Self {
        let mut query = Self::empty();
        query.step = step(vector);
        query.components.extend(vector.iter().map(|component| quantise(*component, query.step)));
        query.components.resize(row_stride_bytes(vector.len()), 0);
        query.finish();
        query
    }

    /// Becomes a stored row, without a new allocation.
    pub(crate) fn become_row(&mut self, row: &[u8], step: f32) {
        self.components.clear();
        self.components.extend(row.iter().map(|byte| (*byte ^ OFFSET) as i8));
        self.step = step;
        self.finish();
    }

    fn finish(&mut self) {
        let sum: i32 = self.components.iter().map(|component| i32::from(*component)).sum();
        self.offset_product = sum * i32::from(OFFSET);
    }

    /// The cosine as far as int8 tells.
    #[inline]
    pub(crate) fn score(&self, row: &[u8], row_step: f32) -> f32 {
        let product = self.instructions.dot_int8(row, &self.components) - self.offset_product;
        product as f32 * row_step * self.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn int8_scores_are_close_to_cosines() {
        let unit = |seed: usize| {
            let raw: Vec<f32> = (0..100).map(|i| ((i * seed) as f32).sin()).collect();
            let length = raw.iter().map(|c| c * c).sum::<f32>().sqrt();
            raw.iter().map(|c| c / length).collect::<Vec<f32>>()
        };
        let query = PreparedQuery::new(&unit(3)).unwrap();
        for seed in 1..50 {
            let vector = unit(seed);
            let mut rows = Vec::new();
            let step = append_row(&vector, &mut rows);
            assert_eq!(rows.len(), 128);
            assert!((query.quantised.score(&rows, step) - query.exact_score(&vector)).abs() < 0.01);
        }
    }

    #[test]
    fn a_zero_vector_scores_zero() {
        let mut rows = Vec::new();
        let step = append_row(&[0.0; 10], &mut rows);
        let query = PreparedQuery::new(&[0.3; 10]).unwrap();
        assert!(query.quantised.score(&rows, step).abs() < f32::EPSILON);
        assert!(PreparedQuery::new(&[f32::NAN]).is_err());
    }
}
