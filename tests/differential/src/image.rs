//! The program that runs under the oracle: one static ELF file, written byte by byte, no assembler needed.
//!
//! It holds thousands of tests. For each it loads floating-point registers, FPC, access registers, program mask,
//! condition code and general registers, fills the scratch storage, runs the test's instructions, and stores all of
//! that again after an output record; at the end it writes the output records to its standard output. A signal ends
//! a test too: the handler copies the interrupted registers from the signal frame and goes on with the next test.
//!
//! ```text
//! DRIVER   start-up, loop, signal handler                 DATA     variables of the driver, signal stack
//! CODE     one slot of SLOT bytes a test; the tested instructions begin TEXT bytes into it
//! SCRATCH  the storage that tests may use; it crosses a page boundary; what surrounds its two pages is not mapped
//! INPUT    one record a test                              OUTPUT   likewise
//! ```

use vectors::{Registers, SCRATCH, SCRATCH_LEN};

/// Where the tested instructions of test `n` begin.
pub fn text_address(n: usize) -> u64 {
    CODE + (n * SLOT) as u64 + TEXT as u64
}

/// The most bytes of instructions a test has.
pub const TEXT_MAX: usize = SLOT - TEXT - 6;
/// The most tests in one image.
pub const TESTS_MAX: usize = 4000;

const DRIVER: u64 = 0x1_0000;
const DATA: u64 = 0x3_0000;
const DATA_LEN: u64 = 0x1_0000;
const CODE: u64 = 0x10_0000;
const SLOT: usize = 128;
const TEXT: usize = 32;
const INPUT: u64 = 0x20_0000;
const OUTPUT: u64 = 0x90_0000;

/// A record, input or output.
const RECORD: usize = 768 + SCRATCH_LEN;
const GR: u16 = 0;
/// Vector registers; the left halves of the first sixteen are the floating-point registers.
const VR: u16 = 128;
const AR: u16 = 640;
const FPC: u16 = 704;
const CC: u16 = 708;
/// Input: address of the test's slot. Output: 1 if the test ran to its end, 2 if a signal ended it.
const LINK: u16 = 712;
const SIGNAL: u16 = 720;
const SIGNAL_CODE: u16 = 728;
const PSW: u16 = 736;
const STORAGE: u16 = 768;
const _: () = assert!(INPUT + (RECORD * (TESTS_MAX + 1)) as u64 <= OUTPUT);

// Variables of the driver, in DATA.
const NEXT_INPUT: u16 = 0;
const NEXT_OUTPUT: u16 = 8;
const SAVED_15: u64 = DATA + 16;
const ACTION: u16 = 64;
const STACK: u16 = 128;
const CONTROL: u16 = 160;
const WAIT: u16 = 168;
const SIGNAL_STACK: u64 = DATA + 0x1000;

/// One test: the registers and storage before it, and its instructions.
pub struct Test {
    /// The registers and storage before it.
    pub before: Registers,
    /// The text of its instructions.
    pub text: Vec<u8>,
}

/// How a test ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Ran off its last instruction.
    Completed,
    /// A signal of this number and code, with the PSW the kernel showed. Number 0 is a program interruption: `code` has
    /// the instruction-length code in bytes and the interruption code, as the prefix area has them.
    Signal {
        /// The signal's number; 0: a program interruption.
        number: u8,
        /// The signal's code, or what the prefix area has of the interruption.
        code: i32,
        /// The data-exception code.
        dxc: u8,
        /// The left half of the PSW.
        mask: u64,
        /// The instruction address of the PSW.
        address: u64,
    },
    /// The program never came to it.
    NotReached,
}

/// What a test left.
pub struct Outcome {
    /// The registers and storage after it.
    pub after: Registers,
    /// How it ended.
    pub ending: Ending,
}

/// Machine code under construction, at a known address.
struct Assembler {
    at: u64,
    bytes: Vec<u8>,
}

