//! The agent loop: a language model that searches, reads and computes by itself until it can answer, inside the
//! reader's scope and under hard budgets.
//!
//! [`Agent::ask`] takes one of two policies. [`Policy::Loop`] lets the model call tools; [`Policy::Graph`] is fixed:
//! retrieve, grade, rewrite, generate or give up. Either way the program, not the model, decides what may be read,
//! and checks every claim of the answer against the passages that were shown ([`adit_answer::Answerer`]).
//!
//! Everything a tool gives is untrusted. It reaches the model fenced with a marker that no document can know, no
//! argument of a tool can widen the scope, and a tool that acts ([`Privilege::Act`]) runs after that only when a
//! person confirms it.

mod agent;
mod context;
mod conversation;
mod error;
mod evidence;
mod graph;
mod memory;
mod model_calls;
mod prompt;
mod reader;
mod settings;
mod steps;
mod tables;
mod tool;
mod toolbox;
mod tools;
mod trace;

pub use agent::{Agent, AgentOutcome, AgentRequest};
pub use error::AgentError;
pub use settings::{AgentSettings, Policy, TableLimits};
pub use tool::{Confirmation, Privilege, Tool, ToolFailure, ToolOutput};
pub use tools::reading_tools;
pub use trace::{AgentTrace, CallTrace, Called, Ended, ModelPurpose, ToolStatus};
