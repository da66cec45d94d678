use adit_core::{FindingKind, TextFinding, TextRange};

use super::excerpt;

/// Joiners stand alone between letters where a script needs them; this many in a row carry data.
const MIN_RUN: usize = 4;

/// Characters without a glyph of their own (Unicode 16, 23.2, 23.4 and 23.9).
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{200b}'..='\u{200f}'
            | '\u{2060}'..='\u{2064}'
            | '\u{feff}'
            | '\u{180e}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{e0100}'..='\u{e01ef}'
    ) || is_tag(character)
}

/// Tags once marked languages; today they make the flags of regions, and hide ASCII.
fn is_tag(character: char) -> bool {
    matches!(character, '\u{e0000}'..='\u{e007f}')
}

/// The two overrides of UAX 9; embeddings and isolates are part of honest right-to-left text.
pub(crate) fn is_override(character: char) -> bool {
    matches!(character, '\u{202d}' | '\u{202e}')
}

/// Runs of characters that do not show, and overrides of the direction up to where they end.
pub(crate) fn find(text: &str) -> Vec<TextFinding> {
    let mut findings = Vec::new();
    let mut run: Option<Run> = None;
    let mut turned: Option<usize> = None;
    let mut before = None;
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        if is_invisible(character) {
            let run =
                run.get_or_insert(Run { start: at, end, length: 0, tags: 0, follows_flag: is_flag(before) });
            run.end = end;
            run.length += 1;
            run.tags += usize::from(is_tag(character));
        } else if let Some(run) = run.take() {
            findings.extend(run.finding(text));
        }
        match turned {
            None if is_override(character) => turned = Some(at),
            Some(start) if matches!(character, '\u{202c}' | '\n') => {
                findings.push(finding(FindingKind::DirectionOverride, TextRange::new(start, at), text));
                turned = None;
            }
            _ => {}
        }
        before = Some(character);
    }
    findings.extend(run.and_then(|run| run.finding(text)));
    if let Some(start) = turned {
        findings.push(finding(FindingKind::DirectionOverride, TextRange::new(start, text.len()), text));
    }
    findings
}

struct Run {
    start: usize,
    end: usize,
    length: usize,
    tags: usize,
    follows_flag: bool,
}

impl Run {
    fn finding(self, text: &str) -> Option<TextFinding> {
        let is_flag = self.follows_flag && self.tags == self.length && self.length <= 7;
        let is_suspicious = !is_flag && (self.tags > 0 || self.length >= MIN_RUN);
        let range = TextRange::new(self.start, self.end);
        is_suspicious.then(|| finding(FindingKind::InvisibleCharacters, range, text))
    }
}

/// The black flag that the tags of a region follow (UTS 51, emoji tag sequences).
fn is_flag(character: Option<char>) -> bool {
    character == Some('\u{1f3f4}')
}

fn finding(kind: FindingKind, range: TextRange, text: &str) -> TextFinding {
    TextFinding { kind, range, excerpt: excerpt(range.slice(text).unwrap_or_default()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<FindingKind> {
        find(text).into_iter().map(|finding| finding.kind).collect()
    }

    #[test]
    fn hidden_data_is_found_and_honest_joiners_are_not() {
        let tags: String =
            "ignore".chars().map(|one| char::from_u32(0xe0000 + one as u32).unwrap()).collect();
        assert_eq!(kinds(&format!("word{tags} word")), [FindingKind::InvisibleCharacters]);
        assert_eq!(kinds("a\u{200b}\u{200c}\u{200b}\u{200b}b"), [FindingKind::InvisibleCharacters]);
        assert_eq!(kinds("\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}"), []);
        assert_eq!(kinds("\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{2764}\u{fe0f}"), []);
        let wales = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}";
        assert_eq!(kinds(wales), []);
    }

    #[test]
    fn an_override_ends_with_its_line() {
        let found = find("a \u{202e}txt.exe\nb");
        assert_eq!(found[0].kind, FindingKind::DirectionOverride);
        assert_eq!(found[0].excerpt, "<U+202E>txt.exe");
        assert_eq!(kinds("\u{2067}\u{5d0}\u{2069}"), []);
    }
}
