//! Learning to rank from judged questions: gradient-boosted regression trees with the LambdaMART objective
//! (Burges 2010, MSR-TR-2010-82), leaf-wise over histograms as `LightGBM` grows them, so that its figures can
//! be compared with. This crate knows rows of numbers, not retrieval.

mod bins;
mod cross_validation;
mod error;
mod file;
mod grow;
mod lambda;
mod ranker;
mod train;
mod tree;

pub use cross_validation::cross_validated_scores;
pub use error::LearnError;
pub use file::RANKER_FORMAT_VERSION;
pub use ranker::Ranker;
pub use train::{JudgedRows, TrainingSettings, train};
pub use tree::{Node, Tree};
