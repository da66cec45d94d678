//! Quotes are found again in texts that a parser, a typesetter or an editor changed, and not elsewhere.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use adit_core::TextRange;
use adit_eval::golden::PLACED_SIMILARITY;
use adit_eval::{GoldenSpan, Placement, place_span};
use proptest::prelude::*;

const WORDS: &[&str] = &[
    "the",
    "station",
    "reports",
    "every",
    "ten",
    "minutes",
    "unless",
    "gateway",
    "battery",
    "frost",
    "wine",
    "growers",
    "measure",
    "soil",
    "moisture",
    "at",
    "night",
    "under",
    "leaves",
    "and",
    "valve",
    "opens",
    "late",
    "after",
    "rain",
    "Überwachung",
    "café",
    "naïve",
    "don’t",
    "“quoted”",
    "well-known",
    "9–17",
    "pressure",
    "sensor",
    "drifts",
    "slowly",
    "calibrate",
    "before",
    "harvest",
    "spare",
    "parts",
    "kestrel",
];

fn prose(words: std::ops::Range<usize>) -> impl Strategy<Value = Vec<&'static str>> {
    proptest::collection::vec(proptest::sample::select(WORDS), words)
}

fn quoted(quote: &str) -> GoldenSpan {
    GoldenSpan::quoted("a.md", quote)
}

fn at<'a>(text: &'a str, placement: &Placement) -> &'a str {
    placement.range().unwrap_or_else(|| panic!("{placement:?}")).slice(text).unwrap()
}

/// Words joined by `gaps` in turn, and the bytes that the words `from..to` take.
fn laid_out(words: &[&str], gaps: &[&str], from: usize, to: usize) -> (String, TextRange) {
    let (mut text, mut start, mut end) = (String::new(), 0, 0);
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            text += gaps[index % gaps.len()];
        }
        if index == from {
            start = text.len();
        }
        text += word;
        if index + 1 == to {
            end = text.len();
        }
    }
    (text, TextRange::new(start, end))
}

/// Distance of two ranges at the worse end, in bytes.
fn off_by(one: TextRange, other: TextRange) -> usize {
    one.start.abs_diff(other.start).max(one.end.abs_diff(other.end))
}

proptest! {
    #[test]
    fn rewrapped_and_respaced_texts_place_exactly(
        before in prose(0..60), quote in prose(6..30), after in prose(0..60),
        gaps in proptest::collection::vec(proptest::sample::select(&[" ", "\n", "  ", "\r\n", "\u{a0}", "\n\n\t"][..]), 1..9),
    ) {
        let all = [before.clone(), quote.clone(), after].concat();
        let (text, _) = laid_out(&all, &gaps, before.len(), before.len() + quote.len());
        let placement = place_span(&text, &quoted(&quote.join(" ")));
        prop_assert!(matches!(placement, Placement::Exact(_)), "{:?}", placement);
        // The words may by chance stand earlier as well; what was found must be these words.
        let found: Vec<&str> = at(&text, &placement).split_whitespace().collect();
        prop_assert_eq!(found.join(" "), quote.join(" "));
    }

    #[test]
    fn typography_and_composition_do_not_matter(before in prose(0..40), quote in prose(6..20), after in prose(0..40)) {
        let original = [before, quote.clone(), after].concat().join(" ");
        let plain = quote.join(" ").replace('’', "'").replace(['“', '”'], "\"").replace('–', "-");
        prop_assert!(matches!(place_span(&original, &quoted(&plain)), Placement::Exact(_)));
        let decomposed = original.replace('é', "e\u{301}").replace('ï', "i\u{308}").replace('Ü', "U\u{308}");
        let placement = place_span(&decomposed, &quoted(&quote.join(" ")));
        prop_assert!(matches!(placement, Placement::Exact(_)), "{:?}", placement);
        let soft = original.replace("station", "sta\u{ad}tion").replace("moisture", "mois-\nture");
        let placement = place_span(&soft, &quoted(&quote.join(" ")));
        prop_assert!(matches!(placement, Placement::Exact(_)), "{:?}", placement);
    }

    #[test]
    fn lightly_corrupted_texts_place_at_the_right_range(
        before in prose(0..80), quote in prose(8..30), after in prose(0..80),
        edits in proptest::collection::vec((0.0..1.0f64, 0u8..3, proptest::char::range('A', 'Z')), 1..6),
    ) {
        let clean = quote.join(" ");
        let mut changed: Vec<char> = clean.chars().collect();
        let most = changed.len() / 12;
        let mut made = 0;
        for (place, kind, character) in edits.into_iter().take(most) {
            let index = (place * (changed.len() - 1) as f64) as usize;
            match kind {
                0 => changed[index] = character,
                1 => changed.insert(index, character),
                _ => drop(changed.remove(index)),
            }
            made += 1;
        }
        let changed: String = changed.into_iter().collect();
        let (head, tail) = (before.join(" "), after.join(" "));
        let text = format!("{head} {changed} {tail}");
        let right = TextRange::new(head.len() + 1, head.len() + 1 + changed.len());
        let placement = place_span(&text, &quoted(&clean));
        let similarity = match placement {
            Placement::Exact(_) => 1.0,
            Placement::Moved { similarity, .. } => similarity,
            Placement::NotFound { best_similarity } => {
                return Err(TestCaseError::fail(format!("not found, {best_similarity}: {clean:?} in {text:?}")));
            }
        };
        prop_assert!(similarity + 1e-9 >= 1.0 - made as f64 / clean.chars().count() as f64);
        // An edit at an end may be left out of the range or a neighbouring letter taken in for it.
        prop_assert!(off_by(placement.range().unwrap(), right) <= 4 * (made + 1), "{:?} {:?}", placement, right);
    }

    #[test]
    fn other_text_is_not_taken_for_the_quote(text in prose(200..600), quote in "[a-z]{3,9}( [a-z]{3,9}){5,12}") {
        let placement = place_span(&text.join(" "), &quoted(&quote));
        match placement {
            Placement::NotFound { best_similarity } => prop_assert!(best_similarity < PLACED_SIMILARITY),
            found => return Err(TestCaseError::fail(format!("{found:?}"))),
        }
    }

    #[test]
    fn any_text_and_any_quote_give_a_range_on_character_boundaries(text in any::<String>(), quote in any::<String>(), start in 0usize..20) {
        let mut span = quoted(&quote);
        for _ in 0..2 {
            if let Some(range) = place_span(&text, &span).range() {
                prop_assert!(range.slice(&text).is_some());
            }
            (span.char_start, span.char_end) = (Some(start), Some(start + 5));
        }
    }
}

