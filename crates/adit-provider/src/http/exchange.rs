use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::failure::{FailureKind, HttpFailure};
use crate::CancellationToken;

/// How often a waiting call looks whether it is to stop.
const TICK: Duration = Duration::from_millis(20);
/// Pieces of an answer that wait for their reader; the sender waits when there are more.
const PIECES: usize = 16;
const PIECE_BYTES: usize = 16 << 10;

/// One request as it goes over the wire.
pub(super) struct WireRequest {
    pub(super) url: String,
    pub(super) headers: Vec<(&'static str, String)>,
    /// None asks with GET.
    pub(super) body: Option<Vec<u8>>,
}

/// Status and headers of an answer.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(super) headers: Vec<(String, String)>,
}

impl Head {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

enum Piece {
    Head(Head),
    Bytes(Vec<u8>),
    End,
    Failed(HttpFailure),
}

/// A request under way on a thread of its own, so that the caller can give it up at any time; the thread ends
/// with the connection's timeouts at the latest.
pub(super) struct Exchange {
    pieces: Receiver<Piece>,
    deadline: Instant,
    cancellation: CancellationToken,
}

impl Exchange {
    pub(super) fn start(
        agent: &ureq::Agent,
        request: WireRequest,
        deadline: Instant,
        cancellation: &CancellationToken,
    ) -> Result<Self, HttpFailure> {
        let (sender, pieces) = sync_channel(PIECES);
        let agent = agent.clone();
        std::thread::Builder::new()
            .name("adit-http".to_owned())
            .spawn(move || run(&agent, request, deadline, &sender))
            .map_err(|error| {
                HttpFailure::new(FailureKind::Unreachable, format!("no thread for the call: {error}"))
            })?;
        Ok(Self { pieces, deadline, cancellation: cancellation.clone() })
    }

    /// Waits for the status.
    pub(super) fn head(&self) -> Result<Head, HttpFailure> {
        match self.next()? {
            Piece::Head(head) => Ok(head),
            Piece::Failed(failure) => Err(failure),
            Piece::Bytes(_) | Piece::End => Err(broken("the answer has no status")),
        }
    }

    /// Waits for more of the body; none at its end.
    pub(super) fn bytes(&self) -> Result<Option<Vec<u8>>, HttpFailure> {
        match self.next()? {
            Piece::Bytes(bytes) => Ok(Some(bytes)),
            Piece::End => Ok(None),
            Piece::Failed(failure) => Err(failure),
            Piece::Head(_) => Err(broken("the answer has two statuses")),
        }
    }

    fn next(&self) -> Result<Piece, HttpFailure> {
        loop {
            if self.cancellation.is_cancelled() {
                return Err(HttpFailure::new(FailureKind::Cancelled, "the caller stopped it").billed());
            }
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(HttpFailure::new(FailureKind::TimedOut, "the deadline has passed").billed());
            }
            match self.pieces.recv_timeout(left.min(TICK)) {
                Ok(piece) => return Ok(piece),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(broken("the connection's thread ended")),
            }
        }
    }
}

fn broken(detail: &str) -> HttpFailure {
    HttpFailure::new(FailureKind::Unreachable, detail).billed()
}

/// Sends the request and hands over the answer piece by piece; ends early when nobody listens any more.
fn run(agent: &ureq::Agent, request: WireRequest, deadline: Instant, sender: &SyncSender<Piece>) {
    let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    let response = match send(agent, request, left) {
        Ok(response) => response,
        Err(error) => {
            let _nobody_listens = sender.send(Piece::Failed(failure(&error)));
            return;
        }
    };
    let (parts, body) = response.into_parts();
    let header = |(name, value): (&ureq::http::HeaderName, &ureq::http::HeaderValue)| {
        Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
    };
    let head =
        Head { status: parts.status.as_u16(), headers: parts.headers.iter().filter_map(header).collect() };
    if sender.send(Piece::Head(head)).is_err() {
        return;
    }
    let mut reader = body.into_reader();
    let mut buffer = vec![0_u8; PIECE_BYTES];
    loop {
        let piece = match reader.read(&mut buffer) {
            Ok(0) => Piece::End,
            Ok(read) => Piece::Bytes(buffer.get(..read).unwrap_or_default().to_vec()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => Piece::Failed(failure(&ureq::Error::from(error)).billed()),
        };
        let last = !matches!(piece, Piece::Bytes(_));
        if sender.send(piece).is_err() || last {
            return;
        }
    }
}

fn send(
    agent: &ureq::Agent,
    request: WireRequest,
    left: Duration,
) -> Result<ureq::http::Response<ureq::Body>, ureq::Error> {
    match request.body {
        Some(body) => {
            let mut call = agent.post(&request.url);
            for (name, value) in request.headers {
                call = call.header(name, value);
            }
            call.config().timeout_global(Some(left)).build().send(&body[..])
        }
        None => {
            let mut call = agent.get(&request.url);
            for (name, value) in request.headers {
                call = call.header(name, value);
            }
            call.config().timeout_global(Some(left)).build().call()
        }
    }
}

/// What a failed connection means. The address is left out: the caller knows it.
fn failure(error: &ureq::Error) -> HttpFailure {
    use ureq::Timeout;
    match error {
        ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
            HttpFailure::new(FailureKind::Unreachable, "no connection in time")
        }
        ureq::Error::Timeout(Timeout::Global | Timeout::PerCall) => {
            HttpFailure::new(FailureKind::TimedOut, "the deadline has passed").billed()
        }
        ureq::Error::Timeout(timeout) => {
            HttpFailure::new(FailureKind::TimedOut, format!("the server was silent for too long ({timeout})"))
                .billed()
        }
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            HttpFailure::new(FailureKind::Rejected, "the address or a header cannot be sent")
        }
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => {
            HttpFailure::new(FailureKind::Unreachable, error.to_string())
        }
        ureq::Error::Io(io) if io.kind() == std::io::ErrorKind::ConnectionRefused => {
            HttpFailure::new(FailureKind::Unreachable, "the connection was refused")
        }
        other => HttpFailure::new(FailureKind::Unreachable, other.to_string()),
    }
}
