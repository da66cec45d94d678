//! The layer below the answers: is everything that is indexed also findable, and is the index what the
//! catalog says it should be?

mod history;
mod index_recall;
mod points;
mod self_retrieval;
mod text_health;

pub use history::{append_to_history, last_of_history};
pub use index_recall::{IndexRecall, LoggedRecall};
pub use points::{FingerprintCheck, IndexingLag, Orphans};
pub use self_retrieval::{Invisible, SelfRetrieval};
pub use text_health::{TextHealth, TextProblem};

use adit_catalog::CatalogView;
use adit_core::{AdministratorScope, ChunkId, DocumentRecord, Filter, IndexSnapshot, ReadScope, Scope};
use adit_index::Snapshot;
use adit_retrieve::{Mode, Retriever};
use serde::{Deserialize, Serialize};

use crate::QualityError;
use crate::administrator::readers_of_everything;

/// How much is looked at, and what is good enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AuditSettings {
    /// Stored vectors that are searched for with exact and approximate search.
    pub recall_queries: usize,
    /// Chunks that are searched for by a sentence of their own; `None` takes every chunk.
    pub self_retrieval_chunks: Option<usize>,
    /// Chunks whose text is embedded again.
    pub embedded_again: usize,
    /// Recall of the 10 nearest neighbours that the index should reach, 0 to 1.
    pub recall_target: f64,
    /// Share of the chunks that should come back for their own sentence, 0 to 1.
    pub found_target: f64,
    /// Which retrievers answer the self-retrieval.
    pub mode: Mode,
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self {
            recall_queries: 200,
            self_retrieval_chunks: Some(500),
            embedded_again: 50,
            recall_target: 0.98,
            found_target: 0.90,
            mode: Mode::Hybrid,
        }
    }
}

/// What an audit saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// When, RFC 3339 in UTC.
    pub created: String,
    /// The snapshot's last change.
    pub sequence: u64,
    /// What the index was made with.
    pub fingerprint: String,
    /// Documents in the snapshot.
    pub documents: u64,
    /// Chunks that can be found.
    pub live_chunks: u64,
    /// Vectors of replaced or removed chunks that still lie in segments.
    pub tombstones: u64,
    /// Points without a document and chunks without a point.
    pub orphans: u64,
    /// The same by kind.
    pub orphan_details: Orphans,
    /// Approximate against exact search; `None` without a model or vectors.
    pub index_recall: Option<IndexRecall>,
    /// Chunks searched for by their own sentence.
    pub self_retrieval: SelfRetrieval,
    /// Vectors against the model that should have made them.
    pub fingerprint_check: FingerprintCheck,
    /// From a change of a file to its commit; `None` when no document was ever replaced.
    pub indexing_lag: Option<IndexingLag>,
    /// Texts that look wrong, and duplicates.
    pub text_health: TextHealth,
    /// What must be mended; an audit without any is a good one.
    pub problems: Vec<String>,
}

impl Audit {
    /// Whether nothing must be mended.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.problems.is_empty()
    }
}

/// A question that somebody asked, with what its reader might see.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedQuestion {
    /// The question.
    pub query: String,
    /// Who asked.
    pub scope: Scope,
    /// What else had to hold.
    pub filter: Filter,
}

/// What the parts of an audit look at.
pub(crate) struct Subject<'a> {
    pub(crate) retriever: &'a Retriever,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) view: &'a CatalogView,
    pub(crate) administrator: &'a AdministratorScope,
    /// Every document of the catalog.
    pub(crate) records: &'a [DocumentRecord],
    /// Together they see everything that anybody can find.
    pub(crate) readers: &'a [Scope],
    pub(crate) settings: &'a AuditSettings,
    pub(crate) logged: &'a [LoggedQuestion],
}

impl Subject<'_> {
    /// `count` chunks spread evenly over what each reader sees, with the reader that sees them.
    pub(crate) fn sample(&self, count: usize) -> Vec<(&Scope, ChunkId)> {
        let no_filter = Filter::default();
        let visible: Vec<_> =
            self.readers.iter().map(|reader| (reader, self.snapshot.allowed(reader, &no_filter))).collect();
        let total: u64 = visible.iter().map(|(_, chunks)| chunks.len()).sum();
        let step = usize::try_from(total).unwrap_or(usize::MAX).div_ceil(count.max(1)).max(1);
        let mut sample = Vec::new();
        for (reader, chunks) in &visible {
            sample.extend(chunks.iter().step_by(step).map(|chunk| (*reader, ChunkId(chunk))));
        }
        sample
    }
}

