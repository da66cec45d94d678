use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::TenantId;

/// Stable name of a document: 12 hexadecimal digits derived from its tenant and its source.
///
/// The same file indexed again has the same id, so a re-index replaces and never duplicates. Two
/// tenants that index the same file get two ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DocumentId(String);

impl DocumentId {
    /// The id of `source` (a path or URI, as recorded in the catalog) inside `tenant`.
    #[must_use]
    pub fn derive(tenant: &TenantId, source: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(tenant.as_str().as_bytes());
        hasher.update(&[0]);
        hasher.update(source.as_bytes());
        let hex = hasher.finalize().to_hex();
        Self(hex.as_str().chars().take(12).collect())
    }

    /// Takes an id that was printed or stored earlier. Any text is accepted; an unknown id finds nothing.
    #[must_use]
    pub fn from_stored(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Number of one stored chunk of one document version. Assigned by the catalog, rising, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChunkId(pub u32);

impl fmt::Display for ChunkId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Number of one committed change in the catalog's log; the first change is 1, an empty catalog is at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default)]
#[serde(transparent)]
pub struct SequenceNumber(pub u64);

impl fmt::Display for SequenceNumber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// What a citation names: a document and the position of one chunk in it, written `3f9a1c20b7d4#2`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PassageId {
    /// The document.
    pub document: DocumentId,
    /// Position of the chunk in the document, from 0.
    pub chunk_index: u32,
}

impl fmt::Display for PassageId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}#{}", self.document, self.chunk_index)
    }
}

/// A text that was meant as a passage id and is none.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not a passage id: expected DOCUMENT#NUMBER, such as 3f9a1c20b7d4#2")]
pub struct PassageIdParseError {
    /// What was given.
    pub text: String,
}

impl FromStr for PassageId {
    type Err = PassageIdParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bare = text.trim().trim_start_matches("doc:");
        let error = || PassageIdParseError { text: text.to_owned() };
        let (document, index) = bare.rsplit_once('#').ok_or_else(error)?;
        let chunk_index = index.parse().map_err(|_| error())?;
        if document.is_empty() {
            return Err(error());
        }
        Ok(Self { document: DocumentId::from_stored(document), chunk_index })
    }
}

impl Serialize for PassageId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PassageId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_source_in_two_tenants_has_two_ids() {
        let first = DocumentId::derive(&TenantId::new("acme").unwrap(), "a.md");
        let second = DocumentId::derive(&TenantId::new("globex").unwrap(), "a.md");
        assert_ne!(first, second);
        assert_eq!(first.as_str().len(), 12);
    }

    #[test]
    fn passage_id_survives_printing_and_parsing() {
        let id: PassageId = "doc:3f9a1c20b7d4#2".parse().unwrap();
        assert_eq!(id.to_string(), "3f9a1c20b7d4#2");
        assert!("3f9a1c20b7d4".parse::<PassageId>().is_err());
        assert!("#1".parse::<PassageId>().is_err());
    }
}
