use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::TokenVectorError;
use crate::make::{CodeBits, TokenCodeMake};
use crate::pooling::{cluster_means, ward_clusters};

/// The rows of one chunk, one after the other; empty for a text without tokens.
pub type TokenCodes = Vec<u8>;

/// Codes the token vectors `[tokens, dimension]` of one chunk: pooled, the mean taken off, then each
/// dimension's sign, the lowest bit of a byte first and set where the value is above 0; or a byte each.
///
/// # Errors
/// [`TokenVectorError::Length`], [`TokenVectorError::NotFinite`].
pub fn encode(make: &TokenCodeMake, token_vectors: &[f32]) -> Result<TokenCodes, TokenVectorError> {
    let dimension = make.dimension();
    if dimension == 0 || !token_vectors.len().is_multiple_of(dimension) {
        return Err(TokenVectorError::Length { expected: dimension, given: token_vectors.len() });
    }
    if !token_vectors.iter().all(|value| value.is_finite()) {
        return Err(TokenVectorError::NotFinite);
    }
    let tokens = token_vectors.len() / dimension;
    let pooled;
    let rows = if make.pooling > 1 && tokens > 1 {
        let clusters = ward_clusters(token_vectors, dimension, tokens.div_ceil(make.pooling as usize));
        pooled = cluster_means(token_vectors, dimension, &clusters);
        pooled.as_slice()
    } else {
        token_vectors
    };
    let mut codes = Vec::with_capacity(rows.len() / dimension * make.row_bytes());
    for row in rows.chunks_exact(dimension) {
        match make.bits {
            CodeBits::One => append_signs(row, &make.mean, &mut codes),
            CodeBits::Eight => append_bytes(row, &make.mean, &mut codes),
        }
    }
    Ok(codes)
}

/// [`encode`] for many chunks, on all processors.
///
/// # Errors
/// As [`encode`].
pub fn encode_all<V: AsRef<[f32]> + Sync>(
    make: &TokenCodeMake,
    token_vectors: &[V],
) -> Result<Vec<TokenCodes>, TokenVectorError> {
    token_vectors.par_iter().map(|vectors| encode(make, vectors.as_ref())).collect()
}

fn append_signs(row: &[f32], mean: &[f32], codes: &mut TokenCodes) {
    for (values, means) in row.chunks(8).zip(mean.chunks(8)) {
        let mut byte = 0_u8;
        for (bit, (value, mean)) in values.iter().zip(means).enumerate() {
            byte |= u8::from(value > mean) << bit;
        }
        codes.push(byte);
    }
}

/// The scale, then `value / scale` rounded, so that the row's largest value is 127 or -127.
fn append_bytes(row: &[f32], mean: &[f32], codes: &mut TokenCodes) {
    let centred = || row.iter().zip(mean).map(|(value, mean)| value - mean);
    let length = centred().map(|value| value * value).sum::<f32>().sqrt();
    let largest = centred().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let step = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    // Of length 1, so that a row near the mean counts as much as another.
    let scale = if length > 0.0 { step / length } else { 0.0 };
    codes.extend(scale.to_le_bytes());
    codes.extend(centred().map(|value| ((value / step).round().clamp(-127.0, 127.0) as i8).cast_unsigned()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(bits: CodeBits, pooling: u32, mean: &[f32]) -> TokenCodeMake {
        TokenCodeMake { embedder: String::new(), bits, pooling, mean: mean.to_vec() }
    }

    #[test]
    fn signs_are_those_above_the_mean_the_lowest_bit_first() {
        let make = make(CodeBits::One, 1, &[0.5; 10]);
        let vector = [0.6, 0.4, 0.5, 0.9, 0.0, 0.0, 0.0, 0.7, 0.0, 0.8];
        assert_eq!(encode(&make, &vector).unwrap(), [0b1000_1001, 0b10]);
    }

    #[test]
    fn pooled_rows_are_the_signs_of_the_means() {
        // numpy 2: x = [[1, 0], [0, 1], [-1, 0], [.9, .1], [.1, .9]]; the means of {0, 3}, {1, 4}, {2} (see the
        // test of the clusters) less (.2, .2) have the signs (+ -), (- +), (- -).
        let vectors = [1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.9, 0.1, 0.1, 0.9];
        assert_eq!(encode(&make(CodeBits::One, 2, &[0.2, 0.2]), &vectors).unwrap(), [0b01, 0b10, 0b00]);
        assert_eq!(encode(&make(CodeBits::One, 1, &[0.2, 0.2]), &vectors).unwrap(), [1, 2, 0, 1, 2]);
    }

    #[test]
    fn bytes_have_a_scale_that_gives_length_one() {
        let codes = encode(&make(CodeBits::Eight, 1, &[0.0, 0.0]), &[3.0, -4.0]).unwrap();
        let scale = f32::from_le_bytes(*codes.first_chunk().unwrap());
        assert_eq!(&codes[4..], [95, (-127_i8).cast_unsigned()]);
        assert!((scale * 127.0 - 0.8).abs() < 1e-6);
    }

    #[test]
    fn what_is_no_token_vector_is_refused() {
        let make = make(CodeBits::One, 2, &[0.0; 3]);
        assert!(encode(&make, &[1.0; 4]).is_err());
        assert!(encode(&make, &[1.0, f32::INFINITY, 0.0]).is_err());
        assert!(encode(&make, &[]).unwrap().is_empty());
    }
}
