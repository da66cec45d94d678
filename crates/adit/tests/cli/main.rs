//! The real binary over real files: what a user types and sees.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod agent;
mod agent_scopes;
mod answers;
mod bench;
mod changes;
mod cost;
mod crashes;
mod feedback;
mod formats;
mod golden;
mod golden_sets;
mod inspect;
mod language_models;
mod quality;
mod refusals;
mod rights;
mod states;
mod trouble;
