use std::time::{Duration, Instant};

use adit_cost::Usage;
use parking_lot::Mutex;

use super::breaker::Breaker;
use super::failure::{FailureKind, HttpFailure};
use super::rate_window::{NotNow, RateWindow};
use crate::settings::{BudgetSettings, EndpointSettings, PriceSettings};

/// What one opened model may still do: calls and tokens a minute, the run's budget, and the breaker.
#[derive(Debug)]
pub(crate) struct Limits {
    state: Mutex<State>,
    budget: BudgetSettings,
    prices: Option<PriceSettings>,
}

#[derive(Debug)]
struct State {
    requests: Option<RateWindow>,
    tokens: Option<RateWindow>,
    breaker: Breaker,
    calls: u64,
    used: Usage,
    /// What calls under way may use at most, so that many at once do not pass a budget together.
    reserved: Usage,
    calls_under_way: u64,
}

impl Limits {
    pub(crate) fn new(
        endpoint: &EndpointSettings,
        budget: BudgetSettings,
        prices: Option<PriceSettings>,
    ) -> Self {
        let window = |limit: Option<u32>| limit.map(|limit| RateWindow::new(u64::from(limit)));
        let state = State {
            requests: window(endpoint.requests_per_minute),
            tokens: window(endpoint.tokens_per_minute),
            breaker: Breaker::new(
                endpoint.breaker_failures,
                Duration::from_millis(endpoint.breaker_pause_ms),
            ),
            calls: 0,
            used: Usage::default(),
            reserved: Usage::default(),
            calls_under_way: 0,
        };
        Self { state: Mutex::new(state), budget, prices }
    }

    /// Sets aside what a call may use at most.
    ///
    /// # Errors
    /// [`FailureKind::OverBudget`] where the run's budget leaves no room.
    pub(super) fn reserve(&self, most: Usage) -> Result<(), HttpFailure> {
        let over = |detail: String| Err(HttpFailure::new(FailureKind::OverBudget, detail));
        let mut state = self.state.lock();
        let together = state.used + state.reserved + most;
        if let Some(limit) = self.budget.calls
            && state.calls + state.calls_under_way >= limit
        {
            return over(format!("{} of {limit} calls are used", state.calls));
        }
        let tokens = |usage: &Usage| usage.read_tokens().saturating_add(usage.output_tokens);
        if let Some(limit) = self.budget.tokens
            && tokens(&together) > limit
        {
            let (used, wanted) = (tokens(&state.used), tokens(&most));
            return over(format!("{used} of {limit} tokens are used, and the call may need {wanted}"));
        }
        if let (Some(limit), Some(prices)) = (self.budget.usd, &self.prices)
            && prices.usd(&together) > limit
        {
            let (used, wanted) = (prices.usd(&state.used), prices.usd(&most));
            return over(format!(
                "{used:.4} of {limit:.4} US dollars are used, and the call may cost {wanted:.4}"
            ));
        }
        state.reserved = state.reserved + most;
        state.calls_under_way += 1;
        Ok(())
    }

    /// Gives back what was set aside.
    pub(super) fn release(&self, most: Usage) {
        let mut state = self.state.lock();
        state.calls_under_way = state.calls_under_way.saturating_sub(1);
        state.reserved = minus(state.reserved, most);
    }

    /// Books what a call used; `estimated_tokens` were already taken from the minute's budget.
    pub(crate) fn used(&self, usage: Usage, estimated_tokens: u64) {
        let mut state = self.state.lock();
        state.calls += 1;
        state.used = state.used + usage;
        let tokens = usage.read_tokens().saturating_add(usage.output_tokens);
        if let Some(window) = &mut state.tokens {
            window.add(Instant::now(), tokens.saturating_sub(estimated_tokens));
        }
    }

    /// US dollars of `usage` by the settings' own prices.
    pub(crate) fn usd(&self, usage: &Usage) -> Option<f64> {
        self.prices.as_ref().map(|prices| prices.usd(usage))
    }

    /// Asks the breaker.
    pub(super) fn admit(&self, now: Instant) -> Result<(), HttpFailure> {
        self.state.lock().breaker.admit(now).map_err(|pause| {
            let detail = format!(
                "it failed several times in a row; no call is tried for {:.1} s",
                pause.as_secs_f64()
            );
            HttpFailure::new(FailureKind::BreakerOpen, detail)
        })
    }

