//! CMS at a real 3270: what a newcomer sees, and a file that is there after the system has been down.

mod support;

use std::path::{Path, PathBuf};
use std::time::Duration;
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
}

#[test]
fn a_newcomer_finds_cms() {
    let (true, Some(images)) = (has_s3270(), images()) else { return };
    let system = System::start("cms", |folder| install(folder, &images));
    let mut client = Client::connect(&system);
    client.log_on("CMSUSER");
    client.say("ipl 190 parm autocr", "and good-bye", ANSWER);
    client.until_status("VM READ", ANSWER);
    client.say("listfile (label", "PROFILE  EXEC     A1 V", ANSWER);
    client.say("hello", "What is your name?", ANSWER);
    client.say("Ada", "2 to the power of 190 is 15692754338466", ANSWER);
    client.say("execio 1 diskw my data a (string a first line", "Ready;", ANSWER);
    client.say("type my data", "a first line", ANSWER);
    client.say("nosuch", "Unknown CP/CMS command", ANSWER);
    client.say("help copyfile", "Copies files.", ANSWER);
    client.say("#cp logoff", "LOGOFF AT", ANSWER);
}
