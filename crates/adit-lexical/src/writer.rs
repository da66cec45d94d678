use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Duration;

use adit_core::{ChunkId, SequenceNumber};
use tantivy::index::SegmentId;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy};
use tantivy::{Index, IndexWriter, TantivyDocument, TantivyError, Term};

use crate::analysis::{analyse_document, joined_terms};
use crate::schema::{Fields, create_index, open_index, payload, sequence_of};
use crate::{LexicalError, LexicalSearcher};

/// What the indexing thread may buffer before it writes a segment.
const MEMORY_BUDGET_BYTES: usize = 96 * 1024 * 1024;

/// Segments of one size class that are merged into one of the next.
const SEGMENTS_PER_MERGE: usize = 8;

/// Above so many chunks a segment is only merged to drop deleted ones.
const LARGEST_MERGED_SEGMENT_CHUNKS: usize = 4_000_000;

/// From this share of deleted chunks on a segment is rewritten: they weigh in the statistics until then.
const DELETED_SHARE_BEFORE_MERGE: f32 = 0.2;

/// How often the files are verified again because a merge replaced them meanwhile.
const VERIFY_ATTEMPTS: usize = 20;

/// How often, and after what pause, merging everything is tried again while a background merge runs.
const MERGE_ATTEMPTS: usize = 6_000;
const MERGE_PAUSE: Duration = Duration::from_millis(10);

/// The writer's side of a lexical index. One per folder, enforced by a file lock; all methods take
/// `&self`, additions from several threads run side by side.
pub struct LexicalIndex {
    folder: PathBuf,
    index: Index,
    fields: Fields,
    writer: RwLock<IndexWriter>,
    /// The newest searcher, so that the next one can share its columns.
    newest: Mutex<Option<LexicalSearcher>>,
}

impl LexicalIndex {
    /// Opens the index in `folder`, or makes an empty one there. What was added after the last commit of
    /// an earlier process is gone.
    ///
    /// # Errors
    /// [`LexicalError::Locked`], [`LexicalError::Damaged`], [`LexicalError::OtherFormat`],
    /// [`LexicalError::Io`].
    pub fn open_or_create(folder: &Path) -> Result<Self, LexicalError> {
        fs_err::create_dir_all(folder)
            .map_err(|source| LexicalError::Io { folder: folder.to_owned(), source })?;
        let failed = |error| LexicalError::from_tantivy(folder, error);
        let (index, fields) =
            if folder.join("meta.json").exists() { open_index(folder)? } else { create_index(folder)? };
        sequence_of(folder, &index.load_metas().map_err(failed)?)?;
        let options = IndexWriterOptions::builder()
            // Analysis, the costly part, runs in the callers' threads.
            .num_worker_threads(1)
            .memory_budget_per_thread(MEMORY_BUDGET_BYTES)
            .num_merge_threads(1)
            .build();
        let writer: IndexWriter = index.writer_with_options(options).map_err(failed)?;
        writer.set_merge_policy(Box::new(merge_policy()));
        Ok(Self {
            folder: folder.to_owned(),
            index,
            fields,
            writer: RwLock::new(writer),
            newest: Mutex::new(None),
        })
    }

    /// The sequence number of the last commit, 0 before the first.
    ///
    /// It is read from the commit itself; should that have become unreadable it counts as 0, and a replay
    /// from there meets the error.
    #[must_use]
    pub fn sequence(&self) -> SequenceNumber {
        self.index
            .load_metas()
            .ok()
            .and_then(|meta| sequence_of(&self.folder, &meta).ok())
            .unwrap_or_default()
    }

    /// Adds one chunk: `indexed` is analysed in `language` (unknown codes as `und`). It is searchable
    /// after [`LexicalIndex::commit`] in searchers opened from then on. A chunk is added once.
    ///
    /// # Errors
    /// [`LexicalError::Io`] or [`LexicalError::Engine`] when the indexing thread has failed.
    pub fn add(&self, chunk: ChunkId, language: &str, indexed: &str) -> Result<(), LexicalError> {
        let terms = analyse_document(indexed, language);
        let mut document = TantivyDocument::new();
        document.add_u64(self.fields.chunk, u64::from(chunk.0));
        document.add_text(self.fields.body, joined_terms(&terms.body));
        if !terms.identifiers.is_empty() {
            document.add_text(self.fields.identifiers, joined_terms(&terms.identifiers));
        }
        let writer = self.writer.read().unwrap_or_else(PoisonError::into_inner);
        writer.add_document(document).map(|_| ()).map_err(|error| self.failed(error))
    }

    /// Deletes the chunks `first`, `first + 1` ... as far as they are there, with the next commit.
    pub fn delete_chunks(&self, first: ChunkId, count: u32) {
        let writer = self.writer.read().unwrap_or_else(PoisonError::into_inner);
        for id in (u64::from(first.0)..).take(count as usize) {
            writer.delete_term(Term::from_field_u64(self.fields.chunk, id));
        }
    }

    /// Makes everything since the last commit durable and visible, as the state `sequence`.
    ///
    /// # Errors
    /// [`LexicalError::Io`] or [`LexicalError::Engine`]; the last commit then still stands.
    pub fn commit(&self, sequence: SequenceNumber) -> Result<(), LexicalError> {
        let mut writer = self.writer.write().unwrap_or_else(PoisonError::into_inner);
        let mut prepared = writer.prepare_commit().map_err(|error| self.failed(error))?;
        prepared.set_payload(&payload(sequence));
        prepared.commit().map(|_| ()).map_err(|error| self.failed(error))
    }

