use adit_core::SequenceNumber;
use serde::Serialize;

use crate::files::bytes_below;
use crate::snapshot::Snapshot;

/// What an index holds and what it weighs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexStatistics {
    /// The published snapshot's last change.
    pub sequence: SequenceNumber,
    /// Name of the live generation.
    pub generation: String,
    /// Documents that can be found.
    pub documents: u64,
    /// Chunks that can be found.
    pub live_chunks: u64,
    /// Vectors of chunks that were replaced or removed and still lie in segments.
    pub dead_chunks: u64,
    /// Vector segments.
    pub segments: usize,
    /// Vectors that are in no segment yet and are scanned.
    pub tail_vectors: usize,
    /// Candidates a graph keeps, tuned to the recall target; `None` before it was measured.
    pub tuned_ef: Option<usize>,
    /// Everything derived, on disk.
    pub bytes_on_disk: u64,
    /// The share of the lexical index.
    pub lexical_bytes: u64,
    /// The share of the vector segments.
    pub vector_bytes: u64,
    /// The share of the segments of token codes.
    pub token_bytes: u64,
    /// Chunks that can be found and have token codes for late interaction.
    pub token_coded_chunks: u64,
    /// Bytes of token codes of one such chunk, on average.
    pub token_bytes_per_chunk: u64,
    /// How the token codes were made, in words; `None` where there are none.
    pub token_codes: Option<String>,
}

/// A derived file that is missing or wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// Which file or folder.
    pub path: String,
    /// How it shows.
    pub detail: String,
}

/// How far a rebuild has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RebuildProgress {
    /// What is being made.
    pub stage: RebuildStage,
    /// Chunks done in this stage.
    pub chunks_done: u64,
    /// Chunks in all.
    pub chunks_total: u64,
}

/// The steps of a rebuild, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RebuildStage {
    /// The lexical index.
    Lexical,
    /// The vector segments.
    Vectors,
}

impl std::fmt::Display for RebuildProgress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stage = match self.stage {
            RebuildStage::Lexical => "lexical index",
            RebuildStage::Vectors => "vector segments",
        };
        write!(formatter, "{stage}: {} of {} chunks", self.chunks_done, self.chunks_total)
    }
}

/// Counts what `snapshot` holds and weighs its files.
pub(crate) fn collect(snapshot: &Snapshot) -> IndexStatistics {
    let live = snapshot.table.live();
    let in_segments: u64 = snapshot.segments.iter().map(|segment| segment.ids.len()).sum();
    let live_in_segments: u64 =
        snapshot.segments.iter().map(|segment| segment.ids.intersection_len(live)).sum();
    let folder = snapshot.generation.folder();
    let vector_bytes = bytes_below(&snapshot.generation.vectors());
    let bytes_on_disk = bytes_below(folder);
    let token_bytes = bytes_below(&snapshot.generation.tokens());
    let (coded, code_bytes) = snapshot.tokens.set().map_or((0, 0), adit_token_vector::TokenCodeSet::weight);
    let manifest_bytes = bytes_below(&snapshot.generation.manifest());
    IndexStatistics {
        sequence: snapshot.sequence,
        generation: snapshot.generation.name().to_owned(),
        documents: snapshot.table.entries().len() as u64,
        live_chunks: live.len(),
        dead_chunks: in_segments.saturating_sub(live_in_segments),
        segments: snapshot.segments.len(),
        tail_vectors: usize::try_from(live.len().saturating_sub(live_in_segments)).unwrap_or(usize::MAX),
        tuned_ef: snapshot.tuned_ef,
        bytes_on_disk,
        lexical_bytes: bytes_on_disk.saturating_sub(vector_bytes + token_bytes + manifest_bytes),
        vector_bytes,
        token_bytes,
        token_coded_chunks: snapshot.tokens.coded_count(live),
        token_bytes_per_chunk: code_bytes / coded.max(1),
        token_codes: snapshot.tokens.describe(),
    }
}
