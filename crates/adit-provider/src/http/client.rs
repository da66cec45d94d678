use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use adit_cost::Usage;
use serde_json::Value;

use super::exchange::{Exchange, WireRequest};
use super::failure::{FailureKind, HttpFailure};
use super::limits::Limits;
use super::{backoff, retry_after, status};
use crate::settings::{EndpointSettings, is_loopback};
use crate::{CallContext, Secret, UsageRecord, Wait, WaitReason};

/// How often a pausing call looks whether it is to stop.
const TICK: Duration = Duration::from_millis(20);
/// Bytes of an answer that is an error; what is beyond is not read.
const MAX_ERROR_BYTES: usize = 64 << 10;
/// Bytes a token has at least, for estimates of calls whose usage the provider did not tell.
const BYTES_PER_TOKEN: u64 = 4;

/// The one door to a provider: headers, budgets, retries, deadline, cancellation and bookkeeping.
pub(crate) struct HttpClient {
    agent: ureq::Agent,
    base_url: String,
    headers: Vec<(&'static str, String)>,
    secret: Option<Secret>,
    endpoint: EndpointSettings,
    limits: Limits,
    context: CallContext,
    provider: String,
    model: String,
}

/// Takes a piece of an answer, and says whether it wants more.
pub(crate) type OnBytes<'a> = &'a mut dyn FnMut(&[u8]) -> Result<ControlFlow<()>, HttpFailure>;

/// Who is called, with what.
pub(crate) struct Identity {
    pub(crate) base_url: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) secret: Option<Secret>,
    pub(crate) provider: String,
    pub(crate) model: String,
}

