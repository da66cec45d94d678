//! Version numbers and dates in the names of documents.

use std::fmt;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use crate::calendar::CalendarPeriod;

/// `2.1` as 2 and 1; compared part by part, so that 2.10 comes after 2.9.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct VersionNumber {
    parts: Vec<u32>,
}

impl VersionNumber {
    /// Reads digits separated by points, after an optional `v`; at most six parts.
    pub(super) fn read(text: &str) -> Option<Self> {
        let bare = text.trim().trim_start_matches(['v', 'V']).trim_start_matches(['.', ' ']);
        let parts: Vec<u32> = bare.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        (!parts.is_empty() && parts.len() <= 6).then_some(Self { parts })
    }

    /// Whether this is `asked` or a release of it: 2.1.3 belongs to 2.1 and to 2.
    pub(super) fn belongs_to(&self, asked: &Self) -> bool {
        self.parts.starts_with(&asked.parts)
    }

    /// The year, for a number such as 2024 that is one.
    pub(super) fn as_year(&self) -> Option<CalendarPeriod> {
        match self.parts.as_slice() {
            [year] if (1900..2100).contains(year) => CalendarPeriod::year(i16::try_from(*year).ok()?),
            _ => None,
        }
    }
}

impl fmt::Display for VersionNumber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.parts.iter().map(u32::to_string).collect();
        formatter.write_str(&parts.join("."))
    }
}

/// A name taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedVersion {
    /// The name in lower case without its version and date: the same for all versions of a document.
    pub(super) key: String,
    /// Whether a version or date stood in it.
    pub(super) has_mark: bool,
    /// The version.
    pub(super) version: Option<VersionNumber>,
    /// First day of the date.
    pub(super) date: Option<Date>,
}

static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        (?P<date>(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12]\d|3[01]))
        | (?P<month>(?:19|20)\d\d[-_](?:0[1-9]|1[0-2]))
        | (?:v|ver|version|rev|revision|fassung|release)[\s._-]?(?P<version>\d{1,4}(?:\.\d{1,4}){0,4})
        | (?P<year>(?:19|20)\d\d)
        | (?P<number>\d{1,4}(?:\.\d{1,4}){1,4})",
    )
    .ok()
});

fn is_separator(one: char) -> bool {
    one.is_whitespace() || matches!(one, '-' | '_' | '.' | '/' | '(' | ')' | '[' | ']' | ',' | ':' | '+')
}

/// Takes a title, or a path without its ending, apart. `None` when nothing with a letter remains as key.
pub(super) fn read_name(name: &str) -> Option<NamedVersion> {
    let name = name.to_lowercase();
    let mut key = String::new();
    let mut named = NamedVersion { key: String::new(), has_mark: false, version: None, date: None };
    let mut kept_from = 0;
    for found in MARK.as_ref()?.captures_iter(&name) {
        let Some(whole) = found.get(0) else { continue };
        let before = name.get(..whole.start()).and_then(|text| text.chars().next_back());
        let after = name.get(whole.end()..).and_then(|text| text.chars().next());
        if !before.is_none_or(is_separator) || !after.is_none_or(is_separator) {
            continue;
        }
        named.has_mark = true;
        let text = |group: &str| found.name(group).map(|one| one.as_str());
        let version = text("version").or_else(|| text("number")).and_then(VersionNumber::read);
        named.version = named.version.or(version);
        named.date =
            named.date.or_else(|| date_of(text("date").or_else(|| text("month")).or_else(|| text("year"))?));
        key += name.get(kept_from..whole.start()).unwrap_or_default();
        key.push(' ');
        kept_from = whole.end();
    }
    key += name.get(kept_from..).unwrap_or_default();
    // What separates words differs between versions more often than the words do; folders stay apart.
    let parts = key.split('/').map(|part| {
        part.split(|one: char| !one.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    });
    named.key = parts.collect::<Vec<_>>().join("/");
    let last = named.key.rsplit('/').next().unwrap_or_default();
    last.chars().any(char::is_alphabetic).then_some(named)
}

fn date_of(digits: &str) -> Option<Date> {
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let part = |range: std::ops::Range<usize>| digits.get(range)?.parse::<i8>().ok();
    let year: i16 = digits.get(..4)?.parse().ok()?;
    Date::new(year, part(4..6).unwrap_or(1), part(6..8).unwrap_or(1)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_one_document_have_one_key() {
        for (names, key) in [
            (
                &["policies/travel-policy-2024", "policies/Travel_Policy 2025", "policies/travel-policy"][..],
                "policies/travel policy",
            ),
            (&["api/limits-v2.1", "api/limits_v3", "api/limits (version 2.10)"][..], "api/limits"),
            (&["minutes 2024-03-01", "minutes_20240401", "minutes-2024-05"][..], "minutes"),
            (&["releases/v1.2/install", "releases/2.0/install"][..], "releases//install"),
        ] {
            for name in names {
                assert_eq!(read_name(name).unwrap().key, key, "{name}");
            }
        }
    }

    #[test]
    fn numbers_that_are_no_versions_stay_in_the_key() {
        assert_ne!(read_name("chapter-1").unwrap().key, read_name("chapter-2").unwrap().key);
        assert_ne!(read_name("HR-12 leave").unwrap().key, read_name("HR-13 leave").unwrap().key);
        assert!(!read_name("form1040ez").unwrap().has_mark);
        assert_eq!(read_name("minutes/2024-03-01"), None, "nothing but a date");
    }

    #[test]
    fn version_and_date_are_read() {
        let named = read_name("limits-v2.10").unwrap();
        assert_eq!(named.version, VersionNumber::read("2.10"));
        assert_eq!(read_name("plan 2024-03").unwrap().date, Some(Date::new(2024, 3, 1).unwrap()));
        assert_eq!(read_name("plan-20240311").unwrap().date, Some(Date::new(2024, 3, 11).unwrap()));
        let number = |text: &str| VersionNumber::read(text).unwrap();
        assert!(number("2.9") < number("2.10") && number("2.1.3").belongs_to(&number("2.1")));
        assert!(!number("2.10").belongs_to(&number("2.1")));
        assert_eq!(VersionNumber::read("2.x"), None);
    }
}
