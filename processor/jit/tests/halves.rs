//! A register's two halves, the right one set again and again and all of it wanted: translated, it is what it is
//! interpreted.

#![cfg(translator)]

use arch::Absolute;
use engine::Exit;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;

#[test]
fn a_right_half_meets_its_left_half_where_ways_come_together() {
    // AR 1,2; CHI 4,50 or CGHI 4,50; BRC 8,*+8; LGR 6,1; AGR 5,1; RISBGZ 7,1,31,62,1; BRCT 4,the first.
    for compare in [0x4e, 0x4f] {
        let text = [
            0x1a, 0x12, 0xa7, compare, 0x00, 0x32, 0xa7, 0x84, 0x00, 0x04, 0xb9, 0x04, 0x00, 0x61, 0xb9, 0x08, 0x00,
            0x51, 0xec, 0x71, 0x1f, 0xbe, 0x01, 0x55, 0xa7, 0x46, 0xff, 0xf4, 0x00, 0x00,
        ];
        let first = 0x1234_5678_ffff_ff00u64;
        let (mut all, mut sum, mut last) = (first, 0u64, 0);
        for count in (1..=100).rev() {
            all = all & !0xffff_ffff | (all as u32).wrapping_add(3) as u64;
            last = if count == 50 { last } else { all };
            sum = sum.wrapping_add(all);
        }
        for patience in [0, 1, 40] {
            let mut machine = Machine::executing(&text, TEXT, patience);
            let s = &mut machine.state;
            (s.gr[1], s.gr[2], s.gr[4], s.gr[5]) = (first, 3, 100, 0);
            assert_eq!(machine.resume(100_000), Exit::Wait);
            let gr = &machine.state.gr;
            assert_eq!([gr[1], gr[5], gr[6], gr[7]], [all, sum, last, (all & 0xffff_ffff) << 1], "{patience}");
        }
    }
}

#[test]
fn a_carry_that_nobody_looks_at_is_there_for_an_instruction_that_fails() {
    // ALGR 3,4; ALCGR 5,6; AGR 7,5; SLGR 8,4; SLBGR 9,6; BRC 2,*+8; LA 10,1(10); SLBR 11,6; ALR 11,4; ALCR 2,3.
    let sums = [
        0xb9, 0x0a, 0, 0x34, 0xb9, 0x88, 0, 0x56, 0xb9, 0x08, 0, 0x75, 0xb9, 0x0b, 0, 0x84, 0xb9, 0x89, 0, 0x96, 0xa7,
        0x24, 0, 4, 0x41, 0xa0, 0xa0, 1, 0xb9, 0x99, 0, 0xb6, 0x1e, 0xb4, 0xb9, 0x98, 0, 0x23,
    ];
    // LA 13,2048(13), and AG 7,0(13), which looks for its operand before it sets the code, or AGR 7,5.
    let step = [0x41, 0xd0, 0xd8, 0];
    for last in [&[0xe3, 0x70, 0xd0, 0, 0, 0x08][..], &[0xb9, 0x08, 0, 0x75]] {
        let first = [&step[..], &sums, last].concat();
        let back = -(first.len() as i16) / 2;
        let text = [&first[..], &[0xa7, 0xc6], &back.to_be_bytes(), &[0, 0]].concat();
        let [interpreted, eager, hot] = [0, 1, 40].map(|patience| {
            let mut machine = Machine::executing(&text, TEXT, patience);
            let gr = &mut machine.state.gr;
            (gr[3], gr[4], gr[6]) = (1, 0x9e37_79b9_7f4a_7c15, 0x5851_f42d_4c95_7f2d);
            (gr[12], gr[13]) = (300, (1 << 20) - 200 * 2048);
            assert_eq!(machine.resume(100_000), Exit::Wait);
            let mut old = [0; 16];
            machine.storage.read(Absolute(0x150), &mut old).expect("it is storage");
            (machine.state.gr, machine.state.cc, machine.state.instructions, old)
        });
        assert_eq!(interpreted, eager);
        assert_eq!(interpreted, hot);
    }
}

