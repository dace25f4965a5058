//! Whatever is typed, CMS is there for the next line: no exception in a system routine, no abend, nothing that HX does
//! not end, and the disk is sound.
//!
//! A [`Typist`] types stories of some forty lines at a virtual machine's console, on a disk with files of all formats,
//! a tape and a reader. Some blocks of the disk are damaged at last. `ENDICOTT_TYPED=50000` types so many lines,
//! `ENDICOTT_SEED=n` others. A story that ends badly is played again without this line and that, and what is left is
//! shown.

use cms::system::{Site, images};
use cms::typist::{FILES, Typist};
use fuzz::chance::Chance;
use std::path::{Path, PathBuf};

const LINES: u64 = 400;
const STORY: usize = 40;
/// How long a line may take before HX is typed, and how long HX.
const PATIENCE: u32 = 600;

/// Overlays bytes of a file's records; not what a program executes, and not what gives a MODULE the nucleus's key.
const DAMAGE: &str = "\
/* */
parse upper arg fn ft many seed .
'EXECIO * DISKR' fn ft 'A (FINIS STEM L.'
if rc <> 0 | l.0 = 0 then exit 28
call random 0, 1, seed
do many
  n = random(1, min(l.0, 1000))
  p = random(1, min(length(l.n), 500))
  if substr(l.n, 2, 3) = 'TXT' then p = random(1, 16)
  if ft = 'MODULE' & (n > 1 | p = 21) then iterate
  y = overlay(x2c(word('00 01 02 40 5C 7F 80 C1 F0 FF', random(1, 10))), l.n, p)
  l.n = y
  'EXECIO 1 DISKW' fn ft 'A' n '(FINIS VAR Y'
end
";

const DECK: &str = "cards\nESD 1 SD:DECK:0:20 CM:COMMON:40\nTXT 1 0 41F0000707FE\nEND 0 1";
const CALLER: &str = "cards
ESD 1 SD:CALLER:0:20 ER:DECK WX:NOBODY
TXT 1 0 58F0C00C07FF000000000000
TXT 1 C 00000000
RLD 2 1 1C 00000C
END 0 1";

/// Makes, of the files that are made outside, the others.
const PREPARATIONS: [&str; 20] = [
    "logon cmsuser cmsuser",
    "ipl 190 parm autocr",
    "copyfile wide data a packed data a (pack",
    "maclib gen macros macros",
    "txtlib gen decks deck caller",
    "load deck",
    "genmod deck",
    "load caller",
    "genmod caller",
    "cp spool punch *",
    "sendfile one data a to cmsuser (ack",
    "readcard mail cards",
    "disk dump fixed data a",
    "readcard dumped cards",
    "globalv select g setp name value",
    "sendfile wide data a to cmsuser",
    "punch fixed data a",
    "disk dump one data a",
    "sendfile one data a to cmsuser (note",
    "cp query reader all",
];

