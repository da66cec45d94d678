//! Sentences by rules: prose at its full stops, lists at their items, tables at their rows.

use adit_core::TextRange;

/// A line at least this long may be wrapped prose, so its end is no end of a sentence by itself.
const WRAPPED_LINE_CHARACTERS: usize = 50;

/// Words before a full stop that end no sentence, in lower case.
const ABBREVIATIONS: &[&str] = &[
    "abs", "al", "approx", "art", "bzw", "ca", "cf", "co", "corp", "dept", "dr", "e.g", "eg", "ed", "eds",
    "et", "etc", "evtl", "fig", "ggf", "gmbh", "hr", "i.e", "ie", "inc", "incl", "inkl", "jr", "ltd", "max",
    "min", "mr", "mrs", "ms", "mt", "nr", "no", "p", "pp", "prof", "resp", "sec", "sen", "sr", "st", "str",
    "tel", "u.a", "u.s", "usw", "vgl", "vol", "vs", "z.b",
];

/// Month names that follow the full stop of a German date.
const MONTHS: &[&str] = &[
    "januar",
    "februar",
    "märz",
    "april",
    "mai",
    "juni",
    "juli",
    "august",
    "september",
    "oktober",
    "november",
    "dezember",
];

/// Byte ranges of the sentences, list items and table rows of `text`, in order, white space around them left
/// out. Everything but white space is in exactly one range. A citation in square brackets after a full stop
/// belongs to the sentence before it.
#[must_use]
pub fn sentence_ranges(text: &str) -> Vec<TextRange> {
    let mut ranges = Vec::new();
    for (start, end) in paragraphs(text) {
        split_prose(text, start, end, &mut ranges);
    }
    ranges
}

/// Ranges that no sentence crosses: paragraphs, list items, table rows, headings.
fn paragraphs(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    let mut before = "";
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let end = at + line.len();
        if bare.is_empty() {
            found.extend(open.take());
        } else if open.is_some() && continues(before, bare) {
            open = open.map(|(start, _)| (start, end));
        } else {
            found.extend(open.take());
            open = Some((at, end));
        }
        before = bare;
        at = end;
    }
    found.extend(open);
    found
}

/// Whether `line` goes on with the sentence of the line `before` it.
fn continues(before: &str, line: &str) -> bool {
    if is_row(before) || is_row(line) || is_heading(before) || is_heading(line) || is_item(line) {
        return false;
    }
    let starts_lower = line.chars().next().is_some_and(char::is_lowercase);
    starts_lower || before.chars().count() >= WRAPPED_LINE_CHARACTERS || before.ends_with(',')
}

fn is_row(line: &str) -> bool {
    line.starts_with('|') || line.contains('\t') || line.contains(" | ")
}

fn is_heading(line: &str) -> bool {
    line.starts_with('#') && line.trim_start_matches('#').starts_with(' ')
}

/// `- `, `* `, `• `, `1. `, `2) `, `a) `.
fn is_item(line: &str) -> bool {
    let Some((mark, _)) = line.split_once(char::is_whitespace) else { return false };
    if matches!(mark, "-" | "*" | "+" | "•" | "–" | "◦") {
        return true;
    }
    let Some(number) = mark.strip_suffix(['.', ')']) else { return false };
    let digits = !number.is_empty() && number.len() <= 3 && number.bytes().all(|byte| byte.is_ascii_digit());
    let letter =
        mark.ends_with(')') && number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_alphabetic());
    digits || letter
}

fn split_prose(text: &str, start: usize, end: usize, ranges: &mut Vec<TextRange>) {
    let Some(paragraph) = text.get(start..end) else { return };
    let mut from = 0;
    let mut characters = paragraph.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if !matches!(character, '.' | '?' | '!' | '…' | '。' | '！' | '？' | '｡') {
            continue;
        }
        let rest_at = at + character.len_utf8();
        let rest = paragraph.get(rest_at..).unwrap_or_default();
        let after_closing =
            rest.trim_start_matches(['.', '?', '!', '"', '\'', '”', '’', '“', '»', ')', ']', '*', '_']);
        let closed_at = rest_at + (rest.len() - after_closing.len());
        let is_wide = matches!(character, '。' | '！' | '？' | '｡');
        if !is_wide
            && !after_closing.is_empty()
            && !after_closing.starts_with(char::is_whitespace)
            && !cites(after_closing)
        {
            continue;
        }
        let sentence = paragraph.get(from..at).unwrap_or_default();
        if character == '.' && ends_no_sentence(sentence, after_closing) {
            continue;
        }
        let stop = after_citations(paragraph, closed_at);
        push_trimmed(text, start + from, start + stop, ranges);
        from = stop;
        while characters.peek().is_some_and(|(next, _)| *next < stop) {
            characters.next();
        }
    }
    push_trimmed(text, start + from, end, ranges);
}

