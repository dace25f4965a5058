//! DIAGNOSE: what is looked at before what, in real or absolute storage, and what wrong operands end in.

mod system;

use arch::{Absolute, Program};
use consoles::display::{Key, Size};
use consoles::terminal::Kind;
use cpu::{Architecture, Interruption, State};
use diagnose::{Call, DIAGNOSES, perform};
use nucleus::system::Cp;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use support::Random;
use system::Hand;
use virtualmachine::vmdbk::Vmdbk;

const DIRECTORY: &str = "\
USER OPERATOR OPERATOR 4M 4M ABCDEFG
 CONSOLE 009 3215 T
USER GUEST GUEST 4M 16M G
 MACHINE ESA
 CONSOLE 009 3215 T
 SPOOL 00C 2540 READER *
";

/// The end of the guest's storage.
const END: u64 = 4 << 20;

struct Room {
    cp: Cp,
    clock: Arc<Hand>,
}

impl Room {
    /// A system with GUEST logged on.
    fn new() -> Room {
        let clock = Hand::new();
        let room = Room { cp: system::system(DIRECTORY, None, clock.clone()), clock };
        room.log_on();
        room
    }

    fn log_on(&self) {
        let terminal = self.cp.connect(Kind::Display(Size { rows: 24, columns: 80 }), None, "127.0.0.1", true);
        self.cp.key(terminal.id, Key::Clear, &[String::new()]);
        self.cp.key(terminal.id, Key::Enter, &["logon guest guest".to_string()]);
        self.vmdbk();
    }

    fn vmdbk(&self) -> Arc<Vmdbk> {
        self.cp.vmdbk("GUEST").expect("it is logged on")
    }

    /// Sets the guest's CPU.
    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.vmdbk().machine().configuration.cpu(0).state);
    }

    fn gr(&self, n: usize) -> u64 {
        self.vmdbk().machine().configuration.cpu(0).state.gr[n]
    }

    fn put(&self, at: u64, bytes: &[u8]) {
        self.vmdbk().machine().configuration.storage().write(Absolute(at), bytes).expect("it is in storage");
    }

    fn word(&self, at: u64) -> u32 {
        self.vmdbk().machine().configuration.storage().read_u32(Absolute(at)).expect("it is in storage")
    }

    /// The guest issues DIAGNOSE `code` with register 2 for Rx and 4 for Ry.
    fn diagnose(&self, code: u16) -> Result<(), Interruption> {
        let vmdbk = self.vmdbk();
        let machine = vmdbk.machine();
        let generation = vmdbk.generation.load(Ordering::Acquire);
        perform(
            &Call { cp: &self.cp, vmdbk: &vmdbk, machine: &machine, cpu: 0, ilc: 4, r1: 2, r3: 4, generation },
            code,
        )
    }

    /// The same, after these four registers were set.
    fn with(&self, code: u16, registers: [u64; 4]) -> Result<(), Interruption> {
        self.set(|s| s.gr[2..6].copy_from_slice(&registers));
        self.diagnose(code)
    }
}

const SPECIFICATION: Result<(), Interruption> = Err(Interruption::Program(Program::Specification));
const ADDRESSING: Result<(), Interruption> = Err(Interruption::Program(Program::Addressing));

#[test]
fn pages_below_2000_are_not_released() {
    let room = Room::new();
    let release = |first: u64, last: u64| room.with(0x10, [first, 0, last, 0]);
    for at in [0, 0x1000, 0x2000, 0x3000, 0x4000] {
        room.put(at + 8, &[0x11; 4]);
    }
    for (first, last) in [(0, 0), (0, 0x2000), (0x1000, 0x1000), (0x1000, 0x4000), (0x2008, 0x3000), (0x3000, 0x2000)] {
        assert_eq!(release(first, last), SPECIFICATION, "{first:x} to {last:x}");
    }
    assert_eq!(release(0x3000, END), ADDRESSING, "beyond storage");
    assert_eq!(
        [0, 0x1000, 0x2000, 0x3000, 0x4000].map(|at| room.word(at + 8)),
        [0x1111_1111; 5],
        "nothing was released"
    );
    assert_eq!(release(0x2000, 0x3000), Ok(()));
    assert_eq!(
        [0, 0x1000, 0x2000, 0x3000, 0x4000].map(|at| room.word(at + 8)),
        [0x1111_1111, 0x1111_1111, 0, 0, 0x1111_1111]
    );
}

