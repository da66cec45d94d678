use std::time::Duration;

use adit_core::{Calibration, RerankerDescription};
use serde::{Deserialize, Serialize};

/// How much of a ranking is reranked, and how long that may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RerankSettings {
    /// Candidates that are read and scored; the rest stays behind them in fused order.
    pub top_n: usize,
    /// A reranker that takes longer is left out of the answer.
    pub deadline: Duration,
    /// Candidates whose calibrated probability of relevance is lower are left out; 0 to 1. Needs a calibration.
    pub cut_off: Option<f32>,
}

impl Default for RerankSettings {
    fn default() -> Self {
        Self { top_n: 50, deadline: Duration::from_secs(10), cut_off: None }
    }
}

/// What decides a ranking after fusion: part of its fingerprint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RerankConfiguration {
    /// The reranker, if there is one.
    pub reranker: Option<RerankerDescription>,
    /// Candidates that are reranked.
    pub top_n: usize,
    /// [`Calibration::hash`], if there is one.
    pub calibration: Option<String>,
    /// The least probability of relevance.
    pub cut_off: Option<f32>,
}

impl RerankConfiguration {
    pub(crate) fn of(
        reranker: Option<&RerankerDescription>,
        settings: RerankSettings,
        calibration: Option<&Calibration>,
    ) -> Option<Self> {
        if reranker.is_none() && calibration.is_none() {
            return None;
        }
        Some(Self {
            reranker: reranker.cloned(),
            top_n: settings.top_n,
            calibration: calibration.map(Calibration::hash),
            cut_off: settings.cut_off,
        })
    }
}
