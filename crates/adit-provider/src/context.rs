use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::{CancellationToken, NoUsageSink, UsageSink};

/// What the caller of hosted models hands to them when they are opened.
#[derive(Clone)]
pub struct CallContext {
    /// Stops all calls.
    pub cancellation: CancellationToken,
    /// Hears what was used.
    pub usage: Arc<dyn UsageSink>,
    /// Hears of every pause longer than a moment before it begins.
    pub on_wait: Arc<dyn Fn(&Wait) + Send + Sync>,
}

impl Default for CallContext {
    fn default() -> Self {
        Self {
            cancellation: CancellationToken::new(),
            usage: Arc::new(NoUsageSink),
            on_wait: Arc::new(|_| {}),
        }
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CallContext")
            .field("cancellation", &self.cancellation)
            .finish_non_exhaustive()
    }
}

/// A pause before a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// How long.
    pub pause: Duration,
    /// Why.
    pub reason: WaitReason,
}

/// Why a call waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitReason {
    /// This minute's requests or tokens are used up.
    MinuteBudget,
    /// The call failed and is tried again.
    Retry {
        /// How often it has been tried.
        attempts: u32,
        /// What it failed with.
        because: String,
    },
}

impl fmt::Display for Wait {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.pause.as_secs_f64();
        match &self.reason {
            WaitReason::MinuteBudget => {
                write!(formatter, "waiting {seconds:.1} s: this minute's requests or tokens are used up")
            }
            WaitReason::Retry { attempts, because } => {
                write!(formatter, "waiting {seconds:.1} s after try {attempts}: {because}")
            }
        }
    }
}
