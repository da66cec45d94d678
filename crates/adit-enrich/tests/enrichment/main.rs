//! Runs of the enricher over a scripted model: what is kept, what is paid, what stops.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "clippy.toml allows these in test functions; the helpers beside them are tests too"
)]

mod kill;
mod runs;
