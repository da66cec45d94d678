//! BM25 as its definition says, over plain lists of terms: no postings, no windows, no pruning.

use std::collections::{BTreeMap, BTreeSet};

/// One chunk: its id and its terms.
pub(crate) struct NaiveDocument {
    pub(crate) chunk: u32,
    pub(crate) terms: Vec<String>,
}

/// Lucene's `SmallFloat.longToInt4`.
fn long_to_int4(value: u64) -> u32 {
    let bits = 64 - value.leading_zeros();
    if bits < 4 {
        return value as u32;
    }
    let shift = bits - 4;
    (((value >> shift) as u32) & 0x07) | ((shift + 1) << 3)
}

/// Lucene's `SmallFloat.int4ToLong`.
fn int4_to_long(value: u32) -> u64 {
    let bits = u64::from(value & 0x07);
    match value >> 3 {
        0 => bits,
        shift => (bits | 0x08) << (shift - 1),
    }
}

/// Length after a round trip through Lucene's `SmallFloat.intToByte4` and `byte4ToInt`.
pub(crate) fn quantised_length(length: u64) -> u64 {
    let free_values = u64::from(255 - long_to_int4(i32::MAX as u64));
    if length < free_values { length } else { free_values + int4_to_long(long_to_int4(length - free_values)) }
}

/// Scores `groups` (alternatives that count as one term) over all `documents`; returns those of `allowed`
/// with a score, best first, equal ones by chunk id. f64 throughout.
pub(crate) fn search(
    documents: &[NaiveDocument],
    groups: &[Vec<String>],
    allowed: &BTreeSet<u32>,
    k1: f64,
    b: f64,
) -> Vec<(u32, f64)> {
    let count = documents.len() as f64;
    let average = documents.iter().map(|document| document.terms.len()).sum::<usize>() as f64 / count;
    let mut scores: BTreeMap<u32, f64> = BTreeMap::new();
    for group in groups {
        let frequency =
            |term: &String| documents.iter().filter(|document| document.terms.contains(term)).count();
        let n = group.iter().map(frequency).max().unwrap_or(0) as f64;
        let idf = (1.0 + (count - n + 0.5) / (n + 0.5)).ln();
        for document in documents.iter().filter(|document| allowed.contains(&document.chunk)) {
            let tf = document.terms.iter().filter(|term| group.contains(term)).count() as f64;
            if tf > 0.0 {
                let length = quantised_length(document.terms.len() as u64) as f64;
                *scores.entry(document.chunk).or_default() +=
                    idf * tf / (tf + k1 * (1.0 - b + b * length / average));
            }
        }
    }
    let mut ranked: Vec<(u32, f64)> = scores.into_iter().collect();
    ranked.sort_by(|first, second| second.1.total_cmp(&first.1).then(first.0.cmp(&second.0)));
    ranked
}
