//! The words of MONITOR.

use crate::domain::{Choice, Domain, Side};
use crate::settings::{MINUTE, SECOND, What};
use message::Message;
use message::words::{Word, Words};

/// The most pages of a partition, a block, a configuration area.
const MOST_PAGES: u64 = 65_535;
/// The most pages of a block.
const MOST_BLOCK: u64 = 10;
/// The bounds of the interval, in microseconds.
const INTERVAL: (u64, u64) = (SECOND, 60 * MINUTE);
/// The bounds of the rate, in microseconds.
const RATE: (u64, u64) = (50_000, 5 * MINUTE);
/// The bounds of CONFIG LIMIT, in microseconds.
const LIMIT: (u64, u64) = (SECOND, 60 * MINUTE);

/// Something that MONITOR is to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// Recording is started.
    Start {
        /// Samples, events, or both.
        sides: Vec<Side>,
        /// PARTITION: pages for events.
        partition: Option<u32>,
        /// BLOCK: pages of a block of events.
        block: Option<u32>,
    },
    /// Recording is stopped.
    Stop(Vec<Side>),
    /// Something of a domain is enabled (`on`) or disabled.
    Enable {
        /// Samples or events.
        side: Side,
        /// The domain.
        domain: Domain,
        /// What of it.
        what: What,
        /// Enabled.
        on: bool,
    },
    /// SAMPLE INTERVAL, in microseconds.
    Interval(u64),
    /// SAMPLE RATE, in microseconds; `None`: STOP.
    Rate(Option<u64>),
    /// CONFIG SIZE: pages.
    Size(Side, u32),
    /// CONFIG LIMIT, in microseconds.
    Limit(Side, u64),
}

/// What a MONITOR command says. Nothing is to be done if any of it is wrong.
pub fn orders(words: &mut Words<'_>) -> Result<Vec<Order>, Message> {
    let first = words.need()?;
    let side = match () {
        () if first.is("STARt") => return Ok(vec![start(words, Side::BOTH.to_vec(), true)?]),
        () if first.is("STOP") => {
            words.end()?;
            return Ok(vec![Order::Stop(Side::BOTH.to_vec())]);
        }
        () if first.is("SAMPle") => Side::Sample,
        () if first.is("EVENT") => Side::Event,
        () => return Err(first.invalid()),
    };
    let word = words.need()?;
    // ENABLE is what a domain alone means.
    let on = !word.is("DISAble");
    if word.is("ENable") || word.is("DISAble") {
        let domain = words.need()?;
        return enable(words, side, domain, on);
    }
    if word.is("ALL") || Domain::named(word.0, side).is_some() {
        return enable(words, side, word, true);
    }
    let mut orders = Vec::new();
    let mut next = Some(word);
    while let Some(word) = next {
        match () {
            () if word.is("STARt") => orders.push(start(words, vec![side], side == Side::Event)?),
            () if word.is("STOP") => {
                words.end()?;
                orders.push(Order::Stop(vec![side]));
            }
            () if word.is("INTERval") && side == Side::Sample => {
                orders.push(Order::Interval(time(words, "MIN", INTERVAL)?));
            }
            () if word.is("RATE") && side == Side::Sample => {
                let rate = if words.accept("STOP") { None } else { Some(time(words, "SEC", RATE)?) };
                orders.push(Order::Rate(rate));
            }
            () if word.is("CONFIG") => configuration(words, side, &mut orders)?,
            () => return Err(word.invalid()),
        }
        next = words.next();
    }
    Ok(orders)
}

fn start(words: &mut Words<'_>, sides: Vec<Side>, divides: bool) -> Result<Order, Message> {
    let (mut partition, mut block) = (None, None);
    while let Some(word) = words.next() {
        match () {
            () if word.is("PARTition") && divides => partition = Some(number(words, MOST_PAGES)?),
            () if word.is("BLOCK") && divides => block = Some(number(words, MOST_BLOCK)?),
            () => return Err(word.invalid()),
        }
    }
    Ok(Order::Start { sides, partition, block })
}

