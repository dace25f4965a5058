//! INDICATE: how busy the system is, and with which users.

use super::{Issuer, Response};
use crate::system::Cp;
use crate::vmdbk::Vmdbk;
use directory::SpoolKind;
use dispatch::{Queued, Status};
use message::Message;
use message::words::Words;
use std::sync::Arc;

/// `INDicate [LOAD] | USER [userid|*|ALL] | Queues [EXP] | I/O | PAGing | ACTive`
///
/// LOAD shows how busy the processors are, and how many virtual CPUs are in the dispatch list (Q0 to Q3), wait to get
/// into it (E1 to E3) or sleep (DORMANT). USER shows what a user's virtual machine has used; another user's, or ALL,
/// needs class E. QUEUES (class E) shows who is in the lists and what each does: Rnn runs on processor nn, TI has just
/// begun to wait. I/O and PAGING (class E) show who waits for those; the host does both for CP, so that no user does.
/// CP itself pages nothing and has no expanded storage: those counts are 0 because there is nothing to count. RES and
/// WS are the pages that the host keeps for the virtual machine, and STORAGE of LOAD is what all of them are of the
/// storage that all virtual machines have. ACTIVE (class E) counts users who are not dormant.
pub fn indicate(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let Some(what) = words.next() else { return Ok(load(cp)) };
    let analyst = issuer.has("CE");
    match () {
        () if what.is("LOAD") => {
            words.end()?;
            Ok(load(cp))
        }
        () if what.is("USER") => {
            let who = words.next();
            words.accept("EXPanded");
            words.end()?;
            let vmdbks = match who {
                None => vec![issuer.vmdbk.clone()],
                Some(word) if word.0 == "*" => vec![issuer.vmdbk.clone()],
                Some(word) if word.upper() == issuer.userid() => vec![issuer.vmdbk.clone()],
                Some(_) if !analyst => return Err(message::not_authorised().from("IND")),
                Some(word) if word.is("ALL") => cp.vmdbks(),
                Some(word) => {
                    let userid = word.userid()?;
                    vec![cp.vmdbk(&userid).ok_or_else(|| message::not_logged_on(userid).from("IND"))?]
                }
            };
            Ok(vmdbks.iter().flat_map(user).collect::<Vec<_>>().into())
        }
        () if !analyst => Err(what.invalid()),
        () if what.is("Queues") => {
            let expanded = words.accept("EXPanded");
            words.end()?;
            Ok(queues(cp, expanded))
        }
        () if what.is("I/O") => words.end().map(|()| "No users in I/O wait".into()),
        () if what.is("PAGing") => {
            let _ = words.accept("WAIT") || words.accept("ALL");
            words.end().map(|()| "No users in page wait".into())
        }
        () if what.is("ACTive") => {
            words.end()?;
            let active = cp.processors.dispatcher(|dispatcher, at| dispatcher.queues(at).len());
            Ok(format!("{active:05} USERS ACTIVE").into())
        }
        () => Err(what.invalid()),
    }
}

fn load(cp: &Cp) -> Response {
    let load = cp.processors.dispatcher(|dispatcher, at| dispatcher.load(at));
    let pages = cp.vmdbks().iter().fold((0, 0), |(used, all): (u64, u64), vmdbk| {
        let machine = vmdbk.machine();
        let storage = machine.configuration.storage();
        (used + storage.resident_pages(), all + (storage.size() >> 12))
    });
    let used = pages.0 * 100 / pages.1.max(1);
    let mut lines = vec![
        format!("AVGPROC-{:03}% {:02}", load.average, load.processors.len()),
        "XSTORE-000000/SEC MIGRATE-0000/SEC".to_string(),
        "MDC READS-000000/SEC WRITES-000000/SEC HIT RATIO-000%".to_string(),
        format!("STORAGE-{used:03}% PAGING-0000/SEC STEAL-000%"),
        format!("Q0-{:05}(00000)                           DORMANT-{:05}", load.in_queue[0], load.dormant),
        format!("Q1-{:05}(00000)           E1-{:05}(00000)", load.in_queue[1], load.eligible[1]),
    ];
    for class in 2..4 {
        lines.push(format!(
            "Q{class}-{:05}(00000) EXPAN-{:03} E{class}-{:05}(00000)",
            load.in_queue[class], load.expansion[class], load.eligible[class]
        ));
    }
    let processors: Vec<String> =
        load.processors.iter().enumerate().map(|(n, busy)| format!("PROC {n:04}-{busy:03}%")).collect();
    lines.extend(processors.chunks(2).map(|two| two.join("            ")));
    lines.push(format!("LIMITED-{:05}", load.limited));
    lines.into()
}

