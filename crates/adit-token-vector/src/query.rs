use crate::TokenVectorError;
use crate::kernel::{InstructionSet, WIDTH_ALIGNMENT, padded_tokens};
use crate::make::{CodeBits, SCALE_BYTES, TokenCodeMake};

/// The token vectors of one question, ready to be held against rows of one make: less the mean, in 8 bits
/// with one scale for each token.
#[derive(Debug, Clone)]
pub struct TokenQuery {
    bits: CodeBits,
    dimension: usize,
    row_bytes: usize,
    tokens: usize,
    /// Numbers of a token, padded with zeros.
    width: usize,
    /// `[tokens padded, width]`.
    values: Vec<i8>,
    /// `[tokens]`: what one step of a token's numbers is worth.
    steps: Vec<f32>,
    /// `[tokens]`: sum of a token's numbers.
    sums: Vec<i32>,
    instructions: InstructionSet,
}

impl TokenQuery {
    /// Prepares `[tokens, dimension]`.
    ///
    /// # Errors
    /// [`TokenVectorError::Length`], [`TokenVectorError::NotFinite`].
    pub fn new(make: &TokenCodeMake, token_vectors: &[f32]) -> Result<Self, TokenVectorError> {
        let dimension = make.dimension();
        if dimension == 0 || !token_vectors.len().is_multiple_of(dimension) {
            return Err(TokenVectorError::Length { expected: dimension, given: token_vectors.len() });
        }
        if !token_vectors.iter().all(|value| value.is_finite()) {
            return Err(TokenVectorError::NotFinite);
        }
        let tokens = token_vectors.len() / dimension;
        let width = dimension.next_multiple_of(WIDTH_ALIGNMENT);
        let mut query = Self {
            bits: make.bits,
            dimension,
            row_bytes: make.row_bytes(),
            tokens,
            width,
            values: Vec::with_capacity(padded_tokens(tokens) * width),
            steps: Vec::with_capacity(tokens),
            sums: Vec::with_capacity(tokens),
            instructions: InstructionSet::detect(),
        };
        for row in token_vectors.chunks_exact(dimension) {
            query.push(row, &make.mean);
        }
        query.values.resize(padded_tokens(tokens) * width, 0);
        Ok(query)
    }

    /// The same with another implementation, for tests and measurements.
    #[must_use]
    pub fn with_instructions(mut self, instructions: InstructionSet) -> Self {
        self.instructions = instructions;
        self
    }

    fn push(&mut self, row: &[f32], mean: &[f32]) {
        let centred: Vec<f32> = row.iter().zip(mean).map(|(value, mean)| value - mean).collect();
        let largest = centred.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        let step = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        let start = self.values.len();
        self.values.extend(centred.iter().map(|value| (value / step).round().clamp(-127.0, 127.0) as i8));
        let numbers = self.values.get(start..).unwrap_or_default();
        self.sums.push(numbers.iter().map(|number| i32::from(*number)).sum());
        self.steps.push(step);
        self.values.resize(start + self.width, 0);
    }

    /// How many tokens it has.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// MaxSim: the sum over the question's tokens of the best row for each. A sign counts as plus or minus one
    /// over the square root of the dimension, so a row has length 1, like a row of 8 bits. `None` without rows
    /// and without tokens.
    #[must_use]
    pub fn max_sim(&self, codes: &[u8]) -> Option<f32> {
        if codes.len() < self.row_bytes || self.tokens == 0 {
            return None;
        }
        Some(match self.bits {
            CodeBits::One => self.max_sim_signs(codes),
            CodeBits::Eight => self.max_sim_bytes(codes),
        })
    }

    fn max_sim_signs(&self, codes: &[u8]) -> f32 {
        let mut best = vec![i32::MIN; padded_tokens(self.tokens)];
        self.instructions.best_sign_dots(codes, self.row_bytes, &self.values, self.width, &mut best);
        let row_length = (self.dimension as f32).sqrt();
        let tokens = best.iter().zip(&self.sums).zip(&self.steps);
        // The kernel adds the numbers under set bits: the others count with a minus.
        tokens.map(|((best, sum), step)| (2 * best - sum) as f32 * step / row_length).sum()
    }

