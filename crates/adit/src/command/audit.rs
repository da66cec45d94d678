use std::path::Path;

use adit_core::AdministratorScope;
use adit_ingest::{Home, Settings};
use adit_quality::{Audit, AuditSettings, LoggedQuestion, append_to_history, audit, last_of_history};

use crate::arguments::AuditArguments;
use crate::engine::existing_home;
use crate::failure::{Exit, Failure};
use crate::output::{Output, note};
use crate::read_session::ReadSession;
use crate::search_log;

/// Earlier audits inside the home, one JSON line each.
const HISTORY: &str = "audits.jsonl";
/// Sources that are listed.
const LISTED: usize = 10;

pub(super) fn run(home: Option<&Path>, arguments: &AuditArguments, output: Output) -> Result<Exit, Failure> {
    for (name, value) in
        [("recall-target", arguments.recall_target), ("found-target", arguments.found_target)]
    {
        if !(0.0..=1.0).contains(&value) {
            return Err(Failure::usage(format!("--{name} is {value}"), "give a share from 0 to 1"));
        }
    }
    let (home, settings) = existing_home(home)?;
    let session = ReadSession::open(&home, &settings, arguments.mode)?;
    let audit_settings = AuditSettings {
        recall_queries: arguments.recall_queries,
        self_retrieval_chunks: (!arguments.all).then_some(arguments.sample),
        recall_target: arguments.recall_target,
        found_target: arguments.found_target,
        mode: arguments.mode.into(),
        ..AuditSettings::default()
    };
    let administrator = AdministratorScope::assume("adit audit");
    let history = home.folder().join(HISTORY);
    let before = last_of_history(&history)?;
    let logged = logged_questions(&home, &settings, &administrator)?;
    let seen = audit(&session.retriever, &administrator, &audit_settings, &logged, &mut |part| {
        note(&format!("looking at {part}"));
    })?;
    append_to_history(&history, &seen)?;
    output.result(&seen, |seen| describe(seen, before.as_ref()))?;
    Ok(if seen.is_healthy() { Exit::Done } else { Exit::Failures })
}

/// What was asked; nothing where nothing is logged yet.
fn logged_questions(
    home: &Home,
    settings: &Settings,
    administrator: &AdministratorScope,
) -> Result<Vec<LoggedQuestion>, Failure> {
    if !home.folder().join(adit_log::LOG_FILE).exists() {
        return Ok(Vec::new());
    }
    let log = search_log::open_existing(home, settings)?;
    let question = |search: adit_log::LoggedSearch| LoggedQuestion {
        query: search.query,
        scope: search.scope,
        filter: search.filter,
    };
    Ok(log.searches(administrator, 0)?.into_iter().map(question).collect())
}

fn describe(audit: &Audit, before: Option<&Audit>) -> String {
    let mut text = format!(
        "{} documents, {} chunks at change {}; {} tombstones, {} orphans, {} duplicate chunks\n",
        audit.documents,
        audit.live_chunks,
        audit.sequence,
        audit.tombstones,
        audit.orphans,
        audit.text_health.duplicate_chunks
    );
    if let Some(recall) = &audit.index_recall {
        text += &format!(
            "index recall@10 {:.4} over {} stored vectors{}{}{}\n",
            recall.recall_at_10,
            recall.queries,
            recall.ef.map(|ef| format!(", ef {ef}")).unwrap_or_default(),
            recall.ef_for_target.map(|ef| format!(", ef {ef} reaches the target")).unwrap_or_default(),
            since(before.and_then(|before| before.index_recall.as_ref()).map(|recall| recall.recall_at_10)),
        );
    }
    if let Some(logged) = audit.index_recall.as_ref().and_then(|recall| recall.logged) {
        text +=
            &format!("index recall@10 {:.4} over {} logged questions\n", logged.recall_at_10, logged.queries);
    }
    let own = &audit.self_retrieval;
    text += &format!(
        "self-retrieval: {:.1}% of {} chunks come back for their own sentence{}\n",
        100.0 * own.found_share,
        own.chunks,
        since(before.map(|before| before.self_retrieval.found_share))
    );
    let mut sources: Vec<_> = own.invisible_by_source.iter().collect();
    sources.sort_by_key(|(source, count)| (std::cmp::Reverse(**count), (*source).clone()));
    for (source, count) in sources.iter().take(LISTED) {
        text += &format!("  not found: {count} chunks of {source}\n");
    }
    if sources.len() > LISTED {
        text += &format!("  and chunks of {} more documents (--json lists them)\n", sources.len() - LISTED);
    }
    let check = &audit.fingerprint_check;
    text += &format!(
        "vectors: {} checked, {} embedded again, {} wrong\n",
        check.vectors,
        check.embedded_again,
        check.wrong()
    );
    if let Some(lag) = &audit.indexing_lag {
        text += &format!(
            "indexing lag of {} replaced documents: p50 {:.1} s, p99 {:.1} s\n",
            lag.documents,
            lag.p50_ms as f64 / 1e3,
            lag.p99_ms as f64 / 1e3
        );
    }
    for (problem, sources) in &audit.text_health.documents {
        let name = serde_json::to_value(problem).ok().and_then(|value| value.as_str().map(str::to_owned));
        text += &format!(
            "texts, {}: {} documents, such as {}\n",
            name.unwrap_or_default(),
            audit.text_health.count(*problem),
            sources.iter().take(3).cloned().collect::<Vec<_>>().join(", ")
        );
    }
    for problem in &audit.problems {
        text += &format!("problem: {problem}\n");
    }
    if audit.is_healthy() {
        text += "no problem found\n";
    }
    text
}

fn since(before: Option<f64>) -> String {
    before.map(|before| format!(" (last audit {before:.4})")).unwrap_or_default()
}
