//! Loops that go either way: both ways are in the loop's code, and do what they do when they are interpreted.

#![cfg(translator)]

use arch::{Absolute, mask};
use cpu::{attention, cr0};
use engine::Exit;
use support::Random;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
const DATA: u64 = 0x2_0000;
const SIZE: u64 = 0x1_0000;
const STORAGE: u64 = 1 << 20;
/// Executions before a block is translated: none is known; the ways that blocks go are; as ever.
const PATIENCE: [u8; 3] = [1, 9, 40];

/// A machine that is to execute `text`, with random bytes at [`DATA`].
fn machine(text: &[u8], patience: u8, prepare: &impl Fn(&mut Machine)) -> Machine {
    // What follows is no instruction: the program's end.
    let mut machine = Machine::executing(&[text, &[0, 0]].concat(), TEXT, patience);
    let data = Random::seeded(1).bytes(SIZE as usize);
    machine.storage.write(Absolute(DATA), &data).expect("it lies in storage");
    prepare(&mut machine);
    machine
}

fn all(machine: &Machine) -> Vec<u8> {
    let mut bytes = vec![0; (STORAGE - TEXT) as usize];
    machine.storage.read(Absolute(TEXT), &mut bytes).expect("it is storage");
    bytes
}

/// Executes `text` to its end on either engine, `budget` instructions at a time, and holds them against each other; if
/// that is `often` enough to be translated, there are arms. The answer is the machine that was interpreted.
fn same(text: &[u8], budget: i64, often: bool, prepare: impl Fn(&mut Machine)) -> Machine {
    let run = |patience| {
        let mut machine = machine(text, patience, &prepare);
        let arms = engine::statistics().arms;
        let exit = (0..1_000_000).map(|_| machine.resume(budget)).find(|exit| *exit != Exit::Budget);
        assert_eq!(exit, Some(Exit::Wait), "patience {patience}");
        (machine, engine::statistics().arms - arms)
    };
    let (interpreted, _) = run(0);
    for patience in PATIENCE {
        let (translated, arms) = run(patience);
        assert!(patience < 40 || arms > 0 || !often, "there are arms, {patience}");
        let states = [&interpreted.state, &translated.state];
        let [here, there] = states.map(|s| (s.gr, s.fpr, s.cc, s.breaking_event, s.instructions, s.ia));
        assert_eq!(here, there, "patience {patience}, {budget} at a time");
        let differ = all(&interpreted).iter().zip(all(&translated)).position(|(here, there)| *here != there);
        assert_eq!(differ, None, "patience {patience}: storage");
    }
    interpreted
}

/// A BRC to so many bytes from its start.
fn brc(mask: u8, to: i16) -> [u8; 4] {
    let [high, low] = (to / 2).to_be_bytes();
    [0xa7, mask << 4 | 4, high, low]
}

/// A program with a loop that looks at a bit of each byte. Where it is on, `one` is executed, else `other`, which
/// stands after the loop. Then comes `both`, and where another bit is on `over`, before `last`.
fn either(one: &[u8], other: &[u8], both: &[u8], over: &[u8], last: &[u8]) -> Vec<u8> {
    let first = [
        0xe3, 0x10, 0x90, 0x00, 0x00, 0x90, // LLGC 1,0(9)
        0x41, 0x90, 0x90, 0x01, // LA 9,1(9)
        0xa7, 0x11, 0x00, 0x20, // TMLL 1,32
    ];
    let test = [0xa7, 0x11, 0x00, 0x42]; // TMLL 1,66
    let parts = [one, both, &test, &[0; 4], over, last].map(<[u8]>::len);
    let after = 4 + parts.iter().sum::<usize>() + 4 + 4;
    let start = first.len() + after - 8;
    let to_both = after + other.len() - 4 - one.len();
    [
        &first,
        &brc(8, after as i16)[..],
        one,
        both,
        &test,
        &brc(8, 4 + over.len() as i16),
        over,
        last,
        &[0xa7, 0x57, ((-(start as i16) / 2) >> 8) as u8, (-(start as i16) / 2) as u8], // BRCTG 5,the first
        &brc(15, 4 + 4 + other.len() as i16),
        other,
        &brc(15, -(to_both as i16)),
    ]
    .concat()
}