#[test]
fn pages_are_released_at_their_real_addresses() {
    for code in [0x10, 0x214] {
        let room = Room::new();
        room.set(|s| {
            s.set_architecture(Architecture::Z);
            s.set_prefix(0x8000).expect("it is in storage");
        });
        let pages: Vec<u64> = (0..16).map(|n| n << 12).collect();
        pages.iter().for_each(|at| room.put(at + 8, &[0x11; 4]));
        let last = if code == 0x10 { [0x7000, 0, 0xa000, 0] } else { [0x7000, 0xa000, 0, 0] };
        assert_eq!(room.with(code, last), Ok(()));
        // Real 8000 and 9000 are absolute 0 and 1000.
        let zero: Vec<u64> = pages.into_iter().filter(|at| room.word(at + 8) == 0).collect();
        assert_eq!(zero, [0, 0x1000, 0x7000, 0xa000], "{code:x}");
    }
}

#[test]
fn the_page_fault_handshake_looks_at_its_block_in_order() {
    let room = Room::new();
    let block = |code: u16, function: u16, words: u16, version: u16, fields: [u64; 4]| {
        let halves = [code, function, words, version].map(u16::to_be_bytes).concat();
        room.put(0x3000, &[halves, fields.map(u64::to_be_bytes).concat()].concat());
        room.with(0x258, [0x3000, 0, 0xeeee, 0])
    };
    let token = [0x398, 1 << 48, 1 << 48, 1 << 63];
    assert_eq!((block(0x258, 0, 5, 2, token), room.gr(4)), (Ok(()), 8), "not available");
    assert_eq!((block(0x258, 1, 5, 2, [0; 4]), room.gr(4)), (Ok(()), 4), "not established");
    assert_eq!(block(0x254, 0, 5, 2, token), SPECIFICATION, "another code");
    assert_eq!(block(0x258, 2, 5, 2, token), SPECIFICATION, "no such function");
    assert_eq!(block(0x258, 0, 4, 2, token), SPECIFICATION, "too short");
    assert_eq!(block(0x258, 0, 5, 1, token), SPECIFICATION, "another version");
    assert_eq!(block(0x258, 0, 5, 2, [0x39c, 0, 0, 0]), SPECIFICATION, "the token's boundary");
    assert_eq!(block(0x258, 0, 5, 2, [END, 0, 0, 0]), ADDRESSING, "no token there");
    assert_eq!(block(0x258, 0, 5, 2, [0x398, 1 << 48, 1 << 49, 0]), SPECIFICATION, "compared, and not selected");
    assert_eq!(block(0x258, 1, 5, 2, token), SPECIFICATION, "nothing to say when cancelling");
    assert_eq!(room.gr(4), 0xeeee, "no answer then");
    // The block comes first of all, at its real address.
    room.put(0x3000, &[0xff; 40]);
    assert_eq!(room.with(0x258, [END - 16, 0, 0, 0]), ADDRESSING);
    block(0x258, 1, 5, 2, [0; 4]).expect("it is good");
    let good = (0..5).map(|n| room.word(0x3000 + 8 * n)).collect::<Vec<u32>>();
    assert_eq!(good[0], 0x0258_0001);
    room.set(|s| s.set_prefix(0x3000).expect("it is in storage"));
    assert_eq!((room.with(0x258, [0, 0, 0xeeee, 0]), room.gr(4)), (Ok(()), 4), "real 0 is absolute 3000");
}

