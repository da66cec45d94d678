use std::sync::Arc;

use adit_catalog::ChunkSpan;
use adit_core::{
    ChunkId, DenseSearch, DocumentId, Filter, Fingerprint, IndexError, IndexSnapshot, LexicalHit,
    LexicalSearch, Scope, ScoredChunk, SequenceNumber,
};
use adit_lexical::{Bm25Parameters, LexicalSearcher};
use adit_token_vector::{TokenCodeMake, TokenQuery};
use adit_vector::VectorSet;
use roaring::RoaringBitmap;

use crate::allowed::AllowedChunks;
use crate::document_table::{DocumentEntry, DocumentTable};
use crate::engine_errors::{lexical_error, vector_error};
use crate::facets::{Facet, count_facets};
use crate::generation::Generation;
use crate::segment::Segment;
use crate::token_codes::TokenSide;

/// One immutable state of the index: both retrievers, rights and metadata at one sequence number.
///
/// It stays whole and searchable for as long as somebody holds it, whatever is written, merged or
/// rebuilt meanwhile.
pub struct Snapshot {
    pub(crate) sequence: SequenceNumber,
    pub(crate) fingerprint: Arc<Fingerprint>,
    pub(crate) table: Arc<DocumentTable>,
    pub(crate) allowed: Arc<AllowedChunks>,
    pub(crate) lexical: LexicalSearcher,
    pub(crate) vectors: VectorSet,
    pub(crate) segments: Vec<Arc<Segment>>,
    pub(crate) tokens: TokenSide,
    pub(crate) tuned_ef: Option<usize>,
    /// Name of the lexical index's folder inside the generation.
    pub(crate) lexical_folder: String,
    pub(crate) generation: Generation,
}

/// Hits of a dense search and how they were found.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseAnswer {
    /// Best chunks, best first.
    pub hits: Vec<ScoredChunk>,
    /// What the planner did: exact scan or graph, over how many, with which `ef`.
    pub plan: String,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Snapshot")
            .field("sequence", &self.sequence)
            .field("generation", &self.generation.name())
            .field("documents", &self.table.entries().len())
            .field("segments", &self.segments.len())
            .finish_non_exhaustive()
    }
}

impl Snapshot {
    /// The chunks that a search with this scope and filter may return. Worked out once and remembered
    /// with the snapshot, for a bounded number of scopes and filters.
    #[must_use]
    pub fn allowed(&self, scope: &Scope, filter: &Filter) -> Arc<RoaringBitmap> {
        self.allowed.within(&self.table, scope, filter)
    }

    /// How many chunks a search with this scope and filter may return.
    #[must_use]
    pub fn allowed_count(&self, scope: &Scope, filter: &Filter) -> u64 {
        self.allowed(scope, filter).len()
    }

    /// Whether a search with this scope and filter may return `chunk`.
    #[must_use]
    pub fn is_allowed(&self, scope: &Scope, filter: &Filter, chunk: ChunkId) -> bool {
        self.table.owner(chunk).is_some_and(|entry| {
            scope.permits(&entry.tenant, &entry.access) && filter.accepts(&entry.metadata)
        })
    }

    /// The chunks of a document, or `None` when it is not in this snapshot. Says nothing about rights.
    #[must_use]
    pub fn chunk_span_of(&self, document: &DocumentId) -> Option<ChunkSpan> {
        self.table.get(document).map(|entry| entry.span)
    }

    /// The document a chunk belongs to, or `None` when the chunk is not live here or outside the scope.
    #[must_use]
    pub fn document_of(&self, scope: &Scope, chunk: ChunkId) -> Option<&DocumentEntry> {
        self.table.owner(chunk).filter(|entry| scope.permits(&entry.tenant, &entry.access))
    }

    /// Chunks of the snapshot that one of the retrievers does not hold, whoever may read them: without text
    /// in the lexical index, and without a vector. Both are empty in a sound index; for audits.
    #[must_use]
    pub fn chunks_not_held(&self) -> (Vec<ChunkId>, Vec<ChunkId>) {
        let live = self.table.live();
        let without_text = live - self.lexical.chunk_ids();
        let without_vector = live.iter().map(ChunkId).filter(|chunk| self.vectors.vector(*chunk).is_none());
        (without_text.iter().map(ChunkId).collect(), without_vector.collect())
    }

