//! Transactional execution (POP, chapter 5).

mod machine;

use arch::lowcore::z;
use cpu::{Architecture, Facilities, cr0};
use machine::*;
use std::sync::Arc;

const BLOCK: u64 = DATA + 0x800;

fn transactional(cpus: u16) -> Machine {
    let m = Machine::equipped(Architecture::Z, cpus, Facilities([u64::MAX; 4]), Listener::default());
    for n in 0..cpus {
        let mut core = m.cpu(n);
        core.state.cr[0] |= cr0::TRANSACTIONS | cr0::AFP;
        core.state.control_changed();
    }
    m.set(|s| (s.gr[6], s.gr[7], s.gr[2], s.gr[3]) = (DATA, BLOCK, 2, 3));
    m
}

/// TBEGIN with a diagnostic block in the page of register 7, and the branch that is taken if it aborts, over `source`.
fn transaction(controls: u16, source: &str) -> String {
    let body = assemble(source).len() as u64 + 4;
    format!("DC E5607000{controls:04X};BRC 7,*+{};{source}", 4 + body - 4)
}

#[test]
fn what_is_stored_stays_when_it_ends() {
    let m = transactional(1);
    let source = transaction(0, "ST 3,0(0,6);ETND 4;TEND;ETND 5");
    assert_eq!((m.execute(&source), m.cc()), (Ending::Done, 0));
    assert_eq!((m.get32(DATA), m.gr(4), m.gr(5)), (3, 1, 0));
    assert_eq!((m.execute("TEND"), m.cc()), (Ending::Done, 2), "there is none");
}

#[test]
fn an_abort_undoes_it() {
    let m = transactional(1);
    m.put32(DATA, 77);
    // Registers 2 and 3 are saved, 4 is not; the doubleword at 8 is stored for good.
    let source = transaction(0x4000, "LA 2,9;LA 4,9;ST 3,0(0,6);NTSTG 3,8(0,6);TABORT 257;TEND");
    assert_eq!((m.execute(&source), m.cc()), (Ending::Done, 3));
    assert_eq!((m.get32(DATA), m.get64(DATA + 8), m.gr(2), m.gr(4)), (77, 3, 2, 9));
    assert_eq!((m.get(BLOCK, 1), m.get16(BLOCK + 6), m.get64(BLOCK + 8)), (vec![1], 1, 257));
    assert_eq!(m.get64(BLOCK + 24), PROGRAM + 10 + 4 + 4 + 4 + 6, "the instruction");
    assert_eq!(m.get64(BLOCK + 128 + 16), 9, "register 2 as it was then");
    m.set(|s| s.gr[4] = 0);
    let source = transaction(0, "TABORT 256;TEND");
    assert_eq!((m.execute(&source), m.cc()), (Ending::Done, 2));
}

#[test]
fn nesting_ends_with_the_outermost() {
    let m = transactional(1);
    let inner = "DC E56000000000;ST 3,0(0,6);TEND;ETND 4;ST 3,4(0,6)";
    assert_eq!((m.execute(&transaction(0, &format!("{inner};TEND"))), m.cc()), (Ending::Done, 0));
    assert_eq!((m.get64(DATA), m.gr(4)), (0x3_0000_0003, 1));
    m.put64(DATA, 0);
    assert_eq!((m.execute(&transaction(0, &format!("{inner};TABORT 256"))), m.cc()), (Ending::Done, 2));
    assert_eq!(m.get64(DATA), 0, "all levels are undone");
    // Fifteen levels, not sixteen.
    let deep = "DC E56000000000;".repeat(15);
    assert_eq!((m.execute(&transaction(0, &deep)), m.cc()), (Ending::Done, 3));
    assert_eq!(m.get64(BLOCK + 8), 13);
}