#[test]
fn a_watchdog_performs_its_commands_unless_it_is_set_anew() {
    let room = Room::new();
    let forward = |seconds: u64| {
        room.clock.pass(seconds);
        room.cp.tick();
    };
    let commands = base::ebcdic::from_str("LOGOFF");
    room.put(0x3000, &commands);
    let set = |function: u64, seconds: u64, at: u64, length: u64| room.with(0x288, [function, seconds, at, length]);
    let length = commands.len() as u64;
    // Operands, and there is none to change or cancel.
    for (function, seconds, at, length) in
        [(0, 14, 0x3000, 6), (0, 15, 0x3000, 0), (0, 15, 0x3000, 241), (3, 15, 0x3000, 6), (1, 15, 0, 0), (2, 0, 0, 0)]
    {
        assert_eq!(set(function, seconds, at, length), SPECIFICATION, "{function} {seconds} {length}");
    }
    assert_eq!(set(0, 15, END - 2, length), ADDRESSING);
    forward(100);
    assert!(room.cp.vmdbk("GUEST").is_some());
    // Set anew in time, with and without CONCEAL; changed; cancelled.
    for _ in 0..3 {
        assert_eq!(set(0x8000_0000, 15, 0x3000, length), Ok(()));
        forward(14);
    }
    assert_eq!(set(1, 60, 0, 0), Ok(()));
    forward(59);
    assert_eq!(set(1, 14, 0, 0), SPECIFICATION);
    assert_eq!(set(2, 0, 0, 0), Ok(()));
    forward(100);
    assert!(room.cp.vmdbk("GUEST").is_some());
    assert_eq!(set(2, 0, 0, 0), SPECIFICATION, "it is gone");
    // A reset cancels it.
    assert_eq!(set(0, 15, 0x3000, length), Ok(()));
    room.vmdbk().begin_reset();
    forward(15);
    assert!(room.cp.vmdbk("GUEST").is_some());
    // Not in time.
    assert_eq!(set(0, 15, 0x3000, length), Ok(()));
    forward(14);
    assert!(room.cp.vmdbk("GUEST").is_some());
    forward(1);
    assert!(room.cp.vmdbk("GUEST").is_none(), "LOGOFF");
}

