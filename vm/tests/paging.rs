//! CP takes pages from real guests: Linux with more storage than the system has.

mod support;

use std::fs;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;
use support::line::Line;
use support::{SHELL, System, guest, own_volume, sample};

/// A boot takes seconds; a busy machine gets time.
const BOOT: Duration = Duration::from_secs(300);
const LOAD: Duration = Duration::from_secs(600);

/// Statements at the end of SYSTEM CONFIG.
fn configure(folder: &Path, statements: &str) {
    let path = folder.join("SYSTEM CONFIG");
    let mut file = fs::OpenOptions::new().append(true).open(path).expect("the sample has one");
    file.write_all(statements.as_bytes()).expect("the folder is there");
}

/// A number of INDICATE USER: `what` and the number that follows it, in the line that begins so.
fn number(text: &str, line: &str, what: &str) -> u64 {
    let line = text.lines().find(|found| found.starts_with(line)).unwrap_or_else(|| panic!("no {line} in {text}"));
    let rest = line.split_once(what).unwrap_or_else(|| panic!("no {what} in {line}")).1;
    rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().expect("it is a number")
}

/// The operator, logged on since the system is up.
fn operator(system: &System) -> Line {
    let mut line = Line::connect(system);
    line.say("logon operator operator", "RECONNECTED AT");
    line
}

/// Logs on and brings Linux up, with so much storage and so many CPUs.
fn linux(system: &System, user: &str, storage: &str, cpus: usize) -> Option<Line> {
    linux_with(system, user, storage, cpus, "")
}

/// The same, with more on the kernel's command line.
fn linux_with(system: &System, user: &str, storage: &str, cpus: usize, more: &str) -> Option<Line> {
    let guest = guest()?;
    let mut line = Line::log_on(system, &user.to_lowercase());
    line.say(&format!("define storage {storage}"), "Storage cleared");
    for cpu in 1..cpus {
        line.say(&format!("define cpu {cpu}"), "DEFINED");
    }
    system.fill_reader(user, &guest, &format!("{SHELL} {more}"));
    line.until("RDR FILE 0003");
    line.enter("ipl 00c");
    line.until_within("SHELL-START", BOOT);
    Some(line)
}

/// What fills storage with seven files of 50 MB, and defines what looks at them. Lines are short: a 3215 has 150
/// columns.
const FILL: [&str; 4] = [
    "seq 1 300000 >/b; cat /b /b /b /b /b >/c; cat /c /c /c /c /c >/b; echo END-OF-1",
    "f() { echo $1; cat /b; }; g() { for n in 1 2 3 4 5 6 7; do h $n; done; }; echo END-OF-2",
    "h() { f $1 >/m/$1; }; mkdir /m; mount -t tmpfs -o size=450m m /m; g; echo END-OF-3",
    "h() { a=$(f $1|md5sum); b=$(md5sum </m/$1); [ \"$a\" = \"$b\" ] && echo RIGHT-$1; }; echo END-OF-4",
];

/// Each of these lines says when it has ended.
fn perform(line: &mut Line, scripts: &[&str]) {
    for script in scripts {
        line.enter(script);
        line.until_within(&format!("\n{}", &script[script.len() - 8..]), LOAD);
    }
}

/// Fills storage with files that are different, and looks at them twice. How many files were found as they should be.
fn fill_and_look(line: &mut Line) -> usize {
    perform(line, &FILL);
    line.enter("g; g; echo END-OF-5");
    let said = line.until_within("\nEND-OF-5", LOAD);
    said.lines().filter(|line| line.starts_with("RIGHT-")).count()
}

#[test]
fn linux_has_twice_the_storage_there_is() {
    for expanded in ["", "XSTORE 32M\n"] {
        let system = System::start("paging-linux", |folder| configure(folder, &format!("STORAGE 256M\n{expanded}")));
        let Some(mut line) = linux(&system, "LINUX1", "512M", 2) else { return };
        assert_eq!(fill_and_look(&mut line), 14);
        let user = line.say("#cp indicate user", "PCH=");
        println!("{user}");
        let resident = number(&user, "PAGES:", "RES=");
        assert!((20_000..65_536).contains(&resident), "{user}");
        assert!(number(&user, "NPREF=", "READS=") > 10_000 && number(&user, "NPREF=", "WRITES=") > 10_000, "{user}");
        assert_eq!(number(&user, "XSTORE=", "READS=") > 0, !expanded.is_empty(), "{user}");
        println!("{}", line.say("#cp indicate", "LIMITED-"));
        let mut operator = Line::log_on(&system, "maint");
        println!("{}", operator.say("query frames", "LOCKIO"));
        line.enter("poweroff");
        line.until("HCPGSP2629I");
        line.say("logoff", "LOGOFF AT");
    }
}

