//! What readers said of earlier answers, smoothed and bounded.

use std::collections::{BTreeSet, HashMap};

use adit_core::{DocumentId, Principal, Scope, SignalFactor, TenantId};

use super::selection::SignalKind;
use super::settings::SignalSettings;

/// Verdicts on answers that showed one document, from readers with one set of rights.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentVerdicts {
    /// The document.
    pub document: DocumentId,
    /// Tenant of those who asked.
    pub tenant: TenantId,
    /// What they acted as.
    pub principals: BTreeSet<Principal>,
    /// Weight of the answers they were content with.
    pub positive: f64,
    /// Weight of the answers they were not.
    pub negative: f64,
}

/// Verdicts by document.
#[derive(Debug, Clone, Default)]
pub struct Popularity {
    by_document: HashMap<DocumentId, Vec<DocumentVerdicts>>,
}

impl Popularity {
    /// Groups verdicts by document.
    #[must_use]
    pub fn new(verdicts: Vec<DocumentVerdicts>) -> Self {
        let mut popularity = Self::default();
        for one in verdicts {
            popularity.by_document.entry(one.document.clone()).or_default().push(one);
        }
        popularity
    }

    /// Positive and negative weight that a reader may know of: of the own tenant, and only from readers who
    /// could see nothing that this one cannot, so that what others ask with more rights shows nowhere.
    fn known_to(&self, document: &DocumentId, scope: &Scope) -> (f64, f64) {
        let verdicts = self.by_document.get(document).into_iter().flatten();
        let known = verdicts
            .filter(|one| one.tenant == *scope.tenant() && one.principals.is_subset(scope.principals()));
        known.fold((0.0, 0.0), |(positive, negative), one| (positive + one.positive, negative + one.negative))
    }

    /// `1 + weight * (2 rate - 1)`, where the rate is drawn to one half by as many verdicts of either kind as
    /// the prior says: one content reader moves little, and none ever moves more than the weight.
    pub(super) fn factor(
        &self,
        document: &DocumentId,
        scope: &Scope,
        settings: &SignalSettings,
    ) -> Option<SignalFactor> {
        let (positive, negative) = self.known_to(document, scope);
        let count = positive + negative;
        if count <= 0.0 {
            return None;
        }
        let rate = (positive + settings.popularity_prior / 2.0) / (count + settings.popularity_prior);
        #[expect(clippy::cast_possible_truncation, reason = "a factor of two or three digits")]
        let factor = (1.0 + settings.popularity_weight * (2.0 * rate - 1.0)) as f32;
        let reason = format!("{positive:.1} of {count:.1} verdicts content, smoothed {:.0}%", 100.0 * rate);
        Some(SignalFactor { signal: SignalKind::Popularity.name().to_owned(), factor, reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> DocumentId {
        DocumentId::from_stored("3f9a1c20b7d4")
    }

    fn principals(names: &[&str]) -> BTreeSet<Principal> {
        names.iter().map(|name| Principal((*name).to_owned())).collect()
    }

    fn verdicts(tenant: &str, names: &[&str], positive: f64, negative: f64) -> DocumentVerdicts {
        let tenant = TenantId::new(tenant).unwrap();
        DocumentVerdicts { document: document(), tenant, principals: principals(names), positive, negative }
    }

    fn factor(verdicts: Vec<DocumentVerdicts>, tenant: &str, names: &[&str]) -> Option<f32> {
        let scope = Scope::new(TenantId::new(tenant).unwrap(), principals(names));
        let found = Popularity::new(verdicts).factor(&document(), &scope, &SignalSettings::default());
        found.map(|found| found.factor)
    }

    #[test]
    fn the_rate_is_smoothed_and_bounded() {
        // Prior 4: (1 + 2) / (1 + 4) = 0.6, so 1 + 0.2 * 0.2.
        assert!((factor(vec![verdicts("a", &[], 1.0, 0.0)], "a", &[]).unwrap() - 1.04).abs() < 1e-6);
        assert!((factor(vec![verdicts("a", &[], 0.0, 1.0)], "a", &[]).unwrap() - 0.96).abs() < 1e-6);
        assert!((factor(vec![verdicts("a", &[], 3.0, 3.0)], "a", &[]).unwrap() - 1.0).abs() < 1e-6);
        let most = factor(vec![verdicts("a", &[], 1e9, 0.0)], "a", &[]).unwrap();
        assert!(most > 1.19 && most <= 1.2);
    }

    #[test]
    fn verdicts_of_other_tenants_and_of_readers_with_more_rights_are_unknown() {
        let of_payroll = || vec![verdicts("a", &["payroll"], 5.0, 0.0)];
        assert_eq!(factor(of_payroll(), "a", &[]), None);
        assert_eq!(factor(of_payroll(), "b", &["payroll"]), None);
        assert!(factor(of_payroll(), "a", &["payroll", "hr"]).is_some());
    }
}
