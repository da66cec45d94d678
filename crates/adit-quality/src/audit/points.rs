//! The points of the index against the catalog: are they all there, and are they what the model makes?

use adit_core::{DocumentState, IndexSnapshot};
use serde::{Deserialize, Serialize};

use super::Subject;
use crate::QualityError;
use crate::stored_vector::{stale_cosine, stored_vector};

/// A normalised vector's length differs from 1 by less.
const LENGTH_TOLERANCE: f32 = 0.01;
/// Sources named as examples.
const NAMED: usize = 5;

/// Points without a document, documents without points.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Orphans {
    /// Chunks of the snapshot that the lexical index does not hold.
    pub chunks_without_text: u64,
    /// Chunks of the snapshot without a vector.
    pub chunks_without_vector: u64,
    /// Documents that say `searchable` and have no chunk.
    pub searchable_documents_without_chunks: u64,
    /// Committed documents that the snapshot does not hold although it should.
    pub documents_not_in_snapshot: u64,
    /// Some of the sources concerned.
    pub examples: Vec<String>,
}

impl Orphans {
    /// All kinds together.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.chunks_without_text
            + self.chunks_without_vector
            + self.searchable_documents_without_chunks
            + self.documents_not_in_snapshot
    }
}

impl std::fmt::Display for Orphans {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{} chunks without text, {} without a vector, {} searchable documents without chunks, {} not in the snapshot",
            self.chunks_without_text,
            self.chunks_without_vector,
            self.searchable_documents_without_chunks,
            self.documents_not_in_snapshot
        )?;
        if self.examples.is_empty() {
            Ok(())
        } else {
            write!(formatter, "; such as {}", self.examples.join(", "))
        }
    }
}

pub(super) fn orphans(subject: &Subject<'_>) -> Result<Orphans, QualityError> {
    let (without_text, without_vector) = subject.snapshot.chunks_not_held();
    let mut orphans = Orphans {
        chunks_without_text: without_text.len() as u64,
        chunks_without_vector: without_vector.len() as u64,
        ..Orphans::default()
    };
    for chunk in without_text.iter().chain(&without_vector).take(NAMED) {
        orphans.examples.extend(subject.view.chunk(*chunk)?.map(|stored| stored.source));
    }
    for record in subject.records {
        let is_empty = record.chunk_count == 0 && record.state == DocumentState::Searchable;
        let is_missing = record.chunk_count > 0
            && record.sequence <= subject.snapshot.sequence()
            && subject.snapshot.chunk_span_of(&record.id).is_none();
        orphans.searchable_documents_without_chunks += u64::from(is_empty);
        orphans.documents_not_in_snapshot += u64::from(is_missing);
        if (is_empty || is_missing) && orphans.examples.len() < NAMED {
            orphans.examples.push(record.source.clone());
        }
    }
    orphans.examples.dedup();
    Ok(orphans)
}

/// Stored vectors against the fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FingerprintCheck {
    /// Vectors whose dimension and length were checked.
    pub vectors: u64,
    /// Of another dimension than the fingerprint says.
    pub wrong_dimension: u64,
    /// Not of length 1, or not finite.
    pub not_normalised: u64,
    /// Chunks whose text was embedded again; 0 without a model.
    pub embedded_again: u64,
    /// Of those, not the vector that the model makes now.
    pub stale: u64,
    /// Sources of some of the wrong ones.
    pub examples: Vec<String>,
}

impl FingerprintCheck {
    /// All that are wrong.
    #[must_use]
    pub fn wrong(&self) -> u64 {
        self.wrong_dimension + self.not_normalised + self.stale
    }
}

pub(super) fn check_fingerprint(subject: &Subject<'_>) -> Result<FingerprintCheck, QualityError> {
    let mut check = FingerprintCheck::default();
    let expected = subject.snapshot.fingerprint().embedder.dimension;
    for record in subject.records {
        let Some(first) = record.first_chunk else { continue };
        let span = adit_catalog::ChunkSpan { first, count: record.chunk_count };
        let wrong_before = check.wrong();
        subject.view.for_each_vector(span, &mut |_, vector| {
            check.vectors += 1;
            let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
            if vector.len() != expected {
                check.wrong_dimension += 1;
            } else if !length.is_finite() || (length - 1.0).abs() > LENGTH_TOLERANCE {
                check.not_normalised += 1;
            }
        })?;
        if check.wrong() > wrong_before && check.examples.len() < NAMED {
            check.examples.push(record.source.clone());
        }
    }
    embed_again(subject, &mut check)?;
    Ok(check)
}

fn embed_again(subject: &Subject<'_>, check: &mut FingerprintCheck) -> Result<(), QualityError> {
    let Some(embedder) = subject.retriever.embedder() else { return Ok(()) };
    for (_, chunk) in subject.sample(subject.settings.embedded_again) {
        let Some(stored) = subject.view.chunk(chunk)? else { continue };
        let Some(vector) = stored_vector(subject.view, chunk)? else { continue };
        check.embedded_again += 1;
        if stale_cosine(embedder, &stored, &vector)?.is_some() {
            check.stale += 1;
            if check.examples.len() < NAMED && !check.examples.contains(&stored.source) {
                check.examples.push(stored.source);
            }
        }
    }
    Ok(())
}

/// From the change of a file to the commit of the version that holds it. Only documents that were replaced:
/// what lay there before it was first indexed waited for nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexingLag {
    /// Replaced documents with a modification time.
    pub documents: u64,
    /// Half of them took no longer, in milliseconds.
    pub p50_ms: i64,
    /// 99 of 100 took no longer.
    pub p99_ms: i64,
}

pub(super) fn indexing_lag(subject: &Subject<'_>) -> Option<IndexingLag> {
    let replaced = subject.records.iter().filter(|record| record.version > 1);
    let mut lags: Vec<i64> = replaced
        .filter_map(|record| Some(record.committed_unix_ms - record.modified_unix_ms?))
        .filter(|lag| *lag >= 0)
        .collect();
    lags.sort_unstable();
    let at = |percent: usize| {
        let rank = (lags.len() * percent).div_ceil(100);
        lags.get(rank.saturating_sub(1)).copied()
    };
    at(50).zip(at(99)).map(|(p50_ms, p99_ms)| IndexingLag { documents: lags.len() as u64, p50_ms, p99_ms })
}
