//! `endicott linux`: one guest on standard input and output, and what its exit code says.

mod support;

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use ::support::folder::Folder;
use serde_json::Value;
use support::signals::{SIGHUP, SIGINT, SIGTERM, hearing, hears, send};
use support::{endicott, guest, shell};

/// A kernel that Endicott takes for one: the marks of an image for s390x, and this program at its entry, X'10000', in
/// ESA/390 mode.
fn kernel(name: &str, program: &[u8]) -> PathBuf {
    let mut image = vec![0; 0x1_1000];
    // BRC to the program, after the fields that the loader fills in.
    image[0x1_0000..0x1_0004].copy_from_slice(&[0xa7, 0xf4, 0x06, 0x00]);
    image[0x1_0008..0x1_000e].copy_from_slice(b"S390EP");
    image[0x1_0430..0x1_0438].copy_from_slice(&0x380u64.to_be_bytes());
    image[0x1_0c00..0x1_0c00 + program.len()].copy_from_slice(program);
    let path = std::env::temp_dir().join(format!("endicott-kernel-{name}-{}", std::process::id()));
    fs::write(&path, image).expect("the host has a folder for temporary files");
    path
}

/// `endicott linux` with this kernel, 64 megabytes and these words; no input comes.
fn run(kernel: &PathBuf, words: &[&str]) -> Output {
    let mut command = endicott();
    command.args(["linux", "--memory", "64M", "--kernel"]).arg(kernel).args(words);
    command.stdin(Stdio::null()).output().expect("endicott starts")
}

/// What `--json` says of the run: the last line of standard error.
fn accounts(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {said}"))
}

fn number(json: &Value, key: &str) -> u64 {
    json[key].as_u64().unwrap_or_else(|| panic!("{key} is no number: {json}"))
}

#[test]
fn a_guest_that_powers_off_ends_with_0_and_is_accounted_for() {
    let Some(guest) = guest() else { return };
    let output = endicott()
        .args([
            "linux",
            "--json",
            "--memory",
            "512M",
            "--cpus",
            "2",
            "--append",
            "quiet nokaslr vmb.mode=boot",
            "--kernel",
        ])
        .arg(&guest.kernel)
        .arg("--initrd")
        .arg(&guest.initrd)
        .stdin(Stdio::null())
        .output()
        .expect("endicott starts");
    let (said, why) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}{why}");
    assert!(said.contains("INIT-START"), "{said}");
    let json = &accounts(&output);
    assert_eq!((number(json, "exit"), number(json, "cpus"), number(json, "storage")), (0, 2, 512 << 20), "{json}");
    assert!(number(json, "instructions") > 1_000_000_000, "{json}");
    assert!(number(json, "total_cpu_us") >= number(json, "virtual_cpu_us"), "{json}");
    assert!(number(json, "elapsed_us") > 0 && number(json, "io_starts") > 0, "{json}");
    // The translator's counters: nearly everything was executed as host code.
    assert!(number(json, "jit_blocks") > 1000 && number(json, "jit_bytes") > number(json, "jit_blocks"), "{json}");
    assert!(number(json, "jit_executed") > number(json, "jit_total") / 10 * 9, "{json}");
    assert!(number(json, "jit_total") > 1_000_000_000 && number(json, "jit_us") > 0, "{json}");
}

/// A loop that is worth translating, and a disabled wait: BASR 12,0; LHI 1,4095; BRCT 1,*; LPSW 14(12).
const LOOP: [u8; 24] = [
    0x0d, 0xc0, 0xa7, 0x18, 0x0f, 0xff, 0xa7, 0x16, 0, 0, 0x82, 0x00, 0xc0, 0x0e, 0, 0, 0, 0x0a, 0, 0, 0, 0, 0x0b, 0xad,
];

/// What a program says in vain is what the host does not let it do: it is said once, and the guest comes to its end.
fn interprets(mut command: Command, kernel: &PathBuf, why: &str) {
    command.args(["linux", "--memory", "64M", "--cpus", "2", "--kernel"]).arg(kernel);
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{said}");
    let sentence = format!("endicott: no translation to host code, the interpreter runs everything: {why}");
    assert_eq!(said.lines().filter(|line| line.contains(&sentence)).count(), 1, "{said}");
}

