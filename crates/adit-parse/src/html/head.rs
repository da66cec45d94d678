use adit_core::{Metadata, MetadataValue};
use scraper::Html;

use crate::builder::DocumentBuilder;

/// Keys whose content is a list written with commas.
const LISTS: &[&str] = &["acl", "keywords", "tags"];

/// Names that speak to browsers and crawlers, not to readers.
const TECHNICAL: &[&str] = &["viewport", "robots", "googlebot", "theme-color", "color-scheme", "referrer"];

/// Takes title, language and `<meta name=... content=...>` from the head. A name that begins with
/// `adit:` loses that prefix, so `adit:acl` is the same key as in a Markdown file's front matter.
pub(crate) fn read(document: &Html, builder: &mut DocumentBuilder) {
    let mut metadata = Metadata::new();
    for node in document.tree.nodes() {
        let Some(element) = node.value().as_element() else { continue };
        match element.name() {
            "title" if !builder.has_title() && !is_inside_svg(node) => {
                let words: String = node
                    .children()
                    .filter_map(|child| child.value().as_text().map(|text| text.to_string()))
                    .collect();
                builder.set_title(&words);
            }
            "meta" => {
                if let (Some(name), Some(content)) = (element.attr("name"), element.attr("content")) {
                    insert(name, content, &mut metadata);
                }
            }
            _ => {}
        }
    }
    builder.metadata().append(&mut metadata);
}

fn is_inside_svg(node: ego_tree::NodeRef<'_, scraper::Node>) -> bool {
    node.ancestors().any(|outer| outer.value().as_element().is_some_and(|element| element.name() == "svg"))
}

fn insert(name: &str, content: &str, metadata: &mut Metadata) {
    let name = name.trim();
    let key = name.strip_prefix("adit:").unwrap_or(name).to_lowercase();
    if key.is_empty() || TECHNICAL.contains(&key.as_str()) {
        return;
    }
    let values = metadata.entry(key.clone()).or_default();
    if LISTS.contains(&key.as_str()) {
        let words = content.split(',').map(str::trim).filter(|word| !word.is_empty());
        values.extend(words.map(|word| MetadataValue::Text(word.to_owned())));
    } else if !content.trim().is_empty() {
        values.push(MetadataValue::parse(content));
    }
}