/// Looks at the published snapshot and its catalog. Sees every tenant: an operator's act. `logged` are
/// questions that were asked, on which index recall is measured as well. `progress` is told what is being
/// looked at.
///
/// # Errors
/// A failing index, catalog or model; [`QualityError::Nothing`] for an empty index.
pub fn audit(
    retriever: &Retriever,
    administrator: &AdministratorScope,
    settings: &AuditSettings,
    logged: &[LoggedQuestion],
    progress: &mut dyn FnMut(&str),
) -> Result<Audit, QualityError> {
    let snapshot = retriever.index().snapshot();
    let view = retriever.catalog().view()?;
    let records = view.documents(ReadScope::Administrator(administrator))?;
    let readers = readers_of_everything(&records);
    let subject = Subject {
        retriever,
        snapshot: &snapshot,
        view: &view,
        administrator,
        records: &records,
        readers: &readers,
        settings,
        logged,
    };
    let statistics = retriever.index().statistics();
    if statistics.live_chunks == 0 {
        return Err(QualityError::Nothing { what: "the index holds no chunk".to_owned() });
    }
    progress("points of the index");
    let orphan_details = points::orphans(&subject)?;
    progress("vectors and their model");
    let fingerprint_check = points::check_fingerprint(&subject)?;
    progress("texts");
    let text_health = text_health::look(&subject)?;
    progress("index recall against exact search");
    let index_recall = index_recall::measure(&subject)?;
    progress("self-retrieval");
    let self_retrieval = self_retrieval::measure(&subject)?;
    let mut audit = Audit {
        created: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        sequence: snapshot.sequence().0,
        fingerprint: snapshot.fingerprint().to_string(),
        documents: statistics.documents,
        live_chunks: statistics.live_chunks,
        tombstones: statistics.dead_chunks,
        orphans: orphan_details.count(),
        orphan_details,
        index_recall,
        self_retrieval,
        fingerprint_check,
        indexing_lag: points::indexing_lag(&subject),
        text_health,
        problems: Vec::new(),
    };
    audit.problems = problems(&audit, settings);
    Ok(audit)
}

fn problems(audit: &Audit, settings: &AuditSettings) -> Vec<String> {
    let mut problems = Vec::new();
    if audit.orphans > 0 {
        problems.push(format!("{} orphans: run `adit rebuild` ({})", audit.orphans, audit.orphan_details));
    }
    let check = &audit.fingerprint_check;
    if check.wrong() > 0 {
        problems.push(format!(
            "{} vectors are not what the model makes of their text: run `adit index --reindex`",
            check.wrong()
        ));
    }
    if let Some(recall) =
        audit.index_recall.as_ref().filter(|recall| recall.recall_at_10 < settings.recall_target)
    {
        problems.push(format!(
            "index recall@10 is {:.3}, below {:.3}: run `adit rebuild`{}",
            recall.recall_at_10,
            settings.recall_target,
            recall.ef_for_target.map(|ef| format!(" (ef {ef} would reach it)")).unwrap_or_default()
        ));
    }
    let found = &audit.self_retrieval;
    if found.chunks > 0 && found.found_share < settings.found_target {
        problems.push(format!(
            "{:.1}% of the chunks come back for their own sentence, below {:.1}%",
            100.0 * found.found_share,
            100.0 * settings.found_target
        ));
    }
    let garbled = audit.text_health.count(TextProblem::Mojibake);
    if garbled > 0 {
        problems
            .push(format!("{garbled} documents look like mojibake: convert them to UTF-8 and index again"));
    }
    problems
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn sound() -> Audit {
        Audit {
            created: String::new(),
            sequence: 1,
            fingerprint: String::new(),
            documents: 10,
            live_chunks: 100,
            tombstones: 0,
            orphans: 0,
            orphan_details: Orphans::default(),
            index_recall: Some(IndexRecall {
                recall_at_10: 1.0,
                queries: 100,
                logged: None,
                ef: Some(16),
                ef_for_target: Some(64),
            }),
            self_retrieval: SelfRetrieval {
                chunks: 100,
                found_share: 1.0,
                without_words: 0,
                invisible_by_source: BTreeMap::new(),
                invisible: Vec::new(),
            },
            fingerprint_check: FingerprintCheck::default(),
            indexing_lag: None,
            text_health: TextHealth::default(),
            problems: Vec::new(),
        }
    }

    #[test]
    fn every_fault_is_a_problem_with_its_remedy() {
        let settings = AuditSettings::default();
        assert_eq!(problems(&sound(), &settings), Vec::<String>::new());
        let low_recall = sound().index_recall.map(|recall| IndexRecall { recall_at_10: 0.9, ..recall });
        let faults: [(Audit, &str); 4] = [
            (Audit { index_recall: low_recall, ..sound() }, "ef 64 would reach it"),
            (Audit { orphans: 3, ..sound() }, "adit rebuild"),
            (
                Audit {
                    fingerprint_check: FingerprintCheck { stale: 2, ..FingerprintCheck::default() },
                    ..sound()
                },
                "--reindex",
            ),
            (
                Audit {
                    self_retrieval: SelfRetrieval { found_share: 0.5, ..sound().self_retrieval },
                    ..sound()
                },
                "50.0% of the chunks",
            ),
        ];
        for (audit, words) in faults {
            let named = problems(&audit, &settings);
            assert_eq!(named.len(), 1, "{named:?}");
            assert!(named[0].contains(words), "must say `{words}`: {named:?}");
        }
    }
}
