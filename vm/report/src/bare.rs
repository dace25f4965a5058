//! Programs for bare guests, as instructions in hexadecimal: they stand in for users where what is measured is CP's.
//!
//! A guest has ESA/390, 31-bit addresses, supervisor state, and no base register: all that it needs lies in the first
//! page. Its work is counted in register 3, which DISPLAY shows.

use std::fmt::Write;

/// Where a program begins.
const ORIGIN: u16 = 0x200;

/// New PSWs: where interruptions store them (Principles of Operation, "Assigned Storage Locations").
const EXTERNAL_NEW: u16 = 0x58;
const IO_NEW: u16 = 0x78;

/// Supervisor state, 31-bit addresses, no interruption.
const DISABLED: &str = "00080000 8000";

/// A program, and what it needs in storage beside it.
pub struct Program {
    code: Vec<u8>,
    data: Vec<(u16, Vec<u8>)>,
    /// Where it is begun.
    start: u16,
}

/// The bytes of hexadecimal digits.
fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits: Vec<u8> = hexadecimal.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect()
}

impl Program {
    fn new() -> Program {
        Program { code: Vec::new(), data: Vec::new(), start: ORIGIN }
    }

    fn here(&self) -> u16 {
        ORIGIN + self.code.len() as u16
    }

    /// These instructions come next.
    fn put(&mut self, hexadecimal: &str) {
        self.code.extend(bytes(hexadecimal));
    }

    /// A branch relative: opcode and first operand, and where it leads.
    fn relative(&mut self, operation: u16, to: u16) {
        let halfwords = (i32::from(to) - i32::from(self.here())) / 2;
        self.put(&format!("{operation:04x} {:04x}", halfwords as i16));
    }

    /// BRC mask,to
    fn branch(&mut self, mask: u16, to: u16) {
        self.relative(0xa704 | mask << 4, to);
    }

    /// Executes so many pairs of instructions, more or less: LHI 5,count; BRCT 5,*.
    fn burn(&mut self, count: u16) {
        self.put(&format!("a758 {count:04x}"));
        self.relative(0xa756, self.here());
    }

    /// Storage that is not code.
    fn data(&mut self, at: u16, hexadecimal: &str) {
        self.data.push((at, bytes(hexadecimal)));
    }

    /// From here on it goes on after an interruption that stores its new PSW there.
    fn handler(&mut self, new_psw: u16) {
        let here = self.here();
        self.data(new_psw, &format!("{DISABLED}{here:04x}"));
    }

    /// What is typed to have it in storage: STORE commands.
    pub fn lines(&self) -> Vec<String> {
        /// So many words are in a line.
        const LINE: usize = 8;
        let mut lines = Vec::new();
        for (at, bytes) in [(ORIGIN, &self.code)].into_iter().chain(self.data.iter().map(|(at, bytes)| (*at, bytes))) {
            for (n, part) in bytes.chunks(4 * LINE).enumerate() {
                let mut line = format!("store s{:x}", usize::from(at) + n * 4 * LINE);
                for word in part.chunks(4) {
                    line.push(' ');
                    word.iter().for_each(|byte| write!(line, "{byte:02x}").expect("a string has room"));
                }
                lines.push(line);
            }
        }
        lines
    }

    /// What is typed to begin it.
    pub fn begin(&self) -> [String; 2] {
        [format!("store psw {DISABLED}{:04x}", self.start), "begin".into()]
    }
}

/// Branches to itself.
pub fn loops() -> Program {
    let mut program = Program::new();
    program.branch(15, ORIGIN);
    program
}

/// Counts: each turn has so many instructions.
pub fn counts(instructions: u16) -> Program {
    let mut program = Program::new();
    program.burn(instructions);
    // AHI 3,1
    program.put("a73a0001");
    program.branch(15, ORIGIN);
    program
}

/// Touches pages from the second on, one after the other; register 2 counts down from their number, register 3 counts
/// sweeps. After each touch come so many instructions.
pub fn touches(pages: u16, instructions: u16) -> Program {
    let mut program = Program::new();
    // L 2,300; LHI 1,4096
    program.put("58200300 a7181000");
    let next = program.here();
    // ST 3,0(,1)
    program.put("50301000");
    program.burn(instructions);
    // AHI 1,4096; BRCT 2,next; AHI 3,1
    program.put("a71a1000");
    program.relative(0xa726, next);
    program.put("a73a0001");
    program.branch(15, ORIGIN);
    program.data(0x300, &format!("{pages:08x}"));
    program
}

