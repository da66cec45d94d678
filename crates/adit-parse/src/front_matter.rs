use adit_core::{Metadata, MetadataValue};
use serde_yaml_ng::Value;

use crate::builder::DocumentBuilder;

/// Longer blocks are text that happens to stand between two rules.
const MAX_FRONT_MATTER_BYTES: usize = 64 << 10;

/// Splits a Markdown file into its front matter and its body: YAML between a first line `---` and a
/// later line `---` or `...`.
pub(crate) fn split(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---")?;
    let first_line_end = rest.find('\n')?;
    if !rest.get(..first_line_end)?.trim().is_empty() {
        return None;
    }
    let inner = rest.get(first_line_end + 1..)?;
    let mut offset = 0;
    for line in inner.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return Some((inner.get(..offset)?, inner.get(offset + line.len()..)?));
        }
        offset += line.len();
        if offset > MAX_FRONT_MATTER_BYTES {
            break;
        }
    }
    None
}

/// Keys that decide who may read a document.
const RIGHTS_KEYS: [&str; 2] = ["acl", "tenant"];
/// Lines of an unclosed block that are looked at.
const UNCLOSED_LINES: usize = 40;

/// Whether a block that is no valid YAML has a line for one of the keys that decide who may read.
pub(crate) fn speaks_of_rights(header: &str) -> bool {
    header.lines().any(|line| {
        line.split_once(':').is_some_and(|(key, _)| is_rights_key(key.trim().trim_matches(['"', '\''])))
    })
}

/// Whether the text begins like front matter about rights that never ends.
pub(crate) fn opens_without_end(text: &str) -> bool {
    let mut lines = text.lines();
    lines.next().is_some_and(|first| first.trim_end() == "---")
        && lines.take(UNCLOSED_LINES).take_while(|line| !line.trim().is_empty()).any(speaks_of_rights)
}

fn is_rights_key(key: &str) -> bool {
    RIGHTS_KEYS.iter().any(|known| key.eq_ignore_ascii_case(known))
}

/// Reads the keys. A key inside a key is joined with a dot; a list gives several values.
pub(crate) fn read(header: &str) -> Result<Metadata, String> {
    let mut metadata = Metadata::new();
    match serde_yaml_ng::from_str::<Value>(header) {
        Ok(Value::Mapping(mapping)) => {
            for (key, value) in &mapping {
                if let Some(key) = scalar(key) {
                    check_rights(&key.to_text(), value)?;
                    collect(&key.to_text(), value, &mut metadata);
                }
            }
            Ok(metadata)
        }
        Ok(Value::Null) => Ok(metadata),
        Ok(_) => Err("it is not a mapping of keys to values".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// `acl` and `tenant` are a value or a list of values. Nothing at all is not a list: `acl:` with an
/// empty value is more likely a mistake than a wish.
fn check_rights(key: &str, value: &Value) -> Result<(), String> {
    let understood = match value {
        Value::Sequence(values) => values.iter().all(|value| scalar(value).is_some()),
        value => scalar(value).is_some(),
    };
    if is_rights_key(key) && !understood {
        return Err(format!("`{key}` is neither a value nor a list of values"));
    }
    Ok(())
}

/// Hands the metadata over, the title apart.
pub(crate) fn apply(mut metadata: Metadata, builder: &mut DocumentBuilder) {
    if let Some(title) = metadata.remove("title")
        && let Some(title) = title.first()
    {
        builder.set_title(&title.to_text());
    }
    builder.metadata().append(&mut metadata);
}

// The YAML reader bounds the depth of a value, so the recursion is bounded too.
fn collect(key: &str, value: &Value, metadata: &mut Metadata) {
    match value {
        Value::Sequence(values) => {
            let entry = metadata.entry(key.to_owned()).or_default();
            entry.extend(values.iter().filter_map(scalar));
        }
        Value::Mapping(mapping) => {
            for (inner, value) in mapping {
                if let Some(inner) = scalar(inner) {
                    collect(&format!("{key}.{}", inner.to_text()), value, metadata);
                }
            }
        }
        Value::Tagged(tagged) => collect(key, &tagged.value, metadata),
        value => {
            if let Some(value) = scalar(value) {
                metadata.entry(key.to_owned()).or_default().push(value);
            }
        }
    }
}

fn scalar(value: &Value) -> Option<MetadataValue> {
    match value {
        Value::Bool(value) => Some(MetadataValue::Bool(*value)),
        Value::Number(number) => {
            number.as_f64().filter(|number| number.is_finite()).map(MetadataValue::Number)
        }
        Value::String(text) => Some(MetadataValue::Text(text.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_closed_block_at_the_start_counts() {
        assert_eq!(split("---\na: 1\n---\nbody"), Some(("a: 1\n", "body")));
        assert_eq!(split("---\n---\n"), Some(("", "")));
        assert_eq!(split("---\na: 1\n"), None);
        assert_eq!(split("--- x\n---\n"), None);
        assert_eq!(split("\n---\n---\n"), None);
    }

    #[test]
    fn rights_that_cannot_be_read_are_an_error() {
        for header in ["acl:\n", "acl: {a: b}\n", "tenant: [[a]]\n", "ACL: ~\n"] {
            assert!(read(header).is_err() && speaks_of_rights(header), "{header:?}");
        }
        assert!(speaks_of_rights("title: x\n\"acl\": [hr\n"));
        assert!(opens_without_end("---\nacl: [hr]\nbody"));
        assert!(!opens_without_end("---\nbody text\n\nacl: is a word"));
    }

    #[test]
    fn an_empty_list_stays_a_key() {
        let metadata = read("acl: []\nowner:\n  name: Ann\n").unwrap();
        assert_eq!(metadata["acl"], []);
        assert_eq!(metadata["owner.name"], [MetadataValue::Text("Ann".into())]);
    }
}
