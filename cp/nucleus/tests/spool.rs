//! Spool files as guests see them: channel programs on virtual readers and punches, DIAGNOSE X'14', the commands of
//! Linux's vmur. It takes something from the columns of their responses, which is here, too.

mod time;
mod volume;

use arch::Absolute;
use arch::io::{Ccw, CcwFormat, DeviceStatus, Irb, Orb, pmcw_flag};
use base::ebcdic;
use complex::Configuration;
use consoles::host::Silent;
use consoles::terminal::Kind;
use diagnose::{self, Call};
use directory::{Directory, Passwords};
use nucleus::command::{self, Issuer, Origin};
use nucleus::system::{Cp, SystemConfig};
use spool::{Attributes, Content, Punch, Queue, Spool};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use support::Random;
use time::Time;
use virtualmachine::vmdbk::Vmdbk;

struct System {
    cp: Cp,
    folder: PathBuf,
}

impl Drop for System {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl System {
    fn new() -> System {
        System::with(|_| ())
    }

    /// A system whose directory is the sample as `change` leaves it.
    fn with(change: impl FnOnce(&mut Directory)) -> System {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("endicott-spool-test-{}-{number}", std::process::id()));
        let mut directory = Directory::parse("USER DIRECT", directory::sample(), &Passwords::default()).unwrap();
        change(&mut directory);
        let spool = Spool::open(&folder).unwrap();
        engine::provide(jit::translator);
        let cp = Cp::new(SystemConfig::default(), directory, Some(spool), Arc::new(Time::default()), Arc::new(Silent));
        volume::install(&cp);
        System { cp, folder }
    }

    fn log_on(&self, userid: &str) -> Guest<'_> {
        let terminal = self.cp.connect(Kind::Typewriter, None, "127.0.0.1", true);
        self.cp.line(terminal.id, &format!("logon {userid} {userid} noipl"));
        let vmdbk = self.cp.vmdbk(&userid.to_uppercase()).expect("the sample directory has this user");
        Guest { cp: &self.cp, vmdbk }
    }

    /// What `endicott punch` does, and the system's noticing it.
    fn punch(&self, userid: &str, files: &[&[u8]]) {
        for file in files {
            let attributes = Attributes::new(userid, Queue::Reader, self.cp.now());
            let punch = Punch { attributes, originator: "SYSTEM".into(), content: Content::Binary };
            spool::punch(&self.folder, &punch, &mut &file[..]).unwrap();
        }
        self.cp.take_drops();
    }
}

/// A logged-on user's virtual machine, driven from outside.
struct Guest<'a> {
    cp: &'a Cp,
    vmdbk: Arc<Vmdbk>,
}

const READER: u16 = 0x00c;
const PUNCH: u16 = 0x00d;
const PRINTER: u16 = 0x00e;

