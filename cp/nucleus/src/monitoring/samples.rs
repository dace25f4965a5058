//! Samples of the system, of storage, processors and devices.

use super::numbers::{count, counted, device, half, kind, state, subchannel, tod, value};
use super::{Around, users};
use crate::system::Cp;
use arch::monitor::{
    AuxiliaryStorage, Communication, DeviceActivity, ExpandedStorage, ProcessorActivity, ProcessorTime, RealStorage,
    RealStorageProcessor, SchedulerGlobal, SchedulerProcessor, SharedSegment, StorageManagement, SystemProcessor,
    Transactions, UserWait,
};
use base::ebcdic::padded;
use base::layout::U32;
use dispatch::Ended;
use minidisk::real::Real;
use monitor::domain::Domain;
use monitor::frames::Frames;
use monitor::processor::{Cause, Processor};
use monitor::settings::Settings;
use std::sync::atomic::Ordering::Relaxed;

/// Blocks of expanded storage in a megabyte.
const BLOCKS: u64 = 256;

/// All samples that are enabled.
pub(super) fn put(around: &mut Around<'_>, settings: &Settings, frames: &mut Frames) {
    let cp = around.cp;
    for (n, processor) in cp.counts.iter().enumerate() {
        system_processor(cp, n, processor, frames);
    }
    system(around, frames);
    let part = &settings.sample;
    if part.has(Domain::Storage) {
        storage(cp, frames);
    }
    if part.has(Domain::User) {
        users::put(around, part, frames);
    }
    if part.has(Domain::Processor) {
        for (n, processor) in cp.counts.iter().enumerate() {
            frames.put(activity(n, processor));
        }
    }
    if part.has(Domain::Io) {
        for real in cp.disks.reals().iter().filter(|real| part.has_device(&device(real))) {
            frames.put(disk(cp, real));
        }
    }
    if part.has(Domain::Application) {
        around.seen.applications.sample(cp, part, frames);
    }
}

fn system_processor(cp: &Cp, n: usize, processor: &Processor, frames: &mut Frames) {
    let cpu = half(n);
    let diagnoses = processor.count(Cause::Diagnose);
    let iucv = processor.count(Cause::Iucv);
    frames.put(SystemProcessor {
        cpu,
        soft_abends: counted(&processor.soft_abends),
        diagnoses: count(diagnoses),
        simulated: count(diagnoses + iucv),
        started: counted(&processor.started),
        ..SystemProcessor::default()
    });
    /// The value of a CPU timer that has not run.
    const FULL: u64 = 0x7fff_ffff_0000_0000;
    let (emulation, users) = (processor.emulation.load(Relaxed), processor.users.load(Relaxed));
    let busy = processor.busy.load(Relaxed);
    let elapsed = cp.now().micros_since(cp.started);
    frames.put(ProcessorTime {
        cpu,
        emulation: FULL.wrapping_sub(tod(emulation)).into(),
        users: tod(users).into(),
        system: tod(busy.saturating_sub(users)).into(),
        wait: tod(elapsed.saturating_sub(busy)).into(),
        dispatched: counted(&processor.dispatched),
        interpreted: count(processor.interpreted()),
        ..ProcessorTime::default()
    });
    frames.put(RealStorageProcessor {
        cpu,
        reads: counted(&processor.read),
        cleared: counted(&processor.mapped),
        ..RealStorageProcessor::default()
    });
    frames.put(Communication {
        cpu,
        iucv: count(iucv),
        interruptions: count(processor.count(Cause::Message)),
        ..Communication::default()
    });
    frames.put(SchedulerProcessor {
        cpu,
        slices: count(processor.count(Cause::Slice)),
        waits: count(processor.count(Cause::Wait)),
        stops: count(processor.count(Cause::Stop)),
        ..SchedulerProcessor::default()
    });
}

fn activity(n: usize, processor: &Processor) -> ProcessorActivity {
    let (slices, interpreted) = (processor.count(Cause::Slice), processor.interpreted());
    ProcessorActivity {
        cpu: half(n),
        dispatched: counted(&processor.dispatched),
        interpreted: count(interpreted),
        intercepted: count(interpreted - slices),
        slices: count(slices),
        waits: count(processor.count(Cause::Wait)),
        diagnoses: count(processor.count(Cause::Diagnose)),
        iucv: count(processor.count(Cause::Iucv)),
        interruptions: count(processor.count(Cause::Message)),
        traced: count(processor.count(Cause::Step)),
        stops: count(processor.count(Cause::Stop)),
        emulation: tod(processor.emulation.load(Relaxed)).into(),
        soft_abends: counted(&processor.soft_abends),
        ..ProcessorActivity::default()
    }
}

/// Pages of saved systems and segments in use, and how many these are.
fn shared(cp: &Cp) -> (u64, u64) {
    let used = cp.saved.in_use();
    let pages = spool::ask(&cp.spool, |spool| {
        let files = used.iter().filter_map(|(id, _)| spool.saved.file(*id));
        files.map(|file| u64::from(file.pages())).sum()
    });
    (pages, used.len() as u64)
}

