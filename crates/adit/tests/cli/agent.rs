use std::process::Command;

use crate::bench::{ADIT, Bench, Call, repository};

#[test]
fn the_official_mcp_client_lists_and_calls_every_tool() {
    let Some(python) = std::env::var_os("ADIT_TEST_PYTHON") else {
        println!(
            "skipped: needs a Python with the package mcp in ADIT_TEST_PYTHON (cargo xtask test sets it)"
        );
        return;
    };
    let Some(bench) = Bench::with_examples() else { return };
    bench.run(&["index", "examples"]).expect_code(0);
    let call: Call = Command::new(python)
        .arg(repository().join("crates/adit-server/tests/mcp_client.py"))
        .args([ADIT, "--home"])
        .arg(bench.path(".adit"))
        .arg("mcp")
        .output()
        .unwrap()
        .into();
    println!("{call}");
    call.expect_code(0);
}