impl Guest<'_> {
    fn configuration(&self) -> Arc<Configuration> {
        self.vmdbk.machine().configuration.clone()
    }

    /// A command by DIAGNOSE X'08': the response as the guest's buffer would have it, and the return code.
    fn command(&self, line: &str) -> (String, u16) {
        let issuer = Issuer { vmdbk: self.vmdbk.clone(), origin: Origin::Diagnose, cpu: None };
        match command::execute(self.cp, &issuer, line) {
            Ok(response) => (response.lines.iter().map(|line| format!("{line}\n")).collect(), response.code),
            Err(message) => (format!("{message}\n"), message.number),
        }
    }

    fn good(&self, line: &str) -> String {
        let (text, code) = self.command(line);
        assert_eq!(code, 0, "{line}: {text}");
        text
    }

    fn put(&self, at: u64, bytes: &[u8]) {
        self.configuration().storage().write(Absolute(at), bytes).unwrap();
    }

    fn get(&self, at: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.configuration().storage().read(Absolute(at), &mut bytes).unwrap();
        bytes
    }

    /// Runs format-1 CCWs (command, flags, count, address) at X'1000' and takes the status.
    fn run(&self, device: u16, ccws: &[(u8, u8, u16, u32)]) -> Irb {
        for (n, &(command, flags, count, address)) in ccws.iter().enumerate() {
            let ccw = Ccw { command, flags, count, address };
            self.put(0x1000 + 8 * n as u64, &ccw.encode(CcwFormat::One));
        }
        let configuration = self.configuration();
        let mut css = configuration.css();
        let id = css.find(device).expect("the sample directory gives this device");
        let mut schib = css.store_subchannel(id).unwrap();
        schib.pmcw.flags |= pmcw_flag::ENABLED;
        css.modify_subchannel(id, &schib).unwrap();
        // The reader's device end for a file that has arrived is taken before the program starts.
        css.attend();
        css.test_subchannel(id);
        let orb = Orb::new(0, 0x0080_ff00, 0x1000);
        assert_eq!(css.start_subchannel(id, &orb), Ok(0));
        let (cc, irb) = css.test_subchannel(id);
        assert_eq!(cc, 0, "the program has ended");
        irb
    }

    /// Reads a file as the loader in Linux's first 64 kilobytes does: 20 cards at a time, until a status that is not
    /// channel end with or without device end; what has been read then is told by the CCW address and the residual
    /// count.
    fn load(&self) -> (Vec<u8>, DeviceStatus) {
        let ccws: Vec<_> = (0..20).map(|n| (0x02, if n < 19 { 0x60 } else { 0x20 }, 80, 0x2000 + 80 * n)).collect();
        let mut file = Vec::new();
        loop {
            let scsw = self.run(READER, &ccws).scsw;
            let full = matches!(scsw.device.0, 0x08 | 0x0c);
            let bytes = (scsw.ccw.get() - 0x1000) / 8 * 80 - u32::from(scsw.count);
            file.extend(self.get(0x2000, bytes as usize));
            if !full {
                assert_eq!(scsw.count, 80, "nothing of the card that is not there");
                return (file, scsw.device);
            }
            assert_eq!(bytes, 1600);
        }
    }

    /// DIAGNOSE X'14' with the buffer at X'4000': condition code and Ry+1.
    fn diagnose14(&self, rx: u64, ry: u16, function: u64) -> (u8, u64) {
        let (cc, registers) = self.diagnose(0x14, [rx, 0, ry.into(), function]);
        (cc, registers[3])
    }

    /// A DIAGNOSE with these registers 2 to 5: the condition code, and what they are then.
    fn diagnose(&self, code: u16, registers: [u64; 4]) -> (u8, [u64; 4]) {
        let machine = self.vmdbk.machine();
        {
            let mut core = machine.configuration.cpu(0);
            core.state.gr[2..6].copy_from_slice(&registers);
        }
        let generation = self.vmdbk.generation.load(Ordering::Relaxed);
        let call =
            Call { cp: self.cp, vmdbk: &self.vmdbk, machine: &machine, cpu: 0, r1: 2, r3: 4, ilc: 4, generation };
        diagnose::perform(&call, code).unwrap();
        let core = machine.configuration.cpu(0);
        (core.state.cc, std::array::from_fn(|n| core.state.gr[2 + n]))
    }

    fn spids(&self) -> Vec<u16> {
        spool::ask(&self.cp.spool, |spool| {
            spool.files(&self.vmdbk.userid, Queue::Reader).map(|file| file.spid).collect()
        })
    }
}

/// Bytes that differ from card to card.
fn bytes(length: usize, seed: u8) -> Vec<u8> {
    (0..length).map(|n| (n / 80) as u8 ^ (n as u8) ^ seed | 1).collect()
}

/// The same in whole cards.
fn cards(file: &[u8]) -> Vec<u8> {
    let mut cards = file.to_vec();
    cards.resize(file.len().next_multiple_of(80), 0);
    cards
}

/// Kernel, parameter file and initrd are three files on the reader; each ends with channel end, device end and unit
/// exception on the read that finds no card, with the whole count left.
#[test]
fn linux_loads_from_the_reader() {
    let system = System::new();
    let guest = system.log_on("linux1");
    // A kernel with an odd last card, a parameter file of one card, an initrd of exactly 40 chunks.
    let files = [bytes(63_333 * 80 + 32, 1), ebcdic::from_str("root=/dev/ram0 ro"), bytes(40 * 1600, 7)];
    system.punch("LINUX1", &[&files[0], &files[1], &files[2]]);
    assert!(guest.good("QUERY RDR ALL").lines().count() == 4);
    guest.good("CHANGE RDR ALL KEEP NOHOLD");
    let ended = DeviceStatus(0x0d);
    for _ in 0..2 {
        for file in &files {
            let (loaded, status) = guest.load();
            assert_eq!(status, ended);
            assert!(loaded == cards(file), "{} bytes of {}", loaded.len(), file.len());
        }
        // All have been read and are held now: the reader is empty. The loader takes that for a file of no cards.
        assert_eq!(guest.load(), (Vec::new(), DeviceStatus(0x0e)));
        // What the loader does at its end makes them ready for the next time.
        assert_eq!(guest.good("CHANGE RDR ALL KEEP NOHOLD"), "0000003 FILES CHANGED\n");
    }
    guest.good("CHANGE RDR ALL NOKEEP");
    for file in &files {
        assert_eq!(guest.load().0.len(), cards(file).len());
    }
    assert_eq!(guest.good("QUERY RDR"), "NO RDR FILES\n", "without KEEP they are purged");
}

