//! What of a report is wanted: which reports, of which users and intervals.

use crate::interval::Interval;
use message::calendar::{Date, Zone};
use std::str::FromStr;

/// The reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Name {
    /// Processors, users, transactions, queues.
    System,
    /// Each user.
    User,
    /// Each disk.
    Dasd,
    /// Storage, paging and the minidisk cache.
    Paging,
    /// What virtual CPUs were found doing.
    States,
    /// Which records there are.
    Records,
}

impl Name {
    /// All of them, as they are printed, and their names.
    pub const ALL: [(Name, &'static str); 6] = [
        (Name::System, "SYSTEM"),
        (Name::User, "USER"),
        (Name::Dasd, "DASD"),
        (Name::Paging, "PAGING"),
        (Name::States, "STATES"),
        (Name::Records, "RECORDS"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Name::ALL.iter().find(|(name, _)| *name == self).map_or("", |(_, text)| text)
    }
}

impl FromStr for Name {
    type Err = String;

    fn from_str(word: &str) -> Result<Name, String> {
        let found = Name::ALL.iter().find(|(_, name)| name.eq_ignore_ascii_case(word));
        let names = || Name::ALL.map(|(_, name)| name.to_lowercase()).join(", ");
        found.map(|(name, _)| *name).ok_or_else(|| format!("there is no such report; these are: {}", names()))
    }
}

/// Which intervals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Which {
    /// All.
    #[default]
    All,
    /// By their numbers, from 1.
    Numbers(usize, usize),
    /// Those that end at such times of day, in seconds. If the second is earlier, it is on the next day.
    Times(u32, u32),
}

const WHICH: &str =
    "intervals are chosen by numbers, as 3 or 2-5, or by times of day, as 14:30-14:45 or 14:30:10-14:31";

impl FromStr for Which {
    type Err = String;

    fn from_str(text: &str) -> Result<Which, String> {
        let wrong = || WHICH.to_string();
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        if from.contains(':') {
            let ends = if to.len() == "hh:mm".len() { 59 } else { 0 };
            let (from, to) = (time_of_day(from).ok_or_else(wrong)?, time_of_day(to).ok_or_else(wrong)?);
            return Ok(Which::Times(from, to + ends));
        }
        let number = |word: &str| word.parse().ok().filter(|&n: &usize| n > 0).ok_or_else(wrong);
        let (from, to) = (number(from)?, number(to)?);
        if from <= to { Ok(Which::Numbers(from, to)) } else { Err(wrong()) }
    }
}

/// Seconds of `hh:mm` or `hh:mm:ss`.
fn time_of_day(text: &str) -> Option<u32> {
    let two = |word: &str, most: u32| {
        let good = word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit());
        word.parse().ok().filter(|&n: &u32| good && n <= most)
    };
    let mut words = text.split(':');
    let (hour, minute) = (two(words.next()?, 23)?, two(words.next()?, 59)?);
    let second = words.next().map_or(Some(0), |word| two(word, 59))?;
    words.next().is_none().then_some(hour * 3600 + minute * 60 + second)
}

/// What is wanted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choice {
    /// Which reports; none: all.
    pub reports: Vec<Name>,
    /// Which users; none: all.
    pub users: Vec<String>,
    /// Tables of users, disks and states for each interval, too.
    pub each: bool,
    /// Which intervals.
    pub which: Which,
}

/// What was chosen is not there.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoSuch {
    /// No interval is so.
    #[error("no such interval is there: there are {count}, which end at {first} to {last}")]
    Interval {
        /// How many there are.
        count: usize,
        /// When the first ends.
        first: String,
        /// When the last does.
        last: String,
    },
    /// No records of a user.
    #[error("there are no records of user {0}: MONITOR SAMPLE ENABLE USER ALL records all users")]
    User(String),
}

impl Choice {
    /// Whether a report is wanted.
    pub fn has(&self, name: Name) -> bool {
        self.reports.is_empty() || self.reports.contains(&name)
    }

    /// The intervals that are wanted, with their numbers.
    pub(crate) fn intervals<'a>(&self, all: &'a [Interval], zone: &Zone) -> Result<Vec<(usize, &'a Interval)>, NoSuch> {
        let wanted = |number: usize, interval: &Interval| match self.which {
            Which::All => true,
            Which::Numbers(from, to) => (from..=to).contains(&number),
            Which::Times(from, to) => {
                let date = Date::at(interval.to, zone);
                let second = (date.hour * 3600 + date.minute * 60 + date.second) as u32;
                if from <= to { (from..=to).contains(&second) } else { second >= from || second <= to }
            }
        };
        let numbered = all.iter().enumerate().map(|(n, interval)| (n + 1, interval));
        let found: Vec<_> = numbered.filter(|(number, interval)| wanted(*number, interval)).collect();
        let end = |interval: Option<&Interval>| interval.map_or(String::new(), |i| Date::at(i.to, zone).time());
        match found.is_empty() {
            true => Err(NoSuch::Interval { count: all.len(), first: end(all.first()), last: end(all.last()) }),
            false => Ok(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose() {
        assert_eq!("Dasd".parse(), Ok(Name::Dasd));
        assert!("disk".parse::<Name>().unwrap_err().contains("system, user, dasd"));
        assert_eq!("3".parse(), Ok(Which::Numbers(3, 3)));
        assert_eq!("2-5".parse(), Ok(Which::Numbers(2, 5)));
        assert_eq!("14:30-14:45".parse(), Ok(Which::Times(52_200, 53_159)), "the minute that is named is among them");
        assert_eq!("23:59:58-00:00:01".parse(), Ok(Which::Times(86_398, 1)));
        for wrong in ["", "0", "5-2", "a", "1-", "-", "24:00-25:00", "1:30-2:30", "10:00:00:00-11:00"] {
            assert!(wrong.parse::<Which>().is_err(), "{wrong}");
        }
    }
}
