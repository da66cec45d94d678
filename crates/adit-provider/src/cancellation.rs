use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A wish to stop, shared between the one who has it and the calls that heed it.
#[derive(Debug, Clone, Default)]
pub struct CancellationToken(Arc<AtomicBool>);

impl CancellationToken {
    /// One that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops every call that holds a clone: those that run give up within a fraction of a second.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether somebody wants to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
