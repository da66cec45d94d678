//! Documents of ten chunks of 100 Zipf words, each document inside one of 500 clusters of vectors.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use adit_catalog::{Catalog, NewVersion};
use adit_core::{
    AccessControl, Chunk, Coverage, DocumentId, DocumentState, Fingerprint, MediaType, Metadata,
    MetadataValue, TenantId, TextRange,
};
use adit_index::{IndexOptions, SearchIndex};
use adit_testkit::{FakeEmbedder, ZipfWords, random_unit_vector, unit_vector_near};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

pub(crate) const DIMENSION: usize = 384;
pub(crate) const CHUNKS_PER_DOCUMENT: usize = 10;
pub(crate) const CLUSTERS: usize = 500;
/// Cosines inside a cluster are about 0.8.
pub(crate) const SPREAD: f32 = 0.5;
const WORDS_PER_CHUNK: usize = 100;
const VOCABULARY: usize = 200_000;
/// Documents committed between two snapshots.
const PUBLISHED_TOGETHER: usize = 500;
/// Documents that are added while searches are timed: enough for several segments and a merge of them.
const ADDED: usize = 3_000;

pub(crate) struct Collection {
    documents: usize,
    pub(crate) words: ZipfWords,
    pub(crate) centres: Vec<Vec<f32>>,
}

pub(crate) fn fingerprint() -> Fingerprint {
    FakeEmbedder::new(DIMENSION).fingerprint()
}

pub(crate) fn open_catalog(folder: &Path) -> Arc<Catalog> {
    let catalog = Catalog::create_or_open(&folder.join("catalog.db")).unwrap();
    catalog.set_fingerprint(&fingerprint()).unwrap();
    Arc::new(catalog)
}

pub(crate) fn open_index(folder: &Path, catalog: &Arc<Catalog>) -> SearchIndex {
    SearchIndex::open_writer(&folder.join("main"), Arc::clone(catalog), IndexOptions::default()).unwrap()
}

impl Collection {
    pub(crate) fn new(documents: usize) -> Self {
        let mut random = StdRng::seed_from_u64(42);
        let centres = (0..CLUSTERS).map(|_| random_unit_vector(&mut random, DIMENSION)).collect();
        Self { documents, words: ZipfWords::new(VOCABULARY), centres }
    }

    /// Fills the index in `folder`, unless an earlier run has.
    pub(crate) fn index_into(&self, folder: &Path) {
        std::fs::create_dir_all(folder).unwrap();
        let catalog = open_catalog(folder);
        let index = open_index(folder, &catalog);
        let there = catalog.last_sequence().unwrap().0 as usize;
        if there >= self.documents {
            return;
        }
        let started = Instant::now();
        self.add(&catalog, &index, there..self.documents);
        index.wait_for_merges().unwrap();
        println!(
            "{} documents committed, indexed and merged in {:.0} s",
            self.documents,
            started.elapsed().as_secs_f64()
        );
    }

    /// Adds documents that are not in the collection yet.
    pub(crate) fn add_more(&self, catalog: &Catalog, index: &SearchIndex) {
        let there = catalog.last_sequence().unwrap().0 as usize;
        self.add(catalog, index, there..there + ADDED);
        index.wait_for_merges().unwrap();
    }

    fn add(&self, catalog: &Catalog, index: &SearchIndex, numbers: std::ops::Range<usize>) {
        for number in numbers {
            catalog.commit(self.document(number)).unwrap();
            if number % PUBLISHED_TOGETHER == PUBLISHED_TOGETHER - 1 {
                index.catch_up().unwrap();
                eprint!("\r{} documents", number + 1);
            }
        }
        index.catch_up().unwrap();
        eprintln!();
    }

    fn document(&self, number: usize) -> NewVersion {
        let mut random = StdRng::seed_from_u64(number as u64);
        let cluster = random.random_range(0..CLUSTERS);
        let mut text = String::new();
        let mut chunks = Vec::new();
        let mut vectors = Vec::new();
        for index in 0..CHUNKS_PER_DOCUMENT {
            let start = text.len();
            let words = self.words.text(WORDS_PER_CHUNK, &mut random);
            text.push_str(&words);
            chunks.push(chunk(index, start, text.len(), words));
            vectors.push(unit_vector_near(&mut random, &self.centres[cluster], SPREAD));
            text.push('\n');
        }
        let tenant = TenantId::default_tenant();
        let source = format!("document-{number}.txt");
        NewVersion {
            id: DocumentId::derive(&tenant, &source),
            tenant,
            title: source.clone(),
            source,
            media_type: MediaType::PlainText,
            language: "en".to_owned(),
            access: AccessControl::Tenant,
            metadata: metadata(cluster, &mut random),
            content_hash: number.to_string(),
            size_bytes: text.len() as u64,
            modified_unix_ms: None,
            state: DocumentState::Searchable,
            coverage: Coverage::default(),
            text,
            chunks,
            vectors,
        }
    }
}

fn metadata(cluster: usize, random: &mut StdRng) -> Metadata {
    let mut metadata = Metadata::new();
    metadata.insert("cluster".into(), vec![MetadataValue::Number(cluster as f64)]);
    for (key, share) in [("share_50", 0.5), ("share_5", 0.05), ("share_0_5", 0.005)] {
        metadata.insert(key.into(), vec![MetadataValue::Bool(random.random_bool(share))]);
    }
    metadata
}

fn chunk(index: usize, start: usize, end: usize, words: String) -> Chunk {
    Chunk {
        index: index as u32,
        range: TextRange::new(start, end),
        char_start: start,
        char_end: end,
        heading_path: Vec::new(),
        page_start: None,
        page_end: None,
        display: words.clone(),
        repeated_header: None,
        indexed: words,
        token_count: WORDS_PER_CHUNK as u32,
    }
}