/// The disks that every story begins with.
fn disks(cms: &[PathBuf; 2], typist: &Typist) -> [PathBuf; 2] {
    let execs = [("R", "EXEC", "A1", "/* */\nparse arg s\ninterpret s"), ("DAMAGE", "EXEC", "A1", DAMAGE)];
    let program = typist.exec_2_program();
    let user = [
        ("E", "EXEC", "A1", program.as_str()),
        ("ONE", "DATA", "A1", "one\ntwo\nthree four five"),
        ("MACROS", "MACRO", "A1", " MACRO\n&L BLIP &A\n MVI &A,1\n MEND"),
        ("DECK", "TEXT", "A1", DECK),
        ("CALLER", "TEXT", "A1", CALLER),
        (
            "CMSUSER",
            "NAMES",
            "A1",
            ":nick.FRIENDS :list.X CMSUSER FRIENDS\n:nick.X :userid.CMSUSER :node.NODE\n:nick.Y :userid.MAINT",
        ),
        ("SHORT", "SYNONYM", "A1", "LISTFILE LS 2\nTYPE CAT 1"),
        ("CMSINST", "LSEG", "A1", "EXEC R\nEXEC E"),
        ("PROG", "UPDATE", "A1", "./ S 1000 1000\n./ I 2000\n new\n./ D 3000 4000"),
        ("WORDS", "REPOS", "A1", "* a comment\n& 3\n00010001I Hello &1\n00020001E Bad &2"),
    ];
    let folder = cms::scratch().join("typist");
    std::fs::create_dir_all(&folder).expect("the folder above is there");
    let [system, disk] = images(cms, &folder, &[], &[&execs[..], &user[..]].concat());
    let of_bytes = |name: &str, length: usize, format: &[&str]| {
        let bytes: Vec<u8> = (0..length).map(|n| (n * 7 / 3 % 251) as u8).collect();
        put(&disk, &folder, name, &bytes, format);
    };
    let record = |length: usize| [&(length as u16).to_be_bytes()[..], &vec![0xc1; length]].concat();
    of_bytes("FIXED", 80 * 50, &["F", "80"]);
    let cards: Vec<u8> =
        (1..=9).flat_map(|n| base::ebcdic::from_str(&format!("{:72}0000{n}000", " DC C'X'"))).collect();
    put_as(&disk, &folder, ("PROG", "ASSEMBLE"), &cards, &["F", "80"]);
    of_bytes("BYTE", 100, &["F", "1"]);
    of_bytes("HUGE", 200_000, &["F", "200000"]);
    of_bytes("BLOCK", 65_536 * 2, &["F", "65536"]);
    put(&disk, &folder, "WIDE", &[record(1), record(65_535), record(300)].concat(), &["V"]);
    let mut sparse = vec![0; 800 * 2000];
    *sparse.last_mut().expect("there are some") = 1;
    put(&disk, &folder, "SPARSE", &sparse, &["F", "800", "SPARSE"]);
    put(&disk, &folder, "NONE", &[], &["F", "80"]);
    let mut site = Site::with(&[system.clone(), disk]);
    for line in PREPARATIONS {
        let (shown, _) = site.types("CMSUSER", line, 100_000);
        assert!(!shown.contains("Ready("), "{line}: {shown}");
    }
    let ready = folder.join("191 of a story");
    std::fs::copy(site.user_disk(), &ready).expect("there is room");
    let listed = cms::good(&["list", &ready.to_string_lossy()]);
    for (name, kind) in FILES {
        assert!(listed.contains(&format!("{name:8} {kind:8} ")), "{name} {kind} is missing:\n{listed}");
    }
    [system, ready]
}

fn put(disk: &Path, folder: &Path, name: &str, bytes: &[u8], format: &[&str]) {
    put_as(disk, folder, (name, "DATA"), bytes, format);
}

fn put_as(disk: &Path, folder: &Path, (name, kind): (&str, &str), bytes: &[u8], format: &[&str]) {
    let file = folder.join("bytes");
    std::fs::write(&file, bytes).expect("there is room");
    let (disk, file) = (disk.to_string_lossy(), file.to_string_lossy());
    cms::good(&[&["bin", &*disk, name, kind, "A1", &*file], format].concat());
}

/// A virtual machine in which a story is played.
struct Desk {
    site: Site,
    typed: Vec<String>,
    halted: u32,
    damaged: bool,
    /// The next line is a command, and no answer.
    at_ready: bool,
}

impl Desk {
    fn new(disks: &[PathBuf; 2]) -> Desk {
        let mut site = Site::with(disks);
        site.types("MAINT", "logon maint maint noipl", 1000);
        site.types("CMSUSER", "logon cmsuser cmsuser", 1000);
        site.types("MAINT", "attach 580 cmsuser 181", 1000);
        let mut desk = Desk { site, typed: Vec::new(), halted: 0, damaged: false, at_ready: true };
        for line in [
            "ipl 190 parm autocr",
            "cp spool punch *",
            "sendfile wide data a to cmsuser",
            "punch fixed data a",
            "disk dump one data a",
        ] {
            desk.site.types("CMSUSER", line, 100_000);
        }
        desk
    }

    /// Types a line; what is wrong then.
    fn does(&mut self, line: &str) -> Result<(), String> {
        self.typed.push(line.to_owned());
        if let Some(damage) = line.strip_prefix("** damage ") {
            let block = damage.parse().expect("the number of a block");
            self.site.damage(block, (block * 37) as u8);
            self.damaged = true;
            return Ok(());
        }
        let (mut shown, mut done) = self.site.types("CMSUSER", line, PATIENCE);
        if !done {
            self.halted += 1;
            let (more, ended) = self.site.types("CMSUSER", "hx", PATIENCE);
            shown += &more;
            done = ended;
        }
        self.at_ready = at_ready(&shown);
        match complaint(&shown) {
            Some(bad) => Err(bad),
            None if !done => Err(format!("HX does not end it: {shown}")),
            None => Ok(()),
        }
    }