    /// Languages that occur in the collection, whoever may read them; queries are analysed for each.
    #[must_use]
    pub fn languages(&self) -> &[String] {
        self.table.languages()
    }

    /// Metadata keys and values among the documents inside the scope, the most frequent first; at most
    /// 100 keys and 50 values of each.
    #[must_use]
    pub fn facets(&self, scope: &Scope) -> Vec<Facet> {
        count_facets(self.readable(scope))
    }

    /// Keys of the filter that no document inside the scope has: a search with them finds nothing, and
    /// the person who asks should learn why.
    #[must_use]
    pub fn unknown_filter_keys(&self, scope: &Scope, filter: &Filter) -> Vec<String> {
        let mut unknown: Vec<String> = Vec::new();
        for condition in &filter.conditions {
            let known = unknown.contains(&condition.key)
                || self.readable(scope).any(|entry| entry.metadata.contains_key(&condition.key));
            if !known {
                unknown.push(condition.key.clone());
            }
        }
        unknown
    }

    /// Every document of the snapshot, whoever may read it: for what is worked out once for all readers. Who
    /// asks narrows what comes of it to a scope, with `tenant` and `access` of each entry.
    #[must_use]
    pub fn all_documents(&self) -> &[DocumentEntry] {
        self.table.entries()
    }

    fn readable<'a>(&'a self, scope: &'a Scope) -> impl Iterator<Item = &'a DocumentEntry> {
        self.table.entries().iter().filter(|entry| scope.permits(&entry.tenant, &entry.access))
    }

    /// [`IndexSnapshot::search_lexical`] with k1 and b of the caller's choice.
    ///
    /// # Errors
    /// [`IndexError::Engine`] and others.
    pub fn search_lexical_with(
        &self,
        search: LexicalSearch<'_>,
        parameters: Bm25Parameters,
    ) -> Result<Vec<ScoredChunk>, IndexError> {
        let allowed = self.allowed(search.scope, search.filter);
        if allowed.is_empty() || search.limit == 0 {
            return Ok(Vec::new());
        }
        self.lexical
            .search(search.query, self.languages(), &allowed, parameters, search.limit)
            .map_err(lexical_error)
    }

    /// [`IndexSnapshot::explain_lexical`] with k1 and b of the caller's choice.
    ///
    /// # Errors
    /// [`IndexError::Engine`] and others.
    pub fn explain_lexical_with(
        &self,
        search: LexicalSearch<'_>,
        chunk: ChunkId,
        parameters: Bm25Parameters,
    ) -> Result<Option<LexicalHit>, IndexError> {
        if !self.is_allowed(search.scope, search.filter, chunk) {
            return Ok(None);
        }
        self.lexical.explain(search.query, self.languages(), chunk, parameters).map_err(lexical_error)
    }

    /// The words of `query` with how rare each is among all chunks, whoever may read them: for weights, never
    /// to be shown.
    ///
    /// # Errors
    /// [`IndexError::Engine`] and others.
    pub fn query_terms(&self, query: &str) -> Result<Vec<adit_lexical::QueryTerm>, IndexError> {
        self.lexical.query_terms(query, self.languages()).map_err(lexical_error)
    }

    /// [`IndexSnapshot::search_dense`], with the plan that was followed.
    ///
    /// # Errors
    /// [`IndexError::FingerprintMismatch`], [`IndexError::Dimension`], [`IndexError::Engine`].
    pub fn search_dense_with_plan(&self, search: DenseSearch<'_>) -> Result<DenseAnswer, IndexError> {
        self.check(&search)?;
        let allowed = self.allowed(search.scope, search.filter);
        if allowed.is_empty() || search.limit == 0 {
            let plan = "nothing to search: no chunk is inside the scope and the filter".to_owned();
            return Ok(DenseAnswer { hits: Vec::new(), plan });
        }
        let ef = search.ef_search.or(self.tuned_ef);
        let found = self.vectors.search(search.vector, &allowed, search.limit, ef).map_err(vector_error)?;
        Ok(DenseAnswer { hits: found.hits, plan: found.plan })
    }

