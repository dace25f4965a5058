//! CP's messages: HCPxxxnnns and a text.
//!
//! One row a message: the number, the severity and the text with its fields. Programs parse the number and the order of
//! the fields, and DIAGNOSE X'08' gives the number back as CP's return code, so rows keep their numbers for ever. The
//! three letters after HCP are the module in which VM users have always seen the message; a command that is known to
//! issue it under other letters says so with [`Message::from`].
//!
//! With them is what all parts of CP read and answer with: [`words`] of a command line, a command's [`Response`], dates
//! as VM writes them ([`calendar`]). Nothing here knows a user or a virtual machine.

pub mod calendar;
pub mod help;
mod response;
pub mod words;

pub use response::Response;

use std::fmt::{self, Display};

/// A message of CP, its fields filled in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The three letters of the module.
    pub module: &'static str,
    /// The number: CP's return code.
    pub number: u16,
    /// E error, I information, W warning, A action, R response awaited.
    pub severity: char,
    /// The text, fields filled in.
    pub text: String,
}

impl Message {
    /// The same message from another module.
    pub fn from(mut self, module: &'static str) -> Message {
        self.module = module;
        self
    }

    /// The identifier: `HCPCMD001E`.
    pub fn id(&self) -> String {
        format!("HCP{}{:03}{}", self.module, self.number, self.severity)
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id(), self.text)
    }
}

/// A row of the message table, for HELP and the message reference.
pub struct Row {
    /// The three letters of the module.
    pub module: &'static str,
    /// The number, of three digits.
    pub number: u16,
    /// The letter after the number: `E` for an error, say.
    pub severity: char,
    /// The text with its fields in braces.
    pub text: &'static str,
    /// Why it comes and what to do: the comment above the row.
    pub explanation: &'static str,
}