/// POP, chapter 4, "Program-Event Recording", and chapter 5, "Transaction Abort": an event aborts a transaction before
/// it interrupts, unless it is suppressed (control register 9, bit 41); only the end of the outermost transaction is an
/// event all the same (bit 38).
#[test]
fn program_event_recording_meets_transactions() {
    const FETCH: u64 = 0x4000_0000;
    const STORE: u64 = 0x2000_0000;
    const END: u64 = 0x0200_0000;
    const SUPPRESSION: u64 = 0x0040_0000;
    let m = transactional(1);
    let source = transaction(0, "ST 3,0(0,6);DC E56000000000;TEND;ST 3,4(0,6);TEND;LR 1,1");
    let begin = PROGRAM;
    let resume = PROGRAM + 6;
    let (inside, end) = (PROGRAM + 10, PROGRAM + 10 + 4 + 6 + 4 + 4);
    let run = |events: u64, first: u64, last: u64| {
        m.put64(DATA, 0);
        m.put64(BLOCK + 8, 0);
        m.set(|s| {
            (s.cr[9], s.cr[10], s.cr[11]) = (events, first, last);
            s.per_changed();
        });
        m.text(PROGRAM, &source);
        let ending = m.go(WIDE | arch::mask::PER, PROGRAM);
        (ending, m.get(z::PER_CODE, 1)[0], m.get64(z::PER_ADDRESS))
    };
    // A fetch event at TBEGIN: the interruption tells of the abort, and goes on where the abort does.
    assert_eq!(run(FETCH, begin, begin), (program(0x280, 6, resume), 0x40, begin));
    assert_eq!((m.get64(BLOCK + 8), m.get32(DATA)), (4, 0), "a program interruption aborted it");
    assert_eq!(run(FETCH | SUPPRESSION, begin, begin).0, Ending::Done);
    assert_eq!(m.get64(DATA), 0x3_0000_0003);
    // Inside it.
    assert_eq!(run(FETCH, inside, inside), (program(0x280, 4, resume), 0x40, inside));
    assert_eq!(m.get32(DATA), 0, "undone");
    assert_eq!(run(STORE, DATA + 4, DATA + 4), (program(0x280, 4, resume), 0x20, end - 4));
    assert_eq!(run(FETCH | STORE | SUPPRESSION, 0, u64::MAX).0, program(0x80, 2, end + 6), "LR, after the end");
    // The end of the outermost transaction, suppressed or not.
    for events in [END, END | SUPPRESSION, END | FETCH | STORE | SUPPRESSION] {
        assert_eq!(run(events, 0, PROGRAM + 0x1000), (program(0x80, 4, end + 4), 0x02, end), "{events:x}");
        assert_eq!(m.get64(DATA), 0x3_0000_0003, "it has ended");
    }
    assert_eq!(run(END | FETCH, end, end), (program(0x80, 4, end + 4), 0x42, end), "both");
}

#[test]
fn exceptions_abort_and_may_be_filtered() {
    let m = transactional(1);
    m.set(|s| s.gr[8] = 0x7fff_f000);
    // A page that is not there: the interruption is taken, with the code's bit for a transaction. The old PSW is where
    // the program goes on after the abort.
    let source = transaction(0, "ST 3,0(0,6);L 1,0(0,8);TEND");
    assert_eq!(m.execute(&source), program(0x205, 4, PROGRAM + 6));
    assert_eq!((m.get32(DATA), m.get64(0x1808), m.get64(BLOCK + 8), m.cc()), (0, 4, 4, 2));
    assert_eq!(m.get32(BLOCK + 36), 0x0004_0005);
    // Filtered: an abort like any other.
    assert_eq!((m.execute(&transaction(2, "L 1,0(0,8);TEND")), m.cc()), (Ending::Done, 2));
    assert_eq!(m.get64(BLOCK + 8), 12);
    assert_eq!(m.execute(&transaction(1, "L 1,0(0,8);TEND")), program(0x205, 4, PROGRAM + 6), "not by the lower one");
    // A division by zero is.
    m.set(|s| s.gr[3] = 0);
    assert_eq!((m.execute(&transaction(1, "DR 4,3;TEND")), m.cc()), (Ending::Done, 3));
    // Unless the control program forbids it.
    m.set(|s| s.cr[0] |= cr0::NO_FILTERING);
    assert_eq!(m.execute(&transaction(1, "DR 4,3;TEND")), program(0x209, 2, PROGRAM + 6));
}

#[test]
fn some_instructions_abort_it() {
    let m = transactional(1);
    for (controls, source, allowed) in [
        (0, "SVC 1", false),
        (0, "STPT 0(6)", false),
        (0, "MVCL 2,4", false),
        (0, "LDR 0,2", false),
        (4, "LDR 0,2", true),
        (0, "CPYA 1,2", false),
        (8, "CPYA 1,2", true),
        (0, "AR 2,3", true),
    ] {
        m.put(BLOCK, &[0; 16]);
        assert_eq!(m.execute(&transaction(controls, &format!("{source};TEND;LA 0,0"))), Ending::Done, "{source}");
        assert_eq!(m.get64(BLOCK + 8), if allowed { 0 } else { 11 }, "{source}");
    }
    // A loop without end is given up.
    assert_eq!((m.execute(&transaction(0, "BRC 15,*+0")), m.cc()), (Ending::Done, 2));
}

#[test]
fn constrained_transactions() {
    let m = transactional(1);
    assert_eq!(m.execute("DC E56100000000;ST 3,0(0,6);AR 3,3;TEND"), Ending::Done);
    assert_eq!((m.get32(DATA), m.gr(3)), (3, 6));
    // What they must not do ends in an exception, and the old PSW is at their beginning.
    assert_eq!(m.execute("DC E56100000000;ST 3,0(0,6);SVC 1;TEND"), program(0x218, 2, PROGRAM));
    assert_eq!(m.get32(DATA), 3);
}

