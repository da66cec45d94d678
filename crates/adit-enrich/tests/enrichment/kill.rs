use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use adit_enrich::{DocumentToEnrich, EnrichBudget, EnrichKind, EnrichOutcome, Enricher, EnrichmentStore};
use adit_testkit::{KillWhen, ScriptedModel, run_and_kill};

const CHILD_FOLDER: &str = "ADIT_ENRICH_CHILD_FOLDER";
const CHUNKS: u64 = 200;
/// Where the child waits for its end, so that it is always killed before it is done.
const CHILD_WAITS_AT: u64 = 50;

fn documents() -> Vec<DocumentToEnrich> {
    let chunks: Vec<String> = (0..CHUNKS).map(|number| format!("chunk {number}")).collect();
    vec![DocumentToEnrich { text: chunks.join("\n"), chunks }]
}

fn run(folder: &Path, told: &mut dyn FnMut(u64)) -> EnrichOutcome {
    let store = EnrichmentStore::create_or_open(&folder.join("enrichment.db")).unwrap();
    let model = ScriptedModel::new().answer("chunk", "About a chunk.");
    let enricher = Enricher::new(&model, &store, EnrichKind::Context, EnrichBudget::default());
    let outcome = enricher.run(&documents(), &mut |progress| {
        told(progress.chunks_done);
        ControlFlow::Continue(())
    });
    assert_eq!(model.requests().len() as u64, CHUNKS - outcome.as_ref().unwrap().kept);
    outcome.unwrap()
}

/// The process that is killed; does nothing unless the test below starts it.
#[test]
fn child_that_enriches() {
    let Some(folder) = std::env::var_os(CHILD_FOLDER).map(PathBuf::from) else { return };
    run(&folder, &mut |done| {
        let mut output = std::io::stdout().lock();
        writeln!(output, "done {done}").unwrap();
        output.flush().unwrap();
        if done == CHILD_WAITS_AT {
            loop {
                std::thread::park();
            }
        }
    });
}

#[test]
fn a_killed_run_pays_only_for_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["kill::child_that_enriches", "--exact", "--nocapture"]).env(CHILD_FOLDER, folder.path());
    let killed = run_and_kill(&mut child, KillWhen::Lines(10));
    let acknowledged = killed.lines.iter().filter(|line| line.contains("done ")).count() as u64;
    assert!(killed.was_killed() && acknowledged > 0, "{}", killed.stderr);
    let resumed = run(folder.path(), &mut |_| {});
    assert!(resumed.kept >= acknowledged, "{resumed:?}, {acknowledged} acknowledged");
    assert!(resumed.kept <= CHILD_WAITS_AT);
    assert_eq!((resumed.kept + resumed.written, resumed.left), (CHUNKS, 0));
}
