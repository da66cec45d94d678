use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use adit_catalog::CatalogView;
use adit_core::{Fingerprint, IndexError};
use adit_vector::{SegmentBuilder, VectorError, VectorSegment, VectorSettings};
use roaring::RoaringBitmap;

use crate::engine_errors::vector_error;
use crate::files::{SharedFiles, remove};
use crate::generation::Generation;
use crate::manifest::SegmentEntry;
use crate::tail::spans;

/// An open segment. Its files go when it is obsolete and the last snapshot lets go of it.
pub(crate) struct Segment {
    pub(crate) entry: SegmentEntry,
    pub(crate) vectors: Arc<dyn VectorSegment>,
    pub(crate) ids: RoaringBitmap,
    // Dropped after `vectors`: some systems do not remove a file that is mapped.
    files: SharedFiles,
}

impl Segment {
    /// Opens the files; with `verify` every byte is read.
    pub(crate) fn open(
        generation: &Generation,
        entry: &SegmentEntry,
        verify: bool,
    ) -> Result<Arc<Self>, IndexError> {
        let folder = generation.vectors();
        let vectors = adit_vector::open_segment(&folder, &entry.info, verify).map_err(vector_error)?;
        let paths = entry.info.file_names().map(|name| folder.join(name)).collect();
        Ok(Arc::new(Self {
            entry: entry.clone(),
            ids: vectors.chunk_ids().clone(),
            vectors,
            files: SharedFiles::new(paths),
        }))
    }

    pub(crate) fn make_obsolete(&self) {
        self.files.make_obsolete();
    }
}

/// Builds segments of the catalog's vectors.
pub(crate) struct SegmentWriter<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) fingerprint: &'a Fingerprint,
}

impl SegmentWriter<'_> {
    /// Builds one of `chunks`; `None` when it was cancelled. Nothing refers to its files yet.
    pub(crate) fn build(
        &self,
        name: &str,
        view: &CatalogView,
        chunks: &RoaringBitmap,
        cancel: &AtomicBool,
    ) -> Result<Option<SegmentEntry>, IndexError> {
        let settings = VectorSettings::for_dimension(self.fingerprint.embedder.dimension);
        let mut builder = SegmentBuilder::create(self.folder, name, &settings).map_err(vector_error)?;
        for span in spans(chunks) {
            if cancel.load(Ordering::Acquire) {
                return Ok(None);
            }
            let mut pushed = Ok(());
            view.for_each_vector(span, &mut |chunk, vector| {
                if pushed.is_ok() {
                    pushed = builder.push(chunk, vector);
                }
            })?;
            pushed.map_err(vector_error)?;
        }
        match builder.finish(cancel, &mut |_| ()) {
            Ok(info) => Ok(Some(SegmentEntry { name: name.to_owned(), info })),
            Err(VectorError::Cancelled) => Ok(None),
            Err(error) => Err(vector_error(error)),
        }
    }

    /// Removes a segment that no manifest names.
    pub(crate) fn discard(&self, entry: &SegmentEntry) {
        for name in entry.info.file_names() {
            if let Err(error) = remove(&self.folder.join(name)) {
                tracing::warn!(%error, "a discarded segment stays until the next writer opens");
            }
        }
    }
}
