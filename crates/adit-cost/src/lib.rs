//! What models cost, before and after: prices, usage, a ledger, estimates with a hard budget, and the
//! arithmetic of classic against agentic retrieval, of long context against both, and of prompt caches.
//!
//! Nothing here does I/O but [`PriceTable::read`] and [`LedgerFile`], and nothing calls a model: callers count tokens and hand
//! the counts over. The figures of the project's source articles are tests (`tests/seed_figures`).

mod advice;
mod advice_costs;
mod agentic;
mod cache;
mod comparison;
mod corpus_size;
mod error;
mod estimate;
mod ledger;
mod ledger_file;
mod long_context;
mod money;
mod price_table;
mod usage;

pub use advice::{Advice, CorpusFacts, Recommendation, SHARP_TOKENS, advise, corpus_room_tokens};
pub use advice_costs::ContextCosts;
pub use agentic::{BreakEven, RoutingCosts, Workload, loop_input_tokens};
pub use cache::{CacheFloor, CacheTraffic, requests_until_cache_pays};
pub use comparison::{AgenticRow, Comparison, ComparisonInput, LongContextRow};
pub use corpus_size::{
    CHARACTERS_PER_TOKEN, TOKENS_PER_PAGE, TOKENS_PER_WORD, chunk_count, pages, parsing_usd,
};
pub use error::CostError;
pub use estimate::{Budget, ChunkOrder, DocumentSize, EnrichmentPlan, Estimate, Rate, within_budget};
pub use ledger::{Ledger, LedgerEntry, LedgerKey, LedgerSum, Purpose};
pub use ledger_file::{LedgerFile, TornLine};
pub use long_context::{
    LongContext, attention_ratio, attention_share, break_even_corpus_tokens, kv_cache_gigabytes,
    prefill_seconds,
};
pub use money::{format_count, format_share, format_usd, round_half_up};
pub use price_table::{Price, PriceTable};
pub use usage::{Usage, cost_usd, tokens_usd};