    /// Forgets everything since the last commit.
    ///
    /// # Errors
    /// [`LexicalError::Io`] or [`LexicalError::Engine`].
    pub fn rollback(&self) -> Result<(), LexicalError> {
        let mut writer = self.writer.write().unwrap_or_else(PoisonError::into_inner);
        writer.rollback().map_err(|error| self.failed(error))?;
        // A rollback starts the writer anew, with the default policy.
        writer.set_merge_policy(Box::new(merge_policy()));
        Ok(())
    }

    /// Merges all segments into one and waits for it, so that no deleted chunk weighs in the statistics
    /// any more. Only what is committed is merged.
    ///
    /// # Errors
    /// [`LexicalError::Io`] or [`LexicalError::Engine`]; the segments then stay as they were.
    pub fn merge_all(&self) -> Result<(), LexicalError> {
        self.suspend_merges();
        let outcome = self.merge_all_attempts();
        let writer = self.writer.read().unwrap_or_else(PoisonError::into_inner);
        writer.set_merge_policy(Box::new(merge_policy()));
        outcome.map_err(|error| self.failed(error))
    }

    /// A merge in the background may hold segments back; it ends, and none starts after it.
    fn merge_all_attempts(&self) -> tantivy::Result<()> {
        let mut attempt = 1;
        loop {
            let metas = self.index.searchable_segment_metas()?;
            let has_deleted = metas.iter().any(tantivy::SegmentMeta::has_deletes);
            if metas.len() <= 1 && !has_deleted {
                return Ok(());
            }
            let ids: Vec<_> = metas.iter().map(tantivy::SegmentMeta::id).collect();
            let merge = self.writer.write().unwrap_or_else(PoisonError::into_inner).merge(&ids);
            match merge.wait() {
                Err(TantivyError::InvalidArgument(_)) if attempt < MERGE_ATTEMPTS => attempt += 1,
                Err(error) => return Err(error),
                Ok(_) => return Ok(()),
            }
            std::thread::sleep(MERGE_PAUSE);
        }
    }

    /// Starts no further merges until the index is opened again, rolled back or merged whole: for a bulk load that ends
    /// with [`LexicalIndex::merge_all`], and for tests that compare statistics.
    pub fn suspend_merges(&self) {
        let writer = self.writer.read().unwrap_or_else(PoisonError::into_inner);
        writer.set_merge_policy(Box::new(NoMergePolicy));
    }

    /// Opens the last committed state.
    ///
    /// # Errors
    /// [`LexicalError::Damaged`], [`LexicalError::Io`].
    pub fn searcher(&self) -> Result<LexicalSearcher, LexicalError> {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let searcher = LexicalSearcher::open(&self.folder, &self.index, self.fields, newest.as_ref())?;
        *newest = Some(searcher.clone());
        Ok(searcher)
    }

    /// Compares every file of the index in `folder` with the checksum in its footer.
    ///
    /// A writer, in this process or another, may merge segments meanwhile and remove the files that are being
    /// read; what was found is then of no state that still counts, and the newer one is read instead.
    ///
    /// # Errors
    /// [`LexicalError::Damaged`] names the files that differ or are missing.
    pub fn verify(folder: &Path) -> Result<(), LexicalError> {
        let mut attempt = 1;
        loop {
            let (index, _) = open_index(folder)?;
            let before = segments_of(folder, &index)?;
            let found = verify_files(folder, &index);
            if found.is_ok() || attempt == VERIFY_ATTEMPTS || segments_of(folder, &index)? == before {
                return found;
            }
            attempt += 1;
        }
    }

    fn failed(&self, error: TantivyError) -> LexicalError {
        LexicalError::from_tantivy(&self.folder, error)
    }
}

impl std::fmt::Debug for LexicalIndex {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("LexicalIndex").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// The segments of the last commit or merge, with their deletions.
fn segments_of(folder: &Path, index: &Index) -> Result<Vec<(SegmentId, Option<u64>)>, LexicalError> {
    let metas = index.load_metas().map_err(|error| LexicalError::from_tantivy(folder, error))?;
    Ok(metas.segments.iter().map(|segment| (segment.id(), segment.delete_opstamp())).collect())
}

fn verify_files(folder: &Path, index: &Index) -> Result<(), LexicalError> {
    let damaged = index.validate_checksum().map_err(|error| LexicalError::from_tantivy(folder, error))?;
    if damaged.is_empty() {
        return Ok(());
    }
    let mut names: Vec<String> = damaged.iter().map(|path| path.display().to_string()).collect();
    names.sort_unstable();
    let detail = format!("wrong checksum in {}", names.join(", "));
    Err(LexicalError::Damaged { folder: folder.to_owned(), detail })
}

fn merge_policy() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(SEGMENTS_PER_MERGE);
    policy.set_max_docs_before_merge(LARGEST_MERGED_SEGMENT_CHUNKS);
    policy.set_del_docs_ratio_before_merge(DELETED_SHARE_BEFORE_MERGE);
    policy
}