    /// The end of a story.
    fn ends(&mut self) -> Result<(), String> {
        // Some ask for as many lines as they were told to; the disk is looked at all the same.
        for n in 0..60 {
            if self.at_ready {
                break;
            }
            self.does(["2", "", "0"][n % 3])?;
            self.typed.pop();
        }
        let (shown, _) = self.site.types("CMSUSER", "query cmslevel", PATIENCE);
        if self.at_ready && !shown.contains("Endicott CMS") {
            return Err(format!("CMS does not answer: {shown}"));
        }
        if self.damaged {
            return Ok(());
        }
        let disk = self.site.user_disk();
        let program = cms::edfdisk().expect("it has made the disks");
        let checked =
            String::from_utf8_lossy(&cms::run(program, &["check", &disk.to_string_lossy()]).stdout).into_owned();
        if checked.contains("0 errors") { Ok(()) } else { Err(format!("the disk is not sound: {checked}")) }
    }
}

/// A line that says that CMS, and not a program of the user's, has failed.
fn complaint(shown: &str) -> Option<String> {
    // Too deep, an SVC that there is not, a call from where none may come: those are the program's.
    let of_program = |line: &str| ["0F4", "0F8", "1CA"].iter().any(|code| line.ends_with(code));
    let bad = |line: &&str| {
        line.contains("in system routine")
            || line.contains("DMSABE257T")
            || line.contains("CP entered")
            || (line.contains("DMSABE148T") && !of_program(line))
    };
    shown.lines().find(bad).map(str::to_owned)
}

/// Whether CMS waits for a command: what it has said last is that it is ready. CP may have said something of spool
/// files since.
fn at_ready(shown: &str) -> bool {
    let of_spool = |line: &str| ["RDR", "PUN", "PRT"].iter().any(|unit| line.starts_with(&format!("{unit} FILE")));
    let last = shown.lines().rfind(|line| !of_spool(line)).unwrap_or("");
    last.starts_with("Ready") || last == "CMS"
}

/// The lines again, on a machine of their own: whether something is wrong then, too.
fn fails(disks: &[PathBuf; 2], lines: &[String]) -> Option<String> {
    let mut desk = Desk::new(disks);
    lines.iter().try_for_each(|line| desk.does(line)).and_then(|()| desk.ends()).err()
}

/// As few lines as will do.
fn shrunk(disks: &[PathBuf; 2], mut lines: Vec<String>, mut why: String) -> (Vec<String>, String) {
    let mut size = lines.len().div_ceil(2);
    loop {
        let mut at = 0;
        while at < lines.len() {
            let mut fewer = lines.clone();
            fewer.drain(at..(at + size).min(lines.len()));
            match fails(disks, &fewer) {
                Some(reason) => (lines, why) = (fewer, reason),
                None => at += size,
            }
        }
        if size == 1 {
            return (lines, why);
        }
        size = size.div_ceil(2);
    }
}

fn story(disks: &[PathBuf; 2], typist: &Typist, seed: u64) -> (Desk, Result<(), String>) {
    let mut chance = Chance::new(seed);
    let mut desk = Desk::new(disks);
    for n in 0..STORY {
        let line = match n {
            34 if chance.one_in(3) => format!("** damage {}", 3 + chance.below(357)),
            _ if desk.at_ready => typist.line(&mut chance),
            _ => typist.answer(&mut chance),
        };
        if let Err(why) = desk.does(&line) {
            return (desk, Err(why));
        }
    }
    let end = desk.ends();
    (desk, end)
}

#[test]
fn cms_is_there_for_the_next_line() {
    let Some(cms) = cms::nucleus() else { return };
    let number = |name: &str, usual| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let (lines, first) = (number("ENDICOTT_TYPED", LINES), number("ENDICOTT_SEED", 1));
    let typist = Typist::new(&cms::source());
    let disks = disks(&cms, &typist);
    let (mut typed, mut halted, mut seed, mut wrong) = (0, 0, first, Vec::new());
    while typed < lines && wrong.len() < 8 {
        let (desk, end) = story(&disks, &typist, seed);
        typed += desk.typed.len() as u64;
        halted += desk.halted;
        if let Err(why) = end {
            let (lines, why) = shrunk(&disks, desk.typed, why);
            wrong.push(format!("ENDICOTT_SEED={seed}\n> {}\n{why}", lines.join("\n> ")));
            println!("{}", wrong[wrong.len() - 1]);
        }
        seed += 1;
    }
    println!("{typed} lines, {} stories, {halted} lines had to be halted", seed - first);
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
