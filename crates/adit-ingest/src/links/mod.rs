//! What a document points to: links of its markup, and labels of other documents in its words.

mod markup;
mod target;

use std::collections::BTreeMap;

use adit_catalog::{DocumentLink, LinkKind};
use adit_core::{MediaType, citation_labels};

/// Different targets of one document that are kept; an index page of a large site has fewer.
const MOST_TARGETS: usize = 10_000;
/// Words before a number that name a place inside a document and no document.
const NO_LABELS: [&str; 40] = [
    "table",
    "figure",
    "fig",
    "section",
    "sec",
    "chapter",
    "page",
    "pages",
    "step",
    "line",
    "lines",
    "item",
    "note",
    "example",
    "part",
    "version",
    "release",
    "tabelle",
    "abbildung",
    "abb",
    "abschnitt",
    "kapitel",
    "seite",
    "seiten",
    "schritt",
    "zeile",
    "punkt",
    "teil",
    "absatz",
    "abs",
    "anhang",
    "the",
    "in",
    "of",
    "and",
    "to",
    "von",
    "und",
    "bis",
    "vor",
];

/// The links of one document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundLinks {
    /// Each target once, in order.
    pub links: Vec<DocumentLink>,
    /// Different targets over the limit, which are not kept.
    pub left_out: usize,
}

/// Finds the links of the document at `source`: in the markup of `bytes` for Markdown, HTML and
/// reStructuredText, and labels such as `HR-12` in its extracted `text`. Targets are resolved against the
/// folder of `source`; whether there is such a document is not asked here, for it may come later.
#[must_use]
pub fn find_links(source: &str, media_type: MediaType, bytes: &[u8], text: &str) -> FoundLinks {
    // Bytes that are no UTF-8 become marks which no path holds.
    let raw = String::from_utf8_lossy(bytes);
    let written = match media_type {
        MediaType::Markdown => markup::of_markdown(&raw),
        MediaType::Html => markup::of_html(&raw),
        MediaType::RestructuredText => markup::of_restructured_text(&raw),
        _ => Vec::new(),
    };
    let mut counts: BTreeMap<(LinkKind, String), u32> = BTreeMap::new();
    let mut count = |kind: LinkKind, target: String| {
        let slot = counts.entry((kind, target)).or_default();
        *slot = slot.saturating_add(1);
    };
    for target in written.iter().filter_map(|written| target::resolved(source, written)) {
        count(LinkKind::Path, target);
    }
    let own: Vec<String> = citation_labels(file_name(source)).into_iter().map(|label| label.normal).collect();
    for label in citation_labels(text) {
        let name = label.normal.split('-').next().unwrap_or_default();
        if !own.contains(&label.normal) && !NO_LABELS.contains(&name) {
            count(LinkKind::Citation, label.normal);
        }
    }
    let left_out = counts.len().saturating_sub(MOST_TARGETS);
    let links = counts.into_iter().take(MOST_TARGETS);
    let links = links.map(|((kind, target), occurrences)| DocumentLink { kind, target, occurrences });
    FoundLinks { links: links.collect(), left_out }
}

fn file_name(source: &str) -> &str {
    source.rsplit('/').next().unwrap_or(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str, media_type: MediaType, text: &str) -> Vec<String> {
        let links = find_links(source, media_type, text.as_bytes(), text).links;
        links.into_iter().map(|link| link.target).collect()
    }

    #[test]
    fn links_and_labels_are_found() {
        let text =
            "See [leave](../hr/leave.md#days), [it](leave%20old.md) and policy HR-12, HR 012. Table 3.";
        let links = find_links("policies/travel.md", MediaType::Markdown, text.as_bytes(), text).links;
        let of = |kind: LinkKind| -> Vec<(&str, u32)> {
            let links = links.iter().filter(|link| link.kind == kind);
            links.map(|link| (link.target.as_str(), link.occurrences)).collect()
        };
        assert_eq!(of(LinkKind::Path), [("hr/leave.md", 1), ("policies/leave old.md", 1)]);
        assert_eq!(of(LinkKind::Citation), [("hr-12", 2)]);
    }

    #[test]
    fn a_document_does_not_cite_itself() {
        assert!(found("policies/HR-12.md", MediaType::Markdown, "# Policy HR-12").is_empty());
    }

    #[test]
    fn html_and_restructured_text_are_read() {
        let html =
            "<a class=x href='b.html?x=1'>b</a> <A HREF=\"/c/d.html\">d</A> <a href=\"mailto:a@b\">m</a>";
        assert_eq!(found("a/index.html", MediaType::Html, html), ["a/b.html", "c/d.html"]);
        let rst = "See :doc:`install`, :doc:`The guide </guide/start>`, `other <../x.rst>`_ and\n\n.. _far: y.rst\n";
        let links = found("docs/a.rst", MediaType::RestructuredText, rst);
        assert_eq!(links, ["docs/install", "docs/y.rst", "guide/start", "x.rst"]);
    }

    #[test]
    fn targets_over_the_limit_are_counted() {
        let text: String = (0..MOST_TARGETS + 3).map(|number| format!("[x]({number}.md) ")).collect();
        let found = find_links("a.md", MediaType::Markdown, text.as_bytes(), "");
        assert_eq!((found.links.len(), found.left_out), (MOST_TARGETS, 3));
    }
}
