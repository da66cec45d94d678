use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use adit_catalog::Catalog;
use adit_core::{IndexError, SequenceNumber};
use arc_swap::ArcSwap;
use parking_lot::Mutex;

use crate::merger::Merger;
use crate::options::IndexOptions;
use crate::reader::Reader;
use crate::snapshot::Snapshot;
use crate::statistics::{Damage, IndexStatistics, RebuildProgress};
use crate::writer::Writer;
use crate::{statistics, verify};

/// The engine of one collection: everything derived from the catalog, and the snapshot that searches
/// read. Shared between threads by reference; searches never wait for writes.
pub struct SearchIndex {
    shared: Arc<Shared>,
    merger: Option<Merger>,
}

/// What the merge thread works on too.
pub(crate) struct Shared {
    pub(crate) collection: PathBuf,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) options: IndexOptions,
    pub(crate) published: ArcSwap<Snapshot>,
    pub(crate) role: Role,
    /// Held while a segment is built: one merge at a time. Taken before the writer's lock.
    pub(crate) merging: Mutex<()>,
    /// Asks a merge that is under way to give up.
    pub(crate) cancel_merge: AtomicBool,
    pub(crate) notices: Mutex<Vec<String>>,
}

pub(crate) enum Role {
    Writer(Box<Mutex<Writer>>),
    Reader(Box<Mutex<Reader>>),
}

impl std::fmt::Debug for SearchIndex {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SearchIndex").field("snapshot", &self.snapshot()).finish_non_exhaustive()
    }
}

impl SearchIndex {
    /// Opens `collection` for writing, making it if it is missing: takes the writer lock, removes what a
    /// killed process left over, checks the derived files, makes the damaged ones again from the
    /// catalog (see [`SearchIndex::notices`]), applies the log, and publishes.
    ///
    /// # Errors
    /// [`IndexError::Locked`], [`IndexError::NewerFormat`], [`IndexError::FingerprintMismatch`] when the
    /// options name another fingerprint than the catalog's; [`IndexError::Catalog`], [`IndexError::Io`].
    pub fn open_writer(
        collection: &Path,
        catalog: Arc<Catalog>,
        options: IndexOptions,
    ) -> Result<Self, IndexError> {
        let mut notices = Vec::new();
        let (writer, snapshot) = Writer::open(collection, &catalog, &options, &mut notices)?;
        for notice in &notices {
            tracing::warn!("{notice}");
        }
        let merges = options.background_merges;
        let shared =
            Shared::new(collection, catalog, options, snapshot, Role::Writer(Box::new(Mutex::new(writer))));
        *shared.notices.lock() = notices;
        let shared = Arc::new(shared);
        let merger = merges.then(|| Merger::start(Arc::clone(&shared))).transpose()?;
        let index = Self { shared, merger };
        index.merge_in_background();
        Ok(index)
    }

    /// Opens `collection` for searching, beside a writer or without one. Takes no lock and changes
    /// nothing. The snapshot is that of the last change the writer published.
    ///
    /// # Errors
    /// [`IndexError::Damaged`] when a derived file is missing or wrong (the hint says how to mend it);
    /// [`IndexError::NewerFormat`], [`IndexError::FingerprintMismatch`], [`IndexError::Catalog`].
    pub fn open_reader(
        collection: &Path,
        catalog: Arc<Catalog>,
        options: IndexOptions,
    ) -> Result<Self, IndexError> {
        let (reader, snapshot) = Reader::open(collection, &catalog, &options)?;
        let shared =
            Shared::new(collection, catalog, options, snapshot, Role::Reader(Box::new(Mutex::new(reader))));
        Ok(Self { shared: Arc::new(shared), merger: None })
    }

