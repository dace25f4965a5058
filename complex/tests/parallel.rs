//! Several CPUs on several threads: interlocked updates lose nothing, and purges reach all of them (POP, chapter 5).

mod machine;

use arch::mask;
use complex::Exit;
use cpu::Architecture;
use machine::*;
use std::sync::mpsc;
use std::time::Duration;

/// Runs all CPUs from `text` at 5000 on threads of their own until they end; fails if they do not within a minute.
fn run(machine: Machine, mask: u64) -> Machine {
    run_from(machine, mask, 0x5000)
}

/// The same from another address.
fn run_from(machine: Machine, mask: u64, from: u64) -> Machine {
    let (done, all_done) = mpsc::channel();
    let machine = std::sync::Arc::new(machine);
    for n in machine.configuration.cpus() {
        machine.begin(n, mask, from);
        let (machine, done) = (machine.clone(), done.clone());
        std::thread::spawn(move || {
            let ending = loop {
                match machine.configuration.run(n, 10_000) {
                    Exit::SliceEnd | Exit::Left => {}
                    exit => break exit,
                }
            };
            drop(machine);
            done.send((n, ending)).expect("the test waits");
        });
    }
    for _ in machine.configuration.cpus() {
        let (n, exit) = all_done.recv_timeout(Duration::from_secs(60)).expect("no CPU waits for ever");
        assert!(matches!(exit, Exit::DisabledWait(_)), "CPU {n}: {exit:?}");
        // The end of a program, not another exception: CPUs have prefix areas of their own.
    }
    loop {
        // The threads let go of it right after they have reported.
        if std::sync::Arc::strong_count(&machine) == 1 {
            return std::sync::Arc::into_inner(machine).expect("nobody else has it");
        }
        std::thread::yield_now();
    }
}

/// `cpus` CPUs with prefix areas from 100000 on, and the counter's address in register 6.
fn machine(cpus: u16) -> Machine {
    let machine = Machine::with(Architecture::Z, cpus);
    for n in 0..cpus {
        let area = 0x10_0000 + 0x2000 * n as u64;
        machine.put(area, &machine.get(0, 0x2000));
        let mut core = machine.cpu(n);
        core.state.set_prefix(area).expect("it is in storage");
        (core.state.gr[6], core.state.gr[8]) = (DATA, 20_000);
    }
    machine
}

/// What each CPU's program interruption was.
fn codes(machine: &Machine) -> Vec<u32> {
    machine.configuration.cpus().map(|n| machine.get32(0x10_0000 + 0x2000 * n as u64 + 0x8c)).collect()
}

const CPUS: u16 = 3;
const TOTAL: u64 = CPUS as u64 * 20_000;

#[test]
fn counters_are_exact() {
    for (what, text) in [
        ("CS", "L 2,0(0,6);LR 3,2;AHI 3,1;CS 2,3,0(6);BRC 4,*-10;BRCTG 8,*-18"),
        ("CSG", "LG 2,0(0,6);LGR 3,2;AGHI 3,1;CSG 2,3,0(6);BRC 4,*-14;BRCTG 8,*-24"),
        ("LAA", "LHI 3,1;LAA 2,3,0(6);BRCTG 8,*-10"),
        ("LAAG", "LGHI 3,1;LAAG 2,3,0(6);BRCTG 8,*-10"),
        ("ASI", "ASI 0(6),1;BRCTG 8,*-6"),
        ("AGSI", "AGSI 0(6),1;BRCTG 8,*-6"),
        ("CDSG", "LPQ 2,0(0,6);LGR 10,2;LGR 11,3;AGHI 10,1;AGHI 11,2;CDSG 2,10,0(6);BRC 4,*-22;BRCTG 8,*-32"),
    ] {
        let machine = machine(CPUS);
        machine.text(0x5000, text);
        let machine = run(machine, WIDE);
        assert_eq!(codes(&machine), [0x0002_0001; CPUS as usize], "{what}");
        let narrow = matches!(what, "CS" | "LAA" | "ASI");
        let found = if narrow { machine.get32(DATA) as u64 } else { machine.get64(DATA) };
        assert_eq!(found, TOTAL, "{what}");
        if what == "CDSG" {
            assert_eq!(machine.get64(DATA + 8), 2 * TOTAL);
        }
    }
}

