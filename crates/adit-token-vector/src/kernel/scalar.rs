//! The plain definition, for processors without the instructions and as the measure of the others.

pub(super) fn best_sign_dots(rows: &[u8], row_bytes: usize, values: &[i8], width: usize, best: &mut [i32]) {
    // One byte of ones for each set bit: a row is spread once for all tokens, and the compiler may vectorise
    // the sums.
    let mut mask = vec![0_u8; width];
    for row in rows.chunks_exact(row_bytes.max(1)) {
        for (byte, spread) in row.iter().zip(mask.chunks_exact_mut(8)) {
            for (bit, target) in spread.iter_mut().enumerate() {
                *target = 0_u8.wrapping_sub(byte >> bit & 1);
            }
        }
        for (best, token) in best.iter_mut().zip(values.chunks_exact(width.max(1))) {
            let dot: i32 =
                token.iter().zip(&mask).map(|(value, mask)| i32::from(*value & mask.cast_signed())).sum();
            *best = (*best).max(dot);
        }
    }
}