    /// The newest published state. Costs next to nothing; take one per query and use it throughout.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.shared.published.load_full()
    }

    /// Writer: applies the catalog's log up to now and publishes one new snapshot; call it after a batch
    /// of commits. Reader: takes over what the writer has published since. Returns the sequence number
    /// of the published snapshot.
    ///
    /// # Errors
    /// [`IndexError::Catalog`], [`IndexError::Engine`], [`IndexError::Io`]; the snapshot published before
    /// stays, and the next call tries again.
    pub fn catch_up(&self) -> Result<SequenceNumber, IndexError> {
        let current = self.snapshot();
        let sequence = match &self.shared.role {
            Role::Writer(writer) => {
                let mut writer = writer.lock();
                if let Some(snapshot) =
                    writer.catch_up(&self.shared.catalog, &self.shared.options, &self.snapshot())?
                {
                    self.shared.published.store(Arc::new(snapshot));
                }
                self.snapshot().sequence
            }
            Role::Reader(reader) => {
                let mut reader = reader.lock();
                if let Some(snapshot) = reader.refresh(
                    &self.shared.collection,
                    &self.shared.catalog,
                    &self.shared.options,
                    &self.snapshot(),
                )? {
                    self.shared.published.store(Arc::new(snapshot));
                }
                self.snapshot().sequence
            }
        };
        if current.sequence != sequence {
            self.merge_in_background();
        }
        Ok(sequence)
    }

    /// Wakes the merge thread; it merges what is due. Does nothing without one.
    pub fn merge_in_background(&self) {
        if let Some(merger) = &self.merger {
            merger.wake();
        }
    }

    /// Merges until nothing is due any more. Searches go on meanwhile.
    ///
    /// # Errors
    /// As [`SearchIndex::catch_up`].
    pub fn wait_for_merges(&self) -> Result<(), IndexError> {
        while self.shared.merge_once()? {}
        Ok(())
    }

    /// Makes everything derived again from the catalog, beside what is there, then switches over.
    /// Searches go on in the old files until the switch.
    ///
    /// # Errors
    /// As [`SearchIndex::catch_up`]; then the old files stay in use. A reader cannot rebuild.
    pub fn rebuild(&self, progress: &mut dyn FnMut(RebuildProgress)) -> Result<(), IndexError> {
        let Role::Writer(writer) = &self.shared.role else {
            return Err(IndexError::Locked {
                path: self.shared.collection.display().to_string(),
                process: "this one opened it for reading".to_owned(),
            });
        };
        self.shared.cancel_merge.store(true, Ordering::Release);
        let merging = self.shared.merging.lock();
        self.shared.cancel_merge.store(false, Ordering::Release);
        let mut writer = writer.lock();
        let snapshot = writer.rebuild(&self.shared.catalog, &self.shared.options, progress)?;
        self.shared.published.store(Arc::new(snapshot));
        drop(writer);
        drop(merging);
        Ok(())
    }

    /// Reads every derived file and names what is missing or wrong; empty when all is well.
    #[must_use]
    pub fn verify(&self) -> Vec<Damage> {
        verify::damages(&self.shared.collection)
    }

    /// What it holds and weighs.
    #[must_use]
    pub fn statistics(&self) -> IndexStatistics {
        statistics::collect(&self.snapshot())
    }

    /// What was found damaged or outdated and made again, in sentences for a person.
    #[must_use]
    pub fn notices(&self) -> Vec<String> {
        self.shared.notices.lock().clone()
    }
}

impl Drop for SearchIndex {
    fn drop(&mut self) {
        self.shared.cancel_merge.store(true, Ordering::Release);
        if let Some(merger) = self.merger.take() {
            merger.finish();
        }
    }
}

impl Shared {
    fn new(
        collection: &Path,
        catalog: Arc<Catalog>,
        options: IndexOptions,
        snapshot: Snapshot,
        role: Role,
    ) -> Self {
        Self {
            collection: collection.to_owned(),
            catalog,
            options,
            published: ArcSwap::from_pointee(snapshot),
            role,
            merging: Mutex::new(()),
            cancel_merge: AtomicBool::new(false),
            notices: Mutex::new(Vec::new()),
        }
    }
}
