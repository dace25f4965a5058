//! Accounting in the sample system: DISKACNT, which the system starts, has a record of what a user did at a real 3270,
//! and records that no machine has collected are there after SHUTDOWN and a new start.

mod support;

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use support::{Client, System, cms, has_s3270, install_cms};

const ANSWER: Duration = Duration::from_secs(60);

/// The records of a user, as MAINT sees them on DISKACNT's disk, when there is one that says this.
fn listed(maint: &mut Client, user: &str, wanted: &str) -> String {
    let began = Instant::now();
    loop {
        maint.say("access 391 d", "Ready", ANSWER);
        let shown = maint.say(&format!("acctlist (user {user}"), "Ready", ANSWER);
        if shown.contains(wanted) {
            return shown;
        }
        assert!(began.elapsed() < ANSWER, "{wanted}: {shown}");
        thread::sleep(Duration::from_millis(500));
    }
}

fn at_the_disk_of_diskacnt(system: &System) -> Client {
    let mut maint = Client::connect(system);
    maint.log_on("MAINT");
    maint.until("This is MAINT", ANSWER);
    maint.until_status("RUNNING", ANSWER);
    maint.say("#cp link diskacnt 191 391 rr", "R/W BY DISKACNT", ANSWER);
    maint
}

#[test]
fn what_a_user_did_is_in_the_file_of_the_machine_that_collects() {
    let (true, Some(cms)) = (has_s3270(), cms()) else { return };
    let mut system = System::start("accounting", |folder| install_cms(folder, &cms));
    let mut user = Client::connect(&system);
    user.log_on("CMSUSER");
    user.until("and good-bye", ANSWER);
    user.until_status("RUNNING", ANSWER);
    user.say("#cp define t3390 400 2", "DASD 0400 DEFINED", ANSWER);
    user.say("set rdymsg smsg", "Ready;", ANSWER);
    user.say("punch hello exec a (noheader", "Ready;", ANSWER);
    user.say("print hello exec a", "Ready;", ANSWER);
    user.say("#cp detach 400", "DASD 0400 DETACHED", ANSWER);
    user.say("#cp logoff", "LOGOFF AT", ANSWER);
    let lines = |file: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest/cms/disks/user");
        fs::read_to_string(folder.join(file)).expect("it is there").lines().count()
    };

    let mut maint = at_the_disk_of_diskacnt(&system);
    maint.say("#cp query recording", "DISKACNT ACTIVE", ANSWER);
    let shown = listed(&mut maint, "cmsuser", "01 CMSUSER  2");
    assert!(shown.contains("03 CMSUSER  2") && shown.contains("T-disk 2 cylinders"), "{shown}");
    let cards = format!("{} punched", lines("HELLO.EXEC.A1"));
    assert!(shown.contains(&cards), "{cards}: {shown}");

    // Without the machine: the operator is told, and the records wait, for the next system if need be.
    maint.say("#cp force diskacnt", "", ANSWER);
    maint.say("#cp recording account limit 1", "Command complete", ANSWER);
    maint.say("#cp acnt maint", "Command complete", ANSWER);
    maint.say("#cp query recording", "001 DISKACNT INACTIVE", ANSWER);
    maint.enter("#cp shutdown");
    let began = Instant::now();
    while !system.folder.join("records").exists() {
        assert!(began.elapsed() < ANSWER, "the records are written: {}", system.log());
        thread::sleep(Duration::from_millis(50));
    }
    system.kill();
    system.restart();
    assert!(!system.folder.join("records").exists(), "the new system has taken them");
    let mut maint = at_the_disk_of_diskacnt(&system);
    let shown = listed(&mut maint, "diskacnt", "01 DISKACNT 1");
    assert!(shown.contains("pages"), "{shown}");
    listed(&mut maint, "maint", "01 MAINT");
}