/// Sleeps, wakes by the clock comparator each so many microseconds, and does so many instructions then. Register 6 has
/// the microseconds that it woke too late, of all wakes: each less than a second.
pub fn wakes(microseconds: u32, instructions: u16) -> Program {
    let mut program = Program::new();
    // LCTL 0,0,300; STCK 310
    program.put("b7000300 b2050310");
    let next = program.here();
    // L 5,314; AL 5,320; ST 5,314; BRC 12,*+16; L 4,310; AHI 4,1; ST 4,310
    program.put("58500314 5e500320 50500314 a7c40008 58400310 a74a0001 50400310");
    // SCKC 310; LPSW 328
    program.put("b2060310 82000328");
    program.handler(EXTERNAL_NEW);
    // STCK 318; L 7,31C; SL 7,314; SRL 7,12; AR 6,7; AHI 3,1
    program.put("b2050318 5870031c 5f700314 8870000c 1a67 a73a0001");
    program.burn(instructions);
    program.branch(15, next);
    // The clock comparator may interrupt; an enabled wait.
    program.data(0x300, "00000800");
    program.data(0x320, &format!("{:08x}", microseconds << 12));
    program.data(0x328, "010a0000 80000000");
    program
}

/// How a guest asks for a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// DEFINE EXTENT and LOCATE RECORD.
    Locate,
    /// SEEK and SEARCH ID EQUAL.
    Search,
    /// DEFINE EXTENT and LOCATE of fixed-block disks.
    FixedBlock,
}

/// A guest that reads or writes 4096 bytes of a disk, again and again, at places that it chooses by chance.
#[derive(Clone, Copy)]
pub struct Disk {
    /// The virtual device.
    pub device: u16,
    /// How it asks.
    pub style: Style,
    /// It writes.
    pub writes: bool,
    /// Among how many tracks; a fixed-block disk has as many places.
    pub tracks: u32,
    /// Instructions between two requests.
    pub instructions: u16,
    /// What is added to a cylinder to have the one in its records' count fields: these are those of the minidisk that
    /// was formatted.
    pub shift: i16,
    /// What chance begins with.
    pub seed: u32,
}

/// Blocks of a fixed-block disk from one place to the next, and all of its blocks.
pub const PLACE: u32 = 96;
/// See [`PLACE`].
pub const BLOCKS: u32 = 65_536;

/// Cylinders of a disk that has tracks, of 15 each.
pub const CYLINDERS: u32 = 40;

/// The first cylinder that it uses: those before have what is no record of 4096 bytes.
pub const FIRST_CYLINDER: u32 = 2;

/// Records of a track.
const RECORDS: u32 = 12;

/// Where its channel program and its parameters lie.
const LOCATE_AT: u16 = 0xa00;
const EXTENT_AT: u16 = 0xa20;
const SEEK_AT: u16 = 0xa30;
const BLOCKS_AT: u16 = 0xa40;
const PLACE_AT: u16 = 0xa50;
const PROGRAM_AT: u16 = 0xb20;
const BUFFER_AT: u32 = 0x1_0000;

impl Disk {
    /// The program. It stops in a disabled wait at what is not as it should be.
    pub fn program(self) -> Program {
        let mut program = Program::new();
        // LPSW 828: what leads here is wrong.
        let wrong = program.here();
        program.put("82000828");
        program.start = program.here();
        // L 1,800: the subchannel before the first. AHI 1,1; STSCH 900.
        program.put("58100800");
        let next = program.here();
        program.put("a71a0001 b2340900");
        program.branch(1, wrong);
        // LH 2,906; CH 2,804: the device's?
        program.put("48200906 49200804");
        program.branch(6, next);
        // OI 905,80; MSCH 900; LCTL 6,6,808; TSCH C00: a device that has come late may have said so.
        program.put("96800905 b2320900 b7660808 b2350c00");
        let request = program.here();
        self.chooses(&mut program);
        // SSCH B00
        program.put("b2330b00");
        program.branch(7, wrong);
        // LPSW 820: an enabled wait.
        program.put("82000820");
        program.handler(IO_NEW);
        // TSCH C00; CLI C08,0C: channel end and device end, and nothing else.
        program.put("b2350c00 950c0c08");
        program.branch(7, wrong);
        program.put("a73a0001");
        if self.instructions > 0 {
            program.burn(self.instructions);
        }
        program.branch(15, request);
        self.storage(&mut program);
        program
    }

