use std::io::{BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use adit_core::{ParseError, ParsedDocument, Parser, SourceFile};
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::container::{expand_level, frames};
use crate::pdf::panic_words;
use crate::{DocumentParser, ParseLimits, detect_media_type};

/// The first argument that makes the binary a parser process; the second is the file's name.
pub const WORKER_ARGUMENT: &str = "__parse-worker";

pub(crate) const MEMORY_LIMIT_VARIABLE: &str = "ADIT_PARSE_WORKER_MEMORY_BYTES";
pub(crate) const CPU_LIMIT_VARIABLE: &str = "ADIT_PARSE_WORKER_CPU_SECONDS";
/// Set when the child is to open a container instead of parsing a document; its value is the limits.
pub(crate) const EXPAND_VARIABLE: &str = "ADIT_PARSE_WORKER_EXPAND";
pub(crate) const FILE_LIMIT_VARIABLE: &str = "ADIT_PARSE_WORKER_FILE_BYTES";

/// Deep page trees recurse deeply in the PDF reader; threads start with 2 MiB.
const STACK_BYTES: usize = 64 << 20;

/// What the child answers on its standard output, as one JSON value.
pub(crate) type Answer = Result<ParsedDocument, ParseError>;

/// Lives the whole life of a parser process: limits itself, reads the file `name` from standard input,
/// writes the document or the error as JSON to standard output (or the files in a container, as frames),
/// and returns the exit code (0 when an
/// answer was written, 1 when not).
#[must_use]
pub fn run_worker(name: &str) -> u8 {
    let Some(mut answer_pipe) = take_standard_output() else { return 1 };
    limit_process();
    // The message travels in the answer; a second copy on standard error would only confuse.
    std::panic::set_hook(Box::new(|_| {}));
    if let Some(limits) = expansion_limits() {
        return expand(name, &limits, answer_pipe);
    }
    let answer = read_file().and_then(|bytes| on_large_stack(|| parse(name, &bytes)));
    let Ok(json) = serde_json::to_vec(&answer) else { return 1 };
    u8::from(answer_pipe.write_all(&json).and_then(|()| answer_pipe.flush()).is_err())
}

/// Keeps the pipe for the answer and sends whatever a library prints to standard error.
fn take_standard_output() -> Option<std::fs::File> {
    let pipe = rustix::io::dup(rustix::stdio::stdout()).ok()?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr()).ok()?;
    Some(std::fs::File::from(pipe))
}

fn limit_process() {
    // A limit that cannot be set leaves the parent's wall clock as the guard.
    let limits = [
        (Resource::As, variable(MEMORY_LIMIT_VARIABLE)),
        (Resource::Cpu, variable(CPU_LIMIT_VARIABLE)),
        (Resource::Core, Some(0)),
    ];
    for (resource, limit) in limits {
        if limit.is_some() {
            let _ = setrlimit(resource, Rlimit { current: limit, maximum: limit });
        }
    }
}

fn read_file() -> Result<Vec<u8>, ParseError> {
    let limit_bytes = variable(FILE_LIMIT_VARIABLE).unwrap_or(ParseLimits::default().max_file_bytes);
    let mut bytes = Vec::new();
    let size_bytes = std::io::stdin()
        .lock()
        .take(limit_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| ParseError::Crashed { detail: format!("reading standard input: {error}") })?;
    if size_bytes as u64 > limit_bytes {
        return Err(ParseError::TooLarge { size_bytes: size_bytes as u64, limit_bytes });
    }
    Ok(bytes)
}

fn parse(name: &str, bytes: &[u8]) -> Answer {
    let limits = ParseLimits { max_file_bytes: u64::MAX, ..ParseLimits::default() };
    let file = SourceFile { name, bytes };
    catch_unwind(AssertUnwindSafe(|| DocumentParser::with_limits(limits).parse(file)))
        .unwrap_or_else(|panic| Err(reader_failed(file, panic.as_ref())))
}

fn reader_failed(file: SourceFile<'_>, panic: &(dyn std::any::Any + Send)) -> ParseError {
    let detail = format!("the reader failed: {}", panic_words(panic));
    ParseError::Damaged { media_type: detect_media_type(file), detail }
}

fn on_large_stack<T: Send>(work: impl FnOnce() -> Result<T, ParseError> + Send) -> Result<T, ParseError> {
    std::thread::scope(|scope| {
        match std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err(crashed("its thread died"))),
            Err(error) => Err(crashed(&format!("no thread: {error}"))),
        }
    })
}

/// The limits of a container travel as JSON; `None` when a document is to be parsed.
fn expansion_limits() -> Option<ParseLimits> {
    serde_json::from_str(&std::env::var(EXPAND_VARIABLE).ok()?).ok()
}

/// Sends the files of a container as frames. The parent takes them at its own speed: a full pipe holds
/// this process up, so that its memory stays that of one file.
fn expand(name: &str, limits: &ParseLimits, answer_pipe: std::fs::File) -> u8 {
    let mut pipe = BufWriter::with_capacity(64 << 10, answer_pipe);
    let mut is_broken = false;
    let result = read_file().and_then(|bytes| {
        on_large_stack(|| {
            let file = SourceFile { name, bytes: &bytes };
            let mut take = |child| match frames::write_child(&mut pipe, &child) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => {
                    is_broken = true;
                    ControlFlow::Break(())
                }
            };
            catch_unwind(AssertUnwindSafe(|| expand_level(file, limits, &mut take)))
                .unwrap_or_else(|panic| Err(reader_failed(file, panic.as_ref())))
        })
    });
    u8::from(is_broken || frames::write_end(&mut pipe, result).is_err())
}

fn crashed(detail: &str) -> ParseError {
    ParseError::Crashed { detail: detail.to_owned() }
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
