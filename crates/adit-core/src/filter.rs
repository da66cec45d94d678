use std::cmp::Ordering;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Metadata, MetadataValue};

/// Conditions on metadata that must all hold. The empty filter permits everything in the scope.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Filter {
    /// The conditions, joined by "and".
    pub conditions: Vec<Condition>,
}

/// One condition on one key. A document that lacks the key does not match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// Metadata key.
    pub key: String,
    /// What one of its values must satisfy.
    pub test: Test,
}

/// What a value must satisfy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Test {
    /// Equal to one of these (text without regard to case).
    AnyOf(Vec<MetadataValue>),
    /// Between two bounds, each optional.
    Range {
        /// Smallest value and whether it is itself included.
        lower: Option<(MetadataValue, bool)>,
        /// Largest value and whether it is itself included.
        upper: Option<(MetadataValue, bool)>,
    },
}

impl Test {
    /// Whether `value` satisfies the test.
    #[must_use]
    pub fn accepts(&self, value: &MetadataValue) -> bool {
        match self {
            Self::AnyOf(wanted) => wanted.iter().any(|one| one.same_as(value)),
            Self::Range { lower, upper } => {
                lower.as_ref().is_none_or(|(bound, inclusive)| match value.compare(bound) {
                    Some(Ordering::Greater) => true,
                    Some(Ordering::Equal) => *inclusive,
                    _ => false,
                }) && upper.as_ref().is_none_or(|(bound, inclusive)| match value.compare(bound) {
                    Some(Ordering::Less) => true,
                    // `date<=2026-03` means all of March: a longer text that starts with the bound is inside.
                    Some(Ordering::Equal) => *inclusive,
                    Some(Ordering::Greater) => *inclusive && begins_with(value, bound),
                    None => false,
                })
            }
        }
    }
}

fn begins_with(value: &MetadataValue, bound: &MetadataValue) -> bool {
    match (value, bound) {
        (MetadataValue::Text(value), MetadataValue::Text(bound)) => {
            bound.starts_with(|first: char| first.is_ascii_digit()) && value.starts_with(bound.as_str())
        }
        _ => false,
    }
}

impl Filter {
    /// Reads several conditions in the form of [`Condition::from_str`].
    ///
    /// # Errors
    /// The first condition that cannot be read.
    pub fn parse<T: AsRef<str>>(conditions: &[T]) -> Result<Self, FilterParseError> {
        let conditions = conditions.iter().map(|text| text.as_ref().parse()).collect::<Result<_, _>>()?;
        Ok(Self { conditions })
    }

    /// Whether nothing is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Whether `metadata` satisfies every condition.
    #[must_use]
    pub fn accepts(&self, metadata: &Metadata) -> bool {
        self.conditions.iter().all(|condition| {
            metadata
                .get(&condition.key)
                .is_some_and(|values| values.iter().any(|value| condition.test.accepts(value)))
        })
    }
}

impl FromStr for Condition {
    type Err = FilterParseError;

    /// Reads `key=value`, `key=a,b` (either), `key=low..high`, `key>=value`, `key<=value`, `key>value`, `key<value`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || FilterParseError { text: text.to_owned() };
        let at = text.find(['=', '<', '>']).ok_or_else(error)?;
        let (key, rest) = text.split_at(at);
        let key = key.trim();
        let operator_length = if rest.starts_with(">=") || rest.starts_with("<=") { 2 } else { 1 };
        let (operator, value) = rest.split_at(operator_length);
        let value = value.trim();
        if key.is_empty() || value.is_empty() {
            return Err(error());
        }
        let bound = |inclusive| Some((MetadataValue::parse(value), inclusive));
        let test = match operator {
            ">=" => Test::Range { lower: bound(true), upper: None },
            "<=" => Test::Range { lower: None, upper: bound(true) },
            ">" => Test::Range { lower: bound(false), upper: None },
            "<" => Test::Range { lower: None, upper: bound(false) },
            _ => match value.split_once("..") {
                Some((low, high)) if (!low.is_empty() || !high.is_empty()) && !value.contains('/') => {
                    let side = |side: &str| (!side.is_empty()).then(|| (MetadataValue::parse(side), true));
                    Test::Range { lower: side(low), upper: side(high) }
                }
                _ => Test::AnyOf(value.split(',').map(MetadataValue::parse).collect()),
            },
        };
        Ok(Self { key: key.to_owned(), test })
    }
}

/// A filter that cannot be read; the user's fault.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "cannot read the filter `{text}`: expected key=value, key=a,b, key=low..high, key>=value or key<=value"
)]
pub struct FilterParseError {
    /// What was given.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(key: &str, value: &str) -> Metadata {
        [(key.to_owned(), vec![MetadataValue::parse(value)])].into()
    }

    #[test]
    fn reads_each_form() {
        for (filter, yes, no) in [
            ("team=Sales", "sales", "support"),
            ("team=sales,legal", "legal", "support"),
            ("year>=2024", "2024", "2023.9"),
            ("year<2024", "2023", "2024"),
            ("effective=2026-01..2026-03", "2026-03-31", "2026-04-01"),
            ("effective>2026-01-01", "2026-01-02", "2026-01-01"),
            ("effective=..2025-12-31", "2025-12-31", "2026-01-01"),
        ] {
            let parsed = Filter::parse(&[filter]).unwrap();
            let key = parsed.conditions[0].key.clone();
            assert!(parsed.accepts(&metadata(&key, yes)), "{filter} must accept {yes}");
            assert!(!parsed.accepts(&metadata(&key, no)), "{filter} must refuse {no}");
        }
    }

    #[test]
    fn a_missing_key_does_not_match_and_kinds_do_not_mix() {
        assert!(!Filter::parse(&["year<2024"]).unwrap().accepts(&Metadata::new()));
        assert!(!Filter::parse(&["year<2024"]).unwrap().accepts(&metadata("year", "unknown")));
        assert!(Filter::default().accepts(&Metadata::new()));
    }

    #[test]
    fn says_what_it_could_not_read() {
        let error = Filter::parse(&["nonsense"]).unwrap_err();
        assert!(error.to_string().contains("`nonsense`"));
        assert!(Filter::parse(&["=x"]).is_err());
        assert!(Filter::parse(&["key="]).is_err());
    }
}
