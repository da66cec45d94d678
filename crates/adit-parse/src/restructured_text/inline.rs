use std::collections::BTreeMap;

use crate::inline_marks::strip_pairs;

/// The words of reStructuredText's inline markup: roles and links reduced to their text, marks and
/// escapes removed, substitutions put in once.
pub(crate) fn plain_words(text: &str, substitutions: &BTreeMap<String, String>) -> String {
    let mut plain = String::with_capacity(text.len());
    // Text between two literals, whose marks are looked at together.
    let mut open = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '\\', '|', '_']) {
        let (before, marked) = rest.split_at_checked(at).unwrap_or((rest, ""));
        open.push_str(before);
        let follows_word = open.chars().last().is_some_and(char::is_alphanumeric);
        if let Some((literal, behind)) = literal(marked) {
            plain.push_str(&strip_marks(&std::mem::take(&mut open)));
            plain.push_str(literal);
            rest = behind;
        } else if let Some((inner, behind)) = interpreted(marked, follows_word) {
            let role = take_role(&mut open);
            plain.push_str(&strip_marks(&std::mem::take(&mut open)));
            plain.push_str(&role_words(role.as_deref(), inner));
            rest = behind.strip_prefix("__").or_else(|| behind.strip_prefix('_')).unwrap_or(behind);
        } else if let Some((words, behind)) = substitution(marked, substitutions) {
            open.push_str(words);
            rest = behind.strip_prefix('_').unwrap_or(behind);
        } else if let Some(escaped) = marked.strip_prefix('\\') {
            let character = escaped.chars().next();
            open.extend(character.filter(|one| !one.is_whitespace()));
            rest = escaped.get(character.map_or(0, char::len_utf8)..).unwrap_or_default();
        } else {
            let behind = marked.get(1..).unwrap_or_default();
            let ends_reference = (follows_word || open.ends_with(']'))
                && marked.starts_with('_')
                && !behind.starts_with(|next: char| next.is_alphanumeric() || "_*".contains(next))
                && !last_word(&open).starts_with('_');
            if !ends_reference {
                open.push_str(marked.get(..1).unwrap_or_default());
            }
            rest = behind;
        }
    }
    open.push_str(rest);
    plain.push_str(&strip_marks(&open));
    plain
}

fn last_word(text: &str) -> &str {
    text.rsplit(|one: char| !(one.is_alphanumeric() || one == '_')).next().unwrap_or_default()
}

fn strip_marks(text: &str) -> String {
    strip_pairs(text, &["**", "*"], &[])
}

fn literal(marked: &str) -> Option<(&str, &str)> {
    let inside = marked.strip_prefix("``")?;
    let end = inside.get(1..)?.find("``")? + 1;
    // A literal may end with a backquote of its own.
    let end = if inside.get(end + 2..)?.starts_with('`') { end + 1 } else { end };
    Some((inside.get(..end)?, inside.get(end + 2..)?))
}

fn interpreted(marked: &str, follows_word: bool) -> Option<(&str, &str)> {
    let inside = marked.strip_prefix('`').or_else(|| marked.strip_prefix("_`"))?;
    if follows_word || inside.starts_with(char::is_whitespace) {
        return None;
    }
    let (inner, behind) = inside.split_once('`')?;
    (!inner.is_empty() && !inner.ends_with(char::is_whitespace)).then_some((inner, behind))
}

/// `:role:` at the end of the text before a backquote.
fn take_role(open: &mut String) -> Option<String> {
    let before = open.strip_suffix(':')?;
    let start = before
        .rfind(|one: char| !(one.is_alphanumeric() || "-_.+:".contains(one)))
        .map_or(0, |at| at + before.get(at..).and_then(|tail| tail.chars().next()).map_or(1, char::len_utf8));
    let role = before.get(start..)?.strip_prefix(':')?.to_owned();
    open.truncate(start);
    Some(role)
}

fn role_words(role: Option<&str>, inner: &str) -> String {
    let inner = inner.replace("\\ ", "");
    let (words, has_target) = match inner.strip_suffix('>').and_then(|linked| linked.rsplit_once('<')) {
        Some((words, target)) if words.trim().is_empty() => (target.to_owned(), true),
        Some((words, _)) => (words.trim_end().to_owned(), true),
        None => (inner.trim_start_matches(['~', '!']).to_owned(), false),
    };
    match role {
        Some(role @ ("pep" | "rfc")) if !has_target => format!("{} {words}", role.to_uppercase()),
        _ => words,
    }
}

fn substitution<'a>(marked: &'a str, known: &'a BTreeMap<String, String>) -> Option<(&'a str, &'a str)> {
    let (name, behind) = marked.strip_prefix('|')?.split_once('|')?;
    Some((known.get(name)?.as_str(), behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_reduced_to_words() {
        let substitutions = BTreeMap::from([("v".to_owned(), "1.2".to_owned())]);
        for (text, plain) in [
            ("See :func:`open` and :py:class:`~a.B`.", "See open and a.B."),
            (":pep:`8` and :pep:`this one <484>`", "PEP 8 and this one"),
            ("a `link text <http://x.y>`_ and `other`__ word_ [1]_", "a link text and other word [1]"),
            ("``lit *x* \\n`` **b** *i* snake_case __init__", "lit *x* \\n b i snake_case __init__"),
            ("|v| and |w| or a\\ b \\*x", "1.2 and |w| or ab *x"),
            ("an unclosed `thing and ``other", "an unclosed `thing and ``other"),
        ] {
            assert_eq!(plain_words(text, &substitutions), plain, "{text}");
        }
    }
}
