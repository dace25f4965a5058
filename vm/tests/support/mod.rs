//! A system of its own for a test, real 3270 clients (`s3270`) in front of it, and line-mode clients that are a socket.

// Each file of tests uses a part of this.
#![allow(dead_code)]

pub(crate) mod file_system;
pub(crate) mod line;
pub(crate) mod pages;
pub(crate) mod played;
pub(crate) mod program;
pub(crate) mod signals;
pub(crate) mod site;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The guest that tests boot.
pub(crate) struct Guest {
    pub kernel: PathBuf,
    pub initrd: PathBuf,
}

/// The guest's files, from the folder `ENDICOTT_GUEST` names or from `cache/guest`; says so when they are not there.
pub(crate) fn guest() -> Option<Guest> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cache/guest");
    let folder = std::env::var_os("ENDICOTT_GUEST").map_or(root, PathBuf::from);
    let guest = Guest { kernel: folder.join("kernel.img"), initrd: folder.join("initrd.img") };
    let there = guest.kernel.exists() && guest.initrd.exists();
    if !there {
        println!("skipped: there is no guest in {} (cargo x guest makes one)", folder.display());
    }
    there.then_some(guest)
}

/// The initial RAM disk of the guest that puts a system on disks; says so when it is not there.
pub(crate) fn root_initrd() -> Option<PathBuf> {
    let image = guest()?.initrd.with_file_name("root-initrd.img");
    if !image.exists() {
        println!("skipped: there is no root file system in {} (cargo x guest makes one)", image.display());
        return None;
    }
    Some(image)
}

/// How long a guest that ends by itself may take, on a busy host.
const GUEST: Duration = Duration::from_secs(600);

/// What `endicott linux`, at which no key is pressed, prints until it ends; it must end by itself, with code 0, and not
/// hang.
pub(crate) fn console(command: &mut Command) -> String {
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("endicott starts");
    let reading = [reader(child.stdout.take()), reader(child.stderr.take())];
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is ours") {
            break Some(status);
        }
        if began.elapsed() > GUEST {
            break None;
        }
        thread::sleep(Duration::from_millis(20));
    };
    let threads = status.is_none().then(|| threads(child.id()));
    let _ = child.kill();
    let _ = child.wait();
    let said: String = reading.into_iter().map(|from| from.join().expect("it only reads")).collect();
    if let Some(threads) = threads {
        panic!("the guest has not ended after {GUEST:?}; its threads twice, a second apart:\n{threads}\n{said}");
    }
    assert_eq!(status.and_then(|status| status.code()), Some(0), "{said}");
    said
}

/// Reads what a process prints to its end, beside the test.
fn reader(from: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    let mut from = from.expect("it is piped");
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// What the threads of a process are doing: name, state and clock ticks used, and the call of the host's that each
/// waits in.
fn threads(process: u32) -> String {
    let mut lines = Vec::new();
    for _ in 0..2 {
        for task in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
            let read = |name: &str| fs::read_to_string(task.path().join(name)).unwrap_or_default();
            let stat = read("stat");
            let stat: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
            let [state, used] = [0, 11].map(|at| stat.get(at).copied().unwrap_or("?"));
            lines.push(format!("{:16} {state} {used:8} {}", read("comm").trim(), read("syscall").trim()));
        }
        thread::sleep(Duration::from_secs(1));
    }
    lines.join("\n")
}

/// What a guest's shell says to a script on standard input, until it has powered off.
pub(crate) fn shell(guest: &Guest, words: &[&str], script: &[u8]) -> String {
    let mut child = endicott()
        .args(["linux", "--memory", "512M", "--append", SHELL, "--kernel"])
        .arg(&guest.kernel)
        .arg("--initrd")
        .arg(&guest.initrd)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("endicott starts");
    let mut keyboard = child.stdin.take().expect("the input is piped");
    let script = script.to_vec();
    let typist = thread::spawn(move || keyboard.write_all(&script).expect("endicott listens"));
    let output = child.wait_with_output().expect("endicott ends");
    typist.join().expect("all was typed");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether `s3270` is installed; says so when it is not.
pub(crate) fn has_s3270() -> bool {
    let there = Command::new("s3270").arg("-v").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        println!("skipped: s3270 is not installed (Debian package of the same name)");
    }
    there
}

/// The program under test.
pub(crate) fn endicott() -> Command {
    Command::new(env!("CARGO_BIN_EXE_endicott"))
}

/// A running sample system in a folder of its own; it ends with the test.
pub(crate) struct System {
    pub folder: PathBuf,
    pub port: u16,
    child: Child,
    /// What its process has in its environment beside the test's.
    environment: Vec<(String, PathBuf)>,
    /// What its command line has beside where it is.
    words: Vec<String>,
}

