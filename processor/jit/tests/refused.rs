//! Hosts that let no code be made: it is said once, in one sentence, and everything is interpreted.
//!
//! The kernel refuses what a filter on the thread names (seccomp). A filter stays for ever, so each refusal has a
//! process of its own: this test's program once more.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use arch::{Absolute, Psw, mask};
use cpu::Architecture;
use engine::Exit;
use std::process::Command;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
/// AR 1,2; BRCT 4,*-2; no instruction.
const LOOP: [u8; 8] = [0x1a, 0x12, 0xa7, 0x46, 0xff, 0xff, 0x00, 0x00];

#[test]
fn what_the_host_refuses_is_said_once() {
    for refused in ["memfd_create", "PROT_EXEC", "mmap"] {
        let program = std::env::current_exe().expect("a test knows its program");
        let arguments = ["--exact", "in_a_process_of_its_own", "--ignored", "--nocapture"];
        let output = Command::new(program).args(arguments).env("REFUSED", refused).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{refused}: {said}{}", String::from_utf8_lossy(&output.stdout));
        let sentences: Vec<&str> = said.lines().filter(|line| line.starts_with("endicott: ")).collect();
        let expected = "endicott: no translation to host code, the interpreter runs everything: \
                        Operation not permitted (os error 1)";
        assert_eq!(sentences, [expected], "{refused}: {said}");
    }
}

#[test]
#[ignore = "the other test runs it, where the host refuses something"]
fn in_a_process_of_its_own() {
    let refused = std::env::var("REFUSED").expect("the other test says what is refused");
    // The machines' storage is there before.
    let mut machines = [(); 2].map(|()| machine());
    refuse(&refused);
    for machine in &mut machines {
        assert_eq!(machine.resume(10_000), Exit::Wait);
        assert_eq!(machine.state.gr[1], 3000);
    }
    let statistics = engine::statistics();
    assert_eq!((statistics.blocks, statistics.executed), (0, 0));
    let why = engine::unavailable().expect("there is no translator");
    assert!(why.contains("not permitted"), "{why}");
}

/// A machine with a loop that is worth translating.
fn machine() -> Machine {
    let mut machine = Machine::new(Architecture::Z, 1 << 20);
    machine.prepare_interruptions();
    machine.storage.write(Absolute(TEXT), &LOOP).expect("the text lies in storage");
    let s = &mut machine.state;
    s.set_psw(Psw { mask: mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING, address: TEXT });
    (s.gr[1], s.gr[2], s.gr[4]) = (0, 3, 1000);
    machine
}

/// From now on the host refuses this thread a system call, or memory that can be executed.
fn refuse(what: &str) {
    use libc::{BPF_ABS, BPF_ALU, BPF_AND, BPF_JEQ, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W};
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let equal = |k: u32, jt: u8, jf: u8| libc::sock_filter { code: (BPF_JMP | BPF_JEQ | BPF_K) as u16, jt, jf, k };
    let load = |at: u32| statement(BPF_LD | BPF_W | BPF_ABS, at);
    // The number of the call is at 0; the low half of its third argument at 32.
    let allow = statement(BPF_RET | BPF_K, libc::SECCOMP_RET_ALLOW);
    let deny = statement(BPF_RET | BPF_K, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32);
    let filter = match what {
        "memfd_create" => vec![load(0), equal(libc::SYS_memfd_create as u32, 0, 1), deny, allow],
        // Shared memory in a file: private memory is what everybody else has.
        "mmap" => vec![
            load(0),
            equal(libc::SYS_mmap as u32, 0, 4),
            load(40),
            statement(BPF_ALU | BPF_AND | BPF_K, libc::MAP_SHARED as u32),
            equal(0, 1, 0),
            deny,
            allow,
        ],
        _ => vec![
            load(0),
            equal(libc::SYS_mmap as u32, 1, 0),
            equal(libc::SYS_mprotect as u32, 0, 4),
            load(32),
            statement(BPF_ALU | BPF_AND | BPF_K, libc::PROT_EXEC as u32),
            equal(0, 1, 0),
            deny,
            allow,
        ],
    };
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the filter is a whole program, and stays where it is during the call.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program), 0);
    }
}