fn system(around: &Around<'_>, frames: &mut Frames) {
    let cp = around.cp;
    if let Some(used) = cp.frames() {
        frames.put(RealStorage {
            free_storage: value(used.free_storage),
            available: value(used.paging().saturating_sub(used.pageable)),
            nucleus: value(used.nucleus),
            shared: value(shared(cp).0),
            pageable: value(used.pageable),
            save: value(used.save),
            installed: value(used.installed),
            ..RealStorage::default()
        });
    }
    let (blocks, files) = spool::ask(&cp.spool, |spool| {
        spool.all_files().fold((0, 0), |(blocks, files), file| (blocks + u64::from(file.blocks), files + 1))
    });
    let [page, spool] = cp.paging.as_ref().map(|paging| [false, true].map(|of| paging.slots(of))).unwrap_or_default();
    let [page_times, spool_times] = cp.paging.as_ref().map(|paging| paging.times_nearly_full()).unwrap_or_default();
    frames.put(AuxiliaryStorage {
        page_nearly_full: value(page_times),
        spool_nearly_full: value(spool_times),
        page_slots: page.all.into(),
        page_used: page.used.into(),
        spool_slots: spool.all.into(),
        spool_used: value(blocks + u64::from(spool.used)),
        spool_files: value(files),
        ..AuxiliaryStorage::default()
    });
    let (load, ended, (slice, pages)) = cp
        .processors
        .dispatcher(|dispatcher, at| (dispatcher.load(at), dispatcher.transactions(), dispatcher.pressure()));
    let time = |ended: Ended| tod(ended.time).into();
    let ([up, up_other], [mp, mp_other]) = (ended.one, ended.several);
    frames.put(Transactions {
        logged_on: value(cp.user_count() as u64),
        dormant: value(load.dormant as u64),
        mp_trivial_time: time(mp),
        mp_trivial: count(mp.count),
        mp_other_time: time(mp_other),
        mp_other: count(mp_other.count),
        up_trivial_time: time(up),
        up_trivial: count(up.count),
        up_other_time: time(up_other),
        up_other: count(up_other.count),
        ..Transactions::default()
    });
    let [class_0, class_1, class_2, class_3] = load.in_queue.map(half);
    let [_, eligible_1, eligible_2, eligible_3] = load.eligible.map(half);
    let [_, expansion_1, expansion_2, expansion_3] = load.expansion.map(U32::new);
    frames.put(SchedulerGlobal {
        in_list: half(load.in_queue.iter().sum()),
        class_0,
        class_1,
        class_2,
        class_3,
        eligible_1,
        eligible_2,
        eligible_3,
        limited: half(load.limited),
        expansion_1,
        expansion_2,
        expansion_3,
        first_slice: tod(slice).into(),
        working_sets: value(pages),
        ..SchedulerGlobal::default()
    });
    let seen = around.seen.waits.all;
    frames.put(UserWait {
        test_idle: seen.test_idle.into(),
        page_wait: seen.page_wait.into(),
        cpu_wait: seen.cpu_wait.into(),
        running: seen.running.into(),
        other: seen.eligible.wrapping_add(seen.limited).into(),
        looks: seen.looks.into(),
        ..UserWait::default()
    });
    let (cache, counters) = (&cp.disks.cache, &cp.disks.cache.counters);
    frames.put(ExpandedStorage {
        blocks: value(cp.expanded.system().megabytes * BLOCKS),
        hits: counted(&counters.hits),
        inserts: counted(&counters.inserts),
        reads: counted(&counters.reads),
        writes: counted(&counters.writes),
        modifications: counted(&counters.modifications),
        refused: counted(&counters.refused),
        bytes: cache.bytes().into(),
        ..ExpandedStorage::default()
    });
}

fn storage(cp: &Cp, frames: &mut Frames) {
    let machines = cp.vmdbks();
    let (mut resident, mut defined) = (0, 0);
    for vmdbk in &machines {
        let machine = vmdbk.machine();
        resident += machine.configuration.storage().resident_pages();
        defined += machine.configuration.storage().size() / arch::PAGE;
    }
    let (pages, segments) = shared(cp);
    let frames_used = cp.frames().unwrap_or_default();
    let expanded: u64 = cp.expanded.owners().iter().map(|(_, megabytes)| megabytes).sum();
    frames.put(StorageManagement {
        paging: value(frames_used.paging()),
        available: value(frames_used.paging().saturating_sub(frames_used.pageable)),
        resident: value(resident),
        shared: value(pages),
        defined: defined.into(),
        machines: value(machines.len() as u64),
        segments: value(segments),
        expanded: value(expanded),
        ..StorageManagement::default()
    });
    let used = cp.saved.in_use();
    let segments: Vec<SharedSegment> = spool::ask(&cp.spool, |spool| {
        let files = used.iter().filter_map(|(id, users)| Some((spool.saved.file(*id)?, *users)));
        let segment = |(file, users): (&spool::saved::SavedFile, usize)| SharedSegment {
            name: padded(&file.name),
            spid: file.id.into(),
            class: base::ebcdic::from_str(&file.class.letter().to_string())[0],
            users: value(users as u64),
            pages: file.pages().into(),
            ..SharedSegment::default()
        };
        files.map(segment).collect()
    });
    segments.into_iter().for_each(|segment| frames.put(segment));
}

fn disk(cp: &Cp, real: &Real) -> DeviceActivity {
    let counters = &real.cache.counters;
    let (reads, writes, hits) =
        (counters.reads.load(Relaxed), counters.writes.load(Relaxed), counters.hits.load(Relaxed));
    DeviceActivity {
        subchannel: subchannel(real.number),
        number: real.number.into(),
        kind: kind(real).into(),
        serial: padded(&real.serial),
        state: state(real),
        reads: count(reads),
        writes: count(writes),
        hits: count(hits),
        inserts: counted(&counters.inserts),
        users: value(cp.disks.users_of(real.number) as u64),
        started: count((reads + writes).saturating_sub(hits)),
        ..DeviceActivity::default()
    }
}
