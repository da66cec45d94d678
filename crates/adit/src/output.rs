use std::io::{ErrorKind, IsTerminal, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Where results go: text for people, or one JSON value a command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    /// Whether `--json` was given.
    pub(crate) json: bool,
}

impl Output {
    /// Prints `value` as JSON, or what `text` makes of it.
    pub(crate) fn result<T: Serialize>(
        self,
        value: &T,
        text: impl FnOnce(&T) -> String,
    ) -> Result<(), Failure> {
        let shown = if self.json {
            serde_json::to_string_pretty(value).map_err(|error| Failure::world(error.to_string()))?
        } else {
            text(value)
        };
        print(&shown)
    }
}

/// Prints one text to stdout. A reader that has gone away (`adit search x | head`) is no error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let ends_with_newline = text.ends_with('\n');
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| if ends_with_newline { Ok(()) } else { stdout.write_all(b"\n") })
        .and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::world(format!("cannot write the result: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints one line for people to stderr.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Whether a person sees stderr.
pub(crate) fn is_interactive() -> bool {
    std::io::stderr().is_terminal()
}

/// `1 file`, `2 files`.
pub(crate) fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// `950 B`, `1.2 MiB`.
pub(crate) fn human_bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = "KiB";
    for next in UNITS.iter().skip(1) {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    format!("{value:.1} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_counts_read_well() {
        assert_eq!(human_bytes(950), "950 B");
        assert_eq!(human_bytes(1024 * 1024 + 200_000), "1.2 MiB");
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(0, "file"), "0 files");
    }
}
