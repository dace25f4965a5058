//! INDICATE: how busy the system is, and with which users.

use super::{Issuer, Response};
use crate::system::Cp;
use directory::SpoolKind;
use dispatch::Queued;
use message::Message;
use message::words::Words;
use monitor::indicate::{self, Entrant, PagingRates, UserPages};
use std::collections::HashSet;
use std::sync::Arc;
use virtualmachine::vmdbk::Vmdbk;

/// `INDicate [LOAD] | USER [userid|*|ALL] | Queues [EXP] | I/O | PAGing | ACTive`
///
/// LOAD shows how busy the processors are, and how many virtual CPUs are in the dispatch list (Q0 to Q3), wait to get
/// into it (E1 to E3) or sleep (DORMANT). USER shows what a user's virtual machine has used; another user's, or ALL,
/// needs class E. QUEUES (class E) shows who is in the lists and what each does: Rnn runs on processor nn, TI has just
/// begun to wait, PG waits for a page; EXP adds pages in real storage and the working set. I/O (class E) shows who
/// waits for that: the host does it for CP, so that no user does. PAGING (class E) shows who waits for a page, or with
/// ALL every user: pages in expanded storage and on page volumes, in hexadecimal. ACTIVE (class E) counts users who are
/// not dormant.
///
/// With STORAGE in SYSTEM CONFIG, CP pages. XSTORE of LOAD is how many pages a second went to expanded storage and
/// back, MIGRATE from there to page volumes, PAGING to page volumes and back. STEAL is how many percent of the frames
/// that were taken had pages of users in the dispatch list: with much of it, storage is short. STORAGE is what virtual
/// machines have of the dynamic paging area. Of USER, RES are pages in real storage, WS is the working set, NPREF are
/// pages on page volumes and XSTORE in expanded storage; READS and WRITES count since LOGON. PFAULT are page faults
/// that its system was told of and did not wait for (DIAGNOSE X'258', SET PAGEX), COMPLETED those that are over; the
/// line is there if there were any. Without STORAGE the host
/// keeps pages: RES and WS are what it keeps, and STORAGE of LOAD is what all of them are of the storage that virtual
/// machines have.
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
            let all = !words.accept("WAIT") && words.accept("ALL");
            words.end()?;
            Ok(paging(cp, all))
        }
        () if what.is("ACTive") => {
            words.end()?;
            let queued = cp.processors.dispatcher(|dispatcher, at| dispatcher.queues(at));
            let users = queued.iter().filter_map(|entry| cp.processors.who(entry.vcpu));
            let active = users.map(|(vmdbk, _)| vmdbk.id).collect::<HashSet<_>>().len();
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
    let of_real = cp.frames().filter(|_| cp.config.real.is_some()).map(|frames| (frames.pageable, frames.paging()));
    let (used, all) = of_real.unwrap_or(pages);
    indicate::load(&load, used * 100 / all.max(1), &rates(cp)).into()
}

/// What CP has paged lately.
fn rates(cp: &Cp) -> PagingRates {
    let Some(paging) = &cp.paging else { return PagingRates::default() };
    let (lately, micros) = paging.picture().lately;
    let a_second = |count: u64| count.saturating_mul(1_000_000) / micros.max(1_000_000);
    let taken: u64 = lately.taken.iter().sum();
    PagingRates {
        expanded: a_second(lately.gets + lately.puts),
        migrated: a_second(lately.migrated),
        paged: a_second(lately.reads + lately.writes),
        stolen: lately.taken_in_queue * 100 / taken.max(1),
    }
}

/// Who waits for a page, or all users.
fn paging(cp: &Cp, all: bool) -> Response {
    let away = |vmdbk: Arc<Vmdbk>| {
        let machine = vmdbk.machine();
        let pages = machine.pages.as_ref().filter(|pages| all || pages.is_waiting())?;
        let tally = pages.tally();
        Some((vmdbk.userid.clone(), tally.blocks, tally.slots))
    };
    indicate::paging(&cp.vmdbks().into_iter().filter_map(away).collect::<Vec<_>>()).into()
}

/// What of a virtual machine's pages is where.
fn user_pages(vmdbk: &Vmdbk) -> UserPages {
    let machine = vmdbk.machine();
    let Some(pages) = &machine.pages else {
        let resident = machine.configuration.storage().resident_pages();
        return UserPages { resident, working_set: resident, ..UserPages::default() };
    };
    let tally = pages.tally();
    UserPages {
        resident: tally.resident,
        working_set: tally.working_set(),
        locked: tally.locked,
        reserved: tally.reserved,
        slots: tally.slots,
        reads: tally.reads,
        writes: tally.writes + tally.migrated,
        blocks: tally.blocks,
        gets: tally.gets,
        puts: tally.puts,
        migrated: tally.migrated,
        notices: machine.configuration.shared().floating.page_notices(),
    }
}

/// The lines of one user.
fn user(vmdbk: &Arc<Vmdbk>) -> Vec<String> {
    let machine = vmdbk.machine();
    let configuration = &machine.configuration;
    let (devices, started) = {
        let css = configuration.css();
        (css.devices().count(), css.counts().starts)
    };
    let (mode, ipl) = {
        let state = vmdbk.lock();
        (super::query::settings::machine_name(state.machine), state.ipl.clone())
    };
    indicate::user(&indicate::User {
        userid: &vmdbk.userid,
        machine: mode,
        megabytes: configuration.storage().size() >> 20,
        expanded: vmdbk.expanded(),
        ipl: ipl.as_deref().unwrap_or("NONE"),
        devices,
        pages: user_pages(vmdbk),
        connected_us: configuration.now().micros_since(vmdbk.logged_on),
        started,
        read: vmdbk.records(SpoolKind::Reader),
        printed: vmdbk.records(SpoolKind::Printer),
        punched: vmdbk.records(SpoolKind::Punch),
        cpus: configuration.cpus().map(|cpu| (cpu, configuration.times(cpu))).collect(),
    })
}

fn queues(cp: &Cp, expanded: bool) -> Response {
    let queued = cp.processors.dispatcher(|dispatcher, at| dispatcher.queues(at));
    let who = |entry: &Queued| {
        let (vmdbk, cpu) = cp.processors.who(entry.vcpu)?;
        let in_page_wait = vmdbk.machine().pages.as_ref().is_some_and(|pages| pages.is_waiting());
        let pages = if expanded { vmdbk.resident() } else { (0, 0) };
        Some(Entrant { userid: vmdbk.userid.clone(), cpu, pages, in_page_wait })
    };
    indicate::queues(&queued, expanded, who).into()
}
