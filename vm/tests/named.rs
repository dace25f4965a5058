//! Guests with names: in the background, found by other commands, reached by ssh, shut down.
//!
//! The host's ssh and scp are programs of the test here, which show what they are told; `debian.rs` has real ones.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::signals::send;
use support::{Guest, SHELL, endicott, guest};

/// A user's runtime folder and home, gone at the end.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Home {
        let folder = std::env::temp_dir().join(format!("endicott-named-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("bin")).expect("the host has a folder for temporary files");
        Home(folder)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = endicott();
        let path = std::env::var("PATH").unwrap_or_default();
        command.args(words).current_dir(&self.0).stdin(Stdio::null());
        command.env("XDG_RUNTIME_DIR", &self.0).env("HOME", &self.0).env_remove("XDG_DATA_HOME");
        command.env("PATH", format!("{}:{path}", self.0.join("bin").display()));
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("endicott starts")
    }

    /// What a command says that ends so.
    fn says(&self, words: &[&str], code: i32) -> String {
        let output = self.run(words);
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        said
    }

    /// The guest that tests boot, in the background, with a shell at its console.
    fn detach(&self, guest: &Guest, words: &[&str]) -> Output {
        let mut command = self.command(&["linux", "--detach", "--memory", "512M", "--net", "user"]);
        command.args(["--append", "quiet nokaslr vmb.mode=idle"]).args(words);
        command.arg("--kernel").arg(&guest.kernel).arg("--initrd").arg(&guest.initrd);
        command.output().expect("endicott starts")
    }

    /// What `list` says of the only guest that runs.
    fn only(&self) -> Value {
        let said = self.says(&["list", "--json"], 0);
        assert_eq!(said.lines().count(), 1, "{said}");
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"))
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join("endicott").join(name)
    }

    /// A program of the host that says what it is told.
    fn program(&self, name: &str, code: i32) {
        let file = self.0.join("bin").join(name);
        fs::write(&file, format!("#!/bin/sh\necho {name} \"$@\"\nexit {code}\n")).expect("the folder is ours");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }

    /// Waits until the console of a guest has this.
    fn until(&self, console: &Path, mark: &str) {
        let began = Instant::now();
        while !fs::read_to_string(console).unwrap_or_default().contains(mark) {
            assert!(began.elapsed() < Duration::from_secs(120), "{mark}: {:?}", fs::read_to_string(console));
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Waits until a process that was killed has let go of all that it had: its storage takes a moment.
fn await_end(process: u32) {
    let began = Instant::now();
    loop {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let threads = fs::read_dir(format!("/proc/{process}/task")).map_or(0, Iterator::count);
        // After the name in brackets comes the state; Z is a thread of which nothing is left but its number.
        if threads <= 1 && stat.rsplit(')').next().is_none_or(|rest| rest.is_empty() || rest.starts_with(" Z")) {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{stat}");
        thread::sleep(Duration::from_millis(5));
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // One that still runs when the test has failed.
        let left = self.run(&["list", "--json"]);
        for line in String::from_utf8_lossy(&left.stdout).lines() {
            if let Ok(Some(process)) = serde_json::from_str(line).map(|guest: Value| guest["process"].as_u64()) {
                send(process as u32, "KILL");
            }
        }
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_is_wrong_is_said() {
    let home = Home::new("wrong");
    assert!(home.says(&["list"], 0).contains("No guest with a name runs; \"endicott linux NAME --detach\""));
    assert_eq!(home.says(&["list", "--json"], 0), "");
    for (words, why) in [
        (&["stop", "demo"][..], "no guest of the name demo runs: \"endicott linux demo --detach\" starts one"),
        (&["ssh", "demo", "true"], "no guest of the name demo runs"),
        (&["ssh", "a/b"], "\"a/b\" is no name of a guest"),
        (&["cp", "a", "b"], "no file is a guest's: NAME:PATH is one of the guest NAME"),
        (&["cp", "a:x", "b:y"], "files are copied to and from one guest, not a and b"),
        (&["cp", "a:x", "y", "z"], "either what is copied is the guest's, or the place where it goes"),
        (&["cp", "a:x", "a:y"], "either what is copied is the guest's, or the place where it goes"),
        (&["cp", "demo:x", "."], "no guest of the name demo runs"),
        (&["linux", "--disk", "x", "--detach"], "--detach: a guest in the background is to have a name: --name"),
        (&["linux", "--disk", "x", "--name", "a b"], "\"a b\" is no name of a guest"),
        (&["linux", "--disk", "x", "--suite", "sid"], "--suite is for a Debian that is made: \"endicott linux NAME\""),
        (&["linux", "--disk", "nowhere", "--name", "demo", "--detach"], "nowhere"),
        (&["debian", "demo", "--publish", "80:80"], "--publish is for a system that runs: --run"),
    ] {
        let said = home.says(words, 1);
        assert!(said.starts_with("endicott: ") && said.contains(why), "{words:?}: {said}");
    }
    for words in [&["linux"][..], &["linux", "demo", "--kernel", "x"], &["stop"], &["ssh"], &["cp", "x"]] {
        home.says(words, 2);
    }
    // A folder that others may use is no place for what gives orders to guests.
    fs::set_permissions(home.at(""), fs::Permissions::from_mode(0o755)).expect("it is ours");
    assert!(home.says(&["list"], 1).contains("others may use it"));
    fs::remove_dir_all(home.at("")).expect("it is ours");
    std::os::unix::fs::symlink("/tmp", home.0.join("endicott")).expect("the folder is ours");
    assert!(home.says(&["list"], 1).contains("it is no folder"));
}

#[test]
fn a_guest_in_the_background_is_found_and_shut_down() {
    let Some(guest) = guest() else { return };
    let home = Home::new("background");
    let output = home.detach(&guest, &["--name", "one", "--publish", "0:80"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("one runs in the background (process ") && said.contains("\"endicott stop one\""), "{said}");
    let one = home.only();
    assert_eq!((&one["name"], one["memory"].as_u64(), one["cpus"].as_u64()), (&"one".into(), Some(512 << 20), Some(1)));
    let published = one["published"].as_array().expect("ports are a list");
    let ends: Vec<&str> = published.iter().filter_map(|port| port.as_str()?.rsplit(':').next()).collect();
    assert_eq!(ends, ["80", "22"], "{one}");
    let shown = home.says(&["list"], 0);
    assert!(shown.starts_with("NAME  PROCESS  UP") && shown.contains("512M"), "{shown}");
    // It has a session of its own: what ends this test's terminal does not end it.
    let process = one["process"].as_u64().expect("a number") as u32;
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("its name is in brackets").split_whitespace().collect();
    assert_eq!(fields[3], process.to_string(), "{stat}");

    // The name is taken; another one is not.
    let refused = home.detach(&guest, &["--name", "one"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(1), "{said}");
    assert!(said.contains(&format!("one runs already (process {process}): \"endicott ssh one\"")), "{said}");
    home.until(&home.at("one.console"), "IDLE-START");
    assert!(home.detach(&guest, &["--name", "two"]).status.success());
    assert_eq!(home.says(&["list", "--json"], 0).lines().count(), 2);
    assert!(home.says(&["ssh", "--wait", "1", "one"], 1).contains("no sshd of one has answered in 1 seconds"));

    // One is shut down by its own system, the other as if the power failed.
    home.says(&["stop", "one"], 0);
    assert_eq!(home.only()["name"], "two");
    let log = fs::read_to_string(home.at("one.log")).expect("it is kept");
    assert!(log.contains("the guest has ended, with exit code 0"), "{log}");
    home.says(&["stop", "--now", "two"], 0);
    let log = fs::read_to_string(home.at("two.log")).expect("it is kept");
    assert!(log.contains("the guest has ended, with exit code 130"), "{log}");
    assert_eq!(home.says(&["list", "--json"], 0), "");

    // Of one that is killed nothing is in the way.
    assert!(home.detach(&guest, &["--name", "one"]).status.success());
    let process = home.only()["process"].as_u64().expect("a number") as u32;
    assert!(home.at("one.lock").exists() && home.at("one.socket").exists());
    assert!(send(process, "KILL"));
    await_end(process);
    assert!(home.says(&["stop", "one"], 1).contains("no guest of the name one runs"));
    assert!(!home.at("one.lock").exists() && !home.at("one.socket").exists());
    assert!(home.detach(&guest, &["--name", "one"]).status.success());
    home.says(&["stop", "--now", "one"], 0);
}

#[test]
fn the_hosts_ssh_is_told_where_the_guest_is_and_its_exit_status_is_ours() {
    let Some(guest) = guest() else { return };
    let home = Home::new("ssh");
    home.program("ssh", 7);
    home.program("scp", 3);
    // What says that it is an sshd, to one client after the other.
    let script = "for name in failover net_failover virtio_net; do insmod /modules/$name.ko; done
ip link set lo up; ip link set eth0 up; ip addr add 10.0.2.15/24 dev eth0; ip route add default via 10.0.2.2
ping -c 1 10.0.2.2
while :; do echo SSH-2.0-test | nc -l -p 22 -w 1; done\n";
    let mut command = home.command(&["linux", "--name", "three", "--memory", "512M", "--net", "user"]);
    command.args(["--append", SHELL, "--kernel"]).arg(&guest.kernel);
    command.arg("--initrd").arg(&guest.initrd).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().expect("endicott starts");
    let mut keys = child.stdin.take().expect("it is piped");
    std::io::Write::write_all(&mut keys, script.as_bytes()).expect("it listens");
    let began = Instant::now();
    // One that is about to start has a name and nothing else yet.
    while !home.says(&["list", "--json"], 0).contains("\"process\"") {
        assert!(began.elapsed() < Duration::from_secs(60), "it does not start");
        thread::sleep(Duration::from_millis(50));
    }
    let port = home.only()["ssh"].as_str().and_then(|at| at.strip_prefix("127.0.0.1:")).expect("a port").to_owned();
    let said = home.says(&["ssh", "-u", "ada", "three", "test", "-e", "/etc/passwd"], 7);
    let words = format!("-o LogLevel=ERROR -p {port} -l ada -- 127.0.0.1 test -e /etc/passwd\n");
    assert!(said.starts_with("ssh -F /dev/null ") && said.ends_with(&words), "{said}");
    let said = home.says(&["cp", "-r", "a", "./b:c", "three:/tmp"], 3);
    assert!(said.ends_with(&format!(" -P {port} -r -- a ./b:c root@127.0.0.1:/tmp\n")), "{said}");
    let said = home.says(&["cp", "three:x", "."], 3);
    assert!(said.ends_with(" -- root@127.0.0.1:x .\n"), "{said}");
    // Ended by a signal, it leaves its name to others.
    assert!(send(child.id(), "TERM"));
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(!home.at("three.lock").exists() && !home.at("three.socket").exists());
}
