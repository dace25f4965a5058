//! Programs that change themselves or each other, lie across pages, or wrap around (POP, chapter 5).

mod machine;

use arch::io::{Ccw, CcwFormat, Orb, ccw_flag, pmcw_flag};
use arch::lowcore::z;
use arch::mask;
use cpu::Architecture;
use devices::{Card, Reader2540, RecordSource};
use machine::*;
use zerocopy::IntoBytes;

#[test]
fn a_store_into_the_next_instruction_counts() {
    let machine = Machine::new();
    // LHI 2,1 becomes LHI 2,7 just before it is executed, by stores of every kind.
    for store in ["MVI 11(6),7", "STC 5,11(0,6)", "MVC 11(1,6),0(7)", "STG 5,4(0,6)", "CS 3,4,8(6)", "OI 11(6),7"] {
        let text = assemble(store);
        let length = text.len() as u64;
        let target = PROGRAM + 0x80;
        // The patched instruction is at `target`, directly after the store.
        machine.put(DATA, &[7]);
        machine.set(|s| {
            (s.gr[2], s.gr[5], s.gr[6], s.gr[7]) = (0, 0xa728_0007, target - 8, DATA);
            (s.gr[3], s.gr[4]) = (0xa728_0001, 0xa728_0007);
        });
        for _ in 0..3 {
            machine.text(target - length, &format!("{store};LHI 2,1"));
            machine.set(|s| (s.gr[2], s.gr[3]) = (0, 0xa728_0001));
            assert_eq!(machine.go(WIDE, target - length), Ending::Done);
            assert_eq!(machine.gr(2), 7, "{store}");
        }
    }
}

#[test]
fn a_store_into_another_block_counts() {
    let machine = Machine::new();
    // A routine called twice; between the calls its constant changes.
    machine.text(0x5000, "LHI 2,1;BCR 15,14");
    machine.set(|s| s.gr[6] = 0x5000);
    machine.text(PROGRAM, "BASR 14,6;LR 3,2;MVI 3(6),9;BASR 14,6");
    for _ in 0..3 {
        machine.put(0x5003, &[1]);
        assert_eq!(machine.go(WIDE, PROGRAM), Ending::Done);
        assert_eq!((machine.gr(3) as u32, machine.gr(2) as u32), (1, 9));
    }
    // Through another address of the same frame, and by a real address.
    let mut t = Tables::new(&machine);
    let asce = t.space(SEGMENT);
    t.map_low(asce);
    t.map(asce, 0x10_0000, 0x5000);
    machine.set(|s| (s.cr[1], s.gr[7], s.gr[8], s.gr[9]) = (asce, 0x10_0000, 0x5000, 0xa728_0005));
    for patch in ["MVI 3(7),5", "STURA 9,8", "ST 9,0(0,7)", "MVC 3(1,7),3(11)"] {
        machine.put(0x5003, &[1]);
        machine.put(DATA + 3, &[5]);
        machine.set(|s| s.gr[11] = DATA);
        machine.text(PROGRAM, &format!("BASR 14,6;LR 3,2;{patch};BASR 14,6"));
        assert_eq!(machine.go(WIDE | mask::DAT, PROGRAM), Ending::Done);
        assert_eq!((machine.gr(3) as u32, machine.gr(2) as u32), (1, 5), "{patch}");
    }
}

#[test]
fn sturg_may_replace_what_follows_it() {
    let machine = Machine::new();
    let text = u64::from_be_bytes(assemble("LHI 2,7;LHI 3,8").try_into().expect("two instructions"));
    machine.set(|s| (s.gr[5], s.gr[6]) = (text, PROGRAM + 8));
    assert_eq!(machine.execute("LR 0,0;LR 0,0;STURG 5,6;LHI 2,1;LHI 3,1"), Ending::Done);
    assert_eq!((machine.gr(2), machine.gr(3)), (7, 8));
}

#[test]
fn another_cpu_may_patch() {
    let machine = Machine::with(Architecture::Z, 2);
    // CPU 1 loops until CPU 0 makes its branch a no-operation.
    machine.text(0x5000, "AGHI 1,1;BRC 15,*-4");
    std::thread::scope(|scope| {
        machine.begin(1, WIDE, 0x5000);
        let other = scope.spawn(|| machine.run(1));
        machine.set(|s| s.gr[6] = 0x5000);
        assert_eq!(machine.execute("LGFI 1,3000000;BRCTG 1,*+0;MVI 5(6),4"), Ending::Done);
        assert_eq!(other.join().expect("it ends"), Ending::Done);
    });
    assert!(machine.cpu(1).state.gr[1] > 0);
}