#[test]
fn who_may_begin() {
    let m = transactional(1);
    m.set(|s| s.cr[0] &= !cr0::TRANSACTIONS);
    for (source, length) in
        [("DC E56000000000", 6), ("DC E56100000000", 6), ("TEND", 4), ("TABORT 256", 4), ("ETND 1", 4)]
    {
        assert_eq!(m.execute(source), program(0x13, length, PROGRAM + length as u64), "{source}");
    }
    m.set(|s| s.cr[0] |= cr0::TRANSACTIONS);
    assert_eq!(m.execute("TABORT 256"), program(0x13, 4, PROGRAM + 4), "no transaction");
    assert_eq!(m.execute("DC E56070040000"), program(6, 6, PROGRAM + 6), "the block is not on a doubleword");
    assert_eq!(m.execute("DC E56000000003"), program(6, 6, PROGRAM + 6), "no such filtering");
    assert_eq!(m.execute("DC E56170000000"), program(6, 6, PROGRAM + 6), "a constrained one has no block");
}

#[test]
fn two_cpus_add_to_the_same_counter() {
    let m = Arc::new(transactional(2));
    // Each adds one 200 times, by a transaction that is not interlocked in any other way.
    let source = "LHI 9,200;DC E56000000000;BRC 7,*-6;L 1,0(0,6);AHI 1,1;ST 1,0(0,6);TEND;BRCT 9,*-26";
    m.text(PROGRAM, source);
    m.cpu(1).state.gr[6] = DATA;
    let other = {
        let m = m.clone();
        m.begin(1, WIDE, PROGRAM);
        std::thread::spawn(move || m.run(1))
    };
    assert_eq!(m.go(WIDE, PROGRAM), Ending::Done);
    assert_eq!(other.join().expect("no panic"), Ending::Done);
    assert_eq!(m.get32(DATA), 400);
}

/// A step that ends within a transaction does not hold up other CPUs. The transaction is given up, and the program
/// finds that it is.
#[test]
fn stepping_into_a_transaction_aborts_it() {
    let m = transactional(2);
    m.put32(DATA, 77);
    m.text(PROGRAM, "DC E56000000000;BRC 7,*+8;ST 3,0(0,6);TEND");
    m.cpu(0).state.local |= cpu::local::STEP;
    m.begin(0, WIDE, PROGRAM);
    assert_eq!(m.configuration.run(0, 1000), complex::Exit::Step);
    {
        let state = &mut m.cpu(0).state;
        assert_eq!((state.ia, state.cc, state.transaction.is_none()), (PROGRAM + 6, 2, true));
        state.local &= !cpu::local::STEP;
    }
    // The other CPU runs.
    m.cpu(1).state.gr[6] = DATA;
    m.text(PROGRAM + 0x100, "L 1,0(0,6)");
    m.begin(1, WIDE, PROGRAM + 0x100);
    assert_eq!(m.run(1), Ending::Done);
    assert_eq!(m.cpu(1).state.gr[1], 77);
}

/// What a channel program or another CPU stores is not undone by an abort, and they see nothing of what is.
#[test]
fn what_others_store_stays_and_what_is_undone_they_never_see() {
    use arch::Absolute;
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

    let m = Arc::new(transactional(1));
    let (mine, theirs) = (DATA, DATA + 8);
    // The word of the CPU's is odd only within a transaction. Every second one is aborted; others are as they come.
    let body = "L 1,0(0,6);AHI 1,1;ST 1,0(0,6);AHI 1,1;ST 1,0(0,6)";
    let begin = |end: &str| {
        let length = assemble(&format!("{body};{end}")).len() + 4;
        format!("DC E56000000000;BRC 7,*+{length};{body};{end}")
    };
    let source = format!("{};{};BRCT 9,*-LOOP", begin("TEND"), begin("TABORT 256"));
    let length = assemble(&source.replace("LOOP", "0")).len() - 4;
    m.set(|s| s.gr[9] = 30_000);
    m.text(PROGRAM, &source.replace("LOOP", &length.to_string()));
    let over = Arc::new(AtomicBool::new(false));
    let other = {
        let (m, over) = (m.clone(), over.clone());
        std::thread::spawn(move || {
            let storage = m.configuration.storage();
            let mut n = 0u64;
            while !over.load(SeqCst) {
                n += 1;
                storage.write(Absolute(theirs), &n.to_be_bytes()).expect("it is there");
                for _ in 0..50 {
                    assert_eq!(storage.read_u32(Absolute(mine)).expect("it is there") & 1, 0, "half a transaction");
                    assert_eq!(storage.read_u64(Absolute(theirs)), Ok(n), "what was stored is gone");
                }
            }
            n
        })
    };
    m.begin(0, WIDE, PROGRAM);
    let ending =
        (0..10_000).map(|_| m.configuration.run(0, 1000)).find(|exit| !matches!(exit, complex::Exit::SliceEnd));
    over.store(true, SeqCst);
    let stored = other.join().expect("nothing was amiss");
    assert!(matches!(ending, Some(complex::Exit::DisabledWait(_))), "{ending:?}");
    let ended = m.get32(mine) / 2;
    assert!(ended > 0 && ended <= 30_000, "{ended}");
    println!("{ended} transactions ended while {stored} stores were made");
}
