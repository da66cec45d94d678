//! A second writer and a full disk: said with a hint, and nothing is lost.

use std::process::Command;

use crate::bench::{ADIT, Bench, Call};

#[test]
fn a_second_writer_is_refused_while_readers_go_on() {
    let Some(bench) = Bench::with_model() else { return };
    bench.write("docs/a.md", "# A\n\nSome words about glaze.\n");
    bench.run(&["index", "docs"]).expect_code(0);
    let path = bench.path(".adit/collections/main/writer.lock");
    let lock = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    lock.lock().unwrap();
    bench.write("docs/b.md", "# B\n\nMore words about glaze.\n");
    for arguments in [&["index", "docs"][..], &["rebuild"], &["rm", "docs/a.md"]] {
        let call = bench.run(arguments).expect_code(3);
        assert!(call.stderr.contains("another process") && call.stderr.contains("hint: "), "{call}");
    }
    assert_eq!(bench.found(&["glaze"]), ["docs/a.md"]);
    drop(lock);
    bench.run(&["index", "docs"]).expect_code(0);
    assert_eq!(bench.found(&["glaze"]).len(), 2);
}

/// Runs in a mount namespace of its own: the home's small file system is filled while it indexes, then made
/// larger.
const FULL_DISK: &str = r#"
set -u
mount -t tmpfs -o size=1m tmpfs "$1" || exit 77
run() { "$ADIT" --home "$HOME_FOLDER" "$@"; }
HOME_FOLDER="$1/.adit"
run index "$2/first" || exit 10
run index "$2"; [ $? -eq 1 ] || exit 11
run --json status >/dev/null || exit 12
run search --mode lexical firstword | grep -q first.md || exit 13
mount -o remount,size=64m "$1"
run index "$2" || exit 14
run --json status
"#;

#[test]
fn a_full_disk_stops_with_a_hint_and_the_next_run_resumes() {
    let Some(bench) = Bench::with_model() else { return };
    bench.write("source/first/first.md", "# First\n\nThe firstword stands here.\n");
    for number in 0..14 {
        let words: Vec<String> = (0..1_000).map(|word| format!("word{}", word * (number + 1))).collect();
        bench.write(&format!("source/later-{number}.md"), words.join(" "));
    }
    std::fs::create_dir(bench.path("disk")).unwrap();
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", FULL_DISK, "sh"]);
    command.arg(bench.path("disk")).arg(bench.path("source")).env("ADIT", ADIT);
    let call: Call = match command.output() {
        Ok(output) => output.into(),
        Err(error) => return println!("skipped: unshare cannot be started: {error}"),
    };
    if call.code == 77 || call.stderr.contains("unshare") {
        return println!("skipped: no mount namespace can be made here: {call}");
    }
    let call = call.expect_code(0);
    assert!(call.stderr.contains("full") && call.stderr.contains("hint: "), "{call}");
    let status = &call.stdout[call.stdout.find("{\n").unwrap()..];
    let status: serde_json::Value = serde_json::from_str(status).unwrap();
    assert_eq!(status["documents"]["searchable"], 15, "{call}");
}