/// A file that arrives makes the reader ready, but an IPL starts from a reader that has nothing to say.
#[test]
fn a_file_arrives() {
    let system = System::new();
    let guest = system.log_on("linux1");
    let configuration = guest.configuration();
    let id = configuration.css().find(READER).unwrap();
    let enable = || {
        let mut schib = configuration.css().store_subchannel(id).unwrap();
        schib.pmcw.flags |= pmcw_flag::ENABLED;
        configuration.css().modify_subchannel(id, &schib).unwrap();
    };
    enable();
    system.punch("LINUX1", &[b"one"]);
    configuration.attend();
    let (cc, irb) = configuration.css().test_subchannel(id);
    assert_eq!((cc, irb.scsw.device), (0, DeviceStatus::DEVICE_END));
    system.punch("LINUX1", &[b"two"]);
    configuration.css().reset();
    configuration.attend();
    enable();
    assert_eq!(configuration.css().test_subchannel(id).0, 1, "an I/O reset leaves no status");
    assert_eq!(guest.load().0[..3], *b"one");
    // Other classes are for other readers.
    guest.good("SPOOL RDR CLASS B");
    system.punch("LINUX1", &[b"three"]);
    configuration.attend();
    assert_eq!(configuration.css().test_subchannel(id).0, 1);
    assert_eq!(guest.load().1, DeviceStatus(0x0e));
    guest.good("CHANGE RDR ALL CLASS B");
    assert_eq!(guest.load().0[..3], *b"two");
}

#[test]
fn what_spool_has_set_decides_what_comes_after_a_file() {
    let system = System::new();
    let guest = system.log_on("linux1");
    system.punch("LINUX1", &[b"one", b"two", b"three"]);
    let first = |file: &(Vec<u8>, DeviceStatus)| file.0.first().copied().map(char::from);
    // HOLD: the files stay, and the reader goes on to the next until it is closed.
    guest.good("SPOOL RDR HOLD");
    let read: Vec<_> = (0..4).map(|_| first(&guest.load())).collect();
    assert_eq!(read, [Some('o'), Some('t'), Some('t'), None]);
    guest.good("SPOOL RDR RESCAN CLOSE");
    assert_eq!((first(&guest.load()), first(&guest.load())), (Some('o'), Some('o')));
    // CONT: all files are one; NOEOF: the end is an empty reader.
    guest.good("SPOOL RDR CONT NOHOLD NOEOF NORESCAN CLOSE");
    let (all, status) = guest.load();
    assert_eq!((all.len(), status), (240, DeviceStatus(0x0e)));
    assert!(guest.spids().is_empty());
    // CLOSE in the middle of a file, with each of its operands.
    guest.good("SPOOL RDR NOCONT EOF");
    let one_card = [(0x02, 0x20, 80, 0x2000)];
    let large = bytes(800, 3);
    for (operands, left, again) in [("HOLD", 1, true), ("KEEP", 1, false), ("NOHOLD NOKEEP", 0, false), ("", 0, false)]
    {
        guest.good("PURGE RDR ALL");
        system.punch("LINUX1", &[&large]);
        assert_eq!(guest.run(READER, &one_card).scsw.device.0, 0x0c);
        assert!(guest.good("QUERY VIRTUAL 00C").contains("OPEN "));
        assert_eq!(guest.command("PURGE RDR ALL"), ("NO FILES PURGED\n".into(), 0), "it is in use");
        guest.good(&format!("CLOSE 00C {operands}"));
        assert!(guest.good("QUERY VIRTUAL 00C").contains("CLOSED"));
        assert_eq!(guest.spids().len(), left, "CLOSE {operands}");
        assert_eq!(guest.load().0.len() == 800, again, "CLOSE {operands}");
    }
}

