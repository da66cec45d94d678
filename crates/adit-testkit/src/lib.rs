//! Corpora builders, a naive model and a crash harness for tests.
