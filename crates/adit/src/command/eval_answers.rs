use std::collections::{BTreeMap, BTreeSet};

use adit_answer::{AnswerSettings, Answerer, AskRequest};
use adit_core::{DocumentId, Filter, Scope, TenantId};
use adit_eval::statistics::{area_under_roc, expected_calibration_error};
use adit_eval::{BeirQuery, BeirSet};
use adit_lexical::Bm25Parameters;
use adit_retrieve::SearchRequest;
use serde::Serialize;

use crate::answer_lines::{self, AnswerLine};
use crate::arguments::EvalAnswersArguments;
use crate::beir_home::{BeirHome, open_beir_home};
use crate::failure::{Exit, Failure};
use crate::output::{Output, note};

/// What `eval answers --json` prints, and its figures over any lines.
#[derive(Debug, Default, Serialize)]
pub(super) struct AnswerFigures {
    set: String,
    answerable: usize,
    unanswerable: usize,
    /// How well the probability tells the two apart.
    area_under_roc: Option<f64>,
    expected_calibration_error: f64,
    /// Share of the questions that the calibration calls weakly supported.
    weak_unanswerable: f64,
    weak_answerable: f64,
    /// Share of the questions that were refused.
    refused_unanswerable: Option<f64>,
    refused_answerable: Option<f64>,
    /// Share of the answerable questions that were answered without citing what answers them.
    wrong_answerable: Option<f64>,
    /// Share of the answerable questions that were answered and cite it.
    right_answerable: Option<f64>,
    /// Share of the answerable questions with a judged document among the passages.
    found_answerable: f64,
}

pub(super) fn run(arguments: &EvalAnswersArguments, output: Output) -> Result<Exit, Failure> {
    if arguments.set.keep.is_some() && arguments.hide_gold > 0.0 {
        let hint = "leave --keep out, or give `--hide-gold 0`";
        return Err(Failure::usage(
            "documents are taken out of the index, which is not to be kept then",
            hint,
        ));
    }
    let set = BeirSet::open(&arguments.set.folder)?;
    let home = open_beir_home(&set, &arguments.set)?;
    let hidden = hidden_documents(&set, arguments.hide_gold, arguments.seed);
    take_out(&home, &hidden)?;
    let name =
        arguments.set.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let lines = ask_all(&set, &home, &hidden, &name, arguments)?;
    if let Some(file) = &arguments.features {
        answer_lines::append(file, &lines)?;
    }
    output.result(&figures(&name, &lines), describe)?;
    Ok(Exit::Done)
}

/// The judged documents of a random share of the questions. Questions that share documents are hidden together,
/// so that each question keeps all of its documents or none.
fn hidden_documents(set: &BeirSet, share: f64, seed: u64) -> BTreeSet<String> {
    let relevant = |judgments: &BTreeMap<String, i64>| {
        judgments.iter().filter(|(_, grade)| **grade > 0).map(|(id, _)| id.clone()).collect::<Vec<_>>()
    };
    // Each document's group is named by its smallest member; merging repeats until nothing changes.
    let mut group: BTreeMap<String, String> = BTreeMap::new();
    loop {
        let mut changed = false;
        for judgments in set.judgments.values() {
            let documents = relevant(judgments);
            let named = |id: &String| group.get(id).unwrap_or(id).clone();
            let Some(smallest) = documents.iter().map(named).min() else { continue };
            for id in documents {
                changed |= group.insert(id, smallest.clone()).as_ref() != Some(&smallest);
            }
        }
        if !changed {
            break;
        }
    }
    let is_hidden = |name: &String| uniform(name, seed) < share;
    group.iter().filter(|(_, name)| is_hidden(name)).map(|(id, _)| id.clone()).collect()
}

