//! Targets as they are written in each markup.

use std::sync::LazyLock;

use pulldown_cmark::{Event, Parser, Tag};
use regex::Regex;

/// In inline, reference and automatic links; what looks like one inside of code is none.
pub(super) fn of_markdown(text: &str) -> Vec<String> {
    let target = |event: Event<'_>| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    };
    let mut targets: Vec<String> = Parser::new(text).filter_map(target).collect();
    // Markdown may hold HTML, which the parser hands on as it is.
    if text.contains("<a ") || text.contains("<A ") {
        targets.extend(of_html(text));
    }
    targets
}

static ANCHOR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?is)<a\s[^>]*?\bhref\s*=\s*(?:"(?P<d>[^"]*)"|'(?P<s>[^']*)'|(?P<b>[^\s"'>]+))"#).ok()
});

/// In `href` of anchors.
pub(super) fn of_html(text: &str) -> Vec<String> {
    let Some(anchor) = ANCHOR.as_ref() else { return Vec::new() };
    let found = anchor.captures_iter(text);
    let target = found.filter_map(|one| one.name("d").or_else(|| one.name("s")).or_else(|| one.name("b")));
    target.map(|one| one.as_str().trim().replace("&amp;", "&")).collect()
}

/// `:doc:` and `:download:` roles, embedded targets, named targets and included files.
static RESTRUCTURED: [LazyLock<Option<Regex>>; 4] = [
    LazyLock::new(|| Regex::new(r":(?:doc|download):`(?:[^`<]*<)?(?P<t>[^`<>]+)>?`").ok()),
    LazyLock::new(|| Regex::new(r"(?:^|[^:`])`[^`<]+<(?P<t>[^`<>]+)>`_").ok()),
    LazyLock::new(|| Regex::new(r"(?m)^\s*\.\. _[^:\n]+:\s+(?P<t>\S+)\s*$").ok()),
    LazyLock::new(|| Regex::new(r"(?m)^\s*\.\. (?:include|literalinclude)::\s+(?P<t>\S+)\s*$").ok()),
];

pub(super) fn of_restructured_text(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for form in &RESTRUCTURED {
        let Some(form) = form.as_ref() else { continue };
        let found = form.captures_iter(text).filter_map(|one| one.name("t"));
        targets.extend(found.map(|one| one.as_str().trim().to_owned()));
    }
    // `name_` means another target of the same file, which stands in the list itself.
    targets.retain(|target| !target.ends_with('_'));
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_compiles() {
        assert!(ANCHOR.is_some() && RESTRUCTURED.iter().all(|form| form.is_some()));
    }

    #[test]
    fn code_in_markdown_holds_no_links() {
        let text = "[a](a.md) `[b](b.md)`\n\n    [c](c.md)\n\n[d][1] <a href=\"e.md\">e</a>\n\n[1]: d.md\n";
        assert_eq!(of_markdown(text), ["a.md", "d.md", "e.md"]);
    }
}
