//! Periods of the calendar, which questions and documents name.

use jiff::civil::Date;

/// A day, a month, a quarter or a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CalendarPeriod {
    /// Its first day.
    pub(crate) first: Date,
    /// Its last day.
    pub(crate) last: Date,
}

impl CalendarPeriod {
    pub(crate) fn day(year: i16, month: i8, day: i8) -> Option<Self> {
        Date::new(year, month, day).ok().map(|date| Self { first: date, last: date })
    }

    pub(crate) fn month(year: i16, month: i8) -> Option<Self> {
        let first = Date::new(year, month, 1).ok()?;
        Some(Self { first, last: first.last_of_month() })
    }

    pub(crate) fn year(year: i16) -> Option<Self> {
        Some(Self { first: Date::new(year, 1, 1).ok()?, last: Date::new(year, 12, 31).ok()? })
    }

    pub(crate) fn quarter(year: i16, quarter: i8) -> Option<Self> {
        let first = Date::new(year, quarter.checked_mul(3)?.checked_sub(2)?, 1).ok()?;
        Some(Self { first, last: Date::new(year, quarter.checked_mul(3)?, 1).ok()?.last_of_month() })
    }
}
