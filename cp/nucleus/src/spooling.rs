//! Virtual unit record devices: the reader, punch, printer and console of a virtual machine, on spool files.
//!
//! A [`Unit`] is what SPOOL has set for one device, and the file that is open on it now. The device in the channel
//! subsystem and the commands SPOOL, CLOSE, QUERY VIRTUAL share it. [`close`] is CLOSE, and how a file gets to its new
//! owner; [`describe`] is QUERY VIRTUAL; [`options`] are the operands that SPOOL, CLOSE and CHANGE share; [`record`] is
//! SPOOL CONSOLE START.
//!
//! Lock order: channel subsystem, console, unit, spool. So a thread that has a unit or the spool locked writes to no
//! console and asks no channel subsystem.

pub mod close;
pub mod describe;
pub mod options;
pub mod record;

use crate::message::{self, Message};
use crate::system::Cp;
use crate::vmdbk::Vmdbk;
use base::{Held, ebcdic};
use css::Device as ChannelDevice;
use devices::{Card, NotReady, Printer1403, Punch2540, Reader2540, ReadySwitch, RecordSink, RecordSource};
use directory::{SpoolDevice, SpoolKind};
use message::Response;
use options::Options;
use spool::{After, OutputFile, Queue, ReaderFile, Spool, SpoolFile};
use std::sync::{Arc, Mutex, MutexGuard};

/// The system's spool; `None` in a system that has none, where readers are empty and punches not ready.
pub type SharedSpool = Arc<Mutex<Option<Spool>>>;

/// Locks the spool.
pub fn lock(spool: &SharedSpool) -> MutexGuard<'_, Option<Spool>> {
    spool.lock().held()
}

/// Does something with the spool, or says that there is none.
pub fn with<T>(cp: &Cp, action: impl FnOnce(&mut Spool) -> Result<T, Message>) -> Result<T, Message> {
    match &mut *lock(&cp.spool) {
        Some(spool) => action(spool),
        None => Err(message::spool_error("this system has no spool")),
    }
}

/// Asks something of the spool; without one there are no files.
pub fn ask<T: Default>(cp: &Cp, question: impl FnOnce(&Spool) -> T) -> T {
    lock(&cp.spool).as_ref().map(question).unwrap_or_default()
}

/// NO OPERATION: the record's data is not the file's, but a tag or a name.
const NO_OPERATION: u8 = 0x03;

/// The settings of SPOOL for one device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The spool class; a reader's may be `*`, any.
    pub class: char,
    pub copies: u16,
    pub cont: bool,
    pub hold: bool,
    pub keep: bool,
    /// A reader's: unit exception at the end of a file.
    pub eof: bool,
    /// A reader's: after a file that stays, the first file of the queue again, and not the one after it.
    pub rescan: bool,
    /// MSG: the user wants to know what becomes of files.
    pub messages: bool,
    pub form: String,
    pub dest: String,
    pub dist: String,
    /// The owner of the files that the device makes, and their queue; none is the user's own.
    pub to: Option<String>,
    pub queue: Queue,
    /// FOR instead of TO.
    pub on_behalf: bool,
    /// SPOOL NAME.
    pub name: (String, String),
    /// TAG DEV.
    pub tag: String,
}

/// One virtual unit record device, or the spooled side of a console.
pub struct Unit {
    pub userid: String,
    pub vdev: u16,
    pub kind: SpoolKind,
    /// The device type: `2540`, `1403`, `3215`.
    pub device: String,
    pub settings: Settings,
    pub output: Option<OutputFile>,
    pub input: Option<ReaderFile>,
    /// Tells the virtual machine that a reader has a file.
    pub ready: Option<ReadySwitch>,
    /// The spooled side of a console.
    pub console: bool,
    /// NOTREADY: intervention is required.
    pub not_ready: bool,
    /// How many records have been read or written.
    pub records: u64,
    /// Numbers of files read to their end and held since the last CLOSE: with NORESCAN the reader goes on after them.
    passed: Vec<u16>,
}

