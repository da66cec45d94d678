//! Numbers with their units, in one form however they are written.

use adit_core::TextRange;

/// A number in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    /// As it is written, with its unit.
    pub(super) text: String,
    /// The number's place.
    pub(super) range: TextRange,
    /// What it may mean: `1.000` is one or a thousand.
    values: Vec<f64>,
    /// Its unit, where it is a known one.
    unit: Option<&'static str>,
}

/// Units by the words that stand for them.
const UNITS: &[(&str, &[&str])] = &[
    ("%", &["%", "percent", "prozent", "pct"]),
    ("second", &["second", "seconds", "sec", "s", "sekunde", "sekunden"]),
    ("minute", &["minute", "minutes", "min", "minuten"]),
    ("hour", &["hour", "hours", "h", "hrs", "stunde", "stunden"]),
    ("day", &["day", "days", "tag", "tage", "tagen"]),
    ("week", &["week", "weeks", "woche", "wochen"]),
    ("month", &["month", "months", "monat", "monate", "monaten"]),
    ("year", &["year", "years", "jahr", "jahre", "jahren"]),
    ("euro", &["€", "eur", "euro", "euros"]),
    ("dollar", &["$", "usd", "dollar", "dollars"]),
    ("pound", &["£", "gbp"]),
    ("metre", &["m", "metre", "metres", "meter", "meters", "metern"]),
    ("kilometre", &["km", "kilometre", "kilometres", "kilometer", "kilometers"]),
    ("centimetre", &["cm", "centimetre", "centimetres", "zentimeter"]),
    ("millimetre", &["mm", "millimetre", "millimetres", "millimeter"]),
    ("gram", &["g", "gram", "grams", "gramm"]),
    ("kilogram", &["kg", "kilogram", "kilograms", "kilo", "kilogramm"]),
    ("litre", &["l", "litre", "litres", "liter", "liters"]),
    ("degree", &["°", "°c", "degree", "degrees", "grad"]),
    ("volt", &["v", "volt", "volts"]),
    ("watt", &["w", "watt", "watts"]),
];

const SCALES: &[(&str, f64)] = &[
    ("thousand", 1e3),
    ("tausend", 1e3),
    ("k", 1e3),
    ("million", 1e6),
    ("millions", 1e6),
    ("millionen", 1e6),
    ("billion", 1e9),
    ("milliarden", 1e9),
];

const WORDS: &[(&str, f64)] = &[
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("thirteen", 13.0),
    ("fourteen", 14.0),
    ("fifteen", 15.0),
    ("sixteen", 16.0),
    ("seventeen", 17.0),
    ("eighteen", 18.0),
    ("nineteen", 19.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
    ("hundred", 100.0),
    ("zwei", 2.0),
    ("drei", 3.0),
    ("vier", 4.0),
    ("fünf", 5.0),
    ("sechs", 6.0),
    ("sieben", 7.0),
    ("acht", 8.0),
    ("neun", 9.0),
    ("zehn", 10.0),
    ("elf", 11.0),
    ("zwölf", 12.0),
    ("zwanzig", 20.0),
    ("dreißig", 30.0),
];

impl Figure {
    /// Whether `known`, which stands in a passage, says the same number, and no other unit.
    pub(super) fn agrees_with(&self, known: &Self) -> bool {
        let same = |value: &f64| known.values.iter().any(|other| (value - other).abs() <= value.abs() * 1e-9);
        let other_unit = self.unit.zip(known.unit).is_some_and(|(own, other)| own != other);
        self.values.iter().any(same) && !other_unit
    }
}

/// The numbers of `text`, in digits or in words, those inside codes left out: they are checked as codes.
pub(super) fn figures(text: &str) -> Vec<Figure> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        let word = token.slice(text).unwrap_or_default();
        let next = |offset: usize| {
            tokens.get(place + offset).and_then(|range| range.slice(text)).unwrap_or_default()
        };
        let (values, used) = match read(word) {
            values if values.is_empty() => {
                place += 1;
                continue;
            }
            values => compound(values, word, next(1)),
        };
        let last_used = tokens.get(place + used).copied().unwrap_or(*token);
        let unit =
            unit_before(text, token.start).or_else(|| unit_in(word)).or_else(|| unit_of(next(used + 1)));
        let shown_to = match tokens.get(place + used + 1) {
            Some(range) if unit.is_some() && unit_of(next(used + 1)).is_some() => range.end,
            _ => last_used.end,
        };
        found.push(Figure {
            text: text.get(token.start..shown_to).unwrap_or_default().trim_end_matches(['.', ',']).to_owned(),
            range: TextRange::new(token.start, last_used.end),
            values,
            unit,
        });
        place += used + 1;
    }
    found
}

