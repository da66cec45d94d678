use std::time::Duration;

use jiff::Timestamp;

/// The longest pause that is taken at its word; a day is as good as never.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// How long the provider wants to be left alone.
///
/// `retry-after-ms` goes before `retry-after`, which is a number of seconds or a date (RFC 9110, 10.2.3). A
/// date is compared with the answer's own `date` where there is one, so that a wrong clock here does not
/// matter. A header that cannot be read counts as none.
pub(super) fn pause<'a>(header: impl Fn(&str) -> Option<&'a str>, now: Timestamp) -> Option<Duration> {
    let number = |text: &str, unit_seconds: f64| {
        let seconds = text.trim().parse::<f64>().ok()? * unit_seconds;
        (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST).min(LONGEST))
    };
    if let Some(pause) = header("retry-after-ms").and_then(|text| number(text, 1e-3)) {
        return Some(pause);
    }
    let text = header("retry-after")?;
    if let Some(pause) = number(text, 1.0) {
        return Some(pause);
    }
    let now = header("date").and_then(http_date).unwrap_or(now);
    let seconds = http_date(text)?.duration_since(now).as_secs();
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)).min(LONGEST))
}

/// The three forms of RFC 9110, 5.6.7.
fn http_date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(zoned) = jiff::fmt::rfc2822::DateTimeParser::new().parse_zoned_datetime(text) {
        return Some(zoned.timestamp());
    }
    ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"].iter().find_map(|format| {
        let date = jiff::fmt::strtime::parse(format, text).ok()?.to_datetime().ok()?;
        jiff::tz::TimeZone::UTC.to_timestamp(date).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(headers: &[(&'static str, &'static str)]) -> Option<Duration> {
        let find = |name: &str| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        pause(find, "1994-11-06T08:49:30Z".parse().unwrap())
    }

    #[test]
    fn every_form_of_the_header_is_read() {
        let seven = Some(Duration::from_secs(7));
        assert_eq!(of(&[("retry-after", "7")]), seven);
        assert_eq!(
            of(&[("retry-after-ms", "250.5"), ("retry-after", "7")]),
            Some(Duration::from_micros(250_500))
        );
        for date in
            ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        {
            assert_eq!(of(&[("retry-after", date)]), seven, "{date}");
        }
    }

    #[test]
    fn a_date_is_compared_with_the_servers_clock() {
        let headers =
            [("retry-after", "Sun, 06 Nov 1994 09:00:10 GMT"), ("date", "Sun, 06 Nov 1994 09:00:00 GMT")];
        assert_eq!(of(&headers), Some(Duration::from_secs(10)));
        assert_eq!(of(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")]), Some(Duration::ZERO));
    }

    #[test]
    fn what_cannot_be_read_counts_as_none() {
        for wrong in ["", "soon", "-1", "NaN"] {
            assert_eq!(of(&[("retry-after", wrong)]), None, "{wrong}");
        }
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("retry-after", "1e300")]), Some(LONGEST));
    }
}