#[test]
fn words_of_the_same_language_in_another_order_are_another_text() {
    let text =
        "after rain the valve opens late and the sensor drifts slowly under leaves at night ".repeat(50);
    let placement =
        place_span(&text, &quoted("the sensor opens after night and leaves drifts under valve rain late"));
    assert!(matches!(placement, Placement::NotFound { .. }), "{placement:?}");
}

#[test]
fn the_quote_wins_over_the_range() {
    let text = "Grün ist die Wiese. Blau ist der See. Grün ist die Wiese.";
    let span = |quote: Option<&str>, start: usize, end: usize| GoldenSpan {
        source: "a.md".to_owned(),
        quote: quote.map(str::to_owned),
        char_start: Some(start),
        char_end: Some(end),
    };
    assert_eq!(at(text, &place_span(text, &span(None, 20, 37))), "Blau ist der See.");
    assert!(matches!(place_span(text, &span(Some("Blau ist der See."), 20, 37)), Placement::Exact(_)));
    let Placement::Moved { range, similarity } = place_span(text, &span(Some("Blau ist der See."), 0, 17))
    else {
        panic!("not moved");
    };
    assert_eq!((range.slice(text), similarity), (Some("Blau ist der See."), 1.0));
    // Of two places the one nearest to the range.
    let second = place_span(text, &span(Some("Grün ist die Wiese."), 36, 55)).range().unwrap();
    assert_eq!(second.start, text.rfind("Grün").unwrap());
    let beyond = place_span(text, &span(Some("Grün ist die Wiese."), 900, 919)).range().unwrap();
    assert_eq!(beyond.start, second.start);
    assert!(matches!(place_span(text, &span(None, 50, 900)), Placement::NotFound { .. }));
    assert_eq!(at(text, &place_span(text, &GoldenSpan::whole_document("a.md"))), text);
}

#[test]
fn short_quotes_are_taken_word_for_word_only() {
    let text = "46 EUR a day, 64 EUR abroad";
    assert_eq!(at(text, &place_span(text, &quoted("64 EUR"))), "64 EUR");
    assert!(matches!(place_span(text, &quoted("65 EUR")), Placement::NotFound { .. }));
    assert!(matches!(place_span("", &quoted("65 EUR")), Placement::NotFound { .. }));
}

#[test]
fn megabytes_are_no_trouble() {
    let mut text = String::new();
    for number in 0..40_000_u32 {
        let word = |shift: u32| WORDS[(number.wrapping_mul(2_654_435_761) >> shift) as usize % WORDS.len()];
        text += &format!("{} {} {} {} entry {number}.\n", word(3), word(9), word(15), word(21));
    }
    let needle = "Customs papers for Norway are signed by the shift lead on bench five";
    let middle = text.len() / 2;
    let middle = text.floor_char_boundary(middle);
    text.insert_str(middle, &needle.replace("signed", "singed").replace("bench", "bench-\n"));
    assert!(text.len() > 1_500_000);
    let placement = place_span(&text, &quoted(needle));
    assert_eq!(placement.range().unwrap().start, middle);
    let repetitive = "| --- | --- | --- ".repeat(60_000);
    let placement = place_span(&repetitive, &quoted("| --- | -- | --- | --- | ---"));
    assert!(matches!(placement, Placement::Moved { .. }), "{placement:?}");
    let long: String =
        text.chars().skip(300_000).take(6_000).collect::<String>().replace("entry 1", "entrance 1");
    let found = place_span(&text, &quoted(&long)).range().unwrap();
    assert!(found.len().abs_diff(long.len()) < 1_500);
}