#[test]
fn instructions_that_were_forgotten_are_decoded_again() {
    let machine = Machine::new();
    // A loop that is executed often, so that it has code.
    machine.text(0x5000, "AGHI 2,1;BRCTG 1,*-4");
    let count = |mode: u64, times: u64| {
        machine.set(|s| (s.gr[1], s.gr[2]) = (times, 0));
        assert_eq!(machine.go(mode, 0x5000), Ending::Done);
        machine.gr(2)
    };
    assert_eq!(count(WIDE, 300), 300);
    // Then more instructions, once each, than are kept: LR 0,0.
    let many = 100_000;
    for _ in 0..2 {
        machine.put(0x10_0000, &[0x18, 0].repeat(many));
        assert_eq!(machine.go(WIDE, 0x10_0000), Ending::Done);
        assert_eq!(machine.old().address, 0x10_0002 + 2 * many as u64);
        // The code is for 64-bit addresses: in other modes the loop is interpreted.
        for mode in [mask::BASIC_ADDRESSING, 0, WIDE] {
            assert_eq!(count(mode, 7), 7);
        }
    }
    // Another text is another block.
    machine.text(0x5000, "AGHI 2,2;BRCTG 1,*-4");
    for mode in [mask::BASIC_ADDRESSING, WIDE] {
        assert_eq!(count(mode, 7), 14);
    }
}

/// One card.
struct Deck(Option<Vec<u8>>);

impl RecordSource for Deck {
    fn read(&mut self) -> Card {
        self.0.take().map_or(Card::EndOfFile, Card::Record)
    }
}

#[test]
fn a_channel_program_may_bring_code() {
    let machine = Machine::new();
    let card = assemble("LHI 2,7;DC 0000");
    let id = machine
        .configuration
        .css()
        .attach(0x00c, Box::new(Reader2540::new(Box::new(Deck(Some(card))))))
        .expect("it is the only device");
    let mut schib = machine.configuration.css().store_subchannel(id).expect("it is attached");
    schib.pmcw.flags |= pmcw_flag::ENABLED;
    machine.configuration.css().modify_subchannel(id, &schib).expect("the SCHIB is valid");
    let read = Ccw { command: 0x02, flags: ccw_flag::SUPPRESS_LENGTH, count: 80, address: 0x5000 };
    machine.put(0x7000, &read.encode(CcwFormat::One));
    let orb = Orb::new(0, 0x0080_ff00, 0x7000);
    machine.put(0x7100, orb.as_bytes());
    machine.text(0x5000, "LHI 2,1");
    // The program executes what is there, reads the card over it, and executes that.
    machine.set(|s| (s.gr[1], s.gr[6], s.gr[8]) = (id.encode() as u64, 0x5000, 0x7100));
    machine.put(0x5004, &assemble("BCR 15,14"));
    machine.text(PROGRAM, "BASR 14,6;LR 3,2;SSCH 0(8);BASR 14,6");
    assert_eq!(machine.go(WIDE, PROGRAM), Ending::Done);
    assert_eq!((machine.gr(3) as u32, machine.gr(2) as u32), (1, 7));
    assert_eq!(machine.old().address, 0x5006, "the card ends with the end of a program");
}

#[test]
fn instructions_may_lie_across_pages() {
    let machine = Machine::new();
    let mut t = Tables::new(&machine);
    let asce = t.space(SEGMENT);
    t.map_low(asce);
    // Pages beside each other in the space are not in storage.
    t.map(asce, 0x10_0000, 0x9000);
    t.map(asce, 0x10_1000, 0xb000);
    machine.set(|s| s.cr[1] = asce);
    let text = assemble("LGFI 2,0x12345678;LHI 3,3;DC 0000");
    for before in [2, 4] {
        let at = 0x10_1000 - before as u64;
        machine.put(0xa000 - before as u64, &text[..before]);
        machine.put(0xb000, &text[before..]);
        machine.set(|s| (s.gr[2], s.gr[3]) = (0, 0));
        assert_eq!(machine.go(WIDE | mask::DAT, at), Ending::Done);
        assert_eq!((machine.gr(2), machine.gr(3)), (0x1234_5678, 3));
        // The second page is missing: nothing happens, and the exception names that page.
        let page = t.page(asce, 0x10_1000);
        machine.put64(page, 0xb400);
        machine.set(|s| s.gr[2] = 0);
        let Ending::Program { code: 0x11, ilc, ia } = machine.go(WIDE | mask::DAT, at) else { panic!("a page fault") };
        assert!(ilc != 0 && ia == at);
        assert_eq!((machine.get64(z::TRANSLATION_EXCEPTION_ID), machine.gr(2)), (0x10_1000 | FETCHED, 0));
        machine.put64(page, 0xb000);
    }
}

/// Frames of the page that a loop begins in, and of two that it may go on in.
const FRAMES: [u64; 3] = [0x9000, 0xb000, 0xd000];

