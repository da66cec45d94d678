//! Sums of a question's numbers under the bits of a row, by the widest instructions the processor has.
//!
//! Every implementation adds the same integers, so all give the same result to the last digit.

mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

/// Numbers to which a token of a question is padded, so that no kernel has a remainder.
pub(crate) const WIDTH_ALIGNMENT: usize = 64;
/// Tokens that are added up at once.
pub(crate) const TOKENS_AT_ONCE: usize = 4;

/// Tokens of a question with the ones of zeros that fill the last group.
pub(crate) fn padded_tokens(tokens: usize) -> usize {
    tokens.next_multiple_of(TOKENS_AT_ONCE)
}

/// Which implementation runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstructionSet {
    /// AVX-512 with VNNI: 64 products an instruction.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX2: 32 products an instruction.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Plain Rust.
    Scalar,
}

impl InstructionSet {
    /// The widest this processor has.
    #[must_use]
    pub fn detect() -> Self {
        static DETECTED: OnceLock<InstructionSet> = OnceLock::new();
        *DETECTED.get_or_init(|| Self::available().first().copied().unwrap_or(Self::Scalar))
    }

    /// All this processor has, widest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni")
                && is_x86_feature_detected!("avx2")
            {
                sets.push(Self::Avx512);
            }
            if is_x86_feature_detected!("avx2") {
                sets.push(Self::Avx2);
            }
        }
        sets.push(Self::Scalar);
        sets
    }

    /// Raises `best[t]` to the greatest sum, over the rows, of the numbers of token `t` whose bit is set.
    ///
    /// `rows` holds rows of `row_bytes`, the lowest bit of a byte first; `values` is `[best.len(), width]`,
    /// `width` a multiple of [`WIDTH_ALIGNMENT`] up to 4096 and at least `8 * row_bytes`, zeros where a row
    /// has no bits; `best.len()` is a multiple of [`TOKENS_AT_ONCE`]. What does not fill a row is ignored.
    #[inline]
    pub(crate) fn best_sign_dots(
        self,
        rows: &[u8],
        row_bytes: usize,
        values: &[i8],
        width: usize,
        best: &mut [i32],
    ) {
        match self {
            // SAFETY: the variant is only made by `available`, after the features were detected.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { x86::best_sign_dots_avx512(rows, row_bytes, values, width, best) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::best_sign_dots_avx2(rows, row_bytes, values, width, best) },
            Self::Scalar => scalar::best_sign_dots(rows, row_bytes, values, width, best),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn expected(rows: &[u8], row_bytes: usize, values: &[i8], width: usize, tokens: usize) -> Vec<i32> {
        let dot = |row: &[u8], token: usize| -> i32 {
            (0..row_bytes * 8)
                .filter(|at| row[at / 8] >> (at % 8) & 1 == 1)
                .map(|at| i32::from(values[token * width + at]))
                .sum()
        };
        (0..tokens)
            .map(|token| rows.chunks_exact(row_bytes).map(|row| dot(row, token)).max().unwrap())
            .collect()
    }

    proptest! {
        #[test]
        fn every_instruction_set_gives_the_same_integers(
            row_bytes in 1_usize..70,
            row_count in 1_usize..6,
            token_groups in 1_usize..4,
            seed in prop::collection::vec((any::<u8>(), -127_i8..=127), 1..40),
        ) {
            let width = (row_bytes * 8).next_multiple_of(WIDTH_ALIGNMENT);
            let tokens = token_groups * TOKENS_AT_ONCE;
            let rows: Vec<u8> = (0..row_count * row_bytes).map(|at| seed[(at * 7 + at / 3) % seed.len()].0).collect();
            let values: Vec<i8> = (0..tokens * width)
                .map(|at| if at % width < row_bytes * 8 { seed[(at * 5 + at / 11) % seed.len()].1 } else { 0 })
                .collect();
            let expected = expected(&rows, row_bytes, &values, width, tokens);
            for set in InstructionSet::available() {
                let mut best = vec![i32::MIN; tokens];
                set.best_sign_dots(&rows, row_bytes, &values, width, &mut best);
                prop_assert_eq!(&best, &expected, "{:?}", set);
            }
        }
    }

    #[test]
    fn the_widest_vectors_do_not_overflow() {
        let rows = vec![0xff_u8; 4096 / 8];
        for value in [-127_i8, 127] {
            let values = vec![value; 4096 * TOKENS_AT_ONCE];
            for set in InstructionSet::available() {
                let mut best = [i32::MIN; TOKENS_AT_ONCE];
                set.best_sign_dots(&rows, rows.len(), &values, 4096, &mut best);
                assert_eq!(best, [4096 * i32::from(value); TOKENS_AT_ONCE], "{set:?}");
            }
        }
    }
}
