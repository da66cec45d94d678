use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::{Duration, Instant};

use adit_core::{MediaType, ParseError};

use super::RecognitionSettings;
use crate::guard::{Reaped, read_bounded, read_last_words};

/// Words of one page, or the picture of one, which is 200 dots an inch of any paper there is.
const MAX_TEXT_BYTES: u64 = 16 << 20;
const MAX_PICTURE_BYTES: u64 = 256 << 20;
const VERSION_TIMEOUT_MS: u64 = 10_000;

/// The two programs, asked for their versions once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Programs {
    settings: RecognitionSettings,
    versions: Arc<Versions>,
}

#[derive(Debug, Default)]
struct Versions {
    recognition: OnceLock<Option<String>>,
    rendering: OnceLock<Option<String>>,
}

/// Why a program gave nothing.
enum Trouble {
    NotThere,
    TimedOut,
    Failed(String),
}

impl Programs {
    pub(crate) fn new(settings: RecognitionSettings) -> Self {
        Self { settings, versions: Arc::default() }
    }

    pub(crate) fn settings(&self) -> &RecognitionSettings {
        &self.settings
    }

    /// The version of the program that reads pictures, or why there is none, as half a sentence.
    pub(crate) fn recognition_version(&self) -> Result<String, String> {
        if !self.settings.enabled {
            return Err("text recognition is switched off (`parse.ocr` in adit.toml)".to_owned());
        }
        let program = &self.settings.recognition_program;
        let version = self.versions.recognition.get_or_init(|| version(program, "--version"));
        version.clone().ok_or_else(|| format!("`{program}` is not installed"))
    }

    /// The versions of both programs.
    pub(crate) fn page_versions(&self) -> Result<String, String> {
        let recognition = self.recognition_version()?;
        let program = &self.settings.rendering_program;
        let rendering = self.versions.rendering.get_or_init(|| version(program, "-v"));
        let rendering = rendering.clone().ok_or_else(|| {
            format!("`{program}` is not installed (Debian: `apt install poppler-utils`), which turns pages into pictures")
        })?;
        Ok(format!("{recognition}, {rendering}"))
    }

    /// The words in a picture.
    pub(crate) fn recognise(&self, picture: &[u8], media_type: MediaType) -> Result<String, ParseError> {
        let mut command = Command::new(&self.settings.recognition_program);
        command.args(["stdin", "stdout", "-l", &self.settings.languages]);
        // Its threads gain little on one page, and other files are being read meanwhile.
        command.env("OMP_THREAD_LIMIT", "1");
        let output = self.run(command, picture, MAX_TEXT_BYTES, media_type)?;
        Ok(String::from_utf8_lossy(&output).into_owned())
    }

    /// The words on one page of a PDF, counted from 1.
    pub(crate) fn read_page(&self, bytes: &[u8], page: u32) -> Result<String, ParseError> {
        let (page, dpi) = (page.to_string(), self.settings.resolution_dpi.to_string());
        let mut command = Command::new(&self.settings.rendering_program);
        command.args(["-png", "-gray", "-r", &dpi, "-f", &page, "-l", &page, "-"]);
        let picture = self.run(command, bytes, MAX_PICTURE_BYTES, MediaType::Pdf)?;
        self.recognise(&picture, MediaType::Pdf)
    }

    fn run(
        &self,
        command: Command,
        input: &[u8],
        max_output_bytes: u64,
        media_type: MediaType,
    ) -> Result<Vec<u8>, ParseError> {
        let limit_ms = self.settings.page_timeout_ms;
        run(command, input, limit_ms, max_output_bytes).map_err(|trouble| match trouble {
            Trouble::NotThere => ParseError::NeedsOcr {
                what: "a page".to_owned(),
                detail: "its program could not be started".to_owned(),
            },
            Trouble::TimedOut => ParseError::TimedOut { limit_ms },
            Trouble::Failed(detail) => ParseError::Damaged { media_type, detail },
        })
    }
}

/// The first line a program says of itself, on either stream.
fn version(program: &str, argument: &str) -> Option<String> {
    let mut command = Command::new(program);
    command.arg(argument);
    let (status, output, errors) = run_with_errors(command, &[], VERSION_TIMEOUT_MS, MAX_TEXT_BYTES).ok()?;
    // `pdftoppm -v` answers on the second stream, and older ones with a status of their own.
    let output = String::from_utf8_lossy(&output).into_owned();
    let line = output.lines().chain(errors.lines()).map(str::trim).find(|line| !line.is_empty())?;
    (status || line.contains("version")).then(|| line.chars().take(80).collect())
}

fn run(command: Command, input: &[u8], limit_ms: u64, max_output_bytes: u64) -> Result<Vec<u8>, Trouble> {
    let (success, output, errors) = run_with_errors(command, input, limit_ms, max_output_bytes)?;
    if success {
        return Ok(output);
    }
    let last = errors.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it gave no reason");
    Err(Trouble::Failed(format!("text recognition failed: {last}")))
}

/// Runs a program with `input` on its standard input; whether it succeeded, its output, its last words.
fn run_with_errors(
    mut command: Command,
    input: &[u8],
    limit_ms: u64,
    max_output_bytes: u64,
) -> Result<(bool, Vec<u8>, String), Trouble> {
    let deadline = Instant::now() + Duration::from_millis(limit_ms);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = Reaped(child.map_err(|_| Trouble::NotThere)?);
    let (stdin, stdout, stderr) = (child.0.stdin.take(), child.0.stdout.take(), child.0.stderr.take());
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if let Some(mut stdin) = stdin {
                // A program that does not want its input says why elsewhere.
                let _ = stdin.write_all(input);
            }
        });
        let errors = scope.spawn(move || stderr.map(read_last_words).unwrap_or_default());
        let (sender, receiver) = mpsc::channel();
        scope.spawn(move || {
            let _ = sender.send(stdout.map_or(Ok(Vec::new()), |pipe| read_bounded(pipe, max_output_bytes)));
        });
        let output = receiver.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        let status = output.is_ok().then(|| child.wait_until(deadline)).flatten();
        // Only a dead child is sure to close the pipes the threads wait on.
        child.kill_and_reap();
        let errors = errors.join().unwrap_or_default();
        match (output, status) {
            (Ok(Ok(output)), Some(status)) => Ok((status.success(), output, errors)),
            (Ok(Err(problem)), _) => Err(Trouble::Failed(problem)),
            _ => Err(Trouble::TimedOut),
        }
    })
}
