//! Block tree to chunks: one file per strategy, token counting.
