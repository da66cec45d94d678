//! Dates in one form however they are written.

use adit_core::TextRange;

/// A date in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Date {
    /// As it is written.
    pub(super) text: String,
    /// Its place.
    pub(super) range: TextRange,
    /// `2025-01-03`, `2025-01`, or `--01-03` where no year is given (ISO 8601).
    pub(super) iso: String,
}

impl Date {
    /// Whether a passage's date says the same as far as both say something.
    pub(super) fn agrees_with(&self, known: &str) -> bool {
        let parts = |iso: &str| -> [Option<u16>; 3] {
            let mut numbers = iso.trim_start_matches("--").split('-').map(|part| part.parse().ok());
            if iso.starts_with("--") {
                [None, numbers.next().flatten(), numbers.next().flatten()]
            } else {
                std::array::from_fn(|_| numbers.next().flatten())
            }
        };
        let (own, other) = (parts(&self.iso), parts(known));
        // The claim may say less than the passage, never more.
        own.iter().zip(other).all(|(own, other)| own.is_none() || *own == other)
    }
}

const MONTHS: &[(&str, u16)] = &[
    ("january", 1),
    ("jan", 1),
    ("januar", 1),
    ("february", 2),
    ("feb", 2),
    ("februar", 2),
    ("march", 3),
    ("mar", 3),
    ("märz", 3),
    ("april", 4),
    ("apr", 4),
    ("may", 5),
    ("mai", 5),
    ("june", 6),
    ("jun", 6),
    ("juni", 6),
    ("july", 7),
    ("jul", 7),
    ("juli", 7),
    ("august", 8),
    ("aug", 8),
    ("september", 9),
    ("sept", 9),
    ("sep", 9),
    ("october", 10),
    ("oct", 10),
    ("oktober", 10),
    ("okt", 10),
    ("november", 11),
    ("nov", 11),
    ("december", 12),
    ("dec", 12),
    ("dezember", 12),
    ("dez", 12),
];

/// The dates of `text`: `2025-01-03`, `03.01.2025`, `3 January 2025`, `January 3, 2025`, `3. Januar 2025`,
/// `January 2025`, `3 January`.
pub(super) fn dates(text: &str) -> Vec<Date> {
    let words = words(text);
    let mut found = Vec::new();
    let mut place = 0;
    while place < words.len() {
        match date_at(text, &words, place) {
            Some((iso, used)) => {
                let start = words.get(place).map_or(0, |range| range.start);
                let end = words.get(place + used - 1).map_or(start, |range| range.end);
                let range = TextRange::new(start, end);
                found.push(Date { text: range.slice(text).unwrap_or_default().to_owned(), range, iso });
                place += used;
            }
            None => place += 1,
        }
    }
    found
}

/// Words without the punctuation around them; what joins the parts of a number stays.
fn words(text: &str) -> Vec<TextRange> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        if character.is_whitespace() {
            if let Some(from) = start.take() {
                let piece = text.get(from..at).unwrap_or_default();
                let bare = piece.trim_matches(|character: char| !character.is_alphanumeric());
                let lead = piece.len()
                    - piece.trim_start_matches(|character: char| !character.is_alphanumeric()).len();
                if !bare.is_empty() {
                    found.push(TextRange::new(from + lead, from + lead + bare.len()));
                }
            }
        } else {
            start.get_or_insert(at);
        }
    }
    found
}

fn date_at(text: &str, words: &[TextRange], place: usize) -> Option<(String, usize)> {
    let word =
        |offset: usize| words.get(place + offset).and_then(|range| range.slice(text)).unwrap_or_default();
    if let Some(iso) = numeric(word(0)) {
        return Some((iso, 1));
    }
    let (first, second, third) = (word(0), word(1), word(2));
    if let (Some(day), Some(month)) = (day(first), month(second)) {
        return Some(match year(third) {
            Some(year) => (format!("{year:04}-{month:02}-{day:02}"), 3),
            None => (format!("--{month:02}-{day:02}"), 2),
        });
    }
    // `May` and `march` are verbs too: a capital letter and a number behind are asked for.
    let month = month(first).filter(|_| first.starts_with(char::is_uppercase))?;
    if let Some(year) = year(second) {
        return Some((format!("{year:04}-{month:02}"), 2));
    }
    let day = day(second)?;
    Some(match year(third) {
        Some(year) => (format!("{year:04}-{month:02}-{day:02}"), 3),
        None => (format!("--{month:02}-{day:02}"), 2),
    })
}

fn numeric(word: &str) -> Option<String> {
    let split = |separator: char| -> Option<[u16; 3]> {
        let mut parts = word.split(separator).map(|part| part.parse::<u16>().ok());
        let all = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(all)
    };
    let iso = |year: u16, month: u16, day: u16| {
        let is_one = (1000..3000).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        is_one.then(|| format!("{year:04}-{month:02}-{day:02}"))
    };
    if let Some([year, month, day]) = split('-') {
        return iso(year, month, day);
    }
    let [day, month, year] = split('.')?;
    iso(year, month, day)
}

fn day(word: &str) -> Option<u16> {
    let bare = word.trim_end_matches(['.', ',']);
    let bare = ["st", "nd", "rd", "th"].iter().find_map(|suffix| bare.strip_suffix(suffix)).unwrap_or(bare);
    bare.parse().ok().filter(|day| (1..=31).contains(day) && bare.len() <= 2)
}

fn month(word: &str) -> Option<u16> {
    let lowered = word.trim_end_matches(['.', ',']).to_lowercase();
    MONTHS.iter().find(|(name, _)| *name == lowered).map(|(_, month)| *month)
}

fn year(word: &str) -> Option<u16> {
    word.parse().ok().filter(|year| (1000..3000).contains(year) && word.len() == 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn isos(text: &str) -> Vec<String> {
        dates(text).into_iter().map(|date| date.iso).collect()
    }

    #[test]
    fn one_date_has_many_forms() {
        for text in [
            "2025-01-03",
            "on 03.01.2025.",
            "3 January 2025",
            "January 3, 2025",
            "am 3. Januar 2025",
            "3rd Jan 2025",
        ] {
            assert_eq!(isos(text), ["2025-01-03"], "{text}");
        }
        assert_eq!(isos("since March 2024, on 5 May"), ["2024-03", "--05-05"]);
        assert!(isos("you may 3 times march on 10.0.0.1 in 2025").is_empty());
    }

    #[test]
    fn a_claim_may_say_less_and_never_more() {
        let date = |text: &str| dates(text).remove(0);
        assert!(
            date("January 2025").agrees_with("2025-01-03") && date("3 January").agrees_with("2025-01-03")
        );
        assert!(
            !date("3 January 2025").agrees_with("2025-01") && !date("4 January").agrees_with("2025-01-03")
        );
    }
}
