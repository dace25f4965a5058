//! A thousand virtual machines that have nothing to do cost nothing: no processor time, no timers, little storage.

mod system;

use nucleus::logon;
use system::Hand;

/// Kilobytes of host storage that this process occupies, where the host tells.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn a_thousand_idle_virtual_machines() {
    let users: String = (0..1000)
        .map(|n| format!("USER U{n:04} AUTOONLY 64M 64M G\n CONSOLE 009 3215\n SPOOL 00C 2540 READER *\n"))
        .collect();
    let cp = system::system(&users, None, Hand::new());
    let before = resident_kib();
    for n in 0..1000 {
        let user = cp.user(&format!("U{n:04}")).expect("the directory has it");
        let vmdbk = logon::autolog(&cp, user).expect("it is not logged on yet");
        vmdbk.lock().settings.run = true;
        cp.settle(&vmdbk);
    }
    assert_eq!(cp.user_count(), 1000);
    assert!(!cp.step(0), "nobody has anything to do");
    assert_eq!(cp.processors.deadline(), None, "nobody waits for a time");
    if let (Some(before), Some(after)) = (before, resident_kib()) {
        let each = (after - before) / 1000;
        println!("{each} KiB each");
        assert!(each < 256, "an idle virtual machine occupies {each} KiB");
    }
    cp.vmdbks().iter().for_each(|vmdbk| logon::log_off(&cp, vmdbk, logon::Reason::LogOff));
    assert_eq!(cp.user_count(), 0);
}