impl Assembler {
    fn here(&self) -> u64 {
        self.at + self.bytes.len() as u64
    }
    fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
    /// RX, RS and S: one byte of code, one of registers, base and displacement.
    fn rx(&mut self, code: u8, r: u8, b: u8, d: u16) {
        self.put(&[code, r, b << 4 | (d >> 8) as u8, d as u8]);
    }
    /// RXY and RSY with two bytes of code and a displacement below 4096.
    fn rxy(&mut self, code: u16, r: u8, b: u8, d: u16) {
        self.put(&[(code >> 8) as u8, r, b << 4 | (d >> 8) as u8, d as u8, 0, code as u8]);
    }
    /// RIL: `code` has the first byte and the four bits of the second.
    fn ril(&mut self, code: u16, r: u8, target: u64) {
        let halfwords = (target.wrapping_sub(self.here()) as i64 / 2) as i32;
        self.put(&[(code >> 4) as u8, r << 4 | code as u8 & 15]);
        self.put(&halfwords.to_be_bytes());
    }
    /// RI with a 16-bit immediate.
    fn ri(&mut self, code: u16, r: u8, i: i16) {
        self.put(&[(code >> 4) as u8, r << 4 | code as u8 & 15]);
        self.put(&i.to_be_bytes());
    }
    /// MVC of 256 bytes.
    fn mvc(&mut self, b1: u8, d1: u16, b2: u8, d2: u16, len: usize) {
        self.put(&[0xd2, (len - 1) as u8]);
        self.put(&(u16::from(b1) << 12 | d1).to_be_bytes());
        self.put(&(u16::from(b2) << 12 | d2).to_be_bytes());
    }
    /// All floating-point registers and, under Linux, all vector registers, from or to the record at `base`.
    fn floating(&mut self, host: Host, what: Move, base: u8) {
        match host {
            // VLM or VSTM 0,15 and 16,31
            Host::Linux => {
                let code = if what == Move::Load { 0x36 } else { 0x3e };
                for (at, rxb) in [(VR, 0), (VR + 256, 0x0c)] {
                    self.put(&[0xe7, 0x0f, base << 4 | (at >> 8) as u8, at as u8, rxb, code]);
                }
            }
            // LD or STD
            Host::Bare => {
                let code = if what == Move::Load { 0x68 } else { 0x60 };
                (0..16).for_each(|r| self.rx(code, r << 4, base, VR + 16 * u16::from(r)));
            }
        }
    }
    fn svc(&mut self, n: u8) {
        self.put(&[0x0a, n]);
    }
}

const LARL: u16 = 0xc00;
const BRASL: u16 = 0xc05;
const BRCL: u16 = 0xc04;
const LGRL: u16 = 0xc48;
const STGRL: u16 = 0xc4b;
const LG: u16 = 0xe304;
const STG: u16 = 0xe324;
const LMG: u16 = 0xeb04;
const STMG: u16 = 0xeb24;
const SAM64: &[u8] = &[0x01, 0x0e];
const L: u8 = 0x58;
const ST: u8 = 0x50;

/// The driver's code and the addresses the slots need.
struct Driver {
    code: Vec<u8>,
    entry: u64,
    setup: u64,
    collect: u64,
    finish: u64,
}

/// Where the program runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Host {
    /// In a Linux process: signals end tests, system calls write the outcome.
    Linux,
    /// On a machine of its own: program interruptions end tests, the outcome stays in storage.
    Bare,
}

/// The direction of a transfer between registers and storage.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    Load,
    Store,
}

