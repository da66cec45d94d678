use std::path::Path;

use adit_core::{Metadata, MetadataValue};

use super::reading::read_bounded;
use crate::SIDECAR_ENDING;

/// More than any sidecar needs.
const SIDECAR_LIMIT_BYTES: u64 = 64 * 1024;

/// The text of the sidecar beside `path`, or `None` when there is none.
pub(super) fn read_sidecar(path: &Path) -> Option<String> {
    let mut name = path.as_os_str().to_owned();
    name.push(SIDECAR_ENDING);
    let bytes = match read_bounded(Path::new(&name), SIDECAR_LIMIT_BYTES) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        // Unreadable or oversized is not absent: a text that no YAML reader accepts fails the document.
        Err(_) | Ok(None) => return Some("{".to_owned()),
        Ok(Some(bytes)) => bytes,
    };
    Some(String::from_utf8(bytes).unwrap_or_else(|_| "{".to_owned()))
}

/// The keys of a sidecar.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub(super) fn parse_sidecar(text: &str) -> Result<Metadata, String> {
    let value: serde_yaml_ng::Value =
        serde_yaml_ng::from_str(text).map_err(|error| format!("the sidecar is not valid YAML: {error}"))?;
    let serde_yaml_ng::Value::Mapping(mapping) = value else {
        return Err("the sidecar is not a list of `key: value` lines".to_owned());
    };
    let mut metadata = Metadata::new();
    for (key, value) in mapping {
        let Some(key) = key.as_str() else {
            return Err("a key of the sidecar is not text".to_owned());
        };
        let values = match value {
            serde_yaml_ng::Value::Sequence(values) => values,
            value => vec![value],
        };
        let values = values.iter().map(|value| scalar(key, value)).collect::<Result<_, _>>()?;
        metadata.insert(key.to_owned(), values);
    }
    Ok(metadata)
}

fn scalar(key: &str, value: &serde_yaml_ng::Value) -> Result<MetadataValue, String> {
    match value {
        serde_yaml_ng::Value::Bool(value) => Ok(MetadataValue::Bool(*value)),
        serde_yaml_ng::Value::Number(value) => {
            Ok(value.as_f64().map_or_else(|| MetadataValue::Text(value.to_string()), MetadataValue::Number))
        }
        serde_yaml_ng::Value::String(value) => Ok(MetadataValue::Text(value.clone())),
        _ => Err(format!("`{key}` in the sidecar is neither a value nor a list of values")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sidecar_gives_lists_and_values_and_anything_else_is_refused() {
        let metadata = parse_sidecar("acl: [payroll, hr]\nyear: 2024\nteam: ops\n").unwrap();
        assert_eq!(metadata["acl"].len(), 2);
        assert_eq!(metadata["year"], [MetadataValue::Number(2024.0)]);
        for bad in ["{", "- a\n- b\n", "acl: {a: b}\n", "acl: null\n"] {
            assert!(parse_sidecar(bad).is_err(), "{bad:?} must be refused");
        }
    }
}
