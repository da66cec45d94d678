use adit_core::{Classified, ErrorClass};
use thiserror::Error;

/// Why the server ended other than by its client's wish.
#[derive(Debug, Error)]
pub enum ServerError {
    /// The client did not open the protocol, or hung up while it was opened.
    #[error("the client did not start an MCP session: {detail}")]
    Handshake {
        /// What happened.
        detail: String,
    },
    /// The serving task died; our defect.
    #[error("the MCP session ended unexpectedly: {detail}")]
    Session {
        /// What happened.
        detail: String,
    },
}

impl Classified for ServerError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Handshake { .. } => ErrorClass::World,
            Self::Session { .. } => ErrorClass::Internal,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Handshake { .. } => Some(
                "this command speaks MCP on stdin and stdout: name it in an MCP client's settings instead of \
                 typing into it"
                    .to_owned(),
            ),
            Self::Session { .. } => None,
        }
    }
}
