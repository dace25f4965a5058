//! What the pages see of a system: narrow values, and the trait that gives them.
//!
//! The program around CP implements [`System`]. Nothing here can change the system: whatever changes it is typed at a
//! terminal, and CP judges it there.

use serde::Serialize;
use std::io;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use utoipa::ToSchema;

/// A user of the directory that has given the right password.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visitor {
    /// The user ID, in capitals.
    pub userid: String,
    /// The privilege classes of the directory, such as `ABG`.
    pub classes: String,
}

/// What one may look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// Counters of the whole system, and `/metrics`.
    Counters,
    /// Users that are logged on, with what they use.
    Users,
    /// The operator's log.
    Log,
    /// Real disks, and the minidisks on them.
    Disks,
    /// Spool files of all users.
    Spool,
    /// Consoles of other users.
    Consoles,
}

/// For each view the classes that may have it: those of the CP commands that show the same.
const RIGHTS: [(View, &str, &str); 6] = [
    (View::Counters, "counters", "ACE"),
    (View::Users, "users", "ACE"),
    (View::Log, "log", "A"),
    (View::Disks, "disks", "ABE"),
    (View::Spool, "spool", "D"),
    (View::Consoles, "consoles", "AC"),
];

impl View {
    /// The classes of which one is wanted.
    pub fn classes(self) -> &'static str {
        RIGHTS.iter().find(|(view, ..)| *view == self).map_or("", |(.., classes)| classes)
    }
}

impl Visitor {
    /// Whether this user may have `view`.
    pub fn may(&self, view: View) -> bool {
        self.classes.contains(|class| view.classes().contains(class))
    }

    /// The names of the views that this user may have.
    pub fn views(&self) -> Vec<&'static str> {
        RIGHTS.iter().filter(|(view, ..)| self.may(*view)).map(|(_, name, _)| *name).collect()
    }
}

/// What is counted of the whole system. What is not a level counts since the system came up.
#[derive(Clone, PartialEq, Debug, Default, Serialize, ToSchema)]
pub struct Counters {
    /// Seconds since the system came up.
    pub up_seconds: f64,
    /// The system identifier.
    pub system: String,
    /// Of each processor.
    pub processors: Vec<Processor>,
    /// Users that are logged on.
    pub users: u64,
    /// Users of these without a terminal.
    pub disconnected: u64,
    /// Virtual CPUs in the dispatch list.
    pub dispatch_list: u64,
    /// Virtual CPUs in the eligible list.
    pub eligible_list: u64,
    /// Virtual CPUs that are dormant.
    pub dormant: u64,
    /// Of storage.
    pub storage: Storage,
    /// Files in the spool.
    pub spool_files: u64,
    /// Pages of 4096 bytes that they have in the spool.
    pub spool_pages: u64,
}

/// What is counted of a processor.
#[derive(Clone, PartialEq, Debug, Default, Serialize, ToSchema)]
pub struct Processor {
    /// Seconds that it had something to do.
    pub busy_seconds: f64,
    /// Seconds that virtual CPUs ran on it.
    pub emulation_seconds: f64,
    /// Virtual CPUs that were dispatched.
    pub dispatched: u64,
    /// Times that interpretive execution was begun.
    pub sie: u64,
    /// Input and output that guests started.
    pub started: u64,
}

/// The storage map, in pages of 4096 bytes.
#[derive(Clone, PartialEq, Debug, Default, Serialize, ToSchema)]
pub struct Storage {
    /// Whether CP pages: SYSTEM CONFIG says how much real storage there is.
    pub paged: bool,
    /// All of real storage, or of the host's; 0 if that is not known.
    pub real: u64,
    /// Frames of the dynamic paging area.
    pub paging_area: u64,
    /// Frames with pages of virtual machines.
    pub pageable: u64,
    /// Frames that are locked.
    pub locked: u64,
    /// Frames of CP's free storage.
    pub free_storage: u64,
    /// Expanded storage, all of it.
    pub expanded: u64,
    /// Slots on page volumes.
    pub slots: u64,
    /// Slots in use.
    pub slots_used: u64,
    /// Pages read from page volumes since the system came up.
    pub reads: u64,
    /// Pages written there.
    pub writes: u64,
}

