use std::path::PathBuf;

use adit_core::{Classified, ErrorClass};
use thiserror::Error;

use crate::money::format_usd;

/// Why a cost could not be computed, or must not be incurred.
#[derive(Debug, Error)]
pub enum CostError {
    /// The user's fault: a price file that is not one.
    #[error("the price table{} cannot be read: {detail}", in_file(.path.as_ref()))]
    PriceTable {
        /// The file, where there is one.
        path: Option<PathBuf>,
        /// What is wrong, with its line.
        detail: String,
    },
    /// The user's fault: nobody said what this model costs.
    #[error("no price is known for the model {model}; known: {known}")]
    UnknownModel {
        /// The model asked for.
        model: String,
        /// The models of the table, separated by commas.
        known: String,
    },
    /// The user's fault: an amount that is NaN, infinite, negative or too small.
    #[error("{what} is {value}, but must be a number {range}")]
    InvalidAmount {
        /// Which amount, with its unit.
        what: String,
        /// What it was.
        value: f64,
        /// What it may be, such as `of at least 0`.
        range: &'static str,
    },
    /// The user's fault: a share outside 0 to 1.
    #[error("{what} is {value}, but must lie between 0 and 1")]
    InvalidShare {
        /// Which share.
        what: &'static str,
        /// What it was.
        value: f64,
    },
    /// Refused: the run would cost more than it may.
    #[error("this would cost {}, above the budget of {}", format_usd(*.estimated_usd), format_usd(*.budget_usd))]
    OverBudget {
        /// What it would cost, what was spent before included.
        estimated_usd: f64,
        /// What it may cost.
        budget_usd: f64,
    },
    /// The user's fault: a line of a ledger that is no entry.
    #[error("the ledger's line {line_number} is no entry: {detail}")]
    LedgerLine {
        /// From 1.
        line_number: usize,
        /// What is wrong.
        detail: String,
    },
    /// The user's fault: there is no corpus to give advice about.
    #[error("the corpus has no tokens, so there is nothing to retrieve from")]
    EmptyCorpus,
    /// Disk trouble.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

fn in_file(path: Option<&PathBuf>) -> String {
    path.map(|path| format!(" {}", path.display())).unwrap_or_default()
}

impl Classified for CostError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Io(_) => ErrorClass::World,
            Self::OverBudget { .. } => ErrorClass::Refused,
            _ => ErrorClass::User,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::PriceTable { .. } => {
                "a price needs model, input_usd_per_million, output_usd_per_million, as_of and source under [[price]]"
            }
            Self::UnknownModel { .. } => {
                "name a known model, or write its price into a file for `--prices FILE`"
            }
            Self::OverBudget { .. } => "raise the budget, choose a cheaper model, or process less",
            Self::LedgerLine { .. } => "each line of a ledger is one JSON object; mend or remove this line",
            Self::EmptyCorpus => "name files or folders with readable text",
            Self::InvalidAmount { .. } | Self::InvalidShare { .. } => "correct the figure and try again",
            Self::Io(_) => return None,
        };
        Some(hint.to_owned())
    }
}

/// Passes `value` on where it is finite and not negative.
pub(crate) fn checked_amount(what: impl Into<String>, value: f64) -> Result<f64, CostError> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(CostError::InvalidAmount { what: what.into(), value, range: "of at least 0" })
    }
}

/// Passes `value` on where it lies between 0 and 1.
pub(crate) fn checked_share(what: &'static str, value: f64) -> Result<f64, CostError> {
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(CostError::InvalidShare { what, value }) }
}
