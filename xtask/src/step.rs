//! Running other programs, with a heading above each so that a log can be read.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// Root of the workspace.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// Labelled sets and messy files, where they are there.
pub fn shared_data() -> Option<PathBuf> {
    let named = std::env::var_os("ADIT_SHARED_DATA").map(PathBuf::from);
    named
        .or_else(|| root().parent().map(|parent| parent.join("shared/data")))
        .filter(|folder| folder.is_dir())
}

/// Runs one program in the workspace root; its failure is ours.
pub fn run(heading: &str, command: &mut Command) -> Result<()> {
    eprintln!("\n== {heading}");
    let started = Instant::now();
    let status = command.current_dir(root()).status().with_context(|| format!("cannot start {command:?}"))?;
    eprintln!("== {heading}: {:.0} s", started.elapsed().as_secs_f64());
    if !status.success() {
        bail!("{heading} failed ({status})");
    }
    Ok(())
}

/// Runs one program and gives back what it printed; its failure is ours.
pub fn capture(command: &mut Command) -> Result<String> {
    let output = command.current_dir(root()).output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed ({}):\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// `cargo`, the one that runs us. What it told us about our own package is kept from it: some build scripts
/// watch those variables, and would compile again whenever a person's own `cargo build` came between.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        if let Some(name) = name.to_str()
            && (name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
        {
            command.env_remove(name);
        }
    }
    command
}

/// The binary that the tests run, built as they build it: the same choice of packages gives the same
/// features of every dependency, so nothing is compiled twice.
pub fn test_binary() -> Result<PathBuf> {
    run("build the tests' binary", cargo().args(["test", "--workspace", "--no-run", "--quiet"]))?;
    Ok(target_folder().join("debug/adit"))
}

/// Builds the release binary and gives its path.
pub fn release_binary() -> Result<PathBuf> {
    run("build the release binary", cargo().args(["build", "--release", "--package", "adit"]))?;
    Ok(target_folder().join("release/adit"))
}

/// Where cargo builds.
pub fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Removes a folder that a bench or gate is about to fill.
pub fn remove_if_there(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
