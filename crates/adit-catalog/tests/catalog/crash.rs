use std::path::Path;
use std::process::Command;
use std::time::Duration;

use adit_catalog::{Catalog, ChangeKind};
use adit_core::{ChunkId, DocumentId, ReadScope, SequenceNumber, TenantId};
use adit_testkit::{KilledProcess, crash_rounds};

use crate::support::{administrator, fingerprint, version};

const CHILD_PATH: &str = "ADIT_TEST_CRASH_CATALOG";
const DOCUMENTS: u64 = 7;

/// The text of a version follows from its sequence number, so a half or mixed version shows.
fn text(sequence: u64) -> String {
    (0..3 + sequence % 40).map(|line| format!("change {sequence} line {line}\n")).collect::<String>() + "end"
}

fn source(sequence: u64) -> String {
    format!("{}.md", sequence % DOCUMENTS)
}

/// Every eleventh change removes, the others commit.
fn removes(sequence: u64) -> bool {
    sequence.is_multiple_of(11)
}

fn id(sequence: u64) -> DocumentId {
    DocumentId::derive(&TenantId::default_tenant(), &source(sequence))
}

/// The life of the child: changes without end, each acknowledged by a line, until it is killed.
#[test]
fn child_that_commits_until_it_is_killed() {
    let Some(path) = std::env::var_os(CHILD_PATH) else { return };
    let catalog = Catalog::create_or_open(Path::new(&path)).unwrap();
    catalog.set_fingerprint(&fingerprint()).unwrap();
    println!("\nopened");
    let mut next = catalog.last_sequence().unwrap().0 + 1;
    loop {
        let sequence = match removes(next) {
            true => catalog.remove(&id(next)).unwrap(),
            false => Some(catalog.commit(version(&source(next), &text(next))).unwrap().sequence),
        };
        // Nothing to remove: make the numbers meet again with a commit.
        let sequence =
            sequence.unwrap_or_else(|| catalog.commit(version(&source(next), &text(next))).unwrap().sequence);
        assert_eq!(sequence, SequenceNumber(next));
        println!("acknowledged {next}");
        if next.is_multiple_of(50) {
            catalog.purge_dead(SequenceNumber(next - 20)).unwrap();
        }
        next += 1;
    }
}

#[test]
fn killed_at_any_moment_every_acknowledged_version_is_whole_and_no_half_one_exists() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.db");
    let mut acknowledged = 0;
    let start = |_| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "crash::child_that_commits_until_it_is_killed", "--nocapture"]);
        command.env(CHILD_PATH, &path);
        command
    };
    crash_rounds(30, Duration::from_millis(150), start, |_, killed: KilledProcess| {
        assert!(killed.was_killed(), "{}", killed.stderr);
        let last = killed.lines.iter().rev().find_map(|line| line.strip_prefix("acknowledged "));
        acknowledged = last.map_or(acknowledged, |number| number.parse().unwrap());
        // From here on what was found is known to be durable, printed or not.
        acknowledged = check(&Catalog::create_or_open(&path).unwrap(), acknowledged);
    });
    assert!(acknowledged > 30, "only {acknowledged} changes in all rounds");
}

/// Returns the last change it found.
fn check(catalog: &Catalog, acknowledged: u64) -> u64 {
    catalog.verify().unwrap();
    let view = catalog.view().unwrap();
    let last = view.last_sequence().0;
    // One change may have been durable and not yet printed.
    assert!((acknowledged..=acknowledged + 1).contains(&last), "acknowledged {acknowledged}, found {last}");
    let everybody = administrator();
    let scope = ReadScope::Administrator(&everybody);
    let changes = view.changes(SequenceNumber(0), SequenceNumber(last)).unwrap();
    assert_eq!(changes.len() as u64, last, "the log has no holes");
    let mut next_chunk = ChunkId(1);
    for number in 0..DOCUMENTS {
        let newest = changes.iter().rev().find(|change| change.document == id(number));
        let found = view.document(&id(number), scope).unwrap();
        let Some(change) = newest.filter(|change| change.kind == ChangeKind::Committed) else {
            assert_eq!(found, None);
            continue;
        };
        let record = found.unwrap();
        assert_eq!(record.sequence, change.sequence);
        let expected = version(&record.source, &text(record.sequence.0));
        assert_eq!(view.document_text(&record.id, scope).unwrap().unwrap(), expected.text);
        let chunks = view.chunks_of(&record.id, scope).unwrap();
        assert_eq!(
            chunks.iter().map(|one| &one.chunk).collect::<Vec<_>>(),
            expected.chunks.iter().collect::<Vec<_>>()
        );
        let mut vectors = Vec::new();
        view.for_each_vector(change.born.unwrap(), &mut |_, vector| vectors.push(vector.to_vec())).unwrap();
        assert_eq!(vectors, expected.vectors);
        next_chunk = next_chunk.max(chunks.last().unwrap().chunk_id);
    }
    assert!(view.chunk(ChunkId(next_chunk.0 + 1)).unwrap().is_none(), "a chunk nobody owns");
    last
}
