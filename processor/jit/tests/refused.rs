//! Hosts that let no code be made: it is said once, in one sentence. Code caches that are full: they count. Programs
//! run as ever.
//!
//! The kernel refuses what a filter on the thread names (seccomp). A filter stays for ever, so each refusal has a
//! process of its own: this test's program once more. A processor that lacks what code needs is QEMU's.

#![cfg(translator)]

use arch::{Absolute, Psw, mask};
use cpu::Architecture;
use engine::{BlockCache, Exit};
use std::process::Command;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
/// AR 1,2; BRCT 4,*-2; no instruction.
const LOOP: [u8; 8] = [0x1a, 0x12, 0xa7, 0x46, 0xff, 0xff, 0x00, 0x00];

#[test]
fn what_the_host_refuses_is_said_once() {
    for refused in ["memfd_create", "PROT_EXEC", "mmap"] {
        let why = "Operation not permitted (os error 1)";
        assert_eq!(said(program(), refused), [format!("{NOTHING}{why}")], "{refused}");
    }
}

#[test]
fn a_processor_that_lacks_instructions_is_named_once() {
    let qemu = ["qemu-x86_64-static", "qemu-x86_64"].into_iter().find(|name| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
    });
    let Some(qemu) = qemu else { return println!("skipped: qemu-x86_64 is not installed") };
    let mut command = Command::new(qemu);
    command.args(["-cpu", "Nehalem"]).arg(program().get_program());
    assert_eq!(said(command, "processor"), [format!("{NOTHING}the host's processor lacks MOVBE and BMI2")]);
}

#[test]
fn a_code_cache_that_is_full_is_emptied_and_nothing_is_said_of_it() {
    assert_eq!(said(program(), "room"), [""; 0]);
}

const NOTHING: &str = "endicott: no translation to host code, the interpreter runs everything: ";

fn program() -> Command {
    Command::new(std::env::current_exe().expect("a test knows its program"))
}

/// What the process says to the user.
fn said(mut process: Command, refused: &str) -> Vec<String> {
    let arguments = ["--exact", "in_a_process_of_its_own", "--ignored", "--nocapture"];
    let output = process.args(arguments).env("REFUSED", refused).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{refused}: {said}{}", String::from_utf8_lossy(&output.stdout));
    said.lines().filter(|line| line.starts_with("endicott: ")).map(str::to_string).collect()
}

#[test]
#[ignore = "the other tests run it, where the host refuses something"]
fn in_a_process_of_its_own() {
    let refused = std::env::var("REFUSED").expect("the other tests say what is refused");
    // The machines' storage is there before.
    let mut machines = [(); 2].map(|()| machine());
    match refused.as_str() {
        "processor" => {}
        "room" => machines.iter_mut().for_each(|machine| {
            let mut cache = BlockCache::with_patience(1);
            cache.confine(1);
            machine.set_cache(cache);
        }),
        _ => refuse(&refused),
    }
    for machine in &mut machines {
        assert_eq!(machine.resume(10_000), Exit::Wait);
        assert_eq!(machine.state.gr[1], 3000);
    }
    let statistics = engine::statistics();
    if refused == "room" {
        assert_eq!((statistics.emptied, statistics.blocks), (2, 4), "each machine's second block found no room");
        return;
    }
    assert_eq!((statistics.blocks, statistics.executed), (0, 0));
    assert!(engine::unavailable().is_some(), "there is no translator");
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
        // Shared memory in a file: all else in a process has private memory.
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
