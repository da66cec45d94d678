use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use adit_catalog::CatalogView;
use adit_core::IndexError;
use adit_token_vector::{TokenCodeMake, TokenSegment, TokenSegmentBuilder};
use roaring::RoaringBitmap;

use crate::engine_errors::token_error;
use crate::files::{SharedFiles, create_folder, remove};
use crate::generation::Generation;
use crate::manifest::{Manifest, TokenSegmentEntry};
use crate::tail::spans;

/// An open segment of token codes. Its file goes when it is obsolete and the last snapshot lets go of it.
pub(crate) struct OpenTokenSegment {
    pub(crate) entry: TokenSegmentEntry,
    pub(crate) codes: Arc<TokenSegment>,
    // Dropped after `codes`: some systems do not remove a file that is mapped.
    files: SharedFiles,
}

impl OpenTokenSegment {
    /// Opens the file; with `verify` every byte is read.
    pub(crate) fn open(
        generation: &Generation,
        entry: &TokenSegmentEntry,
        verify: bool,
    ) -> Result<Arc<Self>, IndexError> {
        let folder = generation.tokens();
        let codes = TokenSegment::open(&folder, &entry.info, verify).map_err(token_error)?;
        let files = SharedFiles::new(vec![folder.join(&entry.info.file_name)]);
        Ok(Arc::new(Self { entry: entry.clone(), codes: Arc::new(codes), files }))
    }

    pub(crate) fn ids(&self) -> &RoaringBitmap {
        self.codes.chunk_ids()
    }

    pub(crate) fn make_obsolete(&self) {
        self.files.make_obsolete();
    }
}

/// Opens what the manifest names; a damaged segment is left out of it.
pub(crate) fn open_token_segments(
    generation: &Generation,
    manifest: &mut Manifest,
    verify: bool,
    notices: &mut Vec<String>,
) -> Result<Vec<Arc<OpenTokenSegment>>, IndexError> {
    create_folder(&generation.tokens())?;
    let mut segments = Vec::new();
    manifest.token_segments.retain(|entry| match OpenTokenSegment::open(generation, entry, verify) {
        Ok(segment) => {
            segments.push(segment);
            true
        }
        Err(error) => {
            notices.push(format!("{error}; its token codes are taken from the catalog again"));
            false
        }
    });
    Ok(segments)
}

/// Builds a segment of those of `chunks` that have codes; `None` when none has any or it was cancelled.
/// Nothing refers to its file yet.
pub(crate) fn build_token_segment(
    generation: &Generation,
    name: &str,
    make: &TokenCodeMake,
    view: &CatalogView,
    chunks: &RoaringBitmap,
    cancel: &AtomicBool,
) -> Result<Option<TokenSegmentEntry>, IndexError> {
    let mut builder = TokenSegmentBuilder::create(&generation.tokens(), name, make).map_err(token_error)?;
    for span in spans(chunks) {
        if cancel.load(Ordering::Acquire) {
            return Ok(None);
        }
        let mut pushed = Ok(());
        view.for_each_token_codes(span, &mut |chunk, codes| {
            if pushed.is_ok() {
                pushed = builder.push(chunk, codes);
            }
        })?;
        pushed.map_err(token_error)?;
    }
    if builder.is_empty() {
        return Ok(None);
    }
    let info = builder.finish().map_err(token_error)?;
    Ok(Some(TokenSegmentEntry { name: name.to_owned(), info }))
}

/// Removes a segment that no manifest names.
pub(crate) fn discard(generation: &Generation, entry: &TokenSegmentEntry) {
    if let Err(error) = remove(&generation.tokens().join(&entry.info.file_name)) {
        tracing::warn!(%error, "a discarded token segment stays until the next writer opens");
    }
}
