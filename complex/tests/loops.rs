//! Loops in loops: what translated code has in host registers when it goes round.

mod machine;

use machine::*;
use std::sync::mpsc::channel;
use std::thread::spawn;
use std::time::Duration;

/// How many numbers a table has, which is gone through so often.
const NUMBERS: u64 = 20;
const ROUNDS: u64 = 100;
/// It lies across the end of a page, and so do the results.
const TABLE: u64 = 0x2_0fb0;
const RESULTS: u64 = 0x3_0f98;

#[test]
fn a_loop_in_a_loop_goes_over_the_ends_of_pages() {
    let machine = Machine::new();
    for n in 0..NUMBERS {
        machine.put64(TABLE + 8 * n, 3 * n + 1);
    }
    machine.set(|s| (s.gr[2], s.gr[4], s.gr[5], s.gr[6]) = (0, TABLE, RESULTS, ROUNDS));
    // The inner loop begins after two instructions, and is left and begun again so often.
    let inner = format!("LGR 3,4;LGHI 1,{NUMBERS};AG 2,0(0,3);STG 2,0(0,5);AGHI 3,8;AGHI 5,8;BRCTG 1,*-20");
    assert_eq!(machine.execute(&format!("{inner};AGHI 7,1;BRCTG 6,*-36")), Ending::Done);
    let once: u64 = (0..NUMBERS).map(|n| 3 * n + 1).sum();
    assert_eq!((machine.gr(2), machine.gr(7)), (ROUNDS * once, ROUNDS));
    let mut sum = 0;
    for k in 0..ROUNDS * NUMBERS {
        sum += 3 * (k % NUMBERS) + 1;
        assert_eq!(machine.get64(RESULTS + 8 * k), sum, "{k}");
    }
    assert_eq!((machine.gr(3), machine.gr(5)), (TABLE + 8 * NUMBERS, RESULTS + 8 * ROUNDS * NUMBERS));
}

#[test]
fn a_loop_that_is_entered_from_outside_and_from_behind_finds_its_table_each_time() {
    let machine = Machine::new();
    let number = |n: u64| 5 * n + 2;
    for n in 0..512 {
        machine.put64(TABLE + 8 * n, number(n));
    }
    machine.set(|s| (s.gr[2], s.gr[3], s.gr[6], s.gr[7]) = (0, TABLE, 5, 60));
    // The innermost loop is gone round by two branches, and the table's register has stepped otherwise at each.
    let inner = "AG 2,0(0,3);AGHI 3,8;BRCTG 1,*-10;LGHI 1,3;AGHI 3,-16;BRCTG 6,*-22";
    assert_eq!(machine.execute(&format!("LGHI 1,3;AGHI 3,8;{inner};LGHI 6,5;BRCTG 7,*-38")), Ending::Done);
    let (mut at, mut sum) = (0, 0);
    for _ in 0..60 {
        at += 1;
        for _ in 0..5 {
            sum += number(at) + number(at + 1) + number(at + 2);
            at += 1;
        }
    }
    assert_eq!((machine.gr(2), machine.gr(3)), (sum, TABLE + 8 * at));
}

#[test]
fn floating_point_numbers_stay_what_they_are_when_there_are_more_than_host_registers() {
    let machine = Machine::new();
    machine.set(|s| {
        s.cr[0] |= cpu::cr0::AFP;
        (s.gr[1], s.gr[2], s.gr[3]) = (60, 50, TABLE);
        s.fpr.0 = std::array::from_fn(|r| [((r + 1) as f64).to_bits(), 0]);
    });
    // Each round makes nearly all of them anew, with some stored, copied and compared in between.
    let adds: String = (0..15).map(|r| format!("ADBR {},{r};", r + 1)).collect();
    let rest = "STD 15,0(0,3);LDR 15,13;SDB 15,0(0,3);CDBR 15,0;ADBR 15,14";
    assert_eq!(machine.execute(&format!("LGHI 2,50;{adds}{rest};BRCTG 2,*-80;BRCTG 1,*-88")), Ending::Done);
    let mut f: [f64; 16] = std::array::from_fn(|r| (r + 1) as f64);
    for _ in 0..60 * 50 {
        for r in 0..15 {
            f[r + 1] += f[r];
        }
        f[15] = f[13] - f[15] + f[14];
    }
    let found = machine.cpu(0).state.fpr.floating();
    assert_eq!(found, f.map(f64::to_bits));
}