fn driver(tests: usize, host: Host) -> Driver {
    let mut a = Assembler { at: DRIVER, bytes: Vec::new() };

    // Before a test: r1 -> input record, r14 = return address.
    let setup = a.here();
    // Nothing of an earlier test stays in the pages around the scratch storage.
    a.ril(LARL, 2, SCRATCH & !0xfff);
    a.ri(0xa79, 3, 8192 / 256);
    a.put(&[0xd7, 0xff, 0x20, 0x00, 0x20, 0x00]); // XC 0(256,2),0(2)
    a.put(&[0x41, 0x20, 0x21, 0x00]); // LA 2,256(2)
    a.ri(0xa77, 3, -5); // BRCTG, back to XC
    a.ril(LARL, 2, SCRATCH);
    for piece in (0..SCRATCH_LEN as u16).step_by(256) {
        a.mvc(2, piece, 1, STORAGE + piece, 256);
    }
    a.put(&[0xb2, 0x9d]); // LFPC
    a.put(&(0x1000 | FPC).to_be_bytes());
    a.floating(host, Move::Load, 1);
    a.rx(0x9a, 0x0f, 1, AR); // LAM 0,15
    a.rx(L, 0, 1, CC);
    a.put(&[0x04, 0x00]); // SPM 0
    a.put(&[0x07, 0xfe]); // BR 14

    // After a test, nothing but general registers and CC may be relied on, and none of them is free.
    let collect = a.here();
    a.ril(STGRL, 15, SAVED_15);
    a.put(SAM64); // a test may have left another addressing mode
    a.ril(LARL, 15, DATA);
    a.rxy(LG, 0xf0, 15, NEXT_OUTPUT);
    a.rxy(STMG, 0x0e, 15, GR);
    a.put(&[0xb2, 0x22, 0x00, 0x00]); // IPM 0
    a.rx(ST, 0x00, 15, CC);
    a.ril(LGRL, 1, SAVED_15);
    a.rxy(STG, 0x10, 15, GR + 120);
    a.put(&[0xb2, 0x9c]); // STFPC
    a.put(&(0xf000 | FPC).to_be_bytes());
    a.floating(host, Move::Store, 15);
    a.rx(0x9b, 0x0f, 15, AR); // STAM 0,15
    a.ri(0xa79, 6, 1);
    a.rxy(STG, 0x60, 15, LINK);
    let next = a.here();
    a.ril(LARL, 2, SCRATCH);
    for piece in (0..SCRATCH_LEN as u16).step_by(256) {
        a.mvc(15, STORAGE + piece, 2, piece, 256);
    }
    a.ril(LARL, 2, DATA);
    a.rxy(LG, 0x10, 2, NEXT_INPUT);
    a.ri(0xa7b, 1, RECORD as i16);
    a.rxy(STG, 0x10, 2, NEXT_INPUT);
    a.rxy(LG, 0x30, 2, NEXT_OUTPUT);
    a.ri(0xa7b, 3, RECORD as i16);
    a.rxy(STG, 0x30, 2, NEXT_OUTPUT);
    a.rxy(LG, 0x40, 1, LINK);
    a.put(&[0x07, 0xf4]); // BR 4

    if host == Host::Bare {
        return bare(a, setup, collect, next);
    }

    // Signal handler: r2 = number, r3 -> siginfo, r4 -> ucontext (its registers begin at 40). It never returns.
    let handler = a.here();
    a.put(SAM64);
    a.ril(LARL, 5, DATA);
    a.rxy(LG, 0xf0, 5, NEXT_OUTPUT);
    a.rxy(STG, 0x20, 15, SIGNAL);
    a.rx(L, 0x60, 3, 8);
    a.rx(ST, 0x60, 15, SIGNAL_CODE);
    a.mvc(15, PSW, 4, 40, 16);
    a.mvc(15, GR, 4, 56, 128);
    a.mvc(15, AR, 4, 184, 64);
    a.mvc(15, FPC, 4, 248, 4);
    // The signal frame's vector registers are in two places; those of the CPU are still the test's.
    a.floating(host, Move::Store, 15);
    a.ri(0xa79, 6, 2);
    a.rxy(STG, 0x60, 15, LINK);
    a.ril(BRCL, 15, next);

    // Start-up: signal stack, handlers for SIGILL, SIGTRAP, SIGBUS, SIGFPE and SIGSEGV; then the first test.
    let entry = a.here();
    a.ril(LARL, 7, DATA);
    a.put(&[0x41, 0x20, 0x70, STACK as u8]); // LA 2,STACK(7)
    a.ri(0xa79, 3, 0);
    a.svc(186); // sigaltstack
    for signal in [4, 5, 7, 8, 11] {
        a.ri(0xa79, 2, signal);
        a.put(&[0x41, 0x30, 0x70, ACTION as u8]);
        a.ri(0xa79, 4, 0);
        a.ri(0xa79, 5, 8);
        a.svc(174); // rt_sigaction
    }
    a.rxy(LG, 0x10, 7, NEXT_INPUT);
    a.rxy(LG, 0x40, 1, LINK);
    a.put(&[0x07, 0xf4]);

    // The end: write the output records, all of them, and exit.
    let finish = a.here();
    a.ril(LARL, 8, OUTPUT);
    a.put(&[0xc0, 0x91]); // LGFI 9
    a.put(&((RECORD * tests) as u32).to_be_bytes());
    let again = a.here();
    a.ri(0xa79, 2, 1);
    a.put(&[0xb9, 0x04, 0x00, 0x38]); // LGR 3,8
    a.put(&[0xb9, 0x04, 0x00, 0x49]); // LGR 4,9
    a.svc(4); // write
    a.put(&[0xb9, 0x08, 0x00, 0x82]); // AGR 8,2
    a.put(&[0xb9, 0x09, 0x00, 0x92]); // SGR 9,2
    a.ril(BRCL, 2, again);
    a.ri(0xa79, 2, 0);
    a.svc(1); // exit

    // The handler's address goes where the caller of this function puts ACTION.
    let mut code = a.bytes;
    code.extend_from_slice(&handler.to_be_bytes());
    Driver { code, entry, setup, collect, finish }
}

