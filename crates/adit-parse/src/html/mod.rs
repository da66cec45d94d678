pub(crate) mod elements;
mod head;
mod visibility;

use std::collections::HashSet;

use adit_core::{FindingKind, MediaType, ParsedDocument};
use scraper::node::Element;
use scraper::{Html, Node};

use crate::flow::{FlowWriter, WhiteSpace};
use crate::hidden_marks::marked;
use elements::{heading_level, is_block, is_without_text};
use visibility::Visibility;

/// The share of all words below which a page without its hidden parts and navigation is no page.
const MIN_KEPT_SHARE: f64 = 0.5;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// Navigation is left out.
    Content,
    /// All text that is in the page.
    Everything,
}

/// Words by what became of them.
#[derive(Default)]
struct WordCounts {
    kept: usize,
    navigation: usize,
}

/// Parses an HTML page by walking its whole element tree.
///
/// Scripts, styles and comments have no text. `nav` is left out with a warning, unless less than half of
/// the words would remain. Hidden text is kept and marked as a finding.
pub(crate) fn parse(text: &str) -> ParsedDocument {
    let page = Html::parse_document(text);
    let mut flow = FlowWriter::new(WhiteSpace::Collapse);
    head::read(&page, &mut flow.builder);
    let counts = write(&page, &mut flow, Keep::Content);
    let all = counts.kept + counts.navigation;
    if (counts.kept as f64) < MIN_KEPT_SHARE * all as f64 {
        flow = FlowWriter::new(WhiteSpace::Collapse);
        head::read(&page, &mut flow.builder);
        write(&page, &mut flow, Keep::Everything);
        flow.builder.warn(format!(
            "{} of {all} words are navigation; all were kept because little else is there",
            all - counts.kept
        ));
    } else {
        if counts.navigation > 0 {
            flow.builder.warn(format!("{} words of navigation were left out", counts.navigation));
        }
    }
    flow.finish().finish(MediaType::Html)
}

/// Writes a piece of HTML that stands in another format, keeping all its text.
pub(crate) fn write_fragment(html: &str, flow: &mut FlowWriter) {
    write(&Html::parse_fragment(html), flow, Keep::Everything);
}

// Iterative, because a page may nest deeper than a stack is.
fn write(page: &Html, flow: &mut FlowWriter, keep: Keep) -> WordCounts {
    let layout = Layout::of(page);
    let visibility = Visibility::of(page);
    let mut counts = WordCounts::default();
    let mut next = Some(page.tree.root());
    while let Some(node) = next {
        let enters = match node.value() {
            Node::Text(text) => {
                counts.kept += text.split_whitespace().count();
                flow.text(text);
                false
            }
            Node::Element(element) => {
                let left_out = keep == Keep::Content && leave_out(element, node, &mut counts);
                if left_out || is_without_text(element.name()) {
                    false
                } else {
                    open(element, layout.contains(node, element), flow);
                    if let Some(kind) = visibility.hides(node) {
                        flow.enter_hidden(kind);
                    }
                    true
                }
            }
            _ => true,
        };
        let entered = if enters { node.first_child() } else { None };
        if enters && entered.is_none() {
            close_node(node, &layout, &visibility, flow);
        }
        next = entered.or_else(|| {
            let mut at = node;
            loop {
                if let Some(sibling) = at.next_sibling() {
                    break Some(sibling);
                }
                at = at.parent()?;
                close_node(at, &layout, &visibility, flow);
            }
        });
    }
    counts
}

type NodeId = ego_tree::NodeId;
type NodeRef<'a> = ego_tree::NodeRef<'a, Node>;

/// Elements that only lay the page out: their content is written as if it stood outside.
struct Layout {
    /// Around a heading or table.
    around_blocks: HashSet<NodeId>,
    /// Around code, which a list or quotation would flatten.
    around_code: HashSet<NodeId>,
}

impl Layout {
    fn of(page: &Html) -> Self {
        Self {
            around_blocks: ancestors_of(page, |name| heading_level(name).is_some() || name == "table"),
            around_code: ancestors_of(page, |name| name == "pre"),
        }
    }

    fn contains(&self, node: NodeRef<'_>, element: &Element) -> bool {
        let is_table = element.name() == "table";
        self.around_blocks.contains(&node.id())
            || (!is_table && self.around_code.contains(&node.id()))
            || (is_table && element.attr("role") == Some("presentation"))
    }
}

fn ancestors_of(page: &Html, is_wanted: impl Fn(&str) -> bool) -> HashSet<NodeId> {
    let mut found = HashSet::new();
    for node in page.tree.nodes() {
        if node.value().as_element().is_some_and(|element| is_wanted(element.name())) {
            // An ancestor that is there already has brought its own ancestors along.
            for outer in node.ancestors() {
                if !found.insert(outer.id()) {
                    break;
                }
            }
        }
    }
    found
}

fn leave_out(element: &Element, node: NodeRef<'_>, counts: &mut WordCounts) -> bool {
    let count = || -> usize { node.descendants().map(readable_words).sum() };
    if element.name() == "nav" || element.attr("role") == Some("navigation") {
        counts.navigation += count();
        return true;
    }
    false
}

fn readable_words(node: NodeRef<'_>) -> usize {
    let has_text = node
        .parent()
        .and_then(|outer| outer.value().as_element())
        .is_none_or(|outer| !is_without_text(outer.name()));
    match node.value() {
        Node::Text(text) if has_text => text.split_whitespace().count(),
        _ => 0,
    }
}

