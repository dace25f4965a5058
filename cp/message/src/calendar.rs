//! Dates as VM writes them: `14:08:16 EST WEDNESDAY 11/20/91`.
//!
//! Local time is the TOD clock plus a fixed offset from the system configuration, so a virtual clock gives the same
//! text everywhere.

use base::Tod;

/// The system's time zone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Zone {
    /// The three or four letters after a time.
    pub name: String,
    /// Seconds east of Greenwich.
    pub offset: i32,
}

impl Default for Zone {
    fn default() -> Zone {
        Zone { name: "UTC".into(), offset: 0 }
    }
}

/// A time of day on a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Date {
    /// The year, with its century.
    pub year: i64,
    /// 1 is January.
    pub month: u32,
    /// The day of the month, from 1.
    pub day: u32,
    /// 0 is Sunday.
    pub weekday: usize,
    /// 0 to 23.
    pub hour: u64,
    /// 0 to 59.
    pub minute: u64,
    /// 0 to 59.
    pub second: u64,
}

const WEEKDAYS: [&str; 7] = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"];

impl Date {
    /// The local date and time at `tod`.
    pub fn at(tod: Tod, zone: &Zone) -> Date {
        let seconds = (tod.unix_nanos() / 1_000_000_000) as i64 + i64::from(zone.offset);
        let (days, in_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400) as u64);
        // Days are counted from 0000-03-01 in eras of 400 years, so that the leap day ends a year.
        let shifted = days + 719_468;
        let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 } as u32;
        Date {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month,
            day: (day_of_year - (153 * shifted_month + 2) / 5 + 1) as u32,
            weekday: (days + 4).rem_euclid(7) as usize,
            hour: in_day / 3600,
            minute: in_day / 60 % 60,
            second: in_day % 60,
        }
    }

    /// `14:08:16`
    pub fn time(&self) -> String {
        format!("{:02}:{:02}:{:02}", self.hour, self.minute, self.second)
    }

    /// `11/20/91`
    pub fn short(&self) -> String {
        format!("{:02}/{:02}/{:02}", self.month, self.day, self.year.rem_euclid(100))
    }

    /// `11/20`
    pub fn month_day(&self) -> String {
        format!("{:02}/{:02}", self.month, self.day)
    }

    /// `1991-11-20`
    pub fn iso(&self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }

    /// `11/20/1991`
    pub fn full(&self) -> String {
        format!("{:02}/{:02}/{:04}", self.month, self.day, self.year)
    }

    /// `14:08:16 EST WEDNESDAY 11/20/91`
    pub fn long(&self, zone: &Zone) -> String {
        format!("{} {} {} {}", self.time(), zone.name, WEEKDAYS[self.weekday], self.short())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wednesday_in_endicott() {
        let tod = Tod::from_unix_nanos(690_664_096 * 1_000_000_000);
        let zone = Zone { name: "EST".into(), offset: -5 * 3600 };
        assert_eq!(Date::at(tod, &zone).long(&zone), "14:08:16 EST WEDNESDAY 11/20/91");
        let leap = Date::at(Tod::from_unix_nanos(951_782_400 * 1_000_000_000), &Zone::default());
        assert_eq!((leap.iso(), leap.weekday), ("2000-02-29".into(), 2));
    }
}
