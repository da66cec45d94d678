//! What multiplies a fused score beside how well the words fit: authority, recency, versions, links,
//! popularity; and a ranker that was trained on a golden set. Runs after fusion and before a reranker. All of
//! it is off unless the settings or a call name it, and every factor stands in the trace with its reason.

mod authority;
mod calendar_period;
mod collection_facts;
mod combine;
mod features;
mod learned;
mod link_graph;
mod links;
mod popularity;
mod question_time;
mod recency;
mod selection;
mod settings;
mod version_name;
mod version_rule;

use std::collections::HashMap;
use std::sync::Arc;

use adit_catalog::CatalogView;
use adit_core::{ChunkId, Embedder, IndexSnapshot, ScoredChunk, SequenceNumber, SignalFactor};
use adit_index::Snapshot;
use jiff::civil::Date;
use parking_lot::Mutex;

pub use features::{CandidateFeatures, FEATURE_NAMES};
pub use popularity::{DocumentVerdicts, Popularity};
pub use selection::{SignalKind, SignalSelection};
pub use settings::{AuthorityRule, FACTOR_BOUNDS, SignalSettings};

use authority::AuthorityRules;
use collection_facts::{CollectionFacts, Position};
use question_time::{AskedTime, asked_time};
use version_rule::Version;

use crate::candidates::{Candidates, stage, timed};
use crate::dense_weight::DenseWeight;
use crate::fusion::{FusionWeights, Lists, fuse};
use crate::retriever::today;
use crate::{RetrieveError, SearchRequest};

/// Versions of one document that are compared; more of them are hardly versions.
const MOST_VERSIONS: usize = 200;
/// Generations of `supersedes` that are followed.
const MOST_GENERATIONS: usize = 50;

/// The stage of signals, shared by the searches of one retriever.
#[derive(Default)]
pub struct Signals {
    settings: SignalSettings,
    authority: AuthorityRules,
    popularity: Popularity,
    ranker: Option<adit_learn::Ranker>,
    /// Of the newest snapshot that was searched.
    facts: Mutex<Option<(SequenceNumber, SequenceNumber, Arc<CollectionFacts>)>>,
}

impl Signals {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`RetrieveError::SignalSettings`] names the value that cannot be meant.
    pub fn new(settings: SignalSettings) -> Result<Self, RetrieveError> {
        let authority = settings.checked()?;
        Ok(Self { settings, authority, ..Self::default() })
    }

    /// With what readers said of earlier answers.
    #[must_use]
    pub fn with_popularity(self, popularity: Popularity) -> Self {
        Self { popularity, ..self }
    }

    /// With a trained ranker.
    ///
    /// # Errors
    /// [`RetrieveError::SignalSettings`] for a ranker that was trained on other features.
    pub fn with_ranker(self, ranker: adit_learn::Ranker) -> Result<Self, RetrieveError> {
        if ranker.feature_names() != FEATURE_NAMES {
            let detail = "the trained ranker reads other features than this version computes".to_owned();
            return Err(RetrieveError::SignalSettings { detail });
        }
        Ok(Self { ranker: Some(ranker), ..self })
    }

    /// What a request uses.
    #[must_use]
    pub fn selection(&self, request: &SearchRequest<'_>) -> SignalSelection {
        request.signals.unwrap_or(self.settings.selection)
    }

    /// Whether a ranker was trained.
    #[must_use]
    pub fn has_ranker(&self) -> bool {
        self.ranker.is_some()
    }

    fn facts(&self, snapshot: &Snapshot, view: &CatalogView) -> Result<Arc<CollectionFacts>, RetrieveError> {
        let key = (snapshot.sequence(), view.last_sequence());
        let mut kept = self.facts.lock();
        if let Some((sequence, catalog, facts)) = kept.as_ref()
            && (*sequence, *catalog) == key
        {
            return Ok(Arc::clone(facts));
        }
        let facts = Arc::new(CollectionFacts::read(snapshot, view, &self.settings.date_keys)?);
        *kept = Some((key.0, key.1, Arc::clone(&facts)));
        Ok(facts)
    }

    /// Multiplies the fused scores and brings the candidates into their new order.
    pub(crate) fn apply(
        &self,
        snapshot: &Snapshot,
        view: &CatalogView,
        embedder: Option<&dyn Embedder>,
        request: &SearchRequest<'_>,
        found: &mut Candidates,
    ) -> Result<(), RetrieveError> {
        let selection = self.selection(request);
        if selection.is_empty() || found.fused.is_empty() {
            return Ok(());
        }
        let entered = found.fused.len();
        let (applied, elapsed_us) = timed(|| {
            let facts = self.facts(snapshot, view)?;
            let question = Question::new(self, snapshot, &facts, request, selection);
            question.add_linked(embedder, found)?;
            question.multiply(found);
            Ok::<(), RetrieveError>(())
        });
        applied?;
        found.stages.push(stage("signals", entered, found.fused.len(), elapsed_us, selection.to_string()));
        if selection.has(SignalKind::Learned) {
            self.apply_learned(snapshot, view, request, found)?;
        }
        Ok(())
    }
}

