use tantivy::fieldnorm::FieldNormReader;

/// The two constants of BM25, free with every query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25Parameters {
    /// How slowly repetitions of a term stop counting; 0 counts only whether it occurs.
    pub k1: f32,
    /// How much long chunks are held back, from 0 (not at all) to 1.
    pub b: f32,
}

impl Default for Bm25Parameters {
    /// 0.9 and 0.4, as Anserini runs BEIR with them.
    fn default() -> Self {
        Self { k1: 0.9, b: 0.4 }
    }
}

/// Lucene's inverse document frequency: ln(1 + (N - n + 0.5) / (n + 0.5)), never negative.
pub(crate) fn inverse_document_frequency(documents: u64, document_frequency: u64) -> f32 {
    let count = documents.max(document_frequency) as f64;
    let frequency = document_frequency as f64;
    (1.0 + (count - frequency + 0.5) / (frequency + 0.5)).ln() as f32
}

/// Saturation constants by quantised length: `k1 * (1 - b + b * length / average)`.
///
/// Lengths are one byte as Lucene's `SmallFloat.intToByte4` makes it, which is also tantivy's field norm:
/// exact up to 40 words, then four significant bits.
#[derive(Debug, Clone)]
pub(crate) struct LengthNorms {
    by_length_id: [f32; 256],
}

impl LengthNorms {
    /// For the main field, where chunks have `average_length` words on average.
    pub(crate) fn new(parameters: Bm25Parameters, average_length: f64) -> Self {
        let Bm25Parameters { k1, b } = parameters;
        let average = if average_length > 0.0 { average_length as f32 } else { 1.0 };
        let by_length_id = std::array::from_fn(|id| {
            let length = FieldNormReader::id_to_fieldnorm(id as u8) as f32;
            k1 * (1.0 - b + b * length / average)
        });
        Self { by_length_id }
    }

    /// For a field whose lengths do not count.
    pub(crate) fn without_length(k1: f32) -> Self {
        Self { by_length_id: [k1; 256] }
    }

    /// The share of its weight that a term earns with `term_frequency` occurrences in such a chunk.
    #[inline]
    pub(crate) fn saturation(&self, term_frequency: u32, length_id: u8) -> f32 {
        let frequency = term_frequency as f32;
        // A u8 cannot leave an array of 256, so the fallback is never taken and costs nothing.
        let norm = self.by_length_id.get(usize::from(length_id)).copied().unwrap_or(0.0);
        frequency / (frequency + norm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idf_is_lucenes() {
        // BM25Similarity.idf in Lucene 9: ln(1 + (10 - 3 + 0.5) / 3.5).
        assert!((inverse_document_frequency(10, 3) - 1.145_132_3).abs() < 1e-6);
        assert!(inverse_document_frequency(10, 10) > 0.0);
    }

    #[test]
    fn average_length_halves_at_frequency_k1() {
        let norms = LengthNorms::new(Bm25Parameters { k1: 2.0, b: 0.75 }, 8.0);
        assert!((norms.saturation(2, 8) - 0.5).abs() < 1e-6);
        assert!(norms.saturation(2, 4) > norms.saturation(2, 8));
    }
}