/// Six programs that have more storage together than the system. Linux is told when one of them misses a page, and runs
/// another.
const PROGRAMS: [&str; 3] = [
    "p() { awk -v k=$1 -v c=$c 'BEGIN { for (i = 0; i < c; i++) a[i] = i * k; q(); q(); q() } \\",
    "function q() { s = 0; for (i = 0; i < c; i++) s += a[i]; print \"SUM\", k, s / k / (c - 1) }'; }; echo END-OF-6",
    "for n in 1 2 3 4 5 6; do p $n & done; wait; grep PFL /proc/interrupts; echo END-OF-7",
];

#[test]
fn linux_goes_on_while_a_page_comes() {
    for (more, engine, real, count) in
        [("", "jit", 192, 500_000), ("", "interpreter", 128, 250_000), ("nopfault", "jit", 192, 500_000)]
    {
        let folder = sample(&format!("paging-told-{engine}{more}"));
        configure(&folder, &format!("STORAGE {real}M\nPAGE 1G\n"));
        let system = System::start_with(folder, &["--engine", engine]);
        let Some(mut line) = linux_with(&system, "LINUX1", "512M", 1, more) else { return };
        line.enter(&format!("c={count}"));
        line.enter(PROGRAMS[0]);
        perform(&mut line, &PROGRAMS[1..2]);
        line.enter(PROGRAMS[2]);
        let said = line.until_within("\nEND-OF-7", LOAD);
        let right = format!(" {}", count / 2);
        let sums = said.lines().filter(|line| line.starts_with("SUM ") && line.trim_end().ends_with(&right));
        assert_eq!(sums.count(), 18, "{said}");
        let told: u64 = said
            .lines()
            .find_map(|line| line.trim_start().strip_prefix("PFL:")?.split_whitespace().next()?.parse().ok())
            .unwrap_or_else(|| panic!("no count in {said}"));
        let user = line.say("#cp indicate user", "PCH=");
        println!("{engine} {more}: {told}\n{user}");
        match more {
            "" => {
                let (first, second) = (number(&user, "PFAULT=", "PFAULT="), number(&user, "PFAULT=", "COMPLETED="));
                assert!(told > 100 && first > 50 && first - second < 10, "{told} {user}");
                // Each has an interruption of its own, and nothing else counts there.
                assert!(first + second >= told, "{told} {user}");
            }
            _ => assert!(told == 0 && !user.contains("PFAULT="), "{told} {user}"),
        }
        line.enter("poweroff");
        line.until("HCPGSP2629I");
    }
}

#[test]
fn two_linux_guests_share_storage_under_pressure() {
    let system = System::start("paging-two", |folder| configure(folder, "STORAGE 384M\nXSTORE 64M\nPAGE 2G\n"));
    std::thread::scope(|scope| {
        for user in ["LINUX1", "LINUX2"] {
            let system = &system;
            scope.spawn(move || {
                let Some(mut line) = linux(system, user, "512M", 1) else { return };
                assert_eq!(fill_and_look(&mut line), 14, "{user}");
                line.enter("poweroff");
                line.until("HCPGSP2629I");
            });
        }
    });
}

/// 192 MB of storage and 96 MB of page space are less than what this guest's files take.
#[test]
fn page_space_that_is_full_stops_what_asks_for_more() {
    let system = System::start("paging-full", |folder| configure(folder, "STORAGE 192M\nPAGE 96M\n"));
    let mut operator = operator(&system);
    let mut other = Line::log_on(&system, "maint");
    let Some(mut line) = linux(&system, "LINUX1", "512M", 1) else { return };
    perform(&mut line, &FILL[..2]);
    line.enter(FILL[2]);
    line.until_within("HCPPGT451W CP entered; no storage is available, since all paging space is in use", LOAD);
    operator.until("HCPPGT401I 90 percent of paging space is in use");
    operator.until("HCPPGT400I All available paging space is in use");
    // It alone: another user works, and what CP takes of the machine's storage is there.
    other.say("query time", "TIME IS");
    line.say("#cp indicate user", "PAGES:");
    line.say("#cp display 0.10", "V00000000");
    // It gives back what it has, and another one has room.
    line.say("#cp system clear", "STORAGE CLEARED");
    let said = other.say("indicate load", "PAGING-");
    println!("{said}");
    line.say("#cp logoff", "LOGOFF AT");
    let Some(mut again) = linux(&system, "LINUX2", "128M", 1) else { return };
    again.enter("poweroff");
    again.until("HCPGSP2629I");
}

