use std::process::ExitCode;

use adit_core::{Classified, ErrorClass};

/// What the program's exit code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done.
    Done,
    /// 1: done with failures listed, or stopped by trouble outside.
    Failures,
    /// 2: the arguments or the input cannot be used.
    Usage,
    /// 3: refused: scope, fingerprint, lock, gate.
    Refused,
    /// 130: interrupted, as a shell reports Ctrl-C.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failures => 1,
            Exit::Usage => 2,
            Exit::Refused => 3,
            Exit::Interrupted => 130,
        })
    }
}

/// Why a command ended early, ready to be shown.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    exit: Exit,
}

impl Failure {
    /// Input that cannot be used.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: Some(hint.into()), exit: Exit::Usage }
    }

    /// Trouble outside: disk, terminal.
    pub(crate) fn world(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, exit: Exit::Failures }
    }

    /// The exit code.
    pub(crate) fn exit_code(&self) -> Exit {
        self.exit
    }

    /// Prints what, then what to do next, to stderr (as JSON when asked).
    pub(crate) fn report(&self, json: bool) {
        use std::io::Write;
        let mut stderr = std::io::stderr().lock();
        // Nothing can be done when stderr itself is gone.
        let _ = if json {
            writeln!(stderr, "{}", serde_json::json!({ "error": self.message, "hint": self.hint }))
        } else {
            let hint = self.hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
            writeln!(stderr, "error: {}{hint}", self.message)
        };
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl<E: Classified> From<E> for Failure {
    fn from(error: E) -> Self {
        let exit = match error.class() {
            ErrorClass::User => Exit::Usage,
            ErrorClass::Refused => Exit::Refused,
            ErrorClass::Internal | ErrorClass::World => Exit::Failures,
        };
        let hint = error.hint().or_else(|| {
            (error.class() == ErrorClass::Internal)
                .then(|| "this is a defect of adit; please report it with the command you ran".to_owned())
        });
        Self { message: error.to_string(), hint, exit }
    }
}