/// One question's signals.
struct Question<'a> {
    signals: &'a Signals,
    snapshot: &'a Snapshot,
    facts: &'a CollectionFacts,
    request: &'a SearchRequest<'a>,
    selection: SignalSelection,
    asked: AskedTime,
    today: Date,
}

impl<'a> Question<'a> {
    fn new(
        signals: &'a Signals,
        snapshot: &'a Snapshot,
        facts: &'a CollectionFacts,
        request: &'a SearchRequest<'a>,
        selection: SignalSelection,
    ) -> Self {
        let today = signals.settings.today.unwrap_or_else(today);
        Self { signals, snapshot, facts, request, selection, asked: asked_time(request.query, today), today }
    }

    /// Makes documents beside the best hits candidates and fuses again, so that all scores are on one scale.
    fn add_linked(
        &self,
        embedder: Option<&dyn Embedder>,
        found: &mut Candidates,
    ) -> Result<(), RetrieveError> {
        if !self.selection.has(SignalKind::Links) {
            return Ok(());
        }
        if !self.facts.links.has_links {
            found.notices.push(
                "no links are recorded: documents indexed before this version have them after `adit index --reindex`"
                    .to_owned(),
            );
            return Ok(());
        }
        let (snapshot, request) = (self.snapshot, self.request);
        let linked = links::linked_chunks(snapshot, self.facts, request, found, &self.signals.settings)?;
        if linked.is_empty() {
            return Ok(());
        }
        let longer = |list: Option<&Vec<ScoredChunk>>, score: &dyn Fn(&links::LinkedChunk) -> Option<f32>| {
            list.map(|list| {
                let added = linked.iter().filter_map(|one| Some((one.chunk, score(one)?)));
                let added = added.map(|(chunk, score)| ScoredChunk { chunk, score });
                let mut list: Vec<ScoredChunk> = list.iter().copied().chain(added).collect();
                list.sort_by(|left, right| right.score.total_cmp(&left.score));
                list
            })
        };
        let lexical = longer(found.lexical.as_ref(), &|one| one.lexical);
        let dense = longer(found.dense.as_ref(), &|one| one.dense);
        let weight = DenseWeight::of(snapshot.languages(), embedder, request);
        let late = found.late.score(snapshot, &found.token_vectors, lexical.as_deref(), dense.as_deref())?;
        let late = late.map(|scored| scored.hits);
        let lists = Lists {
            lexical: lexical.as_deref(),
            dense: dense.as_deref(),
            late_interaction: late.as_deref(),
            vector: found.vector.as_deref(),
        };
        let weights = FusionWeights { dense: weight.value, late_interaction: found.late.weight() };
        found.fused = fuse(snapshot, request, lists, weights)?.0;
        for one in linked {
            let signal = SignalKind::Links.name().to_owned();
            let added = SignalFactor { signal, factor: 1.0, reason: one.reason };
            found.signals.entry(one.chunk).or_default().push(added);
        }
        Ok(())
    }

