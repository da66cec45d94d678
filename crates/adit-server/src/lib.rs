//! The agent's door: MCP over stdio.
//!
//! Seven tools over one [`adit_retrieve::Retriever`]: `search_docs`, `read_document`, `grep`, `list_documents` and
//! `ask` for any agent, `search` and `fetch` in the shape that ChatGPT connectors expect. Who is reading is fixed when the
//! server starts; nothing a model sends can change it.

mod arguments;
mod ask;
mod collection;
mod error;
mod handler;
mod options;
mod reading;
mod schema;
mod search_logging;
mod tools;

pub use ask::Answering;
pub use error::ServerError;
pub use handler::{DocumentServer, serve_stdio};
pub use options::ServerOptions;
pub use search_logging::{LoggedRequest, log_search};
