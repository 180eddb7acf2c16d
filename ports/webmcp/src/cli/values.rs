/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the options of the command line take.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::time::Duration;

use servo::{PrefValue, Preferences};
use url::{Origin, Url};

/// The longest side of a viewport, in pixels: what software rendering can be trusted with.
const LONGEST_SIDE: u32 = 8192;

/// The longest timeout: a day.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// The size of a viewport, in pixels.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

impl Default for Size {
    fn default() -> Self {
        Self {
            width: 1024,
            height: 768,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}x{}", self.width, self.height)
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side = |digits: &str| {
            digits
                .parse::<u32>()
                .ok()
                .filter(|side| (1..=LONGEST_SIDE).contains(side))
        };
        text.split_once(['x', 'X'])
            .and_then(|(width, height)| {
                Some(Self {
                    width: side(width)?,
                    height: side(height)?,
                })
            })
            .ok_or_else(|| format!("write it as 1024x768; each side is 1 to {LONGEST_SIDE}"))
    }
}

/// What somebody waits for in a list of tools.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ToolsWanted {
    /// A tool of this name.
    Named(String),
    /// So many tools.
    Many(usize),
}

impl FromStr for ToolsWanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            _ if text.is_empty() => Err("name a tool, or a number of tools".to_owned()),
            Ok(count) if count > 0 => Ok(Self::Many(count)),
            _ if is_number => Err("that is no number of tools to wait for".to_owned()),
            _ => Ok(Self::Named(text.to_owned())),
        }
    }
}

impl fmt::Display for ToolsWanted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => write!(formatter, "`{name}`"),
            Self::Many(1) => formatter.write_str("a tool"),
            Self::Many(count) => write!(formatter, "{count} tools"),
        }
    }
}

/// Where a frame is: the index of each frame on the way from the top document, which is the empty path.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FramePath(pub Vec<usize>);

impl FromStr for FramePath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "top" {
            return Ok(Self(Vec::new()));
        }
        text.split('.')
            .map(|index| index.parse())
            .collect::<Result<_, _>>()
            .map(Self)
            .map_err(|_| "write it as `top`, `0`, `0.1`, …".to_owned())
    }
}

/// How [`FramePath`] writes a path.
pub fn frame_name(path: &[usize]) -> String {
    if path.is_empty() {
        return "top".to_owned();
    }
    path.iter()
        .map(usize::to_string)
        .collect::<Vec<_>>()
        .join(".")
}

pub(super) fn parse_timeout(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|timeout| !timeout.is_zero() && *timeout <= LONGEST_TIMEOUT)
        .ok_or_else(|| {
            format!(
                "a number of seconds above 0 and up to {} is needed",
                LONGEST_TIMEOUT.as_secs()
            )
        })
}

pub(super) fn parse_socket_address(text: &str) -> Result<SocketAddr, String> {
    if let Some(port) = text.strip_prefix("localhost:") {
        return port
            .parse()
            .map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
            .map_err(|_| "the port is a number from 0 to 65535".to_owned());
    }
    text.parse()
        .map_err(|_| "write it as 127.0.0.1:8931, [::1]:8931 or localhost:8931".to_owned())
}

/// An origin as a browser sends it. `:*` stands for all ports.
pub(super) fn parse_origin(text: &str) -> Result<String, String> {
    let wrong = || "write it as https://example.com or http://localhost:6274".to_owned();
    let (base, ports) = text
        .strip_suffix(":*")
        .map_or((text, ""), |base| (base, ":*"));
    let url = Url::parse(base).map_err(|_| wrong())?;
    let origin = url.origin();
    // An address with a path could be meant to allow less than all pages of its origin, which cannot be.
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    match origin {
        Origin::Tuple(..) if is_bare => Ok(format!("{}{ports}", origin.ascii_serialization())),
        _ => Err(wrong()),
    }
}

/// A host, perhaps with a port, as clients send it.
pub(super) fn parse_host(text: &str) -> Result<String, String> {
    let url = Url::parse(&format!("http://{text}/")).ok();
    let is_bare = !text.contains(['/', '\\', '?', '#', '@']);
    url.filter(|url| is_bare && url.has_host())
        .map(|_| text.to_owned())
        .ok_or_else(|| "write it as tools.example or tools.example:8931".to_owned())
}

/// A user agent, as it can stand in a header.
pub(super) fn parse_user_agent(text: &str) -> Result<String, String> {
    let is_printable = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    if text.trim() == text && !text.is_empty() && text.bytes().all(is_printable) {
        Ok(text.to_owned())
    } else {
        Err("it consists of ASCII letters, digits, punctuation, and blanks between them".to_owned())
    }
}

/// A preference that the engine has, with a value of its type.
pub(super) fn parse_preference(text: &str) -> Result<(String, PrefValue), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    if !Preferences::exists(name) {
        return Err(format!("the engine has no preference `{name}`"));
    }
    // The engine gives the types by the names that the compiler has for them, and panics at a value of another type.
    let (parsed, wanted) = match Preferences::type_of(name) {
        "bool" => (value.parse().ok().map(PrefValue::Bool), "true or false"),
        "i64" => (value.parse().ok().map(PrefValue::Int), "an integer"),
        "u64" => (
            value.parse().ok().map(PrefValue::UInt),
            "an integer that is not negative",
        ),
        "f64" => (value.parse().ok().map(PrefValue::Float), "a number"),
        "alloc::string::String" => (Some(PrefValue::Str(value.to_owned())), "a text"),
        "[f64; 4]" => (numbers(value), "four numbers with commas between them"),
        other => {
            return Err(format!(
                "`{name}` is of a type that cannot be given: {other}"
            ));
        }
    };
    parsed
        .map(|value| (name.to_owned(), value))
        .ok_or_else(|| format!("the value of `{name}` is {wanted}"))
}

