//! The agent's door: MCP over stdio.
//!
//! Four tools over one [`adit_retrieve::Retriever`]: `search_docs` and `read_document` for any agent,
//! `search` and `fetch` in the shape that ChatGPT connectors expect. Who is reading is fixed when the
//! server starts; nothing a model sends can change it.

mod arguments;
mod collection;
mod error;
mod handler;
mod options;
mod schema;
mod search_logging;
mod tools;

pub use error::ServerError;
pub use handler::{DocumentServer, serve_stdio};
pub use options::ServerOptions;
pub use search_logging::{LoggedRequest, log_search};
