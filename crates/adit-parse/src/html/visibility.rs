use std::collections::HashMap;

use adit_core::FindingKind;
use scraper::node::Element;
use scraper::{Html, Node};

type NodeRef<'a> = ego_tree::NodeRef<'a, Node>;

/// Style rules that are remembered.
const MAX_RULES: usize = 10_000;
/// Style text that is read.
const MAX_STYLE_BYTES: usize = 4 << 20;
/// Ancestors that are asked for the colour behind a text.
const MAX_ANCESTORS: usize = 256;
/// Colours closer than this, as a contrast ratio (WCAG 2.2, 1.4.3), cannot be told apart by eye.
const MIN_CONTRAST: f64 = 1.2;

/// What the style of one element says about being seen.
#[derive(Debug, Clone, Default)]
struct Style {
    hides: Option<FindingKind>,
    color: Option<[u8; 3]>,
    background: Option<Background>,
}

#[derive(Debug, Clone, Copy)]
enum Background {
    Color([u8; 3]),
    /// A picture or a colour that is not understood.
    Unknown,
}

/// Which elements of a page are hidden: by attribute, by inline style, and by the rules of its own style
/// elements for one class, one id or one kind of element. Other selectors, style sheets elsewhere and
/// scripts are not followed.
pub(crate) struct Visibility {
    by_selector: HashMap<String, Style>,
    /// Classes may be coloured by a style sheet that is not here.
    has_outer_styles: bool,
}

impl Visibility {
    pub(crate) fn of(page: &Html) -> Self {
        let mut visibility = Self { by_selector: HashMap::new(), has_outer_styles: false };
        for node in page.tree.nodes() {
            let Some(element) = node.value().as_element() else { continue };
            match element.name() {
                "style" => {
                    let text: String = node
                        .children()
                        .filter_map(|child| child.value().as_text().map(|text| &**text))
                        .collect();
                    visibility.read_rules(text.get(..MAX_STYLE_BYTES).unwrap_or(&text));
                }
                "link" => visibility.has_outer_styles |= element.attr("rel") == Some("stylesheet"),
                _ => {}
            }
        }
        visibility
    }

    /// Why `node` itself hides its content; what its ancestors do is theirs.
    pub(crate) fn hides(&self, node: NodeRef<'_>) -> Option<FindingKind> {
        let element = node.value().as_element()?;
        if element.attr("hidden").is_some() {
            return Some(FindingKind::NotDisplayed);
        }
        let style = self.style_of(element);
        if style.hides.is_some() {
            return style.hides;
        }
        let color = style.color?;
        let behind = self.color_behind(node)?;
        (contrast(color, behind) < MIN_CONTRAST).then_some(FindingKind::NearBackground)
    }

    /// The colour of the nearest background; white where none is set; `None` where it cannot be known.
    fn color_behind(&self, node: NodeRef<'_>) -> Option<[u8; 3]> {
        let own = std::iter::once(node).chain(node.ancestors());
        for outer in own.take(MAX_ANCESTORS) {
            let Some(element) = outer.value().as_element() else { continue };
            match self.style_of(element).background {
                Some(Background::Color(color)) => return Some(color),
                Some(Background::Unknown) => return None,
                None if self.has_outer_styles && element.attr("class").is_some() => return None,
                None => {}
            }
        }
        Some([255; 3])
    }

    fn style_of(&self, element: &Element) -> Style {
        let mut style = Style::default();
        let mut apply = |selector: &str| {
            if let Some(rule) = self.by_selector.get(selector) {
                style.hides = style.hides.or(rule.hides);
                style.color = rule.color.or(style.color);
                style.background = rule.background.or(style.background);
            }
        };
        if !self.by_selector.is_empty() {
            apply(element.name());
            for class in element.attr("class").unwrap_or_default().split_whitespace() {
                apply(&format!(".{class}"));
            }
            if let Some(id) = element.attr("id") {
                apply(&format!("#{id}"));
            }
        }
        if let Some(color) = element.attr("bgcolor").and_then(color) {
            style.background = Some(Background::Color(color));
        }
        if element.name() == "font" {
            style.color = element.attr("color").and_then(color).or(style.color);
        }
        if let Some(declarations) = element.attr("style") {
            let inline = read_declarations(declarations);
            style.hides = inline.hides.or(style.hides);
            style.color = inline.color.or(style.color);
            style.background = inline.background.or(style.background);
        }
        style
    }

