//! Configuration records: what a reader must know to understand the others.

use super::Around;
use super::numbers::{device, kind, state, subchannel, tod, value};
use crate::system::Cp;
use arch::monitor::{
    DeviceConfiguration, DomainDetail, EventProfile, ExpandedConfiguration, LoggedOn, MemoryConfiguration,
    PagingConfiguration, ProcessorConfiguration, Record, SampleProfile, SchedulerConfiguration, SystemConfiguration,
};
use base::ebcdic::padded;
use base::layout::{U16, U32};
use dispatch::Srm;
use minidisk::real::{State, size};
use monitor::domain::{Choice, Domain, Side};
use monitor::frames::{Frames, LONGEST};
use monitor::settings::{Part, Settings};

/// Blocks of expanded storage in a megabyte.
const BLOCKS: u64 = 256;
/// CP and its level, as configuration records have them.
const LEVEL: &str = concat!("Endicott ", env!("CARGO_PKG_VERSION"));

/// The configuration records of samples, or of events.
pub(super) fn put(around: &mut Around<'_>, side: Side, settings: &Settings, frames: &mut Frames) {
    let cp = around.cp;
    let part = settings.part(side);
    let started = part.started.map_or(0, |at| at.0).into();
    system(cp, frames);
    match side {
        Side::Event => frames.put(EventProfile {
            domains: part.domains(side).into(),
            block: (settings.block as u16).into(),
            partition: settings.partition.unwrap_or(0).into(),
            configuration: part.configuration.into(),
            started,
            ..EventProfile::default()
        }),
        Side::Sample => {
            frames.put(SampleProfile {
                domains: part.domains(side).into(),
                interval: tod(settings.interval).into(),
                rate: tod(settings.rate.unwrap_or(0)).into(),
                started,
                ..SampleProfile::default()
            });
            sampled(cp, part, frames);
        }
    }
    for domain in Domain::all(side).filter(|domain| part.has(*domain) && !part.has_all(*domain)) {
        detail(cp, side, domain, part, frames);
    }
    if part.has(Domain::Application) {
        around.seen.applications.configuration(cp, part, frames);
    }
}

fn system(cp: &Cp, frames: &mut Frames) {
    frames.put(SystemConfiguration {
        name: padded(&cp.config.name),
        started: cp.started.0.into(),
        zone: cp.config.zone.offset.into(),
        processors: (cp.processors.count() as u16).into(),
        level: padded(LEVEL),
        operator: padded(&cp.config.operator),
        users: value(cp.users().len() as u64),
        ..SystemConfiguration::default()
    });
    for n in 0..cp.processors.count() as u16 {
        frames.put(ProcessorConfiguration { cpu: n.into(), threads: 1.into(), ..ProcessorConfiguration::default() });
    }
}

/// SET SRM, in words.
pub(super) struct SrmWords {
    pub slice: u64,
    pub intensity: U32,
    pub duration: U32,
    pub dispatch_buffer: [U32; 3],
    pub storage_buffer: [U32; 3],
    pub loading_buffer: [U32; 3],
}

pub(super) fn srm_words(srm: &Srm) -> SrmWords {
    SrmWords {
        slice: tod(srm.minor_slice),
        intensity: srm.bias_intensity.into(),
        duration: srm.bias_duration.into(),
        dispatch_buffer: srm.dispatch_buffer.map(U32::new),
        storage_buffer: srm.storage_buffer.map(U32::new),
        loading_buffer: srm.loading_buffer.map(U32::new),
    }
}

/// What only readers of samples are told.
fn sampled(cp: &Cp, part: &Part, frames: &mut Frames) {
    let generated = cp.config.real.unwrap_or(0);
    let bytes = cp.config.real.unwrap_or(cp.config.storage);
    frames.put(MemoryConfiguration {
        real: value(bytes),
        generated: value(generated),
        bytes: bytes.into(),
        ..MemoryConfiguration::default()
    });
    let reals = cp.disks.reals();
    for real in reals.iter().filter(|real| part.has_device(&device(real))) {
        let userid = match &real.state {
            State::Attached { userid, .. } => userid.as_str(),
            _ => "",
        };
        frames.put(DeviceConfiguration {
            subchannel: subchannel(real.number),
            number: real.number.into(),
            kind: kind(real).into(),
            serial: padded(&real.serial),
            state: state(real),
            paths: real.channels,
            size: size(&real.volume.kind()).0.into(),
            userid: padded(userid),
            ..DeviceConfiguration::default()
        });
    }
    for real in reals.iter().filter(|real| real.state == State::Owned) {
        frames.put(PagingConfiguration {
            number: real.number.into(),
            serial: padded(&real.serial),
            temporary: value(cp.disks.temporary_units(Some(real.number))),
            ..PagingConfiguration::default()
        });
    }
    let srm = srm_words(&cp.processors.dispatcher(|dispatcher, _| dispatcher.srm().clone()));
    frames.put(SchedulerConfiguration {
        slice: srm.slice.into(),
        intensity: srm.intensity,
        duration: srm.duration,
        dispatch_buffer: srm.dispatch_buffer,
        storage_buffer: srm.storage_buffer,
        loading_buffer: srm.loading_buffer,
        ..SchedulerConfiguration::default()
    });
    frames.put(ExpandedConfiguration {
        configured: (cp.expanded.system().megabytes * BLOCKS).into(),
        installed: (cp.expanded.installed() * BLOCKS).into(),
        ..ExpandedConfiguration::default()
    });
    for vmdbk in cp.vmdbks().iter().filter(|vmdbk| part.has_user(Domain::User, &vmdbk.userid)) {
        let machine = vmdbk.machine();
        frames.put(LoggedOn {
            userid: padded(&vmdbk.userid),
            cpus: (machine.configuration.cpus().count() as u16).into(),
            logged_on: vmdbk.logged_on.0.into(),
            storage: machine.configuration.storage().size().into(),
            ..LoggedOn::default()
        });
    }
}

/// Which users or devices are enabled of a domain of which not all are.
fn detail(cp: &Cp, side: Side, domain: Domain, part: &Part, frames: &mut Frames) {
    let entries: Vec<Vec<u8>> = match domain.choice() {
        Choice::Whole => return,
        Choice::Users => {
            let users = cp.users();
            let enabled = users.iter().filter(|user| part.has_user(domain, &user.userid));
            enabled.map(|user| padded::<8>(&user.userid).to_vec()).collect()
        }
        Choice::Devices => {
            let reals = cp.disks.reals();
            let enabled = reals.iter().filter(|real| part.has_device(&device(real)));
            enabled.map(|real| U16::new(real.number).to_bytes().to_vec()).collect()
        }
    };
    let room = (LONGEST - DomainDetail::LAYOUT.length) / entries.first().map_or(1, Vec::len);
    for some in entries.chunks(room) {
        let record = DomainDetail {
            kind: side.letter(),
            domain: domain as u8,
            entries: (some.len() as u16).into(),
            ..DomainDetail::default()
        };
        frames.put_with(record, &some.concat()).expect("as many entries as fit");
    }
}
