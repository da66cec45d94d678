use serde::Serialize;

use crate::advice::CorpusFacts;
use crate::agentic::Workload;
use crate::cache::{CacheFloor, CacheTraffic};
use crate::error::CostError;
use crate::long_context::LongContext;
use crate::money::{format_count, format_share, format_usd};
use crate::price_table::Price;
use crate::usage::cost_usd;

const DAYS_PER_MONTH: f64 = 30.0;

/// What a question costs when the corpus is read whole and when it is retrieved from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ContextCosts {
    /// A question with the corpus before it, without a cache.
    pub uncached_usd: f64,
    /// A question that finds the corpus cached.
    pub cache_hit_usd: f64,
    /// A question that has to write the corpus to the cache.
    pub cache_miss_usd: f64,
    /// Share of questions that do.
    pub miss_share: f64,
    /// A question on average, with the cache.
    pub cached_usd: f64,
    /// A question on average: the cheaper of cached and uncached.
    pub context_usd: f64,
    /// A question by classic retrieval.
    pub retrieval_usd: f64,
    /// What reading whole costs more than retrieving, a month; negative where it costs less.
    pub extra_usd_per_month: f64,
}

impl ContextCosts {
    /// The reference workload over this corpus.
    pub(crate) fn of(facts: &CorpusFacts, price: &Price) -> Result<Self, CostError> {
        let workload = Workload::default();
        let context = LongContext {
            corpus_tokens: facts.tokens,
            uncached_tokens: workload.without_retrieval().input_tokens,
            answer_tokens: workload.answer_tokens,
        };
        let traffic = CacheTraffic {
            requests_per_day: facts.questions_per_day,
            changes_per_day: facts.changes_per_day,
            lifetime_minutes: price.cache_lifetime_minutes.unwrap_or(0.0),
        };
        let miss_share = traffic.miss_share()?;
        let uncached_usd = cost_usd(&context.plain(), price);
        let cached_usd = context.cached_usd(miss_share, price)?;
        let context_usd = cached_usd.min(uncached_usd);
        let retrieval_usd = cost_usd(&workload.classic(), price);
        Ok(Self {
            uncached_usd,
            cache_hit_usd: cost_usd(&context.reading(), price),
            cache_miss_usd: cost_usd(&context.writing(), price),
            miss_share,
            cached_usd,
            context_usd,
            retrieval_usd,
            extra_usd_per_month: (context_usd - retrieval_usd) * facts.questions_per_day * DAYS_PER_MONTH,
        })
    }

    /// Whether not running an index is worth what reading whole costs more.
    pub(crate) fn is_worth_it(&self, facts: &CorpusFacts) -> bool {
        self.extra_usd_per_month <= facts.upkeep_usd_per_month
    }

    /// The arithmetic in sentences.
    pub(crate) fn steps(&self, facts: &CorpusFacts, price: &Price) -> Vec<String> {
        let workload = Workload::default();
        let bare = workload.without_retrieval().input_tokens;
        let classic = workload.classic().input_tokens;
        let rate = |usd: f64| format!("{}/M", format_usd(usd));
        let mut steps = vec![format!(
            "Read whole, without a cache: ({} + {}) tokens at {} + {} tokens at {} = {} a question.",
            format_count(facts.tokens),
            format_count(bare),
            rate(price.input_usd_per_million),
            format_count(workload.answer_tokens),
            rate(price.output_usd_per_million),
            format_usd(self.uncached_usd),
        )];
        steps.push(self.cache_step(facts, price));
        steps.push(format!(
            "Retrieved: {} tokens at {} + {} tokens at {} = {} a question.",
            format_count(classic),
            rate(price.input_usd_per_million),
            format_count(workload.answer_tokens),
            rate(price.output_usd_per_million),
            format_usd(self.retrieval_usd),
        ));
        steps.push(self.verdict_step(facts));
        steps
    }

    fn cache_step(&self, facts: &CorpusFacts, price: &Price) -> String {
        if CacheFloor::of(facts.tokens, price).is_below() {
            let floor = format_count(price.minimum_cacheable_tokens.unwrap_or(0));
            return format!(
                "Cache: the corpus is below the {floor} tokens from which {} caches.",
                price.model
            );
        }
        if price.cache_read_usd_per_million.is_none() {
            return format!("Cache: no cache prices are known for {}.", price.model);
        }
        format!(
            "Read whole, cached: {} where the cache is filled, {} where it has to be written. With {} questions a day, \
             spread at random, changes a day: {}, a lifetime of {} minutes: {} of the questions find it empty: {} a \
             question on average{}.",
            format_usd(self.cache_hit_usd),
            format_usd(self.cache_miss_usd),
            facts.questions_per_day,
            facts.changes_per_day,
            price.cache_lifetime_minutes.unwrap_or(0.0),
            format_share(self.miss_share),
            format_usd(self.cached_usd),
            if self.cached_usd > self.uncached_usd { ", so better without a cache" } else { "" },
        )
    }

    fn verdict_step(&self, facts: &CorpusFacts) -> String {
        let difference = format!(
            "({} - {}) × {} questions × {DAYS_PER_MONTH} days",
            format_usd(self.context_usd),
            format_usd(self.retrieval_usd),
            facts.questions_per_day,
        );
        let worth = format_usd(facts.upkeep_usd_per_month);
        let month = format_usd(self.extra_usd_per_month);
        if self.extra_usd_per_month <= 0.0 {
            format!("Difference: {difference} = {month} a month: reading whole is no dearer.")
        } else if self.is_worth_it(facts) {
            format!("Difference: {difference} = {month} a month, within the {worth} that no index is worth.")
        } else {
            format!("Difference: {difference} = {month} a month, above the {worth} that no index is worth.")
        }
    }
}
