//! QUERY TIME, CPLEVEL, USERID, COMMANDS, LOGMSG: the system and the moment.

use super::super::{COMMANDS, Issuer, Response, find};
use crate::system::Cp;
use base::Held;
use iucv::records::KINDS;
use message::Message;
use message::calendar::Date;
use message::words::Words;

/// `Query TIme`
///
/// Shows the date and time, and how long you have been logged on: connect time, virtual processor time, total processor
/// time.
pub fn time(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let connected = cp.now().micros_since(issuer.vmdbk.logged_on);
    Ok(vec![format!("TIME IS {}", cp.long_date()), monitor::account::line(connected, issuer.vmdbk.times())].into())
}

/// `Query CPLevel`
///
/// Shows which level of CP this is, and when it was brought up.
pub fn cp_level(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let ipl = Date::at(cp.started, &cp.config.zone);
    Ok(vec![
        format!("Endicott Version {}, service level 0000 (64-bit)", env!("CARGO_PKG_VERSION")),
        format!("IPL at {} {} {}", ipl.short(), ipl.time(), cp.config.zone.name),
    ]
    .into())
}

/// `Query USERID`
///
/// Shows your user ID and the name of the system.
pub fn user_id(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    Ok(format!("{:<8} AT {}", issuer.userid(), cp.config.name).into())
}

/// `Query COMMands [command]`
///
/// Lists the commands that your privilege classes allow, or shows the classes that allow one.
pub fn commands(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let classes = issuer.vmdbk.lock().classes;
    if let Some(word) = words.next() {
        let row = find(COMMANDS, word.0, classes).ok_or_else(|| message::unknown_command(word.upper()))?;
        return Ok(format!("{} = {}", row.name.to_ascii_uppercase(), row.classes).into());
    }
    let names: Vec<String> = COMMANDS
        .iter()
        .filter(|row| classes.meets(row.classes))
        .map(|row| format!("{:<12}", row.name.to_ascii_uppercase()))
        .collect();
    Ok(names.chunks(6).map(|names| names.concat().trim_end().to_string()).collect::<Vec<_>>().into())
}

/// `Query RECording`
///
/// Shows which records are kept, how many of them have not been collected, of how many the operator is told, and which
/// user collects them: ACTIVE, or should: INACTIVE.
pub fn recording(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let line = |(name, service)| {
        let standing = cp.iucv.lock().held().recording(service);
        let status = format!("{name} {}", if standing.on { "ON" } else { "OFF" });
        let limit = standing.limit.map_or("  *".into(), |limit| format!("{limit:03}"));
        let collector = cp.collector(service).unwrap_or("-".into());
        let active = if standing.collector.is_some() { "ACTIVE" } else { "INACTIVE" };
        format!("{status:<12} {:08} {limit} {collector:<8} {active}", standing.count)
    };
    let head = "RECORDING    COUNT    LMT USERID   COMMUNICATION".to_string();
    Ok(std::iter::once(head).chain(KINDS.map(line)).collect::<Vec<_>>().into())
}

/// `Query LOGMSG`
///
/// Shows the log message.
pub fn log_message(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let lines = cp.log_message();
    if lines.is_empty() { Ok("There is no logmsg data".into()) } else { Ok(lines.into()) }
}
