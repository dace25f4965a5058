//! Each tool with each thing in place of a file that is none: told in a line, at once, and nothing of it is changed.

mod support;

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use support::{endicott, guest, sample};

/// How long any of this may take on a busy host.
const LONG: Duration = Duration::from_secs(20);

/// A folder with a system and what the tools are used on, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = Folder(sample(name));
        let made = [
            "dasd create disk.3390 3390-1 --cylinders 2 --volser ONE --format plain",
            "dasd create cckd.3390 3390-1 --cylinders 2 --volser TWO",
            "dasd minidisk disk.3390 --extent 1.1 --format",
            "dasd minidisk disk.3390 --extent 1.1 --get blocks",
            "tape create tape.aws",
        ];
        made.iter().for_each(|words| folder.succeed(words));
        fs::write(folder.0.join("text"), "0200 3390 disk.3390\n").unwrap();
        folder
    }

    fn command(&self, words: &str) -> Command {
        let mut command = endicott();
        command.current_dir(&self.0).args(words.split_whitespace()).stdin(Stdio::null());
        command
    }

    fn succeed(&self, words: &str) {
        let output = self.command(words).output().expect("endicott starts");
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a program says that ends by itself within the time.
fn ended(command: &mut Command, what: &str) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("endicott starts");
    let read = |from: Option<Box<dyn Read + Send>>| {
        let mut from = from.expect("it is piped");
        thread::spawn(move || {
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes).map(|_| bytes).unwrap_or_default()
        })
    };
    let out = read(child.stdout.take().map(|from| Box::new(from) as _));
    let err = read(child.stderr.take().map(|from| Box::new(from) as _));
    let status = wait(&mut child, what);
    Output { status, stdout: out.join().unwrap(), stderr: err.join().unwrap() }
}

