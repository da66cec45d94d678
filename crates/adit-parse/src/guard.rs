use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use adit_core::{ChildFile, Expansion, MediaType, ParseError, ParsedDocument, Parser, SourceFile};

use crate::container::frames::{Frame, read_frame};
use crate::container::nested::{Nested, OpenLevel};
use crate::container::{Take, expand_level};
use crate::recognition::TextRecognition;
use crate::worker::{
    Answer, CPU_LIMIT_VARIABLE, EXPAND_VARIABLE, FILE_LIMIT_VARIABLE, MEMORY_LIMIT_VARIABLE, WORKER_ARGUMENT,
};
use crate::{DocumentParser, ParseLimits, RecognitionSettings, detect_media_type};

/// Last words that are kept of a dying child.
const MAX_LAST_WORDS_BYTES: u64 = 4 << 10;
/// How often a child that closed its output is asked whether it ended.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Text formats above this size are read in a child process too: their trees take many times their bytes.
const UNGUARDED_TEXT_BYTES: usize = 4 << 20;

/// Reads PDF, Office files, books and large files in a child process of its own with limits on time and
/// memory, everything else in this process. Archives are unpacked in a child process too. Pictures, and
/// pages that are pictures, go through text recognition where it is installed.
///
/// The child is `worker_program __parse-worker NAME`, whose `main` must call [`crate::run_worker`].
/// It can neither outlive its file nor be left behind as a zombie.
#[derive(Debug, Clone)]
pub struct GuardedParser {
    worker_program: PathBuf,
    limits: ParseLimits,
    parser: DocumentParser,
    recognition: TextRecognition,
}

impl GuardedParser {
    /// A parser that starts `worker_program` for each file that needs it.
    #[must_use]
    pub fn new(worker_program: PathBuf, limits: ParseLimits) -> Self {
        let parser = DocumentParser::with_limits(limits);
        Self { worker_program, limits, parser, recognition: TextRecognition::default() }
    }

    /// Reads pictures by these settings; without this call by the default ones.
    #[must_use]
    pub fn with_recognition(mut self, settings: RecognitionSettings) -> Self {
        self.recognition = TextRecognition::new(settings);
        self
    }

    fn spawn(&self, name: &str, variables: &[(&str, String)]) -> Result<Reaped, ParseError> {
        let cores = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
        let cpu_seconds = (self.limits.timeout_ms / 1000).saturating_add(1).saturating_mul(cores);
        let child = Command::new(&self.worker_program)
            .arg(WORKER_ARGUMENT)
            // A NUL cannot be an argument, and the worker looks only at the ending.
            .arg(name.replace('\0', ""))
            .env(MEMORY_LIMIT_VARIABLE, self.limits.memory_limit_bytes.to_string())
            .env(CPU_LIMIT_VARIABLE, cpu_seconds.to_string())
            .env(FILE_LIMIT_VARIABLE, self.limits.max_file_bytes.to_string())
            .env_remove(EXPAND_VARIABLE)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        child.map(Reaped).map_err(|error| crashed(format!("it could not be started: {error}")))
    }

    fn parse_in_child(&self, file: SourceFile<'_>) -> Result<ParsedDocument, ParseError> {
        let deadline = Instant::now() + Duration::from_millis(self.limits.timeout_ms);
        let mut child = self.spawn(file.name, &[])?;
        let (stdin, stdout, stderr) = (child.0.stdin.take(), child.0.stdout.take(), child.0.stderr.take());
        // Three threads, so that no full pipe can hold up another. They end when the child does.
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if let Some(mut stdin) = stdin {
                    // A child that stops reading has its answer or its death elsewhere.
                    let _ = stdin.write_all(file.bytes);
                }
            });
            let last_words = scope.spawn(move || stderr.map(read_last_words).unwrap_or_default());
            let (sender, receiver) = mpsc::channel();
            let limit = self.limits.memory_limit_bytes;
            scope.spawn(move || {
                let _ = sender.send(stdout.map_or(Ok(Vec::new()), |pipe| read_bounded(pipe, limit)));
            });
            let output = receiver.recv_timeout(deadline.saturating_duration_since(Instant::now()));
            let status = output.is_ok().then(|| child.wait_until(deadline)).flatten();
            // Only a dead child is sure to close the pipes the threads wait on.
            child.kill_and_reap();
            let last_words = last_words.join().unwrap_or_default();
            match (output, status) {
                (Ok(Ok(output)), Some(status)) => self.read_answer(&output, status, &last_words),
                (Ok(Err(problem)), _) => Err(crashed(problem)),
                _ => Err(ParseError::TimedOut { limit_ms: self.limits.timeout_ms }),
            }
        })
    }

    /// Opens one container in a child process. The time limit holds for each file it sends, because the
    /// child also waits for what happens to the files here.
    fn expand_in_child(
        &self,
        file: SourceFile<'_>,
        take: &mut Take<'_>,
    ) -> Result<Option<Expansion>, ParseError> {
        let limits = serde_json::to_string(&self.limits).map_err(|error| crashed(error.to_string()))?;
        let mut child = self.spawn(file.name, &[(EXPAND_VARIABLE, limits)])?;
        let (stdin, stdout, stderr) = (child.0.stdin.take(), child.0.stdout.take(), child.0.stderr.take());
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if let Some(mut stdin) = stdin {
                    let _ = stdin.write_all(file.bytes);
                }
            });
            let last_words = scope.spawn(move || stderr.map(read_last_words).unwrap_or_default());
            // One frame waits while another is at work.
            let (sender, receiver) = mpsc::sync_channel(1);
            let most = self.limits.max_file_bytes;
            scope.spawn(move || {
                let Some(mut pipe) = stdout else { return };
                loop {
                    let frame = read_frame(&mut pipe, most);
                    let is_last = !matches!(frame, Ok(Frame::Child(_)));
                    if sender.send(frame).is_err() || is_last {
                        break;
                    }
                }
            });
            let result = loop {
                match receiver.recv_timeout(Duration::from_millis(self.limits.timeout_ms)) {
                    Ok(Ok(Frame::Child(child))) => {
                        if take(child).is_break() {
                            break Ok(None);
                        }
                    }
                    Ok(Ok(Frame::End(result))) => break result,
                    Ok(Err(problem)) => break Err(crashed(problem)),
                    Err(_) => break Err(ParseError::TimedOut { limit_ms: self.limits.timeout_ms }),
                }
            };
            drop(receiver);
            let status = match &result {
                Err(ParseError::Crashed { .. }) => child.wait_until(Instant::now() + Duration::from_secs(1)),
                _ => None,
            };
            child.kill_and_reap();
            let last_words = last_words.join().unwrap_or_default();
            match (result, status) {
                (Err(ParseError::Crashed { .. }), Some(status)) if !status.success() => {
                    Err(self.death(status, &last_words))
                }
                (result, _) => result,
            }
        })
    }

    fn read_answer(
        &self,
        output: &[u8],
        status: ExitStatus,
        last_words: &str,
    ) -> Result<ParsedDocument, ParseError> {
        if status.success() {
            return serde_json::from_slice::<Answer>(output)
                .unwrap_or_else(|error| Err(crashed(format!("its answer is no JSON: {error}"))));
        }
        Err(self.death(status, last_words))
    }

    fn death(&self, status: ExitStatus, last_words: &str) -> ParseError {
        if is_cpu_limit(status) {
            return ParseError::TimedOut { limit_ms: self.limits.timeout_ms };
        }
        let last_line = last_words.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        crashed(if last_line.is_empty() { status.to_string() } else { format!("{status}: {last_line}") })
    }
}