/// AR 3,1; AHI 4,1; ST 3,0(6).
const SUM: [u8; 10] = [0x1a, 0x31, 0xa7, 0x4a, 0, 1, 0x50, 0x30, 0x60, 0x00];
/// SLGR 3,4; SRAG 7,3,3; ALR 8,7; STH 8,6(6); LG 10,8(6).
const DIFFERENCE: [u8; 22] =
    [0xb9, 0x0b, 0, 0x34, 0xeb, 0x73, 0, 3, 0, 0x0a, 0x1e, 0x87, 0x40, 0x80, 0x60, 6, 0xe3, 0xa0, 0x60, 8, 0, 4];
/// XR 7,3; AGR 11,10.
const BOTH: [u8; 6] = [0x17, 0x73, 0xb9, 8, 0, 0xba];
/// ALCR 8,3; LHI 7,5; STG 11,8(6).
const OVER: [u8; 14] = [0xb9, 0x98, 0, 0x83, 0xa7, 0x78, 0, 5, 0xe3, 0xb0, 0x60, 8, 0, 0x24];
/// MSGR 4,7; SLR 8,4.
const LAST: [u8; 6] = [0xb9, 0x0c, 0, 0x47, 0x1f, 0x84];

fn prepare(machine: &mut Machine) {
    let gr = &mut machine.state.gr;
    (gr[9], gr[6], gr[5]) = (DATA, DATA + 0x8000, 3000);
    (gr[3], gr[4], gr[8], gr[10]) = (0x1234_5678_ffff_fff0, 77, 0xfedc_ba98_7654_3210, 12345);
}

#[test]
fn both_ways_come_to_the_same_registers_and_condition_codes() {
    let parts: [&[u8]; 5] = [&SUM, &DIFFERENCE, &BOTH, &OVER, &LAST];
    for n in 0..120 {
        // Every order of them is a program.
        let mut left = parts.to_vec();
        let mut n = n;
        let mut take = |count: usize| {
            let part = left.remove(n % count);
            n /= count;
            part
        };
        let [a, b, c, d, e] = [take(5), take(4), take(3), take(2), take(1)];
        for budget in [1_000_000, 57] {
            same(&either(a, b, c, d, e), budget, true, prepare);
        }
    }
}

#[test]
fn an_instruction_of_an_arm_that_fails_is_left_as_it_should_be() {
    // Where the other way's storage ends: the operands come nearer to it.
    let store = [&[0x41, 0xa0, 0xa0, 0xff][..], &[0xe3, 0xb0, 0xa0, 0, 0, 0x24], &[0x1a, 0x84]].concat(); // LA 10,255(10); STG 11,0(10)
    let fetch = [&[0x41, 0xa0, 0xa0, 0xff][..], &[0xe3, 0xb0, 0xa0, 0, 0, 0x04], &[0x1a, 0x84]].concat(); // LG 11,0(10)
    for way in [&store, &fetch] {
        for text in [either(&SUM, way, &BOTH, &OVER, &LAST), either(&SUM, &LAST, &BOTH, way, &LAST)] {
            let machine = same(&text, 1_000_000, true, |machine| {
                prepare(machine);
                machine.state.gr[10] = STORAGE - 500 * 255;
            });
            // Addressing, somewhere in its midst.
            let mut code = [0; 2];
            machine.storage.read(Absolute(0x8e), &mut code).expect("it is storage");
            assert_eq!(code, [0, 5]);
            assert!(machine.state.gr[5] > 100);
        }
    }
}

