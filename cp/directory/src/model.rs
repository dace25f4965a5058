//! What a directory says, as types. Storage sizes are bytes, device numbers are numbers, names are in upper case.

use std::sync::Arc;

use crate::{LinkPassword, Password};

/// A line of a source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The name of the source file.
    pub file: Arc<str>,
    /// The line, from 1; 0 is the file as a whole.
    pub line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.file),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

/// A legal statement, or a part of one, that nothing acts upon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unused {
    /// Where it stands.
    pub place: Place,
    /// The user or profile it belongs to; empty before the first.
    pub user: String,
    /// The statement's keyword, for OPTION followed by the option's.
    pub statement: String,
}

impl std::fmt::Display for Unused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.statement)?;
        if !self.user.is_empty() {
            write!(f, " of {}", self.user)?;
        }
        Ok(())
    }
}

/// One user: a virtual machine's owner, and what CP makes the machine of at LOGON.
#[derive(Clone, Debug)]
pub struct User {
    /// 1 to 8 characters.
    pub userid: String,
    /// How to get in.
    pub password: Password,
    /// Storage at LOGON, in bytes; a multiple of 4096.
    pub storage: u64,
    /// The most that DEFINE STORAGE gives, in bytes; a multiple of 4096.
    pub max_storage: u64,
    /// What the user may do.
    pub classes: Classes,
    /// The scheduling priority of older systems, 0 to 99; SHARE has replaced it.
    pub priority: u8,
    /// The logical editing characters at LOGON.
    pub editing: Editing,
    /// ACCOUNT: the account number, else the userid.
    pub account: String,
    /// ACCOUNT: the distribution code on printed output, else the userid.
    pub distribution: String,
    /// MACHINE: the architecture.
    pub machine: Machine,
    /// MACHINE: how many virtual CPUs there may be in all; 0 if it does not say, which allows those of the CPU
    /// statements.
    pub max_cpus: u16,
    /// CPUMODEL: the processor that it seems to have.
    pub cpu_model: arch::Model,
    /// CPU: the virtual CPUs present at LOGON. Empty: CPU 0 alone.
    pub cpus: Vec<Cpu>,
    /// IPL: what is loaded at LOGON.
    pub ipl: Option<Ipl>,
    /// SHARE.
    pub share: Share,
    /// OPTION.
    pub options: Options,
    /// IUCV: users that this one may connect to, or that may connect to it.
    pub iucv: Vec<Iucv>,
    /// AUTOLOG and XAUTOLOG: users who may start this user without a privilege class for it.
    pub xautolog: Vec<String>,
    /// LOGONBY: users who may log on to this user with their own password.
    pub logonby: Vec<String>,
    /// COMMAND: CP commands performed at LOGON, before IPL, as written.
    pub commands: Vec<String>,
    /// SPOOLFILE MAXSPOOL: the highest spool file number, at most 9999.
    pub max_spool: u16,
    /// ACIGROUP.
    pub acigroup: Option<String>,
    /// NAMESAVE: restricted saved segments this user may load.
    pub namesave: Vec<String>,
    /// XSTORE: expanded storage attached at LOGON, in bytes; `u64::MAX` is ALL.
    pub xstore: u64,
    /// The devices, in the order of their statements, those of an included profile first.
    pub devices: Vec<Device>,
    /// Its statements have mistakes ([`Directory::mistakes`](crate::Directory::mistakes)): it cannot log on.
    pub barred: bool,
    /// The USER statement.
    pub place: Place,
}

impl User {
    /// The CONSOLE statement, if there is one.
    pub fn console(&self) -> Option<(u16, &Console)> {
        self.devices.iter().find_map(|d| match &d.kind {
            DeviceKind::Console(console) => Some((d.vdev, console)),
            _ => None,
        })
    }

    /// The device at `vdev`.
    pub fn device(&self, vdev: u16) -> Option<&Device> {
        self.devices.iter().find(|d| d.vdev == vdev)
    }
}

/// Privilege classes: A to Z and 1 to 6. IBM gave A to G a meaning; H to Z and 1 to 6 are an installation's own.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Classes(pub u32);

