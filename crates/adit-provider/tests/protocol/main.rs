//! Every provider and every fault against a scripted server on loopback.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod anthropic;
mod discovery;
mod faults;
mod hosted;
mod openai;
mod reranking;
mod support;
