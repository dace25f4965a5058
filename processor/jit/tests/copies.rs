//! Copies that are changed at once, registers changed in place, and fields of registers: translated, they are what they
//! are interpreted.

#![cfg(translator)]

use cpu::Architecture;
use engine::Exit;
use isa::decode_op;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;

#[test]
fn a_copy_that_is_changed_at_once_is_what_was_copied_until_then() {
    // LGHI 1,7; LGR 1,2; AGR 1,3; LR 5,1; SRL 5,4; LHI 6,100; SR 6,5; LGR 7,6; NR 7,2; LHI 8,-1; XGR 8,7; LR 9,9; SLL
    // 9,1(9); LR 10,2; SRL 10,0(10); LGR 3,1; NGR 3,4; BRCT 12,the first.
    let text = [
        0xa7, 0x19, 0, 7, 0xb9, 0x04, 0, 0x12, 0xb9, 0x08, 0, 0x13, 0x18, 0x51, 0x88, 0x50, 0, 4, 0xa7, 0x68, 0, 100,
        0x1b, 0x65, 0xb9, 0x04, 0, 0x76, 0x14, 0x72, 0xa7, 0x88, 0xff, 0xff, 0xb9, 0x82, 0, 0x87, 0x18, 0x99, 0x89,
        0x90, 0x90, 1, 0x18, 0xa2, 0x88, 0xa0, 0xa0, 0, 0xb9, 0x04, 0, 0x31, 0xb9, 0x80, 0, 0x34, 0xa7, 0xc6, 0xff,
        0xe3, 0, 0,
    ];
    let outcome = |patience| {
        let mut machine = Machine::executing(&text, TEXT, patience);
        let gr = &mut machine.state.gr;
        (gr[2], gr[3], gr[4]) = (0x9e37_79b9_7f4a_7c15, 0x5851_f42d_4c95_7f2d, 0xffff_ffff_ffff_fff0);
        (gr[5], gr[8], gr[9], gr[12]) = (0x1_0000_0000, 0xdead_beef_0000_0000, 0x3_8000_0001, 100);
        assert_eq!(machine.resume(100_000), Exit::Wait);
        (machine.state.gr, machine.state.cc, machine.state.instructions)
    };
    let interpreted = outcome(0);
    let (first, second) = (interpreted.0[1] as u32, interpreted.0[2] as u32);
    assert_eq!([interpreted.0[5] as u32, interpreted.0[6] as u32], [first >> 4, 100u32.wrapping_sub(first >> 4)]);
    assert_eq!(interpreted.0[10] as u32, second.checked_shr(second & 63).unwrap_or(0));
    assert_eq!(outcome(1), interpreted);
    assert_eq!(outcome(40), interpreted);
}

#[test]
fn fields_of_a_register_come_to_where_the_instruction_says() {
    let mut machine = Machine::new(Architecture::Z, 1 << 20);
    let s = &mut machine.state;
    let (old, from) = (0x0123_4567_89ab_cdefu64, 0x9e37_79b9_7f4a_7c15u64);
    for first in 0..64u8 {
        for last in 0..64u8 {
            let selected =
                |bit: u8| if first <= last { (first..=last).contains(&bit) } else { bit >= first || bit <= last };
            let mask = (0..64).filter(|&bit| selected(bit)).fold(0u64, |mask, bit| mask | 1 << (63 - bit));
            for amount in 0..64u8 {
                for zero in [0, 0x80] {
                    // RISBGN 1,2.
                    let op = decode_op(s, [0xec, 0x12, first, last | zero, amount, 0x59], 0).op;
                    (s.gr[1], s.gr[2]) = (old, from);
                    (op.run)(s, &op.fields, &[]);
                    let kept = if zero == 0 { old & !mask } else { 0 };
                    assert_eq!(
                        s.gr[1],
                        kept | from.rotate_left(amount.into()) & mask,
                        "{first} {last} {amount} {zero}"
                    );
                }
            }
        }
    }
}
