use std::collections::HashSet;

use adit_core::{ChunkId, LexicalSearch, ScoredChunk, SignalFactor};
use adit_index::{DocumentEntry, Snapshot};

use super::collection_facts::{CollectionFacts, Position};
use super::selection::SignalKind;
use super::settings::SignalSettings;
use crate::candidates::Candidates;
use crate::{Mode, RetrieveError, SearchRequest};

/// In-links at which half of the gain is reached.
const HALF_GAIN_LINKS: f64 = 5.0;
/// Chunks of one document that are scored; the best of them becomes a candidate.
const SCORED_CHUNKS: u32 = 32;

/// `1 + weight * n / (n + 5)` for the `n` documents that the reader may see and that point here.
pub(super) fn factor(
    snapshot: &Snapshot,
    facts: &CollectionFacts,
    position: Position,
    request: &SearchRequest<'_>,
    settings: &SignalSettings,
) -> Option<SignalFactor> {
    let citing = facts.links.citing(position).iter().filter_map(|one| entry(snapshot, *one));
    let count = citing.filter(|entry| request.scope.permits(&entry.tenant, &entry.access)).count();
    if count == 0 {
        return None;
    }
    let share = count as f64 / (count as f64 + HALF_GAIN_LINKS);
    #[expect(clippy::cast_possible_truncation, reason = "a factor of two or three digits")]
    let factor = (1.0 + settings.link_weight * share) as f32;
    let documents = if count == 1 { "document links" } else { "documents link" };
    let reason = format!("{count} {documents} to it");
    Some(SignalFactor { signal: SignalKind::Links.name().to_owned(), factor, reason })
}

fn entry(snapshot: &Snapshot, position: Position) -> Option<&DocumentEntry> {
    snapshot.all_documents().get(position as usize)
}

/// A chunk that a link makes a candidate, with its exact scores and the link in words.
pub(super) struct LinkedChunk {
    pub(super) chunk: ChunkId,
    pub(super) lexical: Option<f32>,
    pub(super) dense: Option<f32>,
    pub(super) reason: String,
}

/// The best chunk of each document that cites one of the best hits or is cited by it, as far as scope and
/// filter let it be found and no chunk of it is a candidate yet.
pub(super) fn linked_chunks(
    snapshot: &Snapshot,
    facts: &CollectionFacts,
    request: &SearchRequest<'_>,
    found: &Candidates,
    settings: &SignalSettings,
) -> Result<Vec<LinkedChunk>, RetrieveError> {
    let owner = |chunk: ChunkId| {
        snapshot.document_of(request.scope, chunk).and_then(|entry| facts.position(&entry.id))
    };
    let mut known: HashSet<Position> = HashSet::new();
    let mut hits: Vec<Position> = Vec::new();
    for (chunk, _) in &found.fused {
        if let Some(position) = owner(*chunk)
            && known.insert(position)
            && hits.len() < settings.link_hits
        {
            hits.push(position);
        }
    }
    let mut linked = Vec::new();
    for hit in hits {
        let source = entry(snapshot, hit).map(path_of).unwrap_or_default();
        let citing = facts.links.citing(hit).iter().map(|one| (*one, format!("added: it cites {source}")));
        let cited = facts.links.cited_by(hit).iter().map(|one| (*one, format!("added: {source} cites it")));
        for (position, reason) in citing.chain(cited) {
            if linked.len() >= settings.link_documents {
                return Ok(linked);
            }
            let Some(entry) = entry(snapshot, position) else { continue };
            let allowed = request.scope.permits(&entry.tenant, &entry.access)
                && request.filter.accepts(&entry.metadata);
            if allowed && known.insert(position) {
                linked.extend(best_chunk(snapshot, request, found, entry, reason)?);
            }
        }
    }
    Ok(linked)
}

/// The path, which stands after what the document itself may call its source.
pub(super) fn path_of(entry: &DocumentEntry) -> String {
    let sources = entry.metadata.get("source");
    sources.and_then(|values| values.last()).map(adit_core::MetadataValue::to_text).unwrap_or_default()
}

fn best_chunk(
    snapshot: &Snapshot,
    request: &SearchRequest<'_>,
    found: &Candidates,
    entry: &DocumentEntry,
    reason: String,
) -> Result<Option<LinkedChunk>, RetrieveError> {
    let chunks: Vec<ChunkId> = entry.span.ids().take(SCORED_CHUNKS as usize).collect();
    let dense = match found.vector.as_deref() {
        Some(vector) => snapshot.dense_scores(vector, &chunks)?,
        None => Vec::new(),
    };
    let SearchRequest { scope, filter, query, bm25, mode, .. } = *request;
    let lexical = if mode == Mode::Dense {
        Vec::new()
    } else {
        let search = LexicalSearch { scope, filter, query, limit: chunks.len() };
        snapshot.lexical_scores(search, &chunks, bm25)?
    };
    let best = |scores: &[ScoredChunk]| {
        scores.iter().max_by(|left, right| left.score.total_cmp(&right.score)).map(|hit| hit.chunk)
    };
    let Some(chunk) = best(&lexical).or_else(|| best(&dense)) else { return Ok(None) };
    let of = |scores: &[ScoredChunk]| scores.iter().find(|hit| hit.chunk == chunk).map(|hit| hit.score);
    Ok(Some(LinkedChunk { chunk, lexical: of(&lexical), dense: of(&dense), reason }))
}
