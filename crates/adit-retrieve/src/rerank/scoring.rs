//! A reranker asked in a thread of its own, so that a deadline holds whatever it does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use adit_core::{RerankError, Reranker};

/// Rerankers that missed their deadline and still run: with so many of them no further one is started.
const MOST_LATE: usize = 4;

/// Why there are no scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unscored {
    Failed(RerankError),
    Late(Duration),
    /// Earlier calls have not come back yet.
    Busy,
    Died,
    /// Not one finite score for each passage.
    Unusable,
}

impl std::fmt::Display for Unscored {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Failed(error) => write!(formatter, "{error}"),
            Self::Late(deadline) => {
                write!(formatter, "the reranker did not answer within {} ms", deadline.as_millis())
            }
            Self::Busy => write!(formatter, "the reranker still works on {MOST_LATE} earlier questions"),
            Self::Died => write!(formatter, "the reranker ended without an answer"),
            Self::Unusable => write!(formatter, "the reranker did not give every passage a finite score"),
        }
    }
}

/// How many calls of a reranker are still running.
#[derive(Debug, Clone, Default)]
pub(crate) struct Running(Arc<AtomicUsize>);

/// Counts one call as long as it lives.
struct Call(Running);

impl Drop for Call {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The scores of `passages`, in their order.
pub(super) fn score_within(
    deadline: Duration,
    running: &Running,
    reranker: &Arc<dyn Reranker>,
    query: &str,
    passages: Vec<String>,
) -> Result<Vec<f32>, Unscored> {
    let expected = passages.len();
    if running.0.fetch_add(1, Ordering::AcqRel) >= MOST_LATE {
        running.0.fetch_sub(1, Ordering::AcqRel);
        return Err(Unscored::Busy);
    }
    let call = Call(running.clone());
    let (sender, receiver) = mpsc::sync_channel(1);
    let reranker = Arc::clone(reranker);
    let query = query.to_owned();
    std::thread::spawn(move || {
        let texts: Vec<&str> = passages.iter().map(String::as_str).collect();
        let scores = reranker.score(&query, &texts);
        drop(call);
        // Nobody waits any more after the deadline.
        drop(sender.send(scores));
    });
    let scores = receiver.recv_timeout(deadline).map_err(|error| match error {
        mpsc::RecvTimeoutError::Timeout => Unscored::Late(deadline),
        mpsc::RecvTimeoutError::Disconnected => Unscored::Died,
    })?;
    let scores = scores.map_err(Unscored::Failed)?;
    let is_usable = scores.len() == expected && scores.iter().all(|score| score.is_finite());
    if is_usable { Ok(scores) } else { Err(Unscored::Unusable) }
}
