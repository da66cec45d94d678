//! Prompt caches: what they take to begin, how often they miss, and from when on they pay.

use serde::Serialize;

use crate::error::{CostError, checked_amount};
use crate::price_table::Price;

/// Whether a prefix is long enough to be cached. Below the floor nothing is cached and nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum CacheFloor {
    /// It is.
    Reached,
    /// It is not.
    Below {
        /// The prefix.
        prefix_tokens: u64,
        /// What it would have to reach.
        minimum_tokens: u64,
    },
    /// The price table does not state this model's floor.
    Unknown,
}

impl CacheFloor {
    /// Holds a prefix against a model's floor.
    #[must_use]
    pub fn of(prefix_tokens: u64, price: &Price) -> Self {
        match price.minimum_cacheable_tokens {
            None => Self::Unknown,
            Some(minimum_tokens) if prefix_tokens < minimum_tokens => {
                Self::Below { prefix_tokens, minimum_tokens }
            }
            Some(_) => Self::Reached,
        }
    }

    /// Whether the cache is certain to stay empty.
    #[must_use]
    pub fn is_below(self) -> bool {
        matches!(self, Self::Below { .. })
    }
}

/// Requests with the same prefix within one lifetime from which on caching is no dearer than not
/// caching: the smallest n with `write + (n-1)·read <= n·input`. `None` where reads have no discount.
#[must_use]
pub fn requests_until_cache_pays(price: &Price) -> Option<u64> {
    let saved_per_read = price.input_usd_per_million - price.read_rate();
    if saved_per_read <= 0.0 {
        return None;
    }
    let requests = (price.write_rate() - price.read_rate()) / saved_per_read;
    // A hair of slack keeps 2.0000000000000004 from becoming 3.
    Some(((requests - 1e-9).ceil() as u64).max(1))
}

/// How often a cached prefix is asked for, and how often it changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CacheTraffic {
    /// Requests with this prefix a day.
    pub requests_per_day: f64,
    /// Changes of the prefix a day; each empties the cache.
    pub changes_per_day: f64,
    /// How long the prefix stays without being read; a read begins the lifetime anew.
    pub lifetime_minutes: f64,
}

impl CacheTraffic {
    /// Share of requests that find the cache empty and pay for the write, 0 to 1.
    ///
    /// Requests that come at random (a Poisson process) at rate r find the last one longer ago than a
    /// lifetime T with probability `e^(-r·T)`; every change costs one request more, at most all.
    ///
    /// # Errors
    /// [`CostError::InvalidAmount`] for a figure that is negative or no number.
    pub fn miss_share(&self) -> Result<f64, CostError> {
        checked_amount("requests per day", self.requests_per_day)?;
        checked_amount("changes per day", self.changes_per_day)?;
        checked_amount("cache lifetime in minutes", self.lifetime_minutes)?;
        if self.requests_per_day == 0.0 {
            return Ok(1.0);
        }
        let requests_per_lifetime = self.requests_per_day * self.lifetime_minutes / (24.0 * 60.0);
        let expired = (-requests_per_lifetime).exp();
        Ok((expired + self.changes_per_day / self.requests_per_day).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::price_table::PriceTable;

    #[test]
    fn caching_pays_from_the_second_request() {
        // (1.25 - 0.10) / (1 - 0.10) = 1.28 requests.
        let table = PriceTable::built_in().unwrap();
        for price in table.iter() {
            assert_eq!(requests_until_cache_pays(price), Some(2), "{}", price.model);
        }
        let mut without = table.price("claude-haiku-4-5").unwrap().clone();
        without.cache_read_usd_per_million = None;
        assert_eq!(requests_until_cache_pays(&without), None);
    }

    #[test]
    fn the_floor_of_a_model_nobody_stated_is_unknown() {
        let table = PriceTable::built_in().unwrap();
        let opus = table.price("claude-opus-5").unwrap();
        assert_eq!(CacheFloor::of(512, opus), CacheFloor::Reached);
        assert!(CacheFloor::of(511, opus).is_below());
        assert_eq!(CacheFloor::of(1, table.price("claude-sonnet-5").unwrap()), CacheFloor::Unknown);
    }

    #[test]
    fn misses_lie_between_none_and_all() {
        let traffic = |requests_per_day, changes_per_day| CacheTraffic {
            requests_per_day,
            changes_per_day,
            lifetime_minutes: 5.0,
        };
        assert_eq!(traffic(0.0, 3.0).miss_share().unwrap(), 1.0);
        assert_eq!(traffic(10.0, 100.0).miss_share().unwrap(), 1.0);
        assert!(traffic(1e6, 0.0).miss_share().unwrap() < 1e-12);
        // 288 a day is one a lifetime: e^-1 of them come too late.
        let one = traffic(288.0, 0.0).miss_share().unwrap();
        assert!((one - (-1.0_f64).exp()).abs() < 1e-12);
        assert!(traffic(f64::NAN, 0.0).miss_share().is_err());
    }
}
