use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is known about a document beside its text: each key has one or more values.
pub type Metadata = BTreeMap<String, Vec<MetadataValue>>;

/// One value. `Date` is kept as ISO 8601 text (`2026-03-01` or `2026-03-01T10:00:00Z`), which sorts
/// by time when compared as text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MetadataValue {
    /// Yes or no.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Text; dates are text in ISO 8601 form.
    Text(String),
}

impl MetadataValue {
    /// Reads a value as a person writes it: `true`, `12.5`, anything else is text (dates included).
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        match text {
            "true" => Self::Bool(true),
            "false" => Self::Bool(false),
            // `nan` and `inf` parse as numbers in Rust but are words to a person.
            _ => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Self::Number(number),
                _ => Self::Text(text.to_owned()),
            },
        }
    }

    /// The value as filters print and compare it.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Bool(value) => value.to_string(),
            Self::Number(value) => value.to_string(),
            Self::Text(value) => value.clone(),
        }
    }

    /// Order inside one kind: numbers by size, text (and so dates) by its characters. Values of two
    /// kinds have no order, so a range over numbers never matches a text.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(left), Self::Number(right)) => left.partial_cmp(right),
            (Self::Text(left), Self::Text(right)) => Some(left.cmp(right)),
            (Self::Bool(left), Self::Bool(right)) => Some(left.cmp(right)),
            _ => None,
        }
    }

    /// Equality as a person means it: text without regard to case, numbers by value.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> bool {
        self.to_text().to_lowercase() == other.to_text().to_lowercase()
    }
}
