use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use adit_catalog::{Catalog, CatalogView, GrepHit, GrepSummary};
use adit_core::{
    CandidateOutcome, CandidateTrace, ChunkId, DocumentId, Embedder, Filter, IndexSnapshot, LanguageModel,
    Passage, PassageScores, ReadScope, RetrieverRank, Scope, StageTrace, Trace,
};
use adit_index::{SearchIndex, Snapshot};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::assemble::{self, Assembled, Ranked};
use crate::candidates::{self, Candidates, stage, timed};
use crate::duplicates::{Folded, most_per_document};
use crate::evidence::{self, Evidence};
use crate::filter_keys::unknown_key_notice;
use crate::late_interaction::LateInteractionDefault;
use crate::query::checked_query;
use crate::render::render_tail;
use crate::rerank::Rerank;
use crate::signals::{CandidateFeatures, SignalKind, Signals};
use crate::token_counter::TokenCounter;
use crate::understand::{Surroundings, plan};
use crate::{FilterUse, MIN_BUDGET_TOKENS, QueryPlan, RetrieveError, SearchRequest, multi_search};

/// How often a search starts again because texts of its snapshot were purged under it.
const ATTEMPTS: usize = 3;

/// Answers questions over one collection. Cheap to share between threads.
#[derive(Clone)]
pub struct Retriever {
    index: Arc<SearchIndex>,
    catalog: Arc<Catalog>,
    embedder: Option<Arc<dyn Embedder>>,
    /// For the understanding of questions only.
    language_model: Option<Arc<dyn LanguageModel>>,
    pub(crate) rerank: Rerank,
    late_interaction: LateInteractionDefault,
    signals: Arc<Signals>,
}

/// Passages, and everything about how they came to be.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SearchResponse {
    /// In the order asked for.
    pub passages: Vec<Passage>,
    /// Passages within the limit that did not fit into the token budget.
    pub omitted: usize,
    /// Sentences for the caller: fallbacks, unknown filter keys, weak evidence.
    pub notices: Vec<String>,
    /// What speaks for an answer being there at all.
    pub evidence: Evidence,
    /// How the question was understood.
    pub plan: QueryPlan,
    /// The whole story.
    pub trace: Trace,
}

/// One chunk of a ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankedChunk {
    /// The chunk.
    pub chunk: ChunkId,
    /// Its document.
    pub document: DocumentId,
    /// Falls with the order, 0 to 1: the fused score; behind a reranker, whose scores have no common scale with
    /// the fused ones, the share of the candidates at this place or below.
    pub score: f32,
}

/// The candidates in their order, without texts; for evaluation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ranking {
    /// Best first.
    pub chunks: Vec<RankedChunk>,
    /// What ran.
    pub stages: Vec<StageTrace>,
    /// Fallbacks.
    pub notices: Vec<String>,
}

/// Where the words of a [`Retriever::grep`] stand.
#[derive(Debug, Clone)]
pub struct GrepResponse {
    /// By source, then by position.
    pub hits: Vec<GrepHit>,
    /// What was gone through.
    pub summary: GrepSummary,
}

impl Retriever {
    /// A retriever over an index and the catalog it was made from. Without an embedder only words are
    /// searched.
    #[must_use]
    pub fn new(index: Arc<SearchIndex>, catalog: Arc<Catalog>, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self {
            index,
            catalog,
            embedder,
            language_model: None,
            rerank: Rerank::default(),
            late_interaction: LateInteractionDefault::default(),
            signals: Arc::default(),
        }
    }

    /// The same retriever with a language model that rewrites and splits questions, where a request's
    /// [`crate::Understanding`] wants that.
    #[must_use]
    pub fn with_language_model(mut self, model: Arc<dyn LanguageModel>) -> Self {
        self.language_model = Some(model);
        self
    }

    /// The same with another weight for token vectors in requests that name none.
    #[must_use]
    pub fn with_late_interaction(mut self, default: LateInteractionDefault) -> Self {
        self.late_interaction = default;
        self
    }

    /// What token vectors count in requests that name no weight.
    pub(crate) fn late_interaction(&self) -> LateInteractionDefault {
        self.late_interaction
    }

    /// The same retriever with signals: which of them a search uses is for the settings or the call to say.
    #[must_use]
    pub fn with_signals(self, signals: Signals) -> Self {
        Self { signals: Arc::new(signals), ..self }
    }

    /// What multiplies fused scores.
    #[must_use]
    pub fn signals(&self) -> &Signals {
        &self.signals
    }

    /// The index it searches.
    #[must_use]
    pub fn index(&self) -> &Arc<SearchIndex> {
        &self.index
    }

