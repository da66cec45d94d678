/// Characters that may underline a heading.
const ADORNMENTS: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/// The first line of a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item<'a> {
    /// Its number, for a numbered list; letters count from `a`.
    pub(crate) number: Option<u64>,
    pub(crate) words: &'a str,
}

/// Spaces before the first word.
pub(crate) fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Number of lines that are indented by more than `margin`, blank ones between them included.
pub(crate) fn indented_end(lines: &[&str], margin: usize) -> usize {
    let mut end = 0;
    for (at, line) in lines.iter().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        if indentation(line) <= margin {
            break;
        }
        end = at + 1;
    }
    end
}

/// The lines without the margin they share.
pub(crate) fn without_margin<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let margins = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indentation(line));
    let margin = margins.min().unwrap_or(0);
    lines.iter().map(|line| line.get(margin..).unwrap_or_default()).collect()
}

/// The character a line consists of, if it can under- or overline a heading.
pub(crate) fn adornment(line: &str) -> Option<char> {
    let first = line.chars().next().filter(|first| ADORNMENTS.contains(*first))?;
    let is_same = line.len() >= 2 && line.chars().all(|one| one == first);
    (is_same && line != "::" && line != "..").then_some(first)
}

/// Comment, directive, target, footnote or substitution.
pub(crate) fn is_explicit_markup(line: &str) -> bool {
    line == ".." || line.starts_with(".. ") || line.starts_with("__ ")
}

/// `:key: value`.
pub(crate) fn field(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.strip_prefix(':')?.split_once(':')?;
    let is_key = !key.is_empty() && !key.starts_with(' ') && !key.contains('`');
    (is_key && (value.is_empty() || value.starts_with([' ', '\n']))).then_some((key, value))
}

/// Reads `- words`, `3. words`, `(b) words`, `#. words`. Letters and Roman numbers are only items when
/// they are one character long, because longer ones are words.
pub(crate) fn list_item(line: &str) -> Option<Item<'_>> {
    let bullet = line.strip_prefix(['-', '*', '+', '•', '‣', '⁃']);
    if let Some(words) = bullet.filter(|words| words.is_empty() || words.starts_with(' ')) {
        return Some(Item { number: None, words: words.trim_start() });
    }
    let inner = line.strip_prefix('(');
    let counted = inner.unwrap_or(line);
    let end = counted.find(|one: char| !one.is_ascii_alphanumeric() && one != '#')?;
    let (count, marked) = counted.split_at_checked(end)?;
    let words = if inner.is_some() { marked.strip_prefix(')')? } else { marked.strip_prefix(['.', ')'])? };
    let number = match count.as_bytes() {
        [b'#'] => Some(1),
        [letter] if letter.is_ascii_alphabetic() => Some(u64::from(letter.to_ascii_lowercase() - b'a') + 1),
        _ => count.parse().ok(),
    };
    words.starts_with(' ').then_some(Item { number: Some(number?), words: words.trim_start() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_told_from_words() {
        assert_eq!(list_item("- a"), Some(Item { number: None, words: "a" }));
        assert_eq!(list_item("(b) x"), Some(Item { number: Some(2), words: "x" }));
        assert_eq!(list_item("12. x"), Some(Item { number: Some(12), words: "x" }));
        for line in ["-a", "word. x", "1.5 x", "**b** x", "", "3"] {
            assert_eq!(list_item(line), None, "{line}");
        }
    }

    #[test]
    fn margins_are_shared() {
        assert_eq!(without_margin(&["  a", "", "    b"]), ["a", "", "  b"]);
        assert_eq!(indented_end(&["  a", "", "  b", "", "c"], 0), 3);
        assert_eq!(field(":key: v"), Some(("key", " v")));
        assert_eq!(field(":role:`x` y"), None);
    }
}