#[test]
fn a_host_that_gives_no_memory_for_code_interprets_and_says_so_once() {
    let path = kernel("refused", &LOOP);
    // No file of this process may be so long, and memory for code is one.
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 1000; exec \"$@\"", "sh"]).arg(endicott().get_program());
    interprets(shell, &path, "File too large (os error 27)");
    fs::remove_file(path).expect("the file is ours");
}

/// Folders of a user's for a run of [`LOOP`]: nothing of the real user's is read or written.
struct User {
    folder: Folder,
    kernel: PathBuf,
}

impl User {
    fn new(name: &str) -> User {
        User { folder: Folder::empty(name), kernel: kernel(name, &LOOP) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.0.join(name)
    }

    /// A run of the loop by this program or by what starts it, with these words.
    fn run(&self, mut starter: Command, words: &[&str]) -> Output {
        starter.env_remove("ENDICOTT_CODE_CACHE").env_remove("ENDICOTT_ENGINE");
        starter.env("XDG_CACHE_HOME", self.path("cache")).env("XDG_DATA_HOME", self.path("data"));
        starter.args(["linux", "--json", "--memory", "64M", "--kernel"]).arg(&self.kernel).args(words);
        starter.stdin(Stdio::null()).output().expect("it starts")
    }

    /// Blocks that were put into files and that came from there. The loop came to its end, and `complaint` is said of
    /// the folder if it is not empty.
    fn counts(&self, starter: Command, words: &[&str], complaint: &str) -> (u64, u64) {
        let output = self.run(starter, words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert_eq!(said.matches("the folder for code").count(), usize::from(!complaint.is_empty()), "{said}");
        assert!(said.contains(complaint), "{said}");
        let json = &accounts(&output);
        assert!(number(json, "jit_executed") > 1000, "{json}");
        (number(json, "jit_saved"), number(json, "jit_restored"))
    }

    /// The files of code in a folder.
    fn files(&self, name: &str) -> Vec<PathBuf> {
        let list = fs::read_dir(self.path(name)).expect("it is there");
        list.map(|entry| entry.expect("it is listed").path()).filter(|path| path.extension().is_some()).collect()
    }
}

impl Drop for User {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.kernel);
    }
}

#[test]
fn code_is_kept_in_the_folder_that_is_named_in_the_users_or_in_none() {
    let user = User::new("code-kept");
    let named = user.path("named");
    let words = ["--code-cache", named.to_str().expect("it is a plain name")];
    assert_eq!(user.counts(endicott(), &words, ""), (1, 0));
    assert_eq!(user.counts(endicott(), &words, ""), (0, 1));
    assert_eq!(fs::metadata(&named).expect("it was made").permissions().mode() & 0o777, 0o700);
    assert!(!user.path("cache").exists(), "another folder was named");
    assert_eq!(user.counts(endicott(), &["--code-cache", "none"], ""), (0, 0));
    let mut none = Command::new("env");
    none.args(["ENDICOTT_CODE_CACHE=none", env!("CARGO_BIN_EXE_endicott")]);
    assert_eq!(user.counts(none, &[], ""), (0, 0));
    assert!(!user.path("cache").exists(), "none is none");
    assert_eq!(user.counts(endicott(), &[], ""), (1, 0));
    assert_eq!(user.counts(endicott(), &[], ""), (0, 1));
    assert_eq!(user.files("cache/endicott/code").len(), 1);
    // What an interpreter runs has no code.
    let output = user.run(endicott(), &["--engine", "interpreter", words[0], words[1]]);
    assert_eq!((output.status.code(), number(&accounts(&output), "jit_restored")), (Some(3), 0));
}

#[test]
fn a_folder_for_code_that_others_may_use_is_refused_or_not_used() {
    let user = User::new("code-refused");
    let (named, usual) = (user.path("named"), user.path("cache/endicott/code"));
    for (folder, mode) in [(&named, 0o755), (&named, 0o720), (&usual, 0o701), (&usual, 0o777)] {
        fs::create_dir_all(folder).expect("the host has folders");
        fs::set_permissions(folder, fs::Permissions::from_mode(mode)).expect("it is ours");
        let sentence = format!("{}, the folder for code", folder.display());
        if *folder == usual {
            let complaint = format!("{sentence}, is not used: others may use it");
            assert_eq!(user.counts(endicott(), &[], &complaint), (0, 0));
        } else {
            let output = user.run(endicott(), &["--code-cache", named.to_str().expect("it is a plain name")]);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(said.contains(&format!("{sentence}: others may use it: its mode is to be 0700")), "{said}");
        }
        assert!(user.files(folder.strip_prefix(&user.folder.0).expect("in it").to_str().expect("plain")).is_empty());
    }
    // A file is no folder, and a folder that cannot be made is none.
    for (name, why) in [("file", "it is no folder"), ("file/in", "Not a directory")] {
        fs::write(user.path("file"), "").expect("it is ours");
        let output = user.run(endicott(), &["--code-cache", user.path(name).to_str().expect("it is a plain name")]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("the folder for code") && said.contains(why), "{said}");
    }
}

