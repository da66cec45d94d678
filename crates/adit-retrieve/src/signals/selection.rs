use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What may multiply a fused score, beside how well the words fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignalKind {
    /// Tiers by path, source or metadata.
    Authority,
    /// The younger a document, the higher.
    Recency,
    /// Of several versions of one document the one that the question asks for.
    Version,
    /// Documents that others point to, and documents beside a hit in the graph of links.
    Links,
    /// What readers said of earlier answers.
    Popularity,
    /// A ranker that was trained on a golden set.
    Learned,
}

impl SignalKind {
    /// Every kind, in the order in which they are applied and shown.
    pub const ALL: [Self; 6] =
        [Self::Authority, Self::Recency, Self::Version, Self::Links, Self::Popularity, Self::Learned];

    /// As settings, flags and traces write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Authority => "authority",
            Self::Recency => "recency",
            Self::Version => "version",
            Self::Links => "links",
            Self::Popularity => "popularity",
            Self::Learned => "learned",
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for SignalKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Which signals a search uses. None by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SignalSelection {
    bits: u8,
}

impl SignalSelection {
    /// No signal: the fused order stays as it is.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Every signal. One that has nothing to say (no rules, no links, no trained ranker) changes nothing.
    #[must_use]
    pub fn all() -> Self {
        SignalKind::ALL.into_iter().fold(Self::none(), Self::with)
    }

    /// These and one more.
    #[must_use]
    pub fn with(self, kind: SignalKind) -> Self {
        Self { bits: self.bits | kind.bit() }
    }

    /// These without one.
    #[must_use]
    pub fn without(self, kind: SignalKind) -> Self {
        Self { bits: self.bits & !kind.bit() }
    }

    /// Whether a signal is used.
    #[must_use]
    pub fn has(self, kind: SignalKind) -> bool {
        self.bits & kind.bit() != 0
    }

    /// Whether no signal is used.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }
}

impl fmt::Display for SignalSelection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            SignalKind::ALL.into_iter().filter(|kind| self.has(*kind)).map(SignalKind::name).collect();
        formatter.write_str(if names.is_empty() { "none".to_owned() } else { names.join(",") }.as_str())
    }
}

impl FromStr for SignalSelection {
    type Err = String;

    /// Reads `none`, `all`, or names separated by commas.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "none" | "" => return Ok(Self::none()),
            "all" => return Ok(Self::all()),
            _ => {}
        }
        text.split(',').try_fold(Self::none(), |selection, name| {
            let name = name.trim();
            let kind = SignalKind::ALL.into_iter().find(|kind| kind.name() == name);
            kind.map(|kind| selection.with(kind)).ok_or_else(|| {
                let known: Vec<&str> = SignalKind::ALL.into_iter().map(SignalKind::name).collect();
                format!("`{name}` is no signal; known: none, all, {}", known.join(", "))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_printed() {
        let selection: SignalSelection = "version, authority".parse().unwrap();
        assert_eq!(selection.to_string(), "authority,version");
        assert!(selection.has(SignalKind::Version) && !selection.has(SignalKind::Links));
        assert_eq!("all".parse::<SignalSelection>().unwrap(), SignalSelection::all());
        assert!("none".parse::<SignalSelection>().unwrap().is_empty());
        assert!("versions".parse::<SignalSelection>().unwrap_err().contains("known: none, all, authority"));
    }
}
