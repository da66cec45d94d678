use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use crate::LogError;

/// Crockford's base 32: no letter can be taken for a digit or another letter when it is read aloud.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 40 bits. Two searches of one log that draw the same id are told apart when they are stored.
const LENGTH: usize = 8;

/// Names one logged search: eight letters and digits, such as `7k2m9q4x`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SearchId(String);

impl SearchId {
    /// An id for a search at `unix_ms`. Two calls of one process never hash the same bytes.
    pub(crate) fn draw(unix_ms: i64, query: &str) -> Self {
        static DRAWN: AtomicU64 = AtomicU64::new(0);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&unix_ms.to_le_bytes());
        hasher.update(&std::process::id().to_le_bytes());
        hasher.update(&DRAWN.fetch_add(1, Ordering::Relaxed).to_le_bytes());
        hasher.update(query.as_bytes());
        let hash = hasher.finalize();
        let symbol = |byte: &u8| ALPHABET.get(usize::from(byte % 32)).copied().unwrap_or(b'0');
        Self(hash.as_bytes().iter().take(LENGTH).map(|byte| char::from(symbol(byte))).collect())
    }

    /// The eight characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SearchId {
    type Err = LogError;

    /// Reads an id as people write it: in capitals, with `o` for `0`, and `i` or `l` for `1`.
    fn from_str(text: &str) -> Result<Self, LogError> {
        let plain = |character: char| match character.to_ascii_lowercase() {
            'o' => '0',
            'i' | 'l' => '1',
            other => other,
        };
        let id: String = text.trim().chars().map(plain).collect();
        let is_known = |byte: u8| ALPHABET.contains(&byte);
        if id.len() == LENGTH && id.bytes().all(is_known) {
            Ok(Self(id))
        } else {
            Err(LogError::InvalidId { id: text.to_owned() })
        }
    }
}

impl TryFrom<String> for SearchId {
    type Error = LogError;
    fn try_from(text: String) -> Result<Self, LogError> {
        text.parse()
    }
}

impl From<SearchId> for String {
    fn from(id: SearchId) -> Self {
        id.0
    }
}

impl fmt::Display for SearchId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_are_read_back_as_people_write_them() {
        let ids: std::collections::BTreeSet<_> = (0..1000).map(|_| SearchId::draw(7, "same")).collect();
        assert_eq!(ids.len(), 1000);
        for id in ids {
            assert_eq!(id.as_str().to_uppercase().parse::<SearchId>().unwrap(), id);
        }
        assert_eq!("O1iL0000".parse::<SearchId>().unwrap().as_str(), "01110000");
        for wrong in ["", "7k2m9q4", "7k2m9q4xx", "7k2m9q4u", "7k2m 9q4"] {
            assert!(wrong.parse::<SearchId>().is_err(), "{wrong}");
        }
    }
}
