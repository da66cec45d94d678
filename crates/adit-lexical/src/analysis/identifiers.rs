use super::MAX_TERM_BYTES;
use super::normalisation::{lower_case, truncated};

/// Characters that join the parts of one identifier.
const CONNECTORS: &[char] = &['_', '-', '.', '/', ':', '@', '\\', '#', '+', '~'];

/// Visits the identifiers of a normalised text, in lower case: error codes, part numbers, versions,
/// paths, addresses, snake case names; each whole, and the parts of a path that are
/// identifiers once more by themselves. A camel case name is one word, so the main field has it whole.
pub(crate) fn for_each_identifier(text: &str, visit: &mut dyn FnMut(String)) {
    for piece in text.split(separates_identifiers) {
        let is_absolute_path = piece.starts_with('/');
        let bare = piece.trim_matches(|character: char| !character.is_alphanumeric());
        if bare.len() < 2 || bare.len() > MAX_TERM_BYTES {
            continue;
        }
        if is_identifier(bare, is_absolute_path) {
            visit(lower_case(bare));
            for part in
                bare.split(['/', '\\']).filter(|part| part.len() < bare.len() && is_identifier(part, false))
            {
                visit(lower_case(part));
            }
        }
    }
}

fn separates_identifiers(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(
            character,
            ',' | ';'
                | '"'
                | '\''
                | '`'
                | '('
                | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | '<'
                | '>'
                | '|'
                | '='
                | '!'
                | '?'
                | '*'
                | '$'
                | '&'
                | '%'
        )
        || (!character.is_ascii() && !character.is_alphanumeric())
}

/// The identifiers of a text as they are written, each once: error codes, part numbers, versions, paths,
/// addresses, snake case names. Parts of paths are left out.
#[must_use]
pub fn identifiers_of(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for piece in text.split(separates_identifiers) {
        let bare = piece.trim_matches(|character: char| !character.is_alphanumeric());
        let fits = bare.len() >= 2 && bare.len() <= MAX_TERM_BYTES;
        if fits && is_identifier(bare, piece.starts_with('/')) && !found.iter().any(|one| one == bare) {
            found.push(bare.to_owned());
        }
    }
    found
}

/// The forms under which one query word is looked for among the identifiers.
pub(crate) fn query_identifiers(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for_each_identifier(text, &mut |identifier| {
        if !found.contains(&identifier) {
            found.push(truncated(&identifier, MAX_TERM_BYTES).to_owned());
        }
    });
    found
}

/// Whether a word with connectors is a name rather than prose: `well-known`, `and/or` and `e.g` are prose.
fn is_identifier(word: &str, is_absolute_path: bool) -> bool {
    let parts = || word.split(CONNECTORS).filter(|part| !part.is_empty());
    let count = parts().count();
    if count < 2 {
        return false;
    }
    let has_letter = word.contains(char::is_alphabetic);
    let has_digit = word.contains(|character: char| character.is_ascii_digit());
    let connectors = |wanted: &[char]| word.chars().filter(|character| wanted.contains(character)).count();
    if is_absolute_path || connectors(&['_', '@', '\\', '#']) > 0 || word.contains("::") {
        return true;
    }
    if has_digit {
        // `3.2` stays a number; `2024-01-15`, `10.0.0.1`, `R-17` and `v3.2` are names.
        return has_letter || count > 2;
    }
    if connectors(&['/']) >= 2 {
        return true;
    }
    // `main.rs` and `example.com`, but not `U.S.A` and not a sentence that lacks its space: no capital
    // after the full stop.
    connectors(&['.']) > 0
        && word.split('.').all(|part| part.chars().count() >= 2)
        && !word.split('.').skip(1).any(|part| part.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_prose_is_not() {
        let names = [
            "ERR_4021",
            "R-17",
            "E-429",
            "v3.2",
            "src/main.rs",
            "snake_case",
            "SKU-99-A",
            "10.0.0.1",
            "a.b@example.com",
            "std::fs",
            "2024-01-15",
            "COVID-19",
            "main.rs",
            "example.com",
        ];
        for name in names {
            assert!(query_identifiers(name).contains(&name.to_lowercase()), "{name}");
        }
        for prose in [
            "well-known",
            "and/or",
            "e.g.",
            "U.S.A.",
            "3.2",
            "end.Then",
            "hello",
            "state-of-the-art",
            "2024",
            "don't",
            "getUserName",
        ] {
            assert!(query_identifiers(prose).is_empty(), "{prose} gave {:?}", query_identifiers(prose));
        }
    }

    #[test]
    fn punctuation_around_is_left_out() {
        assert_eq!(query_identifiers("see `/etc/hosts`, (ERR_4021)."), ["etc/hosts", "err_4021"]);
        assert_eq!(query_identifiers("src/main.rs"), ["src/main.rs", "main.rs"]);
    }
}
