//! The log over real files: what goes in comes back, secrets do not, and it never grows past its limit.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::path::Path;

use adit_core::{
    AdministratorScope, CandidateOutcome, CandidateTrace, ChunkId, Classified, ErrorClass, Filter, Principal,
    RetrieverRank, Scope, StageTrace, TenantId, Trace,
};
use adit_log::{
    DEFAULT_MAX_BYTES, Door, EvidenceFigures, LogError, LogOptions, REDACTED, Redaction, SearchId, SearchLog,
    SearchRecord, Verdict,
};

fn options(max_bytes: u64) -> LogOptions {
    LogOptions { redaction: Redaction::compile(&[], false).unwrap(), max_bytes }
}

fn open(path: &Path) -> SearchLog {
    SearchLog::open(path, options(DEFAULT_MAX_BYTES)).unwrap()
}

fn administrator() -> AdministratorScope {
    AdministratorScope::assume("test of the log")
}

fn trace(query: &str, candidates: u32) -> Trace {
    let candidate = |rank: u32| CandidateTrace {
        lexical: Some(RetrieverRank { rank: rank as usize, score: 7.25 / rank as f32 }),
        fused: Some(RetrieverRank { rank: rank as usize, score: 1.0 / rank as f32 }),
        ..CandidateTrace::of(ChunkId(rank.wrapping_mul(2_654_435_761)), CandidateOutcome::BelowLimit)
    };
    Trace {
        query: query.to_owned(),
        sequence: 7,
        fingerprint: "f".to_owned(),
        stages: vec![StageTrace {
            stage: "lexical".to_owned(),
            items_in: 0,
            items_out: candidates as usize,
            elapsed_us: 12,
            detail: String::new(),
        }],
        candidates: (1..=candidates).map(candidate).collect(),
        notices: Vec::new(),
    }
}

fn scope() -> Scope {
    Scope::new(TenantId::new("acme").unwrap(), [Principal("payroll".into()), Principal("anna".into())])
}

fn record(log: &SearchLog, trace: &Trace, weak: bool) -> SearchId {
    let filter = Filter::parse(&["type=pdf".to_owned()]).unwrap();
    let evidence = EvidenceFigures {
        is_weak: weak,
        top_cosine: Some(0.125),
        content_terms: 3,
        missing_terms: vec!["penguin".to_owned()],
    };
    log.record(&SearchRecord {
        trace,
        scope: &scope(),
        filter: &filter,
        door: Door::Mcp,
        mode: "hybrid",
        passages: 4,
        evidence: Some(evidence),
        elapsed_us: 1234,
    })
    .unwrap()
}

#[test]
fn what_goes_in_comes_back_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    let asked = trace("how are penguins paid", 40);
    let id = record(&open(&path), &asked, true);
    let log = open(&path);
    let searches = log.searches(&administrator(), 0).unwrap();
    let [search] = searches.as_slice() else { panic!("{searches:?}") };
    assert_eq!((&search.id, search.query.as_str()), (&id, "how are penguins paid"));
    assert_eq!((search.door, search.mode.as_str(), search.passages), (Door::Mcp, "hybrid", 4));
    assert_eq!((&search.scope, search.elapsed_us), (&scope(), 1234));
    assert_eq!(search.filter, Filter::parse(&["type=pdf".to_owned()]).unwrap());
    let evidence = search.evidence.as_ref().unwrap();
    assert!(evidence.is_weak && evidence.top_cosine == Some(0.125) && evidence.missing_terms == ["penguin"]);
    assert!(search.asked_unix_ms > 1_700_000_000_000);
    assert!(log.searches(&administrator(), search.asked_unix_ms + 1).unwrap().is_empty());
    let stored = log.trace(&administrator(), &id).unwrap();
    assert_eq!(serde_json::to_value(&stored).unwrap(), serde_json::to_value(&asked).unwrap());
}

#[test]
fn a_secret_is_nowhere_in_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    let secret = format!("sk-{}", "a1B2".repeat(6));
    let log = open(&path);
    let mut asked = trace(&format!("why is {secret} refused"), 2);
    asked.notices.push(format!("weak evidence: no passage contains `{secret}`"));
    let id = record(&log, &asked, true);
    log.give_feedback(&id, Verdict::No, Some(&format!("my key is {secret}"))).unwrap();
    assert_eq!(log.searches(&administrator(), 0).unwrap()[0].query, format!("why is {REDACTED} refused"));
    assert!(log.trace(&administrator(), &id).unwrap().notices[0].contains(REDACTED));
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
    }
}