#[test]
fn vmcf_takes_its_list_apart_and_looks_at_keys() {
    use arch::vmcf::{Header, Parameters, function, option, status};
    use vmcf::code;
    use zerocopy::IntoBytes;
    let room = Room::new();
    let ask = |change: &dyn Fn(&mut Parameters)| {
        let mut list = Parameters { user: base::ebcdic::padded("GUEST"), ..Parameters::default() };
        change(&mut list);
        room.put(0x3000, list.as_bytes());
        room.with(0x68, [0x3000, 0, 0xeeee, 0]).map(|()| room.gr(4) as u8)
    };
    assert_eq!(room.with(0x68, [0x3004, 0, 0, 0]), SPECIFICATION, "on a doubleword");
    assert_eq!(room.with(0x68, [END - 8, 0, 0, 0]), ADDRESSING);
    assert_eq!(ask(&|list| list.function = function::SEND.into()), Ok(code::NOT_AUTHORIZED));
    assert_eq!(ask(&|list| list.function = 12.into()), Ok(code::FUNCTION));
    let buffer = |address: u32, length: u32| {
        ask(&|list| (list.address, list.length, list.flags) = (address.into(), length.into(), option::SPECIAL))
    };
    assert_eq!(buffer(0x4000, 39), Ok(code::ADDRESS));
    assert_eq!(buffer(0x4004, 64), Ok(code::ADDRESS));
    assert_eq!(buffer(END as u32 - 8, 64), Ok(code::ADDRESS));
    // With key 8 in the PSW it is not its own storage.
    let key = |of: u8| room.set(|s| s.set_psw_mask(s.psw_mask() & !(15 << 52) | u64::from(of) << 52));
    key(8);
    assert_eq!(buffer(0x4000, 64), Ok(code::PROTECTION));
    room.vmdbk().machine().configuration.storage().set_key(Absolute(0x4000), 0x80).expect("it is in storage");
    assert_eq!(buffer(0x4000, 64), Ok(code::DONE));
    assert_eq!(buffer(0x4ff8, 64), Ok(code::PROTECTION), "the second page of it");
    key(0);
    // SENDX to itself: two interruptions, when the CPU is enabled for VMCF.
    room.put(0x5000, b"data");
    room.put(0x58, &0x0008_0000_8000_6000_u64.to_be_bytes());
    let sent = ask(&|list| {
        list.function = function::SENDX.into();
        (list.address, list.length, list.message) = (0x5000.into(), 4.into(), 77.into());
    });
    assert_eq!(sent, Ok(code::DONE));
    let present = || {
        let vmdbk = room.vmdbk();
        assert!(diagnose::iucv::present(&vmdbk, &vmdbk.machine(), 0));
        let mut header = Header::default();
        vmdbk.machine().configuration.storage().read(Absolute(0x4000), header.as_mut_bytes()).expect("it is there");
        (header.message.get(), header.status)
    };
    let enable = |on: bool| {
        room.set(|s| {
            s.cr[0] = u64::from(on);
            s.set_psw(arch::Psw { mask: arch::mask::EXTERNAL | arch::mask::BASIC_ADDRESSING, address: 0x2000 });
            s.masks_changed();
        });
    };
    enable(false);
    assert_eq!(present(), (0, 0), "not enabled");
    enable(true);
    assert_eq!(present(), (77, 0));
    assert_eq!(room.word(0x4028), 0x6461_7461);
    assert_eq!(room.word(0x84) & 0xffff, u32::from(arch::interruption::external::VMCF), "of ESA/390: X'86'");
    enable(true);
    assert_eq!(present(), (77, status::RESPONSE));
}

/// Whatever is in its registers, a DIAGNOSE ends in one of the exceptions that a program can expect, and CP goes on.
#[test]
fn no_operand_of_any_diagnose_harms() {
    const SOME: [u64; 24] = [
        0,
        1,
        2,
        3,
        4,
        5,
        8,
        0x0c,
        0x10,
        0x14,
        0x20,
        0x28,
        0x0ffe,
        0x0fff,
        0x1000,
        0x1ffc,
        END - 8,
        END,
        0x7fff_fff8,
        0x8000_0000,
        0xffff_ffff,
        1 << 40,
        u64::MAX - 7,
        u64::MAX,
    ];
    let mut random = Random::seeded(0x0d1a_6105);
    let mut cases = 0;
    for row in DIAGNOSES {
        let mut room = Room::new();
        for n in 0..400 {
            if room.cp.vmdbk("GUEST").is_none() {
                room = Room::new();
            }
            let mut register = || SOME[random.below(SOME.len() as u32) as usize];
            let registers = std::array::from_fn(|_| register());
            let areas: Vec<u64> = (0..16).map(|_| register()).collect();
            room.put(0x1000, &areas.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>());
            room.set(|s| {
                s.set_architecture(if n % 2 == 0 { Architecture::Esa } else { Architecture::Z });
                let wide = arch::mask::EXTENDED_ADDRESSING | arch::mask::BASIC_ADDRESSING;
                let mask = if n % 2 == 0 { arch::mask::BASIC_ADDRESSING } else { wide };
                s.set_psw(arch::Psw { mask, address: 0x2000 });
            });
            use Program::{Addressing, Operand, Protection, Specification};
            match room.with(row.code, registers) {
                Ok(()) | Err(Interruption::Program(Specification | Addressing | Protection | Operand)) => (),
                other => panic!("DIAGNOSE {:03X} of {registers:x?}: {other:?}", row.code),
            }
            cases += 1;
        }
    }
    assert_eq!(cases, 400 * DIAGNOSES.len());
    println!("{cases} cases");
}
