//! One way to reach a provider, whatever it serves: blocking calls over HTTP that can be given up at any
//! time, are tried again where that helps, and stay within their budgets.

mod backoff;
mod breaker;
mod client;
mod exchange;
mod failure;
mod limits;
mod rate_window;
mod retry_after;
mod status;

pub(crate) use client::{HttpClient, Identity, estimated_tokens, most_usage};
pub(crate) use failure::{FailureKind, HttpFailure};
pub(crate) use limits::Limits;
pub(crate) use status::message;