/// The rest of the driver on a machine without Linux.
fn bare(mut a: Assembler, setup: u64, collect: u64, next: u64) -> Driver {
    // Program interruption: all registers are the test's.
    let handler = a.here();
    a.ril(STGRL, 15, SAVED_15);
    a.ril(LARL, 15, DATA);
    a.rxy(LG, 0xf0, 15, NEXT_OUTPUT);
    a.rxy(STMG, 0x0e, 15, GR);
    a.ril(LGRL, 1, SAVED_15);
    a.rxy(STG, 0x10, 15, GR + 120);
    a.mvc(15, PSW, 0, 0x150, 16);
    a.mvc(15, SIGNAL_CODE, 0, 0x8c, 8);
    a.put(&[0xb2, 0x9c]); // STFPC
    a.put(&(0xf000 | FPC).to_be_bytes());
    a.floating(Host::Bare, Move::Store, 15);
    a.rx(0x9b, 0x0f, 15, AR); // STAM 0,15
    a.ri(0xa79, 6, 2);
    a.rxy(STG, 0x60, 15, LINK);
    a.ril(BRCL, 15, next);

    // Start-up in ESA/390 mode: SIGP SET ARCHITECTURE, AFP control on; then the first test.
    let entry = a.here();
    a.put(&[0xa7, 0x18, 0x00, 0x01, 0x1b, 0x22, 0xae, 0x12, 0x00, 0x12]); // LHI 1,1; SR 2,2; SIGP 1,2,18
    a.put(SAM64);
    a.ril(LARL, 7, DATA);
    a.rxy(0xeb2f, 0x00, 7, CONTROL); // LCTLG 0,0
    a.rxy(LG, 0x10, 7, NEXT_INPUT);
    a.rxy(LG, 0x40, 1, LINK);
    a.put(&[0x07, 0xf4]);

    let finish = a.here();
    a.ril(LARL, 1, DATA);
    a.put(&[0xb2, 0xb2]); // LPSWE: a disabled wait
    a.put(&(0x1000 | WAIT).to_be_bytes());
    let mut code = a.bytes;
    code.extend_from_slice(&handler.to_be_bytes());
    Driver { code, entry, setup, collect, finish }
}

/// Real storage with the tests, for a machine without Linux: to be loaded at 0 and started with the PSW there. The
/// outcomes are in the range of addresses that comes with it when the machine waits.
pub fn build_bare(tests: &[&Test]) -> (Vec<u8>, std::ops::Range<u64>) {
    let (driver, handler, segments) = segments(tests, Host::Bare);
    let mut core = vec![0u8; OUTPUT as usize];
    core[..8].copy_from_slice(&(0x0008_0000_8000_0000 | driver.entry).to_be_bytes());
    core[0x1d0..0x1d8].copy_from_slice(&0x0000_0001_8000_0000u64.to_be_bytes());
    core[0x1d8..0x1e0].copy_from_slice(&handler);
    for (address, bytes, _) in &segments {
        if !bytes.is_empty() {
            core[*address as usize..][..bytes.len()].copy_from_slice(bytes);
        }
    }
    (core, OUTPUT..OUTPUT + (RECORD * tests.len()) as u64)
}

