//! Linux's KVM in a guest: Debian's own kvm.ko runs a machine with START INTERPRETIVE EXECUTION.
//!
//! The program that drives it is made here, an executable of a few system calls: nothing but Debian's packages and this
//! file goes into the guest.

mod support;

use debian::cpio::Archive;
use std::fs;
use std::process::Stdio;
use support::program::{BASE, DATA, TEXT, executable};
use support::{endicott, guest};
use vectors::assemble;

/// The storage of the machine it makes: KVM wants whole megabytes.
const STORAGE: u64 = BASE + 0x10_0000;
const STORAGE_SIZE: u64 = 0x10_0000;
/// What is in `DATA`: the device's name, KVM's structures, what there is to say.
const NAME: u64 = 0x000;
const REGION: u64 = 0x100;
const MAPPING: u64 = 0x140;
const STATE: u64 = 0x180;
const MESSAGE: u64 = 0x1c0;

/// Requests of KVM (linux/kvm.h).
const CREATE_VM: u32 = 0xae01;
const GET_VCPU_MMAP_SIZE: u32 = 0xae04;
const CREATE_VCPU: u32 = 0xae41;
const SET_USER_MEMORY_REGION: u32 = 0x4020_ae46;
const RUN: u32 = 0xae80;
const INITIAL_RESET: u32 = 0xae97;
const SET_MP_STATE: u32 = 0x4004_ae99;
/// KVM_EXIT_S390_SIEIC.
const INTERCEPTED: u32 = 13;

/// The program of the machine, at 10000 of its storage: adds the numbers from 1000 down to 1, has a supervisor call of
/// its own double the sum, and ends with a DIAGNOSE that KVM leaves to its program.
const MACHINE: &str =
    "LGHI 2,0; LGHI 3,1000; AGR 2,3; BRCTG 3,*-4; SVC 1; LLILL 4,0x3000; STG 2,0(0,4); DIAG 2,0,0x501";
const SUPERVISOR: &str = "AGR 2,2; LPSWE 0x140(0)";

/// A system call: its number; the program ends with status `fail` if it fails.
fn call(number: u8, fail: u8) -> String {
    format!("SVC {number}; LTGR 2,2; BRC 10,*+10; LGHI 2,{fail}; SVC 1;")
}

/// An ioctl: the descriptor is in a register, the argument is an address or a number.
fn ioctl(descriptor: u8, request: u32, argument: u64, fail: u8) -> String {
    format!("LGR 2,{descriptor}; LLILF 3,{request}; LLILF 4,{argument}; {}", call(54, fail))
}

fn program() -> Vec<u8> {
    let (open, write, mmap) = (5, 4, 90);
    let run = [
        // Registers 6 to 9: the descriptors of KVM, the machine and its CPU, and the CPU's communication area.
        format!("LLILF 2,{}; LGHI 3,2; {} LGR 6,2;", DATA + NAME, call(open, 1)),
        format!("{} LGR 7,2;", ioctl(6, CREATE_VM, 0, 2)),
        ioctl(7, SET_USER_MEMORY_REGION, DATA + REGION, 3),
        format!("{} LGR 8,2;", ioctl(7, CREATE_VCPU, 0, 4)),
        format!("{} LLILF 10,{}; STG 2,8(0,10); STG 8,32(0,10);", ioctl(6, GET_VCPU_MMAP_SIZE, 0, 5), DATA + MAPPING),
        format!("LGR 2,10; {} LGR 9,2;", call(mmap, 6)),
        ioctl(8, INITIAL_RESET, 0, 7),
        // 64-bit addressing, and the program's address.
        "LLILF 2,0x80000000; LLIHL 3,1; OGR 2,3; STG 2,32(0,9); LLILH 2,1; STG 2,40(0,9);".into(),
        ioctl(8, SET_MP_STATE, DATA + STATE, 8),
        ioctl(8, RUN, 0, 9),
        // Did it end with the DIAGNOSE, and is the sum where the machine has stored it?
        format!("LGHI 2,10; L 3,8(0,9); CHI 3,{INTERCEPTED}; BRC 8,*+6; SVC 1;"),
        format!("LGHI 2,11; LLILF 3,{}; LG 3,0(0,3); CGFI 3,1001000; BRC 8,*+6; SVC 1;", STORAGE + 0x3000),
        format!("LGHI 2,1; LLILF 3,{}; LGHI 4,12; {} LGHI 2,0; SVC 1", DATA + MESSAGE, call(write, 12)),
    ];
    assemble(&run.join(""))
}

/// The program, and the storage of the machine it makes.
fn runner() -> Vec<u8> {
    let word = |v: u32| v.to_be_bytes();
    let long = |v: u64| v.to_be_bytes();
    let (text, machine, supervisor) = (program(), assemble(MACHINE), assemble(SUPERVISOR));
    // Slot and flags, the machine's first address, size and address of its storage.
    let region = [0, 0, STORAGE_SIZE, STORAGE].map(long).concat();
    // The kernel chooses the address; read and write, shared; the descriptor is filled in, and so is the length.
    let mapping = [0, 0, 3, 1, 0, 0].map(long).concat();
    let svc_new_psw = [0x0000_0001_8000_0000, 0x2000].map(long).concat();
    let pieces: [(u64, &[u8]); 9] = [
        (TEXT, &text),
        (DATA + NAME, b"/dev/kvm\0"),
        (DATA + REGION, &region),
        (DATA + MAPPING, &mapping),
        // KVM_MP_STATE_OPERATING.
        (DATA + STATE, &word(7)),
        (DATA + MESSAGE, b"MACHINE-RAN\n"),
        (STORAGE + 0x1_0000, &machine),
        (STORAGE + 0x2000, &supervisor),
        (STORAGE + 0x1c0, &svc_new_psw),
    ];
    executable(STORAGE - BASE + STORAGE_SIZE, true, &pieces)
}

#[test]
fn debians_kvm_runs_a_machine() {
    let Some(guest) = guest() else { return };
    let mut overlay = Archive::default();
    overlay.program("bin/machine", &runner());
    let mut initrd = fs::read(&guest.initrd).expect("the guest is there");
    // The kernel takes archives one after the other, packed or not, on boundaries of words.
    initrd.resize(initrd.len().next_multiple_of(4), 0);
    initrd.extend(overlay.finish());
    let path = std::env::temp_dir().join(format!("endicott-kvm-{}", std::process::id()));
    fs::write(&path, initrd).expect("the host has a folder for temporary files");
    let output = endicott()
        .args(["linux", "--memory", "512M", "--append", "quiet nokaslr vmb.mode=kvm", "--kernel"])
        .arg(&guest.kernel)
        .arg("--initrd")
        .arg(&path)
        .stdin(Stdio::null())
        .output()
        .expect("endicott starts");
    let _ = fs::remove_file(&path);
    let said = String::from_utf8_lossy(&output.stdout);
    if said.contains("KVM-MISSING") {
        println!("skipped: the guest was made without kvm.ko (cargo x guest makes a new one)");
        return;
    }
    assert!(said.contains("MACHINE-RAN") && said.contains("KVM-DONE 0"), "{said}");
}