#[test]
fn feedback_is_tied_to_its_search_and_a_changed_mind_replaces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    let log = open(&path);
    let id = record(&log, &trace("q", 1), false);
    let other = record(&log, &trace("q", 1), false);
    let first = log.give_feedback(&id, Verdict::No, Some(" wrong year ")).unwrap();
    assert_eq!((first.note.as_deref(), first.replaced), (Some("wrong year"), None));
    let second = log.give_feedback(&id, Verdict::Yes, None).unwrap();
    assert_eq!((second.note, second.replaced), (None, Some(Verdict::No)));
    let searches = log.searches(&administrator(), 0).unwrap();
    let verdicts: Vec<_> = searches.iter().map(|search| (&search.id, search.verdict)).collect();
    assert_eq!(verdicts, [(&id, Some(Verdict::Yes)), (&other, None)]);
    assert_eq!(searches[0].note, None, "the note goes with the verdict it was given for");

    let unknown: SearchId = "00000000".parse().unwrap();
    let error = log.give_feedback(&unknown, Verdict::No, None).unwrap_err();
    assert!(matches!(error, LogError::UnknownSearch { .. }), "{error}");
    assert!(error.class() == ErrorClass::User && error.hint().is_some());
    assert_eq!(log.statistics(&administrator()).unwrap().with_feedback, 1);
}

#[test]
fn the_oldest_go_at_the_limit_and_that_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    let max_bytes = 200_000;
    let log = SearchLog::open(&path, options(max_bytes)).unwrap();
    let oldest = record(&log, &trace("oldest", 200), false);
    log.give_feedback(&oldest, Verdict::No, None).unwrap();
    let ids: Vec<_> =
        (0..300).map(|number| record(&log, &trace(&format!("q {number}"), 200), false)).collect();
    let statistics = log.statistics(&administrator()).unwrap();
    assert!(statistics.dropped > 0 && statistics.searches + statistics.dropped == 301, "{statistics:?}");
    assert!(statistics.used_bytes <= max_bytes, "{statistics:?}");
    assert_eq!(statistics.with_feedback, 0, "feedback goes with its search");
    let kept = log.searches(&administrator(), 0).unwrap();
    let kept: Vec<_> = kept.iter().map(|search| search.id.clone()).collect();
    assert_eq!(kept, ids[ids.len() - kept.len()..], "what is kept is the newest");
    assert!(log.give_feedback(&oldest, Verdict::Yes, None).is_err());
    drop(log);
    assert!(std::fs::metadata(&path).unwrap().len() <= max_bytes + 65_536);

    let tiny = SearchLog::open(&path, options(1)).unwrap();
    let last = record(&tiny, &trace("last", 200), false);
    let kept = tiny.searches(&administrator(), 0).unwrap();
    assert!(kept.len() == 1 && kept[0].id == last, "the newest is always kept");
}

#[test]
fn many_writers_at_once_lose_no_line_even_while_the_file_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    // Each has its own connection, as processes have.
    std::thread::scope(|threads| {
        for writer in 0..8 {
            let path = &path;
            threads.spawn(move || {
                for number in 0..5 {
                    let log = open(path);
                    record(&log, &trace(&format!("{writer} {number}"), 20), false);
                }
            });
        }
    });
    let log = open(&path);
    let searches = log.searches(&administrator(), 0).unwrap();
    let ids: std::collections::BTreeSet<_> = searches.iter().map(|search| &search.id).collect();
    assert_eq!((searches.len(), ids.len()), (40, 40));
    assert_eq!(log.statistics(&administrator()).unwrap().dropped, 0);
}

#[test]
fn files_that_are_no_log_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    let missing = SearchLog::open_existing(&path, options(1)).unwrap_err();
    assert!(matches!(missing, LogError::Missing { .. }) && !path.exists());

    let foreign = rusqlite::Connection::open(&path).unwrap();
    foreign.execute_batch("CREATE TABLE theirs (x)").unwrap();
    drop(foreign);
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(SearchLog::open(&path, options(1)), Err(LogError::NotALog { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), before);

    let newer = folder.path().join("newer.db");
    drop(open(&newer));
    let connection = rusqlite::Connection::open(&newer).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    assert!(matches!(SearchLog::open(&newer, options(1)), Err(LogError::NewerFormat { found: 99, .. })));

    let text = folder.path().join("text.db");
    std::fs::write(&text, "not a database, but long enough to be looked at by SQLite ".repeat(40)).unwrap();
    assert!(matches!(SearchLog::open(&text, options(1)), Err(LogError::Damaged { .. })));
    assert!(SearchLog::open(&folder.path().join("no/such/folder/log.db"), options(1)).is_err());
}