    fn max_sim_bytes(&self, codes: &[u8]) -> f32 {
        let mut best = vec![f32::NEG_INFINITY; self.tokens];
        for row in codes.chunks_exact(self.row_bytes) {
            let Some((scale, numbers)) = row.split_first_chunk::<SCALE_BYTES>() else { continue };
            let scale = f32::from_le_bytes(*scale);
            for (best, token) in best.iter_mut().zip(self.values.chunks_exact(self.width)) {
                let dot: i32 = numbers
                    .iter()
                    .zip(token)
                    .map(|(row, token)| i32::from(row.cast_signed()) * i32::from(*token))
                    .sum();
                *best = best.max(dot as f32 * scale);
            }
        }
        best.iter().zip(&self.steps).map(|(best, step)| best * step).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coder::encode;
    use proptest::prelude::*;

    /// MaxSim in float64 over the same rows, with the question's numbers before they were rounded.
    fn naive(make: &TokenCodeMake, question: &[f32], codes: &[u8]) -> f64 {
        let dimension = make.dimension();
        let value = |row: &[u8], at: usize| match make.bits {
            CodeBits::One if row[at / 8] >> (at % 8) & 1 == 1 => 1.0 / (dimension as f64).sqrt(),
            CodeBits::One => -1.0 / (dimension as f64).sqrt(),
            CodeBits::Eight => {
                let scale = f32::from_le_bytes(*row.first_chunk().unwrap());
                f64::from(scale) * f64::from(row[4 + at].cast_signed())
            }
        };
        let dot = |token: &[f32], row: &[u8]| {
            (0..dimension).map(|at| f64::from(token[at] - make.mean[at]) * value(row, at)).sum::<f64>()
        };
        question
            .chunks_exact(dimension)
            .map(|token| {
                let dots = codes.chunks_exact(make.row_bytes()).map(|row| dot(token, row));
                dots.fold(f64::NEG_INFINITY, f64::max)
            })
            .sum()
    }

    fn vectors(tokens: std::ops::Range<usize>, dimension: usize) -> impl Strategy<Value = Vec<f32>> {
        tokens.prop_flat_map(move |tokens| prop::collection::vec(-1.0_f32..1.0, tokens * dimension))
    }

    proptest! {
        #[test]
        fn agrees_with_the_naive_sum_over_the_same_codes(
            (question, chunk, mean) in (1_usize..150).prop_flat_map(|dimension| {
                (vectors(1..9, dimension), vectors(1..20, dimension), prop::collection::vec(-0.3_f32..0.3, dimension))
            }),
            pooling in 1_u32..4,
            is_one_bit in any::<bool>(),
        ) {
            let bits = if is_one_bit { CodeBits::One } else { CodeBits::Eight };
            let make = TokenCodeMake { embedder: String::new(), bits, pooling, mean };
            let codes = encode(&make, &chunk).unwrap();
            let query = TokenQuery::new(&make, &question).unwrap();
            let expected = naive(&make, &question, &codes);
            for set in InstructionSet::available() {
                let found = f64::from(query.clone().with_instructions(set).max_sim(&codes).unwrap());
                // Half a step for every number of a token, a step being 1.3 / 127 at most.
                let tolerance = query.tokens() as f64 * (make.dimension() as f64).sqrt() * 0.006 + 1e-4;
                prop_assert!((found - expected).abs() <= tolerance, "{:?}: {} {}", set, found, expected);
            }
        }
    }

    #[test]
    fn a_text_without_tokens_has_no_score() {
        let make =
            TokenCodeMake { embedder: String::new(), bits: CodeBits::One, pooling: 1, mean: vec![0.0; 8] };
        let query = TokenQuery::new(&make, &[0.5; 8]).unwrap();
        assert_eq!(query.max_sim(&[]), None);
        assert_eq!(TokenQuery::new(&make, &[]).unwrap().max_sim(&[1]), None);
        assert!(TokenQuery::new(&make, &[0.5; 7]).is_err());
    }

    #[test]
    fn the_same_vector_scores_best() {
        let make =
            TokenCodeMake { embedder: String::new(), bits: CodeBits::One, pooling: 1, mean: vec![0.0; 64] };
        let one: Vec<f32> = (0..64).map(|at| if at % 3 == 0 { 0.1 } else { -0.1 }).collect();
        let other: Vec<f32> = (0..64).map(|at| if at % 2 == 0 { 0.1 } else { -0.1 }).collect();
        let query = TokenQuery::new(&make, &one).unwrap();
        let score = |vector: &[f32]| query.max_sim(&encode(&make, vector).unwrap()).unwrap();
        assert!((score(&one) - 0.8).abs() < 1e-4, "all of the vector's length lies along its signs");
        assert!(score(&one) > score(&other));
    }
}
