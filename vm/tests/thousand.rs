//! A thousand virtual machines that are logged on and have nothing to do, in a running system.

mod support;

use std::fmt::Write;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use support::System;
use support::line::Line;

/// Hundredths of a second of processor time that a process has used.
fn ticks(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("the process is there");
    // After the name, which is in parentheses, user and system time are fields 12 and 13.
    let fields: Vec<&str> = stat[stat.rfind(')').expect("a name") + 2..].split(' ').collect();
    fields[11..13].iter().map(|field| field.parse::<u64>().expect("a number")).sum()
}

/// Kilobytes of storage that a process occupies.
fn resident_kib(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("the process is there");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a process occupies storage");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn a_thousand_idle_virtual_machines_cost_nothing() {
    if !std::path::Path::new("/proc/self/stat").exists() {
        println!("skipped: this host does not say what processes use");
        return;
    }
    let system = System::start("thousand", |folder| {
        let path = folder.join("USER DIRECT");
        let mut text = fs::read_to_string(&path).expect("the sample has a directory");
        for n in 0..1000 {
            write!(text, "USER IDLE{n:04} NOLOG 64M 64M G\n INCLUDE DEFAULT\n").expect("text grows");
        }
        fs::write(&path, text).expect("the folder is ours");
    });
    let before = resident_kib(system.process());
    let mut maint = Line::log_on(&system, "maint");
    for n in 0..1000 {
        maint.say(&format!("xautolog idle{n:04}"), "Command accepted");
    }
    let users = maint.say("query users", "USERS");
    assert!(users.contains("1002 USERS"), "{users}");
    let each = (resident_kib(system.process()) - before) / 1000;
    println!("{each} KiB each");
    assert!(each < 1024, "an idle virtual machine occupies {each} KiB");

    thread::sleep(Duration::from_secs(1));
    let (began, used) = (Instant::now(), ticks(system.process()));
    thread::sleep(Duration::from_secs(5));
    let (passed, used) = (began.elapsed().as_secs_f64(), ticks(system.process()) - used);
    let percent = used as f64 / passed;
    println!("{percent:.2} % of a processor");
    assert!(percent < 2.0, "a thousand idle virtual machines use {percent:.2} % of a processor");

    maint.say("query userid", "MAINT    AT");
}