/// A unit, shared between the channel subsystem and CP.
pub type SharedUnit = Arc<Mutex<Unit>>;

/// Locks a unit.
pub fn lock_unit(unit: &SharedUnit) -> MutexGuard<'_, Unit> {
    unit.lock().held()
}

impl Unit {
    /// The unit of a SPOOL statement.
    pub fn new(userid: &str, distribution: &str, vdev: u16, spool: &SpoolDevice) -> Unit {
        let settings = Settings {
            class: spool.class,
            copies: 1,
            cont: false,
            hold: false,
            keep: false,
            eof: spool.kind == SpoolKind::Reader,
            rescan: false,
            messages: false,
            form: "STANDARD".into(),
            dest: "OFF".into(),
            dist: distribution.into(),
            to: None,
            queue: queue_of(spool.kind),
            on_behalf: false,
            name: Default::default(),
            tag: String::new(),
        };
        Unit {
            userid: userid.into(),
            vdev,
            kind: spool.kind,
            device: spool.device.clone(),
            settings,
            output: None,
            input: None,
            ready: None,
            console: false,
            not_ready: false,
            records: 0,
            passed: Vec::new(),
        }
    }

    /// The unit of a console's spooled output.
    pub fn console(userid: &str, distribution: &str, vdev: u16, device: u16, class: char) -> Unit {
        let spool = SpoolDevice { device: format!("{device:04}"), kind: SpoolKind::Printer, class };
        Unit { console: true, ..Unit::new(userid, distribution, vdev, &spool) }
    }

    /// RDR, PUN, PRT or CONS.
    pub fn class_name(&self) -> &'static str {
        match self.kind {
            _ if self.console => "CONS",
            SpoolKind::Reader => "RDR",
            SpoolKind::Punch => "PUN",
            SpoolKind::Printer => "PRT",
        }
    }

    /// The number of the file that is open.
    pub fn open_file(&self) -> Option<u16> {
        self.output.as_ref().map(OutputFile::spid).or(self.input.as_ref().map(ReaderFile::spid))
    }

    /// The next card of the reader's files. At the end of a file the file is closed, and what comes then depends on
    /// CONT and EOF.
    fn read(&mut self, spool: &SharedSpool) -> Card {
        loop {
            if self.input.is_none() && !self.open_input(spool) {
                return Card::Empty;
            }
            let Some(file) = &mut self.input else { return Card::Empty };
            let length = usize::from(file.record_length());
            match file.next_record() {
                Ok(Some(record)) if record.op == NO_OPERATION => (),
                Ok(Some(record)) => {
                    let mut card = vec![ebcdic::BLANK; length.max(record.data.len())];
                    card[..record.data.len()].copy_from_slice(record.data);
                    self.records += 1;
                    return Card::Record(card);
                }
                Ok(None) => {
                    self.end_input(spool, None);
                    if self.settings.cont && self.open_input(spool) {
                        continue;
                    }
                    return if self.settings.eof { Card::EndOfFile } else { Card::Empty };
                }
                Err(_) => {
                    // A guest that reads on gets the next file; this one stays, so that it can be looked at.
                    self.end_input(spool, Some(After::Keep));
                    return Card::Damaged;
                }
            }
        }
    }

    /// Opens the first file that this reader may read, unless one is open. Whether one is now.
    pub fn open_input(&mut self, spool: &SharedSpool) -> bool {
        if self.input.is_none()
            && let Some(spool) = &mut *lock(spool)
        {
            let class = self.settings.class;
            let fits = |file: &&SpoolFile| {
                let wanted = class == '*' || class == file.class;
                wanted && !file.hold.any() && !file.in_use && !self.passed.contains(&file.spid)
            };
            let spid = spool.files(&self.userid, Queue::Reader).find(fits).map(|file| file.spid);
            self.input = spid.and_then(|spid| spool.open_file(&self.userid, spid).ok());
        }
        self.input.is_some()
    }

    /// Has the reader read a certain file next. The one it was reading stays in its queue.
    pub fn select_input(&mut self, spool: &SharedSpool, spid: u16) -> Result<(), spool::Error> {
        if self.input.as_ref().is_none_or(|file| file.spid() != spid) {
            self.close_input(spool, Some(After::Hold));
            if let Some(spool) = &mut *lock(spool) {
                self.input = Some(spool.open_file(&self.userid, spid)?);
            }
        }
        Ok(())
    }

    /// The end of the reader's file.
    fn end_input(&mut self, spool: &SharedSpool, after: Option<After>) {
        let usual = match (self.settings.hold, self.settings.keep) {
            (true, _) => After::Hold,
            (false, true) => After::Keep,
            (false, false) => After::AsFile,
        };
        let after = after.unwrap_or(usual);
        if let (Some(file), Some(spool)) = (self.input.take(), &mut *lock(spool)) {
            if after == After::Hold && !self.settings.rescan {
                self.passed.push(file.spid());
            }
            // If its host file cannot be removed, the file is still in the queue, where QUERY shows it.
            let _ = spool.close_reader(file, after);
        }
    }

    /// CLOSE of a reader. `after` says what becomes of its file; by default what SPOOL has set.
    pub fn close_input(&mut self, spool: &SharedSpool, after: Option<After>) {
        self.end_input(spool, after);
        self.passed.clear();
    }

    /// Adds a record to the device's output file, which is opened by the first.
    pub fn write(&mut self, spool: &SharedSpool, command: u8, data: &[u8]) -> Result<(), NotReady> {
        let output = match &mut self.output {
            Some(output) => output,
            none => {
                let device = match self.kind {
                    SpoolKind::Printer if self.console => spool::Device::Console,
                    SpoolKind::Printer => spool::Device::Printer,
                    _ => spool::Device::Punch,
                };
                let opened = lock(spool).as_mut().and_then(|spool| spool.open_output(&self.userid, device).ok());
                none.insert(opened.ok_or(NotReady)?)
            }
        };
        output.write(command, data).map_err(|_| NotReady)?;
        self.records += 1;
        Ok(())
    }
}