impl HttpClient {
    pub(crate) fn new(
        identity: Identity,
        endpoint: &EndpointSettings,
        limits: Limits,
        context: CallContext,
    ) -> Self {
        let Identity { base_url, headers, secret, provider, model } = identity;
        let silence = Some(Duration::from_millis(endpoint.silence_timeout_ms));
        let connect = Some(Duration::from_millis(endpoint.connect_timeout_ms));
        let mut config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would carry the key to wherever it points.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("adit/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(connect)
            .timeout_connect(connect)
            .timeout_recv_response(silence)
            .timeout_per_read(silence);
        if is_loopback(&base_url) {
            config = config.proxy(None);
        }
        let agent = ureq::Agent::new_with_config(config.build());
        let endpoint = endpoint.clone();
        Self { agent, base_url, headers, secret, endpoint, limits, context, provider, model }
    }

    /// Asks once for `path` and gives back the JSON of the answer.
    pub(crate) fn get(&self, path: &str) -> Result<Value, HttpFailure> {
        let deadline = Instant::now() + self.endpoint.deadline();
        let exchange = self.open(path, None, deadline)?;
        parse(&self.read(&exchange, self.endpoint.max_answer_bytes)?)
    }

    /// Sends `body` and gives back the JSON of the answer. `most` is what the call may use at most.
    pub(crate) fn post(&self, path: &str, body: &Value, most: Usage) -> Result<Value, HttpFailure> {
        self.with_retries(most, &mut |deadline| {
            let exchange = self.open(path, Some(body), deadline);
            let text = exchange.and_then(|exchange| self.read(&exchange, self.endpoint.max_answer_bytes));
            let outcome = text.and_then(|text| parse(&text));
            if outcome.as_ref().is_err_and(|failure| failure.may_be_billed) {
                self.record(Usage { output_tokens: 0, ..most }, most, false, false);
            }
            outcome
        })
    }

    /// Sends `body` and hands over the answer's bytes as they come until `on_bytes` stops it. Once the first
    /// byte was handed over nothing is tried again.
    pub(crate) fn stream(
        &self,
        path: &str,
        body: &Value,
        most: Usage,
        on_bytes: OnBytes<'_>,
    ) -> Result<(), HttpFailure> {
        let exchange = self.with_retries(most, &mut |deadline| self.open(path, Some(body), deadline))?;
        let mut received_bytes = 0;
        while let Some(bytes) = exchange.bytes().map_err(|failure| self.shown(failure))? {
            received_bytes += bytes.len();
            if received_bytes > self.endpoint.max_answer_bytes {
                return Err(too_large(self.endpoint.max_answer_bytes));
            }
            if on_bytes(&bytes)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Books an answered call, for which `most` was set aside, and tells the usage sink.
    pub(crate) fn record(&self, usage: Usage, most: Usage, complete: bool, counted_by_provider: bool) {
        self.limits.used(usage, total_tokens(most));
        self.context.usage.record(&UsageRecord {
            provider: self.provider.clone(),
            model: self.model.clone(),
            cost_usd: self.limits.usd(&usage),
            usage,
            complete,
            counted_by_provider,
        });
    }

    /// Takes the key out of a text the provider sent.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.secret.as_ref().map_or_else(|| text.to_owned(), |secret| secret.redact(text))
    }

    fn shown(&self, failure: HttpFailure) -> HttpFailure {
        HttpFailure { detail: self.redact(&failure.detail), ..failure }
    }

    fn with_retries<T>(
        &self,
        most: Usage,
        attempt: &mut dyn FnMut(Instant) -> Result<T, HttpFailure>,
    ) -> Result<T, HttpFailure> {
        self.limits.reserve(most)?;
        let outcome = self.tried(most, attempt);
        self.limits.release(most);
        outcome.map_err(|failure| {
            let failure = self.shown(failure);
            HttpFailure { detail: format!("{} ({})", failure.detail, self.base_url), ..failure }
        })
    }

    fn tried<T>(
        &self,
        most: Usage,
        attempt: &mut dyn FnMut(Instant) -> Result<T, HttpFailure>,
    ) -> Result<T, HttpFailure> {
        let deadline = Instant::now() + self.endpoint.deadline();
        let mut attempts = 0;
        loop {
            self.take(total_tokens(most), deadline)?;
            self.limits.admit(Instant::now())?;
            let outcome = attempt(deadline);
            self.limits.ended(outcome.as_ref().err());
            attempts += 1;
            let failure = match outcome {
                Ok(value) => return Ok(value),
                Err(failure) if !failure.is_retryable() || attempts >= self.endpoint.max_attempts => {
                    return Err(failure);
                }
                Err(failure) => failure,
            };
            let pause = self.pause(attempts, &failure);
            let longest = Duration::from_millis(self.endpoint.longest_pause_ms);
            if failure.retry_after.is_some_and(|named| named > longest) || Instant::now() + pause >= deadline
            {
                return Err(failure);
            }
            let because = self.redact(&failure.detail);
            (self.context.on_wait)(&Wait { pause, reason: WaitReason::Retry { attempts, because } });
            self.sleep(pause, deadline)?;
        }
    }

    fn pause(&self, attempts: u32, failure: &HttpFailure) -> Duration {
        let first = Duration::from_millis(self.endpoint.first_pause_ms);
        let longest = Duration::from_millis(self.endpoint.longest_pause_ms);
        backoff::pause(attempts, first, longest, failure.retry_after, rand::random())
    }

    /// Waits until the minute's budgets have room.
    fn take(&self, tokens: u64, deadline: Instant) -> Result<(), HttpFailure> {
        while let Err(pause) = self.limits.take(Instant::now(), tokens)? {
            if Instant::now() + pause >= deadline {
                let detail = "the minute's budget leaves no room before the deadline";
                return Err(HttpFailure::new(FailureKind::TimedOut, detail));
            }
            (self.context.on_wait)(&Wait { pause, reason: WaitReason::MinuteBudget });
            self.sleep(pause, deadline)?;
        }
        Ok(())
    }

    fn sleep(&self, pause: Duration, deadline: Instant) -> Result<(), HttpFailure> {
        let until = (Instant::now() + pause).min(deadline);
        loop {
            if self.context.cancellation.is_cancelled() {
                return Err(HttpFailure::new(FailureKind::Cancelled, "the caller stopped it"));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(TICK));
        }
    }

    /// Sends a request and waits for a status of success.
    fn open(&self, path: &str, body: Option<&Value>, deadline: Instant) -> Result<Exchange, HttpFailure> {
        let mut headers = self.headers.clone();
        headers.push(("content-type", "application/json".to_owned()));
        let body = body.map(|body| body.to_string().into_bytes());
        let request = WireRequest { url: format!("{}{path}", self.base_url), headers, body };
        let exchange = Exchange::start(&self.agent, request, deadline, &self.context.cancellation)?;
        let head = exchange.head()?;
        if (200..300).contains(&head.status) {
            return Ok(exchange);
        }
        let said = self.read(&exchange, MAX_ERROR_BYTES).unwrap_or_default();
        let mut failure = status::failure(head.status, &self.redact(&said));
        failure.retry_after = retry_after::pause(|name| head.header(name), jiff::Timestamp::now());
        Err(failure)
    }

    fn read(&self, exchange: &Exchange, limit_bytes: usize) -> Result<String, HttpFailure> {
        let mut body = Vec::new();
        while let Some(bytes) = exchange.bytes()? {
            if body.len() + bytes.len() > limit_bytes {
                return Err(too_large(limit_bytes));
            }
            body.extend_from_slice(&bytes);
        }
        String::from_utf8(body).map_err(|_| HttpFailure::unreadable("the answer is not UTF-8").billed())
    }
}

/// What `body` may cost at most: every four bytes a token, and all the output it allows.
pub(crate) fn most_usage(body: &Value, max_output_tokens: usize) -> Usage {
    Usage::plain(estimated_tokens(body.to_string().len()), max_output_tokens as u64)
}

/// Tokens of a text of this length, where nobody counted them.
pub(crate) fn estimated_tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_PER_TOKEN)
}

fn total_tokens(usage: Usage) -> u64 {
    usage.read_tokens().saturating_add(usage.output_tokens)
}

fn too_large(limit_bytes: usize) -> HttpFailure {
    HttpFailure::unreadable(format!("the answer is longer than {limit_bytes} bytes")).billed()
}

fn parse(text: &str) -> Result<Value, HttpFailure> {
    serde_json::from_str(text).map_err(|error| {
        HttpFailure::unreadable(format!("it is no JSON ({error}): {}", status::shortened(text.trim())))
            .billed()
    })
}
