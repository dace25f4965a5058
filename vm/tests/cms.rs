//! CMS in the sample system: what each user has, and what a newcomer sees at a real 3270.

mod support;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::line::Line;
use support::{Client, System, cms, endicott, has_s3270, install_cms, sample};

const ANSWER: Duration = Duration::from_secs(60);

/// What a user's console shows of these lines.
fn typed(folder: &Path, words: &[&str]) -> String {
    let done = endicott().arg("script").arg("--system").arg(folder).args(words).output().expect("endicott starts");
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

#[test]
fn each_user_of_the_sample_system_has_disks_with_files() {
    let Some(cms) = cms() else { return };
    let folder = sample("disks-of-all");
    install_cms(&folder, &cms);
    // LOGON of these starts CMS; PROFILE EXEC greets them and links the DEMO disk.
    for (user, greeting) in [("CMSUSER", "Welcome to CMS, CMSUSER"), ("MAINT", "This is MAINT")] {
        let shown = typed(&folder, &["--ipl", user, "listfile profile * a", "query search", "demo sums"]);
        let disks = ["191  A     R/W", "1DE  E     R/", "190  S     R/O", "19E  Y/S   R/O"];
        for wanted in [greeting, "PROFILE  EXEC     A1", "PROFILE  XEDIT    A1", "| split ,"].iter().chain(&disks) {
            assert!(shown.contains(wanted), "{user} {wanted}: {shown}");
        }
    }
    for user in ["OPERATOR", "LINUX1", "LINUX2"] {
        let shown = typed(&folder, &[user, "ipl cms parm autocr", "listfile profile * a", "demo"]);
        for wanted in ["PROFILE  EXEC     A1", "PROFILE  XEDIT    A1", "On this disk"] {
            assert!(shown.contains(wanted), "{user} {wanted}: {shown}");
        }
    }
    fs::remove_dir_all(&folder).expect("the folder is ours");
}

#[test]
fn a_system_without_cms_says_what_is_missing() {
    let Some(cms) = cms() else { return };
    let folder = std::env::temp_dir().join(format!("endicott-without-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the host has a folder for temporary files");
    // A program that lies in no folder with CMS, started in none.
    let program = folder.join("endicott");
    fs::copy(env!("CARGO_BIN_EXE_endicott"), &program).expect("there is room for a program");
    let made = |name: &str, cms: Option<&Path>| {
        let mut command = Command::new(&program);
        command.current_dir(&folder).args(["sample", name]).env_remove("ENDICOTT_CMS");
        command.envs(cms.map(|cms| ("ENDICOTT_CMS", cms))).output().expect("endicott starts")
    };
    let without = made("without", None);
    let said = String::from_utf8_lossy(&without.stderr).into_owned();
    assert!(without.status.success() && folder.join("without/USER DIRECT").exists(), "{said}");
    assert!(said.contains("it is without CMS") && said.contains("gcc-s390x-linux-gnu"), "{said}");
    let direct = fs::read_to_string(folder.join("without/USER DIRECT")).expect("it was just made");
    assert!(direct.contains("\n*IPL CMS"), "nobody starts what is not there");
    let wrong = made("wrong", Some(&folder));
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(!wrong.status.success() && said.contains("has no system.img"), "{said}");
    assert!(!folder.join("wrong").exists(), "nothing is made where a part is missing");
    let good = made("good", Some(&cms));
    assert!(String::from_utf8_lossy(&good.stdout).contains("CMS is on it"));
    fs::remove_dir_all(&folder).expect("the folder is ours");
}

#[test]
fn a_newcomer_finds_cms() {
    let (true, Some(cms)) = (has_s3270(), cms()) else { return };
    let system = System::start("cms", |folder| install_cms(folder, &cms));
    let mut client = Client::connect(&system);
    client.log_on("CMSUSER");
    client.until("and good-bye", ANSWER);
    client.until_status("RUNNING", ANSWER);
    client.say("query autoread", "AUTOREAD = OFF", ANSWER);
    client.say("set autoread on", "Ready;", ANSWER);
    client.until_status("VM READ", ANSWER);
    client.say("query autoread", "AUTOREAD = ON", ANSWER);
    client.say("set autoread off", "Ready;", ANSWER);
    client.until_status("RUNNING", ANSWER);
    client.say("listfile (label", "PROFILE  EXEC     A1 V", ANSWER);
    client.say("primes 20", "2 3 5 7 11 13 17 19", ANSWER);
    client.say("hello", "What is your name?", ANSWER);
    client.until_status("VM READ", ANSWER);
    client.say("Ada", "2 to the power of 190 is 15692754338466", ANSWER);
    client.say("execio 1 diskw my data a (string a first line", "Ready;", ANSWER);
    client.say("type my data", "a first line", ANSWER);
    client.say("nosuch", "Unknown CP/CMS command", ANSWER);
    client.say("help copyfile", "Copies files.", ANSWER);
    client.act("PF(3)");
    client.until("Ready;", ANSWER);
    client.say("#cp logoff", "LOGOFF AT", ANSWER);
}

/// What the macro CONSOLE has to stand: messages of CP's in between.
#[test]
fn a_program_in_assembler_has_the_screen() {
    let (true, Some(cms)) = (has_s3270(), cms()) else { return };
    let system = System::start("console-macro", |folder| install_cms(folder, &cms));
    let mut client = Client::connect(&system);
    client.log_on("CMSUSER");
    client.until("and good-bye", ANSWER);
    client.until_status("RUNNING", ANSWER);
    client.say("asm sketch", "CLEAR A NEW SHEET", ANSWER);
    client.act("MoveCursor(4,9)");
    client.act("PF(2)");
    client.until("SHEET         0001", ANSWER);
    assert!(client.act("ReadBuffer(Ascii)")[4].contains("SA(42=f2) 2a"), "a red stroke");
    assert_eq!(client.rows()[4].trim_end(), "         *");

    // CP has the display for a message, and gives it back as it was.
    let mut other = Client::connect(&system);
    other.log_on("LINUX2");
    other.enter("msg cmsuser come and see");
    client.until("come and see", ANSWER);
    client.act("Clear()");
    client.until("SHEET         0001", ANSWER);
    client.act("MoveCursor(5,11)");
    client.act("Enter()");
    client.until("SHEET         0002", ANSWER);

    client.act("PF(3)");
    client.until("Ready;", ANSWER);
    client.say("#cp logoff", "LOGOFF AT", ANSWER);
}

/// The macro CONSOLE at a display that is dialed to the machine: keys, CP's screen in between, and a user who leaves.
#[test]
fn a_program_in_assembler_has_a_dialed_display() {
    let (true, Some(cms)) = (has_s3270(), cms()) else { return };
    let system = System::start("console-dialed", |folder| install_cms(folder, &cms));
    let mut owner = Line::log_on(&system, "CMSUSER");
    owner.until("and good-bye");
    owner.say("#cp define graf 20", "GRAF 0020 DEFINED");
    owner.say("vmlink maint 1de", "Ready");
    let change = "change /OPEN,PATH='SKETCH'/OPEN,PATH='SKETCH',DEVICE=X'020'/";
    owner.say(&format!("pipe < sketch assemble * | {change} | chop 80 | > dialed assemble a fixed 80"), "Ready");
    // Nothing is dialed: there is no display.
    owner.say("exec asm dialed", "Ready(00040)");

    let mut caller = Client::connect(&system);
    caller.act("Clear()");
    caller.say("dial cmsuser 20", "DIALED TO CMSUSER 0020", ANSWER);
    owner.enter("exec asm dialed");
    caller.until("CLEAR A NEW SHEET", ANSWER);
    caller.act("MoveCursor(4,9)");
    caller.act("PF(2)");
    caller.until("SHEET         0001", ANSWER);
    caller.act("MoveCursor(5,11)");
    caller.act("Enter()");
    caller.until("SHEET         0002", ANSWER);
    caller.act("Clear()");
    caller.until("CLEAR A NEW SHEET", ANSWER);
    // The program ends, so nothing unlocks this keyboard.
    caller.press("PF(3)");
    owner.until("Ready;");
    drop(caller);

    // The user hangs up while the program waits. It goes on waiting: the next who dials has the sheet.
    let mut caller = Client::connect(&system);
    caller.act("Clear()");
    caller.say("dial cmsuser 20", "DIALED TO CMSUSER 0020", ANSWER);
    owner.enter("exec asm dialed");
    caller.until("CLEAR A NEW SHEET", ANSWER);
    caller.act("Enter()");
    caller.until("SHEET         0001", ANSWER);
    drop(caller);
    let mut caller = Client::connect(&system);
    caller.act("Clear()");
    caller.enter("dial cmsuser 20");
    let shown = caller.until("CLEAR A NEW SHEET", ANSWER);
    assert!(!shown.contains("0001"), "{shown}");
    caller.press("PF(3)");
    owner.until("Ready;");
    owner.say("#cp logoff", "LOGOFF AT");
}

/// A virtual machine that has had nothing to do for so long has given up what it can do without.
const RESTED: Duration = Duration::from_secs(14);

/// Kilobytes of storage that a process occupies when its users have rested; what it has several times in common with
/// itself counts once.
///
/// On a busy host some rest later than others: it is read until it falls no further.
fn occupied_kib(process: u32) -> Option<u64> {
    std::thread::sleep(RESTED);
    let read = || {
        let rollup = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let mut least = read()?;
    for _ in 0..10 {
        std::thread::sleep(Duration::from_secs(2));
        let now = read()?;
        if now + 64 > least {
            break;
        }
        least = now;
    }
    Some(least)
}

/// So many users pay for what all have in common: more than there are rooms that are kept for machines that wake, which
/// are 2 MiB each.
const FIRST: usize = 20;

/// Beside them: OPERATOR, CMSUSER, and DISKACNT, which collects accounting records.
const OTHERS: usize = 3;

/// All of them are there at once. ENDICOTT_CMS_USERS says how many; a thousand take some minutes.
///
/// What a user who does nothing costs: how much more the process occupies with all of them than with the first twenty,
/// divided by the users. What all have in common fills late on a slow host, and would be on the bill: then as many
/// users more are the measure, twice at most.
#[test]
fn many_users_of_cms_log_on_run_execs_and_log_off() {
    let Some(cms) = cms() else { return };
    let count: usize =
        std::env::var("ENDICOTT_CMS_USERS").ok().and_then(|n| n.parse().ok()).unwrap_or(100).max(FIRST + 1);
    let system = System::start("many-cms", |folder| {
        install_cms(folder, &cms);
        let path = folder.join("USER DIRECT");
        let mut text = std::fs::read_to_string(&path).expect("the sample has a directory");
        for n in 0..3 * count {
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
        // All are awake at once, so that the rooms that are kept are as many each time, however slow the host is.
        users.iter_mut().for_each(|user| user.enter("listfile hello exec *"));
        users.iter_mut().for_each(|user| _ = user.until("HELLO    EXEC     A1"));
        occupied_kib(system.process())
    };
    let (mut all, mut before, mut bills) = (FIRST, log_on(FIRST), Vec::new());
    for more in [count - FIRST, count, count] {
        all += more;
        let after = log_on(all);
        let (Some(least), Some(most)) = (before, after) else { break };
        let each = most.saturating_sub(least) / more as u64;
        println!("{all} users: {least} to {most} KiB, {each} KiB each");
        bills.push(each);
        if each < 300 {
            break;
        }
        before = after;
    }
    assert!(bills.last().is_none_or(|each| *each < 300), "a user of CMS who does nothing occupies {bills:?} KiB");
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
    assert!(all.contains(&format!("{} USERS", users.len() + OTHERS)), "{all}");
    for user in &mut users {
        user.say("#cp logoff", "LOGOFF AT");
    }
    let all = first.say("#cp query users", "USERS,");
    assert!(all.contains(&format!("{OTHERS} USERS")), "{all}");
    assert!(quickest < Duration::from_millis(50), "IPL CMS took {quickest:?}");
}

/// What `endicott cms run` prints, what it complains of, and its exit status.
fn program(folder: &Path, source: &Path, options: &[&str], words: &[&str], input: &str) -> (String, String, i32) {
    let mut command = endicott();
    command.args(["cms", "run", "--system"]).arg(folder).args(options).arg("cmsuser").arg(source).args(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("endicott starts");
    // It may end before it has read this.
    let _ = child.stdin.take().expect("it has an input").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("endicott ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(output.stdout), text(output.stderr), output.status.code().expect("it ends by itself"))
}

#[test]
fn a_program_in_c_is_run_by_one_command() {
    let Some(cms) = cms() else { return };
    let compiler = std::env::var("S390X_CC").unwrap_or_else(|_| "s390x-linux-gnu-gcc".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        println!("skipped: there is no {compiler}");
        return;
    }
    let folder = sample("program");
    install_cms(&folder, &cms);
    let source = |name: &str, lines: &str| {
        let path = folder.join(name);
        fs::write(&path, format!("#include \"cmslib.h\"\n#include <string.h>\n{lines}\n")).expect("the folder is ours");
        path
    };
    let words = source(
        "argv.c",
        "int main(int argc, char *argv[])\n{\n\tfor (int n = 0; n < argc; n++)\n\t\tprint(\"%d %s\", n, argv[n]);\n\
         \treturn argc;\n}",
    );
    assert_eq!(program(&folder, &words, &[], &[], ""), ("0 ARGV\n".into(), String::new(), 1));
    // CMSUSER has HELLO EXEC, which is not meant.
    let hello =
        source("hello.c", "int main(int c, char *v[])\n{\n\t(void)c, (void)v;\n\tprint(\"C\");\n\treturn 0;\n}");
    assert_eq!(program(&folder, &hello, &[], &[], ""), ("C\n".into(), String::new(), 0));
    let said = program(&folder, &words, &[], &["--one", "Two", "(three"], "");
    assert_eq!(said, ("0 ARGV\n1 --one\n2 Two\n3 (\n4 three\n".into(), String::new(), 5));
    // It is a command of CMS now, and nothing else is left on the disk or in the reader.
    let shown =
        typed(&folder, &["CMSUSER", "ipl cms parm autocr", "argv as a command", "listfile $* * a", "query rdr"]);
    for wanted in ["3 command", "DMSLST002E File not found", "NO RDR FILES"] {
        assert!(shown.contains(wanted), "{wanted}: {shown}");
    }
    let echo = source(
        "echo.c",
        "int main(int argc, char *argv[])\n{\n\tchar line[131];\n\n\t(void)argc, (void)argv;\n\tprint(\"Name?\");\n\
         \twhile (read_text(line) != 0 && strcmp(line, \"end\") != 0)\n\t\tprint(\"<%s>\", line);\n\treturn 300;\n}",
    );
    let (shown, complaint, status) = program(&folder, &echo, &[], &[], "Ada\nBob, too\nend\nnot read\n");
    assert_eq!((shown.as_str(), status), ("Name?\n<Ada>\n<Bob, too>\n", 255));
    assert!(complaint.contains("the return code is 300"), "{complaint}");
    let (shown, complaint, status) = program(&folder, &echo, &[], &[], "Ada\n");
    assert_eq!((shown.as_str(), status), ("Name?\n<Ada>\n", 255));
    assert!(complaint.contains("standard input has no more lines"), "{complaint}");
    // One of 6 MB lies above 16 MB, and calls CMS from there.
    let large = source(
        "large.c",
        "static char big[6 << 20];\n\nint main(int argc, char *argv[])\n{\n\tstruct cms_file file;\n\
         \tuint32_t length;\n\n\
         \t(void)argc, (void)argv;\n\tfile_name(&file, \"PROFILE\", \"EXEC\", \"A\");\n\
         \tlength = (uint32_t)file_read(&file, big + sizeof big - 255, 255, &length);\n\
         \tprint(\"%d %d\", (uint32_t)big >= 1 << 24, length);\n\treturn cms(\"STATE PROFILE EXEC A\");\n}",
    );
    assert_eq!(program(&folder, &large, &[], &[], ""), ("1 0\n".into(), String::new(), 0));
    let wrong = |name: &str, lines: &str, options: &[&str], wanted: &str| {
        let (shown, complaint, status) = program(&folder, &source(name, lines), options, &[], "");
        assert!(status == 255 && complaint.contains(wanted), "{name}: {status} {shown}{complaint}");
    };
    wrong("bad.c", "int main(void) { return nothing; }", &[], "bad.c is not compiled");
    wrong("lost.c", "int gone(void);\nint main(int c, char *v[]) { (void)c, (void)v; return gone(); }", &[], "GONE");
    wrong("loop.c", "int main(int c, char *v[]) { (void)c, (void)v; for (;;); }", &["--wait", "2"], "still runs");
    wrong("ends.c", "int main(int c, char *v[]) { (void)c, (void)v; user_abend(5); }", &[], "ended by an abend");
    wrong("muchtoolong.c", "", &[], "no name of a command");
    wrong("argv.o", "", &[], "no source in C");
    let (_, complaint, status) = program(&folder, &folder.join("none.c"), &[], &[], "");
    assert!(status == 255 && complaint.contains("none.c"), "{complaint}");
    fs::remove_dir_all(&folder).expect("the folder is ours");
}