    /// The catalog it reads texts from.
    #[must_use]
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// The embedder, if there is one.
    #[must_use]
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        self.embedder.as_deref()
    }

    pub(crate) fn counter(&self) -> TokenCounter<'_> {
        TokenCounter::new(self.embedder())
    }

    /// The best passages for a question inside a scope.
    ///
    /// # Errors
    /// [`RetrieveError`]: a question or budget that cannot be used, an embedder of another fingerprint,
    /// no model in dense mode, a failing index or catalog.
    pub fn search(&self, request: &SearchRequest<'_>) -> Result<SearchResponse, RetrieveError> {
        let request = &checked(request)?;
        let mut attempt = 1;
        loop {
            let snapshot = self.index.snapshot();
            // Opened after the snapshot was taken, so it has every chunk the snapshot names.
            let view = self.catalog.view()?;
            match self.search_in(&snapshot, &view, request) {
                Err(RetrieveError::TextGone { .. }) if attempt < ATTEMPTS => attempt += 1,
                result => return result,
            }
        }
    }

    /// The order of all candidates, without texts and budget.
    ///
    /// # Errors
    /// As [`Retriever::search`].
    pub fn rank(&self, request: &SearchRequest<'_>) -> Result<Ranking, RetrieveError> {
        let (ranking, ()) = self.rank_and(request, |_, _, _, _| Ok(()))?;
        Ok(ranking)
    }

    /// As [`Retriever::rank`], with what a trained ranker would see of the best candidates, which are those of
    /// the ranking's beginning, in its order. A trained ranker itself is left out.
    ///
    /// # Errors
    /// As [`Retriever::search`].
    pub fn rank_with_features(
        &self,
        request: &SearchRequest<'_>,
    ) -> Result<(Ranking, Vec<CandidateFeatures>), RetrieveError> {
        let signals = Some(self.signals.selection(request).without(SignalKind::Learned));
        let request = &SearchRequest { signals, ..*request };
        self.rank_and(request, |snapshot, view, request, found| {
            self.signals.features(snapshot, view, request, found)
        })
    }

    /// The ranking, and what `look` sees in the candidates and the request that they were found with.
    fn rank_and<Seen>(
        &self,
        request: &SearchRequest<'_>,
        look: impl FnOnce(&Snapshot, &CatalogView, &SearchRequest<'_>, &Candidates) -> Result<Seen, RetrieveError>,
    ) -> Result<(Ranking, Seen), RetrieveError> {
        let request = &checked(request)?;
        let snapshot = self.index.snapshot();
        let view = self.catalog.view()?;
        let plan = self.plan(&snapshot, request);
        let filter = narrowed(request, &plan);
        let request = &SearchRequest { query: &plan.question, filter: &filter, ..*request };
        let found = self.order(&snapshot, &view, request, &plan)?;
        let seen = look(&snapshot, &view, request, &found)?;
        Ok((ranking(&snapshot, request, found), seen))
    }

    /// Finds `words` letter by letter in the texts of the documents in scope.
    ///
    /// # Errors
    /// [`RetrieveError::EmptyQuery`], [`RetrieveError::Catalog`].
    pub fn grep(
        &self,
        words: &str,
        ignore_case: bool,
        scope: &Scope,
        limit: usize,
    ) -> Result<GrepResponse, RetrieveError> {
        if words.is_empty() {
            return Err(RetrieveError::EmptyQuery);
        }
        let mut hits = Vec::new();
        let read_scope = ReadScope::Reader(scope);
        let summary =
            self.catalog.view()?.grep(words, ignore_case, read_scope, limit, &mut |hit| hits.push(hit))?;
        Ok(GrepResponse { hits, summary })
    }

    /// The candidates in the order that a search shows them in: found, fused, and what comes after fusion.
    fn order(
        &self,
        snapshot: &Snapshot,
        view: &CatalogView,
        request: &SearchRequest<'_>,
        plan: &QueryPlan,
    ) -> Result<Candidates, RetrieveError> {
        let found = candidates::gather(snapshot, self.embedder(), self.late_interaction, request)?;
        let mut found =
            multi_search::widen(found, snapshot, self.embedder(), self.late_interaction, request, plan)?;
        self.signals.apply(snapshot, view, self.embedder(), request, &mut found)?;
        self.rerank.apply(&snapshot.fingerprint().hash(), view, request, &mut found)?;
        Ok(found)
    }

    /// The question as it is understood, and the searches it takes.
    fn plan(&self, snapshot: &Snapshot, request: &SearchRequest<'_>) -> QueryPlan {
        let facets = match request.understanding.filters {
            FilterUse::Ignore => Vec::new(),
            FilterUse::Suggest | FilterUse::Apply => snapshot.facets(request.scope),
        };
        let surroundings = Surroundings {
            conversation: request.conversation,
            languages: snapshot.languages(),
            facets: &facets,
            today: today(),
        };
        plan(request.query, &surroundings, &request.understanding, self.language_model.as_deref())
    }

    pub(crate) fn search_in(
        &self,
        snapshot: &Snapshot,
        view: &CatalogView,
        request: &SearchRequest<'_>,
    ) -> Result<SearchResponse, RetrieveError> {
        let (plan, elapsed_us) = timed(|| self.plan(snapshot, request));
        let filter = narrowed(request, &plan);
        let request = &SearchRequest { query: &plan.question, filter: &filter, ..*request };
        let mut found = self.order(snapshot, view, request, &plan)?;
        let detail = if plan.rewritten { format!("rewritten: {}", plan.question) } else { String::new() };
        found.stages.insert(0, stage("understand", 1, plan.searches.len(), elapsed_us, detail));
        let mut notices = filter_notices(snapshot, request);
        notices.extend(plan.notices.iter().cloned());
        notices.append(&mut found.notices);
        let (texts, elapsed_us) = timed(|| read_texts(view, request, &found));
        let (mut ranked, mut outcomes) = texts?;
        let entered = found.fused.len();
        outcomes.extend(assemble::without_contained(&mut ranked));
        outcomes.extend(most_per_document(&mut ranked, request.most_per_document, request.limit));
        ranked.truncate(request.limit);
        let copies =
            outcomes.iter().filter(|(_, one)| matches!(one, CandidateOutcome::Duplicate { .. })).count();
        let detail =
            if copies > 0 { format!("{copies} say the same as a better one") } else { String::new() };
        found.stages.push(stage("read_texts", entered, ranked.len(), elapsed_us, detail));

        let evidence = evidence::weigh(snapshot, request, &ranked, found.dense.as_deref(), self.embedder())?;
        notices.extend(evidence.notice());

        let passage_ids: HashMap<ChunkId, _> =
            ranked.iter().map(|one| (one.stored.chunk_id, one.stored.passage_id())).collect();
        let counter = self.counter();
        // Room for the lines after the passages, so that the whole rendered text keeps the budget.
        let tail_tokens = counter.count(&render_tail(request.limit, &notices));
        let room = request.budget_tokens.saturating_sub(tail_tokens);
        let (assembled, elapsed_us) = timed(|| assemble::assemble(ranked, room, request.order, &counter));
        let Assembled { passages, omitted, outcomes: assembled_outcomes } = assembled;
        let used: usize = passages.iter().map(|passage| passage.token_count).sum();
        let detail = format!("{used} of {} tokens", request.budget_tokens);
        found.stages.push(stage("assemble", passage_ids.len(), passages.len(), elapsed_us, detail));
        outcomes.extend(assembled_outcomes);
        let trace = trace(snapshot, request, found, &outcomes, &passage_ids, &notices);
        Ok(SearchResponse { passages, omitted, notices, evidence, plan, trace })
    }
}

