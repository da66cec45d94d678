//! What an ingestion or an enrichment will cost, before the first call of it.

use serde::Serialize;

use crate::cache::CacheFloor;
use crate::error::{CostError, checked_amount};
use crate::ledger::Purpose;
use crate::price_table::Price;
use crate::usage::{Usage, cost_usd};

/// How fast calls go, whichever limit bites first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rate {
    /// Calls a minute; infinite where nothing limits them.
    pub calls_per_minute: f64,
    /// Tokens read and written a minute; infinite where nothing limits them.
    pub tokens_per_minute: f64,
}

impl Rate {
    /// Minutes that `calls` with `usage` take.
    ///
    /// # Errors
    /// [`CostError::InvalidAmount`] for a rate of zero, below zero, or NaN.
    pub fn minutes(&self, calls: u64, usage: &Usage) -> Result<f64, CostError> {
        let tokens = usage.read_tokens().saturating_add(usage.output_tokens);
        let by_calls = calls as f64 / positive("calls per minute", self.calls_per_minute)?;
        let by_tokens = tokens as f64 / positive("tokens per minute", self.tokens_per_minute)?;
        Ok(by_calls.max(by_tokens))
    }
}

fn positive(what: &str, value: f64) -> Result<f64, CostError> {
    if value > 0.0 {
        Ok(value)
    } else {
        Err(CostError::InvalidAmount { what: what.to_owned(), value, range: "above 0" })
    }
}

/// What a run will take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// What the calls are for.
    pub purpose: Purpose,
    /// The model.
    pub model: String,
    /// Calls, or texts where a model runs on this machine.
    pub calls: u64,
    /// Tokens.
    pub usage: Usage,
    /// US dollars; 0 for a model that runs on this machine.
    pub cost_usd: f64,
    /// Minutes at the rate given, where one was.
    pub minutes: Option<f64>,
}

impl Estimate {
    /// Embedding `texts` texts of `tokens` tokens together. Without a price the model runs on this machine
    /// and costs nothing but time.
    ///
    /// # Errors
    /// As [`Rate::minutes`].
    pub fn of_embedding(
        model: &str,
        texts: u64,
        tokens: u64,
        price: Option<&Price>,
        rate: Option<Rate>,
    ) -> Result<Self, CostError> {
        let usage = Usage { embedded_tokens: tokens, ..Usage::default() };
        let cost_usd = price.map_or(0.0, |price| cost_usd(&usage, price));
        let minutes = rate.map(|rate| rate.minutes(texts, &usage)).transpose()?;
        Ok(Self { purpose: Purpose::Embed, model: model.to_owned(), calls: texts, usage, cost_usd, minutes })
    }
}

/// A document as enrichment sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DocumentSize {
    /// The document whole, as it stands in every prompt.
    pub document_tokens: u64,
    /// Its chunks: one call each.
    pub chunks: u64,
    /// All chunks together, overlap counted twice.
    pub chunk_tokens: u64,
}

/// In which order the chunks of many documents are worked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChunkOrder {
    /// One document's chunks one after another: the first writes the document to the cache, the others
    /// read it.
    BackToBack,
    /// Documents mixed, so that every chunk finds the cache empty and writes it anew.
    Interleaved,
}

/// One model call a chunk, with the whole document before it (contextual retrieval).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct EnrichmentPlan {
    /// Instructions in every call, behind the document and so never cached.
    pub instruction_tokens: u64,
    /// What the model writes for each chunk.
    pub output_tokens_per_chunk: u64,
    /// The order of calls.
    pub order: ChunkOrder,
}

impl EnrichmentPlan {
    /// Tokens of one document.
    #[must_use]
    pub fn usage(&self, document: &DocumentSize, price: &Price) -> Usage {
        let behind = self.instruction_tokens.saturating_mul(document.chunks);
        let rest = Usage::plain(
            behind.saturating_add(document.chunk_tokens),
            self.output_tokens_per_chunk.saturating_mul(document.chunks),
        );
        rest + self.document_usage(document, price)
    }

    /// The document's own tokens in all of its calls.
    fn document_usage(&self, document: &DocumentSize, price: &Price) -> Usage {
        let calls = document.chunks;
        let tokens = |count: u64| document.document_tokens.saturating_mul(count);
        let is_cached = price.cache_read_usd_per_million.is_some()
            && calls > 1
            && !CacheFloor::of(document.document_tokens, price).is_below();
        match self.order {
            _ if !is_cached => Usage { input_tokens: tokens(calls), ..Usage::default() },
            ChunkOrder::Interleaved => Usage { cache_write_tokens: tokens(calls), ..Usage::default() },
            ChunkOrder::BackToBack => Usage {
                cache_write_tokens: tokens(1),
                cached_input_tokens: tokens(calls - 1),
                ..Usage::default()
            },
        }
    }

