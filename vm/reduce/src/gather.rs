//! The records of files, gathered into samples. Every record of a sample has the same time; what has another time
//! belongs to another sample.

use crate::Source;
use crate::input::{self, Fault, Wrong};
use arch::monitor::{
    AuxiliaryStorage, Communication, DeviceActivity, EventCommand, EventsSuspended, ExpandedStorage, Kind, Layout,
    LogoffData, LogonData, ProcessorActivity, ProcessorTime, RealStorage, RealStorageProcessor, Record, RecordHeader,
    SampleCommand, SampleProfile, SchedulerGlobal, SchedulerProcessor, StorageManagement, SystemConfiguration,
    SystemProcessor, Transactions, UserActivity, UserInteraction, UserWait, layouts,
};
use base::{Tod, ebcdic};
use monitor::frames::{self, PAGE};
use std::collections::BTreeMap;

/// A user ID, as records have it.
pub type Userid = [u8; 8];
/// Something of each processor, by its address.
pub type EachCpu<T> = BTreeMap<u16, T>;
/// Something of each virtual CPU.
pub type EachVcpu<T> = BTreeMap<(Userid, u16), T>;

/// What was sampled at one time.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// When.
    pub at: Tod,
    /// 0.1.
    pub processors: EachCpu<SystemProcessor>,
    /// 0.2.
    pub times: EachCpu<ProcessorTime>,
    /// 0.3.
    pub real: Option<RealStorage>,
    /// 0.4.
    pub pages: EachCpu<RealStorageProcessor>,
    /// 0.6.
    pub auxiliary: Option<AuxiliaryStorage>,
    /// 0.8.
    pub transactions: Option<Transactions>,
    /// 0.10.
    pub lists: Option<SchedulerGlobal>,
    /// 0.11.
    pub communication: EachCpu<Communication>,
    /// 0.12.
    pub waits: Option<UserWait>,
    /// 0.13.
    pub scheduling: EachCpu<SchedulerProcessor>,
    /// 0.14.
    pub cache: Option<ExpandedStorage>,
    /// 3.1.
    pub storage: Option<StorageManagement>,
    /// 4.3.
    pub users: EachVcpu<UserActivity>,
    /// 4.4.
    pub interactions: EachVcpu<UserInteraction>,
    /// 5.3.
    pub activity: EachCpu<ProcessorActivity>,
    /// 6.3, by device number.
    pub devices: BTreeMap<u16, DeviceActivity>,
    /// MONITOR SAMPLE commands since the sample before: what is recorded may have changed.
    pub commands: u32,
}

/// What files have.
#[derive(Clone, Debug, Default)]
pub struct Monitor {
    /// The samples, as they lie in the files.
    pub samples: Vec<Sample>,
    /// The system (1.4), as it was last.
    pub system: Option<SystemConfiguration>,
    /// When systems came up.
    pub starts: Vec<Tod>,
    /// What is sampled (1.9), as it was last.
    pub profile: Option<SampleProfile>,
    /// Who logged on (4.1).
    pub logons: Vec<(Tod, LogonData)>,
    /// Who logged off (4.2).
    pub logoffs: Vec<(Tod, LogoffData)>,
    /// Events that were lost (1.3).
    pub lost: Vec<(Tod, EventsSuspended)>,
    /// MONITOR commands (1.2, 1.10).
    pub commands: Vec<(Tod, String)>,
    /// How many records there are of each domain and number.
    pub records: BTreeMap<(u8, u16), u64>,
    /// The time of the first record.
    first: Option<Tod>,
}

impl Monitor {
    /// Files in the order of their times.
    pub fn join(mut all: Vec<Monitor>) -> Monitor {
        all.sort_by_key(|monitor| monitor.first);
        let mut joined = Monitor::default();
        for next in all {
            joined.samples.extend(next.samples);
            joined.system = next.system.or(joined.system);
            joined.starts.extend(next.starts);
            joined.profile = next.profile.or(joined.profile);
            joined.logons.extend(next.logons);
            joined.logoffs.extend(next.logoffs);
            joined.lost.extend(next.lost);
            joined.commands.extend(next.commands);
            next.records.into_iter().for_each(|(which, count)| *joined.records.entry(which).or_default() += count);
            joined.first = joined.first.or(next.first);
        }
        joined
    }

    /// The sample that records of this time belong to.
    fn at(&mut self, header: &RecordHeader) -> &mut Sample {
        let at = Tod(header.tod.get());
        if self.samples.last().is_none_or(|sample| sample.at != at) {
            self.samples.push(Sample { at, ..Sample::default() });
        }
        self.samples.last_mut().expect("one was put there")
    }
}

/// A command as it was typed, from what follows a record.
fn text(bytes: &[u8], fixed: usize, length: u32) -> String {
    let text = bytes.get(fixed..).unwrap_or_default();
    printable(&text[..text.len().min(length as usize)])
}

