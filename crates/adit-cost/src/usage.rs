use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};

use crate::price_table::Price;

/// Tokens of one call, or of many together. Each token is counted in exactly one field.
///
/// The fields follow the usage block of the Messages API, where `input_tokens` leaves out what was written
/// to the cache or read from it. An API that counts cached tokens into its input needs them taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    /// Input at the ordinary rate.
    pub input_tokens: u64,
    /// Input read from the prompt cache.
    pub cached_input_tokens: u64,
    /// Input written to the prompt cache.
    pub cache_write_tokens: u64,
    /// Output, thinking included.
    pub output_tokens: u64,
    /// Tokens of texts that were embedded, billed at the ordinary input rate.
    pub embedded_tokens: u64,
}

impl Usage {
    /// A call without a cache.
    #[must_use]
    pub fn plain(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, ..Self::default() }
    }

    /// Everything the model read: ordinary, cached, written and embedded.
    #[must_use]
    pub fn read_tokens(&self) -> u64 {
        [self.input_tokens, self.cached_input_tokens, self.cache_write_tokens, self.embedded_tokens]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// This usage `count` times.
    #[must_use]
    pub fn times(&self, count: u64) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_mul(count),
            cached_input_tokens: self.cached_input_tokens.saturating_mul(count),
            cache_write_tokens: self.cache_write_tokens.saturating_mul(count),
            output_tokens: self.output_tokens.saturating_mul(count),
            embedded_tokens: self.embedded_tokens.saturating_mul(count),
        }
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            cached_input_tokens: self.cached_input_tokens.saturating_add(other.cached_input_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            embedded_tokens: self.embedded_tokens.saturating_add(other.embedded_tokens),
        }
    }
}

impl Sum for Usage {
    fn sum<I: Iterator<Item = Self>>(usages: I) -> Self {
        usages.fold(Self::default(), Add::add)
    }
}

/// US dollars of `tokens` at `usd_per_million`.
#[must_use]
pub fn tokens_usd(tokens: u64, usd_per_million: f64) -> f64 {
    tokens as f64 * usd_per_million / 1e6
}

/// US dollars of `usage` at `price`.
#[must_use]
pub fn cost_usd(usage: &Usage, price: &Price) -> f64 {
    tokens_usd(usage.input_tokens, price.input_usd_per_million)
        + tokens_usd(usage.embedded_tokens, price.input_usd_per_million)
        + tokens_usd(usage.cached_input_tokens, price.read_rate())
        + tokens_usd(usage.cache_write_tokens, price.write_rate())
        + tokens_usd(usage.output_tokens, price.output_usd_per_million)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::price_table::PriceTable;

    #[test]
    fn every_field_has_its_rate() {
        let table = PriceTable::built_in().unwrap();
        let haiku = table.price("claude-haiku-4-5").unwrap();
        let million = 1_000_000;
        let usage = |field: fn(&mut Usage) -> &mut u64| {
            let mut usage = Usage::default();
            *field(&mut usage) = million;
            cost_usd(&usage, haiku)
        };
        assert_eq!(usage(|usage| &mut usage.input_tokens), 1.0);
        assert_eq!(usage(|usage| &mut usage.embedded_tokens), 1.0);
        assert_eq!(usage(|usage| &mut usage.cached_input_tokens), 0.1);
        assert_eq!(usage(|usage| &mut usage.cache_write_tokens), 1.25);
        assert_eq!(usage(|usage| &mut usage.output_tokens), 5.0);
    }

    #[test]
    fn sums_saturate_instead_of_wrapping() {
        let most = Usage::plain(u64::MAX, 1);
        assert_eq!((most + most).input_tokens, u64::MAX);
        assert_eq!(most.times(3).output_tokens, 3);
        assert_eq!([Usage::plain(1, 2), Usage::plain(3, 4)].into_iter().sum::<Usage>(), Usage::plain(4, 6));
    }
}
