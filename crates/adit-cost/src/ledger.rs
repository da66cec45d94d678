use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::{CostError, checked_amount};
use crate::price_table::PriceTable;
use crate::usage::{Usage, cost_usd};

/// What a call was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Answering a question.
    Answer,
    /// Rewriting or splitting a question before the search.
    Rewrite,
    /// Reordering candidates.
    Rerank,
    /// Judging an answer or a passage.
    Judge,
    /// Making questions for a golden set.
    Generate,
    /// Embedding texts.
    Embed,
    /// Writing context, questions or summaries for chunks.
    Enrich,
}

impl Purpose {
    /// Its name in a ledger.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Rewrite => "rewrite",
            Self::Rerank => "rerank",
            Self::Judge => "judge",
            Self::Generate => "generate",
            Self::Embed => "embed",
            Self::Enrich => "enrich",
        }
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// One call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerEntry {
    /// When it ended.
    pub time: Timestamp,
    /// What it was for.
    pub purpose: Purpose,
    /// The model.
    pub model: String,
    /// What it used.
    pub usage: Usage,
    /// What it cost at the prices of its time; prices change, entries do not.
    pub cost_usd: f64,
    /// The trace of the question it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
}

impl LedgerEntry {
    /// An entry with its cost taken from `prices`.
    ///
    /// # Errors
    /// [`CostError::UnknownModel`].
    pub fn priced(
        time: Timestamp,
        purpose: Purpose,
        model: &str,
        usage: Usage,
        prices: &PriceTable,
    ) -> Result<Self, CostError> {
        let cost_usd = cost_usd(&usage, prices.price(model)?);
        Ok(Self { time, purpose, model: model.to_owned(), usage, cost_usd, trace_id: None })
    }
}

/// What entries are summed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedgerKey {
    /// The model.
    Model,
    /// The purpose.
    Purpose,
    /// The day in UTC, `2026-01-31`.
    Day,
    /// The trace; entries without one come under the empty name.
    Trace,
}

/// A sum of entries.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct LedgerSum {
    /// Entries.
    pub calls: u64,
    /// Their tokens.
    pub usage: Usage,
    /// Their cost.
    pub cost_usd: f64,
}

impl LedgerSum {
    fn add(&mut self, entry: &LedgerEntry) {
        self.calls += 1;
        self.usage = self.usage + entry.usage;
        self.cost_usd += entry.cost_usd;
    }
}

/// Every call in the order it was recorded.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger {
    entries: Vec<LedgerEntry>,
}

impl Ledger {
    /// Adds one call.
    ///
    /// # Errors
    /// [`CostError::InvalidAmount`] for a cost that is NaN, infinite or negative: one such entry
    /// would make every sum a lie.
    pub fn record(&mut self, entry: LedgerEntry) -> Result<(), CostError> {
        checked_amount("cost_usd of a ledger entry", entry.cost_usd)?;
        self.entries.push(entry);
        Ok(())
    }

    /// The calls.
    #[must_use]
    pub fn entries(&self) -> &[LedgerEntry] {
        &self.entries
    }

    /// The sum of all.
    #[must_use]
    pub fn total(&self) -> LedgerSum {
        let mut total = LedgerSum::default();
        self.entries.iter().for_each(|entry| total.add(entry));
        total
    }

    /// Sums by `key`, in the order of its names.
    #[must_use]
    pub fn sums_by(&self, key: LedgerKey) -> BTreeMap<String, LedgerSum> {
        let mut sums: BTreeMap<String, LedgerSum> = BTreeMap::new();
        for entry in &self.entries {
            let name = match key {
                LedgerKey::Model => entry.model.clone(),
                LedgerKey::Purpose => entry.purpose.name().to_owned(),
                LedgerKey::Day => entry.time.strftime("%Y-%m-%d").to_string(),
                LedgerKey::Trace => entry.trace_id.clone().unwrap_or_default(),
            };
            sums.entry(name).or_default().add(entry);
        }
        sums
    }

