use crate::inline_marks::strip_pairs;

const IMAGE_ENDINGS: [&str; 6] = [".png", ".jpg", ".jpeg", ".svg", ".gif", ".webp"];

/// The words of Org's inline markup: links reduced to their description, marks removed. Images
/// without a description are counted.
pub(crate) fn plain_words(text: &str, images: &mut usize) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let (before, marked) = rest.split_at_checked(at).unwrap_or((rest, ""));
        plain.push_str(before);
        if let Some((words, behind)) = link(marked, images) {
            plain.push_str(words);
            rest = behind;
        } else if let Some((label, behind)) =
            marked.strip_prefix("[fn:").and_then(|note| note.split_once(']'))
        {
            let words = label.split_once(':').map_or(label, |(_, inline)| inline);
            plain.push_str(&format!("[{words}]"));
            rest = behind;
        } else {
            plain.push('[');
            rest = marked.get(1..).unwrap_or_default();
        }
    }
    plain.push_str(rest);
    let marks = ["*", "/", "_", "=", "~", "+"];
    strip_pairs(plain.strip_suffix("\\\\").unwrap_or(&plain), &marks, &["=", "~"])
}

fn link<'a>(marked: &'a str, images: &mut usize) -> Option<(&'a str, &'a str)> {
    let (inner, behind) = marked.strip_prefix("[[")?.split_once("]]")?;
    let (target, description) = inner.split_once("][").unwrap_or((inner, ""));
    if !description.is_empty() {
        return Some((description, behind));
    }
    let lower = target.to_ascii_lowercase();
    if IMAGE_ENDINGS.iter().any(|ending| lower.ends_with(ending)) {
        *images += 1;
        return Some(("", behind));
    }
    Some((target, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_marks_are_reduced() {
        let mut images = 0;
        let plain = plain_words(
            "a [[http://x][link]] to [[id]], *b* /i/ =v *x*= [fn:1] [fn:: said] [[file:a.png]] [x\\\\",
            &mut images,
        );
        assert_eq!(plain, "a link to id, b i v *x* [1] [ said]  [x");
        assert_eq!(images, 1);
    }
}
