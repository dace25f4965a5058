//! `endicott debian`: a system made from Debian's packages, unattended, and what is found when it runs.
//!
//! A guest installs some two hundred packages here: that is minutes of a processor. So the test runs where
//! ENDICOTT_DEBIAN names a folder for packages: what is not there yet is fetched, and then everything is made without a
//! network.
//!
//!     ENDICOTT_DEBIAN=~/.cache/endicott/debian cargo test --profile checked -p endicott --test debian -- --nocapture

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use support::{endicott, file_system};

/// Installing takes five minutes of a processor, and a busy machine has less than one.
const PATIENCE: Duration = Duration::from_secs(1500);

/// A user at the terminal of a system.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    paper: ChildStdout,
    seen: String,
}

/// The program in the folder of the test, with what it keeps for the user beside it.
fn program(folder: &Path, words: &[&str]) -> Command {
    let mut command = endicott();
    command.args(words).current_dir(folder).stdin(Stdio::null());
    for variable in ["XDG_RUNTIME_DIR", "XDG_DATA_HOME"] {
        command.env(variable, folder.with_extension("user"));
    }
    command
}

impl Terminal {
    fn begin(folder: &Path, words: &[&str]) -> Terminal {
        let mut command = program(folder, words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("endicott starts");
        let keys = child.stdin.take().expect("the input is piped");
        let paper = child.stdout.take().expect("the output is piped");
        Terminal { child, keys, paper, seen: String::new() }
    }

    /// Reads until `mark` has come; what came since the last of these.
    fn until(&mut self, mark: &str) -> String {
        let began = Instant::now();
        loop {
            if let Some(at) = self.seen.find(mark) {
                return self.seen.drain(..at + mark.len()).collect();
            }
            let mut some = [0; 4096];
            let count = self.paper.read(&mut some).expect("it prints");
            assert!(count > 0 && began.elapsed() < PATIENCE, "{mark} did not come: {}", self.seen);
            self.seen.push_str(&String::from_utf8_lossy(&some[..count]));
            // bash tells the terminal how it wants to have what is pasted.
            self.seen = self.seen.replace('\r', "").replace("\u{1b}[?2004l", "");
        }
    }

    /// Types a line and reads until `mark` has come.
    fn say(&mut self, line: &str, mark: &str) -> String {
        self.keys.write_all(format!("{line}\n").as_bytes()).expect("it listens");
        self.until(mark)
    }

    /// From the login prompt to a shell's.
    fn log_in(&mut self, user: &str, password: &str) {
        self.until("login: ");
        self.say(user, "Password: ");
        self.say(password, if user == "root" { "# " } else { "$ " });
    }

    /// To be typed by root.
    fn power_off(mut self) {
        self.keys.write_all(b"poweroff\n").expect("it listens");
        let mut rest = String::new();
        self.paper.read_to_string(&mut rest).expect("it is text");
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0), "{rest}");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn check(folder: &Path) {
    let output = endicott().args(["dasd", "check", "demo.3390"]).current_dir(folder).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("Nothing is wrong."), "{said}");
    file_system::check(&folder.join("demo.3390"));
}