/// The queue of the same kind as a device: where output goes unless SPOOL TO says otherwise.
fn queue_of(kind: SpoolKind) -> Queue {
    match kind {
        SpoolKind::Reader => Queue::Reader,
        SpoolKind::Punch => Queue::Punch,
        SpoolKind::Printer => Queue::Printer,
    }
}

/// What a user is told when the spool fails.
pub fn message_of(error: &spool::Error) -> Message {
    match error {
        spool::Error::NoSpid(_) => message::spool_limit(),
        spool::Error::NoFile(_, spid) => message::spoolid_absent(format!("{spid:04}")),
        spool::Error::InUse(_, spid) => message::spool_file_in_use(format!("{spid:04}")),
        other => message::spool_error(other),
    }
}

struct Cards {
    unit: SharedUnit,
    spool: SharedSpool,
}

impl RecordSource for Cards {
    fn read(&mut self) -> Card {
        let mut unit = lock_unit(&self.unit);
        if unit.not_ready { Card::Empty } else { unit.read(&self.spool) }
    }
}

impl RecordSink for Cards {
    fn record(&mut self, command: u8, data: &[u8]) -> Result<(), NotReady> {
        let mut unit = lock_unit(&self.unit);
        if unit.not_ready { Err(NotReady) } else { unit.write(&self.spool, command, data) }
    }
}

/// The channel subsystem's device for a unit.
pub fn device(unit: &SharedUnit, spool: &SharedSpool) -> Box<dyn ChannelDevice> {
    let cards = Box::new(Cards { unit: unit.clone(), spool: spool.clone() });
    let kind = lock_unit(unit).kind;
    match kind {
        SpoolKind::Reader => {
            let reader = Reader2540::new(cards);
            lock_unit(unit).ready = Some(reader.ready_switch());
            Box::new(reader)
        }
        SpoolKind::Punch => Box::new(Punch2540::new(cards)),
        SpoolKind::Printer => Box::new(Printer1403::new(cards)),
    }
}

