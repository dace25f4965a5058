//! PAGE IN and PAGE OUT: pages travel to expanded storage and back.

mod lone_cpu;

use arch::{Absolute, Program};
use cpu::{Facilities, Interruption, State};

/// Executes an instruction with the address of a frame in register 1 and the number of a block in register 2.
fn execute(cpu: &mut State, mnemonic: &str, frame: u64, block: u64) -> Result<u8, Interruption> {
    let row = isa::instructions().find(|row| row.mnemonic == mnemonic).expect("the table has it");
    (cpu.gr[1], cpu.gr[2]) = (frame, block);
    let fields = isa::Fields { r1: 1, r2: 2, len: 4, ..isa::Fields::default() };
    isa::perform(row.run.expect("it is built"), cpu, &fields).map(|()| cpu.cc)
}

#[test]
fn pages_go_out_and_come_back() {
    const LAST: u64 = 255;
    let mut cpu = lone_cpu::cpu(Facilities::default());
    let storage = cpu.storage().clone();
    let page = |n: u8| vec![n; 4096];
    let read = |at: u64| {
        let mut found = vec![0; 4096];
        storage.read(Absolute(at), &mut found).expect("it is within storage");
        found
    };
    for (n, block) in [(1, 0), (2, 7), (3, LAST)] {
        storage.write(Absolute(0x8000), &page(n)).expect("it is within storage");
        assert_eq!(execute(&mut cpu, "PGOUT", 0x8123, block), Ok(0));
    }
    for (n, block) in [(3, LAST), (1, 0), (2, 7 | 5 << 32)] {
        assert_eq!(execute(&mut cpu, "PGIN", 0x9fff, block), Ok(0));
        assert_eq!(read(0x9000), page(n), "block {block:x}");
        assert_eq!(storage.key(Absolute(0x9000)).expect("it is within storage") & 6, 6, "fetched and changed");
    }
    for mnemonic in ["PGIN", "PGOUT"] {
        assert_eq!(execute(&mut cpu, mnemonic, 0x9000, LAST + 1), Ok(3));
        assert_eq!(execute(&mut cpu, mnemonic, 1 << 20, 0), Err(Program::Addressing.into()));
    }
    assert_eq!(read(0x9000), page(2), "nothing came");
}
