use serde::{Deserialize, Serialize};

use crate::TokenVectorError;

/// The widest token vector that is coded: the kernels add that many products of a bit and a byte in 16 bits.
pub const MAX_DIMENSION: usize = 4096;
/// The most tokens, on average, that share a row.
pub const MAX_POOLING: u32 = 16;

/// Bits that a dimension of a chunk's token takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeBits {
    /// Its sign.
    One,
    /// A byte, and one scale a row.
    Eight,
}

/// How the rows of a collection are made. Two rows, or a row and a question, may only be compared when this is
/// the same for both, so it is stored once beside the rows, in the catalog.
///
/// The mean is that of the embedder's own token vectors over a fixed text, not of the collection: encoders
/// have a common direction in all of their states (Ethayarajh 2019), which is a property of the model and its
/// revision. So every collection of a model has the same mean, whatever came in first, and neither a replay,
/// nor a merge, nor documents to come can change it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenCodeMake {
    /// Which vectors: a name of everything in the embedder's description that decides a document's vectors.
    pub embedder: String,
    /// Bits a dimension.
    pub bits: CodeBits,
    /// Tokens that share a row, on average; 1 keeps each token.
    pub pooling: u32,
    /// `[dimension]`, taken off every token vector before it is coded.
    pub mean: Vec<f32>,
}

impl TokenCodeMake {
    /// Whether rows can be made like this.
    ///
    /// # Errors
    /// [`TokenVectorError::Make`].
    pub fn check(&self) -> Result<(), TokenVectorError> {
        let refuse = |detail: String| Err(TokenVectorError::Make { detail });
        if self.mean.is_empty() || self.mean.len() > MAX_DIMENSION {
            return refuse(format!("{} dimensions, expected 1 to {MAX_DIMENSION}", self.mean.len()));
        }
        if !(1..=MAX_POOLING).contains(&self.pooling) {
            return refuse(format!("pooling of {}, expected 1 to {MAX_POOLING}", self.pooling));
        }
        if !self.mean.iter().all(|value| value.is_finite()) {
            return refuse("the mean has a component that is not a finite number".to_owned());
        }
        Ok(())
    }

    /// Length of a token vector.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.mean.len()
    }

    /// Length of one row.
    #[must_use]
    pub fn row_bytes(&self) -> usize {
        match self.bits {
            CodeBits::One => self.mean.len().div_ceil(8),
            CodeBits::Eight => SCALE_BYTES + self.mean.len(),
        }
    }

    /// The first 16 hexadecimal digits of a hash over all of it.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(self.embedder.len() as u64).to_le_bytes());
        hasher.update(self.embedder.as_bytes());
        hasher.update(&[match self.bits {
            CodeBits::One => 1,
            CodeBits::Eight => 8,
        }]);
        hasher.update(&self.pooling.to_le_bytes());
        for value in &self.mean {
            hasher.update(&value.to_le_bytes());
        }
        hasher.finalize().to_hex().as_str().chars().take(16).collect()
    }

    /// As it is stored in the catalog.
    ///
    /// # Errors
    /// [`TokenVectorError::Make`].
    pub fn to_stored(&self) -> Result<String, TokenVectorError> {
        serde_json::to_string(self).map_err(|error| TokenVectorError::Make { detail: error.to_string() })
    }

    /// Reads what [`TokenCodeMake::to_stored`] wrote.
    ///
    /// # Errors
    /// [`TokenVectorError::Make`].
    pub fn from_stored(stored: &str) -> Result<Self, TokenVectorError> {
        let make: Self = serde_json::from_str(stored)
            .map_err(|error| TokenVectorError::Make { detail: error.to_string() })?;
        make.check()?;
        Ok(make)
    }
}

/// Bytes before an 8-bit row: the scale, a little-endian float32.
pub(crate) const SCALE_BYTES: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn make() -> TokenCodeMake {
        TokenCodeMake {
            embedder: "m".to_owned(),
            bits: CodeBits::One,
            pooling: 2,
            mean: vec![0.1, -1.0 / 3.0, f32::MIN_POSITIVE, 1e-30],
        }
    }

    #[test]
    fn survives_storing_bit_by_bit() {
        let read = TokenCodeMake::from_stored(&make().to_stored().unwrap()).unwrap();
        let bits = |make: &TokenCodeMake| make.mean.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&read), bits(&make()));
        assert_eq!((read.hash(), read), (make().hash(), make()));
    }

    #[test]
    fn every_part_changes_the_hash() {
        let others = [
            TokenCodeMake { embedder: "n".to_owned(), ..make() },
            TokenCodeMake { bits: CodeBits::Eight, ..make() },
            TokenCodeMake { pooling: 3, ..make() },
            TokenCodeMake { mean: vec![0.1; 4], ..make() },
        ];
        assert!(others.iter().all(|other| other.hash() != make().hash()));
    }

    #[test]
    fn what_cannot_work_is_refused() {
        assert!(TokenCodeMake { pooling: 0, ..make() }.check().is_err());
        assert!(TokenCodeMake { mean: Vec::new(), ..make() }.check().is_err());
        assert!(TokenCodeMake { mean: vec![f32::NAN], ..make() }.check().is_err());
        assert!(TokenCodeMake { mean: vec![0.0; MAX_DIMENSION + 1], ..make() }.check().is_err());
        assert!(TokenCodeMake::from_stored("{}").is_err());
    }
}