/// The day in UTC.
pub(crate) fn today() -> Date {
    TimeZone::UTC.to_datetime(Timestamp::now()).date()
}

/// The request's filter, and what the question itself narrows, where that is wanted.
fn narrowed(request: &SearchRequest<'_>, plan: &QueryPlan) -> Filter {
    let mut filter = request.filter.clone();
    if plan.filters_applied {
        // They were made in this form, and one that could not be read would only narrow less.
        filter.conditions.extend(plan.filters.iter().filter_map(|text| text.parse().ok()));
    }
    filter
}

fn ranking(snapshot: &Snapshot, request: &SearchRequest<'_>, found: Candidates) -> Ranking {
    let owner = |chunk| snapshot.document_of(request.scope, chunk).map(|entry| entry.id.clone());
    let ordered = found.in_order();
    let is_reranked = !found.reranked.ranks.is_empty();
    let count = ordered.len();
    let chunks = ordered.into_iter().enumerate().filter_map(|(place, (chunk, fused))| {
        let score = if is_reranked { (count - place) as f32 / count as f32 } else { fused };
        owner(chunk).map(|document| RankedChunk { chunk, document, score })
    });
    Ranking { chunks: chunks.collect(), stages: found.stages, notices: found.notices }
}

/// The request with its question trimmed, if it can be answered at all.
pub(crate) fn checked<'a>(request: &SearchRequest<'a>) -> Result<SearchRequest<'a>, RetrieveError> {
    let query = checked_query(request.query)?;
    if request.budget_tokens < MIN_BUDGET_TOKENS {
        return Err(RetrieveError::BudgetTooSmall {
            budget_tokens: request.budget_tokens,
            minimum_tokens: MIN_BUDGET_TOKENS,
        });
    }
    Ok(SearchRequest { query, ..*request })
}

