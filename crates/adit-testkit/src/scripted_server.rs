use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

/// A request as the server received it.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// Such as `POST`.
    pub method: String,
    /// With its query.
    pub path: String,
    /// Names in lower case, in order.
    pub headers: Vec<(String, String)>,
    /// As it came.
    pub body: Vec<u8>,
}

impl ReceivedRequest {
    /// The first header of this name, in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; fails the test otherwise.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("the request's body is no JSON")
    }
}

/// What the server does with a request.
#[derive(Debug, Clone)]
pub enum ScriptedResponse {
    /// An ordinary answer.
    Whole {
        /// Status.
        status: u16,
        /// Headers beyond the length.
        headers: Vec<(String, String)>,
        /// Body.
        body: Vec<u8>,
    },
    /// A chunked answer of server-sent events, in these pieces.
    Chunked {
        /// The pieces, each a chunk of its own.
        pieces: Vec<Vec<u8>>,
        /// What follows the last one.
        end: StreamEnd,
    },
    /// Never answers; the connection stays open until the server is dropped.
    Hang,
    /// Closes the connection without an answer.
    Reset,
}

/// How a chunked answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamEnd {
    /// As it should.
    Whole,
    /// The connection closes in the middle.
    Cut,
    /// Nothing more comes.
    Hang,
}

impl ScriptedResponse {
    /// A JSON answer with status 200.
    #[must_use]
    pub fn json(body: &Value) -> Self {
        Self::status(200, &body.to_string())
    }

    /// An answer with this status and body.
    #[must_use]
    pub fn status(status: u16, body: &str) -> Self {
        Self::Whole { status, headers: Vec::new(), body: body.as_bytes().to_vec() }
    }

    /// The same answer with another header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        if let Self::Whole { headers, .. } = &mut self {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Events, each a chunk of its own.
    #[must_use]
    pub fn events(events: &[&str], end: StreamEnd) -> Self {
        Self::Chunked {
            pieces: events.iter().map(|event| format!("{event}\n\n").into_bytes()).collect(),
            end,
        }
    }
}

type Rule = (Box<dyn Fn(&ReceivedRequest) -> bool + Send>, VecDeque<ScriptedResponse>);

#[derive(Default)]
struct Shared {
    rules: Mutex<Vec<Rule>>,
    received: Mutex<Vec<ReceivedRequest>>,
    closed: AtomicBool,
    bell: (Mutex<()>, Condvar),
}

/// An HTTP server on loopback that answers by a script and remembers what it was asked. The first rule that
/// fits a request and has answers left gives its next one; a request that none fits gets a 404 that says so.
pub struct ScriptedServer {
    address: String,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

impl ScriptedServer {
    /// A server at a free port that knows no answer yet.
    #[must_use]
    pub fn start() -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", socket.local_addr().unwrap());
        let shared = Arc::new(Shared::default());
        let for_listener = Arc::clone(&shared);
        let listener = std::thread::spawn(move || {
            for stream in socket.incoming() {
                if for_listener.closed.load(Ordering::Acquire) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&for_listener);
                std::thread::spawn(move || serve(&stream, &shared));
            }
        });
        Self { address, shared, listener: Some(listener) }
    }

    /// Such as `http://127.0.0.1:40123`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Answers the next request to `path` with `response`; several of the same path are taken in order.
    pub fn answer(&self, path: &str, response: ScriptedResponse) {
        let path = path.to_owned();
        self.answer_when(move |request| request.path == path, response);
    }

    /// Answers the next request that `fits` with `response`.
    pub fn answer_when(
        &self,
        fits: impl Fn(&ReceivedRequest) -> bool + Send + 'static,
        response: ScriptedResponse,
    ) {
        self.shared.rules.lock().unwrap().push((Box::new(fits), VecDeque::from([response])));
    }

    /// What was received so far.
    #[must_use]
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.shared.received.lock().unwrap().clone()
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Release);
        self.shared.bell.1.notify_all();
        // Wakes the listener, which then sees that it is to end.
        let _refused = TcpStream::connect(self.address.trim_start_matches("http://"));
        if let Some(listener) = self.listener.take() {
            let _panicked = listener.join();
        }
    }
}

/// Answers one request and closes the connection.
fn serve(stream: &TcpStream, shared: &Shared) {
    let Some(request) = receive(stream) else { return };
    let response = {
        let mut rules = shared.rules.lock().unwrap();
        rules
            .iter_mut()
            .find(|(fits, answers)| !answers.is_empty() && fits(&request))
            .and_then(|(_, answers)| answers.pop_front())
    };
    let nothing = format!("nothing is scripted for {} {}", request.method, request.path);
    shared.received.lock().unwrap().push(request);
    let response = response.unwrap_or_else(|| ScriptedResponse::status(404, &nothing));
    // A client that gave up is part of what is tested.
    let _client_is_gone = send(stream, response, shared);
    let _already_closed = stream.shutdown(Shutdown::Both);
}

fn receive(stream: &TcpStream) -> Option<ReceivedRequest> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: u64 = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body).ok()?;
    Some(ReceivedRequest { method, path, headers, body })
}

fn send(mut stream: &TcpStream, response: ScriptedResponse, shared: &Shared) -> std::io::Result<()> {
    match response {
        ScriptedResponse::Whole { status, headers, body } => {
            write!(
                stream,
                "HTTP/1.1 {status} Scripted\r\ncontent-length: {}\r\nconnection: close\r\n",
                body.len()
            )?;
            for (name, value) in headers {
                write!(stream, "{name}: {value}\r\n")?;
            }
            stream.write_all(b"\r\n")?;
            stream.write_all(&body)
        }
        ScriptedResponse::Chunked { pieces, end } => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n")?;
            stream.write_all(b"transfer-encoding: chunked\r\nconnection: close\r\n\r\n")?;
            for piece in pieces {
                write!(stream, "{:x}\r\n", piece.len())?;
                stream.write_all(&piece)?;
                stream.write_all(b"\r\n")?;
                stream.flush()?;
            }
            match end {
                StreamEnd::Whole => stream.write_all(b"0\r\n\r\n"),
                StreamEnd::Cut => Ok(()),
                StreamEnd::Hang => {
                    hang(shared);
                    Ok(())
                }
            }
        }
        ScriptedResponse::Hang => {
            hang(shared);
            Ok(())
        }
        ScriptedResponse::Reset => Ok(()),
    }
}

/// Waits until the server is dropped.
fn hang(shared: &Shared) {
    let mut guard = shared.bell.0.lock().unwrap();
    while !shared.closed.load(Ordering::Acquire) {
        guard = shared.bell.1.wait_timeout(guard, Duration::from_millis(50)).unwrap().0;
    }
}