    /// The true nearest chunks by float32 over every allowed vector, for audits.
    ///
    /// # Errors
    /// As [`Snapshot::search_dense_with_plan`].
    pub fn search_dense_exact(&self, search: DenseSearch<'_>) -> Result<Vec<ScoredChunk>, IndexError> {
        self.check(&search)?;
        let allowed = self.allowed(search.scope, search.filter);
        if allowed.is_empty() || search.limit == 0 {
            return Ok(Vec::new());
        }
        self.vectors.exact(search.vector, &allowed, search.limit).map_err(vector_error)
    }

    /// The BM25 scores of `chunks` inside the scope and filter of `search`; those without a word are left out.
    ///
    /// # Errors
    /// [`IndexError::Engine`] and others.
    pub fn lexical_scores(
        &self,
        search: LexicalSearch<'_>,
        chunks: &[ChunkId],
        parameters: Bm25Parameters,
    ) -> Result<Vec<ScoredChunk>, IndexError> {
        let wanted: RoaringBitmap = chunks.iter().map(|chunk| chunk.0).collect();
        let allowed = wanted & &*self.allowed(search.scope, search.filter);
        if allowed.is_empty() {
            return Ok(Vec::new());
        }
        self.lexical
            .search(search.query, self.languages(), &allowed, parameters, chunks.len())
            .map_err(lexical_error)
    }

    /// The exact cosines of `chunks` to a vector of length 1; those without a vector are left out. The caller
    /// has them from a scoped search.
    ///
    /// # Errors
    /// [`IndexError::Dimension`].
    pub fn dense_scores(&self, vector: &[f32], chunks: &[ChunkId]) -> Result<Vec<ScoredChunk>, IndexError> {
        self.vectors.scores_of(vector, chunks).map_err(vector_error)
    }

    /// How the token codes of the chunks are made, for a question's [`TokenQuery`]; `None` where no chunk can
    /// have any.
    #[must_use]
    pub fn token_code_make(&self) -> Option<&TokenCodeMake> {
        self.tokens.set().map(|set| set.make().as_ref())
    }

    /// MaxSim of `chunks` to a question of this snapshot's make; those without token codes are left out. The
    /// caller has the chunks from a scoped search.
    #[must_use]
    pub fn late_interaction_scores(&self, query: &TokenQuery, chunks: &[ChunkId]) -> Vec<ScoredChunk> {
        self.tokens.set().map(|set| set.scores_of(query, chunks)).unwrap_or_default()
    }

    fn check(&self, search: &DenseSearch<'_>) -> Result<(), IndexError> {
        if *search.fingerprint != *self.fingerprint {
            return Err(IndexError::FingerprintMismatch {
                index: Box::new((*self.fingerprint).clone()),
                given: Box::new(search.fingerprint.clone()),
            });
        }
        let expected = self.fingerprint.embedder.dimension;
        if search.vector.len() != expected {
            return Err(IndexError::Dimension { expected, given: search.vector.len() });
        }
        Ok(())
    }
}

impl IndexSnapshot for Snapshot {
    fn sequence(&self) -> SequenceNumber {
        self.sequence
    }

    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn search_lexical(&self, search: LexicalSearch<'_>) -> Result<Vec<ScoredChunk>, IndexError> {
        self.search_lexical_with(search, Bm25Parameters::default())
    }

    fn search_dense(&self, search: DenseSearch<'_>) -> Result<Vec<ScoredChunk>, IndexError> {
        Ok(self.search_dense_with_plan(search)?.hits)
    }

    fn explain_lexical(
        &self,
        search: LexicalSearch<'_>,
        chunk: ChunkId,
    ) -> Result<Option<LexicalHit>, IndexError> {
        self.explain_lexical_with(search, chunk, Bm25Parameters::default())
    }
}