#[test]
fn a_copied_number_stays_when_the_other_changes_and_so_does_a_condition_code() {
    let machine = Machine::new();
    let start = [-50.0, 1.0, 0.75, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    machine.set(|s| {
        s.cr[0] |= cpu::cr0::AFP;
        (s.gr[2], s.gr[5], s.gr[7]) = (200, 0, 0);
        for (r, number) in start.iter().enumerate() {
            s.fpr[r] = f64::to_bits(*number);
        }
    });
    // The condition code is that of a number; its register has another one by the time that the code is asked for.
    let code = "ADBR 0,1;LDR 4,0;SDBR 4,9;LDR 4,2;IPM 5;AGR 7,5";
    let copies = "LDR 6,4;MDBR 6,3;LDR 8,6;LCDBR 8,8;ADBR 2,8;LDR 2,4;ADBR 8,0";
    assert_eq!(machine.execute(&format!("{code};{copies};BRCTG 2,*-42")), Ending::Done);
    // 49 negative numbers, a zero, and 150 positive ones, as IPM has them.
    assert_eq!(machine.gr(7), (49 + 2 * 150) << 28);
    let found = machine.cpu(0).state.fpr.floating().map(f64::from_bits);
    assert_eq!([0, 2, 4, 6, 8].map(|r| found[r]), [150.0, 0.75, 0.75, 2.25, 147.75]);
}

#[test]
fn a_condition_code_of_a_nan_is_three_and_of_a_short_number_its_own() {
    let short = |number: f32| u64::from(number.to_bits()) << 32;
    let machine = Machine::new();
    machine.set(|s| {
        s.cr[0] |= cpu::cr0::AFP;
        (s.gr[2], s.gr[5], s.gr[6], s.gr[7], s.gr[8]) = (100, 0, 0, 0, 0);
        (s.fpr[1], s.fpr[3]) = (0x7ff8_0000_0000_1234, short(-1.5));
    });
    let text = "LCDBR 2,1;IPM 5;AGR 7,5;LCEBR 3,3;LER 4,3;IPM 6;LCEBR 4,4;AGR 8,6;BRCTG 2,*-30";
    assert_eq!(machine.execute(text), Ending::Done);
    assert_eq!(machine.gr(7), (100 * 3) << 28);
    // Plus and minus by turns.
    assert_eq!(machine.gr(8), (50 * 2 + 50) << 28);
    let found = machine.cpu(0).state.fpr.floating();
    assert_eq!((found[2], found[3], found[4]), (0xfff8_0000_0000_1234, short(-1.5), short(1.5)));
}

#[test]
fn a_loop_that_begins_in_another_page_is_not_gone_round_without_end_when_that_has_changed() {
    // The loop's first instruction is the last of its page. One that is always called comes after it, so that nothing
    // is known of that page where it goes round. Two branches to the loop's beginning follow, so that what was taken
    // last is the state's. The program begins with what enters the loop, and so does the block.
    const LOOP: u64 = 0x8ffc;
    const START: u64 = LOOP + 20;
    let first = "AGHI 2,1";
    let text = format!("{first};STCKE 0(4);LA 3,2(0,3);BRC 1,*-12;BRCTG 1,*-16;LGHI 1,5;BRCTG 6,*-24");
    let (done, ends) = channel();
    spawn(move || {
        let machine = Machine::new();
        machine.text(LOOP, &text);
        let mut rounds = 0;
        for turns in [300, 7, 200] {
            machine.set(|s| (s.gr[4], s.gr[6]) = (0x3_0000, turns + 1));
            assert_eq!(machine.go(WIDE, START), Ending::Done);
            rounds += 5 * turns;
            assert_eq!((machine.gr(2), machine.gr(3)), (rounds, 2 * rounds));
            // It is stored once more, as it was: the page is another version of itself.
            machine.put(LOOP, &assemble(first));
        }
        done.send(()).expect("somebody waits");
    });
    ends.recv_timeout(Duration::from_secs(30)).expect("it ends");
}
