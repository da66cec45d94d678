//! Runs of the enricher over a scripted model: what is kept, what is paid, what stops.

mod kill;
mod runs;