/// Characters of EBCDIC, of which none acts upon a terminal, without the blanks at the end.
pub fn printable(bytes: &[u8]) -> String {
    let text = ebcdic::to_string(bytes);
    let plain: String = text.chars().map(|c| if c.is_control() { '.' } else { c }).collect();
    plain.trim_end_matches([' ', '.']).into()
}

/// Keeps a record of a kind.
type Keep = fn(&mut Monitor, &RecordHeader, &[u8]) -> Result<(), Fault>;

/// What is kept of each record that is looked at.
macro_rules! kept {
    ($($type:ident |$to:ident, $header:ident, $record:ident, $bytes:pat_param| $keep:expr;)+) => {
        static KEPT: &[(Layout, Keep)] = &[$((<$type as Record>::LAYOUT, |$to, $header, bytes| {
            let $record: $type = input::record($header, bytes)?;
            let $bytes = bytes;
            $keep;
            Ok(())
        }),)+];
    };
}

kept! {
    SystemProcessor |to, header, record, _| to.at(header).processors.insert(record.cpu.get(), record);
    ProcessorTime |to, header, record, _| to.at(header).times.insert(record.cpu.get(), record);
    RealStorage |to, header, record, _| to.at(header).real = Some(record);
    RealStorageProcessor |to, header, record, _| to.at(header).pages.insert(record.cpu.get(), record);
    AuxiliaryStorage |to, header, record, _| to.at(header).auxiliary = Some(record);
    Transactions |to, header, record, _| to.at(header).transactions = Some(record);
    SchedulerGlobal |to, header, record, _| to.at(header).lists = Some(record);
    Communication |to, header, record, _| to.at(header).communication.insert(record.cpu.get(), record);
    UserWait |to, header, record, _| to.at(header).waits = Some(record);
    SchedulerProcessor |to, header, record, _| to.at(header).scheduling.insert(record.cpu.get(), record);
    ExpandedStorage |to, header, record, _| to.at(header).cache = Some(record);
    StorageManagement |to, header, record, _| to.at(header).storage = Some(record);
    UserActivity |to, header, record, _| to.at(header).users.insert((record.userid, record.cpu.get()), record);
    UserInteraction |to, header, record, _|
        to.at(header).interactions.insert((record.userid, record.cpu.get()), record);
    ProcessorActivity |to, header, record, _| to.at(header).activity.insert(record.cpu.get(), record);
    DeviceActivity |to, header, record, _| to.at(header).devices.insert(record.number.get(), record);
    SampleCommand |to, header, record, bytes| {
        to.at(header).commands += 1;
        let said = text(bytes, size_of::<SampleCommand>(), record.length.get());
        to.commands.push((Tod(record.issued.get()), said))
    };
    EventCommand |to, header, record, bytes| {
        let said = text(bytes, size_of::<EventCommand>(), record.length.get());
        to.commands.push((Tod(header.tod.get()), said))
    };
    EventsSuspended |to, header, record, _| to.lost.push((Tod(header.tod.get()), record));
    SystemConfiguration |to, _header, record, _| {
        to.starts.push(Tod(record.started.get()));
        to.system = Some(record)
    };
    SampleProfile |to, _header, record, _| to.profile = Some(record);
    LogonData |to, header, record, _| to.logons.push((Tod(header.tod.get()), record));
    LogoffData |to, header, record, _| to.logoffs.push((Tod(header.tod.get()), record));
}

/// What a file has.
pub fn gather(source: &Source<'_>) -> Result<Monitor, Wrong> {
    all(source.bytes).map_err(|(at, whole, fault)| Wrong { file: source.name.into(), at, whole, fault })
}

fn all(bytes: &[u8]) -> Result<Monitor, input::At> {
    let mut monitor = Monitor::default();
    for part in input::parts(bytes)? {
        for (n, page) in part.pages.chunks(PAGE).enumerate() {
            let at = part.at + n * PAGE;
            let records = frames::whole(page).map_err(|damage| (at + damage.at, part.message, damage.into()))?;
            for record in records {
                keep(&mut monitor, &record.header, record.bytes)
                    .map_err(|fault| (at + record.at, part.message, fault))?;
            }
        }
    }
    Ok(monitor)
}

fn keep(monitor: &mut Monitor, header: &RecordHeader, bytes: &[u8]) -> Result<(), Fault> {
    let which = (header.domain, header.record.get());
    *monitor.records.entry(which).or_default() += 1;
    monitor.first.get_or_insert(Tod(header.tod.get()));
    let kept = KEPT.iter().find(|(layout, _)| (layout.domain, layout.record) == which);
    kept.map_or(Ok(()), |(_, keep)| keep(monitor, header, bytes))
}

/// What a record is: its name and what it says; nothing of those that CP does not write.
pub fn described(which: (u8, u16)) -> Option<(&'static str, Kind, &'static str)> {
    let found = layouts().into_iter().find(|layout| (layout.domain, layout.record) == which)?;
    Some((found.id, found.kind, found.description))
}
