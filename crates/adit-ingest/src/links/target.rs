//! From a target as written to the name that the document there would have.

/// Longer ones are no paths.
const MOST_BYTES: usize = 1024;

/// The path or URI that `written` in the document `source` means, without fragment and query. `None` for a
/// place in the same document, for mail addresses and scripts, and for what lies above the collection. A
/// path from the root (`/a/b`) means the collection's folder.
pub(super) fn resolved(source: &str, written: &str) -> Option<String> {
    let written = written.trim();
    let path = written.split(['#', '?']).next().unwrap_or_default();
    if path.is_empty() || path.len() > MOST_BYTES {
        return None;
    }
    if let Some((scheme, rest)) = path.split_once(':')
        && is_scheme(scheme)
    {
        return (rest.starts_with("//") && matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https"))
            .then(|| path.to_owned());
    }
    // `//host/path` is an address with the scheme of the page.
    if path.starts_with("//") {
        return None;
    }
    if let Some((scheme, rest)) = source.split_once("://") {
        let (host, folder) = rest.split_once('/').unwrap_or((rest, ""));
        return joined(folder, &decoded(path)).map(|path| format!("{scheme}://{host}/{path}"));
    }
    joined(source, &decoded(path)).filter(|target| target != source)
}

fn is_scheme(name: &str) -> bool {
    name.len() > 1 && name.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '+' | '.' | '-'))
}

/// `target` seen from the folder of `source`.
fn joined(source: &str, target: &str) -> Option<String> {
    let folder = source.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = if target.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    parts.retain(|part| !part.is_empty());
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            other => parts.push(other),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// `%20` and the like as the characters they mean; as written where they mean no UTF-8.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%')
            .then(|| after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok()))
            .flatten()
            .filter(|digits| digits.bytes().all(|one| one.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_seen_from_the_documents_folder() {
        for (source, written, target) in [
            ("a/b/c.md", "d.md", Some("a/b/d.md")),
            ("a/b/c.md", "../d.md#part", Some("a/d.md")),
            ("a/b/c.md", "./x/../d%C3%A4.md?x", Some("a/b/d\u{e4}.md")),
            ("a/b/c.md", "/d/", Some("d")),
            ("c.md", "100%.md", Some("100%.md")),
            ("a/b/c.md", "https://e.org/x?y", Some("https://e.org/x")),
            ("https://e.org/a/b.html", "../c.html", Some("https://e.org/c.html")),
            ("a/c.md", "../../secret", None),
            ("a/c.md", "#part", None),
            ("a/c.md", "c.md", None),
            ("a/c.md", "mailto:x@y.org", None),
            ("a/c.md", "javascript:go()", None),
            ("a/c.md", "", None),
        ] {
            assert_eq!(resolved(source, written).as_deref(), target, "{written}");
        }
    }
}
