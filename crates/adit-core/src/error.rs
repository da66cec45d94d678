/// Whose fault an error is; decides the exit code, the HTTP class and the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// The caller can mend it: bad input, missing file, unknown name.
    User,
    /// The caller may not or must not do this: scope, fingerprint, lock, gate.
    Refused,
    /// A defect of ours.
    Internal,
    /// Disk, network, another process.
    World,
}

/// What every error of this workspace can say about itself.
pub trait Classified: std::error::Error {
    /// Whose fault it is.
    fn class(&self) -> ErrorClass;

    /// Whether the same call may succeed later without anything being changed by the caller.
    fn is_retryable(&self) -> bool {
        false
    }

    /// What to do next, in one sentence, printed after `hint:`.
    fn hint(&self) -> Option<String> {
        None
    }
}
