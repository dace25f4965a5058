//! Loops that move or clear field after field, and constants that programs make of two halves: interpreted and
//! translated.

#![cfg(translator)]

use arch::{Absolute, PAGE};
use engine::Exit;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
const DATA: u64 = 0x2_0000;
const SIZE: u64 = 0x2_0000;
/// No instruction: the program's end.
const END: [u8; 2] = [0, 0];

/// A machine that has executed `text`: interpreted, and translated at the first execution.
fn both(text: &[u8], prepare: impl Fn(&mut Machine)) -> [Machine; 2] {
    [0, 1].map(|patience| {
        let mut machine = Machine::executing(&[text, &END].concat(), TEXT, patience);
        let data: Vec<u8> = (0..SIZE).map(|n| (n * 7 % 253) as u8 + 1).collect();
        machine.storage.write(Absolute(DATA), &data).expect("it lies in storage");
        prepare(&mut machine);
        assert_eq!(machine.resume(100_000), Exit::Wait);
        machine
    })
}

fn data(machine: &Machine) -> Vec<u8> {
    let mut bytes = vec![0; SIZE as usize];
    machine.storage.read(Absolute(DATA), &mut bytes).expect("it lies in storage");
    bytes
}

/// Both have come to the same registers, the same condition code, as many instructions and the same storage.
fn same(machines: [Machine; 2], what: &str) -> Vec<u8> {
    let [interpreted, translated] = &machines;
    assert_eq!(interpreted.state.gr, translated.state.gr, "{what}: registers");
    assert_eq!(interpreted.state.cc, translated.state.cc, "{what}: condition code");
    assert_eq!(interpreted.state.instructions, translated.state.instructions, "{what}: instructions");
    assert_eq!(interpreted.state.breaking_event, translated.state.breaking_event, "{what}: breaking event");
    let [interpreted, translated] = [interpreted, translated].map(data);
    let differ = interpreted.iter().zip(&translated).position(|(a, b)| a != b);
    assert_eq!(differ, None, "{what}: storage");
    translated
}

/// The step of a base: LA r,by(r).
fn step(r: u8, by: u16) -> [u8; 4] {
    [0x41, r << 4, r << 4 | (by >> 8) as u8, by as u8]
}

/// BRCT or BRCTG 5 to the start, so many bytes back.
fn back(long: bool, by: i16) -> [u8; 4] {
    let [high, low] = (-by / 2).to_be_bytes();
    [0xa7, if long { 0x57 } else { 0x56 }, high, low]
}

#[test]
fn fields_are_moved_one_after_the_other_however_they_overlap() {
    for (long, length, displacements) in [(true, 256, (0, 0)), (false, 256, (8, 3)), (true, 128, (0, 100))] {
        let move_field = [0xd2, (length - 1) as u8, 0x10, displacements.0, 0x30, displacements.1];
        let steps = [step(1, length), step(3, length)].concat();
        let text = [&move_field[..], &steps, &back(long, 14)].concat();
        let from = DATA + 0x4000;
        let away = [0x8000, 0x8000 + 17, 0x3fff_i64, -1, 0, 1, 40, 255, 256, 300, 4096, -300, -0x1003];
        for distance in away {
            for (start, rounds) in [(0, 70u64), (1, 40), (0xf80, 33), (0xfff, 3), (0x801, 17), (0, 1)] {
                let machines = both(&text, |machine| {
                    let gr = &mut machine.state.gr;
                    gr[3] = from + start;
                    gr[1] = gr[3].wrapping_add_signed(distance);
                    // What stands to the left of a short count does not matter.
                    gr[5] = rounds | if long { 0 } else { 0xffff_fff1 << 32 };
                    machine.state.cc = 2;
                });
                let what = format!("{rounds} times {length} bytes from {start:#x} to {distance} after");
                let mut expected: Vec<u8> = (0..SIZE).map(|n| (n * 7 % 253) as u8 + 1).collect();
                let source = 0x4000 + start as usize + displacements.1 as usize;
                let target = (0x4000 + start as i64 + distance) as usize + displacements.0 as usize;
                for n in 0..rounds as usize * length as usize {
                    expected[target + n] = expected[source + n];
                }
                assert!(same(machines, &what) == expected, "{what}");
            }
        }
    }
}