/// Lays a program around the end of page 10_0000, which it begins `before` bytes in front of; what is in the second
/// page goes into frame `second`.
fn lay(machine: &Machine, before: usize, second: u64, source: &str) {
    let text = assemble(&format!("{source};DC 0000"));
    machine.put(FRAMES[0] + 0x1000 - before as u64, &text[..before]);
    machine.put(second, &text[before..]);
}

/// Two spaces that have the first page in common.
fn spaces<'a>(machine: &'a Machine) -> (Tables<'a>, [u64; 2]) {
    let mut t = Tables::new(machine);
    let spaces = [FRAMES[1], FRAMES[2]].map(|second| {
        let asce = t.space(SEGMENT);
        t.map_low(asce);
        t.map(asce, 0x10_0000, FRAMES[0]);
        t.map(asce, 0x10_1000, second);
        asce
    });
    machine.set(|s| s.cr[1] = spaces[0]);
    (t, spaces)
}

#[test]
fn a_loop_over_two_pages_is_watched_in_both() {
    // The end of the page lies after an instruction, or in one: the second, or the one that the loop begins with.
    for before in [10, 8, 6, 4, 2] {
        let machine = Machine::new();
        let (mut t, spaces) = spaces(&machine);
        let lay = |second, step| {
            lay(&machine, before, second, &format!("AGHI 2,1;AGFI 4,1;AGHI 5,{step};BRCTG 1,*-14"));
        };
        lay(FRAMES[1], 1);
        lay(FRAMES[2], 4);
        let start = 0x10_1000 - before as u64;
        let run = |space: u64, purge: &str| {
            machine.put64(DATA, space);
            machine.text(PROGRAM, &format!("LCTLG 1,1,0(6){purge};BCR 15,7"));
            // Nothing is purged but by the program.
            let gr = &mut machine.cpu(0).state.gr;
            (gr[1], gr[2], gr[4], gr[5], gr[6], gr[7]) = (300, 0, 0, 0, DATA, start);
        };
        let result = |space, purge| {
            run(space, purge);
            assert_eq!(machine.go(WIDE | mask::DAT, PROGRAM), Ending::Done);
            assert_eq!((machine.gr(2), machine.gr(4)), (300, 300));
            machine.gr(5)
        };
        assert_eq!(result(spaces[0], ""), 300);
        assert_eq!(result(spaces[0], ""), 300);
        // Other text in the second page; another space, and back.
        lay(FRAMES[1], 2);
        assert_eq!(result(spaces[0], ""), 600);
        assert_eq!(result(spaces[1], ""), 1200);
        assert_eq!(result(spaces[0], ""), 600);
        assert_eq!(result(spaces[1], ""), 1200);
        // Another frame.
        let page = t.page(spaces[0], 0x10_1000);
        machine.put64(page, FRAMES[2]);
        assert_eq!(result(spaces[0], ";PTLB"), 1200);
        lay(FRAMES[2], 5);
        assert_eq!(result(spaces[0], ""), 1500);
        // No frame at all: the instructions in the first page are executed, and the exception follows.
        machine.put64(page, 0x400);
        run(spaces[0], ";PTLB");
        let Ending::Program { code: 0x11, .. } = machine.go(WIDE | mask::DAT, PROGRAM) else { panic!("a page fault") };
        assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID), 0x10_1000 | FETCHED);
        let (first, second) = (before >= 4, before >= 10);
        assert_eq!((machine.gr(2), machine.gr(4), machine.gr(5)), (first as u64, second as u64, 0));
        let done = if second {
            10
        } else if first {
            4
        } else {
            0
        };
        assert_eq!(machine.old().address, start + done);
    }
}

#[test]
fn an_instruction_between_two_pages_is_watched_by_who_translates_it() {
    // It is in no block, and alone in the last doubleword of its page; there is code elsewhere in that.
    for (before, source, other) in [(2, "AGHI 2,1", "AGHI 3,1"), (4, "AGFI 2,1", "AGFI 3,1")] {
        let machine = Machine::new();
        let (_t, _) = spaces(&machine);
        let back = assemble(source).len() + 4;
        machine.put(FRAMES[0], &assemble(&format!("BRCL 15,*+{}", 0x1000 - before)));
        lay(&machine, before, FRAMES[1], &format!("{source};AGHI 5,1;BRCTG 1,*-{back}"));
        let run = || {
            machine.set(|s| (s.gr[1], s.gr[2], s.gr[3], s.gr[5]) = (300, 0, 0, 0));
            assert_eq!(machine.go(WIDE | mask::DAT, 0x10_0000), Ending::Done);
            assert_eq!(machine.gr(5), 300);
            (machine.gr(2), machine.gr(3))
        };
        assert_eq!(run(), (300, 0), "{source}");
        assert_eq!(run(), (300, 0), "{source}");
        machine.put(FRAMES[0] + 0x1000 - before as u64, &assemble(other)[..before]);
        assert_eq!(run(), (0, 300), "{other}");
    }
}