/// A number followed by a scale word (`2.5 million`) or, in words, by its ones (`twenty-eight`); and how many
/// more tokens that takes.
fn compound(values: Vec<f64>, word: &str, next: &str) -> (Vec<f64>, usize) {
    let lowered = next.to_lowercase();
    if let Some((_, scale)) = SCALES.iter().find(|(name, _)| *name == lowered && lowered != "k") {
        return (values.iter().map(|value| value * scale).collect(), 1);
    }
    let tens = values
        .first()
        .filter(|value| **value >= 20.0 && **value < 100.0 && word.chars().all(char::is_alphabetic));
    if let (Some(tens), [ones]) = (tens, read_word(&lowered).as_slice())
        && *ones < 10.0
    {
        return (vec![tens + ones], 1);
    }
    (values, 0)
}

/// Runs of letters, digits and what joins digits; a dash between words separates.
fn tokens(text: &str) -> Vec<TextRange> {
    let mut found: Vec<TextRange> = Vec::new();
    let mut start = None;
    let mut before = ' ';
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map_or(' ', |(_, next)| *next);
        let joins =
            matches!(character, '.' | ',' | '\'' | '’') && before.is_ascii_digit() && next.is_ascii_digit();
        let in_code = matches!(character, '-' | '_' | '/' | ':' | '.')
            && before.is_alphanumeric()
            && next.is_alphanumeric()
            && code_continues(text, start, at, next);
        let belongs = character.is_alphanumeric()
            || joins
            || in_code
            || matches!(character, '%' | '€' | '$' | '£' | '°');
        if belongs {
            start.get_or_insert(at);
        } else if let Some(from) = start.take() {
            found.push(TextRange::new(from, at));
        }
        before = character;
    }
    found.extend(start.map(|from| TextRange::new(from, text.len())));
    found
}

/// Whether the connector at `at` is inside a code: a letter and a digit stand on its two sides, as in `R-17`.
fn code_continues(text: &str, start: Option<usize>, at: usize, next: char) -> bool {
    let Some(piece) = start.and_then(|from| text.get(from..at)) else { return false };
    let has_letter = piece.contains(char::is_alphabetic);
    let has_digit = piece.contains(|character: char| character.is_ascii_digit());
    (has_letter && next.is_ascii_digit())
        || (has_digit && next.is_alphabetic())
        || (has_letter && has_digit && next.is_alphanumeric())
}

/// What a token may mean as a number; nothing for what is none.
fn read(token: &str) -> Vec<f64> {
    let bare = token.trim_matches(['%', '€', '$', '£', '°']);
    let digits_end = bare
        .find(|character: char| !(character.is_ascii_digit() || matches!(character, '.' | ',' | '\'' | '’')))
        .unwrap_or(bare.len());
    let (number, rest) = bare.split_at_checked(digits_end).unwrap_or((bare, ""));
    if !number.starts_with(|character: char| character.is_ascii_digit()) {
        return read_word(&bare.to_lowercase());
    }
    let lowered = rest.to_lowercase();
    let is_ordinal = matches!(lowered.as_str(), "" | "st" | "nd" | "rd" | "th");
    let scale = SCALES.iter().find(|(name, _)| *name == lowered).map(|(_, scale)| *scale);
    if !is_ordinal && scale.is_none() && unit_of(&lowered).is_none() {
        return Vec::new();
    }
    let factor = scale.unwrap_or(1.0);
    readings(number).into_iter().map(|value| value * factor).collect()
}

fn read_word(lowered: &str) -> Vec<f64> {
    WORDS.iter().find(|(word, _)| *word == lowered).map(|(_, value)| vec![*value]).unwrap_or_default()
}