/// vmur punch: its commands, its channel program, and the columns from which it takes the answer.
#[test]
fn vmur_punches_and_prints() {
    let system = System::new();
    let (guest, other) = (system.log_on("linux1"), system.log_on("linux2"));
    let state = guest.good("QUERY VIRTUAL D");
    assert_eq!((&state[13..14], &state[15..21]), ("A", "NOCONT"));
    for (word, value) in [("FORM ", "STANDARD\n"), ("DEST ", "OFF\n"), ("DIST ", "LINUX ")] {
        assert!(state.contains(&format!("{word}{value}")), "{state}");
    }
    guest.good("SPOOL 000D CLASS K FORM X");
    guest.good("SPOOL 000D CONT");
    assert_eq!(&guest.good("QUERY VIRTUAL 000D")[13..21], "K   CONT");
    guest.put(0x2000, &[[0xc1; 80], [0xc2; 80]].concat());
    let ended = guest.run(PUNCH, &[(0x01, 0x60, 80, 0x2000), (0x01, 0x60, 80, 0x2050), (0x03, 0x20, 1, 0)]);
    assert_eq!(ended.scsw.device.0, 0x0c, "exactly channel end and device end");
    assert_eq!(guest.good("CLOSE 000D"), "", "CONT");
    guest.good("SPOOL 000D NOCONT");
    let sent = guest.good("CLOSE 000D TO LINUX2 RDR NAME LNX TXT");
    assert_eq!(sent, "PUN FILE 0001 SENT TO   LINUX2   RDR AS  0001 RECS 0002 CPY  001 K NOHOLD NOKEEP\n");
    assert_eq!(&sent[9..13], "0001");
    assert_eq!(other.load().0, [[0xc1; 80], [0xc2; 80]].concat());
    // A printer: longer lines, and they keep their carriage control.
    let line = [0xd3; 132];
    guest.put(0x2000, &line);
    guest.run(PRINTER, &[(0x09, 0x20, 132, 0x2000)]);
    assert!(guest.good("CLOSE 000E TO * RDR NAME LIST").starts_with("RDR FILE 0002 SENT FROM LINUX1   PRT WAS 0002"));
    assert_eq!(guest.run(READER, &[(0x02, 0x20, 132, 0x2000)]).scsw.count, 0);
    // PURGE makes nothing of what was punched; the file's number is free again.
    guest.run(PUNCH, &[(0x01, 0x20, 80, 0x2000)]);
    assert_eq!((guest.good("CLOSE D PURGE"), guest.good("CLOSE D")), (String::new(), String::new()));
    // A user who may have one file only is told so by return code 439, and nothing is lost.
    spool::with(&system.cp.spool, |spool| {
        spool.limit("LINUX2", 1);
        Ok(())
    })
    .unwrap();
    for code in [0, 439] {
        guest.run(PUNCH, &[(0x01, 0x20, 80, 0x2000)]);
        let (text, returned) = guest.command("CLOSE D TO LINUX2");
        assert_eq!((returned, &text[..9]), (code, "PUN FILE "), "{text}");
        if code != 0 {
            assert_eq!(guest.good(&format!("PURGE * PUN {}", &text[9..13])), "0000001 FILE  PURGED\n");
        }
    }
    // A data set name instead of a name and a type.
    guest.run(PUNCH, &[(0x01, 0x20, 80, 0x2000)]);
    guest.good("CLOSE D NAME SYS1.SYSLIB.MYMAC");
    assert!(guest.good("QUERY PUN ALL").contains(" SYS1.SYSLIB.MYMAC  LINUX"), "{}", guest.good("QUERY PUN ALL"));
    guest.good("PURGE UR ALL");
    // LOGOFF closes what is open.
    guest.run(PUNCH, &[(0x01, 0x20, 80, 0x2000)]);
    guest.command("LOGOFF");
    let punched = |spool: &Spool| spool.count("LINUX1", Queue::Punch);
    assert_eq!(spool::ask(&system.cp.spool, punched), 1);
}