#[test]
fn fields_are_cleared_one_after_the_other() {
    // XC 4(256,1),4(1)
    let text = [&[0xd7, 0xff, 0x10, 4, 0x10, 4][..], &step(1, 256), &back(true, 10)].concat();
    for (start, rounds) in [(0, 70u64), (5, 40), (0xf80, 33), (0xffc, 20), (0, 1)] {
        let machines = both(&text, |machine| {
            (machine.state.gr[1], machine.state.gr[5], machine.state.cc) = (DATA + start, rounds, 3);
        });
        let what = format!("{rounds} fields from {start:#x}");
        let cleared = same(machines, &what);
        let range = start as usize + 4..start as usize + 4 + 256 * rounds as usize;
        assert!(cleared.iter().enumerate().all(|(n, &byte)| (byte == 0) == range.contains(&n)), "{what}");
    }
}

#[test]
fn a_loop_that_moves_over_itself_or_to_where_nothing_is_ends_as_it_should() {
    let text = [&[0xd2, 0xff, 0x10, 0, 0x30, 0][..], &step(1, 256), &step(3, 256), &back(true, 14)].concat();
    // Onto its own text, and over the end of storage.
    for to in [TEXT - 10 * 256, TEXT - PAGE - 256, (1 << 20) - 20 * 256 - 7] {
        let machines = both(&text, |machine| {
            (machine.state.gr[1], machine.state.gr[3], machine.state.gr[5]) = (to, DATA + 3, 60);
        });
        same(machines, &format!("to {to:#x}"));
    }
}

#[test]
fn constants_of_two_halves_are_what_was_last_put_into_them() {
    // The text stands twice: the way over the second LLIHF is taken or not.
    let text = |mask: u8| {
        [
            &[0xc0, 0x2e, 0x12, 0x34, 0x56, 0x78][..], // LLIHF 2,X'12345678'
            &[0xa7, mask << 4 | 4, 0x00, 0x05],        // BRC mask,*+10
            &[0xc0, 0x2e, 0xfe, 0xdc, 0xba, 0x98],     // LLIHF 2,X'FEDCBA98'
            &[0xc0, 0x2d, 0x9a, 0xbc, 0xde, 0xf0],     // OILF 2,X'9ABCDEF0'
            &[0xa7, 0x39, 0x80, 0x01],                 // LGHI 3,-32767
            &[0xb9, 0x04, 0x00, 0x43],                 // LGR 4,3
            &[0xc0, 0x39, 0x00, 0x00, 0x00, 0x05],     // IILF 3,5
            &[0xb9, 0x08, 0x00, 0x23],                 // AGR 2,3
            &[0xc0, 0x6f, 0xff, 0xff, 0xff, 0xff],     // LLILF 6,X'FFFFFFFF'
            &[0x1a, 0x63],                             // AR 6,3
            &[0xa7, 0x08, 0xff, 0xff],                 // LHI 0,-1
            &[0x1a, 0x06],                             // AR 0,6
            &[0xa7, 0x51, 0x00, 0x03],                 // TMLL 5,3
            &[0xeb, 0x76, 0x00, 0x21, 0x00, 0x0d],     // SLLG 7,6,33
            &[0xb9, 0x0c, 0x00, 0x72],                 // MSGR 7,2
            &[0xc0, 0x2d, 0x00, 0x00, 0x00, 0x01],     // OILF 2,1
            &[0xe3, 0x20, 0x80, 0x00, 0x00, 0x24],     // STG 2,0(8)
            &[0xe3, 0x30, 0x80, 0x08, 0x00, 0x24],     // STG 3,8(8)
            &[0x50, 0x60, 0x80, 0x10],                 // ST 6,16(8)
        ]
        .concat()
    };
    for mask in [0, 15, 8, 4] {
        let machines = both(&text(mask), |machine| {
            machine.state.gr[8] = DATA;
            machine.state.gr[5] = 3;
            machine.state.gr[0] = 0x1111_2222_3333_4444;
            machine.state.cc = 1;
        });
        let left: u64 = if matches!(mask, 15 | 4) { 0x1234_5678 } else { 0xfedc_ba98 };
        let gr = machines[1].state.gr;
        let third = 0xffff_ffff_0000_0005;
        assert_eq!(gr[2], (left << 32 | 0x9abc_def0).wrapping_add(third) | 1);
        assert_eq!((gr[3], gr[4] as i64, gr[6]), (third, -32767, 4));
        assert_eq!(gr[0], 0x1111_2222_0000_0003);
        let stored = same(machines, &format!("mask {mask}"));
        assert_eq!(stored[..8], gr[2].to_be_bytes());
        assert_eq!(stored[8..20], [third.to_be_bytes().as_slice(), &[0, 0, 0, 4]].concat());
    }
}
