//! AVX2 and AVX-512 by `std::arch`.
//!
//! A row's bits are spread to bytes of 0 and 1 once and then multiplied with the bytes of every token of the
//! question, four tokens at a time.

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_add_epi32, _mm_loadu_si128, _mm_max_epi32, _mm_storeu_si128,
    _mm256_add_epi16, _mm256_add_epi32, _mm256_and_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi8,
    _mm256_extracti128_si256, _mm256_hadd_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi8,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm512_castsi512_si256, _mm512_dpbusd_epi32,
    _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_maskz_set1_epi8, _mm512_setzero_si512,
};

use super::TOKENS_AT_ONCE;

/// Blocks of 32 numbers in the widest vector.
const MOST_BLOCKS_AVX2: usize = 4096 / 32;
/// Blocks of 64 numbers in the widest vector.
const MOST_BLOCKS_AVX512: usize = 4096 / 64;

#[target_feature(enable = "avx2")]
pub(super) fn best_sign_dots_avx2(
    rows: &[u8],
    row_bytes: usize,
    values: &[i8],
    width: usize,
    best: &mut [i32],
) {
    let blocks = (width / 32).min(MOST_BLOCKS_AVX2);
    let mut spread = [_mm256_setzero_si256(); MOST_BLOCKS_AVX2];
    for row in rows.chunks_exact(row_bytes.max(1)) {
        for (block, bytes) in spread.iter_mut().zip(row.chunks(4)) {
            *block = spread_32(bytes);
        }
        let groups = values.chunks_exact((width * TOKENS_AT_ONCE).max(1));
        for (best, group) in best.as_chunks_mut::<TOKENS_AT_ONCE>().0.iter_mut().zip(groups) {
            let mut sums = [_mm256_setzero_si256(); TOKENS_AT_ONCE];
            for (sum, token) in sums.iter_mut().zip(group.chunks_exact(width)) {
                let numbers = token.as_chunks::<32>().0;
                for (bits, numbers) in spread.iter().zip(numbers).take(blocks) {
                    // SAFETY: the array is 32 bytes; the load needs no alignment.
                    let numbers = unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) };
                    // At most 2 * 127 a block, 128 blocks: 16 bits are enough.
                    *sum = _mm256_add_epi16(*sum, _mm256_maddubs_epi16(*bits, numbers));
                }
            }
            let ones = _mm256_set1_epi16(1);
            let dots = four_sums(sums.map(|sum| _mm256_madd_epi16(sum, ones)));
            raise(best, dots);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx2")]
pub(super) fn best_sign_dots_avx512(
    rows: &[u8],
    row_bytes: usize,
    values: &[i8],
    width: usize,
    best: &mut [i32],
) {
    let blocks = (width / 64).min(MOST_BLOCKS_AVX512);
    let mut spread = [_mm512_setzero_si512(); MOST_BLOCKS_AVX512];
    for row in rows.chunks_exact(row_bytes.max(1)) {
        for (block, bytes) in spread.iter_mut().zip(row.chunks(8)) {
            *block = _mm512_maskz_set1_epi8(word_64(bytes), 1);
        }
        let spread = spread.get(..blocks).unwrap_or(&spread);
        let groups = values.chunks_exact((width * TOKENS_AT_ONCE).max(1));
        for (best, group) in best.as_chunks_mut::<TOKENS_AT_ONCE>().0.iter_mut().zip(groups) {
            let mut sums = [_mm512_setzero_si512(); TOKENS_AT_ONCE];
            for (sum, token) in sums.iter_mut().zip(group.chunks_exact(width)) {
                for (bits, numbers) in spread.iter().zip(token.as_chunks::<64>().0) {
                    // SAFETY: the array is 64 bytes; the load needs no alignment.
                    let numbers: __m512i = unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) };
                    *sum = _mm512_dpbusd_epi32(*sum, *bits, numbers);
                }
            }
            let halved = sums.map(|sum| {
                _mm256_add_epi32(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64::<1>(sum))
            });
            raise(best, four_sums(halved));
        }
    }
}

/// The 32 bits of up to four bytes as bytes of 0 and 1.
#[inline]
#[target_feature(enable = "avx2")]
fn spread_32(bytes: &[u8]) -> __m256i {
    let word = bytes.iter().rev().fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
    let repeated = _mm256_set1_epi32(word.cast_signed());
    let of_byte = _mm256_setr_epi8(
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3,
    );
    let bit_of_byte = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
    let chosen = _mm256_and_si256(_mm256_shuffle_epi8(repeated, of_byte), bit_of_byte);
    _mm256_and_si256(_mm256_cmpeq_epi8(chosen, bit_of_byte), _mm256_set1_epi8(1))
}

/// Up to eight bytes as one number, the first lowest.
#[inline]
fn word_64(bytes: &[u8]) -> u64 {
    match bytes.first_chunk::<8>() {
        Some(whole) => u64::from_le_bytes(*whole),
        None => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// The sum of each of four vectors, in order.
#[inline]
#[target_feature(enable = "avx2")]
fn four_sums([first, second, third, fourth]: [__m256i; TOKENS_AT_ONCE]) -> __m128i {
    let pairs = _mm256_hadd_epi32(_mm256_hadd_epi32(first, second), _mm256_hadd_epi32(third, fourth));
    _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256::<1>(pairs))
}

#[inline]
#[target_feature(enable = "avx2")]
fn raise(best: &mut [i32; TOKENS_AT_ONCE], dots: __m128i) {
    // SAFETY: the array is 16 bytes; neither the load nor the store needs alignment.
    unsafe {
        let before = _mm_loadu_si128(best.as_ptr().cast());
        _mm_storeu_si128(best.as_mut_ptr().cast(), _mm_max_epi32(before, dots));
    }
}
