//! AVX2 and AVX-512 by `std::arch`.

use std::arch::x86_64::{
    __m128i, _MM_HINT_T0, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_prefetch, _mm_shuffle_epi32,
    _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_cvtepu8_epi16,
    _mm256_extracti128_si256, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_madd_epi16, _mm256_setzero_ps,
    _mm256_setzero_si256, _mm256_storeu_ps, _mm512_add_epi32, _mm512_add_ps, _mm512_dpbusd_epi32,
    _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_loadu_si512, _mm512_maskz_loadu_ps, _mm512_reduce_add_epi32,
    _mm512_reduce_add_ps, _mm512_setzero_ps, _mm512_setzero_si512,
};

#[inline]
pub(super) fn prefetch_line(line: &[u8]) {
    // SAFETY: prefetching is a hint; it does not fault on any address. SSE is part of x86_64.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn dot_int8_avx512(row: &[u8], query: &[i8]) -> i32 {
    let (row_pairs, row_rest) = row.as_chunks::<128>();
    let (query_pairs, query_rest) = query.as_chunks::<128>();
    // Two sums hide the latency of the multiply-add.
    let (mut first, mut second) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    for (row, query) in row_pairs.iter().zip(query_pairs) {
        let (row, query) = (row.as_ptr(), query.as_ptr());
        // SAFETY: both arrays are 128 bytes; the loads need no alignment.
        unsafe {
            let (row_low, query_low) = (_mm512_loadu_si512(row.cast()), _mm512_loadu_si512(query.cast()));
            let (row_high, query_high) =
                (_mm512_loadu_si512(row.add(64).cast()), _mm512_loadu_si512(query.add(64).cast()));
            first = _mm512_dpbusd_epi32(first, row_low, query_low);
            second = _mm512_dpbusd_epi32(second, row_high, query_high);
        }
    }
    if let (Some(row), Some(query)) = (row_rest.first_chunk::<64>(), query_rest.first_chunk::<64>()) {
        // SAFETY: both arrays are 64 bytes.
        let (row, query) =
            unsafe { (_mm512_loadu_si512(row.as_ptr().cast()), _mm512_loadu_si512(query.as_ptr().cast())) };
        first = _mm512_dpbusd_epi32(first, row, query);
    }
    _mm512_reduce_add_epi32(_mm512_add_epi32(first, second))
}

#[target_feature(enable = "avx2")]
pub(super) fn dot_int8_avx2(row: &[u8], query: &[i8]) -> i32 {
    let (row_blocks, _) = row.as_chunks::<16>();
    let (query_blocks, _) = query.as_chunks::<16>();
    let mut sum = _mm256_setzero_si256();
    for (row, query) in row_blocks.iter().zip(query_blocks) {
        // SAFETY: both arrays are 16 bytes; the loads need no alignment.
        let (row, query) = unsafe {
            (_mm_loadu_si128(row.as_ptr().cast()), _mm_loadu_si128(query.as_ptr().cast::<__m128i>()))
        };
        // Widened first: the byte multiply-add of AVX2 saturates at 16 bits.
        let products = _mm256_madd_epi16(_mm256_cvtepu8_epi16(row), _mm256_cvtepi8_epi16(query));
        sum = _mm256_add_epi32(sum, products);
    }
    let halves = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    let pairs = _mm_add_epi32(halves, _mm_shuffle_epi32::<0b00_00_11_10>(halves));
    _mm_cvtsi128_si32(_mm_add_epi32(pairs, _mm_shuffle_epi32::<0b00_00_00_01>(pairs)))
}

#[target_feature(enable = "avx512f")]
pub(super) fn dot_float32_avx512(left: &[f32], right: &[f32]) -> f32 {
    let length = left.len().min(right.len());
    let (left, right) = (left.get(..length).unwrap_or(left), right.get(..length).unwrap_or(right));
    let (left_blocks, left_rest) = left.as_chunks::<64>();
    let (right_blocks, right_rest) = right.as_chunks::<64>();
    let mut sums = [_mm512_setzero_ps(); 4];
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            // SAFETY: a block has 64 floats and `lane` is below 4.
            let (left, right) = unsafe {
                (
                    _mm512_loadu_ps(left.as_ptr().add(lane * 16)),
                    _mm512_loadu_ps(right.as_ptr().add(lane * 16)),
                )
            };
            *sum = _mm512_fmadd_ps(left, right, *sum);
        }
    }
    for (left, right) in left_rest.chunks(16).zip(right_rest.chunks(16)) {
        let mask = u16::MAX.checked_shr(16_u32.saturating_sub(left.len() as u32)).unwrap_or(0);
        // SAFETY: the mask keeps the load inside the chunk, whose length both sides share.
        let (left, right) = unsafe {
            (_mm512_maskz_loadu_ps(mask, left.as_ptr()), _mm512_maskz_loadu_ps(mask, right.as_ptr()))
        };
        let [first, ..] = &mut sums;
        *first = _mm512_fmadd_ps(left, right, *first);
    }
    let [first, second, third, fourth] = sums;
    _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(first, second), _mm512_add_ps(third, fourth)))
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn dot_float32_avx2(left: &[f32], right: &[f32]) -> f32 {
    let length = left.len().min(right.len());
    let (left, right) = (left.get(..length).unwrap_or(left), right.get(..length).unwrap_or(right));
    let (left_blocks, left_rest) = left.as_chunks::<32>();
    let (right_blocks, right_rest) = right.as_chunks::<32>();
    let mut sums = [_mm256_setzero_ps(); 4];
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            // SAFETY: a block has 32 floats and `lane` is below 4.
            let (left, right) = unsafe {
                (_mm256_loadu_ps(left.as_ptr().add(lane * 8)), _mm256_loadu_ps(right.as_ptr().add(lane * 8)))
            };
            *sum = _mm256_fmadd_ps(left, right, *sum);
        }
    }
    let mut lanes = [[0.0_f32; 8]; 4];
    for (lane, sum) in lanes.iter_mut().zip(sums) {
        // SAFETY: a lane has room for 8 floats; the store needs no alignment.
        unsafe { _mm256_storeu_ps(lane.as_mut_ptr(), sum) };
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum();
    lanes.iter().flatten().sum::<f32>() + rest
}