/// vmur receive: the columns of QUERY RDR, and the file by DIAGNOSE X'14'.
#[test]
fn vmur_receives() {
    let system = System::new();
    let guest = system.log_on("linux1");
    let file = bytes(100 * 80, 5);
    system.punch("LINUX1", &[b"first", &file]);
    guest.good("CHANGE RDR 2 NAME LNX TXT HOLD");
    let listed = guest.good("QUERY RDR * 2 ALL SHORTDATE");
    assert_eq!(listed.find('\n'), Some(76));
    assert_eq!((&listed[91..92], &listed[110..114]), ("A", "USER"));
    assert_eq!((&listed[130..138], &listed[140..148]), ("LNX     ", "TXT     "));
    assert_eq!(guest.good("CHANGE * READER 2 NOHOLD"), "0000001 FILE  CHANGED\n");
    assert_eq!(guest.good("ORDER * READER 2"), "0000001 FILE  ORDERED\n");

    const BUFFER: u64 = 0x4000;
    let halfword = |at: u64| u16::from_be_bytes(guest.get(BUFFER + at, 2).try_into().unwrap());
    // The first file's description: not in use, not held. After a block has been read it is in use.
    assert_eq!(guest.diagnose14(BUFFER, 0, 0xfff).0, 0);
    assert_eq!((halfword(30), guest.get(BUFFER + 32, 1)[0] & 0xa4), (2, 0));
    assert_eq!(guest.get(BUFFER + 8, 8), ebcdic::from_str("LINUX1  "));
    assert_eq!((halfword(26), halfword(28)), (100, 80));
    assert_eq!(guest.diagnose14(BUFFER, READER, 0).0, 0);
    assert_eq!(halfword(4088), 2);
    assert_eq!(guest.diagnose14(BUFFER, 0, 0xfff).0, 0);
    assert_eq!(guest.get(BUFFER + 32, 1)[0] & 0x80, 0x80);
    assert_eq!((guest.diagnose14(BUFFER, 2, 0xfff).0, halfword(30)), (0, 1));
    assert_eq!(guest.diagnose14(BUFFER, 1, 0xfff).0, 1, "no more files");

    // The records of all blocks from the beginning are the file.
    assert_eq!(guest.diagnose14(1, READER, 0x28).0, 0);
    let mut read = Vec::new();
    while guest.diagnose14(BUFFER, READER, 0).0 == 0 {
        let mut at = 16;
        for _ in 0..u32::from_be_bytes(guest.get(BUFFER + 12, 4).try_into().unwrap()) {
            let mut data = guest.get(BUFFER + at + 12, halfword(at + 6).into());
            data.resize(80, ebcdic::BLANK);
            read.extend(data);
            at += u64::from(halfword(at + 10));
        }
    }
    assert!(read == file);
    assert_eq!(guest.diagnose14(BUFFER, READER, 0).0, 1, "the end of the file, as often as one asks");
    assert_eq!(guest.diagnose14(4, READER, 0x28).0, 3, "beyond the end");
    // Back to the last block and the one before it.
    assert_eq!(guest.diagnose14(BUFFER, READER, 0x24).0, 0);
    let last = guest.get(BUFFER, 4096);
    assert_eq!(guest.diagnose14(BUFFER, READER, 0x18).0, 0);
    assert!(guest.get(BUFFER, 4096) != last);
    assert_eq!(guest.good("CLOSE C NOHOLD NOKEEP"), "");
    assert_eq!(guest.spids(), [1]);

    // Errors: no such device, not a reader, no file, a file in use.
    assert_eq!(guest.diagnose14(BUFFER, 0x0ff, 0), (3, 4));
    assert_eq!(guest.diagnose14(BUFFER, PUNCH, 0), (3, 8));
    assert_eq!(guest.diagnose14(9, READER, 0x0c).0, 2);
    assert_eq!((guest.diagnose14(1, READER, 0x0c).0, guest.diagnose14(BUFFER, READER, 0x24).0), (0, 1));
    guest.good("CLOSE RDR");
    assert_eq!((guest.diagnose14(BUFFER, READER, 0).0, guest.diagnose14(BUFFER, 0, 0xfff).0), (2, 1));
}