impl Classes {
    /// Class G, the general user: what a USER statement that names none gives.
    pub const GENERAL: Classes = Classes(1 << 6);

    /// The classes that the letters and digits of `text` name.
    pub fn parse(text: &str) -> Option<Classes> {
        let mut classes = 0;
        for c in text.bytes() {
            classes |= 1 << Self::bit(c)?;
        }
        (classes != 0).then_some(Classes(classes))
    }

    fn bit(class: u8) -> Option<u8> {
        match class {
            b'A'..=b'Z' => Some(class - b'A'),
            b'1'..=b'6' => Some(class - b'1' + 26),
            _ => None,
        }
    }

    /// Whether class `class` (a letter or digit) is among them.
    pub fn has(self, class: char) -> bool {
        u8::try_from(class).ok().and_then(Self::bit).is_some_and(|b| self.0 >> b & 1 != 0)
    }

    /// Whether any class of `other` is among them.
    pub fn any_of(self, other: Classes) -> bool {
        self.0 & other.0 != 0
    }
}

impl std::fmt::Display for Classes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        ('A'..='Z').chain('1'..='6').filter(|&c| self.has(c)).try_for_each(|c| write!(f, "{c}"))
    }
}

impl std::fmt::Debug for Classes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Classes({self})")
    }
}

/// Logical editing characters; `None` is OFF.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Editing {
    /// Ends a line within a line.
    pub line_end: Option<char>,
    /// Deletes the line so far.
    pub line_delete: Option<char>,
    /// Deletes the character before.
    pub char_delete: Option<char>,
    /// Takes the meaning from the character after.
    pub escape: Option<char>,
}

impl Default for Editing {
    fn default() -> Self {
        Editing { line_end: Some('#'), line_delete: Some('¢'), char_delete: Some('@'), escape: Some('"') }
    }
}

/// MACHINE: the architecture of a virtual machine at LOGON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Machine {
    /// System/370.
    S370,
    /// 370-XA; CP gives an ESA machine.
    Xa,
    /// ESA/390. Such a machine may switch itself to z/Architecture (SIGP Set Architecture), as Linux does.
    #[default]
    Esa,
    /// ESA/XC: access registers with DAT off, data spaces.
    Xc,
    /// z/Architecture from the start.
    Z,
}

/// A CPU statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cpu {
    /// The CPU address, 0 to 63.
    pub address: u16,
    /// BASE: the one that IPL starts.
    pub base: bool,
    /// CPUID: the six digits that STIDP shows.
    pub cpuid: Option<u32>,
    /// DEDICATE: a real processor of its own, if there are enough.
    pub dedicate: Option<bool>,
}

/// An IPL statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ipl {
    /// What is loaded.
    pub from: IplFrom,
    /// LOADPARM: up to 8 characters.
    pub loadparm: Option<String>,
    /// PARM: up to 64 characters, in the case they are written in.
    pub parm: Option<String>,
}

/// Where an IPL is from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IplFrom {
    /// A virtual device.
    Device(u16),
    /// A named saved system.
    System(String),
}

/// A user's part of the processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Portion {
    /// 1 to 10,000, to be set against the others'.
    Relative(u16),
    /// Tenths of a percent of all processors, 1 to 1000.
    Absolute(u16),
}

/// How strictly a maximum share is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Limit {
    /// Not at all.
    #[default]
    NoLimit,
    /// More is given when no other user wants it.
    Soft,
    /// More is never given.
    Hard,
}

/// A SHARE statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// The normal share.
    pub normal: Portion,
    /// The maximum share; `None` with a limit is the normal share itself.
    pub maximum: Option<Portion>,
    /// How the maximum is kept.
    pub limit: Limit,
}

impl Default for Share {
    fn default() -> Self {
        Share { normal: Portion::Relative(100), maximum: None, limit: Limit::NoLimit }
    }
}

/// The OPTION statements of a user, taken together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    words: u64,
    /// CPUID: the six digits that STIDP shows.
    pub cpuid: Option<u32>,
    /// LANG: the language of messages.
    pub language: Option<String>,
    /// MAXCONN: how many IUCV and APPC paths.
    pub max_connections: u16,
}