    /// Chooses a place: a linear congruential generator, and a division.
    fn chooses(self, program: &mut Program) {
        // L 5,80C; MS 5,810; AHI 5,12345; ST 5,80C; SRL 5,8; SR 4,4; D 4,814: register 4 has the track.
        program.put("5850080c 71500810 a75a3039 5050080c 88500008 1b44 5d400814");
        // LR 7,4; MHI 7,96; ST 7,A54
        program.put(&format!("1874 a77c{PLACE:04x} 5070{:04x}", PLACE_AT + 4));
        // LR 5,4; SR 4,4; D 4,818; AHI 5,2: register 5 has the cylinder, register 4 the head.
        program.put(&format!("1854 1b44 5d400818 a75a{FIRST_CYLINDER:04x}"));
        let store = |program: &mut Program, places: [(u8, u16); 4]| {
            places.iter().for_each(|(register, at)| program.put(&format!("40{register}0{at:04x}")));
        };
        store(program, [(5, LOCATE_AT + 4), (4, LOCATE_AT + 6), (5, SEEK_AT + 2), (4, SEEK_AT + 4)]);
        // AHI 5,...: the cylinder that is in the records' count fields.
        program.put(&format!("a75a{:04x}", self.shift));
        store(program, [(5, LOCATE_AT + 8), (4, LOCATE_AT + 10), (5, SEEK_AT + 8), (4, SEEK_AT + 10)]);
        // L 5,80C; SRL 5,20; SR 4,4; D 4,81C; AHI 4,1; STC 4,...: the record.
        program.put("5850080c 88500014 1b44 5d40081c a74a0001");
        for at in [LOCATE_AT + 12, SEEK_AT + 12] {
            program.put(&format!("4240{at:04x}"));
        }
    }

    /// Constants, parameters, the ORB and the channel program.
    fn storage(self, program: &mut Program) {
        let Disk { device, style, writes, tracks, seed, .. } = self;
        program.data(0x800, &format!("0000ffff {device:04x}0000 ff000000 {seed:08x} 41c64e6d"));
        program.data(0x814, &format!("{tracks:08x} 0000000f {RECORDS:08x}"));
        program.data(0x820, "020a0000 80000000 000a0000 80000bad");
        let operation = if writes { "01" } else { "06" };
        program.data(LOCATE_AT, &format!("{operation}000001 00000000 00000000 01000000"));
        // The whole disk, ECKD.
        program.data(EXTENT_AT, &format!("00c01000 00000000 00000000 {:04x}000e", CYLINDERS - 1));
        program.data(SEEK_AT, "00000000 00000000 00000000 01000000");
        program.data(BLOCKS_AT, &format!("00000000 00000000 00000000 {:08x}", BLOCKS - 1));
        program.data(PLACE_AT, &format!("{operation}000008 00000000"));
        program.data(0xb00, &format!("00000000 0080ff00 {PROGRAM_AT:08x}"));
        let buffer = format!("00001000 {BUFFER_AT:08x}");
        let transfer = |read: u8, write: u8| format!("{:02x}{}", if writes { write } else { read }, &buffer[2..]);
        let ccws = match style {
            Style::Locate => {
                format!("63400010 {EXTENT_AT:08x} 47400010 {LOCATE_AT:08x} {}", transfer(0x06, 0x05))
            }
            Style::Search => format!(
                "07400006 {SEEK_AT:08x} 31400005 {:08x} 08000000 {:08x} {}",
                SEEK_AT + 8,
                PROGRAM_AT + 8,
                transfer(0x06, 0x05)
            ),
            Style::FixedBlock => {
                format!("63400010 {BLOCKS_AT:08x} 43400008 {PLACE_AT:08x} {}", transfer(0x42, 0x41))
            }
        };
        program.data(PROGRAM_AT, &ccws);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_lead_where_they_should() {
        let lines = counts(2000).lines();
        assert_eq!(lines, ["store s200 a75807d0 a7560000 a73a0001 a7f4fffa"]);
        assert_eq!(loops().begin(), ["store psw 00080000 80000200", "begin"]);
        // Nothing lies over anything else.
        let disk =
            Disk { device: 0x200, style: Style::Locate, writes: false, tracks: 9, instructions: 7, shift: -1, seed: 1 };
        let program = disk.program();
        assert!(usize::from(ORIGIN) + program.code.len() < 0x800);
        let mut all: Vec<(u16, usize)> = program.data.iter().map(|(at, bytes)| (*at, bytes.len())).collect();
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| usize::from(pair[0].0) + pair[0].1 <= usize::from(pair[1].0)), "{all:x?}");
    }
}
