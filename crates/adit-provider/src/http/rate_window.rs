use std::collections::VecDeque;
use std::time::{Duration, Instant};

const WINDOW: Duration = Duration::from_secs(60);
/// Entries closer than this are one, so that a minute needs 600 of them at most.
const SLOT: Duration = Duration::from_millis(100);

/// A budget for every minute: in no window of 60 seconds is more taken than allowed.
///
/// A token bucket that refills as it is emptied lets twice its size through in some minute. This one gives
/// back what was taken a minute after it was taken, so that the promise holds for every window, at the price
/// of remembering the last minute. A plain state machine: the clock is the caller's.
#[derive(Debug)]
pub(crate) struct RateWindow {
    allowed: u64,
    taken: u64,
    entries: VecDeque<Entry>,
}

#[derive(Debug)]
struct Entry {
    first: Instant,
    /// Counts for the whole entry, so that none of it is given back early.
    last: Instant,
    amount: u64,
}

/// Why nothing was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotNow {
    /// There is room after this long, if nobody else takes it.
    Wait(Duration),
    /// It is more than a whole minute allows.
    Never,
}

impl RateWindow {
    pub(crate) fn new(allowed: u64) -> Self {
        Self { allowed, taken: 0, entries: VecDeque::new() }
    }

    /// What one minute allows.
    pub(crate) fn allowed(&self) -> u64 {
        self.allowed
    }

    /// Whether `amount` may be taken with [`RateWindow::add`]. `now` never goes back.
    pub(crate) fn wait_for(&mut self, now: Instant, amount: u64) -> Result<(), NotNow> {
        if amount > self.allowed {
            return Err(NotNow::Never);
        }
        self.forget(now);
        let mut left = self.taken;
        if left.saturating_add(amount) <= self.allowed {
            return Ok(());
        }
        for entry in &self.entries {
            left = left.saturating_sub(entry.amount);
            if left.saturating_add(amount) <= self.allowed {
                return Err(NotNow::Wait((entry.last + WINDOW).saturating_duration_since(now)));
            }
        }
        Err(NotNow::Wait(WINDOW))
    }

    /// Takes `amount`, as well where it turns out afterwards that more was used: going above what is allowed
    /// makes later takers wait. What was taken and not used stays taken: the provider counts the same way at the start.
    pub(crate) fn add(&mut self, now: Instant, amount: u64) {
        if amount == 0 {
            return;
        }
        self.taken = self.taken.saturating_add(amount);
        match self.entries.back_mut().filter(|entry| now.saturating_duration_since(entry.first) < SLOT) {
            Some(entry) => {
                entry.amount = entry.amount.saturating_add(amount);
                entry.last = now;
            }
            None => self.entries.push_back(Entry { first: now, last: now, amount }),
        }
    }

    fn forget(&mut self, now: Instant) {
        while let Some(entry) =
            self.entries.front().filter(|entry| now.saturating_duration_since(entry.last) >= WINDOW)
        {
            self.taken = self.taken.saturating_sub(entry.amount);
            self.entries.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl RateWindow {
        fn take(&mut self, now: Instant, amount: u64) -> Result<(), NotNow> {
            self.wait_for(now, amount)?;
            self.add(now, amount);
            Ok(())
        }
    }

    #[test]
    fn room_comes_back_a_minute_after_it_was_taken() {
        let start = Instant::now();
        let mut window = RateWindow::new(10);
        assert_eq!(window.take(start, 6), Ok(()));
        assert_eq!(window.take(start + Duration::from_secs(20), 4), Ok(()));
        assert_eq!(
            window.take(start + Duration::from_secs(50), 5),
            Err(NotNow::Wait(Duration::from_secs(10)))
        );
        assert_eq!(window.take(start + Duration::from_secs(60), 5), Ok(()));
        assert_eq!(window.take(start, 11), Err(NotNow::Never));
    }

    #[test]
    fn what_was_used_beyond_the_estimate_makes_later_calls_wait() {
        let start = Instant::now();
        let mut window = RateWindow::new(10);
        window.take(start, 5).unwrap();
        window.add(start, 20);
        assert!(matches!(window.take(start + Duration::from_secs(30), 1), Err(NotNow::Wait(_))));
        assert_eq!(window.take(start + Duration::from_secs(60), 10), Ok(()));
    }

    proptest! {
        /// Whatever is asked for and whenever, no window of a minute holds more than the budget, what is
        /// refused fits after the pause that was named, and the memory stays bounded.
        #[test]
        fn no_minute_holds_more_than_the_budget(
            allowed in 1_u64..200,
            steps in prop::collection::vec((0_u64..20_000, 0_u64..250), 1..200),
        ) {
            let start = Instant::now();
            let mut now = start;
            let mut window = RateWindow::new(allowed);
            let mut taken: Vec<(Instant, u64)> = Vec::new();
            for (pause_ms, amount) in steps {
                now += Duration::from_millis(pause_ms);
                match window.take(now, amount) {
                    Ok(()) => taken.push((now, amount)),
                    Err(NotNow::Never) => prop_assert!(amount > allowed),
                    Err(NotNow::Wait(pause)) => {
                        now += pause;
                        prop_assert_eq!(window.take(now, amount), Ok(()));
                        taken.push((now, amount));
                    }
                }
                prop_assert!(window.entries.len() <= 601);
            }
            for (at, _) in &taken {
                let sum: u64 = taken
                    .iter()
                    .filter(|(other, _)| other >= at && other.duration_since(*at) < WINDOW)
                    .map(|(_, amount)| amount)
                    .sum();
                prop_assert!(sum <= allowed, "{} taken in a minute of {}", sum, allowed);
            }
        }
    }
}
