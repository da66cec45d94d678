use adit_core::{AdministratorScope, ChunkId, DocumentState, Filter, IndexSnapshot};
use adit_index::{IndexOptions, SearchIndex};
use adit_lexical::LexicalIndex;
use adit_quality::{AuditSettings, LoggedQuestion, TextProblem, append_to_history, audit, last_of_history};

use adit_retrieve::Retriever;

use crate::setting::{Setting, everybody};

fn look(setting: &Setting) -> adit_quality::Audit {
    let administrator = AdministratorScope::assume("test");
    audit(&setting.retriever, &administrator, &AuditSettings::default(), &[asked()], &mut |_| ()).unwrap()
}

fn asked() -> LoggedQuestion {
    LoggedQuestion { query: "what is topic7 about".to_owned(), scope: everybody(), filter: Filter::default() }
}

fn sound() -> Setting {
    filled(Setting::new())
}

fn filled(setting: Setting) -> Setting {
    for number in 0..40 {
        let text = format!(
            "Article{number} about topic{number}: the rule{number} of house{number} says word{number}."
        );
        setting.commit(setting.document(&format!("docs/{number}.txt"), &text));
    }
    setting.index.catch_up().unwrap();
    setting
}

#[test]
fn a_sound_index_has_no_problem_and_its_history_is_kept() {
    let setting = sound();
    let seen = look(&setting);
    assert!(seen.is_healthy(), "{:?}", seen.problems);
    assert_eq!((seen.orphans, seen.live_chunks), (0, 40));
    assert_eq!(seen.self_retrieval.found_share, 1.0);
    assert!(seen.index_recall.as_ref().unwrap().recall_at_10 > 0.99);
    let logged = seen.index_recall.as_ref().unwrap().logged.unwrap();
    assert_eq!((logged.queries, logged.recall_at_10), (1, 1.0));
    assert_eq!(seen.fingerprint_check.wrong(), 0);
    assert!(seen.fingerprint_check.embedded_again > 0);
    let history = setting.path().join("audits.jsonl");
    assert_eq!(last_of_history(&history).unwrap(), None);
    append_to_history(&history, &seen).unwrap();
    std::fs::OpenOptions::new()
        .append(true)
        .open(&history)
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"{\"half"))
        .unwrap();
    assert_eq!(last_of_history(&history).unwrap(), Some(seen));
}

#[test]
fn vectors_of_another_text_are_noticed() {
    let setting = sound();
    for number in 0..40 {
        let mut version =
            setting.document(&format!("docs/{number}.txt"), &format!("Replaced article {number} text."));
        version.content_hash = "changed".to_owned();
        version.vectors = vec![setting.document("x", "quite another text").vectors.remove(0)];
        setting.commit(version);
    }
    setting.index.catch_up().unwrap();
    let seen = look(&setting);
    assert!(seen.fingerprint_check.stale > 30, "{:?}", seen.fingerprint_check);
    assert!(seen.problems.iter().any(|problem| problem.contains("--reindex")), "{:?}", seen.problems);
}

#[test]
fn a_document_without_points_is_an_orphan() {
    let setting = sound();
    let mut version = setting.document_cut_at("docs/empty.txt", "some text that no chunk has", &[]);
    version.state = DocumentState::Searchable;
    setting.add(version);
    let seen = look(&setting);
    assert_eq!(seen.orphans, 1, "{:?}", seen.orphan_details);
    assert_eq!(seen.orphan_details.examples, ["docs/empty.txt"]);
    assert!(!seen.is_healthy());
}

#[test]
fn invisible_chunks_are_listed_by_source() {
    let setting = sound();
    setting.add_others(400);
    // The index has other words and another vector than the chunk shows: nothing of it is ever found.
    for number in 0..5 {
        let mut version = setting.document(
            &format!("hidden/{number}.txt"),
            &format!("Secret{number} recipe with seven different herbs and spices number{number}."),
        );
        version.chunks[0].indexed = "zzz".to_owned();
        version.vectors = setting.document("x", "zzz").vectors;
        setting.commit(version);
    }
    setting.index.catch_up().unwrap();
    let seen = look(&setting);
    let hidden: Vec<&str> = seen.self_retrieval.invisible_by_source.keys().map(String::as_str).collect();
    assert!(hidden.iter().filter(|source| source.starts_with("hidden/")).count() >= 4, "{hidden:?}");
    assert!(seen.self_retrieval.found_share < 1.0);
    assert!(seen.self_retrieval.invisible[0].sentence.contains("recipe"));
}

