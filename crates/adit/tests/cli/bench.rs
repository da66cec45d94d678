//! A home in a temporary folder and the binary to run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;

/// The binary under test.
pub(crate) const ADIT: &str = env!("CARGO_BIN_EXE_adit");

/// A temporary folder with documents and, after `index`, a home.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
}

/// What one call printed, and its exit code.
pub(crate) struct Call {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Call {
    /// The JSON on stdout.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }

    /// Fails unless the exit code is `code`.
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self}");
        self
    }
}

impl std::fmt::Display for Call {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "exit {}\nstdout: {}\nstderr: {}", self.code, self.stdout, self.stderr)
    }
}

impl From<Output> for Call {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Bench {
    /// An empty folder, or `None` (with a line that says why) where no source gives the model.
    pub(crate) fn with_model() -> Option<Self> {
        static PULLED: OnceLock<Result<(), String>> = OnceLock::new();
        let pulled = PULLED.get_or_init(|| {
            let call: Call = Command::new(ADIT).args(["models", "pull"]).output().unwrap().into();
            if call.code == 0 { Ok(()) } else { Err(call.stderr) }
        });
        match pulled {
            Ok(()) => Some(Self::empty()),
            Err(reason) => {
                println!("skipped: no source gives the embedding model: {reason}");
                None
            }
        }
    }

    /// An empty folder.
    pub(crate) fn empty() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder with a copy of the example handbook in `examples/`.
    pub(crate) fn with_examples() -> Option<Self> {
        let bench = Self::with_model()?;
        copy_folder(&repository().join("examples"), &bench.path("examples"));
        Some(bench)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(ADIT);
        command
            .current_dir(self.folder.path())
            .args(arguments)
            .env_remove("ADIT_LOG")
            .env("ADIT_LOCAL_MODEL", "off");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Call {
        self.command(arguments).output().unwrap().into()
    }

    /// Sources of the passages that a search returns, best first.
    pub(crate) fn found(&self, arguments: &[&str]) -> Vec<String> {
        let mut all = vec!["--json", "search"];
        all.extend(arguments);
        let response = self.run(&all).expect_code(0).json();
        let passages = response["passages"].as_array().unwrap();
        passages.iter().map(|passage| passage["source"].as_str().unwrap().to_owned()).collect()
    }
}

/// Root of the checkout.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Messy real files, where they are there.
pub(crate) fn shared_data() -> Option<PathBuf> {
    let named = std::env::var_os("ADIT_SHARED_DATA").map(PathBuf::from);
    let folder = named.or_else(|| repository().parent().map(|parent| parent.join("shared/data")));
    folder.filter(|folder| folder.is_dir())
}

fn copy_folder(from: &Path, to: &Path) {
    fs_err::create_dir_all(to).unwrap();
    for entry in fs_err::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs_err::copy(entry.path(), target).unwrap();
        }
    }
}
