//! Reading the whole corpus with every question, against retrieving a few passages of it.

use serde::Serialize;

use crate::cache::CacheFloor;
use crate::error::{CostError, checked_amount, checked_share};
use crate::price_table::Price;
use crate::usage::{Usage, cost_usd};

/// A question asked with the whole corpus before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LongContext {
    /// The corpus: the prefix that a cache may hold.
    pub corpus_tokens: u64,
    /// Instructions and question behind it, which are never cached.
    pub uncached_tokens: u64,
    /// The answer.
    pub answer_tokens: u64,
}

impl LongContext {
    /// The call without a cache.
    #[must_use]
    pub fn plain(&self) -> Usage {
        Usage::plain(self.corpus_tokens.saturating_add(self.uncached_tokens), self.answer_tokens)
    }

    /// The call that fills the cache.
    #[must_use]
    pub fn writing(&self) -> Usage {
        let rest = Usage::plain(self.uncached_tokens, self.answer_tokens);
        Usage { cache_write_tokens: self.corpus_tokens, ..rest }
    }

    /// A call that finds the cache filled.
    #[must_use]
    pub fn reading(&self) -> Usage {
        let rest = Usage::plain(self.uncached_tokens, self.answer_tokens);
        Usage { cached_input_tokens: self.corpus_tokens, ..rest }
    }

    /// What a question costs on average where `miss_share` of all find the cache empty. A corpus below
    /// the model's floor is never cached.
    ///
    /// # Errors
    /// [`CostError::InvalidShare`].
    pub fn cached_usd(&self, miss_share: f64, price: &Price) -> Result<f64, CostError> {
        let miss_share = checked_share("the share of cache misses", miss_share)?;
        if CacheFloor::of(self.corpus_tokens, price).is_below() {
            return Ok(cost_usd(&self.plain(), price));
        }
        let read_usd = cost_usd(&self.reading(), price);
        Ok(read_usd + miss_share * (cost_usd(&self.writing(), price) - read_usd))
    }

    /// The same where one write serves `requests_per_write` requests, its own included.
    ///
    /// # Errors
    /// [`CostError::InvalidAmount`] for fewer than one, for there is no request without its prefix.
    pub fn amortised_usd(&self, requests_per_write: f64, price: &Price) -> Result<f64, CostError> {
        if requests_per_write.is_nan() || requests_per_write < 1.0 {
            let what = "requests per cache write".to_owned();
            return Err(CostError::InvalidAmount { what, value: requests_per_write, range: "of at least 1" });
        }
        self.cached_usd(1.0 / requests_per_write, price)
    }
}

/// The corpus size at which reading it whole costs what retrieval costs, in tokens.
///
/// `retrieval_usd` is a question by retrieval, `rest_usd` what a question by long context costs beside the
/// corpus (question and answer), `usd_per_million` the rate at which the corpus is read.
/// `Ok(0.0)` where the rest alone is dearer; `Ok(f64::INFINITY)` where reading is free.
///
/// # Errors
/// [`CostError::InvalidAmount`] for an amount that is negative or no number.
pub fn break_even_corpus_tokens(
    retrieval_usd: f64,
    rest_usd: f64,
    usd_per_million: f64,
) -> Result<f64, CostError> {
    checked_amount("retrieval_usd", retrieval_usd)?;
    checked_amount("rest_usd", rest_usd)?;
    checked_amount("usd_per_million", usd_per_million)?;
    let left_usd = retrieval_usd - rest_usd;
    Ok(if left_usd <= 0.0 { 0.0 } else { left_usd / usd_per_million * 1e6 })
}

/// Seconds of reading a prompt before the first word of the answer, the linear part only: attention
/// adds a part that grows with the square.
#[must_use]
pub fn prefill_seconds(prompt_tokens: u64, ms_per_token: f64) -> f64 {
    prompt_tokens as f64 * ms_per_token / 1000.0
}

/// Memory of the keys and values of a prompt, in gigabytes (10⁹ bytes) at megabytes (10⁶) a token.
#[must_use]
pub fn kv_cache_gigabytes(prompt_tokens: u64, megabytes_per_token: f64) -> f64 {
    prompt_tokens as f64 * megabytes_per_token / 1000.0
}

/// How many times as many comparisons between tokens a prompt takes than another.
#[must_use]
pub fn attention_ratio(prompt_tokens: u64, other_tokens: u64) -> f64 {
    (prompt_tokens as f64 / other_tokens as f64).powi(2)
}

/// The part of a prompt's attention that falls to `part_tokens` of it if attention were even.
#[must_use]
pub fn attention_share(part_tokens: u64, prompt_tokens: u64) -> f64 {
    part_tokens as f64 / prompt_tokens as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_there_is_no_break_even_it_says_which_way() {
        assert_eq!(break_even_corpus_tokens(0.01, 0.02, 3.0).unwrap(), 0.0, "the rest alone is dearer");
        assert_eq!(break_even_corpus_tokens(0.02, 0.01, 0.0).unwrap(), f64::INFINITY, "reading is free");
        assert_eq!(break_even_corpus_tokens(0.01, 0.01, 0.0).unwrap(), 0.0);
        assert!(break_even_corpus_tokens(f64::NAN, 0.01, 3.0).is_err());
        assert!(break_even_corpus_tokens(0.01, 0.01, -3.0).is_err());
    }
}