    /// Takes one request and `tokens` from the minute's budgets, both or neither.
    ///
    /// # Errors
    /// [`FailureKind::OverBudget`] for more tokens than a whole minute allows. The inner error is the pause
    /// until there may be room.
    pub(super) fn take(&self, now: Instant, tokens: u64) -> Result<Result<(), Duration>, HttpFailure> {
        let mut state = self.state.lock();
        let State { requests, tokens: token_window, .. } = &mut *state;
        let mut pause = Duration::ZERO;
        for (window, amount, unit) in
            [(requests.as_mut(), 1, "requests"), (token_window.as_mut(), tokens, "tokens")]
        {
            let Some(window) = window else { continue };
            match window.wait_for(now, amount) {
                Ok(()) => {}
                Err(NotNow::Wait(needed)) => pause = pause.max(needed.max(Duration::from_millis(1))),
                Err(NotNow::Never) => {
                    let allowed = window.allowed();
                    let detail = format!("the call may need {amount} {unit}, a minute allows {allowed}");
                    return Err(HttpFailure::new(FailureKind::OverBudget, detail));
                }
            }
        }
        if !pause.is_zero() {
            return Ok(Err(pause));
        }
        if let Some(window) = requests {
            window.add(now, 1);
        }
        if let Some(window) = token_window {
            window.add(now, tokens);
        }
        Ok(Ok(()))
    }

    /// Tells the breaker how an admitted call ended.
    pub(super) fn ended(&self, failure: Option<&HttpFailure>) {
        let now = Instant::now();
        let mut state = self.state.lock();
        match failure {
            None => state.breaker.succeeded(),
            Some(failure) if failure.counts_for_breaker() => state.breaker.failed(now),
            Some(failure) if failure.kind == FailureKind::Cancelled => state.breaker.abandoned(now),
            Some(_) => state.breaker.succeeded(),
        }
    }
}

fn minus(from: Usage, amount: Usage) -> Usage {
    Usage {
        input_tokens: from.input_tokens.saturating_sub(amount.input_tokens),
        cached_input_tokens: from.cached_input_tokens.saturating_sub(amount.cached_input_tokens),
        cache_write_tokens: from.cache_write_tokens.saturating_sub(amount.cache_write_tokens),
        output_tokens: from.output_tokens.saturating_sub(amount.output_tokens),
        embedded_tokens: from.embedded_tokens.saturating_sub(amount.embedded_tokens),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(budget: BudgetSettings) -> Limits {
        let prices = PriceSettings {
            input_usd_per_million: 1e6,
            output_usd_per_million: 2e6,
            cache_write_usd_per_million: None,
            cache_read_usd_per_million: None,
        };
        Limits::new(&EndpointSettings::default(), budget, Some(prices))
    }

    #[test]
    fn each_budget_counts_what_is_under_way() {
        let tokens = limits(BudgetSettings { tokens: Some(20), ..BudgetSettings::default() });
        let usd = limits(BudgetSettings { usd: Some(25.0), ..BudgetSettings::default() });
        let calls = limits(BudgetSettings { calls: Some(2), ..BudgetSettings::default() });
        for limits in [tokens, usd, calls] {
            let most = Usage::plain(6, 3);
            limits.reserve(most).unwrap();
            limits.reserve(most).unwrap();
            assert_eq!(limits.reserve(most).unwrap_err().kind, FailureKind::OverBudget);
            limits.release(most);
            assert!(limits.reserve(most).is_ok());
            limits.release(most);
            limits.used(most, 0);
            assert!(limits.reserve(most).is_err());
        }
    }

    #[test]
    fn requests_and_tokens_are_taken_together_or_not_at_all() {
        let endpoint = EndpointSettings {
            requests_per_minute: Some(2),
            tokens_per_minute: Some(100),
            ..EndpointSettings::default()
        };
        let limits = Limits::new(&endpoint, BudgetSettings::default(), None);
        let now = Instant::now();
        assert_eq!(limits.take(now, 80), Ok(Ok(())));
        assert!(matches!(limits.take(now, 30), Ok(Err(_))));
        assert_eq!(limits.take(now, 20), Ok(Ok(())), "the refused call took no request");
        assert!(matches!(limits.take(now, 0), Ok(Err(_))));
        assert_eq!(limits.take(now, 101).unwrap_err().kind, FailureKind::OverBudget);
    }
}