#[test]
fn code_that_was_damaged_is_made_again() {
    let user = User::new("code-damaged");
    let named = user.path("named");
    let words = ["--code-cache", named.to_str().expect("it is a plain name")];
    assert_eq!(user.counts(endicott(), &words, ""), (1, 0));
    let file = user.files("named").remove(0);
    let whole = fs::read(&file).expect("it is ours");
    // Each place in turn is another bit, or the end.
    for at in (0..whole.len()).step_by(whole.len() / 9) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        for bytes in [&damaged[..], &whole[..at]] {
            fs::remove_dir_all(&named).expect("it is ours");
            fs::create_dir(&named).expect("it was there");
            fs::set_permissions(&named, fs::Permissions::from_mode(0o700)).expect("it is ours");
            fs::write(&file, bytes).expect("it is ours");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("it is ours");
            let (saved, restored) = user.counts(endicott(), &words, "");
            assert_eq!(saved + restored, 1, "byte {at} of {}", whole.len());
            assert!(bytes.len() == whole.len() || restored == 0, "the first {at} bytes have no index");
        }
    }
}

#[test]
fn a_folder_for_code_that_takes_nothing_does_not_keep_a_guest_from_starting() {
    let user = User::new("code-full");
    let named = user.path("named");
    fs::create_dir(&named).expect("the host has folders");
    let words = ["--code-cache", named.to_str().expect("it is a plain name")];
    // A file system of one's own, whose folder is `$D`, with nothing left in it or not to be written.
    let within = |step: &str| {
        let mut unshare = Command::new("unshare");
        let mount = format!("mount -t tmpfs -o size=64k,mode=700 tmpfs \"$D\" && {step}");
        unshare.args(["--map-root-user", "--mount", "sh", "-c", &mount, "sh"]).env("D", &named);
        unshare
    };
    if !within("true").output().is_ok_and(|output| output.status.success()) {
        return println!("skipped: this user may not have file systems of its own (unshare of util-linux)");
    }
    let full = "{ head -c 1M /dev/zero > \"$D/fill\"; \"$@\"; code=$?; ls \"$D\"; exit $code; } 2>&1";
    let read_only = "mount -o remount,ro \"$D\" && \"$@\"";
    for (step, left) in [(full, "fill"), (read_only, "")] {
        let mut starter = within(step);
        starter.arg(env!("CARGO_BIN_EXE_endicott"));
        let output = user.run(starter, &words);
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(!said.contains("folder for code") && !said.contains("panicked"), "{said}");
        assert_eq!(said.lines().last().unwrap_or_default() == "fill", left == "fill", "{said}");
        assert!(!said.contains(".code") && !said.contains(".new"), "{said}");
        assert!(said.contains("\"jit_restored\":0"), "{said}");
    }
}

#[test]
fn a_processor_that_lacks_instructions_interprets_and_says_so_once() {
    let qemu = ["qemu-x86_64-static", "qemu-x86_64"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok());
    let Some(qemu) = qemu else { return println!("skipped: qemu-x86_64 is not installed") };
    let path = kernel("lacking", &LOOP);
    let mut command = Command::new(qemu);
    command.args(["-cpu", "Nehalem"]).arg(endicott().get_program());
    interprets(command, &path, "the host's processor lacks MOVBE and BMI2");
    fs::remove_file(path).expect("the file is ours");
}

#[test]
fn a_line_longer_than_the_3215s_reaches_linux_whole() {
    let Some(guest) = guest() else { return };
    let script = format!("echo {} | wc -c; tty\npoweroff -f\n", "a word ".repeat(100));
    for (console, name) in [("3215", "/dev/ttyS0"), ("vt220", "/dev/ttysclp0")] {
        let said = shell(&guest, &["--console", console], script.as_bytes());
        // The shell leaves out the last blank and adds the new line.
        assert!(said.lines().any(|line| line.trim() == "700"), "{said}");
        assert!(said.lines().any(|line| line.trim() == name), "{said}");
    }
}

