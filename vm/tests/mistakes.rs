//! What people get wrong at the command line: one clear sentence each, with the remedy, and exit code 1.

mod support;

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use support::line::Line;
use support::{System, endicott, sample};

/// A folder with the sample system, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        Folder(sample(name))
    }

    fn write(&self, name: &str, text: &str) -> &Folder {
        fs::write(self.0.join(name), text).expect("the folder is there");
        self
    }

    fn run(&self, words: &[&str]) -> String {
        refused(endicott().args(["run", "--headless", "--system"]).arg(&self.0).args(words))
    }

    /// How `endicott directory check` ends, and what it says.
    fn check(&self) -> (Option<i32>, String) {
        let output = endicott().args(["directory", "check"]).arg(&self.0).output().expect("endicott starts");
        (output.status.code(), String::from_utf8(output.stdout).expect("messages are text"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs a command that is refused; what it says.
fn refused(command: &mut Command) -> String {
    let Output { status, stderr, .. } = command.stdin(Stdio::null()).output().expect("endicott starts");
    let said = String::from_utf8(stderr).expect("messages are text");
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.starts_with("endicott: "), "{said}");
    said
}

fn expect(said: &str, words: &[&str]) {
    words.iter().for_each(|word| assert!(said.contains(word), "no {word:?} in: {said}"));
}

#[test]
fn a_port_in_use() {
    let folder = Folder::new("port");
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = other.local_addr().expect("an address").to_string();
    let said = folder.run(&["--tn3270", &address]);
    expect(&said, &[&address, "is in use by another program", "--tn3270 another port"]);
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn an_address_of_another_computer_and_one_that_is_none() {
    let folder = Folder::new("address");
    expect(&folder.run(&["--tn3270", "203.0.113.7:3270"]), &["203.0.113.7:3270", "no address of this computer"]);
    expect(&folder.run(&["--tn3270", "frob"]), &["frob", "an address and a port"]);
}

#[test]
fn a_port_that_needs_a_privilege() {
    let limit = fs::read_to_string("/proc/sys/net/ipv4/ip_unprivileged_port_start");
    if limit.is_ok_and(|limit| limit.trim().parse() == Ok(0)) {
        println!("skipped: on this host every port is for everybody");
        return;
    }
    let folder = Folder::new("privilege");
    // The user who runs the tests may be root: the program must not be.
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    let said = if root {
        let Ok(true) = Command::new("setpriv").arg("--version").stdout(Stdio::null()).status().map(|s| s.success())
        else {
            println!("skipped: this is root, and there is no setpriv to be somebody else");
            return;
        };
        let everybody = Command::new("chmod").args(["-R", "a+rwX"]).arg(&folder.0).status();
        assert!(everybody.is_ok_and(|status| status.success()));
        // The program may lie where only root can look.
        let program = folder.0.join("endicott");
        fs::copy(env!("CARGO_BIN_EXE_endicott"), &program).expect("there is room for the program");
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all"]);
        command.arg(program).args(["run", "--headless", "--tn3270", "127.0.0.1:23", "--system"]).arg(&folder.0);
        refused(&mut command)
    } else {
        folder.run(&["--tn3270", "127.0.0.1:23"])
    };
    expect(&said, &["127.0.0.1:23", "needs a privilege", "a port above 1023"]);
}

#[test]
fn a_system_that_is_not_there() {
    let said = refused(endicott().args(["run", "--headless", "--system", "/nonexistent/system"]));
    expect(&said, &["there is no system in /nonexistent/system", "endicott sample /nonexistent/system"]);
    let folder = Folder::new("no-directory");
    fs::remove_file(folder.0.join("USER DIRECT")).expect("the sample has one");
    expect(&folder.run(&[]), &["USER DIRECT does not exist", "endicott sample DIR"]);
}

#[test]
fn a_sample_where_there_is_a_system() {
    let folder = Folder::new("twice");
    expect(&refused(endicott().arg("sample").arg(&folder.0)), &["exists already"]);
}

#[test]
fn a_system_that_is_running_already() {
    let system = System::start("running", |_| {});
    let said =
        refused(endicott().args(["run", "--headless", "--tn3270", "127.0.0.1:0", "--system"]).arg(&system.folder));
    expect(&said, &["is running already"]);
}

#[test]
fn a_malformed_directory() {
    let folder = Folder::new("directory");
    let text = "USER A A 16M 64M G\n CONSOLE 009 3215\n FROBNICATE 7\n SPOOL 00C 9999 READER *\n\
        USER B B sixteen 64M G\n\
                USER A A 16M 64M G\n MACHINE VAX\n LINK MAINT 190 190 XX\n";
    let said = folder.write("USER DIRECT", text).run(&[]);
    for (line, words) in [
        (3, &["FROBNICATE", "A", "expected"][..]),
        (4, &["SPOOL of A", "9999", "expected"]),
        (5, &["USER", "SIXTEEN", "expected"]),
        (6, &["USER", "A"]),
        (7, &["MACHINE", "VAX", "expected"]),
        (8, &["LINK", "XX", "expected"]),
    ] {
        let place = format!("USER DIRECT:{line}");
        let found = said.lines().find(|row| row.contains(&place)).unwrap_or_else(|| panic!("no {place} in:\n{said}"));
        words.iter().for_each(|word| assert!(found.to_uppercase().contains(&word.to_uppercase()), "{word}: {found}"));
    }
}

#[test]
fn one_bad_user_and_marks_of_editors() {
    let mut system = System::start("one-bad-user", |folder| {
        let directory = folder.join("USER DIRECT");
        let text = fs::read_to_string(&directory).expect("the sample has one").replace('\n', "\r\n");
        let bad = "USER BAD BAD 16M\r\n OPTION FROBNICATE\r\nUSER ZLIN01 ZLIN01 1G 2G G\r\n OPTION CHPIDV ONE\r\n";
        fs::write(&directory, format!("\u{feff}{text}{bad}\u{1a}")).expect("the folder is ours");
        let config = folder.join("SYSTEM CONFIG");
        let text = fs::read_to_string(&config).expect("the sample has one").replace('\n', "\r\n");
        fs::write(&config, format!("\u{feff}{text}\u{1a}")).expect("the folder is ours");
    });
    let log = system.log();
    expect(&log, &["OPTION of BAD: FROBNICATE is not an option; expected", "no LOGON as BAD"]);
    expect(&log, &["read, but not used here: OPTION CHPIDVIRTUALIZATION ONE (1)"]);
    let mut maint = Line::log_on(&system, "maint");
    Line::connect(&system).say("logon bad bad", "HCPLGA050E");
    maint.say("xautolog bad", "HCPAUT061E BAD not logged on; its entry in the directory has mistakes");
    Line::log_on(&system, "zlin01").say("logoff", "LOGOFF AT");
    system.kill();
    let password = |user: &str| refused(endicott().args(["password", "--system"]).arg(&system.folder).arg(user));
    expect(&password("bad"), &["BAD cannot log on until this is mended", "FROBNICATE is not an option"]);
}

#[test]
fn a_malformed_system_config() {
    let folder = Folder::new("config");
    let said = folder.write("SYSTEM CONFIG", "* mine\nPROCESSORS many\n").run(&[]);
    expect(&said, &["SYSTEM CONFIG:2: ", "PROCESSORS needs a number from 1 to 64"]);
    let said = folder.write("SYSTEM CONFIG", "FROB 7\n").run(&[]);
    expect(&said, &["SYSTEM CONFIG:1: ", "FROB 7 is not a statement", "TN3270 address:port"]);
}

/// All that is wrong at once, and nothing is started for it.
#[test]
fn a_system_is_checked_without_starting_it() {
    let folder = Folder::new("check");
    let (code, said) = folder.check();
    assert!(code == Some(0) && said.ends_with("Nothing is wrong.\n"), "{said}");
    let text = fs::read_to_string(folder.0.join("USER DIRECT")).unwrap();
    let more = "USER BAD BAD 16M\n MACHINE VAX\nUSER ODD ODD 16M 16M G\n LINK NOBODY 190 190 RR\n\
                \x20LINK MAINT 777 777 RR\n\
                \x20MDISK 191 3390 1 10 NONE MR\n MDISK 192 3390 3330 100 VMRES MR\n MDISK 193 3390 1 5 VMRES MR\n\
                \x20DEDICATE 580 0777\n";
    folder.write("USER DIRECT", &(text.clone() + more));
    let config = fs::read_to_string(folder.0.join("SYSTEM CONFIG")).unwrap();
    fs::copy(folder.0.join("volumes/vmres.3390"), folder.0.join("volumes/twin.3390")).unwrap();
    fs::create_dir(folder.0.join("tapes")).unwrap();
    let bad = "PROCESSORS many\nFROB 7\nOPERATOR_USERID NOONE\nDASD 0300 volumes/none.3390\n\
               DASD 0301 volumes/twin.3390\n\
               TAPE 0590 none.aws\n";
    folder.write("SYSTEM CONFIG", &(config.clone() + bad));
    let (code, said) = folder.check();
    assert_eq!(code, Some(1));
    let wrong = [
        "PROCESSORS needs a number",
        "FROB 7 is not a statement",
        "DASD 0300: ",
        "DASD 0200 and DASD 0301 have one serial, VMRES",
        "TAPE 0590: none.aws: ",
        "MACHINE of BAD: VAX",
        "OPERATOR_USERID: there is no user NOONE",
        "LINK 0190 of ODD: there is no user NOBODY",
        "LINK 0777 of ODD: MAINT has no minidisk 0777",
        "MDISK 0191 of ODD: no DASD of SYSTEM CONFIG has the serial NONE",
        "MDISK 0192 of ODD: it ends at 3429, and VMRES at 3338",
        "DEDICATE 0580 of ODD: SYSTEM CONFIG has no DASD or TAPE 0777",
    ];
    expect(&said, &wrong);
    expect(&said, &["note: ", "MDISK 0190 of MAINT overlaps MDISK 0193 of ODD on VMRES"]);
    assert!(said.ends_with(&format!(": {} to mend\n", wrong.len())), "{said}");
    assert!(!folder.0.join("spool").exists(), "nothing was started");
    // A start tells all of SYSTEM CONFIG's at once, too, and the volumes of one serial.
    let said = folder.run(&["--tn3270", "127.0.0.1:0"]);
    expect(&said, &["PROCESSORS needs a number", "FROB 7 is not a statement"]);
    let mut system = System::start("twins", |to| {
        fs::copy(folder.0.join("volumes/vmres.3390"), to.join("volumes/twin.3390")).unwrap();
        fs::write(to.join("SYSTEM CONFIG"), config.clone() + "DASD 0301 volumes/twin.3390\n").unwrap();
    });
    expect(&system.log(), &["DASD 0200 and DASD 0301 have one serial, VMRES"]);
    system.kill();
}

/// What CP could not use of its volumes is told before it starts.
#[test]
fn volumes_that_cp_owns_are_checked_without_a_start() {
    let folder = Folder::new("check-owned");
    support::own_volume(&folder.0, 0x300, 2, 50, "VMPAG1", &["PAGE=10-40", "TDSK=41-END"]);
    let (code, said) = folder.check();
    assert!(code == Some(0) && said.ends_with("Nothing is wrong.\n"), "{said}");
    let text = fs::read_to_string(folder.0.join("USER DIRECT")).unwrap();
    folder.write("USER DIRECT", &(text + "USER ODD ODD 16M 16M G\n MDISK 191 3390 35 3 VMPAG1 MR\n"));
    let config = fs::read_to_string(folder.0.join("SYSTEM CONFIG")).unwrap();
    folder.write("SYSTEM CONFIG", &(config.clone() + "CP_OWNED SLOT 3 VMPAG9\nTDISK VMPAG1 45 5\n"));
    let (code, said) = folder.check();
    assert!(code == Some(1) && said.ends_with(": 3 to mend\n"), "{said}");
    expect(
        &said,
        &[
            "DASD 0300 VMPAG1: PAGE 10-40 is not used: minidisk ODD 0191 lies there; move it, or endicott dasd cpfmtxa",
            "DASD 0300 VMPAG1: TDSK 41-49 is not used: TDISK VMPAG1 45 5 of SYSTEM CONFIG lies there",
            "CP_OWNED SLOT 3: no DASD of SYSTEM CONFIG has the serial VMPAG9",
        ],
    );
    folder.write("SYSTEM CONFIG", &config.replace(" LAZY", " R/O"));
    expect(&folder.check().1, &["DASD 0300 VMPAG1: it may only be read: its DASD statement says R/O, or its file"]);
}

#[test]
fn a_directory_without_users_starts_no_system() {
    let folder = Folder::new("empty");
    for nothing in ["", "* nobody\n", "PROFILE A\n"] {
        let said = folder.write("USER DIRECT", nothing).run(&["--tn3270", "127.0.0.1:0"]);
        expect(&said, &["USER DIRECT has no user", "it needs USER statements"]);
    }
}

#[test]
fn a_certificate_that_is_none() {
    let folder = Folder::new("certificate");
    folder.write("SYSTEM CONFIG", "TLS CERTIFICATE server.pem KEY server.key\n");
    let remedy = "TLS statement names a PEM file";
    expect(&folder.run(&["--tn3270", "127.0.0.1:0"]), &["server.pem", remedy]);
    folder.write("server.pem", "rubbish").write("server.key", "rubbish");
    expect(&folder.run(&["--tn3270", "127.0.0.1:0"]), &["server.", remedy]);
}

#[test]
fn cards_for_nobody_and_cards_that_are_not_there() {
    let folder = Folder::new("punch");
    let punch = |user: &str, file: &str| {
        refused(endicott().args(["punch", "--system"]).arg(&folder.0).arg(user).arg(Path::new(file)))
    };
    expect(&punch("STRANGER", "Cargo.toml"), &["STRANGER"]);
    expect(&punch("LINUX1", "/nonexistent/kernel"), &["/nonexistent/kernel"]);
}

#[test]
fn a_disk_that_a_system_uses() {
    let system = System::start("in-use", |_| {});
    let disk = system.folder.join("volumes/vmres.3390");
    let holder = format!("vmres.3390 is in use by process {} (endicott); ", system.process());
    let files = || {
        let names = fs::read_dir(system.folder.join("volumes")).expect("it is there");
        let mut names: Vec<_> = names.map(|file| file.expect("it is there").file_name()).collect();
        names.sort();
        names
    };
    let dasd = |line: &str| {
        let mut command = endicott();
        command.arg("dasd").args(line.split(' ')).current_dir(system.folder.join("volumes"));
        command
    };
    let created = dasd("create other.3390 3390-1").status().expect("it starts");
    assert!(created.success());
    let before = (files(), fs::read(&disk).expect("it is there"));
    // Of what the system's operator can do, it is said how.
    let operator = "if that is a system, its operator does this with SNAPSHOT rdev";
    for (line, remedy) in [
        ("snapshot vmres.3390", format!("{operator}\n")),
        ("snapshot vmres.3390 --merge", format!("{operator} MERGE\n")),
        ("snapshot vmres.3390 --discard", format!("{operator} DISCARD\n")),
        (
            "copy vmres.3390 new.3390",
            "what it was at a snapshot can be read meanwhile: CP's command SNAPSHOT, then --snapshot N\n".into(),
        ),
        ("compact vmres.3390", "end that first\n".into()),
        ("check vmres.3390 --repair", "end that first\n".into()),
        ("restore other.3390 vmres.3390", "end that first\n".into()),
        ("minidisk vmres.3390 --extent 1.10 --format", "end that first\n".into()),
    ] {
        let said = refused(&mut dasd(line));
        assert!(said.contains(&holder) && said.ends_with(&remedy), "{line}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!((files(), fs::read(&disk).expect("it is there")) == before, "{line} has changed something");
    }
    // Which it can be, once there is one.
    let mut operator = Line::connect(&system);
    operator.say("logon operator operator", "RECONNECTED AT");
    operator.say("snapshot vmres", "WRITTEN IN");
    let copied = dasd("copy vmres.3390 copy.3390 --snapshot 1").output().expect("it starts");
    assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
    let listed = dasd("list copy.3390").output().expect("it starts");
    expect(&String::from_utf8_lossy(&listed.stdout), &["VMRES", "3390-3, 3339 cylinders"]);
}

#[test]
fn a_script_says_that_it_does_not_ipl_unless_it_does() {
    let folder = Folder::new("script-ipl");
    folder.write(
        "USER DIRECT",
        "USER OPERATOR NOPASS 1M 1M ABCDEG\nUSER U NOPASS 1M 1M G\nIPL 00C\nCONSOLE 009 3215 T\n",
    );
    let script = |words: &[&str]| {
        let mut command = endicott();
        command.args(["script", "--system"]).arg(&folder.0).args(words).stdin(Stdio::null());
        let Output { status, stdout, stderr } = command.output().expect("endicott starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is text");
        assert!(status.success(), "{}", text(stderr));
        (text(stdout), text(stderr))
    };
    let told = "the IPL statement of U is not performed without --ipl";
    let (out, errors) = script(&["u", "query userid"]);
    assert!(errors.contains(told) && !out.contains("HCPVMI"), "{out}{errors}");
    // There is no device 00C: what the IPL says shows that it was tried.
    let (out, errors) = script(&["--ipl", "u", "query userid"]);
    assert!(!errors.contains(told) && out.contains("HCPVMI040E Device 000C does not exist"), "{out}{errors}");
    assert!(!script(&["u", "ipl 00c"]).1.contains(told));
}
