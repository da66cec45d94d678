//! Dot products, by the widest instructions the processor has.
//!
//! The instruction set is found once per process. Every implementation gives the same integer; float
//! sums differ between instruction sets in the last bits, because they add in another order.

mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

/// Bytes to which an int8 row is padded, so that no kernel has a remainder.
pub(crate) const ROW_ALIGNMENT_BYTES: usize = 64;

/// Which implementation runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstructionSet {
    /// AVX-512 with VNNI: 64 products an instruction.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX2 with FMA.
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
            {
                sets.push(Self::Avx512);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                sets.push(Self::Avx2);
            }
        }
        sets.push(Self::Scalar);
        sets
    }

    /// Sum of `row[i] * query[i]`, the row's bytes read as 0 to 255. Both must be as long as a multiple
    /// of 64; a longer one's rest is ignored.
    #[inline]
    pub(crate) fn dot_int8(self, row: &[u8], query: &[i8]) -> i32 {
        match self {
            // SAFETY: the variant is only made by `available`, after the features were detected.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { x86::dot_int8_avx512(row, query) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::dot_int8_avx2(row, query) },
            Self::Scalar => scalar::dot_int8(row, query),
        }
    }

    /// Sum of `left[i] * right[i]` over the shorter length.
    #[inline]
    pub(crate) fn dot_float32(self, left: &[f32], right: &[f32]) -> f32 {
        match self {
            // SAFETY: the variant is only made by `available`, after the features were detected.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { x86::dot_float32_avx512(left, right) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::dot_float32_avx2(left, right) },
            Self::Scalar => scalar::dot_float32(left, right),
        }
    }
}

/// Asks the processor to load `bytes` soon. Never faults, changes nothing.
#[inline]
pub(crate) fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(64) {
        x86::prefetch_line(line);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_instruction_set_gives_the_same_integer(
            pairs in prop::collection::vec((any::<u8>(), any::<i8>()), 0..10)
                .prop_flat_map(|seed| (Just(seed), 0_usize..9))
        ) {
            let (seed, blocks) = pairs;
            let length = blocks * ROW_ALIGNMENT_BYTES;
            let row: Vec<u8> = (0..length).map(|i| seed.get(i % seed.len().max(1)).map_or(255, |p| p.0)).collect();
            let query: Vec<i8> = (0..length).map(|i| seed.get((i * 7) % seed.len().max(1)).map_or(-128, |p| p.1)).collect();
            let expected: i64 = row.iter().zip(&query).map(|(r, q)| i64::from(*r) * i64::from(*q)).sum();
            for set in InstructionSet::available() {
                prop_assert_eq!(i64::from(set.dot_int8(&row, &query)), expected, "{:?}", set);
            }
        }

        #[test]
        fn every_instruction_set_gives_nearly_the_same_float(
            pairs in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 0..1200)
        ) {
            let left: Vec<f32> = pairs.iter().map(|pair| pair.0).collect();
            let right: Vec<f32> = pairs.iter().map(|pair| pair.1).collect();
            let expected: f64 = pairs.iter().map(|pair| f64::from(pair.0) * f64::from(pair.1)).sum();
            let magnitude: f64 = pairs.iter().map(|pair| f64::from(pair.0 * pair.1).abs()).sum();
            for set in InstructionSet::available() {
                let found = f64::from(set.dot_float32(&left, &right));
                prop_assert!((found - expected).abs() <= 1e-6 + magnitude * 1e-5, "{:?}: {} {}", set, found, expected);
            }
        }
    }

    #[test]
    fn extreme_bytes_do_not_overflow() {
        let row = vec![255_u8; 4096];
        for value in [i8::MIN, i8::MAX] {
            let query = vec![value; 4096];
            for set in InstructionSet::available() {
                assert_eq!(set.dot_int8(&row, &query), 255 * i32::from(value) * 4096, "{set:?}");
            }
        }
    }
}