/// How long a system may take until it serves terminals, on a busy host.
const UP: Duration = Duration::from_secs(60);

/// The port of the host at which a system that says this serves terminals.
fn port(log: &str) -> Option<u16> {
    let (_, address) = log.split_once("TN3270 at ")?;
    let (address, _) = address.split_once('\n')?;
    let (_, port) = address.split(' ').next()?.rsplit_once(':')?;
    port.parse().ok()
}

/// What a system says outside of its terminals, in its folder.
const LOG: &str = "operator.log";

/// A directory without the sample's disks for Linux, whose number a test gives to disks of its own.
pub(crate) fn without_linux_disks(directory: &str) -> String {
    directory.split_inclusive('\n').filter(|line| !line.starts_with(" MDISK 200 ")).collect()
}

/// The same with other minidisks of LINUX1's in their place: these statements.
pub(crate) fn with_linux_disks(directory: &str, statements: &str) -> String {
    let text = without_linux_disks(directory);
    let at = text.find("USER LINUX2").expect("the sample has LINUX2");
    format!("{}{statements}\n{}", &text[..at], &text[at..])
}

/// The sample system in a folder of its own, without CMS.
pub(crate) fn sample(name: &str) -> PathBuf {
    sample_with(name, &["--without-cms"])
}

/// The folder with CMS, the one that `ENDICOTT_CMS` names or `cache/cms`; says so when it is not there.
pub(crate) fn cms() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cache/cms");
    let folder = std::env::var_os("ENDICOTT_CMS").map_or(root, PathBuf::from);
    let there = folder.join("system.img").exists();
    if !there {
        println!("skipped: there is no CMS in {} (cargo x cms makes one)", folder.display());
    }
    there.then_some(folder)
}

/// Makes the sample system in a folder anew, with CMS.
pub(crate) fn install_cms(folder: &Path, cms: &Path) {
    fs::remove_dir_all(folder).expect("the folder is ours");
    let done = endicott().args(["sample", "--cms"]).arg(cms).arg(folder).output().expect("endicott starts");
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(said.contains("CMS is on it"), "{said}{}", String::from_utf8_lossy(&done.stderr));
}

