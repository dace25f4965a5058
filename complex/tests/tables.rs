//! Accesses with an index register, in loops where the size of the index is mostly known.

mod machine;

use arch::mask;
use machine::*;

#[test]
fn an_index_is_small_only_where_a_program_has_made_it_so() {
    let machine = Machine::new();
    let mut t = Tables::new(&machine);
    let asce = t.space(SEGMENT);
    t.map_low(asce);
    // The frames do not lie as the pages do.
    t.map(asce, 0x10_0000, 0x9000);
    t.map(asce, 0x10_4000, 0xb000);
    machine.put(0x9000 + 12, &7u32.to_be_bytes());
    machine.put(0xb000, &1000u32.to_be_bytes());
    machine.put(DATA, &[3]);
    // The index comes from a byte, but every 64th time, when that is jumped over, from register 9.
    machine.text(PROGRAM, "LGR 3,9;TMLL 1,63;BRC 7,*+32;SLLG 5,3,2;L 6,0(5,12);AGR 2,6;BRCTG 1,*-26");
    machine.text(PROGRAM + 40, "LLGC 3,0(0,4);BRC 15,*-34");
    machine.set(|s| {
        s.cr[1] = asce;
        (s.gr[1], s.gr[2], s.gr[4], s.gr[6]) = (640, 0, DATA, 0);
        (s.gr[9], s.gr[12]) = (0x1000, 0x10_0000);
    });
    assert_eq!(machine.go(WIDE | mask::DAT, PROGRAM), Ending::Done);
    assert_eq!(machine.gr(2), 10 * 1000 + 630 * 7);
}
