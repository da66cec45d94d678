use std::process::Stdio;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::bench::Bench;

/// Killed this often while it indexes; after each, everything in the catalog is whole and found.
const ROUNDS: usize = 30;
/// Documents that come before each round, so that there is always work to be killed in.
const DOCUMENTS_A_ROUND: usize = 4;

#[test]
fn a_killed_index_is_resumed_and_loses_nothing() {
    let Some(bench) = Bench::with_model() else { return };
    let seed = rand::rng().random();
    println!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let mut searchable = 0;
    for round in 0..ROUNDS {
        write_documents(&bench, round, &mut random);
        let mut child =
            bench.command(&["index", "docs"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(random.random_range(20..900)));
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
    let last = bench.run(&["--json", "index", "docs"]).expect_code(0).json();
    assert_eq!(last["documents"]["searchable"], ROUNDS * DOCUMENTS_A_ROUND);
    for round in 0..ROUNDS {
        let name = format!("marker{round}x0");
        assert_eq!(bench.found(&[&name, "--mode", "lexical"])[0], format!("docs/{round}-0.md"));
    }
    bench.run(&["audit", "--all", "--mode", "lexical"]).expect_code(0);
}

fn write_documents(bench: &Bench, round: usize, random: &mut StdRng) {
    for number in 0..DOCUMENTS_A_ROUND {
        let words: Vec<String> = (0..250).map(|_| format!("word{}", random.random_range(0..2_000))).collect();
        let text = format!("# marker{round}x{number}\n\n{}.\n", words.join(" "));
        bench.write(&format!("docs/{round}-{number}.md"), text);
    }
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
