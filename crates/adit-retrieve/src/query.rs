use crate::RetrieveError;

/// The longest question taken.
pub const MAX_QUERY_BYTES: usize = 100_000;

/// The question without white space around it, if it can be one.
///
/// # Errors
/// [`RetrieveError::QueryTooLong`], [`RetrieveError::ControlCharacter`], [`RetrieveError::EmptyQuery`].
pub(crate) fn checked_query(query: &str) -> Result<&str, RetrieveError> {
    if query.len() > MAX_QUERY_BYTES {
        return Err(RetrieveError::QueryTooLong { bytes: query.len(), limit_bytes: MAX_QUERY_BYTES });
    }
    let unwanted = |character: char| character.is_control() && !matches!(character, '\n' | '\r' | '\t');
    if let Some((byte_offset, character)) = query.char_indices().find(|(_, character)| unwanted(*character)) {
        return Err(RetrieveError::ControlCharacter { code_point: u32::from(character), byte_offset });
    }
    let trimmed = query.trim();
    if trimmed.is_empty() { Err(RetrieveError::EmptyQuery) } else { Ok(trimmed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_no_question_and_says_why() {
        assert!(matches!(checked_query(" \n\t "), Err(RetrieveError::EmptyQuery)));
        let error = checked_query("a\0b").unwrap_err();
        assert!(matches!(error, RetrieveError::ControlCharacter { code_point: 0, byte_offset: 1 }));
        let long = "x".repeat(MAX_QUERY_BYTES + 1);
        assert!(matches!(checked_query(&long), Err(RetrieveError::QueryTooLong { .. })));
        assert_eq!(checked_query(" two\nlines ").unwrap(), "two\nlines");
    }
}