/// The sample system in a folder of its own.
pub(crate) fn sample_with(name: &str, words: &[&str]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("endicott-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let mut command = endicott();
    command.arg("sample").args(words).arg(&folder).stdout(Stdio::null());
    let made = command.status().expect("endicott starts");
    assert!(made.success(), "the sample system is made");
    folder
}

/// Changes a text of the system in a folder.
pub(crate) fn change(folder: &Path, name: &str, change: impl FnOnce(String) -> String) {
    let path = folder.join(name);
    let text = fs::read_to_string(&path).expect("the sample has it");
    fs::write(&path, change(text)).expect("the folder is there");
}

/// Gives the system in a folder a new 3390 of so many cylinders that CP owns, with these areas of its allocation map.
pub(crate) fn own_volume(
    folder: &Path,
    number: u16,
    slot: u8,
    cylinders: u32,
    serial: &str,
    areas: &[&str],
) -> PathBuf {
    let file = folder.join(format!("volumes/{}.3390", serial.to_lowercase()));
    let run = |words: &[&str]| {
        let done = endicott().arg("dasd").arg(words[0]).arg(&file).args(&words[1..]).output().expect("it starts");
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let size = cylinders.to_string();
    run(&["create", "3390", "--cylinders", &size, "--volser", serial, "--format", "plain"]);
    let words: Vec<&str> = areas.iter().flat_map(|area| ["--allocate", area]).collect();
    run(&[&["cpfmtxa", serial][..], &words].concat());
    let statements = format!("DASD {number:04X} {} LAZY\nCP_OWNED SLOT {slot} {serial}\n", file.display());
    let config = fs::OpenOptions::new().append(true).open(folder.join("SYSTEM CONFIG"));
    config.expect("the sample has one").write_all(statements.as_bytes()).expect("the folder is there");
    file
}

impl System {
    /// Makes the sample system and brings it up; `prepare` may change the folder before that.
    pub(crate) fn start(name: &str, prepare: impl FnOnce(&Path)) -> System {
        System::start_at(name, "127.0.0.1", prepare)
    }

    /// The same, serving terminals at this address of the host.
    pub(crate) fn start_at(name: &str, address: &str, prepare: impl FnOnce(&Path)) -> System {
        let prepare = |folder: &Path| {
            prepare(folder);
            Vec::new()
        };
        System::start_in(name, address, prepare)
    }

    /// The same; what `prepare` returns is in the environment of the process.
    pub(crate) fn start_in(name: &str, address: &str, prepare: impl FnOnce(&Path) -> Vec<(String, PathBuf)>) -> System {
        let folder = sample(name);
        let environment = prepare(&folder);
        let (child, port) = System::bring_up(&folder, address, &environment, &[]);
        System { folder, port, child, environment, words: Vec::new() }
    }

    /// Brings up the system in `folder`, with these words on its command line.
    pub(crate) fn start_with(folder: PathBuf, words: &[&str]) -> System {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        let (child, port) = System::bring_up(&folder, "127.0.0.1", &[], &words);
        System { folder, port, child, environment: Vec::new(), words }
    }

    fn bring_up(folder: &Path, address: &str, environment: &[(String, PathBuf)], words: &[String]) -> (Child, u16) {
        let log = fs::File::create(folder.join(LOG)).expect("the folder is there");
        let errors = log.try_clone().expect("a second handle");
        let mut child = endicott()
            .arg("run")
            .arg("--system")
            .arg(folder)
            // The host chooses a port, which no other process can take then.
            .args(["--headless", "--tn3270", &format!("{address}:0")])
            .args(words)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(errors)
            .spawn()
            .expect("endicott starts");
        let began = Instant::now();
        loop {
            let log = fs::read_to_string(folder.join(LOG)).unwrap_or_default();
            if let Some(port) = port(&log) {
                return (child, port);
            }
            let ended = child.try_wait().expect("it is ours");
            if ended.is_some() || began.elapsed() > UP {
                let _ = child.kill();
                panic!("no terminal is served ({ended:?}): {log}");
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends its process, kill -9.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Whatever the test was about: nothing that users do may break CP.
        assert!(!self.log().contains("panicked"), "{}", self.log());
    }

    /// Brings it up again when its process has ended.
    pub(crate) fn restart(&mut self) {
        (self.child, self.port) = System::bring_up(&self.folder, "127.0.0.1", &self.environment, &self.words);
    }

    /// What the system has said so far.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.join(LOG)).unwrap_or_default()
    }

    /// The process that runs the system.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Puts a file after those in a user's card reader: as it is, or as a text in EBCDIC.
    pub(crate) fn punch(&self, user: &str, file: &Path, text: bool) {
        let mut command = endicott();
        command.arg("punch").arg("--system").arg(&self.folder).args(text.then_some("--text")).arg(user).arg(file);
        let done = command.output().expect("endicott starts");
        assert!(done.status.success(), "punch: {}", String::from_utf8_lossy(&done.stderr));
    }

    /// Puts the guest into a user's card reader, as three files: the kernel, its parameters, the RAM disk.
    pub(crate) fn fill_reader(&self, user: &str, guest: &Guest, parameters: &str) {
        let file = self.folder.join(format!("parameters-{user}"));
        fs::write(&file, format!("{parameters}\n")).expect("the folder is there");
        self.punch(user, &guest.kernel, false);
        self.punch(user, &file, true);
        self.punch(user, &guest.initrd, false);
    }
}

/// Parameters of a kernel whose RAM disk has a shell at the console.
pub(crate) const SHELL: &str = "quiet nokaslr vmb.mode=shell";

impl Drop for System {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        } else {
            self.kill();
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Whether there is `openssl`; says so when there is not.
pub(crate) fn has_openssl() -> bool {
    let there = Command::new("openssl").arg("version").output().is_ok();
    if !there {
        println!("skipped: openssl is not installed (Debian package of the same name)");
    }
    there
}

/// A self-signed certificate in the system's folder, `server.pem`, and the statement that names it.
pub(crate) fn certificate(folder: &Path) {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "server.key", "-out", "server.pem"])
        .current_dir(folder)
        .output()
        .expect("openssl starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    fs::write(folder.join("SYSTEM CONFIG"), "TLS CERTIFICATE server.pem KEY server.key\n").expect("it is ours");
}

/// A person at a 3270.
pub(crate) struct Client {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    /// Everything that was on pages turned away.
    pages: String,
}

impl Client {
    /// A model 4 (43 rows) connected to the system, at CP's logo.
    pub(crate) fn connect(system: &System) -> Client {
        Client::connect_as(system, &["-model", "3279-4"], "")
    }

    /// A terminal that s3270 makes with these options, connected with these prefixes of s3270's.
    pub(crate) fn connect_as(system: &System, options: &[&str], prefix: &str) -> Client {
        let mut child = Command::new("s3270")
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("s3270 starts");
        let to = child.stdin.take().expect("the input is piped");
        let from = BufReader::new(child.stdout.take().expect("the output is piped"));
        let mut client = Client { child, to, from, pages: String::new() };
        client.act(&format!("Connect({prefix}127.0.0.1:{})", system.port));
        client.act("Wait(20,InputField)");
        client
    }

    /// Performs one action of s3270's and returns the data it gives.
    pub(crate) fn act(&mut self, action: &str) -> Vec<String> {
        writeln!(self.to, "{action}").and_then(|()| self.to.flush()).expect("s3270 listens");
        let mut data = Vec::new();
        loop {
            let mut line = String::new();
            let length = self.from.read_line(&mut line).expect("s3270 answers");
            assert!(length > 0, "s3270 ended at {action}");
            let line = line.trim_end_matches('\n');
            match line.strip_prefix("data: ") {
                Some(text) => data.push(text.to_owned()),
                None if line == "ok" => return data,
                None if line == "error" => panic!("s3270 {action}: {data:?}"),
                None => {}
            }
        }
    }

    /// The same without waiting for an end: a key whose keyboard no program unlocks any more.
    pub(crate) fn press(&mut self, action: &str) {
        writeln!(self.to, "{action}").and_then(|()| self.to.flush()).expect("s3270 listens");
    }

    /// The screen's rows.
    pub(crate) fn rows(&mut self) -> Vec<String> {
        self.act("Ascii()").iter().map(|row| row.trim_end().to_owned()).collect()
    }

    /// Types a line and presses ENTER.
    pub(crate) fn enter(&mut self, line: &str) {
        let quoted = line.replace('\\', "\\\\").replace('"', "\\\"");
        self.act(&format!("String(\"{quoted}\")"));
        self.act("Enter()");
    }

    /// Fills in the logo; the password is the user ID.
    pub(crate) fn sign_on(&mut self, user: &str) {
        self.act(&format!("String(\"{user}\")"));
        self.act("Tab()");
        self.enter(user);
    }

    /// Logs on at the logo.
    pub(crate) fn log_on(&mut self, user: &str) {
        self.sign_on(user);
        self.until("LOGON AT", Duration::from_secs(20));
    }

    /// Starts what [`System::fill_reader`] has put into the card reader, up to its shell.
    pub(crate) fn ipl_reader(&mut self, limit: Duration) {
        self.until("RDR FILE 0003", limit);
        self.say("ipl 00c", "SHELL-START", limit);
    }

    /// Comes back to a virtual machine that runs without a terminal.
    pub(crate) fn log_on_again(&mut self, user: &str) {
        self.sign_on(user);
        self.until("RECONNECTED AT", Duration::from_secs(20));
    }

    /// Types a line and reads until `mark` has come after it; returns what came.
    pub(crate) fn say(&mut self, line: &str, mark: &str, limit: Duration) -> String {
        self.turn_page();
        self.enter(line);
        self.until(mark, limit)
    }

    /// Reads on, turning full pages, until `mark` is there; returns all that came since the last of these.
    pub(crate) fn until(&mut self, mark: &str, limit: Duration) -> String {
        let began = Instant::now();
        loop {
            let rows = self.rows();
            let screen = rows.join("\n");
            let seen = format!("{}{screen}", self.pages);
            if seen.contains(mark) {
                self.pages.clear();
                return seen;
            }
            assert!(began.elapsed() < limit, "{mark} did not come within {limit:?}:\n{seen}");
            let status = rows.last().map_or("", String::as_str);
            if status.contains("MORE...") || status.contains("HOLDING") {
                self.pages.push_str(&screen);
                self.pages.push('\n');
                self.act("Clear()");
            } else {
                thread::sleep(Duration::from_millis(100));
            }
        }
    }

    /// The lower right corner: what CP or the virtual machine is doing.
    pub(crate) fn status(&mut self) -> String {
        let rows = self.rows();
        let last: Vec<char> = rows.last().map_or("", String::as_str).chars().collect();
        let width = rows.iter().map(|row| row.chars().count()).max().unwrap_or(80).max(80);
        last.iter().skip(width.saturating_sub(20)).collect::<String>().trim().to_string()
    }

    /// Waits for a status.
    pub(crate) fn until_status(&mut self, status: &str, limit: Duration) {
        let began = Instant::now();
        while !self.status().starts_with(status) {
            assert!(began.elapsed() < limit, "no {status} within {limit:?}:\n{}", self.rows().join("\n"));
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Clears the screen, so that what is on it now is not taken for an answer.
    fn turn_page(&mut self) {
        self.act("Clear()");
        self.pages.clear();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