    fn multiply(&self, found: &mut Candidates) {
        let mut by_document: HashMap<Position, Vec<SignalFactor>> = HashMap::new();
        let mut factors = Vec::with_capacity(found.fused.len());
        for (chunk, _) in &found.fused {
            let position = self.position(*chunk);
            let of_document = position
                .map(|position| by_document.entry(position).or_insert_with(|| self.factors(position)));
            let of_document = of_document.map(|factors| factors.clone()).unwrap_or_default();
            let all = found.signals.entry(*chunk).or_default();
            all.extend(of_document);
            factors.push(combine::bounded_product(all));
            if all.is_empty() {
                found.signals.remove(chunk);
            }
        }
        combine::multiply(&mut found.fused, &factors, self.request.fusion);
    }

    fn position(&self, chunk: ChunkId) -> Option<Position> {
        let entry = self.snapshot.document_of(self.request.scope, chunk)?;
        self.facts.position(&entry.id)
    }

    /// Every signal of one document, in the order of [`SignalKind::ALL`].
    fn factors(&self, position: Position) -> Vec<SignalFactor> {
        let settings = &self.signals.settings;
        let Some(entry) = self.snapshot.all_documents().get(position as usize) else { return Vec::new() };
        let of = |kind: SignalKind| match kind {
            SignalKind::Authority => self.signals.authority.factor(entry),
            SignalKind::Recency => {
                recency::factor(self.facts.of(position)?, &self.asked, self.today, settings)
            }
            SignalKind::Version => self.version_factor(position),
            SignalKind::Links => links::factor(self.snapshot, self.facts, position, self.request, settings),
            SignalKind::Popularity => self.signals.popularity.factor(&entry.id, self.request.scope, settings),
            SignalKind::Learned => None,
        };
        SignalKind::ALL.into_iter().filter(|kind| self.selection.has(*kind)).filter_map(of).collect()
    }

    /// Only versions that scope and filter let be found take part: a newer one that the reader may not see
    /// must not lower the one that the reader sees.
    fn version_factor(&self, position: Position) -> Option<SignalFactor> {
        let (scope, filter) = (self.request.scope, self.request.filter);
        let visible = |one: &Position| {
            self.snapshot.all_documents().get(*one as usize).is_some_and(|entry| {
                scope.permits(&entry.tenant, &entry.access) && filter.accepts(&entry.metadata)
            })
        };
        let mut family = self.facts.other_versions(position);
        family.retain(visible);
        if family.is_empty() || family.len() >= MOST_VERSIONS {
            return None;
        }
        family.push(position);
        let sources: Vec<String> = family
            .iter()
            .filter_map(|one| self.snapshot.all_documents().get(*one as usize))
            .map(links::path_of)
            .collect();
        let versions: Vec<Version<'_>> = family
            .iter()
            .zip(&sources)
            .filter_map(|(one, source)| {
                let facts = self.facts.of(*one)?;
                Some(Version { source, facts, supersedes_count: self.superseded(*one, &family) })
            })
            .collect();
        let own = versions.len().checked_sub(1)?;
        version_rule::factor(&versions, own, &self.asked, self.today, &self.signals.settings)
    }

    /// How many of `family` a document supersedes, directly or over one another.
    fn superseded(&self, position: Position, family: &[Position]) -> usize {
        let mut reached: Vec<Position> = vec![position];
        let mut next = 0;
        while let Some(at) = reached.get(next).copied()
            && next < MOST_GENERATIONS
        {
            let older = self.facts.of(at).map(|facts| facts.supersedes.as_slice()).unwrap_or_default();
            for one in older {
                if family.contains(one) && !reached.contains(one) {
                    reached.push(*one);
                }
            }
            next += 1;
        }
        reached.len() - 1
    }
}