/// Interlocked-access facility 2: each CPU keeps a bit of one byte its own, and counts where it does not find it as it
/// left it.
#[test]
fn bits_of_one_byte_belong_to_different_cpus() {
    for (on, off) in
        [("OI 0(6),", "NI 0(6),"), ("XI 0(6),", "XI 0(6),"), ("OIY 0(6),", "NIY 0(6),"), ("XIY 0(6),", "XI 0(6),")]
    {
        let machine = machine(CPUS);
        for n in 0..CPUS {
            let bit = 1u8 << (2 * n);
            let off = format!("{off}{}", if off.starts_with('N') { !bit } else { bit });
            // How often it was not on, and how often it was not off.
            let text = format!(
                "{on}{bit};TM 0(6),{bit};BRC 1,*+8;AHI 4,1;{off};TM 0(6),{bit};BRC 8,*+8;AHI 5,1;BRCTG 8,*-{}",
                2 * (assemble(&format!("{on}{bit}")).len() + 12)
            );
            let at = 0x5000 + 0x100 * u64::from(n);
            machine.text(at, &text);
            let mut core = machine.cpu(n);
            (core.state.gr[4], core.state.gr[5], core.state.gr[9]) = (0, 0, at);
        }
        // Each CPU has a program of its own.
        machine.text(0x4000, "BCR 15,9");
        let machine = run_from(machine, WIDE, 0x4000);
        assert_eq!(codes(&machine), [0x0002_0001; CPUS as usize], "{on}");
        for n in 0..CPUS {
            assert_eq!([4, 5].map(|r| machine.cpu(n).state.gr[r]), [0, 0], "CPU {n}, {on} and {off}");
        }
    }
}

#[test]
fn a_lock_protects_what_is_not_interlocked() {
    let machine = machine(CPUS);
    // Test and set, count without interlock, let go.
    machine.text(0x5000, "TS 0(6);BRC 4,*-4;LG 2,8(0,6);AGHI 2,1;STG 2,8(0,6);MVI 0(6),0;BRCTG 8,*-28");
    let machine = run(machine, WIDE);
    assert_eq!(codes(&machine), [0x0002_0001; CPUS as usize]);
    assert_eq!(machine.get64(DATA + 8), TOTAL);
}

#[test]
fn cpus_that_purge_each_other_do_not_wait_for_ever() {
    for purge in ["IPTE 2,3", "IDTE 2,4,5", "SSKE 9,7;XILF 9,16", "RRBE 0,7;LG 10,0(0,7)", "SIGP 12,10,3(0);IPTE 2,3"] {
        let machine = machine(CPUS);
        for n in 0..CPUS {
            let mut core = machine.cpu(n);
            let s = &mut core.state;
            s.gr[8] = 500;
            // A page table of its own for each; designation-type 0 and bit 52 for IDTE.
            (s.gr[2], s.gr[3], s.gr[4], s.gr[5]) = (0x20_0000 + 0x1000 * n as u64, 0x4000, 0x30_0000, 0x800);
            (s.gr[7], s.gr[10]) = (0x9000 + 0x1000 * n as u64, (n as u64 + 1) % CPUS as u64);
        }
        let length = assemble(purge).len();
        machine.text(0x5000, &format!("{purge};BRCTG 8,*-{length}"));
        let machine = run(machine, WIDE);
        assert_eq!(codes(&machine), [0x0002_0001; CPUS as usize], "{purge}");
    }
}

#[test]
fn no_cpu_uses_a_page_that_another_has_taken_away() {
    // CPU 1 reads a page again and again, and says so; then CPU 0 takes it away by IPTE, and from then on writes to its
    // frame: what CPU 1 fetched last must be from before.
    let machine = machine(2);
    let mut t = Tables::new(&machine);
    let asce = t.space(SEGMENT);
    t.map_low(asce);
    let va = 0x10_0000;
    t.map(asce, va, 0x9000);
    let table = t.page(asce, va) & !0x7ff;
    for n in 0..2 {
        let mut core = machine.cpu(n);
        let s = &mut core.state;
        s.cr[1] = asce;
        s.control_changed();
        (s.gr[2], s.gr[3], s.gr[5], s.gr[7], s.gr[9]) = (table, va, va, 0x9000, n as u64);
    }
    machine.put64(0x9000, 1);
    machine.text(
        0x5000,
        "LTGR 9,9;BRC 7,*+38;CLI 0(6),1;BRC 7,*-4;LGFI 8,200000;BRCTG 8,*+0;IPTE 2,3;LGHI 4,2;STURG \
        4,7;DC 0000;DC 0000;LG 10,0(0,5);MVI 0(6),1;BRC 15,*-10",
    );
    let machine = run(machine, WIDE | mask::DAT);
    assert_eq!(codes(&machine), [0x0002_0001, 0x0006_0011]);
    assert_eq!(machine.cpu(1).state.gr[10], 1);
}

