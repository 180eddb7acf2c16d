/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use super::*;

/// The number that `text` stands for.
fn decimal(text: &str) -> Decimal<'_> {
    Decimal::parse(text).unwrap_or_else(|| panic!("{text} is a number"))
}

#[test]
fn numbers_in_the_strict_syntax_are_read() {
    let cases = [
        ("0", 0.0),
        ("-0", 0.0),
        ("007", 7.0),
        (".5", 0.5),
        ("-.5", -0.5),
        ("1.50", 1.5),
        ("1e2", 100.0),
        ("1E+2", 100.0),
        ("25e-1", 2.5),
        (".5e1", 5.0),
        ("0e99999999999999999999", 0.0),
        ("1e-99999999999999999999", 0.0),
        ("9007199254740993", 9_007_199_254_740_992.0),
    ];
    for (text, value) in cases {
        assert_eq!(decimal(text).value(), value, "{text}");
    }
}

#[test]
fn other_texts_are_no_numbers() {
    let texts = [
        "",
        "-",
        ".",
        "-.",
        "5.",
        "-5.",
        "5.e1",
        "+5",
        " 5",
        "5 ",
        "--5",
        "1.2.3",
        "1e",
        "1e+",
        "1e1.5",
        "e1",
        ".e1",
        "1e2e3",
        "x",
        "0x10",
        "1_000",
        "1,5",
        "inf",
        "Infinity",
        "NaN",
        "\u{664}",
        "1e400",
        "-1e400",
        "1e99999999999999999999",
    ];
    for text in texts {
        assert!(Decimal::parse(text).is_none(), "{text}");
    }
}

#[test]
fn multiples_are_those_of_decimals() {
    let cases = [
        ("0", "1"),
        ("-0.0", "0.7"),
        ("3", "1"),
        ("0.3", "0.1"),
        ("0.9", "0.3"),
        ("0.05", "0.01"),
        ("-0.9", ".30"),
        ("1e3", "250"),
        ("1000", "1e3"),
        ("1.50", "0.5"),
        ("1e308", "1e-300"),
        ("1e308", "5e-324"),
        ("12e-1", "0.4"),
        ("0", "0.12345678901234567890123456789012345678901234567890"),
        ("1e22", "4"),
        ("0e99999999999999999999", "3"),
    ];
    for (number, divisor) in cases {
        assert!(
            decimal(number).is_multiple_of(&decimal(divisor)),
            "{number} of {divisor}"
        );
    }
}

#[test]
fn numbers_with_a_remainder_are_no_multiples() {
    let cases = [
        ("1", "0.3"),
        ("3", "5"),
        ("0.5", "1"),
        ("10", "4"),
        ("1e-308", "1"),
        ("1e308", "3"),
        ("7", "7000"),
        ("0.1000000000000000000000001", "0.1"),
        ("1e-99999999999999999999", "1"),
        ("1", "0.12345678901234567890123456789012345678901234567890"),
        ("1", "0"),
    ];
    for (number, divisor) in cases {
        assert!(
            !decimal(number).is_multiple_of(&decimal(divisor)),
            "{number} of {divisor}"
        );
    }
}

#[test]
fn the_longest_divisor_is_divided_by() {
    let divisor = "9".repeat(37);
    assert!(decimal(&divisor.repeat(20)[..74]).is_multiple_of(&decimal(&divisor)));
}

#[test]
fn a_divisor_may_be_too_long_to_tell() {
    let divisor = "9".repeat(38);
    assert!(decimal("0").is_multiple_of(&decimal(&divisor)));
    assert!(!decimal(&divisor).is_multiple_of(&decimal(&divisor)));
}

#[test]
fn a_long_number_takes_one_step_for_each_digit() {
    let long = "3".repeat(300);
    assert!(decimal(&long).is_multiple_of(&decimal("3")));
    let fraction = format!("0.{}", "3".repeat(1_000_000));
    assert!(!decimal(&fraction).is_multiple_of(&decimal("3")));
    assert!(!decimal("3").is_multiple_of(&decimal(&fraction)));
}

#[test]
fn the_text_of_a_number_is_the_one_of_javascript() {
    let cases = [
        (0.0, "0"),
        (-0.0, "0"),
        (3.0, "3"),
        (-1.5, "-1.5"),
        (0.05, "0.05"),
        (100.0, "100"),
        (2_147_483_648.0, "2147483648"),
        (1_234_567.89, "1234567.89"),
        (33.333_333_333_333_336, "33.333333333333336"),
        (9_007_199_254_740_992.0, "9007199254740992"),
        (123_456_789_012_345_680_000.0, "123456789012345680000"),
        (1e21, "1e+21"),
        (1e-7, "1e-7"),
        (1e308, "1e+308"),
    ];
    for (value, expected) in cases {
        assert_eq!(text(value), expected);
    }
}
