use adit_core::TokenUsage;
use adit_cost::Usage;

/// What one answered call used, as far as the provider said.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageRecord {
    /// Where it ran, as the settings name it.
    pub provider: String,
    /// The model as the settings name it: the key of the price table.
    pub model: String,
    /// What it used.
    pub usage: Usage,
    /// US dollars by the settings' own prices; none leaves it to the price table.
    pub cost_usd: Option<f64>,
    /// Whether the answer is whole. A stream that broke, or was stopped, is billed all the same, with the
    /// usage known until then.
    pub complete: bool,
    /// Whether `usage` was counted by the provider; otherwise it is an estimate from the bytes sent and
    /// received.
    pub counted_by_provider: bool,
}

/// Hears of every call that may be billed, failed ones included. It must not block for long.
pub trait UsageSink: Send + Sync {
    /// One call.
    fn record(&self, record: &UsageRecord);
}

/// Forgets what it hears; for models that cost nothing and for tests.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoUsageSink;

impl UsageSink for NoUsageSink {
    fn record(&self, _record: &UsageRecord) {}
}

/// A language model's usage in the ledger's terms.
#[must_use]
pub fn ledger_usage(usage: &TokenUsage) -> Usage {
    Usage {
        input_tokens: usage.input_tokens,
        cached_input_tokens: usage.cached_input_tokens,
        cache_write_tokens: usage.cache_write_tokens,
        output_tokens: usage.output_tokens,
        embedded_tokens: 0,
    }
}
