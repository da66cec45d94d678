//! The language model that the settings name.

use std::sync::Arc;

use adit_core::LanguageModel;
use adit_ingest::Settings;

/// The model that writes answers; none where the settings name none. Providers are built here and nowhere else,
/// so that every command has the same one.
pub(crate) fn language_model(_settings: &Settings) -> Option<Arc<dyn LanguageModel>> {
    None
}