#[test]
fn files_are_read_again_and_one_after_the_other_with_cont() {
    const BUFFER: u64 = 0x4000;
    let system = System::new();
    let guest = system.log_on("linux1");
    system.punch("LINUX1", &[b"first", b"second"]);
    let next = || {
        let cc = guest.diagnose14(BUFFER, READER, 0).0;
        (cc, if cc == 0 { guest.get(BUFFER + 28, 3) } else { Vec::new() })
    };
    assert_eq!(guest.diagnose14(0, READER, 0x1c).0, 1, "there are no monitor files");
    assert_eq!(guest.diagnose14(0, READER, 0x20).0, 2);
    // Without CONT the end of a file is an end.
    assert_eq!((next(), next().0), ((0, b"fir".to_vec()), 1));
    guest.good("SPOOL RDR CONT");
    assert_eq!(guest.diagnose14(256, READER, 0x10).0, 2, "too often");
    assert_eq!(guest.diagnose14(3, READER, 0x10).0, 0);
    let read: Vec<Vec<u8>> = (0..3).map(|_| next().1).collect();
    assert_eq!(read, [b"fir", b"fir", b"sec"], "what was read before was the first time");
    assert_eq!((next().0, guest.spids().len()), (1, 0), "each is gone after its end");
    assert_eq!(guest.diagnose14(2, READER, 0x10).0, 2);
}

#[test]
fn each_file_is_described_once_until_it_is_asked_anew() {
    const BUFFER: u64 = 0x4000;
    let system = System::new();
    let guest = system.log_on("linux1");
    system.punch("LINUX1", &[b"first", b"second"]);
    let next = |anew: u16| {
        let cc = guest.diagnose14(BUFFER, anew, 0xffe).0;
        if cc == 0 { guest.get(BUFFER + 31, 1)[0] } else { 0 }
    };
    assert_eq!([next(0), next(0), next(0)], [1, 2, 0]);
    system.punch("LINUX1", &[b"third"]);
    assert_eq!([next(0), next(0)], [3, 0]);
    assert_eq!([next(1), next(0)], [1, 2]);
    // A number that is used again is another file.
    guest.good("PURGE RDR ALL");
    system.punch("LINUX1", &[b"other"]);
    assert_eq!([next(0), next(0)], [guest.spids()[0] as u8, 0]);
}

#[test]
fn a_file_is_told_in_characters() {
    let system = System::new();
    let guest = system.log_on("linux1");
    assert_eq!(guest.diagnose(0xbc, [0x4000, 0, READER.into(), 0]).0, 2, "no file");
    assert_eq!(guest.diagnose(0xbc, [0x4000, 0, 0xff, 0]), (3, [0x4000, 0, 0xff, 4]));
    assert_eq!(guest.diagnose(0xbc, [0x4000, 0, PUNCH.into(), 0]), (3, [0x4000, 0, PUNCH.into(), 8]));
    system.punch("LINUX1", &[&bytes(250, 1)]);
    guest.good("CHANGE RDR 1 NAME KERNEL IMAGE CLASS K COPY 7 KEEP");
    assert_eq!(guest.diagnose(0xbc, [0x4000, 0, READER.into(), 0]).0, 0);
    let told = ebcdic::to_string(&guest.get(0x4000, 0x4f));
    assert_eq!((&told[..16], &told[16..27]), ("0001LINUX1  KPUN", "00000004007"));
    assert_eq!((&told[27..51], &told[67..]), ("KERNEL      IMAGE       ", "LINUX1  NONE"));
    assert_eq!((&told[53..54], &told[61..62]), ("/", ":"));
    // The file is open: the reader reads it, whatever its class is.
    guest.good("SPOOL RDR CLASS B");
    assert_eq!(guest.diagnose14(0x4000, READER, 0).0, 0);
}

