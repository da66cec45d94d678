use std::collections::{HashMap, HashSet};
use std::time::Instant;

use adit_core::{
    ChunkId, DenseSearch, EmbedError, EmbeddedText, Embedder, Fingerprint, IndexSnapshot, LexicalSearch,
    RetrieverRank, ScoredChunk, SignalFactor, StageTrace,
};
use adit_index::{DenseAnswer, Snapshot};

use crate::dense_weight::DenseWeight;
use crate::fusion::{FusionWeights, Lists, fuse};
use crate::late_interaction::{LateInteraction, LateInteractionDefault};
use crate::long_question::{self, LongQuestion};
use crate::rerank::Reranked;
use crate::{Mode, RetrieveError, SearchRequest};

/// The candidates of the retrievers and their common order.
pub(crate) struct Candidates {
    /// Best first; `None` when words were not searched.
    pub(crate) lexical: Option<Vec<ScoredChunk>>,
    /// Best first; `None` when meaning was not searched.
    pub(crate) dense: Option<Vec<ScoredChunk>>,
    /// The candidates by token vectors, best first; `None` when these were not used.
    pub(crate) late_interaction: Option<Vec<ScoredChunk>>,
    /// Best first, scores from 0 to 1 as [`crate::Fusion`] defines them.
    pub(crate) fused: Vec<(ChunkId, f32)>,
    /// What came after fusion; empty where nothing did.
    pub(crate) reranked: Reranked,
    /// What multiplied a fused score.
    pub(crate) signals: HashMap<ChunkId, Vec<SignalFactor>>,
    /// The question's vector, where meaning was searched.
    pub(crate) vector: Option<Vec<f32>>,
    /// `[tokens, dimension]` of the question; empty where token vectors take no part.
    pub(crate) token_vectors: Vec<f32>,
    /// Whether and how they take part.
    pub(crate) late: LateInteraction,
    pub(crate) stages: Vec<StageTrace>,
    pub(crate) notices: Vec<String>,
}

impl Candidates {
    /// Rank and score of a chunk by words.
    pub(crate) fn lexical_rank(&self, chunk: ChunkId) -> Option<RetrieverRank> {
        rank_in(self.lexical.as_deref(), chunk)
    }

    /// Rank and score of a chunk by meaning.
    pub(crate) fn dense_rank(&self, chunk: ChunkId) -> Option<RetrieverRank> {
        rank_in(self.dense.as_deref(), chunk)
    }

    /// All candidates in the order in which they are shown, with their fused scores: the reranked ones by the
    /// reranker's scores, the others behind them in fused order.
    pub(crate) fn in_order(&self) -> Vec<(ChunkId, f32)> {
        let by_chunk: HashMap<ChunkId, f32> = self.fused.iter().copied().collect();
        let score = |chunk: &ChunkId| by_chunk.get(chunk).copied().unwrap_or_default();
        let first = self.reranked.ranks.iter().map(|(chunk, _)| (*chunk, score(chunk)));
        let reranked: HashSet<ChunkId> = self.reranked.ranks.iter().map(|(chunk, _)| *chunk).collect();
        first.chain(self.fused.iter().filter(|(chunk, _)| !reranked.contains(chunk)).copied()).collect()
    }

    /// Rank and score of a chunk by token vectors.
    pub(crate) fn late_interaction_rank(&self, chunk: ChunkId) -> Option<RetrieverRank> {
        rank_in(self.late_interaction.as_deref(), chunk)
    }

    /// Rank and score of a chunk after fusion.
    pub(crate) fn fused_rank(&self, chunk: ChunkId) -> Option<RetrieverRank> {
        let at = self.fused.iter().position(|(fused, _)| *fused == chunk)?;
        self.fused.get(at).map(|(_, score)| RetrieverRank { rank: at + 1, score: *score })
    }
}