fn configuration(words: &mut Words<'_>, side: Side, orders: &mut Vec<Order>) -> Result<(), Message> {
    let before = orders.len();
    loop {
        match words.peek() {
            Some(word) if word.is("SIZE") => {
                words.next();
                orders.push(Order::Size(side, number(words, MOST_PAGES)?));
            }
            Some(word) if word.is("LIMIT") => {
                words.next();
                orders.push(Order::Limit(side, time(words, "MIN", LIMIT)?));
            }
            other if orders.len() == before => {
                return Err(other.map_or_else(message::operand_missing, |word| word.invalid()));
            }
            _ => return Ok(()),
        }
    }
}

fn number(words: &mut Words<'_>, most: u64) -> Result<u32, Message> {
    let word = words.need()?;
    let number = word.decimal().filter(|number| (1..=most).contains(number)).ok_or_else(|| word.invalid())?;
    Ok(number as u32)
}

/// `n[.nn] [MIN|SEC]`, in microseconds; `usual` is the unit of a number alone.
fn time(words: &mut Words<'_>, usual: &str, bounds: (u64, u64)) -> Result<u64, Message> {
    let word = words.need()?;
    let hundredths = hundredths(word).ok_or_else(|| word.invalid())?;
    let minutes = match words.peek() {
        Some(unit) if unit.is("MINutes") || unit.is("SEConds") => {
            words.next();
            unit.is("MINutes")
        }
        _ => usual == "MIN",
    };
    let unit = if minutes { MINUTE } else { SECOND } / 100;
    let time = hundredths.checked_mul(unit).filter(|time| (bounds.0..=bounds.1).contains(time));
    time.ok_or_else(|| word.invalid())
}

