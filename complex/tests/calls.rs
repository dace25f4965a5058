//! Routines in other pages than those that call them, and how they return (POP, chapter 5).

mod machine;

use arch::lowcore::z;
use arch::mask;
use machine::*;

/// Where the program is that calls, and its frame.
const CALLER: (u64, u64) = (0x10_0000, 0x9000);
/// Where the routines are, and the frames of that page in two spaces.
const ROUTINE: u64 = 0x34_5000;
const FRAMES: [u64; 2] = [0xb000, 0xd000];
/// A second page with a routine, further up, and its frame.
const OTHER: (u64, u64) = (0x5_0000, 0xf000);
const ROUNDS: u64 = 300;

/// Two spaces in which the routines' page is not the same.
fn spaces<'a>(machine: &'a Machine) -> (Tables<'a>, [u64; 2]) {
    let mut t = Tables::new(machine);
    let spaces = FRAMES.map(|frame| {
        let asce = t.space(SEGMENT);
        t.map_low(asce);
        t.map(asce, CALLER.0, CALLER.1);
        t.map(asce, OTHER.0, OTHER.1);
        t.map(asce, BETWEEN.0, BETWEEN.1);
        t.map(asce, ROUTINE, frame);
        asce
    });
    machine.set(|s| s.cr[1] = spaces[0]);
    (t, spaces)
}

/// A loop that calls the routine at the address in register 6; the program comes to it by a switch to `space`.
fn call(machine: &Machine, space: u64, routine: u64, purge: &str) -> Ending {
    machine.put64(DATA, space);
    machine.text(PROGRAM, &format!("LCTLG 1,1,0(7){purge};BCR 15,8"));
    // Nothing is purged but by the program.
    {
        let gr = &mut machine.cpu(0).state.gr;
        (gr[1], gr[2], gr[3], gr[4]) = (ROUNDS, 0, 0, 0);
        (gr[6], gr[7], gr[8]) = (routine, DATA, CALLER.0);
    }
    machine.go(WIDE | mask::DAT, PROGRAM)
}

/// The sum of what the routine has left in register 3, and how often it was called.
fn result(machine: &Machine, space: u64, routine: u64, purge: &str) -> (u64, u64) {
    assert_eq!(call(machine, space, routine, purge), Ending::Done);
    (machine.gr(2), machine.gr(4))
}

#[test]
fn what_is_called_is_what_is_there_now() {
    for (source, text) in [("BASR 14,6", 2), ("BAS 14,0(0,6)", 4)] {
        let machine = Machine::new();
        let (mut t, spaces) = spaces(&machine);
        machine.text(CALLER.1, &format!("{source};AGR 2,3;BRCTG 1,*-{}", text + 4));
        let routine = |frame, by: u64| machine.text(frame, &format!("AGHI 4,1;LGHI 3,{by};BCR 15,14"));
        routine(FRAMES[0], 1);
        routine(FRAMES[0] + 0x800, 3);
        routine(FRAMES[1], 5);
        routine(OTHER.1, 7);
        let expect = |space: usize, routine, purge, by| {
            assert_eq!(result(&machine, spaces[space], routine, purge), (by * ROUNDS, ROUNDS), "{source} {by}");
        };
        expect(0, ROUTINE, "", 1);
        expect(0, ROUTINE, "", 1);
        // Another routine of that page, one of another page, one in another space; and back each time.
        for (space, address, by) in [(0, ROUTINE + 0x800, 3), (0, OTHER.0, 7), (1, ROUTINE, 5), (1, OTHER.0, 7)] {
            expect(space, address, "", by);
            expect(0, ROUTINE, "", 1);
        }
        // Its text changes, and the frame that it is in.
        routine(FRAMES[0], 11);
        expect(0, ROUTINE, "", 11);
        let page = t.page(spaces[0], ROUTINE);
        machine.put64(page, FRAMES[1]);
        expect(0, ROUTINE, ";PTLB", 5);
        // The routine's page is missing: the call is completed, and the exception follows at the routine.
        machine.put64(page, 0x400);
        let Ending::Program { code: 0x11, .. } = call(&machine, spaces[0], ROUTINE, ";PTLB") else {
            panic!("a page fault")
        };
        assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID) & !0xfff, ROUTINE);
        assert_eq!((machine.gr(1), machine.gr(4), machine.gr(14)), (ROUNDS, 0, CALLER.0 + text));
        assert_eq!(machine.old().address, ROUTINE);
    }
}

#[test]
fn a_routine_returns_where_it_likes() {
    let machine = Machine::new();
    let (_, spaces) = spaces(&machine);
    machine.text(CALLER.1, "BASR 14,6;AGR 2,3;AGHI 2,1000;BRCTG 1,*-10");
    // It returns past the AGR that adds what it has left: always, every other time, and when it has been called 290
    // times.
    for (source, sums) in [
        ("AGHI 4,1;LGHI 3,1;AGHI 14,4;BCR 15,14", 0),
        ("AGHI 4,1;LGHI 3,1;TMLL 4,1;BRC 8,*+8;AGHI 14,4;BCR 15,14", ROUNDS / 2),
        ("AGHI 4,1;LGHI 3,1;CGHI 4,290;BCR 13,14;AGHI 14,4;BCR 15,14", 290),
        ("LGR 5,14;AGHI 4,1;LGHI 3,1;CGHI 4,290;BCR 13,5;LA 5,4(0,5);BCR 15,5", 290),
    ] {
        machine.text(FRAMES[0], source);
        for _ in 0..2 {
            assert_eq!(result(&machine, spaces[0], ROUTINE, ""), (1000 * ROUNDS + sums, ROUNDS), "{source}");
        }
    }
}