/// The lines of one user. CP does not page: the host keeps what is not used, so the counts of pages are zero.
fn user(vmdbk: &Arc<Vmdbk>) -> Vec<String> {
    let machine = vmdbk.machine();
    let configuration = &machine.configuration;
    let megabytes = configuration.storage().size() >> 20;
    let (devices, starts) = {
        let css = configuration.css();
        (css.devices().count(), css.counts().starts)
    };
    let records = |kind: SpoolKind| vmdbk.records(kind);
    let resident = configuration.storage().resident_pages();
    let mode = super::query::settings::machine_name(vmdbk.lock().machine);
    let ipl = vmdbk.lock().ipl.clone().unwrap_or_else(|| "NONE".into());
    let minutes = |microseconds: u64| {
        let seconds = microseconds / 1_000_000;
        format!("{:03}:{:02}", seconds / 60, seconds % 60)
    };
    let mut lines = vec![
        format!("USERID={:<8} MACH={mode:<3} STOR={megabytes:04}M VIRT=V XSTORE=NONE", vmdbk.userid),
        format!("IPLSYS={ipl:<8} DEVNUM={devices:04}"),
        format!("PAGES: RES={resident:06} WS={resident:06} LOCK=000000 RESVD=000000"),
        "NPREF=000000 PREF=000000 READS=000000 WRITES=000000".to_string(),
        "XSTORE=000000 READS=000000 WRITES=000000 MIGRATES=000000".to_string(),
    ];
    let connected = configuration.now().micros_since(vmdbk.logged_on) / 60_000_000;
    let connected = format!("{:02}:{:02}", connected / 60, connected % 60);
    for (n, cpu) in configuration.cpus().enumerate() {
        let (virtual_time, total_time) = configuration.times(cpu);
        // I/O is the virtual machine's, not a CPU's: it is shown with the first.
        let io = if n == 0 { starts } else { 0 };
        lines.push(format!(
            "CPU {cpu:02}: CTIME={connected} VTIME={} TTIME={} IO={io:06}",
            minutes(virtual_time),
            minutes(total_time)
        ));
        if n == 0 {
            lines.push(format!(
                "        RDR={:06} PRT={:06} PCH={:06}",
                records(SpoolKind::Reader),
                records(SpoolKind::Printer),
                records(SpoolKind::Punch)
            ));
        }
    }
    lines
}

fn queues(cp: &Cp, expanded: bool) -> Response {
    let queued = cp.processors.dispatcher(|dispatcher, at| dispatcher.queues(at));
    let entry = |entry: &Queued| {
        let (vmdbk, cpu) = cp.processors.who(entry.vcpu)?;
        let name = if cpu == 0 { vmdbk.userid.clone() } else { format!("{} MP{cpu:02}", vmdbk.userid) };
        let list = match entry.status {
            Status::Eligible => 'E',
            Status::Limited => 'L',
            _ => 'Q',
        };
        let state = match entry.status {
            Status::Running(processor) => format!("R{processor:02}"),
            Status::TestIdle => "TI".into(),
            Status::PageWait => "PG".into(),
            _ => "...".to_string(),
        };
        let short = format!("{name:<13}{list}{} {state:<3}", entry.class);
        if !expanded {
            return Some(short);
        }
        let flags = if entry.interactive { ".I.." } else { "...." };
        let sign = if entry.deadline < 0 { '-' } else { ' ' };
        let seconds = entry.deadline.unsigned_abs() as f64 / 1e6;
        Some(format!("{short} 00000000/00000000 {flags} {sign}{seconds:<6.4} A{:02}", 0))
    };
    let entries: Vec<String> = queued.iter().filter_map(entry).collect();
    if entries.is_empty() {
        return "No users in the dispatch or eligible list".into();
    }
    let per_line = if expanded { 1 } else { 2 };
    entries.chunks(per_line).map(|some| some.join("       ").trim_end().to_string()).collect::<Vec<_>>().into()
}
