/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Texts of dates and times, as the values of inputs are written.
//!
//! <https://html.spec.whatwg.org/multipage/#dates-and-times>, with years of exactly four digits: the
//! engine has no others.

use std::str::FromStr;

use time::{Date, Month, Time, Weekday};

/// Whether `text` is a date, such as `2026-02-28`.
pub(super) fn is_date(text: &str) -> bool {
    parse_date(text).is_some()
}

/// Whether `text` is a month, such as `2026-02`.
pub(super) fn is_month(text: &str) -> bool {
    parse_month(text).is_some()
}

/// Whether `text` is a week, such as `2026-W53`, which only some years have.
pub(super) fn is_week(text: &str) -> bool {
    parse_week(text).is_some()
}

/// Whether `text` is a time, such as `10:30`, with or without seconds and their fraction.
pub(super) fn is_time(text: &str) -> bool {
    parse_time(text).is_some()
}

/// The normal form of a date and time, such as `2026-02-28T10:30`; it may be given with a space for
/// the `T`, and with a longer time than it needs.
pub(super) fn normalize_local_date_and_time(text: &str) -> Option<String> {
    let (date, time) = text.split_once(['T', ' '])?;
    parse_date(date)?;
    let shortest = shortest_time(parse_time(time)?);
    Some(format!("{date}T{shortest}"))
}

fn parse_date(text: &str) -> Option<Date> {
    let (month, day) = text.rsplit_once('-')?;
    let (year, month) = parse_month(month)?;
    Date::from_calendar_date(year, month, digits(day, 2)?).ok()
}

fn parse_month(text: &str) -> Option<(i32, Month)> {
    let (year, month) = text.split_once('-')?;
    let month = digits::<u8>(month, 2)?;
    Some((parse_year(year)?, Month::try_from(month).ok()?))
}

fn parse_week(text: &str) -> Option<Date> {
    let (year, week) = text.split_once("-W")?;
    Date::from_iso_week_date(parse_year(year)?, digits(week, 2)?, Weekday::Monday).ok()
}

fn parse_year(text: &str) -> Option<i32> {
    digits(text, 4).filter(|year| *year > 0)
}

fn parse_time(text: &str) -> Option<Time> {
    let (hour, rest) = text.split_once(':')?;
    let (minute, second) = rest.split_once(':').unwrap_or((rest, "00"));
    let (second, millisecond) = match second.split_once('.') {
        Some((second, fraction)) => (second, parse_fraction(fraction)?),
        None => (second, 0),
    };
    Time::from_hms_milli(
        digits(hour, 2)?,
        digits(minute, 2)?,
        digits(second, 2)?,
        millisecond,
    )
    .ok()
}

/// The milliseconds that `text` stands for behind the point.
fn parse_fraction(text: &str) -> Option<u16> {
    let one = digits::<u16>(text, 1).map(|tenths| tenths * 100);
    let two = || digits::<u16>(text, 2).map(|hundredths| hundredths * 10);
    one.or_else(two).or_else(|| digits(text, 3))
}

/// `text` as a number, if it is exactly that many digits.
fn digits<Number: FromStr>(text: &str, count: usize) -> Option<Number> {
    let is_number = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

fn shortest_time(time: Time) -> String {
    let (hour, minute, second, millisecond) = time.as_hms_milli();
    let minutes = format!("{hour:02}:{minute:02}");
    match (second, millisecond) {
        (0, 0) => minutes,
        (_, 0) => format!("{minutes}:{second:02}"),
        _ => {
            let fraction = format!("{millisecond:03}");
            format!("{minutes}:{second:02}.{}", fraction.trim_end_matches('0'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_of_the_calendar() {
        for text in [
            "2026-02-03",
            "0001-01-01",
            "9999-12-31",
            "2024-02-29",
            "2000-02-29",
        ] {
            assert!(is_date(text), "{text}");
        }
        let others = [
            "",
            "2026-2-3",
            "2026-02-30",
            "2026-13-01",
            "2026-00-01",
            "2026-01-00",
            "2026-02-29",
            "1900-02-29",
            " 2026-02-03",
            "2026-02-03 ",
            "02/03/2026",
            "0000-01-01",
            "10000-01-01",
            "02026-01-01",
            "+2026-01-01",
            "-2026-01-01",
            "2026-02-03-04",
            "2026-02",
            "2026--03",
            "2026-02-\u{663}",
            "é026-02-03",
        ];
        for text in others {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn months_are_those_of_a_year() {
        for text in ["2026-01", "2026-12", "0001-01", "9999-12"] {
            assert!(is_month(text), "{text}");
        }
        for text in [
            "",
            "2026-13",
            "2026-00",
            "2026-1",
            "0000-01",
            "2026-02-03",
            "February 2026",
            "2026-+1",
            "2026-",
        ] {
            assert!(!is_month(text), "{text}");
        }
    }

    #[test]
    fn week_53_is_in_years_that_have_it() {
        for text in [
            "2026-W05", "2026-W53", "2020-W53", "2025-W52", "0001-W01", "9999-W52",
        ] {
            assert!(is_week(text), "{text}");
        }
        let others = [
            "",
            "2026-W54",
            "2025-W53",
            "2026-W00",
            "2026-05",
            "2026-W5",
            "2026-w05",
            "2026-",
            "2026-é5",
            "2026W05",
            "0000-W01",
            "2026-W05-1",
            "10000-W01",
            "9999-W53",
        ];
        for text in others {
            assert!(!is_week(text), "{text}");
        }
    }

    #[test]
    fn times_are_those_of_a_day() {
        let times = [
            "00:00",
            "23:59",
            "11:30:00",
            "11:30:59",
            "11:30:15.5",
            "11:30:15.05",
            "11:30:15.005",
        ];
        for text in times {
            assert!(is_time(text), "{text}");
        }
        let others = [
            "",
            "1:30",
            "24:00",
            "11:60",
            "11:30:60",
            "11:30:",
            "11:30:15.",
            "11:30:15.5555",
            " 11:30",
            "11:30Z",
            "11",
            "11:30:15:00",
            "11.5:30",
            "+1:30",
            "11:30 pm",
        ];
        for text in others {
            assert!(!is_time(text), "{text}");
        }
    }

    #[test]
    fn dates_with_times_get_their_normal_form() {
        let cases = [
            ("2026-02-03T10:00", "2026-02-03T10:00"),
            ("2026-02-03 10:00", "2026-02-03T10:00"),
            ("2026-02-03T10:00:00.000", "2026-02-03T10:00"),
            ("2026-02-03 10:00:07", "2026-02-03T10:00:07"),
            ("2026-02-03T10:00:07.050", "2026-02-03T10:00:07.05"),
            ("2026-02-03T10:00:00.5", "2026-02-03T10:00:00.5"),
            ("2026-02-03T10:00:07.05", "2026-02-03T10:00:07.05"),
            ("2026-02-03T10:00:07.005", "2026-02-03T10:00:07.005"),
        ];
        for (text, normal) in cases {
            assert_eq!(normalize_local_date_and_time(text).as_deref(), Some(normal));
        }
        let others = [
            "",
            "x",
            "2026-02-03",
            "2026-02-03T10:00Z",
            "2026-02-03T",
            "T10:00",
            "2026-02-03t10:00",
            "2026-02-03  10:00",
            "2026-02-03T 10:00",
            "2026-02-30T10:00",
            "2026-02-03T25:00",
        ];
        for text in others {
            assert_eq!(normalize_local_date_and_time(text), None, "{text}");
        }
    }
}
