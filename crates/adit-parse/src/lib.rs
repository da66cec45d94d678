//! Bytes to block tree: one file per format, encodings, coverage report.
