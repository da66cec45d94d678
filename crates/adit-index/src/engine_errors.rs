use adit_core::IndexError;
use adit_lexical::LexicalError;
use adit_token_vector::TokenVectorError;
use adit_vector::VectorError;

/// Names the folder and keeps the kind, so that the hint is the right one.
pub(crate) fn lexical_error(error: LexicalError) -> IndexError {
    match error {
        LexicalError::Damaged { folder, detail } => {
            IndexError::Damaged { path: folder.display().to_string(), detail }
        }
        LexicalError::Io { folder, source } => IndexError::Io { path: folder.display().to_string(), source },
        other => IndexError::Engine { engine: "tantivy", detail: other.to_string() },
    }
}

/// As [`lexical_error`], for the vectors.
pub(crate) fn vector_error(error: VectorError) -> IndexError {
    match error {
        VectorError::Damaged { path, detail } => {
            IndexError::Damaged { path: path.display().to_string(), detail }
        }
        VectorError::NewerFormat { path, found, supported } => {
            IndexError::NewerFormat { path: path.display().to_string(), found, supported }
        }
        VectorError::Io { path, source } if source.kind() == std::io::ErrorKind::NotFound => {
            IndexError::Damaged { path: path.display().to_string(), detail: "it is missing".to_owned() }
        }
        VectorError::Io { path, source } => IndexError::Io { path: path.display().to_string(), source },
        VectorError::Dimension { expected, given } => IndexError::Dimension { expected, given },
        other => IndexError::Engine { engine: "vector", detail: other.to_string() },
    }
}

/// As [`lexical_error`], for the token codes.
pub(crate) fn token_error(error: TokenVectorError) -> IndexError {
    match error {
        TokenVectorError::Damaged { path, detail } => {
            IndexError::Damaged { path: path.display().to_string(), detail }
        }
        TokenVectorError::NewerFormat { path, found, supported } => {
            IndexError::NewerFormat { path: path.display().to_string(), found, supported }
        }
        TokenVectorError::Io { path, source } if source.kind() == std::io::ErrorKind::NotFound => {
            IndexError::Damaged { path: path.display().to_string(), detail: "it is missing".to_owned() }
        }
        TokenVectorError::Io { path, source } => IndexError::Io { path: path.display().to_string(), source },
        other => IndexError::Engine { engine: "token vector", detail: other.to_string() },
    }
}