/// A program-mask and condition-code word as SPM and IPM have it.
fn cc_word(r: &Registers) -> u32 {
    u32::from(r.cc) << 28 | u32::from(r.program_mask) << 24
}

/// The ELF file that runs `tests` and writes their outcomes.
pub fn build(tests: &[&Test]) -> Vec<u8> {
    let (driver, _, segments) = segments(tests, Host::Linux);
    elf(driver.entry, &segments)
}

/// Address, contents and length in storage.
type Segment = (u64, Vec<u8>, u64);

/// The driver, the address of its handler, and everything as it lies in storage.
fn segments(tests: &[&Test], host: Host) -> (Driver, Vec<u8>, Vec<Segment>) {
    assert!(tests.len() <= TESTS_MAX, "the records have room for no more");
    let mut driver = driver(tests.len(), host);
    let handler_at = driver.code.len() - 8;
    let handler = driver.code.split_off(handler_at);

    let mut data = vec![0u8; 256];
    data[0..8].copy_from_slice(&INPUT.to_be_bytes());
    data[8..16].copy_from_slice(&OUTPUT.to_be_bytes());
    let action = ACTION as usize;
    data[action..action + 8].copy_from_slice(&handler);
    let (control, wait) = (CONTROL as usize, WAIT as usize);
    data[control..control + 8].copy_from_slice(&0x0004_00e0u64.to_be_bytes());
    data[wait..wait + 8].copy_from_slice(&0x0002_0001_8000_0000u64.to_be_bytes());
    // SA_NODEFER, SA_ONSTACK, SA_SIGINFO.
    data[action + 8..action + 16].copy_from_slice(&0x4800_0004u64.to_be_bytes());
    let stack = STACK as usize;
    data[stack..stack + 8].copy_from_slice(&SIGNAL_STACK.to_be_bytes());
    data[stack + 16..stack + 24].copy_from_slice(&(DATA + DATA_LEN - SIGNAL_STACK).to_be_bytes());

    let mut code = vec![0u8; SLOT * tests.len()];
    let mut input = vec![0u8; RECORD * (tests.len() + 1)];
    for (n, test) in tests.iter().enumerate() {
        assert!(test.text.len() <= TEXT_MAX, "a test's instructions fit its slot");
        let record = INPUT + (n * RECORD) as u64;
        let start = text_address(n) - 18;
        let mut a = Assembler { at: start, bytes: Vec::new() };
        a.ril(LARL, 1, record);
        a.ril(BRASL, 14, driver.setup);
        a.rxy(LMG, 0x0f, 1, GR);
        a.put(&test.text);
        a.ril(BRCL, 15, driver.collect);
        let at = (start - CODE) as usize;
        code[at..at + a.bytes.len()].copy_from_slice(&a.bytes);
        let r = &mut input[n * RECORD..][..RECORD];
        for i in 0..16 {
            r[8 * i..][..8].copy_from_slice(&test.before.gr[i].to_be_bytes());
            r[AR as usize + 4 * i..][..4].copy_from_slice(&test.before.ar[i].to_be_bytes());
        }
        for (n, half) in test.before.fpr.0.as_flattened().iter().enumerate() {
            r[VR as usize + 8 * n..][..8].copy_from_slice(&half.to_be_bytes());
        }
        r[FPC as usize..][..4].copy_from_slice(&test.before.fpc.to_be_bytes());
        r[CC as usize..][..4].copy_from_slice(&cc_word(&test.before).to_be_bytes());
        r[LINK as usize..][..8].copy_from_slice(&start.to_be_bytes());
        r[STORAGE as usize..].copy_from_slice(&test.before.scratch);
    }
    input[tests.len() * RECORD + LINK as usize..][..8].copy_from_slice(&driver.finish.to_be_bytes());

    let page = |a: u64| a & !0xfff;
    let scratch_end = page(SCRATCH + SCRATCH_LEN as u64 + 0xfff);
    let output_len = (RECORD * (tests.len() + 1)) as u64;
    let of = |address: u64, bytes: Vec<u8>| {
        let len = bytes.len() as u64;
        (address, bytes, len)
    };
    let list = vec![
        of(DRIVER, driver.code.clone()),
        (page(SCRATCH), Vec::new(), scratch_end - page(SCRATCH)),
        (DATA, data, DATA_LEN),
        of(CODE, code),
        of(INPUT, input),
        (OUTPUT, Vec::new(), output_len),
    ];
    (driver, handler, list)
}