fn wait(child: &mut Child, what: &str) -> std::process::ExitStatus {
    let began = Instant::now();
    loop {
        match child.try_wait().expect("it is ours") {
            Some(status) => return status,
            None if began.elapsed() > LONG => {
                let _ = child.kill();
                panic!("{what}: no end");
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Every place of every command line where a file is named that is there; X is the strange one.
const READS: &[&str] = &[
    "run --headless --tn3270 127.0.0.1:0 --system X",
    "script --system X OPERATOR q",
    "punch --system . CMSUSER X",
    "punch --system . --text CMSUSER X",
    "punch --system . CMSUSER text X",
    "punch --system X CMSUSER text",
    "password --system X CMSUSER",
    "linux --kernel X",
    "linux --kernel text --initrd X",
    "linux --disk X",
    "linux --disk disk.3390 --disk X",
    "linux --disk disk.3390 --tape X",
    "linux --disk disk.3390 --user-data X",
    "linux new --ssh-key X",
    "linux new --first-boot X",
    "reduce X",
    "dasd list X",
    "dasd list disk.3390 X",
    "dasd list --json X",
    "dasd check X",
    "dasd check --quick X",
    "dasd check --repair X",
    "dasd check --json X",
    "dasd compact X",
    "dasd copy X new",
    "dasd copy --snapshot 1 X new",
    "dasd convert X new --to plain",
    "dasd convert X new --to cckd",
    "dasd restore X new",
    "dasd restore X disk.3390",
    "dasd snapshot X",
    "dasd snapshot --merge X",
    "dasd snapshot --discard X",
    "dasd show X",
    "dasd show --json X",
    "dasd show --track 0.0 X",
    "dasd show --map X disk.3390",
    "dasd minidisk X --extent 1.1 --format",
    "dasd minidisk X --extent 1.1 --get new",
    "dasd minidisk X --extent 1.1 --put blocks",
    "dasd minidisk disk.3390 --extent 1.1 --put X",
    "dasd minidisk disk.3390 --of MAINT.191 --system X --get new",
    "dasd import-hercules X",
    "tape list X",
    "tape check X",
    "cms text X",
    "cms text X -o new",
    "debian X --run",
];

/// Where a file is named that is written.
const WRITES: &[&str] = &[
    "sample X",
    "dasd create X 3390-1 --cylinders 1",
    "dasd copy disk.3390 X",
    "dasd copy --replace disk.3390 X",
    "dasd convert disk.3390 X --to cckd",
    "dasd convert --replace disk.3390 X --to plain",
    "dasd restore disk.3390 X",
    "dasd minidisk disk.3390 --extent 1.1 --get X",
    "dasd show --svg X disk.3390",
    "tape create X",
];

#[test]
fn what_is_no_file_is_told_at_once_by_every_tool() {
    let folder = Folder::new("strange");
    let at = |name: &str| folder.0.join(name);
    assert!(Command::new("mkfifo").args([at("fifo"), at("fifo.3390")]).status().unwrap().success());
    std::os::unix::fs::symlink(at("fifo"), at("link")).unwrap();
    fs::create_dir_all(at("folder.3390")).unwrap();
    let _socket = UnixListener::bind(at("socket")).unwrap();
    let strange = ["fifo", "link", "socket", "folder.3390", "/dev/zero", "/dev/null", "/dev/full", "/dev/urandom"];
    let mut cases = 0;
    for words in READS.iter().chain(WRITES) {
        for name in strange {
            // A picture of what is on a disk may go to a device; a folder is what some of them are to be given.
            let device = name.starts_with("/dev/");
            let takes_folder = words.contains("sample X") || words.contains("--system X") || words.contains("--map X");
            if (words.contains("--svg") && device) || (takes_folder && name == "folder.3390") {
                continue;
            }
            // There the name of a disk is made of it.
            let name = if words.starts_with("debian") { name.trim_end_matches(".3390") } else { name };
            if words.starts_with("debian") && !["fifo", "folder"].contains(&name) {
                continue;
            }
            let what = words.replace('X', name);
            let output = ended(&mut folder.command(&what), &what);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{what}: {said}");
            assert!(said.starts_with("endicott: ") && said.contains(name), "{what}: {said}");
            assert!(said.lines().count() <= 2 && !said.contains("panicked"), "{what}: {said}");
            assert!(!at("new").exists(), "{what}");
            cases += 1;
        }
    }
    assert!(fs::metadata(at("fifo")).unwrap().file_type().is_fifo());
    assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    println!("{cases} cases");
    assert!(cases > 350, "{cases}");
}

/// What is read beside what is named: each file of a system, and those beside a disk.
#[test]
fn what_is_no_file_beside_another_is_told_or_does_without() {
    let folder = Folder::new("strange-beside");
    let at = |name: &str| folder.0.join(name);
    fs::write(at("SYSTEM CONFIG"), "TN3270 127.0.0.1:0\n").unwrap();
    let fifo = |name: &str| {
        let _ = fs::remove_file(at(name));
        assert!(Command::new("mkfifo").arg(at(name)).status().unwrap().success(), "{name}");
    };
    let mut cases = 0;
    let mut tell = |name: &str, lines: &[&str], code: i32| {
        let kept = fs::read(at(name)).ok();
        for words in lines {
            fifo(name);
            let what = format!("{words}, and {name} is a FIFO");
            let output = ended(&mut folder.command(words), &what);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{what}: {said}");
            assert!(code == 0 || said.contains(name), "{what}: {said}");
            cases += 1;
        }
        let _ = fs::remove_file(at(name));
        kept.into_iter().for_each(|bytes| fs::write(at(name), bytes).unwrap());
    };
    let run = "run --headless --system .";
    let script = "script --system . OPERATOR q";
    let system = [run, script, "punch --system . CMSUSER text", "password --system . CMSUSER"];
    tell("USER DIRECT", &system, 1);
    tell("passwords", &system, 1);
    tell("SYSTEM CONFIG", &[run, script], 1);
    fs::write(at("SYSTEM CONFIG"), "TN3270 127.0.0.1:0\nTLS CERTIFICATE cert.pem KEY cert.pem\n").unwrap();
    tell("cert.pem", &[run], 1);
    fs::remove_file(at("SYSTEM CONFIG")).unwrap();
    fs::create_dir_all(at("spool/drop")).unwrap();
    tell("spool/lock", &[run, script], 1);
    tell("spool/drop/lock", &["punch --system . CMSUSER text", script], 1);
    let reads = ["dasd check disk.3390", "dasd list disk.3390", "dasd copy --replace disk.3390 other.3390"];
    tell("disk.3390.sums", &reads, 0);
    tell("disk.3390.journal", &reads, 0);
    tell("disk.3390.sums", &["dasd minidisk disk.3390 --extent 1.1 --put blocks"], 0);
    tell("disk.3390.journal", &["dasd minidisk disk.3390 --extent 1.1 --put blocks"], 0);
    tell("disk_s1.3390", &reads, 1);
    tell("new.unfinished", &["dasd copy disk.3390 new", "dasd convert disk.3390 new --to cckd"], 1);
    // A spool file's header and a saved segment's are left alone; the system comes up.
    for name in ["spool/f1.meta", "spool/drop/d1.meta", "spool/saved/0001.meta"] {
        fs::create_dir_all(at("spool/saved")).unwrap();
        tell(name, &[script], 0);
    }
    println!("{cases} cases");
}

/// Standard input without lines and without an end.
#[test]
fn an_endless_standard_input_is_told() {
    let folder = Folder::new("strange-input");
    for input in ["/dev/zero", "/dev/full"] {
        let mut command = folder.command("password --system . CMSUSER");
        let output = ended(command.stdin(File::open(input).unwrap()), input);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains("a line of more than 65536 bytes"), "{said}");
    }
    let input = File::open(".").unwrap();
    let output = ended(folder.command("password --system . CMSUSER").stdin(input), "a folder");
    assert_eq!(output.status.code(), Some(1));
}

/// Files without an end that a host can be made to show: told before they fill storage or the host's disk.
#[test]
fn a_file_larger_than_anything_is_told() {
    let folder = Folder::new("strange-large");
    File::create(folder.0.join("huge")).unwrap().set_len(1 << 43).unwrap();
    let lines = [
        "punch --system . CMSUSER huge",
        "linux --kernel huge",
        "cms text huge",
        "dasd import-hercules huge",
        "dasd minidisk disk.3390 --extent 1.1 --put huge",
        "dasd check huge",
        "tape check huge",
    ];
    for words in lines {
        let output = ended(&mut folder.command(words), words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains("huge"), "{words}: {said}");
    }
}

/// What becomes of a text on cards is told, and what has no end is refused.
#[test]
fn what_is_punched_and_is_not_as_it_was_is_told() {
    let folder = Folder::new("strange-punch");
    let long = format!("short\n{}\n", "x".repeat(100));
    fs::write(folder.0.join("long"), &long).unwrap();
    fs::write(folder.0.join("euro"), "caf\u{e9} 10 \u{20ac}\n").unwrap();
    let said = |words: &str| {
        let output = ended(&mut folder.command(words), words);
        assert!(output.status.success(), "{words}: {output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let of_long = said("punch --system . --text CMSUSER long");
    assert!(of_long.contains("1 lines do not fit on a card of 80 columns") && of_long.contains("line 2"), "{of_long}");
    let of_euro = said("punch --system . --text CMSUSER euro");
    assert!(
        of_euro.contains("1 characters are not in EBCDIC") && of_euro.contains("'\u{20ac}' in line 1"),
        "{of_euro}"
    );
    let raw = said("punch --system . CMSUSER long");
    assert!(raw.contains("it is text, and was punched as it is: --text"), "{raw}");
    assert_eq!(said("punch --system . --text CMSUSER text"), "");
    let line = format!("{} punch --system . --text CMSUSER <(yes)", env!("CARGO_BIN_EXE_endicott"));
    let mut endless = Command::new("bash");
    let output = ended(endless.current_dir(&folder.0).args(["-c", &line]).stdin(Stdio::null()), "yes");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(1) && said.contains("more than 67108864 bytes; nothing was punched"),
        "{said}"
    );
}

/// Everything that prints.
const PRINTS: &[&str] = &[
    "--help",
    "--version",
    "dasd --help",
    "linux --help",
    "help dasd check",
    "sample new.sample",
    "punch --system . --text CMSUSER text",
    "script --system . OPERATOR q",
    "dasd create new.3390 3390-1 --cylinders 1",
    "dasd list disk.3390 cckd.3390",
    "dasd list --json disk.3390",
    "dasd check disk.3390",
    "dasd check --json disk.3390",
    "dasd check --repair cckd.3390",
    "dasd compact cckd.3390",
    "dasd copy --replace disk.3390 other.3390",
    "dasd convert --replace disk.3390 other.3390 --to cckd",
    "dasd restore disk.3390 restored.3390",
    "dasd snapshot cckd.3390",
    "dasd snapshot --merge cckd.3390",
    "dasd snapshot cckd.3390",
    "dasd snapshot --discard cckd.3390",
    "dasd show disk.3390",
    "dasd show --json disk.3390",
    "dasd show --track 0.0 disk.3390",
    "dasd show --map . disk.3390",
    "dasd minidisk disk.3390 --extent 1.1 --get blocks",
    "dasd import-hercules text",
    "tape create new.aws",
    "tape list tape.aws tape.aws",
    "tape check tape.aws",
];

#[test]
fn a_full_disk_under_standard_output_is_a_line_and_a_closed_pipe_is_none() {
    let folder = Folder::new("strange-output");
    let mut cases = 0;
    for (output, code) in [("/dev/full", 1), ("a closed pipe", 141)] {
        for new in ["new.sample", "new.3390", "new.aws"] {
            let new = folder.0.join(new);
            let _ = if new.is_dir() { fs::remove_dir_all(new) } else { fs::remove_file(new) };
        }
        for words in PRINTS {
            let to = match output {
                "/dev/full" => Stdio::from(File::options().write(true).open(output).unwrap()),
                _ => Stdio::from(std::io::pipe().unwrap().1),
            };
            let mut child = folder.command(words).stdout(to).stderr(Stdio::piped()).spawn().expect("endicott starts");
            let status = wait(&mut child, words);
            let mut said = String::new();
            child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            assert_eq!(status.code(), Some(code), "{words} to {output}: {said}");
            let wanted = ["", "endicott: standard output: No space left on device (os error 28)\n"];
            assert_eq!(said, wanted[usize::from(code == 1)], "{words} to {output}");
            cases += 1;
        }
        // What was to be done is done all the same.
        for done in ["new.sample/USER DIRECT", "new.3390", "new.aws", "other.3390", "restored.3390"] {
            assert!(folder.0.join(done).exists(), "{done}, with {output}");
        }
        let checked = ended(&mut folder.command("dasd check cckd.3390"), "check");
        assert!(checked.status.success(), "{checked:?}");
    }
    // Nor is standard error needed for anything.
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    for (words, code) in [("dasd check none", 1), ("dasd check disk.3390", 1), ("dasd", 2), ("linux --kernel none", 1)]
    {
        let mut child = folder.command(words).stdout(full()).stderr(full()).spawn().expect("endicott starts");
        assert_eq!(wait(&mut child, words).code(), Some(code), "{words}");
        cases += 1;
    }
    println!("{cases} cases");
}

/// A guest's output that is lost is told when it has ended; one that is not read is not.
#[test]
fn a_guest_whose_output_is_lost_goes_on() {
    let Some(guest) = guest() else { return };
    for (full, code) in [(true, 7), (false, 0)] {
        let to = match full {
            true => Stdio::from(File::options().write(true).open("/dev/full").unwrap()),
            false => Stdio::from(std::io::pipe().unwrap().1),
        };
        let mut command = endicott();
        command.arg("linux").arg("--kernel").arg(&guest.kernel).arg("--initrd").arg(&guest.initrd);
        let mut child = command
            .args(["--append", "run=poweroff"])
            .stdin(input("poweroff\n"))
            .stdout(to)
            .stderr(Stdio::piped())
            .spawn()
            .expect("endicott starts");
        let began = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(began.elapsed() < Duration::from_secs(300), "the guest has not ended");
            thread::sleep(Duration::from_millis(20));
        };
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(status.code(), Some(code), "{said}");
        assert_eq!(said.contains("standard output: No space left"), full, "{said}");
    }
}

/// A pipe with something in it.
fn input(text: &str) -> Stdio {
    use std::io::Write;
    let (from, mut to) = std::io::pipe().unwrap();
    to.write_all(text.as_bytes()).unwrap();
    Stdio::from(from)
}

/// Where a pipe does as well as a file, one that has its other end is taken.
#[test]
fn a_pipe_of_the_shell_s_is_taken_for_a_file() {
    let folder = Folder::new("strange-pipe");
    let program = Path::new(env!("CARGO_BIN_EXE_endicott"));
    let line = format!("{} punch --system . CMSUSER <(sleep 0.1; cat text)", program.display());
    let output = Command::new("bash").current_dir(&folder.0).args(["-c", &line]).output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains(": 1 cards"), "{output:?}");
}
