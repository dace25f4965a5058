//! `endicott save` and `endicott linux --restore`: Debian's kernel goes into a file, and on from there.

mod support;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use ::support::folder::Folder;
use support::{Guest, SHELL, endicott, guest};

const BOOT: Duration = Duration::from_secs(300);
const ANSWER: Duration = Duration::from_secs(60);

/// A folder that is a user's home and has what runs there.
struct Home(Folder);

impl Home {
    fn at(&self, name: &str) -> PathBuf {
        self.0.0.join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = endicott();
        command.args(words).current_dir(&self.0.0).env("XDG_RUNTIME_DIR", &self.0.0).env("HOME", &self.0.0);
        command
    }

    /// A guest in the foreground.
    fn start(&self, words: &[&str], more: impl FnOnce(&mut Command)) -> Running {
        let mut command = self.command(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        more(&mut command);
        let mut child = command.spawn().expect("endicott starts");
        let (mut from, to) = (child.stdout.take().expect("it is piped"), child.stdin.take().expect("it is piped"));
        let (send, printed) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                if send.send(String::from_utf8_lossy(&bytes[..count]).into_owned()).is_err() {
                    return;
                }
            }
        });
        Running { child, to, printed, number: 0 }
    }

    fn boot(&self, guest: &Guest) -> Running {
        let words = ["linux", "--name", "one", "--memory", "512M", "--cpus", "2", "--disk", "disk"];
        let mut running = self.start(&words, |command| {
            command.args(["--append", SHELL, "--net", "user", "--kernel"]).arg(&guest.kernel);
            command.arg("--initrd").arg(&guest.initrd);
        });
        running.until("SHELL-START", BOOT);
        running
    }

    /// What a command says that ends so.
    fn says(&self, words: &[&str], code: i32) -> String {
        let output = self.command(words).stdin(Stdio::null()).output().expect("endicott starts");
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        said
    }
}

/// A guest that runs.
struct Running {
    child: Child,
    to: ChildStdin,
    printed: Receiver<String>,
    number: u32,
}

impl Running {
    /// What the guest prints until it has printed this.
    fn until(&mut self, mark: &str, limit: Duration) -> String {
        let (mut all, began) = (String::new(), Instant::now());
        while !all.contains(mark) {
            match self.printed.recv_timeout(limit.saturating_sub(began.elapsed())) {
                Ok(text) => all += &text,
                Err(RecvTimeoutError::Timeout) => panic!("no {mark}: {all}"),
                Err(RecvTimeoutError::Disconnected) => panic!("it has ended without {mark}: {all}{}", self.errors()),
            }
        }
        all
    }

    /// What the guest's shell says to a line of commands.
    fn shell(&mut self, line: &str) -> String {
        self.number += 1;
        let end = format!("END-OF-{}", self.number);
        writeln!(self.to, "{line}; echo {end}").expect("it reads");
        self.until(&format!("\n{end}"), ANSWER)
    }

    fn errors(&mut self) -> String {
        let mut said = String::new();
        if let Some(from) = &mut self.child.stderr {
            let _ = from.read_to_string(&mut said);
        }
        said
    }

