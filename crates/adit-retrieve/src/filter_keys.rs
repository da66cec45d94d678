use std::collections::BTreeSet;

/// Names listed in one sentence.
const LISTED_KEYS: usize = 8;

/// A sentence about a filter key that no document in scope has, with near spellings or what there is.
pub(crate) fn unknown_key_notice(key: &str, known: &BTreeSet<String>) -> String {
    let nearest = known
        .iter()
        .map(|known| (edit_distance(&key.to_lowercase(), &known.to_lowercase()), known))
        .filter(|(distance, known)| *distance <= (known.chars().count() / 3).max(1))
        .min();
    let advice = match nearest {
        Some((_, near)) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "the documents have no metadata".to_owned(),
        None => {
            let names: Vec<_> = known.iter().take(LISTED_KEYS).map(|name| format!("`{name}`")).collect();
            format!("keys that can be filtered: {}", names.join(", "))
        }
    };
    format!("no document has the key `{key}`, so the filter lets nothing through; {advice}")
}

/// Levenshtein's distance in characters.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, character) in (1..).zip(left.chars()) {
        let mut diagonal = line - 1;
        let mut last = line;
        let mut next = vec![line];
        for (above, other) in row.iter().skip(1).zip(&right) {
            let replaced = diagonal + usize::from(character != *other);
            last = replaced.min(above + 1).min(last + 1);
            diagonal = *above;
            next.push(last);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_nearest_key_or_lists_what_there_is() {
        let known: BTreeSet<String> = ["team", "year", "effective"].map(str::to_owned).into();
        assert!(unknown_key_notice("Teams", &known).ends_with("did you mean `team`?"));
        assert!(unknown_key_notice("colour", &known).contains("`effective`, `team`, `year`"));
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
    }
}
