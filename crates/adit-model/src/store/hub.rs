use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use fs_err::{File, OpenOptions};

use super::{DownloadProgress, ModelCard, ModelFile};
use crate::ModelError;

/// The model hub; `$ADIT_MODEL_HUB` names another one with the same paths.
const HUB: &str = "https://huggingface.co";
const VARIABLE: &str = "ADIT_MODEL_HUB";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(15);
/// A server that sends nothing for this long is given up.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(20);
const PARTIAL_FOLDER: &str = "partial";

pub(super) fn origin(card: &ModelCard) -> String {
    format!("the model hub ({}/{})", address(), card.repository)
}

fn address() -> String {
    let address = std::env::var(VARIABLE).ok().filter(|value| !value.is_empty());
    address.unwrap_or_else(|| HUB.to_owned()).trim_end_matches('/').to_owned()
}

/// Downloads the files of `card` into `folder`; what arrives is kept below `cache_folder` until a
/// file is whole, so that a broken download goes on where it stopped.
pub(super) fn download(
    card: &ModelCard,
    folder: &Path,
    cache_folder: &Path,
    progress: &mut dyn FnMut(DownloadProgress),
) -> Result<(), ModelError> {
    let agent = agent();
    let partial = cache_folder.join(PARTIAL_FOLDER);
    fs_err::create_dir_all(&partial)?;
    for file in card.files {
        let target = folder.join(file.name);
        if let Some(parent) = target.parent() {
            fs_err::create_dir_all(parent)?;
        }
        let url = format!("{}/{}/resolve/main/{}", address(), card.repository, file.name);
        let part_path = partial.join(format!("{}.part", file.sha256));
        let part = OpenOptions::new().create(true).truncate(false).write(true).read(true).open(&part_path)?;
        if part.file().try_lock().is_ok() {
            download_file(&agent, &url, file, part, progress)?;
            fs_err::rename(&part_path, &target)?;
        } else {
            // Another process is at this very file: load it a second time rather than share it.
            drop(part);
            let part = OpenOptions::new().create_new(true).write(true).read(true).open(&target)?;
            download_file(&agent, &url, file, part, progress)?;
        }
    }
    Ok(())
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .timeout_resolve(Some(CONNECT_TIMEOUT))
        .timeout_connect(Some(CONNECT_TIMEOUT))
        .timeout_recv_response(Some(RESPONSE_TIMEOUT))
        .timeout_per_read(Some(SILENCE_TIMEOUT))
        .build();
    ureq::Agent::new_with_config(config)
}

/// Downloads a file of a repository whose length and hash are not known into `folder`; false where the
/// repository has no such file.
pub(super) fn download_unhashed(
    repository: &str,
    revision: &str,
    file: &str,
    folder: &Path,
    max_bytes: u64,
    progress: &mut dyn FnMut(DownloadProgress),
) -> Result<bool, ModelError> {
    let url = format!("{}/{repository}/resolve/{revision}/{file}", address());
    download_bounded(&agent(), &url, file, folder, max_bytes, progress)
}

fn download_bounded(
    agent: &ureq::Agent,
    url: &str,
    file: &str,
    folder: &Path,
    max_bytes: u64,
    progress: &mut dyn FnMut(DownloadProgress),
) -> Result<bool, ModelError> {
    let response = match agent.get(url).call() {
        Ok(response) => response,
        Err(ureq::Error::StatusCode(404)) => return Ok(false),
        Err(error) => return Err(unreachable_hub(url, &error)),
    };
    let announced =
        response.headers().get("content-length").and_then(|value| value.to_str().ok()?.parse().ok());
    let target = folder.join(file);
    if let Some(parent) = target.parent() {
        fs_err::create_dir_all(parent)?;
    }
    let mut out = File::create(&target)?;
    let mut body = response.into_body().into_reader().take(max_bytes + 1);
    let mut buffer = vec![0_u8; 1 << 16];
    let mut received_bytes = 0_u64;
    loop {
        let read = body.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
        out.write_all(bytes)?;
        received_bytes += read as u64;
        let total_bytes = announced.unwrap_or(received_bytes);
        progress(DownloadProgress::Received { file: file.to_owned(), received_bytes, total_bytes });
    }
    if received_bytes > max_bytes || announced.is_some_and(|announced: u64| announced != received_bytes) {
        return Err(ModelError::damaged(&target, format!("{received_bytes} bytes arrived")));
    }
    Ok(true)
}