#[test]
fn a_script_longer_than_linux_lets_be_typed_ahead_reaches_it_whole() {
    let Some(guest) = guest() else { return };
    let mut script = b"sleep 9; cat > /tmp/read\n".to_vec();
    (0..60_000).for_each(|n| script.extend(format!("line {n:07} of what nobody reads for a while\n").bytes()));
    // The end of a file, as it is typed.
    let typed = script.len() - 25;
    script.extend(b"\x04wc -c < /tmp/read\npoweroff -f\n");
    assert!(typed > 2 << 20, "Linux would have room for it");
    let said = shell(&guest, &[], &script);
    let last: Vec<&str> = said.lines().rev().take(6).collect();
    assert!(last.iter().any(|line| line.trim() == typed.to_string()), "{last:?}");
    // In a file lines end as they do there.
    assert!(said.contains("line 0059999 of what nobody reads for a while\n"), "{last:?}");
}

/// A guest's console at a terminal, which `script` gives the program.
struct Screen {
    script: Child,
    keyboard: ChildStdin,
    /// What it shows, as it comes.
    output: mpsc::Receiver<Vec<u8>>,
    /// What has come and the test has not looked for yet.
    said: String,
}

impl Screen {
    /// `None` if there is no `script` on this machine.
    fn new(words: &str) -> Option<Screen> {
        if !Command::new("script").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
        {
            println!("skipped: script is not installed (Debian package bsdutils)");
            return None;
        }
        let line = format!("exec {} linux {words}", env!("CARGO_BIN_EXE_endicott"));
        let mut script = Command::new("script")
            .args(["-qec", &line, "/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script starts");
        let keyboard = script.stdin.take().expect("the input is piped");
        let mut printer = script.stdout.take().expect("the output is piped");
        let (sender, output) = mpsc::channel();
        thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(count @ 1..) = printer.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Some(Screen { script, keyboard, output, said: String::new() })
    }

    /// Types, and waits until this is to be seen; what was up to there.
    fn say(&mut self, keys: &[u8], until: &str) -> String {
        self.keyboard.write_all(keys).expect("script listens");
        self.keyboard.flush().expect("script listens");
        let began = Instant::now();
        loop {
            if let Some(at) = self.said.find(until) {
                let rest = self.said.split_off(at + until.len());
                return std::mem::replace(&mut self.said, rest);
            }
            let left = Duration::from_secs(60).saturating_sub(began.elapsed());
            let Ok(more) = self.output.recv_timeout(left) else { panic!("no {until:?}: {:?}", self.said) };
            self.said.push_str(&String::from_utf8_lossy(&more));
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // One that has ended is no worse for it; without its keyboard the terminal hangs up.
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}

#[test]
fn the_vt220_has_control_c_and_programs_that_use_the_whole_screen() {
    let Some(guest) = guest() else { return };
    let (kernel, initrd) = (guest.kernel.display(), guest.initrd.display());
    let words = format!("--memory 512M --kernel {kernel} --initrd {initrd} --append 'quiet nokaslr vmb.mode=shell'");
    let Some(mut screen) = Screen::new(&words) else { return };
    screen.say(b"", "# ");
    // What is typed is shown once, by Linux.
    let said = screen.say(b"echo one-$((1 + 1))\r", "one-2");
    assert_eq!(said.matches("echo one-").count(), 1, "{said}");
    screen.say(b"sleep 1000\r", "sleep 1000\r\n");
    thread::sleep(Duration::from_millis(500));
    screen.say(b"\x03", "^C\r\n");
    screen.say(b"echo still-$((2 + 1))\r", "still-3");
    // The editor moves about on the screen.
    screen.say(b"vi /tmp/text\r", "\x1b[24;1H");
    screen.say(b"ithree\rlines\rof text", "of text");
    screen.say(b"\x1b", "\x1b[24;1H");
    screen.say(b":wq\r", "# ");
    screen.say(b"wc -l < /tmp/text; echo end-$((4 * 1))\r", "3\r\nend-4");
    // Beside it CP listens, and says so in lines.
    screen.say(b"\x01cquery userid\r", "LINUX    AT ENDICOTT\r\n");
    screen.keyboard.write_all(b"\x01x").expect("script listens");
    assert_eq!(screen.script.wait().expect("script ends").code(), Some(130));
}

#[test]
fn a_kernel_that_panics_ends_with_4() {
    let Some(guest) = guest() else { return };
    // There is no first process: no ramdisk and no disk.
    let output = endicott()
        .args(["linux", "--memory", "512M", "--append", "quiet nokaslr panic=0", "--kernel"])
        .arg(&guest.kernel)
        .stdin(Stdio::null())
        .output()
        .expect("endicott starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("Kernel panic - not syncing"), "{said}");
}

#[test]
fn a_disabled_wait_ends_with_3_and_a_loop_of_program_interruptions_with_5() {
    // LPSW of a disabled wait, 16 bytes on: BASR 12,0; LPSW 14(12).
    let wait = [&[0x0d, 0xc0, 0x82, 0x00, 0xc0, 0x0e], &[0; 10][..], &[0, 0x0a, 0, 0, 0, 0, 0x0b, 0xad]].concat();
    let path = kernel("wait", &wait);
    let output = run(&path, &["--json"]);
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("disabled wait PSW 000A0000 00000BAD"), "{said}");
    assert_eq!(number(&accounts(&output), "exit"), 3);
    fs::remove_file(path).expect("the file is ours");

    // XC 0(256),0 takes the program new PSW away; the next operation code is none.
    let path = kernel("loop", &[0xd7, 0xff, 0, 0, 0, 0, 0, 0]);
    let output = run(&path, &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("program interrupt loop"), "{said}");
    // CP's messages are no part of what the guest printed.
    assert!(!String::from_utf8_lossy(&output.stdout).contains("HCP"), "{output:?}");
    fs::remove_file(path).expect("the file is ours");
}

#[test]
fn a_reboot_of_what_came_from_files_says_that_it_ends_with_6() {
    // LA 3,3; DIAG 2,3,X'308': load again.
    let path = kernel("again", &[0x41, 0x30, 0, 3, 0x83, 0x23, 0x03, 0x08]);
    let output = run(&path, &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{said}");
    let last = said.lines().last().unwrap_or_default();
    assert!(last.contains("the guest asked to be started again (a reboot)") && last.contains("exit code 6"), "{said}");
    fs::remove_file(path).expect("the file is ours");
}

/// SIGHUP ends a guest as SIGTERM does; where it was ignored from the beginning, it stays so.
#[test]
fn a_guest_ends_with_its_terminal_unless_it_is_to_outlive_it() {
    // BRC 15,0: for ever.
    let path = kernel("hangup", &[0xa7, 0xf4, 0, 0]);
    for (ignored, signal) in [(false, "HUP"), (false, "TERM"), (true, "TERM")] {
        let trap = if ignored { "trap '' HUP; " } else { "" };
        let program = env!("CARGO_BIN_EXE_endicott");
        let line = format!("{trap}exec {program} linux --memory 64M --json --kernel {}", path.display());
        let mut shell = hearing("bash");
        let shell = shell.args(["-c", &line]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = shell.spawn().expect("a shell");
        let (pid, began) = (child.id(), Instant::now());
        let signals = if ignored { &[SIGINT, SIGTERM][..] } else { &[SIGINT, SIGTERM, SIGHUP] };
        while !hears(pid, signals) {
            if began.elapsed() > Duration::from_secs(60) {
                child.kill().expect("it is ours");
                panic!("it does not begin: {:?}", child.wait_with_output());
            }
            thread::sleep(Duration::from_millis(1));
        }
        if ignored {
            assert!(send(pid, "HUP"));
            thread::sleep(Duration::from_millis(500));
        }
        assert!(send(pid, signal));
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "{signal}: {output:?}");
        assert_eq!(number(&accounts(&output), "exit"), 130, "{signal}");
    }
    fs::remove_file(path).expect("the file is ours");
}

/// A command line that begins with hyphens is the kernel's.
#[test]
fn what_is_appended_may_begin_with_hyphens() {
    let path = kernel("hyphens", &[0x82, 0, 0xf, 0xff]);
    for words in [&["--append", "--x"][..], &["--append=--x"], &["--append", "-- init=/bin/sh"]] {
        let output = run(&path, words);
        assert_ne!(output.status.code(), Some(2), "{words:?}: {output:?}");
    }
    fs::remove_file(path).expect("the file is ours");
}

/// An ELF file for s390x with these segments, each at an address.
fn segments(segments: &[(u64, &[u8])]) -> Vec<u8> {
    let mut file = b"\x7fELF\x02\x02\x01\0\0\0\0\0\0\0\0\0\0\x02\0\x16\0\0\0\x01".to_vec();
    // Where it begins; its segments' table, after this; no sections; no flags, and the sizes of the two.
    file.extend([0x1_0000u64, 64, 0].iter().flat_map(|word| word.to_be_bytes()));
    file.extend([0, 0, 0, 0, 0, 64, 0, 56, 0, segments.len() as u8, 0, 0, 0, 0, 0, 0]);
    let mut at = 64 + 56 * segments.len() as u64;
    for (address, bytes) in segments {
        file.extend([0, 0, 0, 1, 0, 0, 0, 7]);
        let length = bytes.len() as u64;
        // What is in the file is at its physical address; the virtual one says nothing.
        let words = [at, address + (1 << 40), *address, length, length, 4096];
        file.extend(words.iter().flat_map(|word| word.to_be_bytes()));
        at += length;
    }
    segments.iter().for_each(|(_, bytes)| file.extend_from_slice(bytes));
    file
}

/// The same, compressed by the host's gzip.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut child = Command::new("gzip").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("there is gzip");
    let (mut input, bytes) = (child.stdin.take().expect("it is piped"), bytes.to_vec());
    let writer = thread::spawn(move || input.write_all(&bytes).expect("it listens"));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("all was written");
    output.stdout
}

#[test]
fn a_kernel_is_started_from_an_elf_file_and_from_what_is_compressed() {
    let Some(guest) = guest() else { return };
    let image = fs::read(&guest.kernel).expect("it was made");
    // In pieces, the higher one first.
    let (low, high) = image.split_at(0x4_0000);
    let elf = segments(&[(0x4_0000, high), (0, low)]);
    let path = std::env::temp_dir().join(format!("endicott-kernel-elf-{}", std::process::id()));
    for (what, bytes) in [("elf", elf.clone()), ("gz", gzip(&image)), ("elf.gz", gzip(&elf))] {
        fs::write(&path, bytes).expect("the host has a folder for temporary files");
        let mut command = endicott();
        command.args(["linux", "--memory", "512M", "--append", "quiet nokaslr vmb.mode=boot", "--kernel"]).arg(&path);
        let output = command.arg("--initrd").arg(&guest.initrd).stdin(Stdio::null()).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.code() == Some(0) && said.contains("INIT-START"), "{what}: {said}");
    }
    fs::remove_file(path).expect("the file is ours");
}

#[test]
fn a_kernel_that_is_missing_or_no_kernel_or_too_big_ends_with_1() {
    let refused = |output: Output, words: &[&str]| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        words.iter().for_each(|word| assert!(said.contains(word), "no {word}: {said}"));
    };
    refused(run(&PathBuf::from("/nonexistent/kernel"), &[]), &["/nonexistent/kernel"]);
    let whole = kernel("truncated", &[0; 8]);
    let image = fs::read(&whole).expect("it was just written");
    for length in [0, 1, 0x1_0000, 0x1_0430] {
        fs::write(&whole, &image[..length]).expect("the file is ours");
        refused(run(&whole, &[]), &["not a Linux kernel for s390x"]);
    }
    let at = |place: usize, magic: &[u8]| [&vec![b'x'; place][..], magic, &[0; 1 << 17]].concat();
    let elf = |machine: [u8; 2], order: u8| {
        [&b"\x7fELF"[..], &[2, order], &[1; 10], &[0, 2], &machine, &[0; 1 << 17]].concat()
    };
    let cases: [(Vec<u8>, &str); 17] = [
        (vec![], "it is empty"),
        (vec![b'x'; 1 << 17], "it has not S390EP at byte X'10008'"),
        (vec![b'x'; 100], "it has 100 bytes"),
        (image[..0x1_0430].to_vec(), "it was cut, and has 66608 bytes"),
        (at(0, b"\x1f\x8b\x08"), "it is compressed with gzip, and damaged: "),
        (at(0x202, b"HdrS"), "a Linux kernel for x86"),
        (at(0x38, b"ARM\x64"), "a Linux kernel for arm64"),
        (elf([0, 22], 2), "an ELF file for s390x without Linux's loader; those with it are bzImage and vmlinux in"),
        ([&b"\x7fELF\x01\x02"[..], &[1; 10], &[0, 2, 0, 22], &[0; 1 << 17]].concat(), "for s390 of 31 bits"),
        (segments(&[(0, &image[..])])[..0x1_0200].to_vec(), "it is an ELF file that was cut"),
        (segments(&[(0, &image[..]), (1 << 26, &b"x"[..])]), "1 bytes at X'4000000', and there is room for 67108864"),
        (segments(&[(0x1000, &image[..])]), "without Linux's loader"),
        (gzip(&[0; 65 << 20]), "it is compressed with gzip, and has more than 67108864 bytes"),
        (gzip(&at(0, b"<html>")), "it is an HTML page"),
        (gzip(&image)[..100].to_vec(), "it is compressed with gzip, and damaged: "),
        (elf([62, 0], 1), "an ELF file for x86-64"),
        (at(0, b"<html>"), "an HTML page"),
    ];
    for (bytes, why) in cases {
        fs::write(&whole, bytes).expect("the file is ours");
        refused(run(&whole, &[]), &["truncated", "is not a Linux kernel for s390x: ", why]);
    }
    let ramdisk = whole.with_extension("ramdisk");
    for (bytes, why) in
        [(&b""[..], "it is empty"), (&image[..], "a Linux kernel"), (&elf([62, 0], 1)[..], "an ELF file")]
    {
        fs::write(&ramdisk, bytes).expect("the file is ours");
        fs::write(&whole, &image).expect("the file is ours");
        let ramdisk = ramdisk.to_str().expect("it is text");
        refused(run(&whole, &["--initrd", ramdisk]), &["ramdisk is not an initial RAM disk: ", why]);
    }
    fs::remove_file(ramdisk).expect("the file is ours");
    // The image of a kernel of today has an end of its own.
    let mut ending = image.clone();
    ending.resize(1 << 17, 0);
    ending[0x1_0428..0x1_0430].copy_from_slice(&[0, 0, 0, 0, 0, 1, 0x80, 0]);
    ending[0x1_8000..0x1_8006].copy_from_slice(b"6.1.0 ");
    for (end, cut) in [(&b"\0\0\0\x20zIPL"[..], false), (b"~Module signature appended~\n", false), (b"", true)] {
        fs::write(&whole, [&ending[..], end].concat()).expect("the file is ours");
        let said = String::from_utf8_lossy(&run(&whole, &[]).stderr).into_owned();
        assert_eq!(said.contains("an image of Linux 6.1.0 ends otherwise: it was cut"), cut, "{said}");
    }
    fs::write(&whole, &image).expect("the file is ours");
    refused(run(&whole, &["--initrd", "/nonexistent/initrd"]), &["/nonexistent/initrd"]);
    refused(run(&whole, &["--append", &"x".repeat(5000)]), &["command line"]);
    fs::remove_file(whole).expect("the file is ours");

    let wrong = endicott().args(["linux", "--memory", "lots", "--kernel", "x"]).output().expect("endicott starts");
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn a_kernel_that_is_cut_in_half_does_not_come_up() {
    let Some(guest) = guest() else { return };
    let image = fs::read(&guest.kernel).expect("the guest's kernel is there");
    let path = std::env::temp_dir().join(format!("endicott-half-{}", std::process::id()));
    fs::write(&path, &image[..image.len() / 2]).expect("there is room for half a kernel");
    let output = endicott()
        .args(["linux", "--memory", "512M", "--append", "quiet nokaslr", "--kernel"])
        .arg(&path)
        .stdin(Stdio::null())
        .output()
        .expect("endicott starts");
    fs::remove_file(path).expect("the file is ours");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(matches!(output.status.code(), Some(3..=5)), "{:?}: {said}", output.status);
}

#[test]
fn control_a_reaches_cp_and_ends_the_guest() {
    // A guest that loops: BRC to itself.
    let path = kernel("escape", &[0xa7, 0xf4, 0, 0]);
    let Some(mut screen) = Screen::new(&format!("--memory 64M --console 3215 --kernel {}", path.display())) else {
        return;
    };
    thread::sleep(Duration::from_secs(2));
    let said = screen.say(b"\x01hquery nobody\x15\x01cquery userid\r", "LINUX    AT");
    assert!(said.contains("Ctrl-A x: end the guest"), "{said}");
    assert!(said.contains("CP> query userid"), "{said}");
    screen.keyboard.write_all(b"\x01x").expect("script listens");
    assert_eq!(screen.script.wait().expect("script ends").code(), Some(130), "{said}");
    fs::remove_file(path).expect("the file is ours");
}