#[test]
fn a_routine_may_change_who_calls_it() {
    let machine = Machine::new();
    let (_, spaces) = spaces(&machine);
    machine.text(CALLER.1, "BASR 14,6;AGHI 2,0;BRCTG 1,*-6");
    // The constant after the call becomes the number of the call; the routine's own becomes what it was the last time.
    machine.text(FRAMES[0], "AGHI 4,1;STC 4,3(0,14);AGHI 3,0;STC 4,11(0,6);BCR 15,14");
    for before in [0, ROUNDS] {
        machine.put(CALLER.1 + 5, &[0]);
        assert_eq!(call(&machine, spaces[0], ROUTINE, ""), Ending::Done);
        assert_eq!(machine.gr(2), (1..=ROUNDS).map(|n| n & 0xff).sum::<u64>());
        assert_eq!(machine.gr(3), (1..ROUNDS).map(|n| n & 0xff).sum::<u64>() + (before & 0xff));
    }
}

#[test]
fn a_return_finds_what_is_there_by_then() {
    let machine = Machine::new();
    let (mut t, spaces) = spaces(&machine);
    // The caller's page has another frame from each return on: one adds 1, the other 100.
    let frames = [CALLER.1, OTHER.1];
    for (frame, by) in frames.into_iter().zip([1, 100]) {
        machine.text(frame, &format!("BASR 14,6;AGHI 2,{by};BRCTG 1,*-6"));
    }
    let page = t.page(spaces[0], CALLER.0);
    let table = page - CALLER.0 / 4096 % 256 * 8;
    assert_eq!(table % 2048, 0);
    // Register 10 has the table's origin and register 11 an address in the page, as IPTE wants them.
    for purge in ["IPTE 10,11", "PTLB"] {
        machine.text(FRAMES[0], &format!("AGHI 4,1;XG 12,0(9);STURG 12,5;{purge};STURG 12,5;BCR 15,14"));
        for _ in 0..2 {
            machine.put64(page, frames[0]);
            machine.put64(DATA + 8, frames[0] ^ frames[1]);
            {
                let gr = &mut machine.cpu(0).state.gr;
                (gr[5], gr[9], gr[10], gr[11], gr[12]) = (page, DATA + 8, table, CALLER.0, frames[0]);
            }
            assert_eq!(call(&machine, spaces[0], ROUTINE, ""), Ending::Done, "{purge}");
            assert_eq!((machine.gr(2), machine.gr(4)), (ROUNDS / 2 * 101, ROUNDS), "{purge}");
        }
    }
}

#[test]
fn calls_go_deeper_than_any_stack_and_come_back_past_callers() {
    let machine = Machine::new();
    let (_, spaces) = spaces(&machine);
    // A routine calls itself, register 5 times in all.
    let down = "AGHI 4,1;STG 14,0(15);LA 15,8(0,15);AGHI 5,-1;BRC 12,*+6;BASR 14,6";
    for depth in [1, 5, 15, 16, 17, 33, 100] {
        machine.text(CALLER.1, &format!("LGHI 5,{depth};BASR 14,6;AGHI 2,1;BRCTG 1,*-10"));
        // All return; or the last returns to the first caller.
        for up in ["AGHI 15,-8;LG 14,0(15);BCR 15,14", "LGR 15,9;LG 14,0(15);BCR 15,14"] {
            machine.text(FRAMES[0], &format!("{down};{up}"));
            {
                let gr = &mut machine.cpu(0).state.gr;
                (gr[9], gr[15]) = (DATA + 0x100, DATA + 0x100);
            }
            assert_eq!(result(&machine, spaces[0], ROUTINE, ""), (ROUNDS, depth * ROUNDS), "{depth} {up}");
        }
    }
}

/// The callers of routines by their addresses in the text, one for each: at CALLER and each so much further up.
const APART: u64 = 0x100;
/// The page that they branch to, from where another branch leads to the routine, and its frame. A block may go on in
/// this page; the routine's is another block.
const BETWEEN: (u64, u64) = (0x50_0000, 0x1_1000);

