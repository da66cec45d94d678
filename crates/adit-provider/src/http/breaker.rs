use std::time::{Duration, Instant};

/// Stops calling a server that keeps failing, and lets one call through now and then to see whether it is
/// well again (the circuit breaker of Nygard, "Release It!", 2007). A plain state machine: the clock is the
/// caller's.
#[derive(Debug)]
pub(crate) struct Breaker {
    failures_to_open: u32,
    pause: Duration,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Closed {
        failures: u32,
    },
    Open {
        until: Instant,
    },
    /// One call is under way; `until` is when another may be tried should that one never report.
    HalfOpen {
        until: Instant,
    },
}

impl Breaker {
    pub(crate) fn new(failures_to_open: u32, pause: Duration) -> Self {
        Self { failures_to_open, pause, state: State::Closed { failures: 0 } }
    }

    /// Whether a call may be made now; otherwise how long to wait before asking again.
    pub(crate) fn admit(&mut self, now: Instant) -> Result<(), Duration> {
        match self.state {
            State::Closed { .. } => Ok(()),
            State::Open { until } | State::HalfOpen { until } if now < until => {
                Err(until.duration_since(now))
            }
            State::Open { .. } | State::HalfOpen { .. } => {
                self.state = State::HalfOpen { until: now + self.pause };
                Ok(())
            }
        }
    }

    /// The server answered, if only to refuse.
    pub(crate) fn succeeded(&mut self) {
        self.state = State::Closed { failures: 0 };
    }

    /// It did not.
    pub(crate) fn failed(&mut self, now: Instant) {
        let failures = match self.state {
            State::Closed { failures } => failures + 1,
            // One failure of the trial is enough.
            State::Open { .. } | State::HalfOpen { .. } => self.failures_to_open,
        };
        self.state = if failures >= self.failures_to_open {
            State::Open { until: now + self.pause }
        } else {
            State::Closed { failures }
        };
    }

    /// The call was given up before anything was known: the next one is the trial.
    pub(crate) fn abandoned(&mut self, now: Instant) {
        if matches!(self.state, State::HalfOpen { .. }) {
            self.state = State::Open { until: now };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_secs(30);

    #[test]
    fn it_opens_after_failures_in_a_row_and_tries_one_call_later() {
        let start = Instant::now();
        let mut breaker = Breaker::new(3, PAUSE);
        breaker.failed(start);
        breaker.failed(start);
        breaker.succeeded();
        for _ in 0..3 {
            assert_eq!(breaker.admit(start), Ok(()));
            breaker.failed(start);
        }
        assert_eq!(breaker.admit(start + Duration::from_secs(10)), Err(Duration::from_secs(20)));
        assert_eq!(breaker.admit(start + PAUSE), Ok(()));
        assert!(breaker.admit(start + PAUSE).is_err(), "one trial at a time");
        breaker.failed(start + PAUSE);
        assert!(breaker.admit(start + PAUSE).is_err());
        assert_eq!(breaker.admit(start + 2 * PAUSE), Ok(()));
        breaker.succeeded();
        assert_eq!(breaker.admit(start + 2 * PAUSE), Ok(()));
        assert_eq!(breaker.admit(start + 2 * PAUSE), Ok(()));
    }

    #[test]
    fn a_trial_that_is_given_up_leaves_room_for_the_next() {
        let start = Instant::now();
        let mut breaker = Breaker::new(1, PAUSE);
        breaker.failed(start);
        assert_eq!(breaker.admit(start + PAUSE), Ok(()));
        breaker.abandoned(start + PAUSE);
        assert_eq!(breaker.admit(start + PAUSE), Ok(()));
    }
}