#[test]
fn who_a_file_is_from_can_be_said_with_setorig() {
    let text = directory::sample().replacen(" ACCOUNT 3 LINUX\n", " OPTION SETORIG\n", 1);
    assert!(text.contains("SETORIG"));
    let system = System::with(|directory| {
        *directory = Directory::parse("USER DIRECT", &text, &Passwords::default()).expect("a directory");
    });
    let (guest, other) = (system.log_on("linux1"), system.log_on("linux2"));
    let ask = |guest: &Guest<'_>, subcode: u64, number: u16, names: &str| {
        guest.put(0x4000, &[&[0, 0][..], &number.to_be_bytes(), &ebcdic::from_str(&format!("{names:16}"))].concat());
        let (_, registers) = guest.diagnose(0xf8, [subcode, 0, 0x4000, 0]);
        (registers[0], ebcdic::to_string(&guest.get(0x4004, 16)))
    };
    const THERE: &str = "FARAWAY SOMEBODY";
    assert_eq!(ask(&other, 0, PUNCH, THERE).0, 4, "the directory does not allow it");
    assert_eq!(ask(&guest, 0, READER, THERE).0, 8);
    assert_eq!(ask(&guest, 0, PUNCH, "FARAWAY ").0, 16);
    assert_eq!(ask(&guest, 4, 99, "").0, 12);
    guest.good("SPOOL PUNCH TO LINUX2");
    let punch = || {
        guest.put(0x2000, &ebcdic::from_str(&format!("{:80}", "a card")));
        guest.run(PUNCH, &[(0x41, 0x20, 80, 0x2000)]);
        guest.good("CLOSE PUNCH");
    };
    assert_eq!(ask(&guest, 0, PUNCH, THERE).0, 0);
    punch();
    punch();
    let spids = other.spids();
    assert_eq!(ask(&other, 4, spids[0], "").1, THERE);
    let (code, local) = ask(&other, 4, spids[1], "");
    assert_eq!((code, &local[8..]), (0, "LINUX1  "), "only one file was from there");
    assert_eq!(local[..8].trim_end(), system.cp.config.name);
}

/// An IPL that was given up is begun again from the first card, and a reader that is defined later is as good as the
/// first.
#[test]
fn ipl_from_readers() {
    let system = System::new();
    let guest = system.log_on("linux1");
    assert_eq!(guest.command("IPL 00C").1, 233, "nothing to load");
    // PSW: disabled wait; two CCWs that read 80 bytes each, the second not chained.
    let mut deck = vec![0; 240];
    deck[..24].copy_from_slice(b"\0\x0a\0\0\x80\0\0\xaa\x02\0\x02\0\x60\0\0\x50\x02\0\x02\x50\x20\0\0\x50");
    deck[80] = 1;
    deck[160] = 2;
    system.punch("LINUX1", &[&deck]);
    guest.good("CHANGE RDR ALL KEEP");
    for reader in ["00C", "00C", "12F"] {
        if reader == "12F" {
            assert_eq!(guest.good("DEFINE RDR 12F"), "RDR  012F DEFINED\n");
            guest.good("CLOSE RDR HOLD");
        }
        guest.good(&format!("IPL {reader} CLEAR STOP"));
        assert_eq!((guest.get(0x200, 1), guest.get(0x250, 1)), (vec![1], vec![2]), "{reader}");
    }
    assert_eq!(guest.good("DETACH 12F"), "RDR  012F DETACHED\n");
    assert_eq!(guest.command("QUERY VIRTUAL 12F").1, 40);
    // A deck of one card is too short for what it says.
    guest.good("PURGE RDR ALL");
    system.punch("LINUX1", &[&deck[..80]]);
    assert_ne!(guest.command("IPL 00C").1, 0);
}

/// SPOOL CONSOLE START: what the guest writes, what CP answers and what the user types are lines of a printer.
#[test]
fn a_console_is_recorded() {
    let system = System::new();
    let guest = system.log_on("linux1");
    let vmdbk = guest.vmdbk.clone();
    guest.good("SPOOL CONSOLE START TO *");
    let now = system.cp.now();
    vmdbk.console().print("Linux ver", now);
    vmdbk.console().print("sion 6.1\nlogin: ", now);
    vmdbk.console().record_input("root");
    vmdbk.console().print(&format!("{}\n", "x".repeat(200)), now);
    assert!(guest.good("QUERY CONSOLE").contains("TERM START") && guest.good("QUERY CONSOLE").contains("OPEN 0001"));
    guest.good("SPOOL CONSOLE STOP CLOSE");
    let mut lines = Vec::new();
    while guest.run(READER, &[(0x02, 0x20, 132, 0x2000)]).scsw.device.0 == 0x0c {
        lines.push(ebcdic::to_string(&guest.get(0x2000, 132)).trim_end().to_string());
    }
    assert_eq!(lines, ["Linux version 6.1", "login: ", "root", &"x".repeat(132), &"x".repeat(68)].map(str::trim_end));
}