/// A page that comes back damaged stops the virtual machine that it is of, and no other.
#[test]
fn a_page_that_is_damaged_stops_its_owner_alone() {
    let system = System::start("paging-damage", |folder| configure(folder, "STORAGE 256M\nPAGE 1G\n"));
    let mut operator = operator(&system);
    let mut other = Line::log_on(&system, "maint");
    let Some(mut line) = linux(&system, "LINUX1", "512M", 1) else { return };
    perform(&mut line, &FILL);
    let path = system.folder.join("pages");
    let length = fs::metadata(&path).expect("there is page space").len();
    let file = fs::OpenOptions::new().write(true).open(&path).expect("it is ours");
    for at in (0..length).step_by(4096) {
        file.write_at(b"damaged", at + 1000).expect("it is ours");
    }
    line.enter("g; g");
    line.until_within("HCPPGT452W CP entered; paging error, the page at ", LOAD);
    operator.until("HCPPGT415E Paging error, reading ");
    other.say("query time", "TIME IS");
    line.say("#cp logoff", "LOGOFF AT");
}

/// TOTAL and INUSE of a line of QUERY ALLOC that follows the line of a volume.
fn allocated(text: &str, volume: &str, what: &str) -> (u64, u64) {
    let rest = text.split_once(volume).unwrap_or_else(|| panic!("no {volume} in {text}")).1;
    let rest = rest.split("DASD ").next().unwrap_or_default();
    (number(rest, &format!("     {what}"), "TOTAL="), number(rest, &format!("     {what}"), "INUSE="))
}

/// Two volumes with page space, a third to overflow to, and a guest that needs all of them: 100 cylinders have 70 MB.
#[test]
fn pages_go_to_volumes_that_cp_owns() {
    let system = System::start("paging-volumes", |folder| {
        configure(folder, "STORAGE 192M\n");
        own_volume(folder, 0x300, 2, 101, "VMPAG1", &["PAGE=1-END"]);
        own_volume(folder, 0x301, 3, 141, "VMPAG2", &["PAGE=11-110", "DRCT=111-120"]);
        own_volume(folder, 0x302, 4, 601, "VMSPL1", &["SPOL=1-END"]);
    });
    let mut operator = operator(&system);
    let Some(mut line) = linux(&system, "LINUX1", "512M", 2) else { return };
    assert_eq!(fill_and_look(&mut line), 14);
    println!("{}", line.say("#cp indicate user", "PCH="));
    operator.until("HCPPGT400I All available paging space is in use; paging continues with spooling space");
    let said = operator.say("query alloc", "DASD 0302") + &operator.say("query alloc map", "PAGE");
    println!("{said}");
    let said = operator.say("query alloc all", "     SPOOL TOTAL=");
    for volume in ["DASD 0300 VMPAG1", "DASD 0301 VMPAG2"] {
        let (total, used) = allocated(&said, volume, "PAGE");
        assert!(total == 100 && used > 90, "{said}");
    }
    let map = operator.say("query alloc map", "SPOL");
    println!("{map}");
    assert!(!system.folder.join("pages").exists(), "the page space is on volumes");
    // What is damaged there harms its owner alone.
    let mut other = Line::log_on(&system, "maint");
    let path = system.folder.join("volumes/vmpag1.3390");
    let length = fs::metadata(&path).expect("there is page space").len();
    let file = fs::OpenOptions::new().write(true).open(&path).expect("it is ours");
    for at in (0..length).step_by(4096).skip(1000) {
        file.write_at(b"damaged", at + 1000).expect("it is ours");
    }
    line.enter("g; g");
    line.until_within("HCPPGT452W CP entered; paging error, the page at ", LOAD);
    operator.until("HCPPGT415E Paging error, reading VMPAG1 on DASD 0300: cylinder ");
    other.say("query time", "TIME IS");
    line.say("#cp logoff", "LOGOFF AT");
}

/// A page volume that was cut, and one that another system uses.
#[test]
fn a_system_comes_up_without_the_page_volumes_that_it_cannot_have() {
    let mut held = None;
    let system = System::start("paging-without", |folder| {
        configure(folder, "STORAGE 192M\n");
        let cut = own_volume(folder, 0x300, 2, 101, "VMPAG1", &["PAGE=1-END"]);
        let length = fs::metadata(&cut).expect("it is there").len();
        let file = fs::OpenOptions::new().write(true).open(&cut).expect("it is ours");
        file.set_len(length / 2).expect("it is ours");
        let used = own_volume(folder, 0x301, 3, 101, "VMPAG2", &["PAGE=1-END"]);
        held = Some(dasd::open(&used).expect("it is whole"));
    });
    let log = system.log();
    for said in [
        "DASD 0300 is not there: ",
        "it was cut",
        "DASD 0301 is not there: ",
        "is in use by",
        "CP_OWNED SLOT 2: volume VMPAG1 is not mounted: a DASD statement",
        "CP_OWNED SLOT 3: volume VMPAG2 is not mounted",
    ] {
        assert!(log.contains(said), "no {said} in {log}");
    }
    let mut operator = operator(&system);
    operator.say("query cpowned", "   3  VMPAG2  ----  OWN    NOT MOUNTED");
    // Page space is the file, as in a system that has no such volumes.
    let said = operator.say("query alloc page", "PAGE  TOTAL=196608");
    assert!(said.contains("/pages (UNITS IN PAGES)"), "{said}");
}