/// A number between 0 and 1 that depends on the name and the seed only (FNV-1a, mixed as in splitmix64).
fn uniform(name: &str, seed: u64) -> f64 {
    let mut state = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64 ^ seed, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((state ^ (state >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn take_out(home: &BeirHome, hidden: &BTreeSet<String>) -> Result<(), Failure> {
    for id in hidden {
        home.retriever.catalog().remove(&DocumentId::derive(&TenantId::default_tenant(), id))?;
    }
    home.retriever.index().catch_up()?;
    note(&format!("{} of {} documents taken out", hidden.len(), home.documents));
    Ok(())
}

fn ask_all(
    set: &BeirSet,
    home: &BeirHome,
    hidden: &BTreeSet<String>,
    name: &str,
    arguments: &EvalAnswersArguments,
) -> Result<Vec<AnswerLine>, Failure> {
    let scope = Scope::new(TenantId::default_tenant(), []);
    let filter = Filter::default();
    let answerer = Answerer::new(home.retriever.clone());
    let settings = AnswerSettings::default();
    let mut lines = Vec::new();
    for query in sampled(&set.queries, arguments.queries) {
        let Some(judgments) = set.judgments.get(&query.id) else { continue };
        let relevant: Vec<&String> =
            judgments.iter().filter(|(_, grade)| **grade > 0).map(|(id, _)| id).collect();
        if relevant.is_empty() {
            continue;
        }
        let answerable = !relevant.iter().any(|id| hidden.contains(*id));
        let set_arguments = &arguments.set;
        let request = SearchRequest {
            mode: set_arguments.mode.into(),
            dense_weight: set_arguments.dense_weight,
            fusion: set_arguments.fusion.into(),
            bm25: Bm25Parameters { k1: set_arguments.k1, b: set_arguments.b },
            ..SearchRequest::new(&query.text, &scope, &filter)
        };
        let response = home.retriever.search(&request)?;
        let is_relevant =
            |document: &DocumentId| home.set_ids.get(document).is_some_and(|id| relevant.contains(&id));
        let is_found = response.passages.iter().any(|passage| is_relevant(&passage.id.document));
        let mut line = AnswerLine::weighed(name, &query.id, answerable, &response.evidence, is_found);
        if !arguments.evidence_only {
            let outcome = answerer.ask(&AskRequest::new(request, &settings))?;
            line.refused = Some(outcome.refused);
            line.is_right = Some(outcome.citations.iter().any(|citation| is_relevant(&citation.id.document)));
        }
        lines.push(line);
        if lines.len().is_multiple_of(100) {
            note(&format!("{} questions", lines.len()));
        }
    }
    Ok(lines)
}

/// At most `most` of the questions, evenly taken.
fn sampled(queries: &[BeirQuery], most: Option<usize>) -> impl Iterator<Item = &BeirQuery> {
    let step = most.map_or(1, |most| queries.len().div_ceil(most.max(1)).max(1));
    queries.iter().step_by(step)
}

/// The figures of questions of one set.
pub(super) fn figures(set: &str, lines: &[AnswerLine]) -> AnswerFigures {
    let probabilities: Vec<f64> =
        lines.iter().map(|line| f64::from(line.probability.unwrap_or(0.0))).collect();
    let labels: Vec<bool> = lines.iter().map(|line| line.answerable).collect();
    let among = |answerable: bool| lines.iter().filter(move |line| line.answerable == answerable);
    let share = |answerable: bool, has: &dyn Fn(&AnswerLine) -> bool| {
        let all = among(answerable).count();
        let with = among(answerable).filter(|line| has(line)).count();
        if all == 0 { 0.0 } else { with as f64 / all as f64 }
    };
    let was_asked = lines.iter().any(|line| line.refused.is_some());
    let asked = |value: f64| was_asked.then_some(value);
    let is_weak = |line: &AnswerLine| line.sufficiency == Some(adit_retrieve::Sufficiency::Incorrect);
    let is_refused = |line: &AnswerLine| line.refused == Some(true);
    let is_right = |line: &AnswerLine| line.refused == Some(false) && line.is_right == Some(true);
    AnswerFigures {
        set: set.to_owned(),
        answerable: among(true).count(),
        unanswerable: among(false).count(),
        area_under_roc: area_under_roc(&probabilities, &labels),
        expected_calibration_error: expected_calibration_error(&probabilities, &labels),
        weak_unanswerable: share(false, &is_weak),
        weak_answerable: share(true, &is_weak),
        refused_unanswerable: asked(share(false, &is_refused)),
        refused_answerable: asked(share(true, &is_refused)),
        wrong_answerable: asked(share(true, &|line| !is_refused(line) && !is_right(line))),
        right_answerable: asked(share(true, &is_right)),
        found_answerable: share(true, &|line| line.is_found),
    }
}

/// One line of a table a set.
pub(super) fn describe(figures: &AnswerFigures) -> String {
    let share = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.3}"));
    format!(
        "{}: {} answerable, {} not; AUROC {}, calibration error {:.3}\n  called weak: {:.3} of the unanswerable, {:.3} of \
         the answerable\n  refused: {} of the unanswerable, {} of the answerable\n  answerable: right {}, wrong {}, \
         found among the passages {:.3}\n",
        figures.set,
        figures.answerable,
        figures.unanswerable,
        share(figures.area_under_roc),
        figures.expected_calibration_error,
        figures.weak_unanswerable,
        figures.weak_answerable,
        share(figures.refused_unanswerable),
        share(figures.refused_answerable),
        share(figures.right_answerable),
        share(figures.wrong_answerable),
        figures.found_answerable,
    )
}
