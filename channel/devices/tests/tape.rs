//! A tape drive, driven by channel programs as guests write them.

mod machine;

use arch::io::DeviceStatus;
use devices::tape::{Drive, Model, TapeDrive};
use machine::{CC_SLI, ENDED, Machine, SLI};
use std::path::PathBuf;
use std::sync::Arc;
use tape::Tape;

const EXCEPTION: DeviceStatus = DeviceStatus(0x0d);

fn place(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("endicott-drive-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

struct Rig {
    m: Machine,
    drive: Arc<Drive>,
    path: PathBuf,
}

impl Rig {
    fn new(name: &str, read_only: bool) -> Rig {
        Rig::of(name, Model::T3490, read_only)
    }

    fn of(name: &str, model: Model, read_only: bool) -> Rig {
        let (path, drive) = (place(name), Arc::new(Drive::default()));
        drive.mount(Tape::create(&path).expect("a new file"));
        let m = Machine::new(Box::new(TapeDrive::new(drive.clone(), model, read_only)));
        Rig { m, drive, path }
    }

    /// One command with 80 bytes at X'3000': the status, and how many bytes were moved.
    fn one(&mut self, command: u8) -> (DeviceStatus, u16) {
        let (_, count, device, _) = self.m.run(&[(command, SLI, 80, 0x3000)]);
        (device, 80 - count)
    }

    fn write(&mut self, bytes: &[u8]) {
        self.m.stand.put(0x3000, bytes);
        assert_eq!(self.m.run(&[(0x01, 0, bytes.len() as u16, 0x3000)]), (0x1008, 0, ENDED, 0));
    }

    /// Reads a block that is `bytes`.
    fn reads(&mut self, bytes: &[u8]) {
        assert_eq!(self.one(0x02), (ENDED, bytes.len() as u16));
        assert_eq!(self.m.stand.get(0x3000, bytes.len()), bytes);
    }

    /// A command that ends in unit check: sense bytes 0, 1 and 3.
    fn fails(&mut self, command: u8) -> [u8; 3] {
        let (device, _) = self.one(command);
        assert_eq!(device, DeviceStatus(0x0e), "{command:02X}");
        assert_eq!(self.one(0x04).0, ENDED);
        let sense = self.m.stand.get(0x3000, 4);
        [sense[0], sense[1], sense[3]]
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[test]
fn blocks_and_files_are_written_read_and_passed_over() {
    let mut rig = Rig::new("motions.aws", false);
    rig.write(b"one");
    rig.write(b"two");
    assert_eq!(rig.one(0x1f).0, ENDED);
    rig.write(b"three");
    assert_eq!(rig.one(0x1f).0, ENDED);
    assert_eq!(rig.one(0x07).0, ENDED);
    rig.reads(b"one");
    rig.reads(b"two");
    // A tape mark is unit exception, and nothing is read.
    assert_eq!(rig.one(0x02), (EXCEPTION, 0));
    rig.reads(b"three");
    // Backward: mark, three from its end to its beginning, mark; spacing says marks, too.
    assert_eq!(rig.one(0x02), (EXCEPTION, 0));
    assert_eq!(rig.one(0x27).0, EXCEPTION);
    let (_, count, device, _) = rig.m.run(&[(0x0c, SLI, 80, 0x304f)]);
    assert_eq!((device, count), (ENDED, 75));
    assert_eq!(rig.m.stand.get(0x304b, 5), b"three");
    assert_eq!(rig.one(0x27).0, EXCEPTION);
    assert_eq!(rig.one(0x27).0, ENDED);
    rig.reads(b"two");
    assert_eq!(rig.one(0x3f).0, ENDED);
    rig.reads(b"three");
    assert_eq!(rig.one(0x2f).0, ENDED);
    assert_eq!(rig.one(0x02), (EXCEPTION, 0));
    assert_eq!(rig.one(0x37).0, ENDED);
    assert_eq!(rig.one(0x37).0, EXCEPTION);
    // Nothing is recorded after the last mark, and nothing lies in front of the first block.
    assert_eq!(rig.fails(0x02), [0x08, 0x40, 0x31]);
    assert_eq!(rig.fails(0x3f), [0x08, 0x40, 0x31]);
    assert_eq!(rig.one(0x07).0, ENDED);
    assert_eq!(rig.fails(0x27), [0, 0x48, 0x39]);
    assert_eq!(rig.fails(0x0c), [0, 0x48, 0x39]);
    assert_eq!(rig.fails(0x2f), [0, 0x48, 0x39]);
    // What is written ends the tape.
    rig.write(b"new");
    assert_eq!(rig.fails(0x02), [0x08, 0x40, 0x31]);
}

#[test]
fn block_numbers_lead_back_to_blocks() {
    let mut rig = Rig::new("locate.het", false);
    for n in 0..50u8 {
        rig.write(&[n; 70]);
    }
    assert_eq!(rig.one(0x07).0, ENDED);
    (0..17).for_each(|n| rig.reads(&[n; 70]));
    assert_eq!(rig.one(0x22).1, 8);
    let id = rig.m.stand.get(0x3000, 4);
    assert_eq!(id, [1, 0, 0, 17]);
    assert_eq!(rig.one(0x07).0, ENDED);
    rig.m.stand.put(0x2000, &id);
    assert_eq!(rig.m.run(&[(0x4f, CC_SLI, 4, 0x2000), (0x02, SLI, 70, 0x3000)]).2, ENDED);
    assert_eq!(rig.m.stand.get(0x3000, 70), [17; 70]);
    rig.m.stand.put(0x3000, &[0, 0, 1, 0]);
    let (.., device, _) = rig.m.run(&[(0x4f, 0, 4, 0x3000)]);
    assert!(device.has(DeviceStatus::UNIT_CHECK));
    assert_eq!(rig.one(0x04).0, ENDED);
    assert_eq!(rig.m.stand.get(0x3000, 4), [0, 0xc0, 0, 0x44]);
}

#[test]
fn what_cannot_be_done_is_said_by_sense_bytes() {
    let mut rig = Rig::new("wrong.aws", true);
    assert_eq!(rig.fails(0x01), [0x80, 0x4a, 0x30]);
    assert_eq!(rig.fails(0x1f), [0x80, 0x4a, 0x30]);
    assert_eq!(rig.fails(0x17), [0x80, 0x4a, 0x30]);
    assert_eq!(rig.fails(0x55), [0x80, 0x4a, 0x27]);
    // Sense without a check says how the drive is.
    assert_eq!(rig.one(0x04), (ENDED, 32));
    assert_eq!(rig.m.stand.get(0x3000, 2), [0, 0x4a]);
    assert_eq!(rig.one(0xe4).1, 7);
    assert_eq!(rig.m.stand.get(0x3000, 7), [0xff, 0x34, 0x90, 0x10, 0x34, 0x90, 0x10]);
    // Unloaded: not ready, until another tape is mounted, of which the program is told.
    assert_eq!(rig.one(0x0f).0, ENDED);
    assert_eq!(rig.fails(0x02), [0x40, 0x40, 0x43]);
    assert_eq!(rig.one(0x03).0, ENDED);
    let path = place("next.aws");
    rig.drive.mount(Tape::create(&path).expect("a new file"));
    rig.m.stand.css.attend();
    assert_eq!(rig.m.end().scsw.device, DeviceStatus(0x85));
    assert_eq!(rig.one(0x07).0, ENDED);
    assert_eq!(rig.drive.state().map(|state| (state.position, state.count)), Some((0, 0)));
    std::fs::remove_file(path).expect("it is ours");
}

/// As Linux's driver does it: format-1 CCWs that suppress no incorrect length, so that every command has to take all it
/// is given.
#[test]
fn commands_take_their_parameters_whole() {
    let mut rig = Rig::new("parameters.aws", false);
    rig.m.stand.put(0x2000, &[0x20]);
    rig.m.stand.put(0x3000, b"a block");
    assert_eq!(rig.m.run(&[(0xdb, 0x40, 1, 0x2000), (0x01, 0, 7, 0x3000)]), (0x1010, 0, ENDED, 0));
    for (command, count) in [(0xb7, 11), (0xc7, 11), (0x9f, 17), (0xe3, 12)] {
        assert_eq!(rig.m.run(&[(command, 0, count, 0x2000)]), (0x1008, 0, ENDED, 0), "{command:02X}");
    }
    assert_eq!(rig.drive.state().map(|state| state.position), Some(1));
}

#[test]
fn a_path_joins_its_group_and_leaves_it() {
    let mut rig = Rig::new("paths.aws", false);
    let group = |rig: &mut Rig| {
        assert_eq!(rig.one(0x34), (ENDED, 12));
        rig.m.stand.get(0x3000, 12)
    };
    let set = |rig: &mut Rig, function: u8, id: u8, count: u16| {
        rig.m.stand.put(0x3000, &[&[function][..], &[id; 11]].concat());
        rig.m.run(&[(0xaf, SLI, count, 0x3000)]).2
    };
    let check = DeviceStatus(0x0e);
    assert_eq!(group(&mut rig), [0; 12]);
    assert_eq!(set(&mut rig, 0x80, 0, 12), check);
    assert_eq!(set(&mut rig, 0x80, 7, 11), check);
    assert_eq!(set(&mut rig, 0x80, 7, 12), ENDED);
    assert_eq!(group(&mut rig), [&[0xc8][..], &[7; 11]].concat());
    assert_eq!(set(&mut rig, 0x80, 8, 12), check);
    assert_eq!(set(&mut rig, 0x40, 7, 12), ENDED);
    assert_eq!(group(&mut rig), [&[0x80][..], &[7; 11]].concat());
}

/// A 3420 at a 3803: the same ways of moving, sense bytes of its own, and none of the commands of cartridge drives.
#[test]
fn a_3420_writes_reads_and_knows_no_block_numbers() {
    let mut rig = Rig::of("reel.aws", Model::T3420, false);
    for mode in [0xc3, 0xcb, 0xd3, 0x1b] {
        assert_eq!(rig.one(mode).0, ENDED, "{mode:02X}");
    }
    rig.write(b"first");
    rig.write(b"second");
    assert_eq!((rig.one(0x1f).0, rig.one(0x07).0), (ENDED, ENDED));
    assert_eq!((rig.one(0x04), rig.m.stand.get(0x3000, 8)), ((ENDED, 24), vec![0, 0x48, 0, 4, 0, 0xc0, 0x20, 0]));
    rig.reads(b"first");
    rig.reads(b"second");
    assert_eq!(rig.one(0x02).0, EXCEPTION);
    assert_eq!((rig.one(0x27).0, rig.one(0x27).0), (EXCEPTION, ENDED));
    rig.reads(b"second");
    assert_eq!(rig.one(0x2f).0, DeviceStatus(0x0e), "there is no tape mark before");
    // Backward at the load point; what is void; then what it has not: SENSE ID, block numbers, path groups.
    assert_eq!(rig.fails(0x0c), [0, 0x48, 4]);
    assert_eq!((rig.one(0x3f).0, rig.fails(0x02)), (ENDED, [0x08, 0x40, 4]));
    for newer in [0xe4, 0x22, 0x24, 0x34, 0x43, 0x4f, 0x64, 0x9f, 0xaf, 0xb7, 0xc7, 0xdb, 0xe3] {
        assert_eq!(rig.fails(newer)[0], 0x80, "{newer:02X}");
    }
    // Without a tape: not ready; with one again, device end.
    assert_eq!(rig.one(0x0f).0, ENDED);
    assert_eq!(rig.fails(0x02), [0x40, 0x20, 4]);
    let mut rig = Rig::of("ring.aws", Model::T3420, true);
    assert_eq!(rig.fails(0x01), [0x80, 0x4a, 4], "the file is protected");
}