#[test]
fn code_that_another_cpu_changes_while_it_is_decoded_is_not_kept() {
    // Page after page CPU 0 changes a routine, at once or a moment later, and says so; CPU 1 calls the routine, for the
    // first time just then, until it has been told and has serialized: then what it called must be the changed one.
    const FIRST: u64 = 0x20_0000;
    const PAGES: u64 = 0x600;
    let routine = assemble("LHI 2,0;BCR 15,14");
    let machine = machine(2);
    for page in 0..PAGES {
        machine.put(FIRST + page * 0x1000, &routine);
    }
    for n in 0..2 {
        let mut core = machine.cpu(n);
        let s = &mut core.state;
        // The routine, how often, the flags of the one and the other, what was seen.
        (s.gr[6], s.gr[8], s.gr[7], s.gr[5], s.gr[3]) = (FIRST, PAGES, DATA, DATA + 0x100, 0);
        (s.gr[9], s.gr[10]) = (n as u64, 0);
    }
    machine.text(
        0x5000,
        "LTGR 9,9;BRC 7,*+54;\
         LGR 11,8;NILL 11,2047;AGHI 11,1;BRCTG 11,*+0;\
         MVI 3(6),1;STG 6,0(0,7);CG 6,0(0,5);BRC 7,*-6;AGHI 6,4096;BRCTG 8,*-40;DC 0000;DC 0000;DC 0000;\
         LG 4,0(0,7);BCR 15,0;BASR 14,6;CGR 4,6;BRC 7,*-14;AR 3,2;STG 6,0(0,5);AGHI 6,4096;BRCTG 8,*-30",
    );
    let machine = run(machine, WIDE);
    assert_eq!(codes(&machine), [0x0002_0001; 2]);
    assert_eq!(machine.cpu(1).state.gr[3], PAGES, "as often as the changed routine was called");
}

/// POP, chapter 5, *Sequence of Storage References*: stores are seen in order, and fetches happen in order. So a flag
/// that is stored after its datum is never seen before it, wherever the two lie and whatever stores and fetches them.
#[test]
fn a_flag_is_not_seen_before_its_datum() {
    // What stores register 3 as datum and then as flag; what fetches the flag into register 4, then the datum into 5.
    let ways = [
        ("ST 3,0(0,6);ST 3,1024(0,6)", "L 4,1024(0,6);L 5,0(0,6)"),
        ("ST 3,0(0,6);ST 3,4(0,6)", "L 4,4(0,6);L 5,0(0,6)"),
        ("ST 3,0(0,7);ST 3,0(0,6)", "L 4,0(0,6);L 5,0(0,7)"),
        ("STM 3,3,0(6);STM 3,3,1024(6)", "LM 4,4,1024(6);LM 5,5,0(6)"),
        ("ST 3,8(0,7);MVC 0(4,7),8(7);MVC 0(4,6),8(7)", "L 4,0(0,6);L 5,0(0,7)"),
    ];
    for (store, fetch) in ways {
        let machine = machine(2);
        for n in 0..2 {
            let s = &mut machine.cpu(n).state;
            (s.gr[3], s.gr[7], s.gr[8], s.gr[9], s.gr[10]) = (0, 0x9000, 200_000, u64::from(n), 0);
        }
        let (stores, fetches) = (assemble(store).len(), assemble(fetch).len());
        machine.text(
            0x5000,
            &format!(
                "LTGR 9,9;BRC 8,*+{};{fetch};CLR 5,4;BRC 10,*+8;AHI 10,1;BRCTG 8,*-{};BRC 15,*+{};\
                 AHI 3,1;{store};BRCTG 8,*-{}",
                22 + fetches,
                10 + fetches,
                12 + stores,
                4 + stores
            ),
        );
        let machine = run(machine, WIDE);
        assert_eq!(codes(&machine), [0x0002_0001; 2], "{store}");
        assert_eq!(machine.cpu(1).state.gr[10] as u32, 0, "how often the flag came before its datum: {store}; {fetch}");
    }
}
