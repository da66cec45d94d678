/// `YYYY-MM-DD` (UTC) of a moment. Days to civil date by Howard Hinnant's algorithm
/// (<https://howardhinnant.github.io/date_algorithms.html>, `civil_from_days`).
pub(crate) fn date_of_unix_ms(unix_ms: i64) -> String {
    const MS_A_DAY: i64 = 86_400_000;
    const DAYS_AN_ERA: i64 = 146_097;
    // Counted from 0000-03-01, so that a leap day is the last of its year.
    let days = unix_ms.div_euclid(MS_A_DAY) + 719_468;
    let era = days.div_euclid(DAYS_AN_ERA);
    let day_of_era = days.rem_euclid(DAYS_AN_ERA);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        for (unix_ms, date) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (951_782_400_000, "2000-02-29"),
            (951_868_800_000, "2000-03-01"),
            (1_735_689_599_999, "2024-12-31"),
            (4_107_542_400_000, "2100-03-01"),
        ] {
            assert_eq!(date_of_unix_ms(unix_ms), date);
        }
    }
}
