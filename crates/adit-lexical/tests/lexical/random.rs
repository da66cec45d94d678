use std::collections::BTreeSet;

use adit_core::{ChunkId, SequenceNumber};
use adit_lexical::{Bm25Parameters, LexicalIndex, LexicalSearcher};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use roaring::RoaringBitmap;

use crate::naive::{self, NaiveDocument};

/// Words as written, and the terms the three languages make of them by Snowball's published vocabularies.
const WORDS: &[(&str, &str, &str, &str)] = &[
    // written, en, de, und
    ("connections", "connect", "connection", "connections"),
    ("connected", "connect", "connected", "connected"),
    ("alpha", "alpha", "alpha", "alpha"),
    ("zeta7", "zeta7", "zeta7", "zeta7"),
    ("kilo", "kilo", "kilo", "kilo"),
    ("limbo", "limbo", "limbo", "limbo"),
    ("tango", "tango", "tango", "tango"),
    ("4711", "4711", "4711", "4711"),
];

fn term(word: usize, language: &str) -> String {
    let (_, english, german, undetermined) = WORDS[word];
    match language {
        "en" => english,
        "de" => german,
        _ => undetermined,
    }
    .to_owned()
}

#[derive(Debug, Clone)]
struct Plan {
    seed: u64,
    segments: Vec<usize>,
    deleted_share: f64,
    allowed_share: f64,
    query: Vec<usize>,
    k1: f32,
    b: f32,
    limit: usize,
    longest: usize,
}