/// A user leaves. Output that is open goes where CLOSE would send it; a file that is being read stays.
pub fn log_off(cp: &Cp, vmdbk: &Vmdbk) {
    vmdbk.console().record = None;
    for unit in vmdbk.units() {
        lock_unit(&unit).settings.cont = false;
        // Receivers are told; the user is gone.
        let _ = close_unit(cp, vmdbk, &unit);
    }
}

/// DEFINE READER, PUNCH or PRINTER: a device as a SPOOL statement would make it. The line for the user.
pub fn define(cp: &Cp, vmdbk: &Vmdbk, vdev: u16, spool: &SpoolDevice) -> Result<String, Message> {
    let unit = Arc::new(Mutex::new(Unit::new(&vmdbk.userid, &vmdbk.user.distribution, vdev, spool)));
    let name = format!("{:<4} {vdev:04X}", lock_unit(&unit).class_name());
    let device = device(&unit, &cp.spool);
    let attached = vmdbk.machine().configuration.css().attach(vdev, device);
    attached.map_err(|_| message::device_defined(&name))?;
    vmdbk.change_unit(vdev, Some(unit));
    Ok(format!("{name} DEFINED"))
}

/// DEFINE vdev AS vdev: gives a unit another number. Its subchannel is renumbered by the caller, in the same way for
/// all devices.
pub fn renumber(vmdbk: &Vmdbk, old: u16, new: u16) {
    if let Some(unit) = vmdbk.unit(old) {
        lock_unit(&unit).vdev = new;
    }
}

/// An IPL from a reader begins with the first card, also when the one before was given up in the middle of a file.
pub fn rewind(cp: &Cp, vmdbk: &Vmdbk, vdev: u16) {
    if let Some(unit) = vmdbk.unit(vdev) {
        lock_unit(&unit).close_input(&cp.spool, Some(After::Hold));
    }
}

/// DETACH of a unit record device: what is open is closed. The lines for the user.
pub fn detach(cp: &Cp, vmdbk: &Vmdbk, vdev: u16) -> Result<Response, Message> {
    let absent = || message::device_absent(format!("{vdev:04X}"));
    let unit = vmdbk.unit(vdev).filter(|unit| !lock_unit(unit).console).ok_or_else(absent)?;
    // First from the program, so that it writes no more.
    vmdbk.machine().configuration.css().detach(vdev);
    lock_unit(&unit).settings.cont = false;
    let mut response = close_unit(cp, vmdbk, &unit)?;
    vmdbk.change_unit(vdev, None);
    response.push(format!("{:<4} {vdev:04X} DETACHED", lock_unit(&unit).class_name()));
    Ok(response)
}

fn close_unit(cp: &Cp, vmdbk: &Vmdbk, unit: &SharedUnit) -> Result<Response, Message> {
    lock_unit(unit).close_input(&cp.spool, Some(After::Hold));
    close::output(cp, vmdbk, unit, &Options::default())
}

/// How often the drop folder is looked into, in microseconds.
const DROP_INTERVAL: u64 = 1_000_000;

/// When [`take_drops`] is to be called next after `now`.
pub fn next_drops(now: base::Tod) -> base::Tod {
    now.plus_micros(DROP_INTERVAL)
}

/// Takes in what `endicott punch` has left for the system, and tells the owners.
pub fn take_drops(cp: &Cp) {
    let files: Vec<SpoolFile> = {
        let mut spool = lock(&cp.spool);
        let Some(spool) = &mut *spool else { return };
        // What cannot be taken in now stays in the drop folder.
        let Ok(taken) = spool.take_drops() else { return };
        taken.files.iter().filter_map(|(owner, spid)| spool.file(owner, *spid).cloned()).collect()
    };
    files.iter().for_each(|file| close::announce(cp, "", file, file.device.name(), 0));
}
