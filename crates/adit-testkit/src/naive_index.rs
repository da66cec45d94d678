use std::collections::BTreeMap;

use adit_core::{
    AccessControl, ChunkId, DocumentId, Filter, Metadata, ReadScope, Scope, ScoredChunk, TenantId,
};

use crate::TestDocument;
use crate::naive_bm25::{LengthNorm, bm25_scores, split_words};

/// A document as the naive index keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct NaiveDocument {
    /// Id; a document with the same one is replaced.
    pub id: DocumentId,
    /// Owner.
    pub tenant: TenantId,
    /// Who may read it.
    pub access: AccessControl,
    /// What filters see; built-in keys are the caller's affair.
    pub metadata: Metadata,
    /// Id, indexed text and vector of each chunk.
    pub chunks: Vec<(ChunkId, String, Vec<f32>)>,
}

impl NaiveDocument {
    /// A generated document whose chunks got ids from `first_chunk` on.
    #[must_use]
    pub fn from_test_document(document: &TestDocument, first_chunk: ChunkId) -> Self {
        let chunks = document
            .chunks
            .iter()
            .zip(&document.vectors)
            .zip(first_chunk.0..)
            .map(|((chunk, vector), number)| (ChunkId(number), chunk.indexed.clone(), vector.clone()));
        Self {
            id: document.id.clone(),
            tenant: document.tenant.clone(),
            access: document.access.clone(),
            metadata: document.metadata.clone(),
            chunks: chunks.collect(),
        }
    }
}

/// Makes terms of a text.
type Analyse = dyn Fn(&str) -> Vec<String> + Send + Sync;

/// The index at its plainest, to compare the real one with: every search looks at every chunk. BM25
/// statistics are those of the living chunks of all tenants, as they are of a whole collection.
pub struct NaiveIndex {
    documents: BTreeMap<DocumentId, NaiveDocument>,
    analyse: Box<Analyse>,
}

impl Default for NaiveIndex {
    fn default() -> Self {
        Self::with_analyser(split_words)
    }
}

impl NaiveIndex {
    /// An empty index that makes terms with `analyse`; the default one is [`split_words`].
    #[must_use]
    pub fn with_analyser(analyse: impl Fn(&str) -> Vec<String> + Send + Sync + 'static) -> Self {
        Self { documents: BTreeMap::new(), analyse: Box::new(analyse) }
    }

    /// Adds a document or replaces it.
    pub fn insert(&mut self, document: NaiveDocument) {
        self.documents.insert(document.id.clone(), document);
    }

    /// Removes a document; whether it was there.
    pub fn remove(&mut self, id: &DocumentId) -> bool {
        self.documents.remove(id).is_some()
    }

    /// Changes rights and metadata; whether the document is there.
    pub fn update_access(&mut self, id: &DocumentId, access: AccessControl, metadata: Metadata) -> bool {
        self.documents.get_mut(id).is_some_and(|document| {
            document.access = access;
            document.metadata = metadata;
            true
        })
    }

    /// The documents by id.
    pub fn documents(&self) -> impl Iterator<Item = &NaiveDocument> {
        self.documents.values()
    }

    /// Ids of the chunks that a search with this scope and filter may return, rising.
    #[must_use]
    pub fn allowed(&self, scope: ReadScope<'_>, filter: &Filter) -> Vec<ChunkId> {
        let permitted = self.documents.values().filter(|document| {
            scope.permits(&document.tenant, &document.access) && filter.accepts(&document.metadata)
        });
        let mut ids: Vec<_> =
            permitted.flat_map(|document| document.chunks.iter().map(|chunk| chunk.0)).collect();
        ids.sort_unstable();
        ids
    }

    /// The best chunks by cosine (vectors have length 1), best first, equal scores by rising id.
    #[must_use]
    pub fn search_dense(
        &self,
        scope: &Scope,
        filter: &Filter,
        vector: &[f32],
        limit: usize,
    ) -> Vec<ScoredChunk> {
        let scores = self.chunks().map(|(id, _, stored)| {
            let cosine = stored.iter().zip(vector).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
            (id, cosine)
        });
        self.best(scores.collect(), scope, filter, limit)
    }

