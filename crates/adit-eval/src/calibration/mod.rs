//! From scores to probabilities of relevance: isotonic regression and Platt scaling, chosen by what they say about
//! questions they have not seen. Works on any score that a candidate has: a reranker's, the fused one, late
//! interaction's.

mod choose;
mod file;
mod isotonic;
mod platt;
mod reliability;

pub use choose::{CalibrationMethod, ChosenCalibration, HeldOut, choose_calibration};
pub use file::CalibrationFile;
pub use isotonic::isotonic_regression;
pub use platt::{logistic_regression, platt_scaling};
pub use reliability::{Prediction, Reliability, ReliabilityBin, reliability};

/// One candidate of one question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelledScore {
    /// Number of the question, any.
    pub question: usize,
    /// Any scale; higher is better.
    pub score: f64,
    /// As labelled.
    pub is_relevant: bool,
}

impl LabelledScore {
    fn value(&self) -> f64 {
        f64::from(u8::from(self.is_relevant))
    }
}