    fn read_rules(&mut self, text: &str) {
        let text = without_comments(text);
        for rule in text.split('}') {
            let Some((selectors, declarations)) = rule.rsplit_once('{') else { continue };
            // What stands in a rule for other media (print) says nothing about the screen.
            if selectors.contains('@') || selectors.contains('{') {
                continue;
            }
            let style = read_declarations(declarations);
            if style.hides.is_none() && style.color.is_none() && style.background.is_none() {
                continue;
            }
            for selector in selectors.split(',').map(str::trim) {
                if is_simple(selector) && self.by_selector.len() < MAX_RULES {
                    self.by_selector.insert(selector.to_owned(), style.clone());
                }
            }
        }
    }
}

fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        clean.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    clean.push_str(rest);
    clean
}

/// `.class`, `#id` or `name`.
fn is_simple(selector: &str) -> bool {
    let name = selector.strip_prefix(['.', '#']).unwrap_or(selector);
    !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || matches!(one, '-' | '_'))
}

fn read_declarations(text: &str) -> Style {
    let mut style = Style::default();
    let mut is_placed = false;
    let mut is_clipped = false;
    let mut is_far = false;
    let mut has_no_size = false;
    for declaration in text.split(';') {
        let Some((name, value)) = declaration.split_once(':') else { continue };
        let name = name.trim().to_ascii_lowercase();
        let value = value.replace("!important", "").trim().to_ascii_lowercase();
        match name.as_str() {
            "display" if value == "none" => style.hides = Some(FindingKind::NotDisplayed),
            "visibility" if matches!(value.as_str(), "hidden" | "collapse") => {
                style.hides = Some(FindingKind::NotDisplayed);
            }
            "opacity" if number(&value).is_some_and(|opacity| opacity < 0.05) => {
                style.hides = Some(FindingKind::NotDisplayed);
            }
            "font-size" if is_tiny(&value) => style.hides = Some(FindingKind::TinyFont),
            "position" => is_placed = matches!(value.as_str(), "absolute" | "fixed"),
            "left" | "top" | "right" | "bottom" | "text-indent" | "margin-left" | "margin-top" => {
                is_far |= number(&value).is_some_and(|distance| distance <= -900.0);
            }
            "clip" | "clip-path" => is_clipped |= value.contains("rect(0") || value.contains("inset(50%"),
            "width" | "height" | "max-height" => has_no_size |= number(&value) == Some(0.0),
            "overflow" => is_clipped |= value == "hidden" && has_no_size,
            "color" => {
                if value == "transparent" {
                    style.hides = Some(FindingKind::NearBackground);
                }
                style.color = color(&value);
            }
            "background" | "background-color" => {
                style.background = Some(color(&value).map_or(Background::Unknown, Background::Color));
            }
            "background-image" => style.background = Some(Background::Unknown),
            _ => {}
        }
    }
    if style.hides.is_none() && (is_far || (is_clipped && (is_placed || has_no_size))) {
        style.hides = Some(FindingKind::OffPage);
    }
    style
}

/// The number at the start of a value, whatever its unit.
fn number(value: &str) -> Option<f64> {
    let end = value.find(|one: char| !(one.is_ascii_digit() || matches!(one, '.' | '-' | '+')));
    value.get(..end.unwrap_or(value.len()))?.parse().ok()
}

fn is_tiny(value: &str) -> bool {
    let Some(size) = number(value) else { return false };
    let unit = value.trim_start_matches(|one: char| one.is_ascii_digit() || matches!(one, '.' | '-' | '+'));
    match unit.trim() {
        "px" | "pt" | "" => size < 2.0,
        "em" | "rem" => size < 0.15,
        "%" => size < 15.0,
        _ => size == 0.0,
    }
}