#[test]
fn a_loop_may_change_the_page_that_it_is_going_to() {
    let machine = Machine::new();
    let (mut t, [asce, _]) = spaces(&machine);
    let page = t.page(asce, 0x10_1000);
    t.map(asce, 0x20_0000, page & !0xfff);
    let begin = |gr: [u64; 3]| {
        let mut core = machine.cpu(0);
        (core.state.gr[1], core.state.gr[5]) = (300, 0);
        core.state.gr[8..11].copy_from_slice(&gr);
    };
    // The page that the loop goes to has one frame or the other.
    let swaps = "XGR 8,10;STG 8,0(9);PTLB";
    let before = assemble(swaps).len();
    for (second, step) in [(FRAMES[1], 1), (FRAMES[2], 4)] {
        lay(&machine, before, second, &format!("{swaps};AGHI 5,{step};BRCTG 1,*-{}", before + 4));
    }
    begin([FRAMES[1], 0x20_0000 + page % 0x1000, FRAMES[1] ^ FRAMES[2]]);
    assert_eq!(machine.go(WIDE | mask::DAT, 0x10_1000 - before as u64), Ending::Done);
    assert_eq!(machine.gr(5), 150 * (1 + 4));
    // It stores into the second page: the constant that is added there.
    machine.put64(page, FRAMES[1]);
    machine.set(|_| {});
    lay(&machine, 4, FRAMES[1], "STC 1,0(0,9);AGHI 5,0;BRCTG 1,*-8");
    begin([0, 0x10_1003, 0]);
    assert_eq!(machine.go(WIDE | mask::DAT, 0x10_0ffc), Ending::Done);
    assert_eq!(machine.gr(5), (1..=300).map(|n| n & 0xff).sum::<u64>());
    // And into the first, from the second.
    lay(&machine, 4, FRAMES[1], "AGHI 5,0;STC 1,0(0,9);BRCTG 1,*-8");
    begin([0, 0x10_0fff, 0]);
    assert_eq!(machine.go(WIDE | mask::DAT, 0x10_0ffc), Ending::Done);
    assert_eq!(machine.gr(5), (2..=300).map(|n| n & 0xff).sum::<u64>());
}

#[test]
fn addresses_wrap_around() {
    let machine = Machine::with(Architecture::Esa, 1);
    // 24 bits: the machine has 8 MiB, so the end of the addresses is mapped.
    let (segments, pages) = (0x2_0000, 0x2_1000);
    for n in 0..16 {
        machine.put32(segments + 4 * n, 0x20);
        machine.put32(segments + 0x40 + 4 * n, 0x20);
        machine.put32(pages + 4 * n, (n as u32) << 12);
        machine.put32(pages + 0x400 + 4 * n, 0x400);
    }
    for n in 16..256 {
        machine.put32(pages + 0x400 + 4 * n, if n == 255 { 0x9000 } else { 0x400 });
    }
    machine.put32(segments, pages as u32);
    machine.put32(segments + 4 * 15, pages as u32 + 0x400 | 0xf);
    machine.set(|s| s.cr[1] = segments);
    let text = assemble("L 2,0x200(0,0)");
    machine.put(0x9ffe, &text[..2]);
    // The instruction goes on at 0, where the restart new PSW would be.
    machine.put(0, &text[2..]);
    machine.text(2, "LR 3,2");
    machine.put32(0x200, 0x55);
    assert_eq!(machine.go(mask::DAT, 0xff_fffe), Ending::Done);
    assert_eq!((machine.gr(2), machine.gr(3)), (0x55, 0x55));
    // Operands, too: a base of all ones.
    machine.set(|s| s.gr[5] = 0xffff_ffff);
    machine.text(PROGRAM, "L 2,0x201(0,5)");
    assert_eq!(machine.go(0, PROGRAM), Ending::Done);
    assert_eq!(machine.gr(2), 0x55);
    machine.text(PROGRAM, "L 2,0x201(0,5)");
    assert_eq!(machine.go(mask::BASIC_ADDRESSING, PROGRAM), Ending::Done);
    let machine = Machine::new();
    machine.put64(0x200, 0x66);
    machine.set(|s| s.gr[5] = u64::MAX);
    assert_eq!(machine.execute("LG 2,0x201(0,5)"), Ending::Done);
    assert_eq!(machine.gr(2), 0x66);
}

#[test]
fn a_branch_to_an_odd_address_is_taken_first() {
    let machine = Machine::new();
    machine.set(|s| s.gr[6] = 0x5001);
    let Ending::Program { code: 6, ilc, ia } = machine.execute("BCR 15,6") else { panic!("a specification exception") };
    assert!(ilc != 0 && ia == 0x5001 + ilc as u64);
}
