//! The lines of QUERY MONITOR.

use crate::domain::{Domain, Side};
use crate::recorder::Recorder;
use crate::settings::{MINUTE, SECOND, What};

/// What QUERY MONITOR shows of samples, events, or both.
pub fn lines(recorder: &Recorder, sides: &[Side]) -> Vec<String> {
    sides.iter().flat_map(|&side| part(recorder, side)).collect()
}

fn part(recorder: &Recorder, side: Side) -> Vec<String> {
    let settings = &recorder.settings;
    let part = settings.part(side);
    let state = match part.started {
        None => "INACTIVE",
        Some(_) if recorder.is_recording(side) => "ACTIVE",
        Some(_) => "PENDING",
    };
    let mut lines = Vec::new();
    match side {
        Side::Event => {
            let planned = recorder.segment().map(|(_, plan)| plan.partition());
            let partition = planned.or(settings.partition).unwrap_or(0);
            lines.push(format!("MONITOR EVENT {state:<8}    BLOCK {:>4}     PARTITION {partition:>8}", settings.block));
        }
        Side::Sample => {
            lines.push(format!("MONITOR SAMPLE {state}"));
            let (interval, unit) = time(settings.interval);
            lines.push(format!("     INTERVAL {interval:>4} {unit}"));
            lines.push(match settings.rate {
                Some(rate) => format!("     RATE {:>8.2} SECONDS", rate as f64 / SECOND as f64),
                None => "     RATE     STOP".into(),
            });
        }
    }
    let name = recorder.segment().map_or("NO DCSS NAME DEFINED", |(segment, _)| &segment.name);
    lines.push(format!("MONITOR DCSS NAME - {name}"));
    let (limit, unit) = time(part.limit);
    lines.push(format!("CONFIGURATION SIZE {:>8} LIMIT {limit:>9} {unit}", part.configuration));
    let used = if recorder.is_configuring(side) { "IN USE" } else { "FREE" };
    lines.push(format!("CONFIGURATION AREA IS {used}"));
    let readers: Vec<&str> = recorder.readers(side).collect();
    let readers = if readers.is_empty() { "NO USERS CONNECTED".into() } else { readers.join(" ") };
    lines.push(format!("USERS CONNECTED TO *MONITOR - {readers}"));
    for domain in Domain::all(side) {
        let state = if part.has(domain) { "ENABLED" } else { "DISABLED" };
        lines.push(format!("{:<9} DOMAIN {state}", domain.name()));
        let all = part.has_all(domain);
        let named: Vec<String> =
            part.exceptions(domain).filter(|(on, _)| *on != all).map(|(_, what)| show(what)).collect();
        if part.has(domain) && !named.is_empty() {
            lines.push(format!("     {}", if all { "ALL BUT THESE ARE ENABLED:" } else { "THESE ARE ENABLED:" }));
            lines.extend(named.chunks(8).map(|some| format!("     {}", some.join(" "))));
        }
    }
    lines
}

/// `1 MINUTES`, `30 SECONDS`
fn time(microseconds: u64) -> (String, &'static str) {
    match microseconds {
        _ if microseconds.is_multiple_of(MINUTE) => ((microseconds / MINUTE).to_string(), "MINUTES"),
        _ if microseconds.is_multiple_of(SECOND) => ((microseconds / SECOND).to_string(), "SECONDS"),
        _ => (format!("{:.2}", microseconds as f64 / SECOND as f64), "SECONDS"),
    }
}

fn show(what: &What) -> String {
    match what {
        What::All => "ALL".into(),
        What::User(user) => user.clone(),
        What::Devices(first, last) if first == last => format!("{first:04X}"),
        What::Devices(first, last) => format!("{first:04X}-{last:04X}"),
        What::Type(kind) => format!("TYPE {kind:04X}"),
        What::Volume(serial) => serial.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operands::{Order, orders};
    use base::Tod;
    use message::words::Words;

    fn order(recorder: &mut Recorder, line: &str) {
        let orders: Vec<Order> = orders(&mut Words::new(line)).expect(line);
        recorder.orders(&orders, Tod(1 << 40)).expect(line);
    }

    #[test]
    fn as_operators_know_it() {
        let mut recorder = Recorder::default();
        let shown = lines(&recorder, &[Side::Event, Side::Sample]);
        assert_eq!(
            shown[..9],
            [
                "MONITOR EVENT INACTIVE    BLOCK    4     PARTITION        0",
                "MONITOR DCSS NAME - NO DCSS NAME DEFINED",
                "CONFIGURATION SIZE       68 LIMIT         1 MINUTES",
                "CONFIGURATION AREA IS FREE",
                "USERS CONNECTED TO *MONITOR - NO USERS CONNECTED",
                "MONITOR   DOMAIN ENABLED",
                "SCHEDULER DOMAIN DISABLED",
                "USER      DOMAIN DISABLED",
                "I/O       DOMAIN DISABLED",
            ]
        );
        assert_eq!(
            shown[10..14],
            [
                "MONITOR SAMPLE INACTIVE",
                "     INTERVAL    1 MINUTES",
                "     RATE     2.00 SECONDS",
                "MONITOR DCSS NAME - NO DCSS NAME DEFINED",
            ]
        );
        order(&mut recorder, "sample interval 90 sec rate stop start");
        order(&mut recorder, "sample enable user all");
        order(&mut recorder, "sample disable user userid a b");
        let shown = lines(&recorder, &[Side::Sample]);
        assert_eq!(shown[..3], ["MONITOR SAMPLE PENDING", "     INTERVAL   90 SECONDS", "     RATE     STOP"]);
        assert_eq!(shown[11..14], ["USER      DOMAIN ENABLED", "     ALL BUT THESE ARE ENABLED:", "     A B"]);
    }
}