/// A static ELF file for s390x: `segments` are address, contents and length in storage, all of them writable.
fn elf(entry: u64, segments: &[Segment]) -> Vec<u8> {
    let mut file = vec![0x7f, b'E', b'L', b'F', 2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let half = |file: &mut Vec<u8>, v: u16| file.extend_from_slice(&v.to_be_bytes());
    let word = |file: &mut Vec<u8>, v: u32| file.extend_from_slice(&v.to_be_bytes());
    let long = |file: &mut Vec<u8>, v: u64| file.extend_from_slice(&v.to_be_bytes());
    half(&mut file, 2); // ET_EXEC
    half(&mut file, 22); // EM_S390
    word(&mut file, 1);
    long(&mut file, entry);
    long(&mut file, 64);
    long(&mut file, 0);
    word(&mut file, 0);
    for v in [64, 56, segments.len() as u16, 0, 0, 0] {
        half(&mut file, v);
    }
    let mut offset = 0x1000;
    for (address, bytes, len) in segments {
        word(&mut file, 1); // PT_LOAD
        word(&mut file, 7); // readable, writable, executable
        long(&mut file, offset);
        long(&mut file, *address);
        long(&mut file, *address);
        long(&mut file, bytes.len() as u64);
        long(&mut file, *len);
        long(&mut file, 0x1000);
        offset += (bytes.len() as u64).next_multiple_of(0x1000);
    }
    for (_, bytes, _) in segments {
        file.resize(file.len().next_multiple_of(0x1000), 0);
        file.extend_from_slice(bytes);
    }
    file
}

/// The outcomes from what the program wrote.
pub fn outcomes(output: &[u8], tests: usize) -> Vec<Outcome> {
    let empty = vec![0u8; RECORD];
    (0..tests).map(|n| outcome(output.get(n * RECORD..(n + 1) * RECORD).unwrap_or(&empty))).collect()
}

fn outcome(record: &[u8]) -> Outcome {
    let word = |at: u16| u32::from_be_bytes(record[at as usize..][..4].try_into().expect("four bytes"));
    let long = |at: u16| u64::from_be_bytes(record[at as usize..][..8].try_into().expect("eight bytes"));
    let ending = match long(LINK) {
        1 => Ending::Completed,
        2 => Ending::Signal {
            number: long(SIGNAL) as u8,
            code: word(SIGNAL_CODE) as i32,
            dxc: word(SIGNAL_CODE + 4) as u8,
            mask: long(PSW),
            address: long(PSW + 8),
        },
        _ => Ending::NotReached,
    };
    let mut after = Registers::default();
    for n in 0..16 {
        after.gr[n] = long(GR + 8 * n as u16);
        after.ar[n] = word(AR + 4 * n as u16);
    }
    for (n, half) in after.fpr.0.as_flattened_mut().iter_mut().enumerate() {
        *half = long(VR + 8 * n as u16);
    }
    after.fpc = word(FPC);
    let cc_and_mask = match ending {
        Ending::Signal { mask, .. } => (mask >> 40 & 0x3f) as u8,
        _ => (word(CC) >> 24 & 0x3f) as u8,
    };
    after.cc = cc_and_mask >> 4;
    after.program_mask = cc_and_mask & 15;
    after.scratch.copy_from_slice(&record[STORAGE as usize..][..SCRATCH_LEN]);
    Outcome { after, ending }
}
