//! Real disks in host files, with a guest's minidisks on them: what happens when the host fails, and snapshots.

mod failing;
mod snapshots;
#[path = "../system/mod.rs"]
mod system;
#[path = "../time/mod.rs"]
mod time;

use consoles::terminal::{Kind as Screen, Terminal};
use dasd::{Format, Image, Kind, Options, Tracks, create_with, label};
use minidisk::policy::Policy;
use nucleus::system::Cp;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use time::Time;

/// The operator, and a guest with these statements for its disks, which lie on volumes with serials that begin with USR
/// or FBA.
fn directory(disks: &str) -> String {
    format!(
        "USER OPERATOR OPERATOR 1M 1M ABCDEFG\n CONSOLE 009 3215 T\n\
         USER GUEST GUEST 1M 1M G\n CONSOLE 009 3215 T\n{disks}"
    )
}

/// A folder for disks, gone with the test.
struct Folder(support::folder::Folder);

impl Folder {
    fn new(name: &str) -> Folder {
        Folder(support::folder::Folder::empty(&format!("disks-{name}")))
    }

    fn file(&self, serial: &str) -> PathBuf {
        self.0.path(serial)
    }

    /// A new disk, in the file that its serial names.
    fn make(&self, serial: &str, kind: Kind, format: Format, tracks: Tracks) {
        create_with(&self.file(serial), kind, format, tracks, &mut |_, _| true).expect("there is room");
        label::write(&*opened(&self.file(serial)), serial).expect("there is room");
    }
}

fn opened(file: &Path) -> Arc<Image> {
    Image::open(file, Options::default()).expect("it opens")
}

/// A system with disks in files, the operator and the guest logged on.
struct Site {
    cp: Cp,
    operator: Arc<Terminal>,
}

impl Site {
    /// `disks` are the guest's MDISK statements, `reals` device numbers and serials.
    fn new(folder: &Folder, disks: &str, reals: &[(u16, &str)], options: &Options) -> Site {
        let cp = system::system(&directory(disks), None, Arc::new(Time::default()));
        cp.disks.set_policy(Policy { users: vec!["USR*".into(), "FBA*".into()], ..Policy::default() });
        for &(number, serial) in reals {
            let image = Image::open(&folder.file(serial), options.clone()).expect("it opens");
            cp.disks.install(number, image, serial.into()).expect("it can be there");
        }
        let site = Site { operator: log_on(&cp, "operator"), cp };
        log_on(&site.cp, "guest");
        site
    }
}

fn log_on(cp: &Cp, userid: &str) -> Arc<Terminal> {
    let terminal = cp.connect(Screen::Typewriter, None, "127.0.0.1", true);
    cp.line(terminal.id, &format!("logon {userid} {userid}"));
    terminal.take_output();
    terminal
}