fn download_file(
    agent: &ureq::Agent,
    url: &str,
    file: &ModelFile,
    mut part: File,
    progress: &mut dyn FnMut(DownloadProgress),
) -> Result<(), ModelError> {
    let mut received_bytes = part.metadata()?.len();
    if received_bytes > file.size_bytes {
        part.set_len(0)?;
        received_bytes = 0;
    }
    if received_bytes == file.size_bytes {
        return Ok(());
    }
    let mut request = agent.get(url);
    if received_bytes > 0 {
        request = request.header("Range", format!("bytes={received_bytes}-"));
    }
    let response = request.call().map_err(|error| unreachable_hub(url, &error))?;
    if response.status() != 206 {
        part.set_len(0)?;
        received_bytes = 0;
    }
    part.seek(SeekFrom::Start(received_bytes))?;
    // One byte more than expected is enough to know that it is another file.
    let mut body = response.into_body().into_reader().take(file.size_bytes - received_bytes + 1);
    let mut buffer = vec![0_u8; 1 << 16];
    loop {
        let read = body.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
        part.write_all(bytes)?;
        received_bytes += read as u64;
        progress(DownloadProgress::Received {
            file: file.name.to_owned(),
            received_bytes,
            total_bytes: file.size_bytes,
        });
    }
    if received_bytes == file.size_bytes {
        return Ok(());
    }
    let path = part.path().to_owned();
    if received_bytes > file.size_bytes {
        part.set_len(0)?;
    }
    Err(ModelError::damaged(&path, format!("{received_bytes} bytes arrived instead of {}", file.size_bytes)))
}

fn unreachable_hub(url: &str, error: &ureq::Error) -> ModelError {
    let source = std::io::Error::other(error.to_string());
    ModelError::Io { detail: format!("no answer for {url}: {error}"), source }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;

    use super::*;

    const FILE: ModelFile = ModelFile { name: "config.json", size_bytes: 10, sha256: "" };

    /// A server on loopback that answers one request and gives back its request lines.
    fn serve_once(response: &'static str) -> (String, std::thread::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/config.json", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let reader = BufReader::new(stream.try_clone().unwrap());
            let lines = reader.lines().map(Result::unwrap).take_while(|line| !line.is_empty()).collect();
            stream.write_all(response.as_bytes()).unwrap();
            lines
        });
        (url, server)
    }

    fn part_with(content: &str) -> (tempfile::TempDir, File) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.part");
        fs_err::write(&path, content).unwrap();
        let part = OpenOptions::new().read(true).write(true).open(path).unwrap();
        (folder, part)
    }

    fn fetch(url: &str, part: File) -> Result<(), ModelError> {
        download_file(&ureq::Agent::new_with_defaults(), url, &FILE, part, &mut |_| {})
    }

    #[test]
    fn a_broken_download_goes_on_where_it_stopped() {
        let (url, server) = serve_once(
            "HTTP/1.1 206 Partial Content\r\nContent-Length: 6\r\nContent-Range: bytes 4-9/10\r\n\r\n456789",
        );
        let (folder, part) = part_with("0123");
        fetch(&url, part).unwrap();
        assert_eq!(fs_err::read_to_string(folder.path().join("file.part")).unwrap(), "0123456789");
        let request = server.join().unwrap();
        assert!(request.iter().any(|line| line.eq_ignore_ascii_case("range: bytes=4-")), "{request:?}");
    }

    #[test]
    fn a_file_of_unknown_length_is_bounded_and_an_absent_one_is_told_apart() {
        let fetch = |url: &str, folder: &Path| {
            let agent = ureq::Agent::new_with_defaults();
            download_bounded(&agent, url, "config.json", folder, 10, &mut |_| {})
        };
        let folder = tempfile::tempdir().unwrap();
        let (url, server) = serve_once("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcdefghij");
        assert!(fetch(&url, folder.path()).unwrap());
        assert_eq!(fs_err::read_to_string(folder.path().join("config.json")).unwrap(), "abcdefghij");
        server.join().unwrap();
        let (url, server) = serve_once("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        assert!(!fetch(&url, folder.path()).unwrap());
        server.join().unwrap();
        let (url, server) = serve_once("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcdefghijk");
        assert!(matches!(fetch(&url, folder.path()), Err(ModelError::Damaged { .. })));
        server.join().unwrap();
    }

    #[test]
    fn a_server_without_ranges_starts_anew() {
        let (url, server) = serve_once("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcdefghij");
        let (folder, part) = part_with("0123");
        fetch(&url, part).unwrap();
        assert_eq!(fs_err::read_to_string(folder.path().join("file.part")).unwrap(), "abcdefghij");
        server.join().unwrap();
    }

    #[test]
    fn a_file_that_is_too_long_or_absent_is_refused() {
        let (url, server) = serve_once("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nabcdefghijkl");
        let (_folder, part) = part_with("");
        assert!(matches!(fetch(&url, part), Err(ModelError::Damaged { .. })));
        server.join().unwrap();
        let (url, server) = serve_once("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        let (_folder, part) = part_with("");
        assert!(matches!(fetch(&url, part), Err(ModelError::Io { .. })));
        server.join().unwrap();
    }
}