impl Default for Options {
    fn default() -> Self {
        Options { words: 0, cpuid: None, language: None, max_connections: 64 }
    }
}

impl Options {
    /// Whether `option` was given.
    pub fn has(&self, option: Opt) -> bool {
        self.words >> option as u32 & 1 != 0
    }

    pub(crate) fn give(&mut self, option: Opt) {
        self.words |= 1 << option as u32;
    }
}

/// One row an option without operands: its name, whether CP acts upon it, and what it allows. Where the false ones
/// stand, what they allow is not here, or is allowed to every user.
macro_rules! options {
    ($($name:ident $word:literal $used:literal $what:literal;)*) => {
        /// An option that is given or not.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Opt { $(#[doc = $what] $name,)* }
        pub(crate) static OPTIONS: &[(&str, Opt, bool)] = &[$(($word, Opt::$name, $used),)*];
    };
}

options! {
    Acct "ACCT" true "May write accounting records (DIAGNOSE X'4C').";
    ApplMon "APPLMON" false "May give the monitor data of its own (DIAGNOSE X'DC').";
    Bmx "BMX" false "Block multiplexer channels, of S/370 systems.";
    Cfvm "CFVM" false "Is a coupling facility.";
    ComSrv "COMSRV" false "Is a communication server: may speak for another userid.";
    D84NoPas "D84NOPAS" false "May use DIAGNOSE X'84' without the password.";
    DevInfo "DEVINFO" false "May ask about minidisks (DIAGNOSE X'E4').";
    DevMaint "DEVMAINT" false "May define full-pack overlays (DIAGNOSE X'E4').";
    Diag84 "DIAG84" false "May change the directory in place (DIAGNOSE X'84').";
    Diag88 "DIAG88" false "May check passwords and link for others (DIAGNOSE X'88').";
    Diag98 "DIAG98" false "May do real I/O (DIAGNOSE X'98').";
    EcMode "ECMODE" false "Extended control, of S/370 systems; every machine has it.";
    IgnMaxU "IGNMAXU" false "May log on beyond the maximum number of users.";
    Isam "ISAM" false "Self-modifying channel programs, of S/370 systems.";
    LkFac "LKFAC" false "Real multipathing lock facility.";
    LnkExclu "LNKEXCLU" true "May link exclusively.";
    LnkNoPas "LNKNOPAS" true "May link any minidisk without its password.";
    LnkStabl "LNKSTABL" true "May link stably: no new links break in.";
    MaxVmcfi "MAXVMCFI" false "Counted for VMCF interruptions.";
    Mih "MIH" false "CP simulates an interruption when a device misses one.";
    NoCharge "NOCHARGE" false "Is not charged.";
    NoMdcFs "NOMDCFS" true "Is exempt from the fair share of the minidisk cache.";
    QuickDsp "QUICKDSP" true "Never waits in the eligible list.";
    RealTimer "REALTIMER" false "The interval timer runs during waits, of S/370 systems.";
    RmchInfo "RMCHINFO" false "May see real channel paths.";
    SetOrig "SETORIG" true "May set the originator of a spool file (DIAGNOSE X'F8').";
    StFirst "STFIRST" false "May use privileged forms of STORE and SEND.";
    Svc76Vm "SVC76VM" false "Its SVC 76 is its own, not error recording.";
    SvcAccl "SVCACCL" false "SVC acceleration.";
    SvmStat "SVMSTAT" false "Is a service machine in monitor data.";
    TodEnable "TODENABLE" false "May set its time-of-day clock.";
    VirtFixed "VIRT=FIXED" false "Preferred machine with fixed storage.";
    VirtReal "VIRT=REAL" false "Preferred machine at real storage 0.";
}

/// An IUCV statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Iucv {
    /// The other end that the statement is about.
    pub with: IucvWith,
    /// PRIORITY: priority messages are allowed.
    pub priority: bool,
    /// MSGLIMIT: messages not yet answered on a path, 1 to 65,535.
    pub message_limit: Option<u16>,
    /// Operands that only networks of systems use (LOCAL, GLOBAL, REVOKE...), as written.
    pub rest: Vec<String>,
}

