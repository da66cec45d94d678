use std::collections::{BTreeMap, HashSet};

/// Which length of a text enters the formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthNorm {
    /// The number of its terms.
    Exact,
    /// The number as Lucene keeps it in one byte.
    LuceneQuantised,
}

/// Lower-cased runs of letters and digits.
#[must_use]
pub fn split_words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// A length after going through Lucene's one-byte form (`SmallFloat.intToByte4`): exact up to 40, then
/// four significant bits, rounded down.
#[must_use]
pub fn lucene_quantised_length(length: u32) -> u32 {
    // 24 values are free because the scale of the four-bit form ends at 231 for the largest integer.
    const FREE_VALUES: u32 = 24;
    if length < FREE_VALUES {
        return length;
    }
    let scaled = length - FREE_VALUES;
    let bits = u32::BITS - scaled.leading_zeros();
    let dropped = bits.saturating_sub(4);
    FREE_VALUES + ((scaled >> dropped) << dropped)
}

/// BM25 of every text for `query`, by the formula of Lucene 8 and later (which leaves out the constant
/// factor k1 + 1): idf = ln(1 + (N - n + 0.5) / (n + 0.5)), tf / (tf + k1 (1 - b + b dl / avgdl)).
/// N, n and avgdl are taken over all `texts`; avgdl over exact lengths, as in Lucene. 0.0 means no match.
pub(crate) fn bm25_scores(
    texts: &[&[String]],
    query: &[String],
    k1: f32,
    b: f32,
    norm: LengthNorm,
) -> Vec<f64> {
    let (k1, b) = (f64::from(k1), f64::from(b));
    let count = texts.len() as f64;
    let average = texts.iter().map(|terms| terms.len()).sum::<usize>() as f64 / count.max(1.0);
    let mut asked = BTreeMap::<&String, f64>::new();
    query.iter().for_each(|term| *asked.entry(term).or_default() += 1.0);
    let mut scores = vec![0.0; texts.len()];
    for (term, times) in asked {
        let having =
            texts.iter().filter(|terms| terms.iter().collect::<HashSet<_>>().contains(term)).count() as f64;
        let idf = (1.0 + (count - having + 0.5) / (having + 0.5)).ln();
        for (score, terms) in scores.iter_mut().zip(texts) {
            let frequency = terms.iter().filter(|one| *one == term).count() as f64;
            let length = match norm {
                LengthNorm::Exact => terms.len() as f64,
                LengthNorm::LuceneQuantised => f64::from(lucene_quantised_length(terms.len() as u32)),
            };
            if frequency > 0.0 {
                *score += times * idf * frequency / (frequency + k1 * (1.0 - b + b * length / average));
            }
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_as_lucene_decodes_them() {
        // From Lucene's table (SmallFloat.byte4ToInt of 0..): ..., 38, 39, 40, 42, 44, ..., 54, 56, 60, 64.
        for (exact, kept) in [
            (0, 0),
            (23, 23),
            (39, 39),
            (40, 40),
            (41, 40),
            (42, 42),
            (55, 54),
            (56, 56),
            (59, 56),
            (60, 60),
            (88, 88),
            (95, 88),
            (96, 96),
        ] {
            assert_eq!(lucene_quantised_length(exact), kept, "{exact}");
        }
    }

    #[test]
    fn a_score_worked_out_by_hand() {
        let texts = [split_words("red red fish"), split_words("blue fish"), split_words("one")];
        let slices: Vec<&[String]> = texts.iter().map(Vec::as_slice).collect();
        let scores = bm25_scores(&slices, &split_words("RED"), 0.9, 0.4, LengthNorm::Exact);
        // N = 3, n = 1, tf = 2, dl = 3, avgdl = 2: ln(1 + 2.5/1.5) * 2 / (2 + 0.9 * (0.6 + 0.4 * 1.5)).
        assert!((scores[0] - 0.980_829_25 * 2.0 / 3.08).abs() < 1e-6, "{}", scores[0]);
        assert_eq!(&scores[1..], [0.0, 0.0]);
    }
}
