//! Dates and periods as people write them, in English and German.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::calendar::CalendarPeriod;

const MONTHS: &str = "jan(?:uary|uar)?|j\u{e4}nner|feb(?:ruary|ruar)?|m(?:ar(?:ch)?|\u{e4}rz|\u{e4}r|aerz)|apr(?:il)?|\
    may|mai|june?|juni|july?|juli|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?";

/// The number of a month by the beginning of its name in either language.
fn month_number(name: &str) -> Option<i8> {
    let name = name.to_lowercase().replace('\u{e4}', "a").replace("ae", "a");
    let starts: [&[&str]; 12] = [
        &["jan"],
        &["feb"],
        &["mar"],
        &["apr"],
        &["may", "mai"],
        &["jun"],
        &["jul"],
        &["aug"],
        &["sep"],
        &["oct", "okt"],
        &["nov"],
        &["dec", "dez"],
    ];
    let at = starts.iter().position(|starts| starts.iter().any(|start| name.starts_with(start)))?;
    i8::try_from(at + 1).ok()
}

type Read = fn(&Captures<'_>) -> Option<CalendarPeriod>;

fn number<N: std::str::FromStr>(captures: &Captures<'_>, name: &str) -> Option<N> {
    captures.name(name)?.as_str().parse().ok()
}

fn named_month(captures: &Captures<'_>) -> Option<i8> {
    month_number(captures.name("name")?.as_str())
}

/// The forms, the longest first: where two match at one place, the earlier one of this list counts. A
/// pattern that does not compile would be found by the first test.
static FORMS: LazyLock<Vec<(Regex, Read)>> = LazyLock::new(|| {
    let year = r"(?P<y>(?:19|20)\d\d)";
    let forms: [(String, Read); 8] = [
        (format!(r"{year}-(?P<m>\d\d)-(?P<d>\d\d)"), day_by_numbers),
        (format!(r"(?P<d>\d\d?)\.\s?(?P<m>\d\d?)\.\s?{year}"), day_by_numbers),
        (
            format!(r"(?P<d>\d\d?)(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<name>{MONTHS})\.?,?\s+{year}"),
            |captures| {
                CalendarPeriod::day(number(captures, "y")?, named_month(captures)?, number(captures, "d")?)
            },
        ),
        (format!(r"(?P<name>{MONTHS})\.?\s+(?P<d>\d\d?)(?:st|nd|rd|th)?,?\s+{year}"), |captures| {
            CalendarPeriod::day(number(captures, "y")?, named_month(captures)?, number(captures, "d")?)
        }),
        (format!(r"(?P<name>{MONTHS})\.?,?\s+(?:of\s+|des\s+jahres\s+)?{year}"), |captures| {
            CalendarPeriod::month(number(captures, "y")?, named_month(captures)?)
        }),
        (format!(r"{year}-(?P<m>\d\d)"), |captures| {
            CalendarPeriod::month(number(captures, "y")?, number(captures, "m")?)
        }),
        (
            format!(
                r"(?:q(?P<q>[1-4])|(?P<k>[1-4])\.\s?quartal|(?P<o>first|second|third|fourth)\s+quarter\s+of)\s*/?\s*{year}"
            ),
            quarter,
        ),
        (year.to_owned(), |captures| CalendarPeriod::year(number(captures, "y")?)),
    ];
    let compile =
        |(form, read): (String, Read)| Regex::new(&format!("(?i){form}")).ok().map(|form| (form, read));
    forms.into_iter().filter_map(compile).collect()
});

fn day_by_numbers(captures: &Captures<'_>) -> Option<CalendarPeriod> {
    CalendarPeriod::day(number(captures, "y")?, number(captures, "m")?, number(captures, "d")?)
}

fn quarter(captures: &Captures<'_>) -> Option<CalendarPeriod> {
    let of_words = || {
        let word = captures.name("o")?.as_str().to_lowercase();
        let at = ["first", "second", "third", "fourth"].iter().position(|one| *one == word)?;
        i8::try_from(at + 1).ok()
    };
    let quarter = number(captures, "q").or_else(|| number(captures, "k")).or_else(of_words)?;
    CalendarPeriod::quarter(number(captures, "y")?, quarter)
}

/// The first period that `text` names and where it stands. Digits inside a name or number (`HR-2023`,
/// `plan-2024.md`, `20241`) are none.
pub(super) fn first_period(text: &str) -> Option<(CalendarPeriod, Range<usize>)> {
    let mut best: Option<(CalendarPeriod, Range<usize>)> = None;
    for (form, read) in FORMS.iter() {
        for captures in form.captures_iter(text) {
            let Some(whole) = captures.get(0) else { continue };
            if best.as_ref().is_some_and(|(_, found)| found.start <= whole.start()) {
                break;
            }
            if let Some(period) = read(&captures).filter(|_| stands_alone(text, whole.range())) {
                best = Some((period, whole.range()));
                break;
            }
        }
    }
    best
}

fn stands_alone(text: &str, range: Range<usize>) -> bool {
    let before = text.get(..range.start).and_then(|before| before.chars().next_back());
    let mut after = text.get(range.end..).unwrap_or_default().chars();
    let (next, following) = (after.next(), after.next());
    let is_part = |one: char| one.is_alphanumeric() || matches!(one, '-' | '_' | '.' | '/' | '\\' | '#');
    let continues = match next {
        Some('.' | '-' | '/') => following.is_some_and(char::is_alphanumeric),
        Some(one) => one.is_alphanumeric() || one == '_',
        None => false,
    };
    !before.is_some_and(is_part) && !continues
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_both_languages_are_read() {
        assert_eq!(FORMS.len(), 8, "every form compiles");
        for (text, first, last) in [
            ("as of 2022-03-05?", "2022-03-05", "2022-03-05"),
            ("Stand 5.3.2022", "2022-03-05", "2022-03-05"),
            ("am 05. 03. 2022 galt", "2022-03-05", "2022-03-05"),
            ("as of March 2022", "2022-03-01", "2022-03-31"),
            ("im M\u{e4}rz 2022", "2022-03-01", "2022-03-31"),
            ("on 5 March 2022", "2022-03-05", "2022-03-05"),
            ("on the 5th of March, 2022", "2022-03-05", "2022-03-05"),
            ("on March 5th, 2022", "2022-03-05", "2022-03-05"),
            ("am 5. Dezember 2022", "2022-12-05", "2022-12-05"),
            ("in 2024-02 we", "2024-02-01", "2024-02-29"),
            ("in Q2 2023", "2023-04-01", "2023-06-30"),
            ("im 4. Quartal 2023", "2023-10-01", "2023-12-31"),
            ("the third quarter of 2023", "2023-07-01", "2023-09-30"),
            ("what applied in 2023?", "2023-01-01", "2023-12-31"),
            ("Oktober 2023 und 2024", "2023-10-01", "2023-10-31"),
        ] {
            let (period, _) = first_period(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                (period.first.to_string(), period.last.to_string()),
                (first.into(), last.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn parts_of_names_and_impossible_days_are_no_dates() {
        for text in [
            "policy HR-2023",
            "travel-policy-2024.md",
            "ISO 20241",
            "model X2024b",
            "v2024.1",
            "in 1850",
            "",
            "docs/2023/plan",
        ] {
            assert_eq!(first_period(text), None, "{text}");
        }
        // No such day, but the year is one.
        assert_eq!(first_period("on 31 February 2022").unwrap().0, CalendarPeriod::month(2022, 2).unwrap());
    }
}
