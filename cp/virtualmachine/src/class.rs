//! Privilege classes: which users may use which command.
//!
//! A user's classes stand in the USER statement (letters A–Z and digits 1–6); a row of the command table names
//! the classes that may use the command. Class ANY is every user, whatever the directory says.

use std::fmt;

/// A set of privilege classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Classes(u32);

impl Classes {
    /// Every user, classes or none.
    pub const ANY: Classes = Classes(u32::MAX);
    /// No user.
    pub const NONE: Classes = Classes(0);

    /// The classes named by the letters and digits of `text`; other characters name none.
    pub const fn of(text: &str) -> Classes {
        let bytes = text.as_bytes();
        let (mut set, mut i) = (0, 0);
        while i < bytes.len() {
            set |= match bytes[i] {
                letter @ b'A'..=b'Z' => 1 << (letter - b'A'),
                letter @ b'a'..=b'z' => 1 << (letter - b'a'),
                digit @ b'1'..=b'6' => 1 << (26 + digit - b'1'),
                _ => 0,
            };
            i += 1;
        }
        Classes(set)
    }

    /// These classes and others.
    pub const fn with(self, others: Classes) -> Classes {
        Classes(self.0 | others.0)
    }

    /// These classes but not the others.
    pub const fn without(self, others: Classes) -> Classes {
        Classes(self.0 & !others.0)
    }

    /// Whether a user with these classes may use something allowed to `allowed`.
    pub fn meets(self, allowed: Classes) -> bool {
        allowed == Classes::ANY || self.0 & allowed.0 != 0
    }
}

impl From<directory::Classes> for Classes {
    /// The directory counts the same letters the same way.
    fn from(classes: directory::Classes) -> Classes {
        Classes(classes.0)
    }
}

impl fmt::Display for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Classes::ANY {
            return f.write_str("ANY");
        }
        let names = ('A'..='Z').chain('1'..='6').enumerate();
        names.filter(|(n, _)| self.0 >> n & 1 != 0).try_for_each(|(_, c)| write!(f, "{c}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_is_open_to_a_user_without_classes() {
        assert!(Classes::NONE.meets(Classes::ANY));
        assert!(!Classes::of("G").meets(Classes::of("AB")));
        assert!(Classes::of("BG").meets(Classes::of("AB")));
        assert_eq!(Classes::of("ga1").to_string(), "AG1");
    }
}