type Outcomes = Vec<(ChunkId, CandidateOutcome)>;

/// Candidates that are read for each passage asked for, at most: copies give their places to others.
const READ_PER_PASSAGE: usize = 5;
/// The same where a quota holds.
const READ_UNDER_QUOTA: usize = 200;

/// Reads the best candidates' texts and folds those that say the same: a few more than the limit, since some may
/// be contained in others.
fn read_texts(
    view: &CatalogView,
    request: &SearchRequest<'_>,
    found: &Candidates,
) -> Result<(Vec<Ranked>, Outcomes), RetrieveError> {
    let mut folded = Folded::default();
    let cut = &found.reranked.cut;
    let wanted = request.limit.saturating_mul(2).saturating_add(2);
    let most_read = wanted.max(request.limit.saturating_mul(READ_PER_PASSAGE));
    // Under a quota the candidates of other documents may stand far down.
    let most_read = if request.most_per_document > 0 { most_read.max(READ_UNDER_QUOTA) } else { most_read };
    let mut read = 0;
    for (rank, (chunk, score)) in (1..).zip(&found.in_order()) {
        let is_enough = folded.showable(request.most_per_document) >= wanted;
        if is_enough || read >= most_read || request.limit == 0 {
            break;
        }
        if cut.contains_key(chunk) {
            continue;
        }
        read += 1;
        let stored = view.chunk(*chunk)?.ok_or(RetrieveError::TextGone { chunk: *chunk })?;
        // Rights withdrawn since the snapshot hold at once; the snapshot itself is already scoped.
        if !request.scope.permits(&stored.tenant, &stored.access) {
            continue;
        }
        let pair = |rank: RetrieverRank| (rank.rank, rank.score);
        let scores = PassageScores {
            rank,
            score: *score,
            lexical: found.lexical_rank(*chunk).map(pair),
            dense: found.dense_rank(*chunk).map(pair),
            reranker: found.reranked.rank(*chunk).map(pair),
            relevance: found.reranked.relevance.get(chunk).copied(),
            late_interaction: found.late_interaction_rank(*chunk).map(pair),
        };
        folded.take(Ranked { stored, scores, also_in: Vec::new() }, request.fold_duplicates);
    }
    let Folded { kept, mut outcomes, .. } = folded;
    outcomes.extend(cut.iter().map(|(chunk, outcome)| (*chunk, *outcome)));
    Ok((kept, outcomes))
}

fn filter_notices(snapshot: &Snapshot, request: &SearchRequest<'_>) -> Vec<String> {
    if request.filter.is_empty() {
        return Vec::new();
    }
    let unknown = snapshot.unknown_filter_keys(request.scope, request.filter);
    if unknown.is_empty() {
        return Vec::new();
    }
    let known: BTreeSet<String> = snapshot.facets(request.scope).into_iter().map(|facet| facet.key).collect();
    unknown.iter().take(3).map(|key| unknown_key_notice(key, &known)).collect()
}

fn trace(
    snapshot: &Snapshot,
    request: &SearchRequest<'_>,
    found: Candidates,
    outcomes: &Outcomes,
    passages: &HashMap<ChunkId, adit_core::PassageId>,
    notices: &[String],
) -> Trace {
    let outcomes: HashMap<ChunkId, CandidateOutcome> = outcomes.iter().copied().collect();
    let ordered = found.in_order();
    let candidates = ordered.iter().map(|(chunk, _)| {
        let outcome = outcomes.get(chunk).copied().unwrap_or(CandidateOutcome::BelowLimit);
        CandidateTrace {
            passage: passages.get(chunk).cloned(),
            lexical: found.lexical_rank(*chunk),
            dense: found.dense_rank(*chunk),
            late_interaction: found.late_interaction_rank(*chunk),
            fused: found.fused_rank(*chunk),
            reranked: found.reranked.rank(*chunk),
            relevance: found.reranked.relevance.get(chunk).copied(),
            signals: found.signals.get(chunk).cloned().unwrap_or_default(),
            ..CandidateTrace::of(*chunk, outcome)
        }
    });
    let candidates = candidates.collect();
    Trace {
        query: request.query.to_owned(),
        sequence: snapshot.sequence().0,
        fingerprint: snapshot.fingerprint().hash(),
        stages: found.stages,
        candidates,
        notices: notices.to_vec(),
    }
}
