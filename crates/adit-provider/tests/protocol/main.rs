//! Every provider and every fault against a scripted server on loopback.

mod anthropic;
mod faults;
mod openai;
mod support;