    /// Calls, tokens, US dollars and minutes of all documents.
    ///
    /// # Errors
    /// As [`Rate::minutes`].
    pub fn estimate(
        &self,
        documents: &[DocumentSize],
        price: &Price,
        rate: Option<Rate>,
    ) -> Result<Estimate, CostError> {
        let calls = documents.iter().map(|document| document.chunks).sum();
        let usage = documents.iter().map(|document| self.usage(document, price)).sum();
        let minutes = rate.map(|rate| rate.minutes(calls, &usage)).transpose()?;
        let model = price.model.clone();
        let cost_usd = cost_usd(&usage, price);
        Ok(Estimate { purpose: Purpose::Enrich, model, calls, usage, cost_usd, minutes })
    }
}

/// Money that a run may not exceed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Budget {
    limit_usd: f64,
    spent_usd: f64,
}

impl Budget {
    /// A budget of which nothing is spent.
    ///
    /// # Errors
    /// [`CostError::InvalidAmount`] for a limit that is negative or no number.
    pub fn new(limit_usd: f64) -> Result<Self, CostError> {
        Ok(Self { limit_usd: checked_amount("the budget in US dollars", limit_usd)?, spent_usd: 0.0 })
    }

    /// What is left.
    #[must_use]
    pub fn left_usd(&self) -> f64 {
        (self.limit_usd - self.spent_usd).max(0.0)
    }

    /// Takes `usd` from the budget, or nothing at all where it is not enough: ask before each call.
    ///
    /// # Errors
    /// [`CostError::OverBudget`]; [`CostError::InvalidAmount`] for an amount that is none.
    pub fn charge(&mut self, usd: f64) -> Result<(), CostError> {
        let after_usd = self.spent_usd + checked_amount("a charge in US dollars", usd)?;
        // Three charges of 0.1 make a hair more than 0.3 in binary; that hair is nobody's money.
        if after_usd > self.limit_usd * (1.0 + 1e-12) {
            return Err(CostError::OverBudget { estimated_usd: after_usd, budget_usd: self.limit_usd });
        }
        self.spent_usd = after_usd;
        Ok(())
    }
}

/// Whether all `estimates` together stay within `budget_usd`; what they cost together, if so.
///
/// # Errors
/// [`CostError::OverBudget`], and [`CostError::InvalidAmount`] for amounts that are none.
pub fn within_budget(estimates: &[Estimate], budget_usd: f64) -> Result<f64, CostError> {
    let total_usd = estimates.iter().map(|estimate| estimate.cost_usd).sum();
    Budget::new(budget_usd)?.charge(total_usd)?;
    Ok(total_usd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::price_table::PriceTable;

    #[test]
    fn a_budget_is_never_exceeded_and_exactly_usable() {
        // In binary three times 0.1 is 0.30000000000000004.
        let mut budget = Budget::new(0.3).unwrap();
        for _ in 0..3 {
            budget.charge(0.1).unwrap();
        }
        assert!(matches!(budget.charge(0.000_01), Err(CostError::OverBudget { .. })));
        assert!(budget.left_usd() < 1e-12);
        assert!(budget.charge(f64::NAN).is_err());
        assert!(Budget::new(f64::NAN).is_err());
        assert!(Budget::new(-1.0).is_err());
    }

    #[test]
    fn a_refused_charge_leaves_the_budget_as_it_was() {
        let mut budget = Budget::new(1.0).unwrap();
        assert!(budget.charge(2.0).is_err());
        assert_eq!(budget.left_usd(), 1.0);
        let error = within_budget(
            &[Estimate::of_embedding("m", 1, 1, None, None)
                .map(|one| Estimate { cost_usd: 12.5, ..one })
                .unwrap()],
            10.0,
        )
        .unwrap_err();
        assert_eq!(error.to_string(), "this would cost $12.50, above the budget of $10.00");
    }

    #[test]
    fn the_slower_limit_decides_the_minutes() {
        let usage = Usage::plain(900, 100);
        let rate = |calls_per_minute, tokens_per_minute| Rate { calls_per_minute, tokens_per_minute };
        assert_eq!(rate(10.0, f64::INFINITY).minutes(20, &usage).unwrap(), 2.0);
        assert_eq!(rate(10.0, 100.0).minutes(20, &usage).unwrap(), 10.0);
        assert!(rate(0.0, 100.0).minutes(20, &usage).is_err());
        assert!(rate(1.0, f64::NAN).minutes(20, &usage).is_err());
    }

    #[test]
    fn documents_that_cannot_be_cached_are_plain_input() {
        let table = PriceTable::built_in().unwrap();
        let opus = table.price("claude-opus-5").unwrap();
        let plan = EnrichmentPlan {
            instruction_tokens: 100,
            output_tokens_per_chunk: 70,
            order: ChunkOrder::BackToBack,
        };
        let of = |document_tokens, chunks| {
            plan.usage(&DocumentSize { document_tokens, chunks, chunk_tokens: document_tokens }, opus)
        };
        // Below the floor of 512 tokens.
        assert_eq!(of(511, 2), Usage::plain(2 * 511 + 511 + 200, 140));
        // A single chunk has no second call that could read.
        assert_eq!(of(600, 1), Usage::plain(600 + 600 + 100, 70));
        let cached = of(600, 3);
        assert_eq!((cached.cache_write_tokens, cached.cached_input_tokens), (600, 1200));
        assert_eq!(of(0, 0), Usage::default());
    }
}
