//! Data of programs, which DIAGNOSE X'DC' has named: where they are, and their records.

use super::Subject;
use crate::sight::{Applications, Buffer};
use crate::system::Cp;
use arch::monitor::{ApplicationConfiguration, ApplicationEvent, ApplicationSample, Record, function};
use base::ebcdic::padded;
use diagnose::ApplicationData;
use iucv::area::Space;
use monitor::domain::Domain;
use monitor::frames::{Frames, LONGEST};
use monitor::settings::Part;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use virtualmachine::vmdbk::Vmdbk;

/// The most buffers of a virtual machine.
const MOST: usize = 1024;
/// Bytes of a record before its data.
const FIXED: usize = ApplicationSample::LAYOUT.length;

/// Return codes of DIAGNOSE X'DC'.
mod code {
    pub(super) const DONE: u64 = 0;
    /// STOP, and there was no START.
    pub(super) const NOT_STARTED: u64 = 4;
    /// The data are longer than a record may be, or there are too many buffers.
    pub(super) const TOO_MUCH: u64 = 8;
}

impl Buffer {
    /// The data now. `None`: the virtual machine was reset, or has no such storage any more.
    fn data(&self) -> Option<Vec<u8>> {
        let current = self.vmdbk.generation.load(Ordering::Acquire) == self.generation;
        current.then(|| read(&self.space, self.address, self.length)).flatten()
    }
}

/// Copies real storage, a page at once.
fn read(space: &Space, address: u64, length: usize) -> Option<Vec<u8>> {
    let mut data = vec![0; length];
    let mut done = 0;
    while done < length {
        let at = address + done as u64;
        let part = (length - done).min((arch::PAGE - at % arch::PAGE) as usize);
        space.read(at, &mut data[done..done + part]).ok()?;
        done += part;
    }
    Some(data)
}

impl Applications {
    /// Samples of the buffers that are enabled.
    pub(super) fn sample(&mut self, cp: &Cp, part: &Part, frames: &mut Frames) {
        self.put(
            cp,
            part,
            false,
            |userid, product, length| ApplicationSample {
                length,
                userid,
                product,
                data: (FIXED as u32).into(),
                ..ApplicationSample::default()
            },
            frames,
        );
    }

    /// Configuration records of the buffers that are enabled.
    pub(super) fn configuration(&mut self, cp: &Cp, part: &Part, frames: &mut Frames) {
        self.put(
            cp,
            part,
            true,
            |userid, product, length| ApplicationConfiguration {
                length,
                userid,
                product,
                data: (FIXED as u32).into(),
                ..ApplicationConfiguration::default()
            },
            frames,
        );
    }

    fn put<R: Record>(
        &mut self,
        cp: &Cp,
        part: &Part,
        configuration: bool,
        record: impl Fn([u8; 8], [u8; 16], base::layout::U32) -> R,
        frames: &mut Frames,
    ) {
        self.buffers.retain(|(id, product), buffer| {
            if cp.vmdbk_of(*id).is_none() {
                return false;
            }
            if buffer.configuration != configuration || !part.has_user(Domain::Application, &buffer.userid) {
                return true;
            }
            let Some(data) = buffer.data() else { return false };
            let length = (data.len() as u32).into();
            let record = record(padded(&buffer.userid), *product, length);
            frames.put_with(record, &data).expect("longer data are refused");
            true
        });
    }

    fn of(&self, id: u32) -> usize {
        self.buffers.range((id, [0; 16])..=(id, [0xff; 16])).count()
    }
}

impl Cp {
    /// DIAGNOSE X'DC' of a virtual machine that may issue it. The return code.
    pub(crate) fn take_application_data(&self, vmdbk: &Arc<Vmdbk>, request: &ApplicationData) -> u64 {
        let length = usize::from(request.length);
        if request.function != function::STOP && length > LONGEST - FIXED {
            return code::TOO_MUCH;
        }
        match request.function {
            function::EVENT => {
                if let Some(data) = read(&request.space, request.buffer.0, length) {
                    self.monitor_application(&vmdbk.userid, request.product, &data);
                }
                code::DONE
            }
            function::STOP => {
                let gone = self
                    .with_monitor(|_, around| around.seen.applications.buffers.remove(&(vmdbk.id, request.product)));
                let Some(gone) = gone else { return code::NOT_STARTED };
                self.application_ended(request.product, &gone);
                code::DONE
            }
            _ => self.with_monitor(|_, around| {
                let applications = &mut around.seen.applications;
                let key = (vmdbk.id, request.product);
                if applications.of(vmdbk.id) >= MOST && !applications.buffers.contains_key(&key) {
                    return code::TOO_MUCH;
                }
                let buffer = Buffer {
                    userid: vmdbk.userid.clone(),
                    space: request.space.clone(),
                    address: request.buffer.0,
                    length,
                    configuration: request.function == function::START_CONFIGURATION,
                    vmdbk: vmdbk.clone(),
                    generation: vmdbk.generation.load(Ordering::Acquire),
                };
                applications.buffers.insert(key, buffer);
                code::DONE
            }),
        }
    }

    /// A user logs off: the last data of its programs are events.
    pub(crate) fn end_applications(&self, vmdbk: &Vmdbk) {
        let gone = self.with_monitor(|_, around| {
            let buffers = &mut around.seen.applications.buffers;
            buffers.extract_if((vmdbk.id, [0; 16])..=(vmdbk.id, [0xff; 16]), |_, _| true).collect::<Vec<_>>()
        });
        gone.iter().for_each(|((_, product), buffer)| self.application_ended(*product, buffer));
    }

    fn application_ended(&self, product: [u8; 16], buffer: &Buffer) {
        if let Some(data) = buffer.data() {
            self.monitor_application(&buffer.userid, product, &data);
        }
    }

    fn monitor_application(&self, userid: &str, product: [u8; 16], data: &[u8]) {
        self.monitor_event(Subject::User(userid), data, || ApplicationEvent {
            length: (data.len() as u32).into(),
            userid: padded(userid),
            product,
            data: (FIXED as u32).into(),
            ..ApplicationEvent::default()
        });
    }
}