    /// Waits for its end, with this exit code.
    fn ends(mut self, code: i32) -> String {
        let status = self.child.wait().expect("it is ours");
        let said = self.errors();
        assert_eq!(status.code(), Some(code), "{said}");
        said
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// A disk of a megabyte and something, with blocks of 512 bytes.
fn disk(home: &Home) {
    let made = home.says(&["dasd", "create", "disk", "9336-20", "--blocks", "4000"], 0);
    assert!(home.at("disk").exists(), "{made}");
}

#[test]
fn a_guest_goes_on_from_where_it_was_as_often_as_wanted() {
    let Some(guest) = guest() else { return };
    let home = Home(Folder::empty("saving"));
    disk(&home);
    let mut one = home.boot(&guest);
    // Something in storage, on the disk and in progress on both CPUs.
    one.shell("dd if=/dev/urandom of=/noise bs=64k count=64 2>/dev/null; sum=$(md5sum < /noise); kept=yes");
    one.shell("for m in dasd_mod dasd_fba_mod; do insmod /modules/$m.ko; done; d=/dev/dasda");
    one.shell("echo 1 > /sys/bus/ccw/devices/0.0.0200/online; for n in 1 2 3 4 5; do [ -b $d ] || sleep 1; done");
    one.shell("echo first > /line; dd if=/line of=$d bs=512 conv=sync 2>/dev/null; sync");
    one.shell("for cpu in 0 1; do (n=0; while :; do n=$((n+1)); echo $n > /n$cpu; done) & done; sleep 1");
    let said = home.says(&["save", "one", "saved"], 0);
    assert!(said.contains("one is saved: \"endicott linux one --restore saved\" goes on"), "{said}");
    one.ends(0);
    assert!(home.says(&["list"], 0).contains("No guest"));
    let whole = fs::read(home.at("saved")).expect("it is there");

    let check = |running: &mut Running, line: &str| {
        let said = running.shell("echo $kept; [ \"$sum\" = \"$(md5sum < /noise)\" ] && echo same; date +%s");
        assert!(said.contains("\nyes") && said.contains("\nsame"), "{said}");
        // A host that stands still for a second lets the loops have nothing of it.
        let look = "a=$(cat /n0 /n1); sleep 1; b=$(cat /n0 /n1); [ \"$a\" != \"$b\" ] && echo goes on";
        assert!((0..5).any(|_| running.shell(look).contains("\ngoes on")));
        let said = running.shell("echo 3 > /proc/sys/vm/drop_caches; head -n 1 $d");
        assert!(said.contains(line), "{said}");
        assert!(!running.shell("dmesg").contains("stall"), "the clock has gone on from where it was");
    };
    // What is written to the disk then is gone each time.
    for round in 0..2 {
        let name = format!("again{round}");
        let mut again = home.start(&["linux", "--name", &name, "--scratch", "--restore", "saved"], |_| ());
        check(&mut again, "first");
        again.shell("echo second > /line; dd if=/line of=$d bs=512 conv=sync 2>/dev/null; sync");
        check(&mut again, "second");
        assert!(home.says(&["save", &name, "other"], 1).contains("--scratch"));
        writeln!(again.to, "poweroff -f").expect("it reads");
        again.ends(0);
    }
    // With the host's clock: years may pass, and Linux complains.
    let mut late = home.start(&["linux", "--scratch", "--clock", "host", "--restore", "saved"], |_| ());
    let now = std::time::UNIX_EPOCH.elapsed().expect("it is later").as_secs();
    let said = late.shell("date +%s");
    let there = said.lines().find_map(|line| line.trim().parse::<u64>().ok()).unwrap_or_else(|| panic!("{said}"));
    assert!(there.abs_diff(now) < 60, "{there} {now}");
    drop(late);
    // Without --scratch the disk is written, and the checkpoint is good no more.
    let mut last = home.start(&["linux", "--restore", "saved"], |_| ());
    check(&mut last, "first");
    last.shell("echo third > /line; dd if=/line of=$d bs=512 conv=sync 2>/dev/null; sync");
    writeln!(last.to, "poweroff -f").expect("it reads");
    last.ends(0);
    let said = home.says(&["linux", "--restore", "saved"], 1);
    assert!(said.contains("disk has been written since the checkpoint was made"), "{said}");
    // A file that was cut, or has another bit somewhere.
    for (at, why) in [(40, "damaged: its description"), (whole.len() / 2, "damaged: the storage at")] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(home.at("damaged"), damaged).expect("the folder is ours");
        let said = home.says(&["linux", "--scratch", "--restore", "damaged"], 1);
        assert!(said.contains(why) || at > 40 && said.contains("has been written since"), "{said}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let home = Home(Folder::empty("saving-wrong"));
    fs::write(home.at("text"), "no checkpoint at all, but long enough for a head of one").expect("the folder is ours");
    File::create(home.at("empty")).expect("the folder is ours");
    for (words, why) in [
        (&["save", "demo", "file"][..], "no guest of the name demo runs"),
        (&["linux", "--restore", "nowhere"], "--restore nowhere: No such file"),
        (&["linux", "--restore", "text"], "--restore text: it is no checkpoint"),
        (&["linux", "--restore", "empty"], "--restore empty: it is no checkpoint"),
    ] {
        let said = home.says(words, 1);
        assert!(said.starts_with("endicott: ") && said.contains(why), "{words:?}: {said}");
    }
    for words in [
        &["linux", "--restore", "text", "--memory", "2G"][..],
        &["linux", "--restore", "text", "--kernel", "text"],
        &["linux", "--restore", "text", "--share", "/tmp:tmp"],
        &["linux", "--restore", "text", "--net", "none"],
        &["linux", "--restore", "text", "--host-access"],
        &["linux", "demo", "--clock", "host"],
        &["save", "demo"],
    ] {
        home.says(words, 2);
    }
}

/// The host's disk is full, as far as the guest's process can see: the guest says so and goes on.
#[test]
fn a_guest_that_finds_no_room_goes_on() {
    let Some(guest) = guest() else { return };
    let home = Home(Folder::empty("saving-full"));
    disk(&home);
    let program = endicott().get_program().to_owned();
    let mut one = home.start(&[], |command| {
        let mut limited = Command::new("sh");
        limited.args(["-c", "trap '' XFSZ; ulimit -f 8000; exec \"$@\"", "sh"]).arg(program);
        limited.args(["--code-cache", "none", "linux", "--name", "one", "--memory", "512M", "--disk", "disk"]);
        limited.args(["--append", SHELL, "--kernel"]).arg(&guest.kernel);
        limited.arg("--initrd").arg(&guest.initrd).current_dir(&home.0.0).env("XDG_RUNTIME_DIR", &home.0.0);
        limited.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        *command = limited;
    });
    one.until("SHELL-START", BOOT);
    one.shell("kept=yes");
    let said = home.says(&["save", "one", "saved"], 1);
    assert!(said.contains("saved: File too large") && said.contains("the guest goes on"), "{said}");
    assert!(!home.at("saved").exists() && !home.at("saved.part").exists());
    let said = one.shell("echo $kept");
    assert!(said.contains("\nyes"), "{said}");
    writeln!(one.to, "poweroff -f").expect("it reads");
    one.ends(0);
}
