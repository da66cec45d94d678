use std::sync::Arc;

use adit_core::{Calibration, IndexSnapshot, Reranker, ScoreSource};

use super::{RerankConfiguration, RerankSettings, fused_source};
use crate::candidates;
use crate::{RetrieveError, Retriever, SearchRequest};

impl Retriever {
    /// The same retriever with nothing after fusion.
    #[must_use]
    pub fn without_reranker(mut self) -> Self {
        self.rerank = super::Rerank::default();
        self
    }

    /// The same retriever with a reranker after fusion.
    #[must_use]
    pub fn with_reranker(mut self, reranker: Arc<dyn Reranker>) -> Self {
        self.rerank.reranker = Some(reranker);
        self
    }

    /// The same retriever with the probabilities of relevance that `calibration` gives.
    ///
    /// # Errors
    /// [`RetrieveError::OtherCalibration`] when it was fitted on the scores of something else than what this
    /// retriever orders by: of another reranker, or of the fused order where a reranker is attached. Call it
    /// after [`Retriever::with_reranker`].
    pub fn with_calibration(mut self, calibration: Calibration) -> Result<Self, RetrieveError> {
        let own = self.rerank.reranker.as_ref().map(|reranker| reranker.description());
        let fits = match (&calibration.source, own) {
            (ScoreSource::Reranker(fitted), Some(own)) => fitted == own,
            (ScoreSource::Reranker(_), None) | (_, Some(_)) => false,
            (_, None) => true,
        };
        if !fits {
            let given = own.map_or_else(
                || "no reranker".to_owned(),
                |own| ScoreSource::Reranker(own.clone()).to_string(),
            );
            return Err(RetrieveError::OtherCalibration { fitted_on: calibration.source.to_string(), given });
        }
        self.rerank.calibration = Some(Arc::new(calibration));
        Ok(self)
    }

    /// The same retriever with these settings for what comes after fusion.
    ///
    /// # Errors
    /// [`RetrieveError::CutOffWithoutCalibration`]: a raw score has no scale that a cut-off could name. Call it
    /// after [`Retriever::with_calibration`].
    pub fn with_rerank_settings(mut self, settings: RerankSettings) -> Result<Self, RetrieveError> {
        if settings.cut_off.is_some() && self.rerank.calibration.is_none() {
            return Err(RetrieveError::CutOffWithoutCalibration);
        }
        self.rerank.settings = settings;
        Ok(self)
    }

    /// What the fused scores of such a request are, as a calibration names them.
    ///
    /// # Errors
    /// As [`Retriever::search`].
    pub fn fused_score_source(&self, request: &SearchRequest<'_>) -> Result<ScoreSource, RetrieveError> {
        let snapshot = self.index().snapshot();
        let found = candidates::gather(&snapshot, self.embedder(), self.late_interaction(), request)?;
        Ok(fused_source(request, &found, &snapshot.fingerprint().hash()))
    }

    /// What decides the order after fusion, for the fingerprint of a ranking; `None` where nothing does.
    #[must_use]
    pub fn rerank_configuration(&self) -> Option<RerankConfiguration> {
        self.rerank.configuration()
    }
}
