/// No pair of marks spans more text than this, which also bounds the search for the second one.
const MAX_MARKED_BYTES: usize = 2_000;

/// Removes pairs of marks around words, as `*strong*`. The first mark of a pair stands at the start of
/// a word, the second at the end of one; any other is a character like the rest. Earlier marks in
/// `marks` win, so longer ones come first. What stands inside `literal` marks keeps its characters.
pub(crate) fn strip_pairs(text: &str, marks: &[&str], literal: &[&str]) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut before: Option<char> = None;
    while let Some(character) = rest.chars().next() {
        let pair = marks.iter().find_map(|mark| {
            let inner = marked(before, rest, mark)?;
            Some((*mark, inner))
        });
        if let Some((mark, inner)) = pair {
            if literal.contains(&mark) {
                plain.push_str(inner);
            } else {
                // Pairs inside are shorter each time, so the recursion ends; its depth is that of the marks.
                let others: Vec<&str> = marks.iter().copied().filter(|other| *other != mark).collect();
                plain.push_str(&strip_pairs(inner, &others, literal));
            }
            rest = rest.get(mark.len() * 2 + inner.len()..).unwrap_or_default();
            before = mark.chars().last();
            continue;
        }
        plain.push(character);
        before = Some(character);
        rest = rest.get(character.len_utf8()..).unwrap_or_default();
    }
    plain
}

/// The words between the mark that `rest` begins with and its partner.
fn marked<'a>(before: Option<char>, rest: &'a str, mark: &str) -> Option<&'a str> {
    let inside = rest.strip_prefix(mark)?;
    let first = inside.chars().next()?;
    if before.is_some_and(char::is_alphanumeric) || first.is_whitespace() || inside.starts_with(mark) {
        return None;
    }
    let mut from = 0;
    loop {
        let at = from + inside.get(from..)?.find(mark)?;
        if at > MAX_MARKED_BYTES {
            return None;
        }
        let inner = inside.get(..at)?;
        let after = inside.get(at + mark.len()..)?.chars().next();
        let ends_word = inner.chars().last().is_some_and(|last| !last.is_whitespace());
        let is_longer_mark = after.is_some_and(|after| mark.starts_with(after));
        if ends_word && !is_longer_mark && !after.is_some_and(char::is_alphanumeric) {
            return Some(inner);
        }
        from = at + mark.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pairs_around_words_go() {
        let marks = ["**", "*", "_", "`"];
        for (text, plain) in [
            ("**bold** and *it* and _under_.", "bold and it and under."),
            ("snake_case_name 2*3*4 * a * b", "snake_case_name 2*3*4 * a * b"),
            ("`a *b* c` *x _y_ z*", "a *b* c x y z"),
            ("*open and `close", "*open and `close"),
            ("(*é*)", "(é)"),
        ] {
            assert_eq!(strip_pairs(text, &marks, &["`"]), plain);
        }
    }
}
