//! One virtual unit record device: its settings, and reading and writing of its files.

use base::{Held, ebcdic};
use devices::{Card, NotReady, ReadySwitch};
use directory::{SpoolDevice, SpoolKind};
use spool::{After, OutputFile, Queue, ReaderFile, Shared, SpoolFile, lock};
use std::sync::{Arc, Mutex, MutexGuard};

/// NO OPERATION: the record's data is not the file's, but a tag or a name.
const NO_OPERATION: u8 = 0x03;

/// The settings of SPOOL for one device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The spool class; a reader's may be `*`, any.
    pub class: char,
    /// COPY: how many copies are made.
    pub copies: u16,
    /// CONT: CLOSE does not end what is written, and a reader goes on with the next file.
    pub cont: bool,
    /// HOLD: files are held for the user.
    pub hold: bool,
    /// KEEP: files stay when they have been read or printed.
    pub keep: bool,
    /// A reader's: unit exception at the end of a file.
    pub eof: bool,
    /// A reader's: after a file that stays, the first file of the queue again, and not the one after it.
    pub rescan: bool,
    /// MSG: the user wants to know what becomes of files.
    pub messages: bool,
    /// FORM: the form that output is printed on.
    pub form: String,
    /// DEST: where output is to go.
    pub dest: String,
    /// DIST: the distribution code.
    pub dist: String,
    /// The owner of the files that the device makes, and their queue; none is the user's own.
    pub to: Option<String>,
    /// The queue of the files that the device makes.
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
    /// The user that has the device.
    pub userid: String,
    /// The virtual device number.
    pub vdev: u16,
    /// Reader, punch, printer or console.
    pub kind: SpoolKind,
    /// The device type: `2540`, `1403`, `3215`.
    pub device: String,
    /// The settings of SPOOL.
    pub settings: Settings,
    /// The file that is being written; `None`: nothing was written since the last was closed.
    pub output: Option<OutputFile>,
    /// The file that is being read; `None`: none is open.
    pub input: Option<ReaderFile>,
    /// Tells the virtual machine that a reader has a file.
    pub ready: Option<ReadySwitch>,
    /// The spooled side of a console.
    pub console: bool,
    /// NOTREADY: intervention is required.
    pub not_ready: bool,
    /// How many records have been read or written.
    pub records: u64,
    /// The node and the user that the next file to be closed is from, if that is not the writer (DIAGNOSE X'F8').
    pub origin: Option<(String, String)>,
    /// How often the open file is read again after its end, with CONT (DIAGNOSE X'14').
    pub repeats: u8,
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
            origin: None,
            repeats: 0,
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
    pub(crate) fn read(&mut self, spool: &Shared) -> Card {
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
    pub fn open_input(&mut self, spool: &Shared) -> bool {
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
    pub fn select_input(&mut self, spool: &Shared, spid: u16) -> Result<(), spool::Error> {
        if self.input.as_ref().is_none_or(|file| file.spid() != spid) {
            self.close_input(spool, Some(After::Hold));
            if let Some(spool) = &mut *lock(spool) {
                self.input = Some(spool.open_file(&self.userid, spid)?);
            }
        }
        Ok(())
    }

    /// The end of the reader's file. `after` says what becomes of it; by default what SPOOL has set.
    pub fn end_input(&mut self, spool: &Shared, after: Option<After>) {
        self.repeats = 0;
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
    pub fn close_input(&mut self, spool: &Shared, after: Option<After>) {
        self.end_input(spool, after);
        self.passed.clear();
    }

    /// Adds a record to the device's output file, which is opened by the first.
    pub fn write(&mut self, spool: &Shared, command: u8, data: &[u8]) -> Result<(), NotReady> {
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
pub(crate) fn queue_of(kind: SpoolKind) -> Queue {
    match kind {
        SpoolKind::Reader => Queue::Reader,
        SpoolKind::Punch => Queue::Punch,
        SpoolKind::Printer => Queue::Printer,
    }
}
