use std::collections::BTreeMap;
use std::path::Path;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::error::{CostError, checked_amount};

/// The table that ships with the program.
const BUILT_IN: &str = include_str!("../prices.toml");

/// What one model costs, in US dollars per million tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// The model's name as its API knows it.
    pub model: String,
    /// Input that is neither written to a cache nor read from one.
    pub input_usd_per_million: f64,
    /// Output, thinking included.
    pub output_usd_per_million: f64,
    /// Input written to the prompt cache; unknown where the model has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_usd_per_million: Option<f64>,
    /// Input read from the prompt cache; unknown where the model has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_usd_per_million: Option<f64>,
    /// A shorter prefix is not cached, without an error; not known for every model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_cacheable_tokens: Option<u64>,
    /// How long a cached prefix stays without being read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_lifetime_minutes: Option<f64>,
    /// The day the figures were written down.
    pub as_of: Date,
    /// Where they come from, in words.
    pub source: String,
}

impl Price {
    /// The rate of tokens written to the cache: that of input where none is known.
    #[must_use]
    pub fn write_rate(&self) -> f64 {
        self.cache_write_usd_per_million.unwrap_or(self.input_usd_per_million)
    }

    /// The rate of tokens read from the cache: that of input where none is known, so that a missing
    /// figure never makes anything look cheaper than it is.
    #[must_use]
    pub fn read_rate(&self) -> f64 {
        self.cache_read_usd_per_million.unwrap_or(self.input_usd_per_million)
    }

    fn check(&self) -> Result<(), CostError> {
        let of = |field: &str| format!("{field} of {}", self.model);
        checked_amount(of("input_usd_per_million"), self.input_usd_per_million)?;
        checked_amount(of("output_usd_per_million"), self.output_usd_per_million)?;
        checked_amount(of("cache_write_usd_per_million"), self.write_rate())?;
        checked_amount(of("cache_read_usd_per_million"), self.read_rate())?;
        checked_amount(of("cache_lifetime_minutes"), self.cache_lifetime_minutes.unwrap_or(0.0))?;
        Ok(())
    }
}

/// Prices by model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PriceTable {
    prices: BTreeMap<String, Price>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceFile {
    #[serde(default)]
    price: Vec<Price>,
}

impl PriceTable {
    /// The table that ships with the program.
    ///
    /// # Errors
    /// [`CostError::PriceTable`] if it were broken, which a test rules out.
    pub fn built_in() -> Result<Self, CostError> {
        Self::parse(BUILT_IN)
    }

    /// Reads TOML with one `[[price]]` a model.
    ///
    /// # Errors
    /// [`CostError::PriceTable`] for TOML that is none, unknown or missing fields, and a model that
    /// stands there twice; [`CostError::InvalidAmount`] for a price that is negative or no number.
    pub fn parse(toml: &str) -> Result<Self, CostError> {
        let file: PriceFile = toml::from_str(toml)
            .map_err(|error| CostError::PriceTable { path: None, detail: error.to_string() })?;
        let mut prices = BTreeMap::new();
        for price in file.price {
            price.check()?;
            let model = price.model.clone();
            if prices.insert(model.clone(), price).is_some() {
                return Err(CostError::PriceTable { path: None, detail: format!("{model} has two prices") });
            }
        }
        Ok(Self { prices })
    }

    /// Reads a price file.
    ///
    /// # Errors
    /// As [`PriceTable::parse`], naming the file, and [`CostError::Io`] where it cannot be read.
    pub fn read(path: &Path) -> Result<Self, CostError> {
        Self::parse(&fs_err::read_to_string(path)?).map_err(|error| match error {
            CostError::PriceTable { detail, .. } => {
                CostError::PriceTable { path: Some(path.to_path_buf()), detail }
            }
            other => other,
        })
    }

    /// This table with every model of `overrides` replaced or added, whole.
    #[must_use]
    pub fn overridden_by(mut self, overrides: Self) -> Self {
        self.prices.extend(overrides.prices);
        self
    }

