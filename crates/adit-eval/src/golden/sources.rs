/// The document that a golden span means: the one with exactly this source, or the only one whose
/// source ends with it after a `/`. So a golden set stays valid when its folder is indexed from further up.
///
/// `None` where there is none, or where several end with it.
pub fn resolve_source<'a>(known: impl IntoIterator<Item = &'a str>, wanted: &str) -> Option<&'a str> {
    let wanted = wanted.strip_prefix("./").unwrap_or(wanted);
    let mut ending = None;
    let mut is_ambiguous = false;
    for source in known {
        if source == wanted {
            return Some(source);
        }
        if source.strip_suffix(wanted).is_some_and(|before| before.ends_with('/')) {
            // The same source in two tenants is the same name.
            is_ambiguous |= ending.is_some_and(|other| other != source);
            ending = Some(source);
        }
    }
    ending.filter(|_| !is_ambiguous)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_after_a_slash_is_enough_if_it_is_the_only_one() {
        let known = ["examples/people/time-off.md", "a/b.md", "c/b.md", "b.txt"];
        assert_eq!(resolve_source(known, "people/time-off.md"), Some("examples/people/time-off.md"));
        assert_eq!(resolve_source(known, "./a/b.md"), Some("a/b.md"));
        assert_eq!(resolve_source(known, "b.md"), None);
        assert_eq!(resolve_source(known, "off.md"), None);
        assert_eq!(resolve_source(known, "b.txt"), Some("b.txt"));
    }
}