fn numbers(text: &str) -> Option<PrefValue> {
    let numbers = text
        .split(',')
        .map(|number| number.trim().parse().ok().map(PrefValue::Float))
        .collect::<Option<Vec<_>>>()?;
    (numbers.len() == 4).then_some(PrefValue::Array(numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preference_has_a_value_of_its_type() {
        for (text, value) in [
            ("dom_modelcontext_enabled=false", PrefValue::Bool(false)),
            ("fonts_default_size=-7", PrefValue::Int(-7)),
            ("network_connection_timeout=7", PrefValue::UInt(7)),
            ("user_agent=a=b", PrefValue::Str("a=b".to_owned())),
            ("intl_locale_override=", PrefValue::Str(String::new())),
        ] {
            let (name, _) = text.split_once('=').expect("it has both");
            assert_eq!(parse_preference(text), Ok((name.to_owned(), value)));
        }
        for wrong in [
            "",
            "=",
            "dom_modelcontext_enabled",
            "dom_modelcontext_enabled=1",
            "fonts_default_size=big",
            "network_connection_timeout=-1",
            "nonsense=true",
        ] {
            assert!(parse_preference(wrong).is_err(), "{wrong}");
        }
    }

    /// The engine panics at a value of a type that is not the preference's, so each type must be known.
    #[test]
    fn every_preference_can_be_set() {
        let mut preferences = Preferences::default();
        for name in Preferences::all_fields() {
            let is_taken = ["true", "1", "1.5", "0,0,0,1", "text"]
                .into_iter()
                .filter_map(|value| parse_preference(&format!("{name}={value}")).ok())
                .inspect(|(name, value)| preferences.set_value(name, value.clone()))
                .count();
            assert!(is_taken > 0, "{name}: {}", Preferences::type_of(name));
        }
    }

    #[test]
    fn a_user_agent_can_stand_in_a_header() {
        assert_eq!(
            parse_user_agent("Mine/1.0 (x; y)"),
            Ok("Mine/1.0 (x; y)".to_owned())
        );
        for wrong in ["", " ", " a", "a\nb", "a\u{7f}", "\u{e4}"] {
            assert!(parse_user_agent(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_size_is_two_sides_within_bounds() {
        assert_eq!(
            "800x600".parse(),
            Ok(Size {
                width: 800,
                height: 600
            })
        );
        for wrong in [
            "", "800", "800x", "x600", "0x600", "800x0", "8193x1", "-1x5", "8 x 6", "1x2x3",
        ] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_default_size_is_the_one_that_the_help_names() {
        assert_eq!("1024x768".parse(), Ok(Size::default()));
    }

    #[test]
    fn a_frame_path_reads_back_as_it_is_written() {
        for path in [vec![], vec![0], vec![0, 12, 3]] {
            assert_eq!(frame_name(&path).parse(), Ok(FramePath(path)));
        }
        for wrong in ["", "a", "0.", ".0", "-1", "top.0"] {
            assert!(wrong.parse::<FramePath>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn tools_are_waited_for_by_name_or_number() {
        for (text, wanted, shown) in [
            (
                "search",
                ToolsWanted::Named("search".to_owned()),
                "`search`",
            ),
            ("3d", ToolsWanted::Named("3d".to_owned()), "`3d`"),
            ("1", ToolsWanted::Many(1), "a tool"),
            ("12", ToolsWanted::Many(12), "12 tools"),
        ] {
            assert_eq!(text.parse(), Ok(wanted.clone()));
            assert_eq!(wanted.to_string(), shown);
        }
        for wrong in ["", "0", "99999999999999999999999"] {
            assert!(wrong.parse::<ToolsWanted>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_timeout_is_a_positive_number_of_seconds() {
        assert_eq!(parse_timeout("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["0", "-1", "nan", "inf", "1e300", "", "5s", "86401"] {
            assert!(parse_timeout(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_address_to_listen_at_has_a_port() {
        for (text, address) in [
            ("127.0.0.1:8931", "127.0.0.1:8931"),
            ("[::1]:0", "[::1]:0"),
            ("localhost:8931", "127.0.0.1:8931"),
        ] {
            assert_eq!(
                parse_socket_address(text).map(|address| address.to_string()),
                Ok(address.to_owned())
            );
        }
        for wrong in [
            "",
            "8931",
            "127.0.0.1",
            "localhost",
            "localhost:x",
            "1.2.3.4:65536",
            "http://[::1]:1",
        ] {
            assert!(parse_socket_address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_origin_is_written_as_a_browser_sends_it() {
        for (text, origin) in [
            ("https://Example.com/", "https://example.com"),
            ("https://example.com:443", "https://example.com"),
            ("http://localhost:6274", "http://localhost:6274"),
            ("http://localhost:*", "http://localhost:*"),
        ] {
            assert_eq!(parse_origin(text), Ok(origin.to_owned()));
        }
        for wrong in [
            "",
            "*",
            "null",
            "example.com",
            "data:,x",
            "https://a.example/path",
            "https://a.example/?x",
        ] {
            assert!(parse_origin(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_host_is_a_name_with_perhaps_a_port() {
        for host in [
            "tools.example",
            "tools.example:8931",
            "192.0.2.1:80",
            "[2001:db8::1]:80",
        ] {
            assert_eq!(parse_host(host), Ok(host.to_owned()));
        }
        for wrong in [
            "",
            "http://tools.example",
            "tools.example/mcp",
            "a b",
            "me@tools.example",
            "tools.example:x",
        ] {
            assert!(parse_host(wrong).is_err(), "{wrong}");
        }
    }
}