/// A user that is logged on.
#[derive(Clone, PartialEq, Debug, Default, Serialize, ToSchema)]
pub struct User {
    /// The user ID.
    pub userid: String,
    /// Where the terminal is, such as `LDEV L0003`; none if disconnected.
    pub terminal: Option<String>,
    /// Megabytes of storage.
    pub storage_mb: u64,
    /// Its pages in real storage.
    pub resident: u64,
    /// Seconds that its virtual CPUs ran.
    pub virtual_seconds: f64,
    /// The same, with what CP did for it.
    pub total_seconds: f64,
    /// Input and output that it started.
    pub started: u64,
    /// The saved system or device of its last IPL.
    pub ipl: Option<String>,
}

/// A real disk.
#[derive(Clone, PartialEq, Debug, Default, Serialize, ToSchema)]
pub struct Disk {
    /// The real device number, in hexadecimal.
    pub number: String,
    /// The serial of its label.
    pub serial: String,
    /// The device type, such as `3390`.
    pub kind: String,
    /// How many units it has.
    pub units: u64,
    /// What a unit is: `CYL` or `BLK`.
    pub unit: String,
    /// `OWNED`, `SYSTEM`, `FREE`, `OFFLINE`, or the user that has it.
    pub state: String,
    /// What lies on it, and gaps, in the order of the volume.
    pub extents: Vec<Extent>,
}

/// A part of a disk.
#[derive(Clone, PartialEq, Debug, Default, Serialize, ToSchema)]
pub struct Extent {
    /// The owner; none of a gap.
    pub owner: Option<String>,
    /// The owner's device number, in hexadecimal; none of a gap.
    pub vdev: Option<String>,
    /// The first unit.
    pub start: u64,
    /// The last unit.
    pub end: u64,
    /// How many links there are to it.
    pub links: u64,
    /// It begins before another has ended.
    pub overlaps: bool,
}

/// A spool file.
#[derive(Clone, PartialEq, Debug, Default, Serialize, ToSchema)]
pub struct SpoolFile {
    /// Its owner.
    pub owner: String,
    /// Its number among the owner's.
    pub spid: u16,
    /// `RDR`, `PRT`, `PUN`.
    pub queue: String,
    /// The user that wrote it.
    pub originator: String,
    /// The spool class.
    pub class: String,
    /// Name and type.
    pub name: String,
    /// How many records it has.
    pub records: u32,
    /// Whether something holds it.
    pub held: bool,
}

/// Lines that a console was sent, with numbers that grow for as long as its user is logged on.
#[derive(Clone, PartialEq, Debug, Default, Serialize, ToSchema)]
pub struct Lines {
    /// The number of the first line that is here.
    pub first: u64,
    /// The lines.
    pub lines: Vec<String>,
}

/// A system, as the pages see it.
pub trait System: Send + Sync + 'static {
    /// The user, if the password is right. `local` says that the browser is on this host.
    fn admit(&self, userid: &str, password: &str, local: bool) -> Option<Visitor>;
    /// The classes that the user has now; none if the user is gone, or may not log on any more.
    fn classes(&self, userid: &str) -> Option<String>;
    /// A line for the operator.
    fn tell_operator(&self, text: &str);
    /// A connection at whose other end is a TN3270 server, for the browser at `peer`; `local` as above.
    fn terminal(&self, peer: SocketAddr, local: bool) -> io::Result<UnixStream>;
    /// What is counted.
    fn counters(&self) -> Counters;
    /// Users that are logged on, in the order of logging on.
    fn users(&self) -> Vec<User>;
    /// Real disks.
    fn disks(&self) -> Vec<Disk>;
    /// Spool files of all users.
    fn spool(&self) -> Vec<SpoolFile>;
    /// The operator's lines from number `from` on; none if no operator is logged on.
    fn log(&self, from: u64) -> Option<Lines>;
    /// Lines of a user's console; none if the user is not logged on.
    fn console(&self, userid: &str, from: u64) -> Option<Lines>;
}