fn open(element: &Element, lays_out: bool, flow: &mut FlowWriter) {
    let name = element.name();
    if let Some(level) = heading_level(name) {
        return flow.start_heading(level);
    }
    match name {
        "br" => flow.line_break(),
        "img" => {
            if let Some(words) = element.attr("alt").filter(|words| !words.trim().is_empty()) {
                flow.text(&format!(" {} ", marked(FindingKind::AlternativeText, words)));
            }
        }
        "pre" | "listing" | "xmp" | "plaintext" => flow.start_code(code_language(element)),
        "code" if flow.is_in_code() => flow.set_code_language(code_language(element)),
        _ if flow.is_in_code() => {}
        "ul" | "ol" | "menu" | "dir" if lays_out => flow.end_paragraph(),
        "ul" | "menu" | "dir" => flow.start_list(None),
        "ol" => {
            flow.start_list(Some(element.attr("start").and_then(|start| start.parse().ok()).unwrap_or(1)));
        }
        "li" => flow.start_item(),
        "blockquote" if lays_out => flow.end_paragraph(),
        "blockquote" => flow.start_quote(),
        "table" if lays_out => flow.end_paragraph(),
        "table" => flow.start_table(),
        "caption" => flow.finish_caption(),
        "tr" if flow.is_in_table() => flow.start_row(false),
        "td" | "th" if flow.is_in_table() => {
            flow.start_cell(name == "th", span(element, "colspan"), span(element, "rowspan"));
        }
        "td" | "th" => flow.end_paragraph(),
        _ if is_block(name) => flow.end_paragraph(),
        _ => {}
    }
}

fn close_node(node: NodeRef<'_>, layout: &Layout, visibility: &Visibility, flow: &mut FlowWriter) {
    let Some(element) = node.value().as_element() else { return };
    if visibility.hides(node).is_some() {
        flow.leave_hidden();
    }
    let name = element.name();
    let lays_out = layout.contains(node, element);
    if heading_level(name).is_some() {
        return flow.end_heading();
    }
    match name {
        "pre" | "listing" | "xmp" | "plaintext" => flow.end_code(),
        _ if flow.is_in_code() => {}
        "ul" | "ol" | "menu" | "dir" | "blockquote" if !lays_out => flow.end_container(),
        "li" => flow.end_item(),
        "table" if !lays_out => flow.end_table(),
        "caption" => flow.finish_caption(),
        "td" | "th" if flow.is_in_table() => flow.finish_cell(),
        "td" | "th" | "ul" | "ol" | "menu" | "dir" | "blockquote" | "table" => flow.end_paragraph(),
        "thead" => flow.mark_rows_as_head(),
        _ if is_block(name) => flow.end_paragraph(),
        _ => {}
    }
}

fn span(element: &Element, attribute: &str) -> u32 {
    element.attr(attribute).and_then(|value| value.trim().parse().ok()).unwrap_or(1)
}

fn code_language(element: &Element) -> Option<String> {
    let classes = element.attr("class")?.split_whitespace();
    let name = classes
        .filter_map(|class| class.strip_prefix("language-").or_else(|| class.strip_prefix("lang-")))
        .next();
    name.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::BlockKind;

    #[test]
    fn structure_comes_from_the_tree() {
        let document = parse(
            "<title>T</title><meta name=author content=Ann><h1>A  <i>b</i></h1><p>x<br>y&shy;z</p>\
             <ul><li>one<ol><li>two</ol><li>three</ul><pre><code class=language-rust>fn  f()\n</code></pre>\
             <blockquote>said</blockquote><script>no()</script>",
        );
        assert_eq!(document.text, "A b\n\nx\nyz\n\n- one\n  1. two\n- three\n\nfn  f()\n\nsaid");
        assert_eq!(document.title.as_deref(), Some("T"));
        assert_eq!(document.metadata["author"][0].to_text(), "Ann");
        let BlockKind::Code { language } = &document.blocks[3].kind else { panic!("no code") };
        assert_eq!(language.as_deref(), Some("rust"));
    }

    #[test]
    fn tables_have_headers_and_spans() {
        let document = parse(
            "<table><caption>Rates</caption><thead><tr><td>a<td colspan=2>b</thead><tr><th>1<td>2<td>3</table>",
        );
        assert_eq!(document.text, "Rates\n\na | b\n1 | 2 | 3");
        let BlockKind::Table(table) = &document.blocks[1].kind else { panic!("no table") };
        assert_eq!((table.header_rows, table.rows[0].cells[1].column_span), (1, 2));
    }

    #[test]
    fn layout_tables_are_no_tables() {
        let document = parse("<table><tr><td><h2>H</h2>words<td><table><tr><td>1<td>2</table></table>");
        assert_eq!(document.text, "H\n\nwords\n\n1 | 2");
    }

    #[test]
    fn hidden_text_and_navigation_are_reported() {
        let document = parse("<nav>home</nav><p>these are the words<p style='display: none'>secret");
        assert_eq!(document.text, "these are the words\n\nsecret");
        assert_eq!(document.coverage.warnings.len(), 1);
        assert_eq!(document.coverage.findings[0].kind, FindingKind::NotDisplayed);
        assert_eq!(document.coverage.findings[0].excerpt, "secret");
        let document = parse("<nav>home and so on</nav><p>x");
        assert_eq!(document.text, "home and so on\n\nx");
    }

    #[test]
    fn deep_nesting_is_no_recursion() {
        let deep = "<div>".repeat(5_000) + "word" + &"<ul><li>".repeat(2_000);
        assert_eq!(parse(&deep).text, "word");
    }
}
