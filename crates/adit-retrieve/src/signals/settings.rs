use adit_core::Filter;
use jiff::civil::Date;

use super::authority::AuthorityRules;
use super::selection::SignalSelection;
use crate::RetrieveError;

/// Smallest and largest factor of one signal, and of all signals of a passage together: however they
/// agree, they never multiply the odds by more or by less.
pub const FACTOR_BOUNDS: (f64, f64) = (0.25, 4.0);

/// One `[[authority]]` rule: the documents for which everything that is named holds get the factor.
#[derive(Debug, Clone, PartialEq)]
pub struct AuthorityRule {
    /// Glob over the document's source path, such as `policies/**`.
    pub path: Option<String>,
    /// Beginning of the source, such as `https://intranet.example/`.
    pub source: Option<String>,
    /// Conditions on metadata.
    pub filter: Filter,
    /// What the rule multiplies by.
    pub factor: f64,
}

/// How strongly each signal speaks.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalSettings {
    /// What a search uses that does not say otherwise.
    pub selection: SignalSelection,
    /// The first rule that matches counts.
    pub authority: Vec<AuthorityRule>,
    /// Metadata keys that are looked at for a document's date, in this order.
    pub date_keys: Vec<String>,
    /// Whether a document without such a key has the date of its file.
    pub use_modified: bool,
    /// Days after which the part of the recency factor above its floor has halved.
    pub half_life_days: f64,
    /// The recency factor of an endlessly old document, above 0 and at most 1.
    pub recency_floor: f64,
    /// Factor of the version that the question asks for.
    pub version_chosen: f64,
    /// Factor of its other versions.
    pub version_other: f64,
    /// What a document that everybody links to gains at most: 0.2 is a factor of 1.2.
    pub link_weight: f64,
    /// Hits whose neighbours in the graph of links become candidates.
    pub link_hits: usize,
    /// Most documents that links add to the candidates.
    pub link_documents: usize,
    /// How far feedback moves a document at most: 0.2 is a factor of 0.8 to 1.2.
    pub popularity_weight: f64,
    /// Verdicts at which half of that is reached.
    pub popularity_prior: f64,
    /// What `current` means; `None` takes the day of the search (UTC).
    pub today: Option<Date>,
}

impl Default for SignalSettings {
    fn default() -> Self {
        Self {
            selection: SignalSelection::none(),
            authority: Vec::new(),
            date_keys: ["effective", "date", "updated"].map(str::to_owned).to_vec(),
            use_modified: true,
            half_life_days: 365.0,
            recency_floor: 0.7,
            version_chosen: 1.25,
            version_other: 0.5,
            link_weight: 0.2,
            link_hits: 5,
            link_documents: 20,
            popularity_weight: 0.2,
            popularity_prior: 4.0,
            today: None,
        }
    }
}

impl SignalSettings {
    /// The authority rules, compiled, after every value was checked.
    ///
    /// # Errors
    /// [`RetrieveError::SignalSettings`] names the value.
    pub(super) fn checked(&self) -> Result<AuthorityRules, RetrieveError> {
        let refuse = |detail: String| Err(RetrieveError::SignalSettings { detail });
        let (low, high) = FACTOR_BOUNDS;
        let factors = [("version_chosen", self.version_chosen), ("version_other", self.version_other)];
        if let Some((name, value)) = factors.into_iter().find(|(_, value)| !(low..=high).contains(value)) {
            return refuse(format!("signals.{name} is {value}, expected {low} to {high}"));
        }
        if !(self.half_life_days.is_finite() && self.half_life_days > 0.0) {
            return refuse(format!("signals.half_life_days is {}, expected above 0", self.half_life_days));
        }
        if !(low..=1.0).contains(&self.recency_floor) {
            return refuse(format!("signals.recency_floor is {}, expected {low} to 1", self.recency_floor));
        }
        let weights = [("link_weight", self.link_weight), ("popularity_weight", self.popularity_weight)];
        if let Some((name, value)) = weights.into_iter().find(|(_, value)| !(0.0..=0.75).contains(value)) {
            return refuse(format!("signals.{name} is {value}, expected 0 to 0.75"));
        }
        if !(self.popularity_prior.is_finite() && self.popularity_prior > 0.0) {
            return refuse(format!(
                "signals.popularity_prior is {}, expected above 0",
                self.popularity_prior
            ));
        }
        AuthorityRules::compile(&self.authority)
    }
}