fn cites(rest: &str) -> bool {
    rest.trim_start().starts_with("[doc:")
}

/// Where the citations that follow the end of a sentence end.
fn after_citations(paragraph: &str, from: usize) -> usize {
    let mut stop = from;
    while let Some(rest) = paragraph.get(stop..)
        && cites(rest)
        && let Some(close) = rest.find(']')
    {
        stop += close + 1;
    }
    let rest = paragraph.get(stop..).unwrap_or_default();
    if stop > from && rest.starts_with(['.', '!', '?']) { stop + 1 } else { stop }
}

/// Whether the full stop after `sentence` belongs to an abbreviation, an initial, a number or a list mark.
fn ends_no_sentence(sentence: &str, rest: &str) -> bool {
    let word = sentence
        .rsplit(|character: char| character.is_whitespace() || character == '(')
        .next()
        .unwrap_or_default();
    let next = rest.trim_start();
    if next.starts_with(char::is_lowercase) {
        return true;
    }
    if sentence.trim() == word
        && word.len() <= 3
        && word.bytes().all(|byte| byte.is_ascii_digit())
        && !word.is_empty()
    {
        return true;
    }
    let lowered = word.to_lowercase();
    if ABBREVIATIONS.contains(&lowered.as_str()) {
        return true;
    }
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    let is_day = !word.is_empty() && word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let next_word = next.split(|character: char| !character.is_alphabetic()).next().unwrap_or_default();
    is_initial || (is_day && MONTHS.contains(&next_word.to_lowercase().as_str()))
}

fn push_trimmed(text: &str, start: usize, end: usize, ranges: &mut Vec<TextRange>) {
    let Some(piece) = text.get(start..end) else { return };
    let lead = piece.len() - piece.trim_start().len();
    let bare = piece.trim();
    if !bare.is_empty() {
        ranges.push(TextRange::new(start + lead, start + lead + bare.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sentences(text: &str) -> Vec<&str> {
        sentence_ranges(text).iter().map(|range| range.slice(text).unwrap()).collect()
    }

    #[test]
    fn prose_is_cut_at_its_full_stops_only() {
        assert_eq!(
            sentences("Dr. Kessler pays 3.5 percent, e.g. on A. Smith's bill. Is it due? \"Yes!\" Ends."),
            ["Dr. Kessler pays 3.5 percent, e.g. on A. Smith's bill.", "Is it due?", "\"Yes!\"", "Ends."]
        );
        assert_eq!(
            sentences("Am 3. Januar beginnt es. Es endet."),
            ["Am 3. Januar beginnt es.", "Es endet."]
        );
        assert_eq!(sentences("今日は晴れ。明日は雨。"), ["今日は晴れ。", "明日は雨。"]);
    }

    #[test]
    fn citations_stay_with_their_sentence() {
        assert_eq!(
            sentences("It takes 28 days. [doc:ab#1][doc:cd#2] Then it ends [doc:ab#1]. Over."),
            ["It takes 28 days. [doc:ab#1][doc:cd#2]", "Then it ends [doc:ab#1].", "Over."]
        );
    }

    #[test]
    fn wrapped_lines_go_on_and_items_rows_and_headings_do_not() {
        let wrapped = "This line is long enough to have been wrapped by an editor\nBerlin comes next. End.";
        assert_eq!(sentences(wrapped).len(), 2);
        let list = "# Rules\nBring:\n- a hammer\n- two nails\n1. First step\n2. Second step";
        assert_eq!(
            sentences(list),
            ["# Rules", "Bring:", "- a hammer", "- two nails", "1. First step", "2. Second step"]
        );
        assert_eq!(sentences("| a | 1 |\n| b | 2 |"), ["| a | 1 |", "| b | 2 |"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_nothing_is_doubled(text in "[A-Za-z0-9 .?!\n\\-|\\[\\]:#。äß]{0,200}") {
            let ranges = sentence_ranges(&text);
            let mut at = 0;
            for range in &ranges {
                prop_assert!(range.start >= at && range.end > range.start);
                prop_assert!(text[at..range.start].trim().is_empty());
                at = range.end;
            }
            prop_assert!(text[at..].trim().is_empty());
        }
    }
}
