//! Samples of users.

use super::Around;
use super::numbers::{count, tod, value};
use arch::monitor::{UserActivity, UserInteraction};
use base::ebcdic::padded;
use base::layout::U32;
use directory::{Portion, SpoolKind};
use dispatch::Status;
use monitor::domain::Domain;
use monitor::frames::Frames;
use monitor::settings::Part;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use virtualmachine::processor::vcpu;
use virtualmachine::vmdbk::Vmdbk;

/// Records of the users that are enabled: activity and interaction of each virtual CPU.
pub(super) fn put(around: &mut Around<'_>, part: &Part, frames: &mut Frames) {
    let cp = around.cp;
    let enabled = cp.vmdbks().into_iter().filter(|vmdbk| part.has_user(Domain::User, &vmdbk.userid));
    let mut there = HashSet::new();
    for vmdbk in enabled {
        let machine = vmdbk.machine();
        for (n, cpu) in machine.configuration.cpus().enumerate() {
            let id = vcpu(vmdbk.id, cpu);
            there.insert(id);
            let place = cp.processors.dispatcher(|dispatcher, _| dispatcher.place(id));
            let (status, class) = place.unwrap_or((Status::Dormant, 0));
            let (emulation, total) = machine.configuration.times(cpu);
            let mut record = UserActivity {
                userid: padded(&vmdbk.userid),
                cpu: cpu.into(),
                list: list(status),
                class,
                emulation: tod(emulation).into(),
                total: tod(total).into(),
                ..UserActivity::default()
            };
            if n == 0 {
                whole(around, &vmdbk, &mut record);
            }
            frames.put(record);
            let seen = around.seen.waits.of(id);
            frames.put(UserInteraction {
                userid: padded(&vmdbk.userid),
                cpu: cpu.into(),
                page_wait: seen.page_wait.into(),
                limited: seen.limited.into(),
                cpu_wait: seen.cpu_wait.into(),
                running: seen.running.into(),
                eligible: seen.eligible.into(),
                dormant: seen.dormant().into(),
                test_idle: seen.test_idle.into(),
                looks: seen.looks.into(),
                ..UserInteraction::default()
            });
        }
    }
    around.seen.waits.keep(|id| there.contains(&id));
}

fn list(status: Status) -> u8 {
    let letter = match status {
        Status::Dormant => " ",
        Status::Eligible => "E",
        Status::Limited => "L",
        Status::Ready | Status::Running(_) | Status::TestIdle | Status::PageWait => "D",
    };
    base::ebcdic::from_str(letter)[0]
}

/// A share as records have it: X'80' absolute, X'40' relative, and the value.
pub(super) fn share(portion: Portion) -> (u8, u16) {
    match portion {
        Portion::Absolute(value) => (0x80, value),
        Portion::Relative(value) => (0x40, value),
    }
}

fn mode(machine: directory::Machine) -> u8 {
    use directory::Machine as Mode;
    match machine {
        Mode::Esa | Mode::Z => 0x40,
        Mode::Xa => 0x20,
        Mode::S370 => 0x10,
        Mode::Xc => 0x08,
    }
}

/// What belongs to the virtual machine as a whole.
fn whole(around: &Around<'_>, vmdbk: &Arc<Vmdbk>, record: &mut UserActivity) {
    let machine = vmdbk.machine();
    let storage = machine.configuration.storage();
    let counts = machine.configuration.css().counts();
    let (shares, quick) = vmdbk.shares();
    let (kind, share) = share(shares.normal);
    let resident = value(storage.resident_pages());
    let records = |kind| count(vmdbk.records(kind));
    // The time that earlier hardware of the virtual machine has used counts with its first CPU.
    let earlier = vmdbk.account.usage();
    record.emulation = (record.emulation.get() + tod(earlier.virtual_us)).into();
    record.total = (record.total.get() + tod(earlier.total_us)).into();
    record.mode = mode(vmdbk.lock().machine);
    record.share_kind = kind;
    record.quick = quick.into();
    record.share = share.into();
    (record.working_set, record.resident) = (resident, resident);
    record.expanded = value(vmdbk.expanded().unwrap_or(0));
    record.started = count(counts.starts);
    record.ccws = count(counts.ccws);
    record.interruptions = count(counts.interruptions);
    record.fast_done = count(counts.fast.done);
    record.fast_aborted = count(counts.fast.aborted);
    record.not_eligible = count(counts.fast.not_eligible);
    record.read = records(SpoolKind::Reader);
    record.printed = records(SpoolKind::Printer);
    record.punched = records(SpoolKind::Punch);
    record.diagnoses = diagnoses(vmdbk);
    if let Some(cache) = around.cp.disks.user_cache(&vmdbk.userid) {
        record.cache_reads = count(cache.counters.reads.load(Relaxed));
        record.cache_hits = count(cache.counters.hits.load(Relaxed));
    }
    record.storage = storage.size().into();
}

/// DIAGNOSE instructions of a virtual machine.
pub(super) fn diagnoses(vmdbk: &Vmdbk) -> U32 {
    count(vmdbk.account.diagnoses.load(Relaxed))
}