#[test]
fn an_arm_that_stores_into_the_loops_text_changes_it() {
    // The immediate operand of an AHI in the arm, and of one in the loop.
    let ahi = [0xa7, 0x3a, 0, 1];
    let store = [0x40, 0x40, 0xc0, 0x02]; // STH 4,2(12)
    let arm = [&store[..], &ahi].concat();
    let text = either(&[&ahi[..], &SUM].concat(), &arm, &BOTH, &OVER, &LAST);
    let at =
        |from: usize| TEXT + (from + text[from..].windows(4).position(|four| four == ahi).expect("it is there")) as u64;
    let in_loop = at(0);
    let in_arm = at((in_loop - TEXT) as usize + 4);
    for place in [in_loop, in_arm] {
        same(&text, 1_000_000, false, |machine| {
            prepare(machine);
            (machine.state.gr[12], machine.state.gr[5]) = (place, 400);
        });
    }
}

/// A loop that always comes back by its arm, for ever: LA 3,1(3); LTGR 4,4; BRC 8 to the arm; LA 3,2(3); BRC 15 to the
/// second; and LA 7,1(7); LA 8,1(8); BRC 15 to the second.
fn endless() -> Vec<u8> {
    let la = |r: u8, by: u8| [0x41, r << 4, r << 4, by];
    [&la(3, 1)[..], &[0xb9, 2, 0, 0x44], &brc(8, 12), &la(3, 2), &brc(15, -12), &la(7, 1), &la(8, 1), &brc(15, -20)]
        .concat()
}

#[test]
fn an_arm_looks_at_the_budget_and_for_interruptions() {
    for patience in PATIENCE {
        // First the one way, so that the other is an arm.
        let mut machine = machine(&endless(), patience, &|machine| machine.state.gr[4] = 1);
        assert_eq!(machine.resume(10_000), Exit::Budget);
        machine.state.gr[4] = 0;
        let before = machine.state.instructions;
        assert_eq!(machine.resume(100_000), Exit::Budget);
        let executed = machine.state.instructions - before;
        assert!((100_000 - 64..100_000 + 64).contains(&executed), "{executed} instructions");
        let shared = machine.state.shared().clone();
        let signal = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(20));
            shared.signals[0].emergency_signal(0);
        });
        machine.state.cr[0] |= cr0::EMERGENCY_SIGNAL;
        machine.state.set_psw_mask(machine.default_mask() | mask::EXTERNAL);
        machine.state.control_changed();
        // External new PSW: wait.
        machine.storage.write(Absolute(0x1b0), &mask::WAIT.to_be_bytes()).expect("it is storage");
        assert_eq!(machine.resume(i64::MAX / 2), Exit::Wait);
        assert!(machine.state.attention() & attention::EMERGENCY_SIGNAL == 0);
        signal.join().expect("it only raised a signal");
        let mut code = [0; 2];
        machine.storage.read(Absolute(0x86), &mut code).expect("it is storage");
        assert_eq!(code, [0x12, 0x01]);
    }
}

/// A loop with rounds that differ in where floating-point registers are goes on in arm after arm. It is BRC 4 over a
/// BCR, LZDR 5, MSDB 4,3,56(0,9) and BRCT 7.
#[test]
fn arms_that_go_round_and_round_count_what_they_execute() {
    let round =
        [&brc(4, 6)[..], &[7, 0, 0xb3, 0x75, 0, 0x50, 0xed, 0x30, 0x90, 0x38, 0x40, 0x1f, 0xa7, 0x76, 0xff, 0xf8]]
            .concat();
    for nops in 0..24 {
        let text = [&[7, 0].repeat(nops)[..], &round].concat();
        same(&text, 5000, false, |machine| {
            machine.state.cr[0] |= cr0::AFP;
            machine.state.control_changed();
            let s = &mut machine.state;
            (s.gr[7], s.gr[9], s.cc) = (20_000, DATA, 3);
            (s.fpr[1], s.fpr[3], s.fpr[4]) = (0x3ff4 << 48, 0x3ff8 << 48, 0x4001 << 48);
        });
    }
}