/// `#rgb`, `#rrggbb`, `rgb(...)` and the names that are used to hide with.
fn color(value: &str) -> Option<[u8; 3]> {
    let value = value.trim().to_ascii_lowercase();
    if let Some(digits) = value.strip_prefix('#') {
        let digit = |at: usize| digits.get(at..at + 1).and_then(|one| u8::from_str_radix(one, 16).ok());
        let pair = |at: usize| digits.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
        return match digits.len() {
            3 | 4 => Some([digit(0)? * 17, digit(1)? * 17, digit(2)? * 17]),
            6 | 8 => Some([pair(0)?, pair(2)?, pair(4)?]),
            _ => None,
        };
    }
    if let Some(arguments) = value.strip_prefix("rgb(").or_else(|| value.strip_prefix("rgba(")) {
        let mut parts =
            arguments.trim_end_matches(')').split([',', ' ', '/']).filter(|part| !part.is_empty());
        let mut part = || parts.next().and_then(|part| part.trim().parse::<u8>().ok());
        return Some([part()?, part()?, part()?]);
    }
    Some(match value.as_str() {
        "white" => [255; 3],
        "snow" => [255, 250, 250],
        "ivory" => [255, 255, 240],
        "whitesmoke" => [245; 3],
        "black" => [0; 3],
        "red" => [255, 0, 0],
        "blue" => [0, 0, 255],
        "green" => [0, 128, 0],
        "gray" | "grey" => [128; 3],
        "yellow" => [255, 255, 0],
        _ => return None,
    })
}

/// The contrast ratio of two colours (WCAG 2.2): 1 for equal ones, 21 for black on white.
fn contrast(left: [u8; 3], right: [u8; 3]) -> f64 {
    let (left, right) = (luminance(left), luminance(right));
    (left.max(right) + 0.05) / (left.min(right) + 0.05)
}

fn luminance(color: [u8; 3]) -> f64 {
    let [red, green, blue] = color.map(|channel| {
        let channel = f64::from(channel) / 255.0;
        if channel <= 0.040_45 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use adit_core::FindingKind::{NearBackground, NotDisplayed, OffPage, TinyFont};

    use crate::html;

    #[test]
    fn every_way_to_hide_is_seen() {
        for (page, kind) in [
            ("<p hidden>secret", NotDisplayed),
            ("<p style='DISPLAY : none !important'>secret", NotDisplayed),
            ("<p style='visibility:hidden'>secret", NotDisplayed),
            ("<p style='opacity:0'>secret", NotDisplayed),
            ("<style>.x, #y{display:none}</style><p class='a x'>secret", NotDisplayed),
            ("<style>/* x */ #y { display: none }</style><p id=y>secret", NotDisplayed),
            ("<p style='font-size:0'>secret", TinyFont),
            ("<p style='font-size:1px'>secret", TinyFont),
            ("<p style='position:absolute;left:-9999px'>secret", OffPage),
            ("<p style='text-indent:-5000px'>secret", OffPage),
            ("<p style='position:absolute;clip:rect(0,0,0,0)'>secret", OffPage),
            ("<p style='color:#fff'>secret", NearBackground),
            ("<p style='color:rgb(250, 250, 250)'>secret", NearBackground),
            ("<font color=white>secret</font>", NearBackground),
            ("<div style='background:#000'><p style='color:#010101'>secret</div>", NearBackground),
            ("<p style='color:transparent'>secret", NearBackground),
        ] {
            let document = html::parse(&format!("<p>These words are seen.</p>{page}"));
            assert_eq!(document.coverage.findings.len(), 1, "{page}");
            let finding = &document.coverage.findings[0];
            assert_eq!((finding.kind, finding.excerpt.as_str()), (kind, "secret"), "{page}");
            assert!(document.text.contains("These words are seen.\n\nsecret"), "{page}");
        }
    }

    #[test]
    fn what_can_be_read_is_no_finding() {
        for page in [
            "<p style='color:#000'>seen",
            "<div style='background:#036'><p style='color:#fff'>seen</div>",
            "<table bgcolor=navy style='background:navy'><tr><td style='color:white'>seen</table>",
            "<link rel=stylesheet href=x><div class=dark><p style='color:#fff'>seen</div>",
            "<style>@media print{.x{display:none}}</style><p class=x>seen",
            "<p style='font-size:0.9em;left:-3px'>seen",
            "<!-- a comment --><p>seen",
        ] {
            let document = html::parse(page);
            assert_eq!(document.coverage.findings, [], "{page}");
            assert!(document.text.contains("seen"), "{page}");
        }
    }
}