/// The other end in an IUCV statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IucvWith {
    /// ALLOW: every user may connect to this one.
    Allow,
    /// ANY: this user may connect to every other.
    Any,
    /// This user may connect to that one, or to that resource.
    Name(String),
    /// A CP system service, with its `*`.
    Service(String),
    /// *IDENT: this user may own the resource.
    Ident(String),
}

/// A device of a virtual machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Device {
    /// The virtual device number.
    pub vdev: u16,
    /// What it is.
    pub kind: DeviceKind,
    /// DASDOPT, of a dedicated or whole volume.
    pub dasd: DasdOptions,
    /// Its statement.
    pub place: Place,
}

/// What a channel program may do to a volume's control unit (DASDOPT).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DasdOptions {
    /// How far it may go.
    pub control: DasdControl,
    /// WORKALLEG: a reserve is honoured as the control unit does it.
    pub working_allegiance: bool,
}

/// The reach of a channel program's control functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum DasdControl {
    /// NODEVCTL: none.
    #[default]
    None,
    /// DEVCTL: those of the device.
    Device,
    /// SYSCTL: those of the subsystem as well.
    Subsystem,
}

/// What a device statement makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeviceKind {
    /// CONSOLE.
    Console(Console),
    /// SPOOL.
    Spool(SpoolDevice),
    /// SPECIAL: the type, and its operands as written (for CTCA the user who may couple).
    Special {
        /// The type: CTCA, 3270, TIMER...
        device: String,
        /// What follows the type.
        operands: Vec<String>,
    },
    /// DEDICATE.
    Dedicate {
        /// What is dedicated.
        real: RealDevice,
        /// R/O.
        read_only: bool,
    },
    /// LINK.
    Link {
        /// Whose minidisk; `*` is the user's own.
        userid: String,
        /// Its device number there.
        vdev: u16,
        /// The mode; RR if none is given.
        mode: LinkMode,
    },
    /// MDISK.
    Mdisk(Mdisk),
    /// NICDEF, or SPECIAL for a network adapter.
    Nic(Nic),
}

/// The type of a network adapter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AdapterType {
    /// Virtio over channel I/O: one device, which Linux knows.
    #[default]
    Virtio,
    /// OSA in QDIO mode.
    Qdio,
    /// HiperSockets.
    Hipersockets,
    /// A LAN channel station, as the 3172 was.
    Lcs,
}

impl AdapterType {
    /// All there are.
    pub const ALL: [AdapterType; 4] =
        [AdapterType::Virtio, AdapterType::Qdio, AdapterType::Hipersockets, AdapterType::Lcs];

    /// The type that a word in capitals means.
    pub fn of(word: &str) -> Option<AdapterType> {
        AdapterType::ALL.into_iter().find(|kind| match kind {
            AdapterType::Hipersockets => word.len() >= "HIPER".len() && "HIPERSOCKETS".starts_with(word),
            _ => word == kind.name(),
        })
    }

    /// Its name in statements and in responses.
    pub fn name(self) -> &'static str {
        match self {
            AdapterType::Virtio => "VIRTIO",
            AdapterType::Qdio => "QDIO",
            AdapterType::Hipersockets => "HIPERS",
            AdapterType::Lcs => "LCS",
        }
    }

    /// How many devices such an adapter is.
    pub fn devices(self) -> u16 {
        match self {
            AdapterType::Virtio => 1,
            AdapterType::Lcs => 2,
            AdapterType::Qdio | AdapterType::Hipersockets => 3,
        }
    }
}

/// NICDEF statements for one adapter.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Nic {
    /// The type; VIRTIO if none is given.
    pub kind: AdapterType,
    /// How many devices, if it is said.
    pub devices: Option<u16>,
    /// What it is connected to at LOGON: owner, or `*` for the user, and name.
    pub lan: Option<(String, String)>,
    /// The last three bytes of its address.
    pub mac_id: Option<u32>,
    /// Whether it sees tags of VLANs, if it is said.
    pub trunk: Option<bool>,
    /// Its VLANs, each a first and a last number.
    pub vlans: Vec<(u16, u16)>,
    /// It gets copies of all frames.
    pub promiscuous: bool,
}