    /// The price of a model. A dated snapshot (`NAME-20260131`) costs what its model costs unless it
    /// has a price of its own.
    ///
    /// # Errors
    /// [`CostError::UnknownModel`].
    pub fn price(&self, model: &str) -> Result<&Price, CostError> {
        self.prices
            .get(model)
            .or_else(|| self.prices.get(without_snapshot_date(model)?))
            .ok_or_else(|| CostError::UnknownModel { model: model.to_owned(), known: self.names() })
    }

    /// Every price, by model name.
    pub fn iter(&self) -> impl Iterator<Item = &Price> {
        self.prices.values()
    }

    fn names(&self) -> String {
        self.prices.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

fn without_snapshot_date(model: &str) -> Option<&str> {
    let (name, date) = model.rsplit_once('-')?;
    (date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

#[cfg(test)]
mod tests {
    use adit_core::{Classified, ErrorClass};

    use super::*;

    const ONE: &str = "[[price]]\nmodel = \"m\"\ninput_usd_per_million = 2.0\noutput_usd_per_million = 8.0\n\
                       as_of = \"2026-01-31\"\nsource = \"an invoice\"\n";

    #[test]
    fn the_built_in_table_reads_and_says_where_each_price_comes_from() {
        let table = PriceTable::built_in().unwrap();
        assert_eq!(table.iter().count(), 4);
        for price in table.iter() {
            assert!(price.source.split_whitespace().count() > 5, "{}", price.model);
            assert!(
                price.cache_write_usd_per_million.is_some() && price.cache_read_usd_per_million.is_some()
            );
        }
    }

    #[test]
    fn overrides_replace_and_add() {
        let own = ONE.replace("\"m\"", "\"claude-haiku-4-5\"") + ONE;
        let table = PriceTable::built_in().unwrap().overridden_by(PriceTable::parse(&own).unwrap());
        assert_eq!(table.iter().count(), 5);
        let haiku = table.price("claude-haiku-4-5").unwrap();
        assert_eq!(haiku.input_usd_per_million, 2.0);
        assert_eq!(haiku.read_rate(), 2.0, "the whole price is replaced, its cache rates too");
    }

    #[test]
    fn dated_snapshots_cost_what_their_model_costs() {
        let table = PriceTable::built_in().unwrap();
        assert_eq!(table.price("claude-haiku-4-5-20251001").unwrap().model, "claude-haiku-4-5");
        assert!(table.price("claude-haiku-4-5-latest").is_err());
        let error = table.price("gpt").unwrap_err();
        assert!(error.to_string().contains("claude-opus-4-5, claude-opus-5"), "{error}");
        assert_eq!(error.class(), ErrorClass::User);
    }

    #[test]
    fn broken_tables_are_refused_by_name() {
        for (from, to, expected) in [
            ("2.0", "-2.0", "input_usd_per_million of m is -2"),
            ("8.0", "nan", "output_usd_per_million of m is NaN"),
            ("8.0", "inf", "output_usd_per_million of m is inf"),
            ("source", "sauce", "unknown field `sauce`"),
            ("as_of = \"2026-01-31\"\n", "", "missing field `as_of`"),
            ("2026-01-31", "2026-02-31", "line 5"),
        ] {
            let error = PriceTable::parse(&ONE.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let twice = PriceTable::parse(&ONE.repeat(2)).unwrap_err().to_string();
        assert!(twice.contains("m has two prices"), "{twice}");
    }

    #[test]
    fn a_file_is_named_in_its_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prices.toml");
        std::fs::write(&path, "[[price]]\nmodel = 3\n").unwrap();
        let error = PriceTable::read(&path).unwrap_err();
        assert!(error.to_string().contains("prices.toml"), "{error}");
        let missing = PriceTable::read(&folder.path().join("none.toml")).unwrap_err();
        assert_eq!(missing.class(), ErrorClass::World);
    }
}