fn rank_in(list: Option<&[ScoredChunk]>, chunk: ChunkId) -> Option<RetrieverRank> {
    let list = list?;
    let at = list.iter().position(|hit| hit.chunk == chunk)?;
    list.get(at).map(|hit| RetrieverRank { rank: at + 1, score: hit.score })
}

/// Asks the retrievers of the request's mode, both at once, and fuses their lists.
pub(crate) fn gather(
    snapshot: &Snapshot,
    embedder: Option<&dyn Embedder>,
    late_interaction: LateInteractionDefault,
    request: &SearchRequest<'_>,
) -> Result<Candidates, RetrieveError> {
    let mut stages = Vec::new();
    let mut notices = Vec::new();
    let late = LateInteraction::of(snapshot, embedder, late_interaction, request);
    let embedded = embed_query(embedder, late.is_on(), request, &mut stages, &mut notices)?;
    let (embedded, token_vectors) = match embedded {
        Some(embedded) => (Some(embedded.vector), embedded.token_vectors),
        None => (None, Vec::new()),
    };
    let fingerprint = embedder.map(|embedder| Fingerprint {
        embedder: embedder.description().clone(),
        ..snapshot.fingerprint().clone()
    });
    let dense_input = embedded.as_deref().zip(fingerprint.as_ref());
    let by_words = || (request.mode != Mode::Dense).then(|| timed(|| search_lexical(snapshot, request)));
    let by_meaning = || {
        dense_input
            .map(|(vector, fingerprint)| timed(|| search_dense(snapshot, request, vector, fingerprint)))
    };
    let (lexical, dense) = if request.mode == Mode::Hybrid && dense_input.is_some() {
        std::thread::scope(|scope| {
            let words = scope.spawn(by_words);
            let dense = by_meaning();
            words.join().map(|lexical| (lexical, dense))
        })
        .map_err(|_| RetrieveError::ThreadDied { stage: "lexical" })?
    } else {
        (by_words(), by_meaning())
    };
    let allowed =
        usize::try_from(snapshot.allowed_count(request.scope, request.filter)).unwrap_or(usize::MAX);
    let lexical = match lexical {
        None => None,
        Some((found, elapsed_us)) => {
            let hits = found?;
            let detail = format!("BM25 k1={} b={}", request.bm25.k1, request.bm25.b);
            stages.push(stage("lexical", allowed, hits.len(), elapsed_us, detail));
            Some(hits)
        }
    };
    let dense = match dense {
        None => None,
        Some((found, elapsed_us)) => {
            let answer = found?;
            stages.push(stage("dense", allowed, answer.hits.len(), elapsed_us, answer.plan));
            Some(answer.hits)
        }
    };
    let weight = DenseWeight::of(snapshot.languages(), embedder, request);
    let (scored, elapsed_us) =
        timed(|| late.score(snapshot, &token_vectors, lexical.as_deref(), dense.as_deref()));
    let late_interaction = scored?.map(|scored| {
        stages.push(stage(
            "late_interaction",
            scored.candidates,
            scored.hits.len(),
            elapsed_us,
            scored.detail,
        ));
        scored.hits
    });
    let lists = Lists {
        lexical: lexical.as_deref(),
        dense: dense.as_deref(),
        late_interaction: late_interaction.as_deref(),
        vector: embedded.as_deref(),
    };
    let weights = FusionWeights { dense: weight.value, late_interaction: late.weight() };
    let (joined, elapsed_us) = timed(|| fuse(snapshot, request, lists, weights));
    let (fused, how) = joined?;
    let entered = lexical.as_ref().map_or(0, Vec::len) + dense.as_ref().map_or(0, Vec::len);
    stages.push(stage("fuse", entered, fused.len(), elapsed_us, format!("{how}{weight}")));
    Ok(Candidates {
        lexical,
        dense,
        late_interaction,
        fused,
        signals: HashMap::new(),
        reranked: Reranked::default(),
        vector: embedded,
        token_vectors,
        late,
        stages,
        notices,
    })
}

