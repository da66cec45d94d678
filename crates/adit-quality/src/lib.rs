//! Asks the running engine how well it works. An evaluation runs a golden set through the same search that
//! users get and reads its trace; a diagnosis follows one expected quote from the file to the passages and
//! names the stage that lost it; an audit checks the index against its catalog and against exact search.
//! Nothing here changes what it measures.

mod administrator;
mod audit;
mod calibration;
mod diagnosis;
mod error;
mod evaluation;
mod json_lines;
mod stored_vector;

pub use audit::{
    Audit, AuditSettings, FingerprintCheck, IndexRecall, IndexingLag, Invisible, LoggedQuestion,
    LoggedRecall, Orphans, SelfRetrieval, TextHealth, TextProblem, append_to_history, audit, last_of_history,
};
pub use calibration::{CalibrationRun, LabelOfChunk, calibrate, calibrate_on_golden};
pub use diagnosis::{Diagnosis, DiagnosisRequest, Finding, Stage, diagnose};
pub use error::QualityError;
pub use evaluation::{
    Comparison, Configuration, EvaluationRun, GateOutcome, GateRule, ItemResult, LogEntry, MetricComparison,
    RankerTraining, SavedEvaluations, SegmentComparison, SegmentScores, Summary, check_gate, compare,
    evaluate, html_report, summarise, train_ranker,
};