#[test]
fn a_debian_is_made_and_runs() {
    let Some(packages) = std::env::var_os("ENDICOTT_DEBIAN").map(PathBuf::from) else {
        println!("skipped: it takes minutes (ENDICOTT_DEBIAN names a folder for its packages)");
        return;
    };
    let folder = std::env::temp_dir().join(format!("endicott-debian-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKtestkeytestkeytestkeytestkeytestkeytes ada@somewhere\n";
    fs::write(folder.join("keys"), key).expect("the folder is ours");
    fs::write(folder.join("first"), "#!/bin/sh\necho first-boot on $(hostname) >>/root/first\n").expect("it is ours");
    let user = folder.with_extension("user");
    let _ = fs::remove_dir_all(&user);
    fs::create_dir_all(&user).expect("a folder for the test");
    let words = "debian demo --cylinders 1500 --user ada --password geheim --hostname tester --ssh-key keys";
    let words: Vec<&str> = words.split(' ').collect();
    let make = || {
        let mut command = program(&folder, &words);
        command.args(["--first-boot", "first", "--package", "hello", "--cache"]).arg(&packages);
        // A release other than the host's, if one is wanted.
        if let Some(suite) = std::env::var_os("ENDICOTT_SUITE") {
            command.arg("--suite").arg(suite);
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let names = || {
        let names = fs::read_dir(&folder).expect("it is ours").map(|file| file.expect("it is ours").file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };

    // Stopped when everything is fetched and the guest installs: nothing is left, but the packages.
    let mut child = make().spawn().expect("it starts");
    let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines().map_while(Result::ok);
    let said: Vec<String> = lines.take_while(|line| !line.contains("2/9 ")).collect();
    let kill = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    let ended = child.wait_with_output().expect("it ends");
    let why = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(kill.is_ok_and(|status| status.success()) && ended.status.code() == Some(130), "{said:#?} {why}");
    assert!(why.contains("interrupted; nothing is left of the disk, and what was fetched is kept"), "{why}");
    assert_eq!(names(), ["first", "keys"]);

    // Without a network.
    let nowhere = "http://127.0.0.1:9";
    let began = Instant::now();
    let made = make().envs([("http_proxy", nowhere), ("https_proxy", nowhere)]).output().expect("it starts");
    let said = String::from_utf8_lossy(&[made.stdout, made.stderr].concat()).into_owned();
    assert!(made.status.success(), "{said}");
    println!("made in {:.0?}", began.elapsed());
    for part in
        ["The lists fetched before have to do: ", "Installing ", "1/9 ", "9/9 ", "Installed", "demo.3390 is ready"]
    {
        assert!(said.contains(part), "no {part}: {said}");
    }
    assert_eq!(names(), ["demo.3390", "first", "keys"]);
    check(&folder);

    // It starts to a login prompt, and has what was asked for.
    let run = ["debian", "demo", "--run"];
    let began = Instant::now();
    let mut root = Terminal::begin(&folder, &run);
    root.log_in("root", "geheim");
    println!("logged in after {:.0?}", began.elapsed());
    // What comes first when it starts for the first time may come a little later than the prompt.
    let wait = "until [ -e /usr/local/sbin/first-boot.done ]; do sleep 1; done; cat /root/first; echo SO-$((1))";
    assert!(root.say(wait, "\nSO-1").contains("\nfirst-boot on tester\n"));
    assert!(root.say("hello; echo SO-$((2))", "\nSO-2").contains("Hello, world!"));
    assert!(root.say("hostname; echo SO-$((3))", "\nSO-3").contains("\ntester\n"));
    assert!(root.say("cat /home/ada/.ssh/authorized_keys; echo SO-$((4))", "\nSO-4").contains(key.trim()));
    let owner = root.say("stat -c %U:%a /home/ada/.ssh/authorized_keys; echo SO-$((5))", "\nSO-5");
    assert!(owner.contains("\nada:600\n"), "{owner}");
    let state = root.say("systemctl --failed --no-legend --plain; echo SO-$((6))", "\nSO-6");
    assert!(!state.contains(".service"), "{state}");
    root.power_off();
    check(&folder);

    // And again, as the user; what was to be done once is not done again.
    let mut ada = Terminal::begin(&folder, &run);
    ada.log_in("ada", "geheim");
    let name = ada.say("id -un; echo SO-$((1))", "\nSO-1");
    assert!(name.contains("\nada\n"), "{name:?}");
    ada.say("su - root", "Password: ");
    ada.say("geheim", "# ");
    let times = ada.say("systemctl is-system-running --wait; grep -c . /root/first; echo SO-$((2))", "\nSO-2");
    assert!(times.contains("\n1\n"), "{times}");
    ada.power_off();
    check(&folder);
    it_is_lived_in(&folder);
    check(&folder);
    let refused = endicott().args(["debian", "demo"]).current_dir(&folder).output().expect("it starts");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(1) && said.contains("\"--run\" starts it"), "{said}");
    fs::remove_dir_all(&folder).expect("it is ours");
    fs::remove_dir_all(&user).expect("it is ours");
}

/// In the background, by ssh.
fn it_is_lived_in(folder: &Path) {
    let run = |words: &[&str], code: i32| {
        let output = program(folder, words).output().expect("it starts");
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        said
    };
    let began = Instant::now();
    run(&["linux", "demo", "--detach", "--cpus", "2", "--package", "hello"], 0);
    assert_eq!(run(&["ssh", "demo", "hostname"], 0), "tester\n");
    println!("ssh has answered after {:.1?}", began.elapsed());
    run(&["ssh", "demo", "exit 42"], 42);
    assert_eq!(run(&["ssh", "-u", "ada", "demo", "id", "-un"], 0), "ada\n");
    let network = run(&["ssh", "demo", "ip -4 addr; resolvectl dns; cat /etc/resolv.conf; ls /etc/ssh"], 0);
    for part in ["10.0.2.15/24", "10.0.2.3", "nameserver 127.0.0.53", "ssh_host_ed25519_key.pub"] {
        assert!(network.contains(part), "no {part}: {network}");
    }
    assert!(!network.contains("ssh_host_rsa_key"), "{network}");
    assert_eq!(run(&["ssh", "demo", "systemctl --failed --no-legend --plain"], 0), "");

    // Files there and back, and a folder.
    let bytes: Vec<u8> = (0..3_000_000u32).map(|n| (n % 251) as u8 ^ (n >> 11) as u8).collect();
    fs::create_dir_all(folder.join("project/part")).expect("the folder is ours");
    fs::write(folder.join("project/part/file"), &bytes).expect("the folder is ours");
    run(&["cp", "-r", "project", "demo:"], 0);
    run(&["cp", "demo:project/part/file", "back"], 0);
    assert!(fs::read(folder.join("back")).expect("it has come") == bytes);
    fs::remove_dir_all(folder.join("project")).expect("it is ours");
    fs::remove_file(folder.join("back")).expect("it is ours");

    // One name and one disk are for one guest.
    assert!(run(&["linux", "demo"], 1).contains("demo runs already (process "));
    assert!(run(&["linux", "demo", "--name", "other"], 1).contains("demo.3390 is in use by "));
    run(&["stop", "demo"], 0);
    assert!(run(&["ssh", "demo", "true"], 1).contains("no guest of the name demo runs"));
}
