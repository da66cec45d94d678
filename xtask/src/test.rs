//! `cargo xtask test`: sets up what the tests need and runs every check.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::{gate, step};

/// Packages of the virtual environment that the MCP test's client runs in.
const PYTHON_PACKAGES: &[&str] = &["mcp==1.*"];

pub fn run() -> Result<()> {
    step::run("formatting", step::cargo().args(["fmt", "--all", "--check"]))?;
    step::run(
        "clippy",
        step::cargo().args(["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"]),
    )?;
    let mut tests = step::cargo();
    tests.args(["test", "--workspace", "--no-fail-fast"]);
    match python_environment() {
        Ok(python) => {
            tests.env("ADIT_TEST_PYTHON", python);
        }
        Err(error) => eprintln!("no Python environment, its tests will be skipped: {error:#}"),
    }
    step::run("tests", &mut tests)?;
    gate::run()
}

/// A virtual environment under the target folder with [`PYTHON_PACKAGES`]; made once.
fn python_environment() -> Result<PathBuf> {
    let folder = step::target_folder().join("python-environment");
    let python = folder.join("bin/python");
    let complete = folder.join(format!("complete-{}", PYTHON_PACKAGES.join("-").replace('*', "x")));
    if complete.exists() {
        return Ok(python);
    }
    step::run(
        "make a Python environment",
        Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder),
    )?;
    step::run(
        "install the MCP client",
        Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PYTHON_PACKAGES),
    )?;
    std::fs::write(complete, "")?;
    Ok(python)
}
