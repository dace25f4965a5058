//! CMS at a real 3270: what a newcomer sees, and a file that is there after the system has been down.

mod support;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::line::Line;
use support::{Client, System, endicott, has_s3270};

const ANSWER: Duration = Duration::from_secs(60);

/// The disks that `cargo x cms` makes.
fn images() -> Option<[PathBuf; 2]> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cache/cms");
    let folder = std::env::var_os("ENDICOTT_CMS").map_or(root, PathBuf::from);
    let images = ["system.img", "user.img"].map(|name| folder.join(name));
    let there = images.iter().all(|image| image.exists());
    if !there {
        println!("skipped: there is no CMS in {} (cargo x cms makes one)", folder.display());
    }
    there.then_some(images)
}

fn install(folder: &Path, images: &[PathBuf; 2]) {
    for (disk, image) in ["MAINT.190", "CMSUSER.191"].iter().zip(images) {
        let mut put = endicott();
        put.args(["dasd", "minidisk"]).arg(folder.join("volumes/vmres.3390")).args(["--of", disk, "--system"]);
        let done = put.arg(folder).arg("--format").arg("--put").arg(image).output().expect("endicott starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let mut save = endicott();
    save.arg("script").arg("--system").arg(folder).args(["MAINT", "ipl 190 clear parm savesys cms"]);
    let done = save.output().expect("endicott starts");
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(said.contains("(NSS) CMS was successfully saved"), "{said}{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_newcomer_finds_cms() {
    let (true, Some(images)) = (has_s3270(), images()) else { return };
    let system = System::start("cms", |folder| install(folder, &images));
    let mut client = Client::connect(&system);
    client.log_on("CMSUSER");
    client.say("ipl cms parm autocr", "and good-bye", ANSWER);
    client.until_status("RUNNING", ANSWER);
    client.say("query autoread", "AUTOREAD = OFF", ANSWER);
    client.say("set autoread on", "Ready;", ANSWER);
    client.until_status("VM READ", ANSWER);
    client.say("query autoread", "AUTOREAD = ON", ANSWER);
    client.say("set autoread off", "Ready;", ANSWER);
    client.until_status("RUNNING", ANSWER);
    client.say("listfile (label", "PROFILE  EXEC     A1 V", ANSWER);
    client.say("hello", "What is your name?", ANSWER);
    client.until_status("VM READ", ANSWER);
    client.say("Ada", "2 to the power of 190 is 15692754338466", ANSWER);
    client.say("execio 1 diskw my data a (string a first line", "Ready;", ANSWER);
    client.say("type my data", "a first line", ANSWER);
    client.say("nosuch", "Unknown CP/CMS command", ANSWER);
    client.say("help copyfile", "Copies files.", ANSWER);
    client.say("#cp logoff", "LOGOFF AT", ANSWER);
}

/// A virtual machine that has had nothing to do for so long has given up what it can do without.
const RESTED: Duration = Duration::from_secs(14);

/// Kilobytes of storage that a process occupies when its users have rested; what it has several times in common with
/// itself counts once.
fn occupied_kib(process: u32) -> Option<u64> {
    std::thread::sleep(RESTED);
    let rollup = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// So many users pay for what all have in common.
const FIRST: usize = 10;

/// All of them are there at once. ENDICOTT_CMS_USERS says how many; a thousand take some minutes.
///
/// What a user who does nothing costs: how much more the process occupies with all of them than with the first ten,
/// divided by the users.
#[test]
fn many_users_of_cms_log_on_run_execs_and_log_off() {
    let Some(images) = images() else { return };
    let count: usize =
        std::env::var("ENDICOTT_CMS_USERS").ok().and_then(|n| n.parse().ok()).unwrap_or(60).max(FIRST + 1);
    let system = System::start("many-cms", |folder| {
        install(folder, &images);
        let path = folder.join("USER DIRECT");
        let mut text = std::fs::read_to_string(&path).expect("the sample has a directory");
        for n in 0..count {
            text += &format!("USER C{n:04} C{n:04} 4M 4M G\n INCLUDE DEFAULT\n MACHINE ESA\n IPL CMS PARM AUTOCR\n");
            text += " LINK MAINT 190 190 RR\n LINK CMSUSER 191 191 RR\n";
        }
        std::fs::write(&path, text).expect("the folder is ours");
    });
    // The first one has the saved system's pages brought into storage.
    let mut first = Line::log_on(&system, "cmsuser");
    let quickest = (0..5).map(|_| {
        let began = Instant::now();
        first.say("#cp ipl cms parm autocr", "Ready;");
        began.elapsed()
    });
    let quickest = quickest.min().expect("there are five");
    println!("IPL CMS to the first ready message: {quickest:?}");
    let mut users: Vec<Line> = Vec::new();
    let mut log_on = |all: usize| {
        while users.len() < all {
            let mut user = Line::log_on(&system, &format!("c{:04}", users.len()));
            user.until("Ready;");
            users.push(user);
        }
        occupied_kib(system.process())
    };
    if let (Some(before), Some(after)) = (log_on(FIRST), log_on(count)) {
        let each = after.saturating_sub(before) / (count - FIRST) as u64;
        println!("{each} KiB each");
        assert!(each < 300, "a user of CMS who does nothing occupies {each} KiB");
    }
    for user in &mut users {
        user.say("hello", "What is your name?");
        user.enter("Ada");
    }
    for user in &mut users {
        user.until("2 to the power of 190 is 1569275433846670190958947355801916604025588861116008628224");
        user.until("Ready;");
        user.say("listfile hello exec *", "HELLO    EXEC     A1");
        user.say("nosuch", "Ready(-0003);");
    }
    let all = first.say("#cp query users", "USERS,");
    assert!(all.contains(&format!("{} USERS", count + 2)), "{all}");
    for user in &mut users {
        user.say("#cp logoff", "LOGOFF AT");
    }
    let all = first.say("#cp query users", "USERS,");
    assert!(all.contains("2 USERS"), "{all}");
    assert!(quickest < Duration::from_millis(50), "IPL CMS took {quickest:?}");
}