/// Lines of words that belong into such commands, in any order: whatever they do, CP answers, and the spool is in
/// order.
#[test]
fn any_words_in_any_order() {
    const COMMANDS: &[&str] =
        &["SPOOL", "CLOSE", "PURGE", "ORDER", "CHANGE", "TRANSFER", "TAG", "QUERY", "QUERY RDR", "QUERY VIRTUAL"];
    const WORDS: &[&str] = &[
        "RDR",
        "PRT",
        "PUN",
        "ALL",
        "CONSOLE",
        "00C",
        "D",
        "009",
        "*",
        "LINUX1",
        "LINUX2",
        "NOBODY",
        "SYSTEM",
        "TO",
        "FOR",
        "FROM",
        "CLASS",
        "A",
        "B",
        "Z9",
        "COPY",
        "*3",
        "256",
        "CONT",
        "NOCONT",
        "EOF",
        "NOEOF",
        "HOLD",
        "NOHOLD",
        "KEEP",
        "NOKEEP",
        "MSG",
        "RESCAN",
        "NORESCAN",
        "FORM",
        "OFF",
        "DEST",
        "ANY",
        "DIST",
        "NAME",
        "FN",
        "FT",
        "START",
        "STOP",
        "TERM",
        "NOTERM",
        "CLOSE",
        "PURGE",
        "DEV",
        "FILE",
        "QUERY",
        "1",
        "2",
        "3",
        "0",
        "9999",
        "65537",
        "ISODATE",
        "UR",
        "ÄÖÜ",
        "X'00'",
        "123456789ABCDEF",
    ];
    let system = System::new();
    let (guest, other) = (system.log_on("linux1"), system.log_on("linux2"));
    let mut random = Random::seeded(1);
    for round in 0..3000 {
        if round % 50 == 0 {
            system.punch("LINUX1", &[b"a card"]);
        }
        if round % 20 == 0 {
            guest.run(if round % 40 == 0 { PUNCH } else { PRINTER }, &[(0x01, 0x20, 80, 0x2000)]);
            guest.run(READER, &[(0x02, 0x20, 80, 0x2000)]);
        }
        let words: Vec<&str> = (0..random.below(6)).map(|_| random.pick(WORDS)).collect();
        let line = format!("{} {}", random.pick(COMMANDS), words.join(" "));
        let issuer = if random.one_in(4) { &other } else { &guest };
        let (text, code) = issuer.command(&line);
        assert_eq!(code != 0, text.starts_with("HCP"), "{line}: {text}");
    }
    for guest in [&guest, &other] {
        guest.command("LOGOFF");
    }
    let damaged = spool::ask(&system.cp.spool, |spool| spool.damaged().len());
    assert_eq!(damaged, 0);
}

/// When the system comes up the operator is told which files of the host are not what they were, and what to do.
#[test]
fn the_operator_is_told_of_damaged_files() {
    let folder = std::env::temp_dir().join(format!("endicott-spool-test-{}-damaged", std::process::id()));
    let damaged = folder.join("saved/0003.meta");
    std::fs::create_dir_all(folder.join("saved")).unwrap();
    std::fs::write(&damaged, "name CMS\nkind NSS\n").unwrap();
    let directory = Directory::parse("USER DIRECT", directory::sample(), &Passwords::default()).unwrap();
    let spool = Spool::open(&folder).unwrap();
    engine::provide(jit::translator);
    let cp = Cp::new(SystemConfig::default(), directory, Some(spool), Arc::new(Time::default()), Arc::new(Silent));
    let terminal = cp.connect(Kind::Typewriter, None, "127.0.0.1", true);
    cp.start(Some(&terminal));
    let said = terminal.take_output();
    let wanted = format!("HCPSPO436I {} is damaged and not used; restore or remove it", damaged.display());
    assert!(said.replace('\n', "").contains(&wanted), "{said}");
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn spoolfile_maxspool_of_the_directory_is_the_highest_number() {
    let system = System::with(|directory| directory.user_mut("LINUX2").unwrap().max_spool = 2);
    let guest = system.log_on("linux1");
    for code in [0, 0, 439] {
        guest.run(PUNCH, &[(0x01, 0x20, 80, 0x2000)]);
        let (text, returned) = guest.command("CLOSE D TO LINUX2");
        assert_eq!(returned, code, "{text}");
    }
}