fn plans() -> impl Strategy<Value = Plan> {
    (
        any::<u64>(),
        prop::collection::vec(1_usize..120, 1..4),
        prop_oneof![Just(0.0), 0.0..0.6],
        prop_oneof![Just(1.0), Just(0.02), 0.0..1.0],
        prop::collection::vec(0..WORDS.len(), 1..7),
        prop_oneof![Just(0.9_f32), 0.0_f32..3.0],
        0.0_f32..=1.0,
        1_usize..60,
        prop_oneof![Just(20_usize), Just(300)],
    )
        .prop_map(|(seed, segments, deleted_share, allowed_share, query, k1, b, limit, longest)| Plan {
            seed,
            segments,
            deleted_share,
            allowed_share,
            query,
            k1,
            b,
            limit,
            longest,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_search_is_the_definition(plan in plans()) {
        let folder = tempfile::tempdir().unwrap();
        let index = LexicalIndex::open_or_create(folder.path()).unwrap();
        index.suspend_merges();
        let mut random = StdRng::seed_from_u64(plan.seed);
        let mut documents = Vec::new();
        let languages = ["en", "de", "und"];
        let mut next = 1_u32;
        for (sequence, &count) in (1..).zip(&plan.segments) {
            for _ in 0..count {
                next += random.random_range(1..4);
                let language = languages[random.random_range(0..3)];
                let length = random.random_range(1..plan.longest);
                let words: Vec<usize> = (0..length)
                    .map(|_| random.random_range(0..WORDS.len()).min(random.random_range(0..WORDS.len())))
                    .collect();
                let text = words.iter().map(|&word| WORDS[word].0).collect::<Vec<_>>().join(" ");
                index.add(ChunkId(next), language, &text).unwrap();
                documents.push(NaiveDocument {
                    chunk: next,
                    terms: words.iter().map(|&word| term(word, language)).collect(),
                });
            }
            index.commit(SequenceNumber(sequence)).unwrap();
        }
        let deleted: BTreeSet<u32> = documents
            .iter()
            .map(|document| document.chunk)
            .filter(|_| random.random_bool(plan.deleted_share))
            .collect();
        for &chunk in &deleted {
            index.delete_chunks(ChunkId(chunk), 1);
        }
        // One chunk of every segment stays, so that no segment vanishes from the statistics.
        index.commit(SequenceNumber(99)).unwrap();
        let searcher = index.searcher().unwrap();
        let kept = searcher.chunk_count();
        prop_assume!(kept == documents.len() as u64);
        let allowed: BTreeSet<u32> =
            (0..next + 5).filter(|_| random.random_bool(plan.allowed_share)).collect();
        let live: BTreeSet<u32> = allowed.difference(&deleted).copied().collect();
        let groups: Vec<Vec<String>> = plan
            .query
            .iter()
            .map(|&word| {
                let terms: BTreeSet<String> = languages.iter().map(|language| term(word, language)).collect();
                terms.into_iter().collect()
            })
            .collect();
        let expected = naive::search(&documents, &groups, &live, f64::from(plan.k1), f64::from(plan.b));
        let query = plan.query.iter().map(|&word| WORDS[word].0).collect::<Vec<_>>().join(" ");
        compare(&searcher, &query, &allowed, &expected, &plan)?;
    }
}

/// Ours may order chunks differently whose scores differ by rounding only; the scores rank by rank and
/// the score of every chunk must agree.
fn compare(
    searcher: &LexicalSearcher,
    query: &str,
    allowed: &BTreeSet<u32>,
    expected: &[(u32, f64)],
    plan: &Plan,
) -> Result<(), TestCaseError> {
    let languages = ["de".to_owned(), "en".to_owned(), "und".to_owned()];
    let allowed: RoaringBitmap = allowed.iter().copied().collect();
    let parameters = Bm25Parameters { k1: plan.k1, b: plan.b };
    let hits = searcher.search(query, &languages, &allowed, parameters, plan.limit).unwrap();
    prop_assert_eq!(hits.len(), expected.len().min(plan.limit));
    for (hit, (_, best)) in hits.iter().zip(expected) {
        let score = f64::from(hit.score);
        prop_assert!((score - best).abs() <= 1e-5 * best.max(1e-2), "{} and {}", score, best);
        let own = expected.iter().find(|(chunk, _)| *chunk == hit.chunk.0).map_or(-1.0, |(_, score)| *score);
        prop_assert!((score - own).abs() <= 1e-5 * own.max(1e-2), "{} and {}", score, own);
    }
    prop_assert!(hits.windows(2).all(|pair| pair[0].score > pair[1].score
        || (pair[0].score == pair[1].score && pair[0].chunk < pair[1].chunk)));
    let again = searcher.search(query, &languages, &allowed, parameters, plan.limit).unwrap();
    prop_assert_eq!(hits, again);
    Ok(())
}

/// More chunks than a window holds, so that MaxScore prunes; the short list must be the long list's head,
/// and a small permission set must give the same scores as the whole.
#[test]
fn pruning_and_leading_with_the_allowed_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let index = LexicalIndex::open_or_create(folder.path()).unwrap();
    let mut random = StdRng::seed_from_u64(7);
    let count = 20_000_u32;
    for chunk in 0..count {
        let words: Vec<String> = (0..random.random_range(5..30))
            .map(|_| format!("w{}x", (1.0 / (random.random::<f64>() + 0.002)) as u32))
            .collect();
        index.add(ChunkId(chunk), "und", &words.join(" ")).unwrap();
        if chunk == 12_000 {
            index.commit(SequenceNumber(1)).unwrap();
        }
    }
    index.commit(SequenceNumber(2)).unwrap();
    let searcher = index.searcher().unwrap();
    let all: RoaringBitmap = (0..count).collect();
    let few: RoaringBitmap = (0..count).filter(|_| random.random_bool(0.004)).collect();
    for query in
        ["w1x w40x w200x", "w2x w3x w5x w8x w13x w21x w34x w55x w89x w144x", "w300x w1x", "w1x w1x w2x"]
    {
        for parameters in [Bm25Parameters::default(), Bm25Parameters { k1: 1.5, b: 0.75 }] {
            let long = searcher.search(query, &[], &all, parameters, count as usize).unwrap();
            for limit in [1, 10, 100] {
                let short = searcher.search(query, &[], &all, parameters, limit).unwrap();
                assert_eq!(short, long[..limit]);
            }
            let filtered: Vec<_> = long.iter().copied().filter(|hit| few.contains(hit.chunk.0)).collect();
            let lead = searcher.search(query, &[], &few, parameters, count as usize).unwrap();
            assert_eq!(lead, filtered);
            let top = searcher.search(query, &[], &few, parameters, 10).unwrap();
            assert_eq!(top, filtered[..10.min(filtered.len())]);
        }
    }
}
