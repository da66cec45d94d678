//! What HTML elements mean for text (WHATWG HTML, sections 4 and 15.3).

const BLOCK: &[&str] = &[
    "address",
    "article",
    "aside",
    "body",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frameset",
    "header",
    "hgroup",
    "hr",
    "html",
    "legend",
    "main",
    "menu",
    "nav",
    "optgroup",
    "option",
    "p",
    "search",
    "section",
    "select",
    "summary",
    "tbody",
    "textarea",
    "tfoot",
    "thead",
    "title",
    "tr",
];

const STRUCTURE: &[&str] = &[
    "blockquote",
    "br",
    "caption",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "img",
    "li",
    "listing",
    "ol",
    "plaintext",
    "pre",
    "table",
    "td",
    "th",
    "ul",
    "xmp",
];

const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "area", "audio", "b", "base", "bdi", "bdo", "big", "button", "canvas", "cite",
    "code", "col", "colgroup", "data", "datalist", "del", "dfn", "em", "embed", "font", "head", "i",
    "iframe", "input", "ins", "kbd", "label", "link", "map", "mark", "math", "meta", "meter", "noscript",
    "object", "output", "param", "picture", "progress", "q", "rp", "rt", "ruby", "s", "samp", "script",
    "slot", "small", "source", "span", "strike", "strong", "style", "sub", "sup", "svg", "template", "time",
    "track", "tt", "u", "var", "video", "wbr",
];

/// Elements whose content a reader never sees as text.
const WITHOUT_TEXT: &[&str] =
    &["head", "iframe", "noframes", "noscript", "script", "style", "svg", "template"];

pub(crate) fn is_block(name: &str) -> bool {
    BLOCK.contains(&name)
}

pub(crate) fn is_without_text(name: &str) -> bool {
    WITHOUT_TEXT.contains(&name)
}

/// Whether HTML knows an element of that name, in any case.
pub(crate) fn is_html_element(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [BLOCK, STRUCTURE, INLINE, WITHOUT_TEXT].iter().any(|names| names.contains(&name.as_str()))
}

/// The level of `h1` to `h6`.
pub(crate) fn heading_level(name: &str) -> Option<u8> {
    match name {
        "h1" => Some(1),
        "h2" => Some(2),
        "h3" => Some(3),
        "h4" => Some(4),
        "h5" => Some(5),
        "h6" => Some(6),
        _ => None,
    }
}
