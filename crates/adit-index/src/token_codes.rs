use std::sync::Arc;

use adit_catalog::CatalogView;
use adit_core::{ChunkId, IndexError};
use adit_token_vector::{TokenCodeMake, TokenCodeSet};
use roaring::RoaringBitmap;

use crate::engine_errors::token_error;
use crate::manifest::TokenSegmentEntry;
use crate::tail::spans;
use crate::token_segment::OpenTokenSegment;

/// The token codes of a snapshot, with the segments they lie in; empty in a catalog without codes.
#[derive(Clone, Default)]
pub(crate) struct TokenSide {
    set: Option<TokenCodeSet>,
    segments: Vec<Arc<OpenTokenSegment>>,
}

impl TokenSide {
    /// The segments, and as a tail the codes of live chunks that are in none of them: those the previous set
    /// has are taken from there, the others from the catalog. A chunk whose codes came later than itself is
    /// found in this way too.
    pub(crate) fn collect(
        segments: &[Arc<OpenTokenSegment>],
        previous: Option<&Self>,
        live: &RoaringBitmap,
        view: &CatalogView,
    ) -> Result<Self, IndexError> {
        let Some(make) = stored_make(view)? else { return Ok(Self::default()) };
        let fresh = TokenCodeSet::new(Arc::new(make));
        let segments = of_make(segments, fresh.make_hash());
        let wanted = without_segments(live, &segments);
        let known = previous
            .and_then(|previous| previous.set.as_ref())
            .filter(|set| set.make_hash() == fresh.make_hash())
            .map(|set| set.retain_tail(&wanted));
        let known = known.unwrap_or(fresh);
        let added = codes_of(&(&wanted - known.tail_ids()), view)?;
        let set = known.with_segments(segments.iter().map(|segment| Arc::clone(&segment.codes)));
        Ok(Self { set: Some(set.with_tail(added).map_err(token_error)?), segments })
    }

    pub(crate) fn set(&self) -> Option<&TokenCodeSet> {
        self.set.as_ref()
    }

    /// The open segment of a manifest's entry.
    pub(crate) fn open_segment(&self, entry: &TokenSegmentEntry) -> Option<Arc<OpenTokenSegment>> {
        self.segments.iter().find(|segment| segment.entry == *entry).cloned()
    }

    /// How many of the live chunks have codes.
    pub(crate) fn coded_count(&self, live: &RoaringBitmap) -> u64 {
        self.set.as_ref().map_or(0, |set| set.coded_ids().intersection_len(live))
    }

    /// How the codes are made, in words.
    pub(crate) fn describe(&self) -> Option<String> {
        let make = self.set.as_ref()?.make();
        Some(format!(
            "{} a dimension, {} dimensions, pooling {}",
            match make.bits {
                adit_token_vector::CodeBits::One => "1 bit",
                adit_token_vector::CodeBits::Eight => "8 bits",
            },
            make.dimension(),
            make.pooling
        ))
    }
}

/// How the catalog's codes are made.
pub(crate) fn stored_make(view: &CatalogView) -> Result<Option<TokenCodeMake>, IndexError> {
    view.token_code_make()?.map(|stored| TokenCodeMake::from_stored(&stored).map_err(token_error)).transpose()
}

/// The segments whose codes are made like this.
pub(crate) fn of_make(segments: &[Arc<OpenTokenSegment>], make_hash: &str) -> Vec<Arc<OpenTokenSegment>> {
    segments.iter().filter(|segment| segment.codes.make_hash() == make_hash).cloned().collect()
}

/// Live chunks that are in no segment, with codes or without.
pub(crate) fn without_segments(live: &RoaringBitmap, segments: &[Arc<OpenTokenSegment>]) -> RoaringBitmap {
    let mut missing = live.clone();
    segments.iter().for_each(|segment| missing -= segment.ids());
    missing
}

fn codes_of(chunks: &RoaringBitmap, view: &CatalogView) -> Result<Vec<(ChunkId, Vec<u8>)>, IndexError> {
    let mut found = Vec::new();
    for span in spans(chunks) {
        view.for_each_token_codes(span, &mut |chunk, codes| found.push((chunk, codes.to_vec())))?;
    }
    Ok(found)
}