/// The question's vector, with those of its tokens where they are wanted, or `None` with a notice where a search by words can stand in.
fn embed_query(
    embedder: Option<&dyn Embedder>,
    with_tokens: bool,
    request: &SearchRequest<'_>,
    stages: &mut Vec<StageTrace>,
    notices: &mut Vec<String>,
) -> Result<Option<EmbeddedText>, RetrieveError> {
    if request.mode == Mode::Lexical {
        return Ok(None);
    }
    let dense_only = request.mode == Mode::Dense;
    let Some(embedder) = embedder else {
        if dense_only {
            return Err(RetrieveError::NoEmbedder);
        }
        notices.push("searched by words only: no embedding model is loaded".to_owned());
        return Ok(None);
    };
    let (embedded, elapsed_us) = timed(|| match embedder.token_embedder().filter(|_| with_tokens) {
        Some(tokens) => tokens.embed_query_with_tokens(request.query),
        None => {
            let vector = embedder.embed_query(request.query);
            vector.map(|vector| EmbeddedText { vector, token_vectors: Vec::new() })
        }
    });
    let model = &embedder.description().model;
    let found = usize::from(embedded.is_ok());
    stages.push(stage("embed_query", 1, found, elapsed_us, model.clone()));
    match embedded {
        Ok(embedded) => Ok(Some(embedded)),
        Err(EmbedError::InputTooLong { tokens, limit_tokens }) if request.understanding.long_question => {
            let (embedded, elapsed_us) = timed(|| long_question::embed(embedder, request.query));
            let LongQuestion { vector, windows, left_out_bytes } =
                embedded.map_err(|source| RetrieveError::Embedding { source })?;
            let detail = format!("{tokens} tokens in {windows} parts of at most {limit_tokens}");
            stages.push(stage("embed_parts", 1, windows, elapsed_us, detail));
            if left_out_bytes > 0 {
                notices.push(format!(
                    "searched by meaning without the last {left_out_bytes} bytes of the question: it has {tokens} tokens"
                ));
            }
            // Token vectors of parts were made without what the other parts say; the long question has none.
            Ok(Some(EmbeddedText { vector, token_vectors: Vec::new() }))
        }
        Err(source) if dense_only => Err(RetrieveError::Embedding { source }),
        Err(EmbedError::InputTooLong { tokens, limit_tokens }) => {
            notices.push(format!(
                "searched by words only: the question has {tokens} tokens, the model reads {limit_tokens}"
            ));
            Ok(None)
        }
        Err(error) => {
            notices.push(format!("searched by words only: {error}"));
            Ok(None)
        }
    }
}

fn search_lexical(
    snapshot: &Snapshot,
    request: &SearchRequest<'_>,
) -> Result<Vec<ScoredChunk>, RetrieveError> {
    let SearchRequest { scope, filter, query, depth, bm25, .. } = *request;
    Ok(snapshot.search_lexical_with(LexicalSearch { scope, filter, query, limit: depth }, bm25)?)
}

fn search_dense(
    snapshot: &Snapshot,
    request: &SearchRequest<'_>,
    vector: &[f32],
    fingerprint: &Fingerprint,
) -> Result<DenseAnswer, RetrieveError> {
    let SearchRequest { scope, filter, depth, ef_search, .. } = *request;
    Ok(snapshot.search_dense_with_plan(DenseSearch {
        scope,
        filter,
        vector,
        fingerprint,
        limit: depth,
        ef_search,
    })?)
}

/// The result of `work` and the microseconds it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let start = Instant::now();
    let result = work();
    (result, u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX))
}

pub(crate) fn stage(
    name: &str,
    items_in: usize,
    items_out: usize,
    elapsed_us: u64,
    detail: String,
) -> StageTrace {
    StageTrace { stage: name.to_owned(), items_in, items_out, elapsed_us, detail }
}
