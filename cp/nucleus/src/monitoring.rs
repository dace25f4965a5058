//! The monitor in this system: what it reads of CP, and whom it tells. The crate `monitor` has the state machine.
//!
//! Its lock comes before all others: a sample looks at every part of CP. So an event is recorded with nothing locked.

mod applications;
mod configuration;
mod events;
mod numbers;
mod samples;
mod users;

use crate::sight::{Inner, Sight};
use crate::system::Cp;
use arch::monitor::Record;
use base::{Held, Tod};
use iucv::{Answer, List};
use monitor::domain::{Domain, Side};
use monitor::frames::Frames;
use monitor::recorder::{Reader, Recorder, Segment, World, reason};
use monitor::settings::{Device, Settings};
use realstorage::sharing::ControlPages;
use std::sync::atomic::Ordering;
use virtualmachine::block_path::Iucv;
use virtualmachine::vmdbk::Vmdbk;
use zerocopy::IntoBytes;

/// The system, as the state machine acts upon it.
struct Around<'a> {
    cp: &'a Cp,
    seen: &'a mut Sight,
}

/// What an event is about, for the choice of users and devices.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    /// Nothing that could be chosen.
    Whole,
    /// A user.
    User(&'a str),
    /// A device.
    Device(Device<'a>),
}

impl Cp {
    /// Uses the monitor, and sees to it that what it has to do next is done.
    fn with_monitor<T>(&self, f: impl FnOnce(&mut Recorder, &mut Around<'_>) -> T) -> T {
        let mut inner = self.monitoring.inner.lock().held();
        let Inner { recorder, seen } = &mut *inner;
        let mut around = Around { cp: self, seen };
        let result = f(recorder, &mut around);
        if !recorder.has_readers() {
            around.seen.pages = None;
        }
        let due = recorder.due().map_or(0, |due| due.0.max(1));
        let domains = u32::from(recorder.event_domains());
        let earlier = self.monitoring.due.swap(due, Ordering::AcqRel) != due;
        let before = self.monitoring.events.swap(domains, Ordering::AcqRel);
        if (before ^ domains) & u32::from(Domain::Scheduler.bit()) != 0 {
            let wanted = domains & u32::from(Domain::Scheduler.bit()) != 0;
            self.processors.dispatcher(|dispatcher, _| dispatcher.want_moves(wanted));
        }
        drop(inner);
        if earlier {
            self.host.work();
        }
        result
    }

    /// When the monitor has something to do next.
    pub(crate) fn monitor_due(&self) -> Option<Tod> {
        Some(Tod(self.monitoring.due.load(Ordering::Acquire))).filter(|due| due.0 != 0)
    }

    /// Lets the monitor do what is due. A clock that was set back makes it look, too.
    pub(crate) fn tick_monitor(&self, now: Tod) {
        let last = self.monitoring.last.swap(now.0, Ordering::AcqRel);
        if self.monitor_due().is_some_and(|due| due <= now || now.0 < last) {
            self.drain_moves();
            self.with_monitor(|recorder, around| recorder.service(now, around));
        }
    }

    /// A program has replied on a path to *MONITOR, or a path has gone.
    pub(crate) fn monitor_answered(&self) {
        let now = self.now();
        self.with_monitor(|recorder, around| recorder.service(now, around));
    }

    /// CONNECT to *MONITOR.
    pub(crate) fn connect_to_monitor(&self, vmdbk: &Vmdbk, list: &mut List) -> Answer {
        let now = self.now();
        let takes = Iucv::takes_parameter_data(list);
        self.with_monitor(|recorder, around| {
            let mut pages = None;
            let verdict = match takes {
                false => Err(reason::NO_PARAMETER_DATA),
                true => recorder.admits(list.user(), |name| {
                    let (segment, found) = loaded(vmdbk, name)?;
                    pages = Some(found);
                    Ok(segment)
                }),
            };
            let user = list.user();
            let answer = match &verdict {
                Ok((connected, _)) => {
                    let told = connected.as_bytes().try_into().expect("IPUSER has sixteen bytes");
                    vmdbk.iucv().connect_monitor(vmdbk.id, list, Ok(told))
                }
                Err(reason) => {
                    let mut told = [0; 16];
                    told[0] = *reason;
                    vmdbk.iucv().connect_monitor(vmdbk.id, list, Err(told))
                }
            }?;
            if let Ok((_, segment)) = verdict {
                around.seen.pages = around.seen.pages.take().or(pages);
                recorder.connect((vmdbk.id, list.path()), &vmdbk.userid, user, segment, now);
                recorder.service(now, around);
            }
            Ok(answer)
        })
    }

    /// Records an event of a domain, if that is wanted. Nothing may be locked.
    pub(crate) fn monitor_event<R: Record>(&self, subject: Subject<'_>, rest: &[u8], record: impl FnOnce() -> R) {
        let Some(domain) = Domain::of(R::LAYOUT.domain) else { return };
        if self.monitoring.events.load(Ordering::Acquire) & u32::from(domain.bit()) == 0 {
            return;
        }
        // What happened before comes before.
        self.drain_moves();
        let (now, record) = (self.now(), record());
        self.with_monitor(|recorder, around| {
            let part = &recorder.settings.event;
            let wanted = match subject {
                Subject::Whole => true,
                Subject::User(userid) => part.has_user(domain, userid),
                Subject::Device(device) => part.has_device(&device),
            };
            if wanted {
                recorder.event(now, record, rest, around);
            }
        });
    }

    /// The monitor, for QUERY and for tests.
    pub(crate) fn look_at_monitor<T>(&self, f: impl FnOnce(&Recorder) -> T) -> T {
        f(&self.monitoring.inner.lock().held().recorder)
    }

    /// Does what a MONITOR command says, whose text is `line`.
    pub(crate) fn command_monitor(
        &self,
        orders: &[monitor::operands::Order],
        line: &str,
    ) -> Result<Vec<message::Message>, message::Message> {
        let now = self.now();
        self.with_monitor(|recorder, around| {
            let (samples, events) = (recorder.is_recording(Side::Sample), recorder.is_recording(Side::Event));
            let said = recorder.orders(orders, now)?;
            recorder.service(now, around);
            events::command(recorder, around, line, (samples, events), now);
            Ok(said)
        })
    }
}

/// The segment of this name that a virtual machine has loaded, and its pages for CP to write. An error is a reason.
fn loaded(vmdbk: &Vmdbk, name: &str) -> Result<(Segment, ControlPages), u8> {
    let segments = vmdbk.segments();
    let used = segments.iter().find(|used| used.file.name == name).filter(|used| !used.nonshared);
    let used = used.ok_or(reason::NOT_LOADED)?;
    let pages = used.control_pages().ok_or(reason::NOT_FOR_CP)?;
    let range = used.file.ranges[0];
    let segment =
        Segment { name: name.into(), spid: used.file.id, first: range.first * arch::PAGE as u32, pages: range.count() };
    Ok((segment, pages))
}

impl World for Around<'_> {
    fn write(&mut self, at: u64, bytes: &[u8]) -> bool {
        self.seen.pages.as_ref().is_some_and(|pages| pages.write(at, bytes).is_ok())
    }

    fn send(&mut self, to: Reader, class: u32, data: [u8; 8]) -> Option<u32> {
        self.cp.iucv.lock().held().tell_monitored(to.0, to.1, class, data)
    }

    fn awaits(&self, reader: Reader, message: u32) -> bool {
        self.cp.iucv.lock().held().awaits(reader.0, reader.1, message)
    }

    fn is_open(&self, reader: Reader) -> bool {
        self.cp.iucv.lock().held().is_monitored(reader.0, reader.1)
    }

    fn sever(&mut self, reader: Reader, reason: u8) {
        let mut user = [0; 16];
        user[0] = reason;
        self.cp.iucv.lock().held().sever_by_control(reader.0, reader.1, user);
    }

    fn configuration(&mut self, side: Side, settings: &Settings, frames: &mut Frames) {
        configuration::put(self, side, settings, frames);
    }

    fn sample(&mut self, settings: &Settings, frames: &mut Frames) {
        samples::put(self, settings, frames);
    }

    fn look(&mut self, _: &Settings) {
        let queued = self.cp.processors.dispatcher(|dispatcher, at| dispatcher.queues(at));
        self.seen.waits.look(&queued);
    }
}
