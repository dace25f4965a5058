//! Virtual unit record devices: the reader, punch, printer and console of a virtual machine, on spool files.
//!
//! A [`Unit`] is what SPOOL has set for one device, and the file that is open on it now. The device in the channel
//! subsystem and the commands SPOOL, CLOSE, QUERY VIRTUAL share it. Lock order: channel subsystem, unit, spool.

use crate::machine::Surroundings;
use crate::message::{self, Message};
use crate::system::Cp;
use crate::vmdbk::Vmdbk;
use base::Tod;
use css::Device as ChannelDevice;
use devices::{Card, NotReady, Printer1403, Punch2540, Reader2540, ReadySwitch, RecordSink, RecordSource};
use directory::{SpoolDevice, SpoolKind};
use spool::{After, Attributes, OutputFile, Queue, ReaderFile, Spool, SpoolFile};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The system's spool; `None` in a system that has none, where readers are empty and punches not ready.
pub type SharedSpool = Arc<Mutex<Option<Spool>>>;

/// Locks the spool.
pub fn lock(spool: &SharedSpool) -> MutexGuard<'_, Option<Spool>> {
    spool.lock().unwrap_or_else(PoisonError::into_inner)
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
    pub messages: bool,
    pub form: String,
    pub dest: String,
    pub dist: String,
    /// Whose files the device makes, and in which queue; none is the user's own.
    pub to: Option<String>,
    pub queue: Queue,
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
}

/// A unit, shared between the channel subsystem and CP.
pub type SharedUnit = Arc<Mutex<Unit>>;

/// Locks a unit.
pub fn lock_unit(unit: &SharedUnit) -> MutexGuard<'_, Unit> {
    unit.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Unit {
    /// The unit of a SPOOL statement.
    pub fn new(userid: &str, distribution: &str, vdev: u16, spool: &SpoolDevice) -> Unit {
        let queue = match spool.kind {
            SpoolKind::Reader => Queue::Reader,
            SpoolKind::Punch => Queue::Punch,
            SpoolKind::Printer => Queue::Printer,
        };
        let settings = Settings {
            class: spool.class,
            copies: 1,
            cont: false,
            hold: false,
            keep: false,
            eof: true,
            messages: true,
            form: "STANDARD".into(),
            dest: "OFF".into(),
            dist: distribution.into(),
            to: None,
            queue,
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
        }
    }

    /// The unit of a console's spooled output.
    pub fn console(userid: &str, distribution: &str, vdev: u16, class: char) -> Unit {
        let spool = SpoolDevice { device: "3215".into(), kind: SpoolKind::Printer, class };
        Unit::new(userid, distribution, vdev, &spool)
    }

    /// RDR, PUN or PRT.
    pub fn class_name(&self) -> &'static str {
        match self.kind {
            SpoolKind::Reader => "RDR",
            SpoolKind::Punch => "PUN",
            SpoolKind::Printer => "PRT",
        }
    }

    /// What a file that is closed now is to be.
    pub fn attributes(&self, now: Tod) -> Attributes {
        let settings = &self.settings;
        // A file for somebody else goes to that user's reader; one's own stays in the queue of the device.
        let owner = settings.to.as_deref().unwrap_or(&self.userid);
        Attributes {
            class: settings.class,
            form: settings.form.clone(),
            copies: settings.copies,
            hold: settings.hold,
            keep: settings.keep,
            dist: settings.dist.clone(),
            dest: settings.dest.clone(),
            name: settings.name.0.clone(),
            kind: settings.name.1.clone(),
            tag: settings.tag.clone(),
            ..Attributes::new(owner, settings.queue, now)
        }
    }

    /// The next card of the reader's files.
    fn read(&mut self, spool: &SharedSpool) -> Card {
        loop {
            if self.input.is_none() {
                let Some(spool) = &mut *lock(spool) else { return Card::Empty };
                match spool.open_reader(&self.userid, self.settings.class) {
                    Ok(Some(file)) => self.input = Some(file),
                    Ok(None) => return Card::Empty,
                    Err(_) => return Card::Damaged,
                }
            }
            let file = self.input.as_mut().expect("a file was opened above");
            match file.next_record() {
                Ok(Some(record)) if record.op == NO_OPERATION => (),
                Ok(Some(record)) => return Card::Record(record.data.to_vec()),
                Ok(None) => {
                    self.close_input(spool, None);
                    if !self.settings.cont {
                        return Card::EndOfFile;
                    }
                    let more = lock(spool).as_ref().is_some_and(|spool| spool.count(&self.userid, Queue::Reader) > 0);
                    if !more {
                        return Card::EndOfFile;
                    }
                }
                Err(_) => return Card::Damaged,
            }
        }
    }

    /// Closes the reader's file. `after` says what becomes of it; by default what SPOOL has set.
    pub fn close_input(&mut self, spool: &SharedSpool, after: Option<After>) {
        let usual = match (self.settings.hold, self.settings.keep) {
            (true, _) => After::Hold,
            (_, true) => After::Keep,
            _ => After::AsFile,
        };
        if let (Some(file), Some(spool)) = (self.input.take(), &mut *lock(spool)) {
            // A file that cannot be purged now stays; it is found again when the spool is next opened.
            let _ = spool.close_reader(file, after.unwrap_or(usual));
        }
    }

    /// Adds a record to the device's output file, which is opened by the first.
    pub fn write(&mut self, spool: &SharedSpool, command: u8, data: &[u8]) -> Result<(), NotReady> {
        if self.output.is_none() {
            let device = match (self.kind, self.device.as_str()) {
                (_, "3215" | "3210" | "3270") => spool::Device::Console,
                (SpoolKind::Printer, _) => spool::Device::Printer,
                _ => spool::Device::Punch,
            };
            let opened = lock(spool).as_mut().and_then(|spool| spool.open_output(&self.userid, device).ok());
            self.output = Some(opened.ok_or(NotReady)?);
        }
        self.output.as_mut().expect("a file was opened above").write(command, data).map_err(|_| NotReady)
    }

    /// Closes the output file: it becomes a spool file. `None` if nothing was written.
    pub fn close_output(&mut self, spool: &SharedSpool, attributes: &Attributes) -> Result<Option<SpoolFile>, Message> {
        let (Some(output), Some(spool)) = (self.output.take(), &mut *lock(spool)) else { return Ok(None) };
        spool.close_output(output, attributes).map_err(|not_closed| {
            let failed = *not_closed;
            self.output = Some(failed.output);
            message_of(&failed.error)
        })
    }

    /// Throws the output file away.
    pub fn purge_output(&mut self, spool: &SharedSpool) {
        if let (Some(output), Some(spool)) = (self.output.take(), &mut *lock(spool)) {
            spool.discard_output(output);
        }
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
        lock_unit(&self.unit).read(&self.spool)
    }
}

