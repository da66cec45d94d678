//! An answer without a language model: the best supported sentences of the documents themselves.

mod score;
mod select;

pub use score::ExtractiveSettings;
pub use select::{ExtractiveAnswer, SelectedSentence, extract};