#[test]
fn garbled_empty_cut_and_repeated_texts_are_named() {
    let setting = sound();
    let garbled: String = "Déjà vu à la carte, où l’œuvre".bytes().map(char::from).collect();
    setting.commit(setting.document("bad/garbled.txt", &garbled));
    setting.commit(setting.document("bad/empty.txt", "-- - --"));
    setting.commit(setting.document("bad/cut.txt", "The contract says that the buyer [truncated]"));
    for number in 0..6 {
        let text = format!("Confidential, do not copy.\n\nLetter {number} has words of its own{number}.");
        setting.commit(setting.document(&format!("letters/{number}.txt"), &text));
    }
    setting.index.catch_up().unwrap();
    let health = look(&setting).text_health;
    assert_eq!(health.documents[&TextProblem::Mojibake], ["bad/garbled.txt"]);
    assert_eq!(health.documents[&TextProblem::Empty], ["bad/empty.txt"]);
    assert_eq!(health.documents[&TextProblem::Truncated], ["bad/cut.txt"]);
    assert_eq!(health.count(TextProblem::Boilerplate), 5);
    assert_eq!(health.duplicate_chunks, 5);
}

#[test]
fn lag_is_measured_over_replaced_documents() {
    let setting = sound();
    assert_eq!(look(&setting).indexing_lag, None);
    let mut version = setting.document("docs/1.txt", "A new version of the article about one thing.");
    version.content_hash = "changed".to_owned();
    version.modified_unix_ms = Some(0);
    setting.add(version);
    let lag = look(&setting).indexing_lag.unwrap();
    assert_eq!(lag.documents, 1);
    assert!(lag.p50_ms > 1_000_000_000_000);
}

#[test]
fn replaced_chunks_that_still_lie_in_a_segment_are_tombstones() {
    let options =
        IndexOptions { background_merges: false, tail_limit_vectors: 10, ..IndexOptions::default() };
    let setting = filled(Setting::with_options(options));
    setting.index.wait_for_merges().unwrap();
    assert_eq!(look(&setting).tombstones, 0);
    for number in 0..5 {
        let text =
            format!("Another article{number} about other things: house{number} has a new rule{number}.");
        let mut version = setting.document(&format!("docs/{number}.txt"), &text);
        version.content_hash = "changed".to_owned();
        setting.commit(version);
    }
    setting.index.catch_up().unwrap();
    let seen = look(&setting);
    assert_eq!((seen.tombstones, seen.live_chunks, seen.orphans), (5, 40, 0));
}

#[test]
fn a_chunk_that_the_lexical_index_lost_is_an_orphan() {
    let setting = sound();
    let sequence = setting.index.snapshot().sequence();
    let path = setting.path().to_owned();
    let catalog = std::sync::Arc::clone(&setting.catalog);
    let embedder = setting.embedder.clone();
    let folder = setting.close();
    let generation = path.join("main/generations");
    let mut folders = walk(&generation);
    folders.retain(|folder| folder.file_name().unwrap().to_string_lossy().starts_with("lexical"));
    let lexical = LexicalIndex::open_or_create(&folders[0]).unwrap();
    lexical.delete_chunks(ChunkId(3), 1);
    lexical.commit(sequence).unwrap();
    drop(lexical);
    let index =
        SearchIndex::open_reader(&path.join("main"), catalog.clone(), IndexOptions::default()).unwrap();
    let retriever = Retriever::new(index.into(), catalog, Some(std::sync::Arc::new(embedder)));
    let administrator = AdministratorScope::assume("test");
    let seen = audit(&retriever, &administrator, &AuditSettings::default(), &[], &mut |_| ()).unwrap();
    assert_eq!((seen.orphans, seen.orphan_details.chunks_without_text), (1, 1), "{:?}", seen.orphan_details);
    assert!(seen.problems.iter().any(|problem| problem.contains("adit rebuild")), "{:?}", seen.problems);
    drop(folder);
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(walk(&path));
            found.push(path);
        }
    }
    found
}
