use std::process::Stdio;
use std::time::Duration;

use crate::bench::Bench;

/// Killed this often while it indexes; after each, everything in the catalog is whole and found.
const ROUNDS: u64 = 12;

#[test]
fn a_killed_index_is_resumed_and_loses_nothing() {
    let Some(bench) = Bench::with_examples() else { return };
    let mut searchable = 0;
    for round in 0..ROUNDS {
        let mut child = bench
            .command(&["index", "examples"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(60 + 170 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let status = bench.run(&["--json", "status", "--all"]);
        if status.code == 2 {
            continue; // Killed before there was a catalog.
        }
        let status = status.expect_code(0).json();
        let now = status["documents"]["searchable"].as_u64().unwrap();
        assert!(
            now >= searchable,
            "a committed document was lost: {searchable} before, {now} after round {round}"
        );
        searchable = now;
    }
    let last = bench.run(&["--json", "index", "examples"]).expect_code(0).json();
    assert_eq!(last["documents"]["searchable"], last["files"]);
    assert_eq!(bench.found(&["ERR_4021"])[0], "examples/support/error-codes.html");
}

#[test]
fn every_derived_file_may_be_lost_and_a_search_makes_it_again() {
    let Some(bench) = Bench::with_model() else { return };
    bench.write("docs/a.md", "# A\n\nSome words about glaze.\n");
    bench.run(&["index", "docs"]).expect_code(0);
    fs_err::remove_dir_all(bench.path(".adit/collections")).unwrap();
    assert_eq!(bench.found(&["glaze"]), ["docs/a.md"]);
    bench.run(&["rebuild"]).expect_code(0);
    assert_eq!(bench.found(&["glaze"]), ["docs/a.md"]);
}
