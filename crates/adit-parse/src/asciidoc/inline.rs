use std::collections::BTreeMap;

use crate::inline_marks::strip_pairs;

/// Macros whose words stand in the brackets: `xref:id[words]`.
const WORD_MACROS: [&str; 14] = [
    "link",
    "xref",
    "mailto",
    "footnote",
    "kbd",
    "btn",
    "menu",
    "pass",
    "stem",
    "latexmath",
    "asciimath",
    "icon",
    "image",
    "anchor",
];

/// The words of AsciiDoc's inline markup: links and macros reduced to their text (or their target where
/// they have none), marks removed, known attributes put in once.
pub(crate) fn plain_words(text: &str, attributes: &BTreeMap<String, String>) -> String {
    let text = put_in_attributes(text, attributes);
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['[', '<']) {
        let (before, marked) = rest.split_at_checked(at).unwrap_or((rest, ""));
        plain.push_str(before);
        rest = if let Some((words, behind)) = cross_reference(marked) {
            plain.push_str(words);
            behind
        } else if let Some((words, behind)) = anchor_or_role(marked, plain.chars().last()) {
            plain.push_str(words);
            behind
        } else if let Some(behind) = macro_words(&mut plain, marked) {
            behind
        } else {
            plain.push_str(marked.get(..1).unwrap_or_default());
            marked.get(1..).unwrap_or_default()
        };
    }
    plain.push_str(rest);
    let plain = plain.strip_suffix(" +").unwrap_or(&plain).replace(" +\n", "\n");
    let plain = plain.replace("`+", "`").replace("+`", "`");
    let marks = ["**", "__", "``", "##", "*", "_", "`", "#"];
    strip_pairs(&plain, &marks, &["``"])
}

fn put_in_attributes(text: &str, attributes: &BTreeMap<String, String>) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, marked)) = rest.split_once('{') {
        plain.push_str(before);
        let known = marked.split_once('}').and_then(|(name, behind)| {
            let words = match name {
                "nbsp" | "sp" => " ",
                "empty" => "",
                name => attributes.get(&name.to_lowercase())?.as_str(),
            };
            Some((words, behind))
        });
        match known {
            Some((words, behind)) => {
                plain.push_str(words);
                rest = behind;
            }
            None => {
                plain.push('{');
                rest = marked;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// `<<id,words>>`.
fn cross_reference(marked: &str) -> Option<(&str, &str)> {
    let (inner, behind) = marked.strip_prefix("<<")?.split_once(">>")?;
    let words = inner.split_once(',').map_or(inner, |(_, words)| words.trim());
    (!inner.is_empty() && !inner.contains('\n'))
        .then_some((if words.is_empty() { inner } else { words }, behind))
}

/// `[[id]]`, and the `[.role]` before marked words.
fn anchor_or_role(marked: &str, before: Option<char>) -> Option<(&'static str, &str)> {
    if let Some((_, behind)) = marked.strip_prefix("[[").and_then(|anchor| anchor.split_once("]]")) {
        return Some(("", behind));
    }
    let (role, behind) = marked.strip_prefix("[.")?.split_once(']')?;
    let is_role = role.chars().all(|one| one.is_alphanumeric() || "-_.".contains(one));
    let is_before_mark = behind.starts_with(['#', '*', '_', '`']);
    (is_role && is_before_mark && !before.is_some_and(char::is_alphanumeric)).then_some(("", behind))
}

/// Reduces `name:target[words]` or `https://target[words]`, whose part before the bracket is already
/// written.
fn macro_words<'a>(plain: &mut String, marked: &'a str) -> Option<&'a str> {
    let (inner, behind) = marked.strip_prefix('[')?.split_once(']')?;
    let start = plain
        .rfind(|one: char| one.is_whitespace() || "([\"'|".contains(one))
        .map_or(0, |at| at + plain.get(at..).and_then(|tail| tail.chars().next()).map_or(1, char::len_utf8));
    let call = plain.get(start..)?;
    let (name, target) = call.split_once(':')?;
    let is_address = matches!(name, "http" | "https" | "ftp" | "irc") && target.starts_with("//");
    let name = name.trim_start_matches(|one: char| !one.is_alphanumeric());
    if !is_address && !WORD_MACROS.contains(&name) {
        return None;
    }
    let target = if is_address { call.to_owned() } else { target.trim_start_matches(':').to_owned() };
    let shown = if name == "link" || is_address { inner.trim_end_matches('^') } else { inner };
    let shown =
        shown.split_once(",window=").or_else(|| shown.split_once(",role=")).map_or(shown, |(words, _)| words);
    let words = match name {
        "menu" => format!("{target} {shown}"),
        "footnote" => format!(" [{shown}]"),
        "anchor" => String::new(),
        _ if shown.trim().is_empty() => target,
        _ => shown.trim_matches('"').to_owned(),
    };
    plain.truncate(start + call.find(name).unwrap_or(0));
    plain.push_str(&words);
    Some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_reduced_to_words() {
        let attributes = BTreeMap::from([("v".to_owned(), "1.2".to_owned())]);
        for (text, plain) in [
            ("See https://x.y/z[the page^] and link:a.html[].", "See the page and a.html."),
            ("<<id,words>> <<other>> xref:a.adoc[there] a < b", "words other there a < b"),
            (
                "*b* _i_ `m` `+x+` #mark# **l**ong snake_case {v} {w}",
                "b i m x mark **l**ong snake_case 1.2 {w}",
            ),
            ("[[anchor]]word [.role]#styled# array[0]", "word styled array[0]"),
            ("notefootnote:[said so] kbd:[Ctrl]", "notefootnote:[said so] Ctrl"),
            ("line +\nnext", "line\nnext"),
        ] {
            assert_eq!(plain_words(text, &attributes), plain, "{text}");
        }
    }
}
