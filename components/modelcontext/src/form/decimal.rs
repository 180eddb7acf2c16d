/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Numbers as attributes and inputs write them.

/// What [`Decimal::is_multiple_of`] can divide by.
const LARGEST_DIVISOR: u128 = u128::MAX / 10 - 1;

/// A finite number in the strict syntax of attributes, with all its digits.
///
/// <https://html.spec.whatwg.org/multipage/#valid-floating-point-number>
#[derive(Clone, Copy, Debug)]
pub(super) struct Decimal<'a> {
    /// The digits before the point.
    integer: &'a str,
    /// The digits behind it.
    fraction: &'a str,
    /// What is behind the `e`. It is cut to the range of the type, where only its sign matters.
    exponent: i64,
    /// The nearest number that a page can have.
    value: f64,
}

impl<'a> Decimal<'a> {
    /// The default of steps.
    pub(super) const ONE: Decimal<'static> = Decimal {
        integer: "1",
        fraction: "",
        exponent: 0,
        value: 1.0,
    };

    /// Reads `text`. White space, a leading plus and a trailing point are not accepted.
    pub(super) fn parse(text: &'a str) -> Option<Decimal<'a>> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (number, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, parse_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (integer, fraction) = match number.split_once('.') {
            Some((integer, fraction)) => (integer, digits(fraction)?),
            None => (digits(number)?, ""),
        };
        if !integer.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite())?;
        Some(Decimal {
            integer,
            fraction,
            exponent,
            value,
        })
    }

    /// The nearest number that a page can have.
    pub(super) fn value(&self) -> f64 {
        self.value
    }

    /// Whether `divisor` divides this without remainder, in decimals: 0.3 is a multiple of 0.1.
    ///
    /// Nothing is said to be a multiple of a number with more than 37 significant digits, except zero.
    pub(super) fn is_multiple_of(&self, divisor: &Decimal) -> bool {
        let (dividend_digits, dividend_exponent) = self.significant();
        let (divisor_digits, divisor_exponent) = divisor.significant();
        if dividend_digits.is_empty() {
            return true;
        }
        let Some(divisor) = divisor_digits
            .parse::<u128>()
            .ok()
            .filter(|divisor| (1..=LARGEST_DIVISOR).contains(divisor))
        else {
            return false;
        };
        // Neither number ends in a zero, so a dividend with the finer last digit has a remainder.
        let zeros = dividend_exponent.saturating_sub(divisor_exponent);
        if zeros < 0 {
            return false;
        }
        let mut remainder = dividend_digits.bytes().fold(0, |remainder, digit| {
            (remainder * 10 + u128::from(digit - b'0')) % divisor
        });
        // Both numbers are finite, so these are some hundreds at most.
        for _ in 0..zeros {
            if remainder == 0 {
                break;
            }
            remainder = remainder * 10 % divisor;
        }
        remainder == 0
    }

    /// The digits without zeros at either end, and the power of ten that they are to be multiplied by.
    fn significant(&self) -> (String, i64) {
        let all = format!("{}{}", self.integer, self.fraction);
        let digits = all.trim_end_matches('0');
        let exponent = self
            .exponent
            .saturating_sub_unsigned(self.fraction.len() as u64)
            .saturating_add_unsigned((all.len() - digits.len()) as u64);
        (digits.trim_start_matches('0').to_owned(), exponent)
    }
}

/// `text`, if it is one digit or more.
fn digits(text: &str) -> Option<&str> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(text)
}

/// Reads what stands behind an `e`.
fn parse_exponent(text: &str) -> Option<i64> {
    let is_negative = text.starts_with('-');
    let digits = digits(text.strip_prefix(['+', '-']).unwrap_or(text))?;
    // Only a number that is too large is refused here, the digits being checked.
    let magnitude = digits.parse::<i64>().unwrap_or(i64::MAX);
    Some(if is_negative { -magnitude } else { magnitude })
}

/// The text of a number as JavaScript has it: the shortest that reads back the same.
pub(super) fn text(value: f64) -> String {
    ryu_js::Buffer::new().format(value).to_owned()
}

#[cfg(test)]
mod tests;
