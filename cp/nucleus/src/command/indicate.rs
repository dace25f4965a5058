//! INDICATE: how busy the system is, and with which users.

use super::{Issuer, Response};
use crate::system::Cp;
use directory::SpoolKind;
use dispatch::Queued;
use message::Message;
use message::words::Words;
use monitor::indicate;
use std::collections::HashSet;
use std::sync::Arc;
use virtualmachine::vmdbk::Vmdbk;

/// `INDicate [LOAD] | USER [userid|*|ALL] | Queues [EXP] | I/O | PAGing | ACTive`
///
/// LOAD shows how busy the processors are, and how many virtual CPUs are in the dispatch list (Q0 to Q3), wait to get
/// into it (E1 to E3) or sleep (DORMANT). USER shows what a user's virtual machine has used; another user's, or ALL,
/// needs class E. QUEUES (class E) shows who is in the lists and what each does: Rnn runs on processor nn, TI has just
/// begun to wait. I/O and PAGING (class E) show who waits for those; the host does both for CP, so that no user does.
/// CP itself pages nothing, to expanded storage neither: those counts are 0 because there is nothing to count. RES and
/// WS are the pages that the host keeps for the virtual machine. STORAGE of LOAD is what all of them are of the dynamic
/// paging area (STORAGE in SYSTEM CONFIG), or without that of the storage that all virtual machines have. ACTIVE (class
/// E) counts users who are not dormant.
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
    indicate::load(&load, used * 100 / all.max(1)).into()
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
        resident: configuration.storage().resident_pages(),
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
    let who = |entry: &Queued| cp.processors.who(entry.vcpu).map(|(vmdbk, cpu)| (vmdbk.userid.clone(), cpu));
    indicate::queues(&queued, expanded, who).into()
}
