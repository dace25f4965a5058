//! The monitor's domains: what each is called, and whether there are samples, events, and choices in it.

use base::layout::U32;

/// A domain. The number is that of the records.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Domain {
    /// The system and its processors.
    System = 0,
    /// The monitor itself.
    Monitor = 1,
    /// The scheduler's decisions.
    Scheduler = 2,
    /// Real storage and what shares it.
    Storage = 3,
    /// Users.
    User = 4,
    /// Real processors.
    Processor = 5,
    /// Real devices.
    Io = 6,
    /// Data of programs.
    Application = 10,
}

/// What of a domain may be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// All or nothing.
    Whole,
    /// Users.
    Users,
    /// Devices.
    Devices,
}

/// A domain's row.
struct Row {
    domain: Domain,
    /// Its minimum abbreviation in capitals.
    name: &'static str,
    choice: Choice,
    samples: bool,
    events: bool,
}

const fn row(domain: Domain, name: &'static str, choice: Choice, samples: bool, events: bool) -> Row {
    Row { domain, name, choice, samples, events }
}

/// In the order in which QUERY MONITOR shows them.
static ROWS: [Row; 8] = [
    row(Domain::System, "SYSTEM", Choice::Whole, true, false),
    row(Domain::Monitor, "MONITOR", Choice::Whole, true, true),
    row(Domain::Processor, "PROCessor", Choice::Whole, true, false),
    row(Domain::Storage, "STORage", Choice::Whole, true, false),
    row(Domain::Scheduler, "SCHEDuler", Choice::Users, false, true),
    row(Domain::User, "USER", Choice::Users, true, true),
    row(Domain::Io, "I/O", Choice::Devices, true, true),
    row(Domain::Application, "APPLdata", Choice::Users, true, true),
];

/// Domains that other systems have, and this one has no records of.
static ABSENT: [&str; 4] = ["SEEKS", "NETWORK", "ISFC", "SSI"];

/// Samples or events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Samples.
    Sample,
    /// Events.
    Event,
}

impl Side {
    /// Both.
    pub const BOTH: [Side; 2] = [Side::Sample, Side::Event];

    /// `SAMPLE` or `EVENT`.
    pub fn name(self) -> &'static str {
        if self == Side::Sample { "SAMPLE" } else { "EVENT" }
    }

    /// The letter of its control elements: S or E, in EBCDIC.
    pub fn letter(self) -> u8 {
        if self == Side::Sample { 0xe2 } else { 0xc5 }
    }

    /// The class of its messages: the letter, and C if they are about configuration records, in EBCDIC.
    pub fn class(self, configuration: bool) -> u32 {
        let second = if configuration { 0xc3 } else { 0x40 };
        U32::from_bytes([self.letter(), second, 0x40, 0x40]).get()
    }
}

impl Domain {
    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.domain == self).expect("every domain has a row")
    }

    /// All that have samples, or events.
    pub fn all(side: Side) -> impl Iterator<Item = Domain> {
        ROWS.iter().filter(move |row| if side == Side::Sample { row.samples } else { row.events }).map(|row| row.domain)
    }

    /// The domain that a word means. `None`: none; an error has the name of one that there are no records of.
    pub fn named(word: &str, side: Side) -> Option<Result<Domain, &'static str>> {
        if let Some(row) = ROWS.iter().find(|row| message::words::abbreviates(word, row.name)) {
            let there = if side == Side::Sample { row.samples } else { row.events };
            return Some(if there { Ok(row.domain) } else { Err(row.name) });
        }
        ABSENT.iter().find(|name| name.eq_ignore_ascii_case(word)).map(|name| Err(*name))
    }

    /// `PROCESSOR`
    pub fn name(self) -> String {
        self.row().name.to_ascii_uppercase()
    }

    /// What of it may be chosen.
    pub fn choice(self) -> Choice {
        self.row().choice
    }

    /// Whether it is always enabled.
    pub fn is_fixed(self) -> bool {
        matches!(self, Domain::System | Domain::Monitor)
    }

    /// The bit of a control element: the first byte of the masks is the left one.
    pub fn bit(self) -> u16 {
        match self {
            Domain::System => 0x8000,
            Domain::Monitor => 0x4000,
            Domain::Scheduler => 0x2000,
            Domain::Storage => 0x1000,
            Domain::User => 0x0800,
            Domain::Processor => 0x0400,
            Domain::Io => 0x0200,
            Domain::Application => 0x0020,
        }
    }

    /// The domain of records with this number.
    pub fn of(number: u8) -> Option<Domain> {
        ROWS.iter().map(|row| row.domain).find(|domain| *domain as u8 == number)
    }
}
