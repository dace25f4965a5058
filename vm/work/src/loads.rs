//! The loads that come with the program.

use crate::load::{Load, LoadError};

/// Their names and texts.
pub const LOADS: &[(&str, &str)] =
    &[("fs7e-c", include_str!("../loads/fs7e-c.toml")), ("lines", include_str!("../loads/lines.toml"))];

/// The text of one.
pub fn text(name: &str) -> Option<&'static str> {
    LOADS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, text)| *text)
}

/// One, which has no mistake.
pub fn load(name: &str) -> Option<Result<Load, LoadError>> {
    text(name).map(|text| Load::parse(name, text))
}
