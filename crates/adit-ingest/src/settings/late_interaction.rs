use adit_token_vector::{CodeBits, MAX_POOLING};
use serde::{Deserialize, Serialize};

/// Token vectors beside the chunks' own: whether they are kept and how much they count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LateInteractionSection {
    /// Keep token codes when indexing and use them when searching.
    pub enabled: bool,
    /// Tokens that share a row, on average; 1 keeps each token. Changed, it takes effect with
    /// `adit rebuild --late-interaction`.
    pub pooling: u32,
    /// Bits a dimension: 1 or 8. Changed, it takes effect with `adit rebuild --late-interaction`.
    pub bits: u32,
    /// What token vectors count beside the words' 1.
    pub weight: f32,
}

impl Default for LateInteractionSection {
    fn default() -> Self {
        Self { enabled: true, pooling: 2, bits: 1, weight: 0.5 }
    }
}

impl LateInteractionSection {
    /// The bits as the codes know them; 1 for anything that [`LateInteractionSection::check`] refuses.
    #[must_use]
    pub fn code_bits(&self) -> CodeBits {
        if self.bits == 8 { CodeBits::Eight } else { CodeBits::One }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        if !(1..=MAX_POOLING).contains(&self.pooling) {
            return Err(format!("late_interaction.pooling must be between 1 and {MAX_POOLING}"));
        }
        if !matches!(self.bits, 1 | 8) {
            return Err("late_interaction.bits must be 1 or 8".to_owned());
        }
        if !self.weight.is_finite() || self.weight < 0.0 {
            return Err("late_interaction.weight must not be negative".to_owned());
        }
        Ok(())
    }
}