fn hundredths(word: Word<'_>) -> Option<u64> {
    let (whole, part) = word.0.split_once('.').unwrap_or((word.0, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() && part.is_empty() || part.len() > 2 || !digits(whole) || !digits(part) {
        return None;
    }
    let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
    whole.checked_mul(100)?.checked_add(format!("{part:0<2}").parse().ok()?)
}

fn enable(words: &mut Words<'_>, side: Side, word: Word<'_>, on: bool) -> Result<Vec<Order>, Message> {
    if word.is("ALL") {
        words.end()?;
        let domains = Domain::all(side).filter(|domain| !domain.is_fixed());
        return Ok(domains.map(|domain| Order::Enable { side, domain, what: What::All, on }).collect());
    }
    let domain = match Domain::named(word.0, side) {
        None => return Err(word.invalid()),
        Some(Err(name)) => return Err(message::no_monitor_domain(name.to_ascii_uppercase(), side.name())),
        Some(Ok(domain)) => domain,
    };
    if domain.is_fixed() && !on {
        return Err(message::fixed_monitor_domain(domain.name()));
    }
    let whats = match domain.choice() {
        Choice::Whole => vec![What::All],
        _ if words.accept("ALL") => vec![What::All],
        Choice::Users => users(words)?,
        Choice::Devices => devices(words)?,
    };
    words.end()?;
    Ok(whats.into_iter().map(|what| Order::Enable { side, domain, what, on }).collect())
}

fn users(words: &mut Words<'_>) -> Result<Vec<What>, Message> {
    let word = words.need()?;
    if !word.is("USERID") {
        return Err(word.invalid());
    }
    let mut users = vec![What::User(words.need_userid()?)];
    for word in words.by_ref() {
        users.push(What::User(word.userid()?));
    }
    Ok(users)
}

fn devices(words: &mut Words<'_>) -> Result<Vec<What>, Message> {
    let word = words.need()?;
    let mut whats = Vec::new();
    let first = words.need()?;
    for next in std::iter::once(first).chain(words.by_ref()) {
        whats.push(match () {
            () if word.is("DEVice") || word.is("DEVNO") => {
                let (low, high) = next.0.split_once('-').unwrap_or((next.0, next.0));
                let (low, high) = (Word(low).device(), Word(high).device());
                let (Some(low), Some(high)) = (low, high) else { return Err(next.invalid()) };
                if low > high {
                    return Err(message::invalid_range(next.upper()));
                }
                What::Devices(low, high)
            }
            () if word.is("TYPE") => What::Type(next.device().ok_or_else(|| next.invalid())?),
            // There are records of disks alone.
            () if word.is("CLASS") && next.is("DASD") => What::All,
            () if word.is("CLASS") => return Err(next.invalid()),
            () if word.is("VOLume") || word.is("VOLID") => {
                let serial = next.upper();
                if serial.len() > 6 {
                    return Err(next.invalid());
                }
                What::Volume(serial)
            }
            () => return Err(word.invalid()),
        });
    }
    Ok(whats)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Vec<Order>, String> {
        orders(&mut Words::new(line)).map_err(|message| message.to_string())
    }

    #[test]
    fn what_monitor_may_say() {
        let both = Side::BOTH.to_vec();
        assert_eq!(
            read("start partition 100 block 2"),
            Ok(vec![Order::Start { sides: both.clone(), partition: Some(100), block: Some(2) }])
        );
        assert_eq!(read("stop"), Ok(vec![Order::Stop(both)]));
        assert_eq!(read("sample interval 30 sec"), Ok(vec![Order::Interval(30 * SECOND)]));
        assert_eq!(read("sample interval 2"), Ok(vec![Order::Interval(2 * MINUTE)]));
        assert_eq!(read("sample rate .5"), Ok(vec![Order::Rate(Some(SECOND / 2))]));
        assert_eq!(read("sample rate stop"), Ok(vec![Order::Rate(None)]));
        assert_eq!(
            read("event config size 10 limit 2 start"),
            Ok(vec![
                Order::Size(Side::Event, 10),
                Order::Limit(Side::Event, 2 * MINUTE),
                Order::Start { sides: vec![Side::Event], partition: None, block: None },
            ])
        );
        let user = |name: &str, on| Order::Enable {
            side: Side::Sample,
            domain: Domain::User,
            what: What::User(name.into()),
            on,
        };
        assert_eq!(read("sample user userid a b"), Ok(vec![user("A", true), user("B", true)]));
        assert_eq!(read("sample disable user userid a"), Ok(vec![user("A", false)]));
        assert_eq!(read("sample enable all").map(|orders| orders.len()), Ok(5));
        assert_eq!(
            read("event enable i/o device 200-20f"),
            Ok(vec![Order::Enable {
                side: Side::Event,
                domain: Domain::Io,
                what: What::Devices(0x200, 0x20f),
                on: true
            }])
        );
    }

    #[test]
    fn what_it_may_not() {
        for line in [
            "",
            "frob",
            "sample",
            "sample frob",
            "sample interval",
            "sample interval 0",
            "sample interval 61 min",
            "sample interval 1.234",
            "sample interval .",
            "sample interval 99999999999999999999",
            "sample rate 0.01",
            "sample rate 6 min",
            "event interval 1",
            "event rate 1",
            "sample start block 2",
            "start block 11",
            "start partition 0",
            "sample config",
            "sample config frob",
            "sample config size 0",
            "sample enable",
            "sample enable user",
            "sample enable user frob",
            "sample enable user userid",
            "sample enable user userid toolonganame",
            "sample enable processor all",
            "sample disable system",
            "sample enable scheduler all",
            "event enable seeks device 200",
            "event enable storage",
            "sample enable isfc",
            "sample enable i/o device 20f-200",
            "sample enable i/o class tape",
            "sample enable i/o volume toolong",
            "stop now",
        ] {
            assert!(read(line).is_err(), "{line}: {:?}", read(line));
        }
        assert!(read("sample enable isfc").is_err_and(|text| text.contains("ISFC")));
        assert!(read("sample disable monitor").is_err_and(|text| text.contains("MONITOR")));
    }
}
