use std::collections::BTreeMap;

use super::split::unit_hash;

/// A passage to make a question from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceChunk {
    /// Path or URI of its document.
    pub source: String,
    /// ISO 639-1 code of its document, or `und`.
    pub language: String,
    /// Its text as it stands in the document.
    pub text: String,
    /// Its first character, counted from 0 in the document's extracted text.
    pub char_start: usize,
}

/// Chunks shorter than this many characters are `short`, those above [`LONG_CHARS`] `long`.
const SHORT_CHARS: usize = 400;
const LONG_CHARS: usize = 1500;

/// Numbers of all chunks in an order that takes one of every stratum in turn, strata being the folder of
/// the source, its length (short, medium, long) and its language. So a prefix of any length covers the
/// collection as evenly as it can, and a large folder does not crowd out a small one. The same chunks
/// and seed give the same order.
#[must_use]
pub fn sample_by_stratum(chunks: &[SourceChunk], seed: u64) -> Vec<usize> {
    let mut strata: BTreeMap<Stratum<'_>, Vec<(f64, usize)>> = BTreeMap::new();
    for (index, chunk) in chunks.iter().enumerate() {
        let key = unit_hash(&format!("{}\n{}\n{}", chunk.source, chunk.char_start, chunk.text), seed);
        strata.entry(stratum(chunk)).or_default().push((key, index));
    }
    let mut order: Vec<(usize, f64, usize)> = Vec::with_capacity(chunks.len());
    for (_, mut members) in strata {
        members.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        order.extend(members.into_iter().enumerate().map(|(turn, (key, index))| (turn, key, index)));
    }
    order.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.cmp(&other.2)));
    order.into_iter().map(|(_, _, index)| index).collect()
}

/// Folder, length and language.
type Stratum<'a> = (&'a str, &'a str, &'a str);

fn stratum(chunk: &SourceChunk) -> Stratum<'_> {
    let folder = chunk.source.rsplit_once('/').map_or("", |(folder, _)| folder);
    let length = match chunk.text.chars().count() {
        ..SHORT_CHARS => "short",
        SHORT_CHARS..=LONG_CHARS => "medium",
        _ => "long",
    };
    (folder, length, &chunk.language)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(source: &str, language: &str, length: usize) -> SourceChunk {
        SourceChunk {
            source: source.to_owned(),
            language: language.to_owned(),
            text: "x".repeat(length),
            char_start: 0,
        }
    }

    #[test]
    fn a_short_sample_covers_every_stratum() {
        let mut chunks: Vec<SourceChunk> =
            (0..50).map(|number| chunk(&format!("big/{number}.md"), "en", 100)).collect();
        chunks.push(chunk("small/a.md", "en", 100));
        chunks.push(chunk("small/b.md", "de", 100));
        chunks.push(chunk("small/c.md", "de", 5000));
        let order = sample_by_stratum(&chunks, 7);
        let mut first: Vec<&str> = order.iter().take(4).map(|index| &*chunks[*index].source).collect();
        first.sort_unstable();
        assert!(first[0].starts_with("big/"), "{first:?}");
        assert_eq!(&first[1..], ["small/a.md", "small/b.md", "small/c.md"]);
        let mut all = order.clone();
        all.sort_unstable();
        assert_eq!(all, (0..chunks.len()).collect::<Vec<_>>());
        assert_eq!(order, sample_by_stratum(&chunks, 7));
        assert_ne!(order, sample_by_stratum(&chunks, 8));
    }
}