impl RecordSink for Cards {
    fn record(&mut self, command: u8, data: &[u8]) -> Result<(), NotReady> {
        lock_unit(&self.unit).write(&self.spool, command, data)
    }
}

/// The channel subsystem's device for a unit.
pub fn device(unit: &SharedUnit, around: &Surroundings) -> Box<dyn ChannelDevice> {
    let cards = Box::new(Cards { unit: unit.clone(), spool: around.spool.clone() });
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

/// A file has arrived in a reader queue: the virtual machine is told by device end, the user by a message.
pub fn arrived(cp: &Cp, file: &SpoolFile, was: Option<u16>) {
    let Some(vmdbk) = cp.vmdbk(&file.owner).filter(|_| file.queue == Queue::Reader) else { return };
    let wants = |unit: &Unit| unit.settings.class == '*' || unit.settings.class == file.class;
    for unit in vmdbk.units() {
        let ready = {
            let unit = lock_unit(&unit);
            unit.ready.clone().filter(|_| wants(&unit) && unit.input.is_none())
        };
        if let Some(ready) = ready {
            ready.press();
        }
    }
    if vmdbk.lock().settings.information {
        let line = format!(
            "RDR FILE {:04} SENT FROM {:<8} {} WAS {:04} RECS {:04} CPY  {:03} {} {} {}",
            file.spid,
            file.originator,
            file.device.name(),
            was.unwrap_or(file.spid),
            file.records,
            file.copies,
            file.class,
            if file.hold.any() { "HOLD" } else { "NOHOLD" },
            if file.keep { "KEEP" } else { "NOKEEP" },
        );
        vmdbk.write(&line, crate::console::display::Tone::Normal, cp.now());
    }
}

/// A user leaves: what is open is closed, as CLOSE would do it.
pub fn log_off(cp: &Cp, vmdbk: &Vmdbk) {
    for unit in vmdbk.units() {
        let mut unit = lock_unit(&unit);
        unit.close_input(&cp.spool, None);
        let attributes = unit.attributes(cp.now());
        let closed = unit.close_output(&cp.spool, &attributes);
        let was = unit.output.as_ref().map(OutputFile::spid);
        drop(unit);
        if let Ok(Some(file)) = closed {
            arrived(cp, &file, was);
        }
    }
}

/// Takes in what `endicott punch` has left for the system, and tells the owners.
pub fn take_drops(cp: &Cp) {
    let files: Vec<SpoolFile> = {
        let mut spool = lock(&cp.spool);
        let Some(spool) = &mut *spool else { return };
        let Ok(taken) = spool.take_drops() else { return };
        taken.files.iter().filter_map(|(owner, spid)| spool.file(owner, *spid).cloned()).collect()
    };
    files.iter().for_each(|file| arrived(cp, file, None));
}