macro_rules! messages {
    ($($(#[doc = $why:literal])+ $name:ident($($field:ident),*) = $module:literal $number:literal $severity:literal $text:literal;)+) => {
        $(
            $(#[doc = $why])+
            pub fn $name($($field: impl Display),*) -> Message {
                Message { module: $module, number: $number, severity: $severity, text: format!($text) }
            }
        )+
        /// Every message, in the order of the numbers.
        pub static MESSAGES: &[Row] = &[
            $(Row { module: $module, number: $number, severity: $severity, text: $text, explanation: concat!($($why),+) },)+
        ];
    };
}

messages! {
    /// The first word is no command, or none that your privilege classes allow. HELP lists the commands.
    unknown_command(command) = "CMD" 1 'E' "Unknown CP command: {command}";
    /// An operand is not one that the command knows, or its value is out of range.
    invalid_operand(operand) = "CMD" 2 'E' "Invalid operand - {operand}";
    /// The command has no such operand.
    invalid_option(option) = "CMD" 3 'E' "Invalid option - {option}";
    /// The command was complete before this word.
    extra_option(option) = "CMD" 3 'E' "Invalid option - command contains extra option(s) starting with {option}";
    /// The device type is unknown, or not one that can be used here.
    invalid_device_type(kind) = "DEF" 6 'E' "Invalid device type - {kind}";
    /// A user ID has one to eight letters, digits or the characters $ # @ - : . _ +.
    invalid_userid(userid) = "CMD" 7 'E' "Invalid userid - {userid}";
    /// A spool ID is a decimal number from 1 to 9999.
    invalid_spoolid(spoolid) = "SPO" 8 'E' "Invalid spoolid - {spoolid}";
    /// The range is not of the form first-last or start.length.
    invalid_range(range) = "CMD" 9 'E' "Invalid range - {range}";
    /// The register number or form is not one that exists.
    invalid_register(register) = "CMD" 10 'E' "Invalid register - {register}";
    /// The command needs a user ID here.
    userid_missing() = "CMD" 20 'E' "Userid missing or invalid";
    /// The command needs the number of a real device, of one to four hexadecimal digits. QUERY DASD shows those there
    /// are.
    real_device_missing() = "CMD" 21 'E' "A real device number was not supplied or it was invalid";
    /// The command needs a virtual device number of one to four hexadecimal digits here.
    device_missing() = "CMD" 22 'E' "A virtual device number was not supplied or it was invalid";
    /// The command needs another operand.
    operand_missing() = "CMD" 26 'E' "Operand missing or invalid";
    /// The command needs a spool ID here.
    spoolid_missing() = "CMD" 27 'E' "Spoolid missing or invalid";
    /// The virtual machine has no device with this number. QUERY VIRTUAL ALL lists the devices.
    device_absent(device) = "CMD" 40 'E' "Device {device} does not exist";
    /// The spool file is not in the queue.
    spoolid_absent(spoolid) = "CMD" 42 'E' "Spoolid {spoolid} does not exist";
    /// The user must be logged on for this.
    not_logged_on(userid) = "CMD" 45 'E' "{userid} not logged on";
    /// DIAL finds no virtual 3270 of that user's without a terminal, or your terminal is no display. SPECIAL and DEFINE
    /// GRAF make virtual 3270s.
    no_line(line, userid) = "DIA" 55 'E' "{line} not available on {userid}";
    /// The user ID and password do not belong together. CP does not say which of the two is wrong.
    logon_unsuccessful() = "LGA" 50 'E' "LOGON unsuccessful--incorrect userid and/or password";
    /// The directory has no such user.
    not_in_directory(userid) = "LGA" 53 'E' "{userid} not in CP directory";
    /// What the directory says of the user has mistakes. They were told when the system came up, with their lines; the
    /// user can be logged on when they are mended and the system is started again.
    directory_mistakes(userid) = "LGA" 61 'E' "{userid} not logged on; its entry in the directory has mistakes";
    /// The user is at another terminal. LOGON userid HERE takes the virtual machine to yours.
    already_logged_on(terminal) = "LGA" 54 'E' "Already logged on {terminal}";
    /// The user does not receive messages (SET MSG OFF), or is disconnected without a secondary user at a terminal.
    not_receiving(userid, why) = "MSG" 57 'I' "{userid} not receiving; {why}";
    /// A command line has at most 240 characters.
    line_too_long() = "CMD" 58 'E' "Command line exceeds 240 characters";
    /// The program read the console with an area that is shorter than the line that was entered.
    line_cut(taken) = "CNS" 59 'I' "Only the first {taken} characters of the line were read; the rest is lost";
    /// The virtual machine has a device with this number already.
    device_defined(device) = "DEF" 91 'E' "{device} not defined; device already exists";
    /// More storage than the directory's maximum for this user.
    storage_exceeds(maximum) = "DEF" 94 'E' "Storage exceeds allowed maximum of {maximum}";
    /// No temporary space is left for the disk, or the system has none. QUERY ALLOC TDISK shows it.
    no_temporary_space(vdev) = "DEF" 91 'E' "DASD {vdev} not defined; temporary space not available";
    /// Virtual disks may not become larger together: QUERY VDISK shows the limits. `whose` is user or system.
    virtual_limit(vdev, whose) = "DEF" 91 'E' "DASD {vdev} not defined; {whose} virtual disk limit exceeded";
    /// Another user writes on the minidisk, so you can only read it. RR says that this is enough.
    forced_writer(vdev, by) = "LNM" 101 'E' "DASD {vdev} forced R/O; {by}";
    /// Others read the minidisk, so you can only read it.
    forced_readers(vdev, by) = "LNM" 102 'E' "DASD {vdev} forced R/O; {by}";
    /// Others read and write the minidisk, so you can only read it.
    forced_both(vdev, by) = "LNM" 103 'E' "DASD {vdev} forced R/O; {by}";
    /// Another user writes on the minidisk, and the mode does not allow that.
    link_writer(userid, vdev, by) = "LNM" 104 'E' "{userid} {vdev} not linked; {by}";
    /// Others read the minidisk, and the mode does not allow that.
    link_readers(userid, vdev, by) = "LNM" 105 'E' "{userid} {vdev} not linked; {by}";
    /// Others read and write the minidisk, and the mode does not allow that.
    link_both(userid, vdev, by) = "LNM" 106 'E' "{userid} {vdev} not linked; {by}";
    /// The directory has no minidisk with this number for that user.
    link_not_in_directory(userid, vdev) = "LNM" 107 'E' "{userid} {vdev} not linked; not in CP directory";
    /// The volume that the minidisk lies on is not among CP's: QUERY DASD shows those there are.
    link_not_mounted(userid, vdev, volume) = "LNM" 108 'E' "{userid} {vdev} not linked; volid {volume} not mounted";
    /// The volume is not of the type that the directory says, or it ends before the minidisk does.
    link_not_there(userid, vdev, why) = "LNM" 109 'E' "{userid} {vdev} not linked; {why}";
    /// Your virtual machine has a device with this number already.
    link_defined(userid, vdev) = "LNM" 110 'E' "{userid} {vdev} not linked; device already defined";
    /// The directory has no read password: only the owner can link the minidisk so.
    no_read_password(userid, vdev) = "LNM" 111 'E' "{userid} {vdev} not linked; no read password";
    /// The directory has no write password: only the owner can link the minidisk so.
    no_write_password(userid, vdev) = "LNM" 112 'E' "{userid} {vdev} not linked; no write password";
    /// The directory has no multiple password: only the owner can link the minidisk so.
    no_multiple_password(userid, vdev) = "LNM" 113 'E' "{userid} {vdev} not linked; no multiple password";
    /// The password is not the one for this mode.
    link_password(userid, vdev) = "LNM" 114 'E' "{userid} {vdev} not linked; mode or password incorrect";
    /// You have offered too many wrong passwords, and cannot link minidisks that need one until you log on again.
    link_excessive() = "LNM" 115 'E' "LINK invalid; excessive incorrect passwords";
    /// LINK wants a user, that user's device number, perhaps AS and yours, and perhaps a mode and a password.
    link_format() = "LNM" 118 'E' "Command format not valid";
    /// No disk has this real device number. QUERY DASD shows those there are.
    no_real_device(rdev) = "CQS" 40 'E' "Device {rdev} does not exist";
    /// The device's control unit has no cache: it is of another kind, or SYSTEM CONFIG says so.
    no_subsystem_cache(rdev) = "SEC" 1154 'E' "Device {rdev} is not at a control unit with a cache";
    /// The setting is kept for QUERY SET, if it is one that QUERY SET shows. What it controls on a real machine is not
    /// here, or is always as it should be.
    changes_nothing(what) = "SET" 1156 'I' "{what} changes nothing here";
    /// The cache of the device's control unit has no non-volatile storage; SYSTEM CONFIG says how much there is.
    no_subsystem_storage(rdev) = "SEC" 1155 'E' "Device {rdev} is not at a control unit with non-volatile storage";
    /// The volume has no area that CP uses for this. QUERY ALLOC MAP shows what it has. PAGE and SPOL areas are used if
    /// SYSTEM CONFIG has a STORAGE statement.
    no_such_area(rdev, what) = "DRN" 125 'E' "DASD {rdev} has no {what} space in use";
    /// No volume of the system has this serial. QUERY DASD shows those there are.
    no_volume(serial) = "DRN" 126 'E' "Volume {serial} is not attached to the system";
    /// The real device is in use.
    real_device_in_use(rdev, by) = "ATS" 122 'E' "DASD {rdev} not attached; {by}";
    /// Minidisks on the volume are in use. QUERY MDISK MAP shows their owners.
    volume_in_use(rdev, count) = "DTS" 124 'E' "DASD {rdev} in use by {count} users";
    /// The device is not attached to that user or to the system.
    not_attached(rdev, userid) = "DTS" 121 'E' "DASD {rdev} not attached to {userid}";
    /// The tape drive is in use.
    tape_in_use(rdev, by) = "ATS" 122 'E' "TAPE {rdev} not attached; {by}";
    /// The tape drive is not attached to that user.
    tape_not_attached(rdev, userid) = "DTS" 121 'E' "TAPE {rdev} not attached to {userid}";
    /// There is no such tape in the system's folder "tapes", or it cannot be used: the text says why. Names are as the
    /// host has them.
    not_mounted(name, rdev, why) = "MNT" 6304 'E' "Tape {name} not mounted on {rdev}: {why}";
    /// No tape is on the drive. MOUNT puts one there.
    no_tape(device) = "RWD" 6305 'E' "There is no tape on drive {device}";
    /// The text says why. A disk that is not in files of the host, or with a file that may only be read, has no
    /// snapshots.
    snapshot_failed(rdev, why) = "SNP" 6306 'E' "DASD {rdev} snapshot not possible: {why}";
    /// SNAPSHOT MERGE has ended: the file below the shadow file has everything, and the shadow file is gone.
    snapshot_merged(rdev, count) = "SNP" 6307 'I' "DASD {rdev} snapshot merged; {count} left";
    /// Too much for the cache, or more at least than at most.
    cache_size(value) = "MDS" 6802 'E' "Minidisk cache size not valid - {value}";
    /// The minidisk cache lies in the host's storage. SET MDCACHE STORAGE says its size.
    no_expanded_storage() = "MDS" 6803 'E' "Minidisk cache does not use expanded storage";
    /// The text says why: the user has some already, the system has none (XSTORE in SYSTEM CONFIG), or not so much is
    /// available. QUERY XSTORE shows what is; RETAIN XSTORE keeps some of it back, DETACH XSTORE FROM a user gives it
    /// back.
    expanded_not_attached(userid, why) = "ATX" 6804 'E' "XSTORE not attached to {userid}; {why}";
    /// QUERY XSTORE shows which users have some.
    expanded_not_detached(userid) = "DTX" 6805 'E' "{userid} has no XSTORE";
    /// STORAGE in SYSTEM CONFIG says how much the system has; the host does not.
    frames_unknown() = "CQF" 6807 'E' "The size of real storage is not known";
    /// CP takes pages of virtual machines away only in a system with STORAGE in SYSTEM CONFIG. Elsewhere all pages stay
    /// where they are, as far as the host lets them.
    no_paging() = "SET" 6808 'E' "No pages are taken from virtual machines here; the system has no STORAGE statement";
    /// LOCK and SET RESERVED may keep seven eighths of the dynamic paging area, for all users together. QUERY RESERVED
    /// and QUERY FRAMES (LOCKCMD) show what is kept; a larger STORAGE in SYSTEM CONFIG gives more.
    too_many_kept(pages, most) = "SET" 6809 'E' "{pages} pages cannot be kept in real storage; {most} can";
    /// The page could not be brought into real storage: it is lost, or part of a saved segment by now.
    page_not_locked(page) = "LCK" 6810 'E' "Page {page} cannot be locked";
    /// LOCK has not locked any of these pages, or they were given back by IPL or DEFINE STORAGE.
    pages_not_locked(range) = "ULK" 6811 'E' "Pages {range} are not locked";
    /// XSTORE in SYSTEM CONFIG says how much the system has.
    expanded_absent() = "QXS" 6806 'E' "The system has no XSTORE";
    /// A host file that keeps a real disk could not be read or written, or what was in it is damaged. The guest that
    /// used it was told by sense data. Look at the file and at the host's disk; endicott dasd check tells what is wrong
    /// with the file.
    media_error(rdev, volume, what, why) = "ERP" 6303 'I' "DASD {rdev} {volume} I/O error at {what}: {why}";
    /// Too many wrong passwords; the terminal is put back to its logo.
    excessive_passwords() = "LGA" 115 'E' "LOGON invalid; excessive incorrect passwords";
    /// IPL needs a device from which a program can be read.
    ipl_device_type(device) = "VMI" 228 'E' "IPL not performed; device {device} cannot be used for IPL";
    /// The reader is empty, or its first file ended before the program was loaded. QUERY RDR shows the files; CHANGE
    /// RDR ALL NOHOLD makes those ready again that have been read and are kept.
    ipl_unit_record(device) = "VMI" 233 'E' "IPL unit record error on device {device}";
    /// The device signalled an error while the program was being read.
    ipl_io_error(device) = "VMI" 232 'E' "IPL I/O error on device {device}";
    /// The program's PSW is not valid.
    ipl_psw() = "VMI" 234 'E' "IPL unsuccessful; the PSW that was loaded is not valid";
    /// No saved system has this name. QUERY NSS lists them.
    no_saved_system(name) = "IPL" 44 'E' "Named saved system {name} does not exist";
    /// DEFSYS has defined the saved system; SAVESYS saves it.
    system_defined(name, id) = "NSD" 440 'I' "The Named Saved System (NSS) {name} was successfully defined in fileid {id}.";
    /// DEFSEG has defined the saved segment; SAVESEG saves it.
    segment_defined(name, id) = "NSD" 440 'I' "Saved segment {name} was successfully defined in fileid {id}.";
    /// SAVESYS has saved the system: IPL starts it.
    system_saved(name, id) = "NSS" 440 'I' "Named Saved System (NSS) {name} was successfully saved in fileid {id}.";
    /// SAVESEG has saved the segment: programs can load it.
    segment_saved(name, id) = "NSS" 440 'I' "Saved segment {name} was successfully saved in fileid {id}.";
    /// Before SAVESYS comes DEFSYS, before SAVESEG comes DEFSEG. QUERY NSS lists what is defined: class S.
    saved_not_defined(name) = "NSS" 441 'E' "{name} is not defined";
    /// What is defined has to be saved, or purged with PURGE NSS, before it can be defined anew.
    saved_defined(name, id) = "NSD" 442 'E' "{name} is defined in fileid {id} already, and not saved";
    /// One of the two would be a segment, the other the segment space that it is in.
    saved_space(name, other, id) = "NSD" 442 'E' "{name} cannot be defined: {other} in fileid {id} has or is a segment space of that name";
    /// Each page of a segment space belongs to one of its members.
    saved_member(name, other, id) = "NSD" 278 'E' "{name} cannot be defined: its pages are those of {other} in fileid {id}, which is in the same segment space";
    /// The saved system does not run in so little storage. DEFINE STORAGE gives the virtual machine more.
    saved_minimum(name, size) = "VMI" 443 'E' "Virtual machine storage is less than the {size} that {name} needs";
    /// The saved system is not for virtual machines of this mode. SET MACHINE gives it another.
    saved_mode(name, modes) = "VMI" 445 'E' "{name} needs a virtual machine of mode {modes}";
    /// What is to be saved must be in the virtual machine's storage.
    saved_page(page) = "NSS" 446 'E' "Page {page} is not within the virtual machine's storage";
    /// The saved system is restricted, or for a group of virtual machines, and the directory has no NAMESAVE statement
    /// for it in your entry.
    saved_restricted(name) = "VMI" 449 'E' "Your userid is not authorized to IPL system {name}";
    /// The spool file is being read or written now.
    spool_file_in_use(spoolid) = "SPO" 43 'E' "Spoolid {spoolid} is in use";
    /// The host refused to keep spool files: its disk is full, or the spool folder is damaged.
    spool_error(why) = "SPO" 435 'E' "Spool error; {why}";
    /// A host file of a spool file, or of a saved system or segment, is not what was written: it has been changed, or
    /// the host's disk has. CP leaves it alone, and no user sees the spool file or the saved system. Put back a copy of
    /// both files of that number while the system is down, or remove them: then save the system again (SAVESYS,
    /// SAVESEG).
    damaged_file(path) = "SPO" 436 'I' "{path} is damaged and not used; restore or remove it and its .data";
    /// The host does not let CP make host code, or its processor lacks an instruction: the interpreter runs everything,
    /// some ten times as slowly. Mostly a policy of the host forbids memory that is executed (PROT_EXEC), or the file
    /// that it is kept in (memfd_create).
    no_translator(why) = "JIT" 438 'W' "Guests are only interpreted; no host code can be made: {why}";
    /// The host has no room for the virtual machine's storage.
    no_host_storage(userid, why) = "LGA" 2754 'E' "{userid} not logged on; the host has no storage for the virtual machine: {why}";
    /// The virtual machine stopped all of its CPUs: a guest that has been shut down does so.
    stopped_itself(cpu) = "GSP" 2629 'I' "The virtual machine is placed in CP mode due to a SIGP stop from CPU {cpu}.";
    /// LOGOFF or FORCE of this user is under way.
    logoff_pending(userid) = "FRC" 361 'E' "LOGOFF/FORCE pending for user {userid}";
    /// The receiver cannot have more spool files. The file stays in the queue of the user who wrote it.
    spool_limit() = "CLS" 439 'E' "Spool fileid limit exceeded; the file stays with its originator";
    /// The storage named is outside the virtual machine.
    not_addressable(address) = "CDA" 160 'E' "Not executed; address {address} is not within the virtual machine's storage";
    /// The address is not translated by the virtual machine's own tables.
    not_translated(address) = "CDA" 161 'E' "Not executed; address {address} is not translated";
    /// The virtual machine has no CPU with this address.
    no_cpu(address) = "CPU" 1458 'E' "CPU {address} is not defined";
    /// The CPU exists already.
    cpu_defined(address) = "DEF" 1459 'E' "CPU {address} is already defined";
    /// The directory allows this many CPUs.
    cpu_limit(maximum) = "DEF" 1460 'E' "CPU not defined; the maximum is {maximum}";
    /// A virtual machine always has its base CPU.
    cpu_needed(address) = "CPU" 1461 'E' "CPU {address} not detached; it is the base CPU";
    /// The command needs a virtual machine that is able to run: IPL one first.
    not_operational() = "BEG" 1465 'E' "The virtual machine cannot run; no program has been loaded";
    /// A virtual CPU loaded a PSW with the wait bit on and no interruption enabled.
    disabled_wait(psw) = "GIR" 450 'W' "CP entered; disabled wait PSW {psw}";
    /// The virtual machine needs a frame of real storage and none can be taken from others: expanded storage and page
    /// space are full. Nothing is lost. When others have given storage back, or logged off, BEGIN lets it go on. More
    /// page space (PAGE in SYSTEM CONFIG) or a larger STORAGE prevents it.
    no_frame() = "PGT" 451 'W' "CP entered; no storage is available, since all paging space is in use";
    /// A page of the virtual machine, at this address, could not be read back from page space. What it had is lost. The
    /// operator has been told why. IPL, or SYSTEM CLEAR, begins anew without it.
    page_lost(address) = "PGT" 452 'W' "CP entered; paging error, the page at {address} is lost";
    /// So much of page space, or of spool space that pages go to, is in use. When both are full, virtual machines are
    /// stopped that need storage. Have users log off, or give the system more page space: a volume with PAGE areas, or
    /// PAGE in SYSTEM CONFIG. QUERY ALLOC shows how much there is.
    page_space_used(percent, what) = "PGT" 401 'I' "{percent} percent of {what} space is in use";
    /// Pages go to spool space from now on: the SPOL areas of volumes that CP owns.
    page_space_overflow() = "PGT" 400 'I' "All available paging space is in use; paging continues with spooling space";
    /// Pages cannot be taken from virtual machines any more. Those that need storage are stopped until there is some.
    page_space_full() = "PGT" 400 'I' "All available paging space is in use";
    /// A page volume or its host file could not be read or written. A page that was to be read is lost to its user; one
    /// that was to be written stays in real storage. Look at the host's disk, and at the volume when the system has
    /// ended: endicott dasd check.
    page_volume_error(volume, what, why) = "PGT" 415 'E' "Paging error, {what} {volume}: {why}";
    /// The program new PSW causes another program interruption.
    program_loop() = "GIR" 453 'W' "CP entered; program interrupt loop";
    /// A virtual CPU is in the check-stop state: a failure of Endicott itself.
    check_stop(why) = "GIR" 454 'W' "CP entered; virtual CPU is in check-stop state: {why}";
    /// The user may not do this.
    not_authorised() = "CMD" 298 'E' "Request denied; not authorized";
    /// HELP knows no such command or message.
    no_help(topic) = "HLP" 254 'E' "No HELP for {topic}";
    /// The virtual machine has no devices of this class.
    no_such_devices(class) = "QVD" 6060 'E' "No {class} devices exist";
    /// The operating system has not asked to be told of shutdowns, or there is none.
    not_signalled(userid) = "SIG" 2113 'E' "{userid} is not enabled for the shutdown signal";
    /// No operating system runs, or it has not asked for commands of the service element's console, or it has left too
    /// many unread.
    no_service_console() = "VIN" 6531 'E' "The operating system will not accept commands from the service processor";
    /// SEND without class C is for users who are disconnected.
    not_disconnected(userid) = "SND" 68 'E' "{userid} is not disconnected";
    /// A network of this owner and name is there already, be it a LAN or a virtual switch. QUERY LAN and QUERY VSWITCH
    /// show those there are.
    network_exists(kind, name) = "NDL" 2780 'E' "{kind} {name} already exists";
    /// No network of this owner and name is there. QUERY LAN and QUERY VSWITCH show those that you may use.
    network_absent(kind, name) = "NDL" 2781 'E' "{kind} {name} does not exist";
    /// MAXCONN of the network does not allow another adapter.
    network_full(kind, name) = "CPL" 2782 'E' "Maximum number of connections to {kind} {name} has been reached";
    /// SET VMLAN LIMIT says how many networks there may be: PERSISTENT ones of SYSTEM, TRANSIENT ones of users.
    network_limit(class, limit) = "NDL" 2783 'E' "Limit of {limit} {class} networks has been reached";
    /// Networks here are of TYPE QDIO, with transport ETHERNET or IP, or LANs of TYPE HIPERSOCKETS, with transport IP.
    /// They have no real adapter.
    transport(what) = "NDL" 2784 'E'
        "{what} is not available; networks are of TYPE QDIO or HIPERS without real adapters";
    /// The virtual machine has no network adapter with this number. QUERY NIC shows those there are.
    nic_absent(vdev) = "NIC" 2785 'E' "NIC {vdev} does not exist";
    /// UNCOUPLE takes an adapter from one network before COUPLE connects it to another.
    nic_coupled(vdev, to) = "CPL" 2786 'E' "NIC {vdev} is already connected to {to}";
    /// The adapter is connected to nothing, or COUPLE names nothing and the directory has no network for it.
    nic_uncoupled(vdev) = "CPL" 2787 'E' "NIC {vdev} is not connected";
    /// Adapters of this type are not simulated. The text lists those that are.
    nic_type(kind, types) = "VDB" 2788 'E' "NIC type {kind} is not available; adapters are of TYPE {types}";
    /// Another adapter has this address.
    address_in_use(id) = "VDB" 2789 'E' "MACID {id} is in use";
    /// HiperSockets are connected to a LAN of that type, other adapters to other networks.
    network_type(adapter, kind, name, family) = "CPL" 2790 'E'
        "NIC of type {adapter} cannot be connected to {kind} {name} of type {family}";
    /// The virtual switch is connected to the outside.
    uplink_ready(name) = "SWU" 2830 'I' "VSWITCH {name} status is ready.";
    /// The virtual switch works without its uplink, for which the host is the cause: the text says why. SET VSWITCH
    /// UPLINK CONNECT tries again.
    uplink_failed(name, why) = "SWU" 2832 'E' "Uplink of VSWITCH {name} is not connected: {why}";
    /// Something happened at the uplink that limits what guests can do.
    uplink_notice(name, what) = "SWU" 2833 'I' "VSWITCH {name}: {what}";
    /// That user has no channel-to-channel adapter of this number. DEFINE CTCA or SPECIAL makes one.
    ctca_absent(userid, vdev) = "CPL" 6012 'E' "{userid} {vdev} is not a channel-to-channel adapter";
    /// The adapter at the other side is coupled already. UNCOUPLE or DETACH there ends that.
    ctca_coupled(userid, vdev) = "CPL" 6013 'E' "{userid} {vdev} is already coupled";
    /// The adapter is coupled to nothing.
    ctca_uncoupled(vdev) = "CPL" 6014 'E' "CTCA {vdev} is not coupled";
    /// The network is restricted, and neither a grant nor the directory lets you connect to it. The owner gives grants
    /// by SET LAN, the operator by SET VSWITCH. A virtual switch that is aware of VLANs wants one in the grant, unless
    /// it has a default. A channel-to-channel adapter may be for another user.
    not_to_couple(name) = "CPL" 6011 'E' "You are not authorized to COUPLE to {name}";
    /// DUMP prints on the first virtual printer. DEFINE makes one.
    no_printer() = "DMP" 61 'E' "No virtual printer; nothing was dumped";
    /// TRACE has no trap of this name. QUERY TRACE shows those there are.
    no_trap(id) = "TRD" 1511 'E' "Trace identifier {id} does not exist";
    /// Records are written of some domains and not of others: HELP MONITOR lists them. SEEKS, NETWORK, ISFC and SSI
    /// have none here, SCHEDULER has events alone, PROCESSOR and STORAGE samples alone.
    no_monitor_domain(domain, side) = "MNR" 6220 'E' "Monitor domain {domain} has no {side} records";
    /// SYSTEM and MONITOR are always enabled.
    fixed_monitor_domain(domain) = "MNR" 6221 'E' "Monitor domain {domain} cannot be disabled";
    /// It has been started. How the segment is divided can be changed when both samples and events are stopped.
    monitor_active(side) = "MNR" 6222 'E' "{side} recording is already started";
    /// MONITOR SAMPLE RATE may be as long as the INTERVAL, not longer.
    monitor_rate() = "MNR" 6223 'E' "The high-frequency rate is longer than the interval";
    /// It begins when a program connects to *MONITOR for it.
    monitor_pending(side) = "MNR" 6224 'I'
        "{side} recording is pending because there are no users connected to *MONITOR for this data";
    /// Programs that are connected to *MONITOR get records from now on.
    monitor_started(side) = "MNR" 6225 'I' "{side} recording is started";
    /// Programs that are connected to *MONITOR stay connected, and get no more records.
    monitor_stopped(side) = "MNR" 6226 'I' "{side} recording is stopped";
    /// CONFIG SIZE of samples and of events, the partition for events and at least a page for samples must lie in the
    /// segment that readers have loaded. QUERY NSS MAP shows its pages.
    monitor_room(name) = "MNR" 6227 'E' "Segment {name} has no room for that";
    /// So many records wait for a virtual machine to collect them, as many as RECORDING LIMIT says or a multiple. QUERY
    /// RECORDING shows which user should; RETRIEVE in CMS collects them, and RECORDING PURGE throws them away.
    recording_limit(kind, count) = "CRC" 8064 'I'
        "Recording data limit encountered for {kind}; number of records = {count}";
    /// As many records wait as there is room for. This one is lost, and so are those that follow, until a virtual
    /// machine collects them.
    records_lost(kind) = "CRC" 8065 'W' "{kind} records are lost; no virtual machine collects them";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_as_users_see_it() {
        assert_eq!(unknown_command("FROB").to_string(), "HCPCMD001E Unknown CP command: FROB");
        assert_eq!(not_logged_on("U1").from("MSG").id(), "HCPMSG045E");
    }

    /// The names of the messages and all the source of CP's crates, tests and this file left out.
    #[test]
    fn every_message_is_used() {
        let names = |line: &'static str| line.trim_start().split_once('(').map(|(name, _)| name);
        let table = include_str!("lib.rs").split_once("messages! {\n    ///").expect("the table is here").1;
        let rows = table.lines().filter(|line| line.contains("\" ") && line.contains(") = \""));
        let mut source = String::new();
        let crates = std::fs::read_dir(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        let mut folders: Vec<_> = crates.map(|entry| entry.unwrap().path().join("src")).collect();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false if path.ends_with("message/src/lib.rs") => (),
                    false if path.extension().is_none_or(|extension| extension != "rs") => (),
                    false => source.push_str(&std::fs::read_to_string(path).unwrap()),
                }
            }
        }
        let unused: Vec<_> = rows
            .filter_map(names)
            .filter(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'))
            .filter(|name| {
                !["message", "messages", "crate"].iter().any(|from| source.contains(&format!("{from}::{name}(")))
            })
            .filter(|name| !["message", "crate"].iter().any(|from| source.contains(&format!("{from}::{name})"))))
            .collect();
        assert!(unused.is_empty(), "{unused:?}");
    }

    #[test]
    fn every_message_is_explained() {
        for row in MESSAGES {
            assert!(row.explanation.len() > 20, "{}", row.text);
            assert!("EIWAR".contains(row.severity) && row.module.len() == 3, "{}", row.text);
        }
    }
}
