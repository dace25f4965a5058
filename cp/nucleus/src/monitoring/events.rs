//! Events: what CP tells the monitor when it happens.

use super::configuration::srm_words;
use super::numbers::{device, subchannel, tod, value};
use super::users::{diagnoses, share};
use super::{Around, Subject};
use crate::system::Cp;
use arch::monitor::{
    AddDispatch, AddEligible, Attach, Detach, DropDispatch, EventCommand, LogoffData, LogonData, QuickDispatchSet,
    SampleCommand, ShareSet, SrmSet,
};
use base::{Tod, ebcdic};
use directory::{Limit, SpoolKind};
use dispatch::Way;
use monitor::domain::{Domain, Side};
use monitor::recorder::Recorder;
use std::sync::atomic::Ordering;
use virtualmachine::vmdbk::Vmdbk;

/// A MONITOR command was issued while samples and events were (`recording`) or are recorded.
pub(super) fn command(recorder: &mut Recorder, around: &mut Around<'_>, line: &str, recording: (bool, bool), now: Tod) {
    let text = ebcdic::from_str(line);
    let length = value(text.len() as u64);
    if recording.1 && recorder.is_recording(Side::Event) {
        recorder.event(now, EventCommand { length, ..EventCommand::default() }, &text, around);
    }
    if recording.0 && recorder.is_recording(Side::Sample) {
        recorder.note(SampleCommand { issued: now.0.into(), length, ..SampleCommand::default() }, &text);
    }
}

impl Cp {
    /// A user has logged on.
    pub(crate) fn monitor_logon(&self, vmdbk: &Vmdbk) {
        self.monitor_event(Subject::User(&vmdbk.userid), &[], || {
            let machine = vmdbk.machine();
            let (shares, quick) = vmdbk.shares();
            let (share_kind, share) = share(shares.normal);
            LogonData {
                userid: ebcdic::padded(&vmdbk.userid),
                terminal: ebcdic::padded(&vmdbk.place()),
                storage: machine.configuration.storage().size().into(),
                cpus: (machine.configuration.cpus().count() as u16).into(),
                share_kind,
                quick: quick.into(),
                share: share.into(),
                ..LogonData::default()
            }
        });
    }

    /// A user logs off: what it has used.
    pub(crate) fn monitor_logoff(&self, vmdbk: &Vmdbk) {
        self.monitor_event(Subject::User(&vmdbk.userid), &[], || {
            let (emulation, total) = vmdbk.times();
            let machine = vmdbk.machine();
            let records = |kind| value(vmdbk.records(kind));
            LogoffData {
                userid: ebcdic::padded(&vmdbk.userid),
                logged_on: vmdbk.logged_on.0.into(),
                total: tod(total).into(),
                emulation: tod(emulation).into(),
                resident: value(machine.configuration.storage().resident_pages()),
                started: value(machine.configuration.css().counts().starts),
                read: records(SpoolKind::Reader),
                printed: records(SpoolKind::Printer),
                punched: records(SpoolKind::Punch),
                diagnoses: diagnoses(vmdbk),
                account: ebcdic::padded(&vmdbk.user.account),
                ..LogoffData::default()
            }
        });
    }

    /// SET SHARE.
    pub(crate) fn monitor_share(&self, vmdbk: &Vmdbk) {
        self.monitor_event(Subject::User(&vmdbk.userid), &[], || {
            let shares = vmdbk.shares().0;
            let (kind, value) = share(shares.normal);
            let (maximum_kind, maximum) = shares.maximum.map_or((0, 0), share);
            ShareSet {
                userid: ebcdic::padded(&vmdbk.userid),
                kind,
                limit: match shares.limit {
                    Limit::NoLimit => 0,
                    Limit::Soft => 1,
                    Limit::Hard => 2,
                },
                share: value.into(),
                maximum_kind,
                maximum: maximum.into(),
                ..ShareSet::default()
            }
        });
    }

    /// SET QUICKDSP.
    pub(crate) fn monitor_quick_dispatch(&self, vmdbk: &Vmdbk) {
        self.monitor_event(Subject::User(&vmdbk.userid), &[], || QuickDispatchSet {
            userid: ebcdic::padded(&vmdbk.userid),
            state: vmdbk.shares().1.into(),
            ..QuickDispatchSet::default()
        });
    }

    /// SET SRM.
    pub(crate) fn monitor_srm(&self) {
        self.monitor_event(Subject::Whole, &[], || {
            let srm = srm_words(&self.processors.dispatcher(|dispatcher, _| dispatcher.srm().clone()));
            SrmSet {
                slice: srm.slice.into(),
                intensity: srm.intensity,
                duration: srm.duration,
                dispatch_buffer: srm.dispatch_buffer,
                storage_buffer: srm.storage_buffer,
                loading_buffer: srm.loading_buffer,
                ..SrmSet::default()
            }
        });
    }

    /// A real disk was given to a user.
    pub(crate) fn monitor_attach(&self, rdev: u16, userid: &str, vdev: u16) {
        let Some(real) = self.disks.real(rdev) else { return };
        self.monitor_event(Subject::Device(device(&real)), &[], || Attach {
            subchannel: subchannel(rdev),
            number: rdev.into(),
            virtual_number: vdev.into(),
            userid: ebcdic::padded(userid),
            ..Attach::default()
        });
    }

    /// A real disk was taken from a user.
    pub(crate) fn monitor_detach(&self, rdev: u16) {
        let Some(real) = self.disks.real(rdev) else { return };
        self.monitor_event(Subject::Device(device(&real)), &[], || Detach {
            subchannel: subchannel(rdev),
            number: rdev.into(),
            ..Detach::default()
        });
    }

    /// Records the ways of virtual CPUs between the lists since this was last done, if they are wanted.
    pub(crate) fn drain_moves(&self) {
        if self.monitoring.events.load(Ordering::Acquire) & u32::from(Domain::Scheduler.bit()) == 0 {
            return;
        }
        let moves = self.processors.dispatcher(|dispatcher, _| dispatcher.take_moves());
        if moves.is_empty() {
            return;
        }
        self.with_monitor(|recorder, around| {
            for step in moves {
                let Some((vmdbk, cpu)) = self.processors.who(step.vcpu) else { continue };
                if !recorder.settings.event.has_user(Domain::Scheduler, &vmdbk.userid) {
                    continue;
                }
                let (userid, cpu, class) = (ebcdic::padded(&vmdbk.userid), cpu.into(), step.class);
                match step.way {
                    Way::AddDispatch => {
                        let record = AddDispatch { userid, cpu, class, ..AddDispatch::default() };
                        recorder.event(step.at, record, &[], around);
                    }
                    Way::DropDispatch => {
                        let record = DropDispatch { userid, cpu, class, ..DropDispatch::default() };
                        recorder.event(step.at, record, &[], around);
                    }
                    Way::AddEligible => {
                        let record = AddEligible { userid, cpu, class, ..AddEligible::default() };
                        recorder.event(step.at, record, &[], around);
                    }
                }
            }
        });
    }
}
