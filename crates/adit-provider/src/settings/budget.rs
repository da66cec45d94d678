use adit_cost::{Price, Usage, cost_usd};
use serde::{Deserialize, Serialize};

use crate::ProviderError;

/// What all calls of one opened model may use together; a call that may go above it is not made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BudgetSettings {
    /// Calls that were answered; none for no limit.
    pub calls: Option<u64>,
    /// Tokens read and written; none for no limit.
    pub tokens: Option<u64>,
    /// US dollars; none for no limit. Needs a price.
    pub usd: Option<f64>,
}

/// What a model costs, in US dollars per million tokens: `[language_model.prices]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceSettings {
    /// Tokens read.
    pub input_usd_per_million: f64,
    /// Tokens written.
    pub output_usd_per_million: f64,
    /// Tokens written to the prompt cache; none bills them as input.
    #[serde(default)]
    pub cache_write_usd_per_million: Option<f64>,
    /// Tokens read from the prompt cache; none bills them as input.
    #[serde(default)]
    pub cache_read_usd_per_million: Option<f64>,
}

impl PriceSettings {
    /// What the price table says about the same model.
    #[must_use]
    pub fn from_table(price: &Price) -> Self {
        Self {
            input_usd_per_million: price.input_usd_per_million,
            output_usd_per_million: price.output_usd_per_million,
            cache_write_usd_per_million: price.cache_write_usd_per_million,
            cache_read_usd_per_million: price.cache_read_usd_per_million,
        }
    }

    /// US dollars of `usage`.
    #[must_use]
    pub fn usd(&self, usage: &Usage) -> f64 {
        cost_usd(usage, &self.as_price())
    }

    fn as_price(&self) -> Price {
        Price {
            model: String::new(),
            input_usd_per_million: self.input_usd_per_million,
            output_usd_per_million: self.output_usd_per_million,
            cache_write_usd_per_million: self.cache_write_usd_per_million,
            cache_read_usd_per_million: self.cache_read_usd_per_million,
            minimum_cacheable_tokens: None,
            cache_lifetime_minutes: None,
            as_of: jiff::civil::Date::ZERO,
            source: String::new(),
        }
    }

    /// # Errors
    /// [`ProviderError::Setting`] for a price that is negative or no number.
    pub(crate) fn check(&self) -> Result<(), ProviderError> {
        let rates = [
            Some(self.input_usd_per_million),
            Some(self.output_usd_per_million),
            self.cache_write_usd_per_million,
            self.cache_read_usd_per_million,
        ];
        match rates.into_iter().flatten().find(|rate| !rate.is_finite() || *rate < 0.0) {
            Some(rate) => Err(ProviderError::setting("prices", format!("{rate} is no price"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_without_cache_rates_bills_the_cache_as_input() {
        let prices = PriceSettings {
            input_usd_per_million: 2.0,
            output_usd_per_million: 10.0,
            cache_write_usd_per_million: None,
            cache_read_usd_per_million: None,
        };
        let usage = Usage { cached_input_tokens: 500_000, output_tokens: 100_000, ..Usage::default() };
        assert!((prices.usd(&usage) - 2.0).abs() < 1e-12);
        assert!(prices.check().is_ok());
        assert!(PriceSettings { input_usd_per_million: f64::NAN, ..prices }.check().is_err());
    }
}