/// What branches in the text there to a routine, and comes back from it to the branch's end.
fn by_text(machine: &Machine, saves: bool, number: u64, frame: u64, (routine, in_frame): (u64, u64), by: u64) {
    let (at, between) = (CALLER.0 + number * APART, BETWEEN.0 + number * APART);
    let far = between as i64 - at as i64;
    let branch = if saves { format!("BRASL 14,*{far:+}") } else { format!("BRCL 15,*{far:+}") };
    machine.text(frame + number * APART, &format!("{branch};AGR 2,3;BRCTG 1,*-10"));
    machine.text(BETWEEN.1 + number * APART, &format!("BRCL 15,*{:+}", routine as i64 - between as i64));
    let text = format!("AGHI 4,1;LGHI 3,{by};");
    let back =
        if saves { "BCR 15,14".to_string() } else { format!("BRCL 15,*{:+}", at as i64 + 6 - routine as i64 - 8) };
    machine.text(in_frame, &(text + &back));
}

/// The sum of what the routine of a caller has left in register 3.
fn sum(machine: &Machine, space: u64, caller: u64, purge: &str) -> u64 {
    machine.put64(DATA, space);
    machine.text(PROGRAM, &format!("LCTLG 1,1,0(7){purge};BCR 15,8"));
    {
        let gr = &mut machine.cpu(0).state.gr;
        (gr[1], gr[2], gr[3], gr[4], gr[7], gr[8]) = (ROUNDS, 0, 0, 0, DATA, caller);
    }
    assert_eq!(machine.go(WIDE | mask::DAT, PROGRAM), Ending::Done);
    assert_eq!(machine.gr(4), ROUNDS);
    machine.gr(2)
}

#[test]
fn a_branch_by_the_text_leads_to_the_page_that_is_there_now() {
    for saves in [true, false] {
        let machine = Machine::new();
        let (mut t, spaces) = spaces(&machine);
        // The same frames further up: the caller's is the same, the routine's is the other space's.
        let up = 1 << 24;
        t.map(spaces[0], CALLER.0 + up, CALLER.1);
        t.map(spaces[0], BETWEEN.0 + up, BETWEEN.1);
        t.map(spaces[0], OTHER.0 + up, OTHER.1);
        t.map(spaces[0], ROUTINE + up, FRAMES[1]);
        let routines =
            [(ROUTINE, FRAMES[0], 1), (ROUTINE + 0x800, FRAMES[0] + 0x800, 3), (OTHER.0 + 0x300, OTHER.1 + 0x300, 7)];
        for (number, (routine, frame, by)) in routines.into_iter().enumerate() {
            by_text(&machine, saves, number as u64, CALLER.1, (routine, frame), by);
        }
        by_text(&machine, saves, 0, CALLER.1, (ROUTINE, FRAMES[1]), 5);
        let expect = |space: usize, number: u64, up: u64, purge, by| {
            let found = sum(&machine, spaces[space], CALLER.0 + up + number * APART, purge);
            assert_eq!(found, by * ROUNDS, "{saves} {space} {number} {up:X} {purge} {by}");
        };
        for round in 0..3 {
            for (space, number, up, by) in
                [(0, 0, 0, 1), (0, 1, 0, 3), (0, 2, 0, 7), (1, 0, 0, 5), (0, 0, up, 5), (1, 2, 0, 7), (0, 2, up, 7)]
            {
                let purge = ["", ";PTLB", ""][round];
                expect(space, number, up, purge, by);
                expect(0, 0, 0, purge, 1);
            }
        }
        // Its text changes, and the frame that it is in; and back.
        by_text(&machine, saves, 0, CALLER.1, (ROUTINE, FRAMES[0]), 11);
        expect(0, 0, 0, "", 11);
        let page = t.page(spaces[0], ROUTINE);
        machine.put64(page, FRAMES[1]);
        expect(0, 0, 0, ";PTLB", 5);
        machine.put64(page, FRAMES[0]);
        expect(0, 0, 0, ";PTLB", 11);
    }
}

#[test]
fn a_page_that_a_branch_by_the_text_leads_to_moves_at_each_round() {
    let machine = Machine::new();
    let (mut t, spaces) = spaces(&machine);
    let page = t.page(spaces[0], ROUTINE);
    let table = page - ROUTINE / 4096 % 256 * 8;
    for (frame, by) in FRAMES.into_iter().zip([1, 100]) {
        machine.text(frame, &format!("AGHI 4,1;AGHI 2,{by};BCR 15,14"));
    }
    for purge in ["IPTE 10,11", "PTLB"] {
        let before = format!("XG 12,0(9);STURG 12,5;{purge};STURG 12,5;");
        let length = 18;
        let far = BETWEEN.0 - CALLER.0 - length;
        machine.text(CALLER.1, &format!("{before}BRASL 14,*+{far};BRCTG 1,*-{}", length + 6));
        machine.text(BETWEEN.1, &format!("BRCL 15,*{:+}", ROUTINE as i64 - BETWEEN.0 as i64));
        for _ in 0..2 {
            machine.put64(page, FRAMES[0]);
            machine.put64(DATA + 8, FRAMES[0] ^ FRAMES[1]);
            {
                let gr = &mut machine.cpu(0).state.gr;
                (gr[5], gr[9], gr[10], gr[11], gr[12]) = (page, DATA + 8, table, ROUTINE, FRAMES[0]);
            }
            assert_eq!(sum(&machine, spaces[0], CALLER.0, ""), ROUNDS / 2 * 101, "{purge}");
        }
    }
}