    /// The best chunks by BM25 among those that have a word of the query, best first, equal scores by
    /// rising id.
    #[must_use]
    pub fn search_lexical(
        &self,
        scope: &Scope,
        filter: &Filter,
        query: &str,
        (k1, b): (f32, f32),
        norm: LengthNorm,
        limit: usize,
    ) -> Vec<ScoredChunk> {
        let terms: Vec<(ChunkId, Vec<String>)> =
            self.chunks().map(|(id, text, _)| (id, (self.analyse)(text))).collect();
        let texts: Vec<&[String]> = terms.iter().map(|(_, terms)| terms.as_slice()).collect();
        let scores = bm25_scores(&texts, &(self.analyse)(query), k1, b, norm);
        let matching = terms.iter().zip(scores).filter(|(_, score)| *score > 0.0);
        self.best(matching.map(|((id, _), score)| (*id, score)).collect(), scope, filter, limit)
    }

    fn chunks(&self) -> impl Iterator<Item = (ChunkId, &str, &[f32])> {
        self.documents
            .values()
            .flat_map(|document| document.chunks.iter())
            .map(|(id, text, vector)| (*id, text.as_str(), vector.as_slice()))
    }

    fn best(
        &self,
        mut scores: Vec<(ChunkId, f64)>,
        scope: &Scope,
        filter: &Filter,
        limit: usize,
    ) -> Vec<ScoredChunk> {
        let allowed = self.allowed(ReadScope::Reader(scope), filter);
        scores.retain(|(id, _)| allowed.binary_search(id).is_ok());
        scores.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        scores.truncate(limit);
        scores.into_iter().map(|(chunk, score)| ScoredChunk { chunk, score: score as f32 }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CorpusSettings, corpus};
    use adit_core::Principal;

    fn filled() -> (NaiveIndex, Vec<TestDocument>) {
        let documents = corpus(&CorpusSettings::default());
        let mut index = NaiveIndex::default();
        let mut next = 1;
        for document in &documents {
            index.insert(NaiveDocument::from_test_document(document, ChunkId(next)));
            next += document.chunks.len() as u32;
        }
        (index, documents)
    }

    #[test]
    fn finds_a_chunk_by_its_own_vector_and_its_own_words() {
        let (index, documents) = filled();
        let document = documents.iter().find(|one| one.access == AccessControl::Tenant).unwrap();
        let scope = Scope::new(document.tenant.clone(), []);
        let wanted = index.documents().find(|one| one.id == document.id).unwrap().chunks[0].0;
        let dense = index.search_dense(&scope, &Filter::default(), &document.vectors[0], 3);
        assert_eq!(dense[0].chunk, wanted);
        assert!((dense[0].score - 1.0).abs() < 1e-5);
        let query = &document.chunks[0].indexed;
        let lexical =
            index.search_lexical(&scope, &Filter::default(), query, (0.9, 0.4), LengthNorm::Exact, 3);
        assert_eq!(lexical[0].chunk, wanted);
    }

    #[test]
    fn nothing_outside_scope_and_filter_comes_back() {
        let (mut index, documents) = filled();
        let scope = Scope::new(TenantId::new("tenant-0").unwrap(), [Principal("group-1".to_owned())]);
        let filter = Filter::parse(&["year>=2020"]).unwrap();
        let hits = index.search_dense(&scope, &filter, &documents[0].vectors[0], 1000);
        let may = index.allowed(ReadScope::Reader(&scope), &filter);
        assert!(!hits.is_empty() && hits.len() == may.len() && hits.len() < index.chunks().count());
        for document in &documents {
            assert!(index.remove(&document.id));
        }
        assert!(index.search_dense(&scope, &filter, &documents[0].vectors[0], 1000).is_empty());
    }
}
