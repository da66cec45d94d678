use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use adit_core::{MediaType, ParseError, ParsedDocument, Parser, SourceFile};
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::pdf::panic_words;
use crate::{DocumentParser, ParseLimits};

/// The first argument that makes the binary a parser process; the second is the file's name.
pub const WORKER_ARGUMENT: &str = "__parse-worker";

pub(crate) const MEMORY_LIMIT_VARIABLE: &str = "ADIT_PARSE_WORKER_MEMORY_BYTES";
pub(crate) const CPU_LIMIT_VARIABLE: &str = "ADIT_PARSE_WORKER_CPU_SECONDS";
pub(crate) const FILE_LIMIT_VARIABLE: &str = "ADIT_PARSE_WORKER_FILE_BYTES";

/// Deep page trees recurse deeply in the PDF reader; threads start with 2 MiB.
const STACK_BYTES: usize = 64 << 20;

/// What the child answers on its standard output, as one JSON value.
pub(crate) type Answer = Result<ParsedDocument, ParseError>;

/// Lives the whole life of a parser process: limits itself, reads the file `name` from standard input,
/// writes the document or the error as JSON to standard output, and returns the exit code (0 when an
/// answer was written, 1 when not).
#[must_use]
pub fn run_worker(name: &str) -> u8 {
    let Some(mut answer_pipe) = take_standard_output() else { return 1 };
    limit_process();
    // The message travels in the answer; a second copy on standard error would only confuse.
    std::panic::set_hook(Box::new(|_| {}));
    let answer = read_file().and_then(|bytes| parse_on_large_stack(name, &bytes));
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

fn parse_on_large_stack(name: &str, bytes: &[u8]) -> Answer {
    let limits = ParseLimits { max_file_bytes: u64::MAX, ..ParseLimits::default() };
    let parse = || {
        let parsed = catch_unwind(AssertUnwindSafe(|| {
            DocumentParser::with_limits(limits).parse(SourceFile { name, bytes })
        }));
        parsed.unwrap_or_else(|panic| {
            let detail = format!("the reader failed: {}", panic_words(panic.as_ref()));
            Err(ParseError::Damaged { media_type: MediaType::Pdf, detail })
        })
    };
    std::thread::scope(|scope| {
        match std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, parse) {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err(crashed("its thread died"))),
            Err(error) => Err(crashed(&format!("no thread: {error}"))),
        }
    })
}

fn crashed(detail: &str) -> ParseError {
    ParseError::Crashed { detail: detail.to_owned() }
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