/// Formats that are programs or packages by strangers, read with limits on time and memory.
fn is_guarded(media_type: MediaType) -> bool {
    matches!(
        media_type,
        MediaType::Pdf
            | MediaType::Docx
            | MediaType::Pptx
            | MediaType::Spreadsheet
            | MediaType::Odt
            | MediaType::Odp
            | MediaType::Rtf
            | MediaType::Epub
            | MediaType::Outlook
            | MediaType::Doc
            | MediaType::Ppt
    )
}

impl Parser for GuardedParser {
    fn parse(&self, file: SourceFile<'_>) -> Result<ParsedDocument, ParseError> {
        self.limits.check_size(file.bytes)?;
        let media_type = detect_media_type(file);
        let is_large_text = file.bytes.len() > UNGUARDED_TEXT_BYTES
            && !matches!(media_type, MediaType::Unknown | MediaType::Archive | MediaType::Mbox);
        match media_type {
            MediaType::Image => self.recognition.read_image(file.bytes),
            _ if file.bytes.is_empty() => self.parser.parse(file),
            MediaType::Pdf => self.recognition.complete_pdf(file.bytes, self.parse_in_child(file)),
            _ if is_guarded(media_type) || is_large_text => self.parse_in_child(file),
            _ => self.parser.parse(file),
        }
    }

    fn expand(
        &self,
        file: SourceFile<'_>,
        take: &mut dyn FnMut(ChildFile) -> ControlFlow<()>,
    ) -> Result<Option<Expansion>, ParseError> {
        self.limits.check_size(file.bytes)?;
        Nested::new(self, &self.limits).expand(file, take)
    }
}

impl OpenLevel for GuardedParser {
    fn open(&self, file: SourceFile<'_>, take: &mut Take<'_>) -> Result<Option<Expansion>, ParseError> {
        match detect_media_type(file) {
            MediaType::Archive | MediaType::Outlook => self.expand_in_child(file, take),
            _ => expand_level(file, &self.limits, take),
        }
    }
}

/// A child that is killed and waited for however its owner is left.
pub(crate) struct Reaped(pub(crate) Child);

impl Reaped {
    pub(crate) fn wait_until(&mut self, deadline: Instant) -> Option<ExitStatus> {
        loop {
            match self.0.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(POLL_INTERVAL),
                _ => return None,
            }
        }
    }

    pub(crate) fn kill_and_reap(&mut self) {
        // Both fail only if the child is gone already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Reaped {
    fn drop(&mut self) {
        self.kill_and_reap();
    }
}

pub(crate) fn read_bounded(pipe: impl Read, limit: u64) -> Result<Vec<u8>, String> {
    let mut output = Vec::new();
    pipe.take(limit.saturating_add(1))
        .read_to_end(&mut output)
        .map_err(|error| format!("its pipe broke: {error}"))?;
    if output.len() as u64 > limit {
        Err(format!("its answer is longer than {limit} bytes"))
    } else {
        Ok(output)
    }
}

pub(crate) fn read_last_words(mut pipe: impl Read) -> String {
    let mut words = Vec::new();
    let _ = (&mut pipe).take(MAX_LAST_WORDS_BYTES).read_to_end(&mut words);
    // What follows is thrown away, but must be read lest the child stop at a full pipe.
    let _ = std::io::copy(&mut pipe, &mut std::io::sink());
    String::from_utf8_lossy(&words).into_owned()
}

fn is_cpu_limit(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}

fn crashed(detail: String) -> ParseError {
    ParseError::Crashed { detail }
}
