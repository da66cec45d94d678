use adit_core::Filter;
use adit_index::SearchIndex;
use adit_testkit::{CorpusSettings, TestDocument, corpus, random_access, random_scope, random_unit_vector};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::damage::{damage_file, derived_files};
use crate::support::{DIMENSION, Home, Model, assert_equal_to_model, small_options};

const FILTERS: &[&[&str]] = &[
    &[],
    &["team=SALES"],
    &["team=legal,support", "year>=2020"],
    &["year=2018..2022"],
    &["effective<=2026-06"],
    &["effective>2026-03-15", "topic=topic-1"],
    &["source=folder-1/document-3.md"],
    &["type=Markdown", "language=en"],
    &["title>=Document 3"],
    &["missing=yes"],
];

/// Versions of the same 25 documents.
fn versions(seed: u64) -> Vec<TestDocument> {
    let mut documents = Vec::new();
    for round in 0..6 {
        documents.extend(corpus(&CorpusSettings {
            documents: 25,
            dimension: DIMENSION,
            vocabulary_words: 60,
            words_per_chunk: 3..12,
            seed: seed * 100 + round,
            ..CorpusSettings::default()
        }));
    }
    documents
}

fn check(index: &SearchIndex, model: &Model, random: &mut StdRng, documents: &[TestDocument]) {
    let snapshot = index.snapshot();
    let naive = model.index();
    for _ in 0..6 {
        let scope = random_scope(random, 2, 4);
        let filter = Filter::parse(FILTERS[random.random_range(0..FILTERS.len())]).unwrap();
        let some = &documents[random.random_range(0..documents.len())];
        let words: Vec<&str> = some.text.split_whitespace().take(3).collect();
        let vector = random_unit_vector(random, DIMENSION);
        assert_equal_to_model(&snapshot, &naive, &scope, &filter, &words.join(" "), &vector);
    }
}

fn run(seed: u64, steps: usize) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let random = &mut StdRng::seed_from_u64(seed);
    let documents = versions(seed);
    let catalog = home.catalog();
    let open_writer =
        || SearchIndex::open_writer(&home.collection(), catalog.clone(), small_options()).unwrap();
    let mut index = open_writer();
    let mut reader: Option<SearchIndex> = None;
    let mut model = Model::default();
    for step in 0..steps {
        let any = || documents[StdRng::seed_from_u64(seed + step as u64).random_range(0..150)].clone();
        match random.random_range(0..100) {
            0..45 => model.commit(&catalog, &any()),
            45..55 => {
                let id = any().id;
                let removed = catalog.remove(&id).unwrap().is_some();
                assert_eq!(removed, model.documents.remove(&id).is_some());
            }
            55..63 => {
                let id = any().id;
                let access = random_access(random, 4, 0.7);
                if let Some(document) = model.documents.get_mut(&id) {
                    let own = any().metadata;
                    catalog.update_access(&id, access.clone(), own.clone()).unwrap();
                    document.access = access;
                    document
                        .metadata
                        .retain(|key, _| !["team", "topic", "year", "effective"].contains(&key.as_str()));
                    document.metadata.extend(own);
                }
            }
            63..80 => drop(index.catch_up().unwrap()),
            80..86 => {
                index.catch_up().unwrap();
                index.wait_for_merges().unwrap();
                let statistics = index.statistics();
                assert!(statistics.tail_vectors <= 20, "{statistics:?}");
            }
            86..90 => {
                drop(index);
                index = open_writer();
                assert_eq!(index.notices(), Vec::<String>::new(), "seed {seed} step {step}");
            }
            90..94 => {
                let catalog = home.read_only_catalog();
                reader =
                    Some(SearchIndex::open_reader(&home.collection(), catalog, small_options()).unwrap());
            }
            94..96 => {
                index.rebuild(&mut |_| ()).unwrap();
            }
            _ => {
                drop(index);
                let files = derived_files(&home.collection());
                let file = files[random.random_range(0..files.len())].clone();
                damage_file(&file, random.random_range(0..3));
                index = open_writer();
                assert_eq!(index.verify(), [], "seed {seed} step {step} {}", file.display());
            }
        }
        let sequence = catalog.last_sequence().unwrap();
        if adit_core::IndexSnapshot::sequence(&*index.snapshot()) == sequence {
            check(&index, &model, random, &documents);
            if let Some(reader) = &reader
                && reader.catch_up().unwrap() == sequence
            {
                check(reader, &model, random, &documents);
            }
        }
    }
    index.catch_up().unwrap();
    index.wait_for_merges().unwrap();
    check(&index, &model, random, &documents);
    assert_eq!(index.verify(), []);
}

#[test]
fn random_operations_give_what_the_model_gives() {
    for seed in 1..=8 {
        eprintln!("seed {seed}");
        run(seed, 120);
    }
}
