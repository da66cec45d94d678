//! Metrics and labelled sets: how good is retrieval, measured.