/// `1,000`, `1.000`, `1'000`, `3,5`, `3.5`: a mark before exactly three digits may separate thousands, the last
/// mark may be the decimal one.
fn readings(number: &str) -> Vec<f64> {
    let marks: Vec<(usize, char)> =
        number.char_indices().filter(|(_, character)| !character.is_ascii_digit()).collect();
    let plain =
        |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>().parse::<f64>().ok();
    let Some((last_at, last)) = marks.last().copied() else { return plain(number).into_iter().collect() };
    let after = number.get(last_at + last.len_utf8()..).unwrap_or_default();
    let groups_of_three = after.len() == 3;
    let mut values = Vec::new();
    if groups_of_three {
        values.extend(plain(number));
    }
    let is_only_kind = marks.iter().filter(|(_, mark)| *mark == last).count() == 1;
    if is_only_kind && matches!(last, '.' | ',') {
        let whole = number.get(..last_at).and_then(plain);
        let fraction = format!("0.{after}").parse::<f64>().ok();
        values.extend(whole.zip(fraction).map(|(whole, fraction)| whole + fraction));
    }
    values
}

fn unit_of(word: &str) -> Option<&'static str> {
    let lowered = word.trim_end_matches(['.', ',']).to_lowercase();
    UNITS.iter().find(|(_, words)| words.contains(&lowered.as_str())).map(|(unit, _)| *unit)
}

/// `12%`, `5kg`.
fn unit_in(word: &str) -> Option<&'static str> {
    let rest = word.trim_start_matches(|character: char| {
        character.is_ascii_digit() || matches!(character, '.' | ',' | '\'' | '’')
    });
    if rest.is_empty() || rest.len() == word.len() {
        let symbol = word.chars().next().filter(|character| !character.is_alphanumeric())?;
        return unit_of(&symbol.to_string());
    }
    unit_of(rest)
}

/// `€ 5`, `EUR 5`.
fn unit_before(text: &str, start: usize) -> Option<&'static str> {
    let before = text.get(..start)?.trim_end();
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    unit_of(word).filter(|unit| matches!(*unit, "euro" | "dollar" | "pound"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree(claim: &str, passage: &str) -> bool {
        let known = figures(passage);
        let claimed = figures(claim);
        !claimed.is_empty()
            && claimed.iter().all(|figure| known.iter().any(|other| figure.agrees_with(other)))
    }

    #[test]
    fn one_number_has_many_forms() {
        for (claim, passage) in [
            ("1000 hours", "1,000 hours"),
            ("1,000", "1.000 Stunden"),
            ("3.5 percent", "3,5 %"),
            ("12%", "12 percent"),
            ("12 per cent", "12%"),
            ("16 weeks", "sixteen weeks"),
            ("twenty-eight days", "28 days"),
            ("2.5 million", "2,500,000"),
            ("EUR 120", "120 euros"),
            ("€120", "120 EUR"),
            ("28 Tage", "28 days"),
            ("the 3rd", "3"),
            ("5kg", "5 kg"),
            ("1'234.50", "1,234.5"),
        ] {
            assert!(
                agree(claim, passage),
                "{claim} / {passage}: {:?} {:?}",
                figures(claim),
                figures(passage)
            );
        }
    }

    #[test]
    fn another_number_or_unit_does_not_agree() {
        for (claim, passage) in [
            ("29 days", "28 days"),
            ("28 weeks", "28 days"),
            ("12%", "12 days"),
            ("1,000", "100"),
            ("3.5", "35"),
            ("sixteen weeks", "six weeks"),
            ("2.5 million", "2.5 billion"),
        ] {
            assert!(!agree(claim, passage), "{claim} / {passage}");
        }
    }

    #[test]
    fn codes_are_no_numbers_and_units_are_shown() {
        assert!(
            figures("rule R-17, ERR_4021, v3.2 and KX-77").is_empty(),
            "{:?}",
            figures("rule R-17, ERR_4021, v3.2")
        );
        assert_eq!(figures("Staff receive 29 days.")[0].text, "29 days");
        assert_eq!(figures("from 5 to 10.").len(), 2);
    }
}