#[test]
fn carries_and_products_of_what_is_in_storage_are_those_that_are_interpreted() {
    // At 2044(13): ALCG 5, SLBG 5, ALC 5, SLB 5, MLG 2.
    for (register, code) in [(0x50, 0x88), (0x50, 0x89), (0x50, 0x98), (0x50, 0x99), (0x20, 0x86)] {
        // LA 13,2048(13); ALGR 3,4; the instruction, within a page and across two in turn, and in the end beyond
        // storage; ALCGR 7,6; the same with an index, SLBGR 8,6.
        let text = [
            &[0x41, 0xd0, 0xd8, 0, 0xb9, 0x0a, 0, 0x34, 0xe3, register, 0xd7, 0xfc, 0, code, 0xb9, 0x88, 0, 0x76][..],
            &[0xe3, register | 9, 0xd7, 0xf0, 0, code, 0xb9, 0x89, 0, 0x86],
            // BRCTG 12,the first.
            &[0xa7, 0xc7, 0xff, 0xf2, 0, 0],
        ]
        .concat();
        let [interpreted, eager, hot] = [0, 1, 40].map(|patience| {
            let mut machine = Machine::executing(&text, TEXT, patience);
            let numbers: Vec<u8> = (1..=100_000u64)
                .flat_map(|n| match n % 7 {
                    0 => u64::MAX.to_be_bytes(),
                    _ => n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes(),
                })
                .collect();
            machine.storage.write(Absolute((1 << 20) - numbers.len() as u64), &numbers).expect("it is storage");
            let gr = &mut machine.state.gr;
            (gr[3], gr[4], gr[6]) = (1, 0x9e37_79b9_7f4a_7c15, 0x5851_f42d_4c95_7f2d);
            (gr[9], gr[12], gr[13]) = (4, 400, (1 << 20) - 300 * 2048);
            assert_eq!(machine.resume(100_000), Exit::Wait);
            let mut old = [0; 16];
            machine.storage.read(Absolute(0x150), &mut old).expect("it is storage");
            (machine.state.gr, machine.state.cc, machine.state.instructions, old)
        });
        assert!(interpreted.2 > 290 * 7, "{code:x}: {}", interpreted.2);
        assert_eq!(interpreted, eager, "{code:x}");
        assert_eq!(interpreted, hot, "{code:x}");
    }
}

#[test]
fn what_a_condition_may_load_is_not_known_behind_it() {
    // CHI 4,50; LLGFR 1,2; LLILF 6,5; LOCGE 1,0(3); LOCGE 6,0(3); IILF 6,7; AGR 5,1; AGR 7,6; BRCT 4,the first.
    let text = [
        0xa7, 0x4e, 0x00, 0x32, 0xb9, 0x16, 0x00, 0x12, 0xc0, 0x6f, 0, 0, 0, 5, 0xeb, 0x18, 0x30, 0, 0, 0xe2, 0xeb,
        0x68, 0x30, 0, 0, 0xe2, 0xc0, 0x69, 0, 0, 0, 7, 0xb9, 0x08, 0x00, 0x51, 0xb9, 0x08, 0x00, 0x76, 0xa7, 0x46,
        0xff, 0xec, 0x00, 0x00,
    ];
    let (short, loaded, at) = (0x8000_0001u64, 0xff7f_ffff_1234_5678u64, 0x9000u64);
    for patience in [0, 1, 40] {
        let mut machine = Machine::executing(&text, TEXT, patience);
        machine.storage.write(Absolute(at), &loaded.to_be_bytes()).expect("it is storage");
        let s = &mut machine.state;
        (s.gr[2], s.gr[3], s.gr[4], s.gr[5], s.gr[7]) = (short, at, 100, 0, 0);
        assert_eq!(machine.resume(100_000), Exit::Wait);
        let once = [loaded, loaded & !0xffff_ffff | 7];
        let sums = [99 * short, 99 * 7].into_iter().zip(once).map(|(others, once)| once.wrapping_add(others));
        assert_eq!([machine.state.gr[5], machine.state.gr[7]].to_vec(), sums.collect::<Vec<_>>(), "{patience}");
    }
}