/// A CONSOLE statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Console {
    /// 3210, 3215 or 3270.
    pub device: u16,
    /// The class of its spooled output; T if none is given.
    pub class: char,
    /// The secondary user, who sees the output when the user is disconnected.
    pub secondary: Option<String>,
    /// OBSERVER: that one only looks on.
    pub observer: bool,
}

/// What a spooled unit record device does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpoolKind {
    /// Reads cards.
    Reader,
    /// Punches cards.
    Punch,
    /// Prints.
    Printer,
}

/// A SPOOL statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpoolDevice {
    /// The type as written, without R or P: `2540`, `1403`, `3800-3`...
    pub device: String,
    /// What it does.
    pub kind: SpoolKind,
    /// The spool class; for a reader `*` is any.
    pub class: char,
}

/// What a DEDICATE statement names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RealDevice {
    /// A real device number.
    Number(u16),
    /// A volume serial.
    Volume(String),
}

/// An access mode of LINK and MDISK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkMode {
    /// The access.
    pub access: Access,
    /// The suffix V: reserve and release are simulated for this minidisk.
    pub reserve: bool,
}

/// R, RR, W, WR, M, MR, MW and the stable and exclusive ones. The first letter is what is wanted, the second what is
/// taken instead if that cannot be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are CP's own")]
pub enum Access {
    R,
    RR,
    W,
    WR,
    M,
    MR,
    MW,
    SR,
    SW,
    SM,
    ER,
    EW,
}

impl Access {
    /// Every mode with its name.
    pub const ALL: [(&'static str, Access); 12] = [
        ("R", Access::R),
        ("RR", Access::RR),
        ("W", Access::W),
        ("WR", Access::WR),
        ("M", Access::M),
        ("MR", Access::MR),
        ("MW", Access::MW),
        ("SR", Access::SR),
        ("SW", Access::SW),
        ("SM", Access::SM),
        ("ER", Access::ER),
        ("EW", Access::EW),
    ];
}

impl LinkMode {
    /// The mode called `name` (in upper case), with or without the suffix V.
    pub fn parse(name: &str) -> Option<LinkMode> {
        let find = |name: &str| Access::ALL.iter().find(|row| row.0 == name).map(|row| row.1);
        let plain = find(name).map(|access| LinkMode { access, reserve: false });
        plain.or_else(|| Some(LinkMode { access: find(name.strip_suffix('V')?)?, reserve: true }))
    }
}

/// An MDISK statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mdisk {
    /// The device type: `3390`, `FB-512`...
    pub device: String,
    /// Where it lies.
    pub extent: Extent,
    /// How the owner links it at LOGON.
    pub mode: LinkMode,
    /// Which users may link it to read.
    pub read: LinkPassword,
    /// Which users may link it to write.
    pub write: LinkPassword,
    /// Which users may link it to write beside others.
    pub multiple: LinkPassword,
    /// MINIOPT MDC or NOMDC: whether it may be in the minidisk cache; `None`: as the volume says.
    pub cache: Option<bool>,
    /// MINIOPT NOCACHE: whatever a channel program asks of the control unit's cache, it is bypassed.
    pub bypass: bool,
    /// MINIOPT RECORDMDC: the minidisk cache keeps the records that block services read, not tracks.
    pub records: bool,
}

/// Where a minidisk lies. Units are cylinders (CKD) or blocks of 512 bytes (FBA).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Extent {
    /// On the volume `volume`, from `start`, `count` units or to the volume's end.
    Volume {
        /// The volume serial.
        volume: String,
        /// The first unit.
        start: u32,
        /// How many units; `None` is END.
        count: Option<u32>,
    },
    /// The whole of a real device (DEVNO).
    Device(u16),
    /// T-DISK: so many units of temporary space, from LOGON to LOGOFF.
    Temporary(u32),
    /// V-DISK: so many blocks in storage, as long as any user has a link; a multiple of 8.
    Virtual(u32),
}
