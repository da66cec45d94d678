/// Opening and closing marks.
const MARKS: &[(char, char)] = &[('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('»', '«')];
/// Shorter quotations are emphasis.
const LEAST_WORDS: usize = 2;

/// The first quotation in `claim` that stands in none of `texts`, letter by letter but for case, white space and
/// the full stop at its end.
pub(super) fn missing_quotation(claim: &str, texts: &[&str]) -> Option<String> {
    let plain: Vec<String> = texts.iter().map(|text| plain(text)).collect();
    quotations(claim).into_iter().find(|quotation| {
        let wanted = self::plain(quotation.trim_end_matches(['.', ',', '!', '?', '…']));
        !plain.iter().any(|text| text.contains(&wanted))
    })
}

fn quotations(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((offset, open)) = text.get(at..).and_then(|rest| {
        rest.char_indices().find(|(_, character)| MARKS.iter().any(|(open, _)| open == character))
    }) {
        let from = at + offset + open.len_utf8();
        let closing: Vec<char> =
            MARKS.iter().filter(|(mark, _)| *mark == open).map(|(_, close)| *close).collect();
        let rest = text.get(from..).unwrap_or_default();
        let Some(length) = rest.find(|character| closing.contains(&character)) else { break };
        let inner = rest.get(..length).unwrap_or_default();
        if inner.split_whitespace().count() >= LEAST_WORDS {
            found.push(inner.trim().to_owned());
        }
        let close = rest.get(length..).and_then(|tail| tail.chars().next()).map_or(0, char::len_utf8);
        at = from + length + close;
    }
    found
}

fn plain(text: &str) -> String {
    let straight =
        text.replace(['’', '‘'], "'").replace(['“', '”', '„', '«', '»'], "\"").replace(['*', '_', '`'], "");
    straight.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_stand_letter_by_letter() {
        let texts = ["Dogs are *welcome* on\nThursdays, if nobody’s allergic."];
        for fine in [
            "It says \"Dogs are welcome on Thursdays.\"",
            "„if nobody's allergic“",
            "a \"word\" of emphasis",
            "no mark",
        ] {
            assert_eq!(missing_quotation(fine, &texts), None, "{fine}");
        }
        assert_eq!(missing_quotation("“Cats are welcome”", &texts).as_deref(), Some("Cats are welcome"));
    }
}