    /// One JSON object a line.
    ///
    /// # Errors
    /// [`CostError::LedgerLine`] for an entry that JSON cannot hold.
    pub fn to_jsonl(&self) -> Result<String, CostError> {
        let mut text = String::new();
        for (line, entry) in self.entries.iter().enumerate() {
            text += &serde_json::to_string(entry).map_err(|error| line_error(line, &error.to_string()))?;
            text.push('\n');
        }
        Ok(text)
    }

    /// Reads what [`Ledger::to_jsonl`] wrote; empty lines are skipped.
    ///
    /// # Errors
    /// [`CostError::LedgerLine`], naming the line, for JSON that is no entry and for a cost that is
    /// negative or no number.
    pub fn parse_jsonl(text: &str) -> Result<Self, CostError> {
        let mut ledger = Self::default();
        for (line, json) in text.lines().enumerate().filter(|(_, json)| !json.trim().is_empty()) {
            let entry = serde_json::from_str(json).map_err(|error| line_error(line, &error.to_string()))?;
            ledger.record(entry).map_err(|error| line_error(line, &error.to_string()))?;
        }
        Ok(ledger)
    }
}

fn line_error(line: usize, detail: &str) -> CostError {
    CostError::LedgerLine { line_number: line + 1, detail: detail.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Ledger {
        let prices = PriceTable::built_in().unwrap();
        let mut ledger = Ledger::default();
        for (time, purpose, model, usage, trace) in [
            ("2026-01-31T23:59:59Z", Purpose::Rewrite, "claude-haiku-4-5", Usage::plain(300, 40), Some("a")),
            ("2026-02-01T00:00:00Z", Purpose::Answer, "claude-sonnet-5", Usage::plain(3550, 400), Some("a")),
            ("2026-02-01T08:00:00Z", Purpose::Answer, "claude-sonnet-5", Usage::plain(3550, 400), None),
        ] {
            let mut entry =
                LedgerEntry::priced(time.parse().unwrap(), purpose, model, usage, &prices).unwrap();
            entry.trace_id = trace.map(str::to_owned);
            ledger.record(entry).unwrap();
        }
        ledger
    }

    #[test]
    fn sums_agree_however_they_are_cut() {
        let ledger = sample();
        let total = ledger.total();
        assert_eq!(total.calls, 3);
        assert!((total.cost_usd - (0.0005 + 2.0 * 0.01665)).abs() < 1e-12);
        for key in [LedgerKey::Model, LedgerKey::Purpose, LedgerKey::Day, LedgerKey::Trace] {
            let sums = ledger.sums_by(key);
            assert_eq!(sums.len(), 2, "{key:?}");
            assert_eq!(sums.values().map(|sum| sum.calls).sum::<u64>(), 3);
            assert_eq!(sums.values().map(|sum| sum.usage).sum::<Usage>(), total.usage);
        }
        assert_eq!(ledger.sums_by(LedgerKey::Day).get("2026-01-31").map(|sum| sum.calls), Some(1));
        assert_eq!(ledger.sums_by(LedgerKey::Purpose).get("answer").map(|sum| sum.calls), Some(2));
    }

    #[test]
    fn jsonl_comes_back_as_it_went() {
        let ledger = sample();
        let text = ledger.to_jsonl().unwrap();
        assert_eq!(text.lines().count(), 3);
        assert_eq!(Ledger::parse_jsonl(&text).unwrap(), ledger);
        assert_eq!(Ledger::parse_jsonl("\n\n").unwrap(), Ledger::default());
    }

    #[test]
    fn what_would_spoil_the_sums_is_refused() {
        for cost_usd in [f64::NAN, f64::INFINITY, -0.01] {
            let mut entry = sample().entries()[0].clone();
            entry.cost_usd = cost_usd;
            assert!(matches!(Ledger::default().record(entry), Err(CostError::InvalidAmount { .. })));
        }
        let good = sample().to_jsonl().unwrap();
        for broken in ["{\"time\":", "{}", "[1]", &good.lines().next().unwrap().replace("0.0005", "-1")] {
            let error = Ledger::parse_jsonl(&format!("{good}\n{broken}\n")).unwrap_err();
            assert!(error.to_string().contains("line 5"), "{error}");
        }
    }
}
