//! XEDIT at real 3270s (`s3270`) of the whole program: the stories of `tests/cms/tests/screens`, which have the forty
//! scenarios, on models 2 to 5. Each story is a user's of one system; they are played beside each other.
//! A story's CMSUSER is a user of its own here, whose name is as long.
//!
//! What the stories say is on the screen, row by row, and where the cursor is. `ENDICOTT_STORIES=forty` plays those
//! with that in their names.

mod support;

use cms::story::{Story, masked};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};
use support::{Client, System, endicott, has_s3270};

/// How long a screen may take to be as the story says, on a busy host.
const LIMIT: Duration = Duration::from_secs(30);
/// How long a user looks at CP's screen while a command runs, which may clear the screen when it begins.
const PAUSE: Duration = Duration::from_millis(200);
const STAGES: usize = 4;
/// Cylinders of a story's 190 and 191.
const SYSTEM_DISK: usize = 3;
const USER_DISK: usize = 2;
const DISKS: usize = SYSTEM_DISK + USER_DISK;
const CONFIG: &str = "\
SYSTEM_IDENTIFIER ENDICOTT
OPERATOR_USERID OPERATOR
DASD 0200 volumes/vmres.3390
CP_OWNED SLOT 1 VMRES
";
const DIRECTORY: &str = "\
PROFILE DEFAULT
 CONSOLE 009 3215 T
 SPOOL 00C 2540 READER *
 SPOOL 00D 2540 PUNCH A
 SPOOL 00E 1403 A
USER OPERATOR OPERATOR 2M 2M ABCDEFG
 INCLUDE DEFAULT
USER MAINT MAINT 16M 64M ABCDEFG
 INCLUDE DEFAULT
";

fn done(command: &mut std::process::Command) {
    let output = command.output().expect("endicott starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The user of a story in place of CMSUSER.
fn user(n: usize) -> String {
    format!("CMSUS{n:02}")
}

/// A story with its own user.
fn of_user(n: usize, text: &str) -> String {
    let user = user(n);
    text.replace("CMSUSER", &user).replace("cmsuser", &user.to_lowercase())
}

/// The address at which MAINT has the 190 of a story's user.
fn system_disk(n: usize) -> String {
    format!("{:X}", 0x200 + n)
}

/// A user for each story, with its files on disks of its own.
fn prepare(folder: &Path, stories: &[(String, String)], nucleus: &[PathBuf; 2]) {
    fs::write(folder.join("SYSTEM CONFIG"), CONFIG).expect("the folder is ours");
    let (mut maint, mut users) = (String::new(), String::new());
    for n in 0..stories.len() {
        let (name, first, system) = (user(n), 1 + DISKS * n, system_disk(n));
        maint += &format!(" MDISK {system} 3390 {first} {SYSTEM_DISK} VMRES MR ALL\n");
        users += &format!(
            "USER {name} {name} 4M 64M G\n INCLUDE DEFAULT\n MACHINE ESA\n LINK MAINT {system} 190 RR\n\
             \x20MDISK 191 3390 {} {USER_DISK} VMRES MR\n",
            first + SYSTEM_DISK
        );
    }
    fs::write(folder.join("USER DIRECT"), format!("{DIRECTORY}{maint}{users}")).expect("the folder is ours");
    let volume = folder.join("volumes/vmres.3390");
    let _ = fs::remove_file(&volume);
    let cylinders = (1 + DISKS * stories.len()).to_string();
    let create = ["3390-1", "--cylinders", &cylinders, "--volser", "VMRES"];
    done(endicott().args(["dasd", "create"]).arg(&volume).args(create));
    for (n, (_, text)) in stories.iter().enumerate() {
        let story = Story::files_alone(text);
        let images = cms::system::images(nucleus, folder, &story.system(), &story.user());
        for (disk, image) in [format!("MAINT.{}", system_disk(n)), format!("{}.191", user(n))].iter().zip(&images) {
            let mut put = endicott();
            put.args(["dasd", "minidisk"]).arg(&volume).args(["--of", disk, "--system"]).arg(folder);
            done(put.args(["--format", "--put"]).arg(image));
        }
    }
}

/// What a story says that is shown: of the editor's screen its rows and the cursor, of CP's some lines.
struct Shown {
    rows: Vec<String>,
    cursor: Option<(usize, usize)>,
    lines: Vec<String>,
}

impl Shown {
    /// A line of the story, after `<`.
    fn take(&mut self, line: &str) {
        if let Some(line) = line.strip_prefix("= ").or(line.strip_prefix('=')) {
            self.rows.iter_mut().for_each(String::clear);
            // The mark of what is shown brighter.
            self.lines.push(line.trim_start_matches('!').trim_end().to_owned());
        } else if let Some(cursor) = line.strip_prefix("cursor ") {
            let (row, column) = cursor.split_once(' ').expect("a row and a column");
            self.cursor = Some((row.parse().expect("a row"), column.parse().expect("a column")));
        } else {
            let (row, text) = line.trim_start().split_once(' ').unwrap_or((line.trim_start(), ""));
            self.rows[row.parse::<usize>().expect("a row") - 1] = text.trim_end().to_owned();
        }
    }

    /// What is otherwise on the screen.
    fn difference(&self, rows: &[String], cursor: (usize, usize)) -> Option<String> {
        if !self.lines.is_empty() {
            // The status and where it stands belong to CP's own stories. At which clause a program is stopped is
            // chance.
            let is_clause = |line: &str| line.split_whitespace().nth(1) == Some("+++");
            let is_wanted = |line: &&String| !line.starts_with("[]") && !line.is_empty() && !is_clause(line);
            let wanted = self.lines.iter().filter(is_wanted);
            let is_there = |line: &str| rows.iter().any(|row| dateless(row) == dateless(line));
            let missing: Vec<_> = wanted.filter(|line| !is_there(line)).collect();
            return (!missing.is_empty()).then(|| format!("{missing:#?} of\n{}", rows.join("\n")));
        }
        let mut told = String::new();
        for (n, (is, wanted)) in rows.iter().zip(&self.rows).enumerate() {
            if dateless(is) != dateless(wanted) {
                told += &format!("{:2} was {wanted}\n   is  {is}\n", n + 1);
            }
        }
        if self.cursor.is_some_and(|wanted| wanted != cursor) {
            told += &format!("cursor was {:?}, is {cursor:?}\n", self.cursor);
        }
        (!told.is_empty()).then_some(told)
    }
}

/// A row without its times and its dates, 11/20/91 or 11/20 in front of a time: those of stories are of 1991.
fn dateless(row: &str) -> String {
    let row = masked(row);
    let mut cells: Vec<char> = row.chars().collect();
    let is_like = |at: usize, like: &str| {
        let cells = row.chars().skip(at).chain(std::iter::repeat(' '));
        like.chars().zip(cells).all(|(like, is)| if like == '1' { is.is_ascii_digit() } else { is == like })
    };
    for at in 0..cells.len() {
        let length = if is_like(at, "11/11/11") { 8 } else { 5 * usize::from(is_like(at, "11/11 nn:nn:nn")) };
        cells[at..at + length].fill('n');
    }
    cells.into_iter().collect()
}

/// Row and column of the cursor, from 1 on.
fn cursor(client: &mut Client) -> (usize, usize) {
    let data = client.act("Query(Cursor)");
    let numbers: Vec<usize> = data[0].split_whitespace().filter_map(|word| word.parse().ok()).collect();
    (numbers[0] + 1, numbers[1] + 1)
}

/// Waits until the screen is as the story says; what is otherwise if it never is.
fn arrives(client: &mut Client, shown: &Shown) -> Option<String> {
    let began = Instant::now();
    loop {
        let rows = client.rows();
        let at = cursor(client);
        let told = shown.difference(&rows, at)?;
        if began.elapsed() > LIMIT {
            return Some(told);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn quoted(text: &str) -> String {
    format!("String(\"{}\")", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Plays a story; what was otherwise.
fn play(system: &System, user: &str, name: &str, text: &str) -> Option<String> {
    let size = text.lines().find_map(|line| line.strip_prefix("** size ")).unwrap_or("24 80");
    let (rows, model) = match size {
        "24 80" => (24, "3279-2"),
        "32 80" => (32, "3279-3"),
        "43 80" => (43, "3279-4"),
        "27 132" => (27, "3279-5"),
        _ => panic!("{name}: no model has {size}"),
    };
    let mut client = Client::connect_as(system, &["-model", model], "");
    client.log_on(user);
    client.say("ipl 190 parm autocr", "Ready;", LIMIT);
    let mut shown = Shown { rows: vec![String::new(); rows], cursor: None, lines: vec!["Ready;".into()] };
    let (mut step, mut on_cp) = (String::new(), true);
    let mut lines = text.lines().enumerate().peekable();
    while let Some((n, line)) = lines.next() {
        match line.split_once(' ').unwrap_or((line, "")) {
            (">", text) => {
                if on_cp {
                    // After `Ready;` a line may come within milliseconds.
                    if !shown.lines.iter().any(|line| line.contains("Ready")) {
                        thread::sleep(PAUSE);
                    }
                    client.act("Clear()");
                }
                client.enter(text);
            }
            ("key", key) => {
                client.act(&match key.split_at(key.len().min(2)) {
                    ("PF", n) => format!("PF({n})"),
                    ("PA", n) => format!("PA({n})"),
                    _ => format!("{key}()"),
                });
            }
            ("at", rest) => {
                let mut words = rest.splitn(3, ' ');
                let mut word = || words.next().unwrap_or("");
                let (row, column, text) = (word(), word(), word());
                let [row, column] = [row, column].map(|word| word.parse::<u16>().expect("a number") - 1);
                client.act(&format!("MoveCursor({row},{column})"));
                if !text.is_empty() {
                    client.act(&quoted(text));
                }
                continue;
            }
            _ => continue,
        }
        step.clear();
        step += &format!("{name}:{}: {line}", n + 1);
        (shown.cursor, shown.lines) = (None, Vec::new());
        while let Some((_, line)) = lines.next_if(|(_, line)| line.starts_with('<')) {
            shown.take(line[1..].strip_prefix(' ').unwrap_or(&line[1..]));
        }
        on_cp = !shown.lines.is_empty();
        if let Some(told) = arrives(&mut client, &shown) {
            return Some(format!("{step}\n{told}"));
        }
    }
    None
}

#[test]
fn the_editors_stories_at_real_3270s() {
    let (true, Some(nucleus)) = (has_s3270(), cms::nucleus()) else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cms/tests/screens");
    let wanted = std::env::var("ENDICOTT_STORIES").unwrap_or_default();
    let mut stories: Vec<(String, String)> = Vec::new();
    for entry in fs::read_dir(folder).expect("there are stories") {
        let path = entry.expect("it can be read").path();
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("it is a text");
        // The day is not that of the story here.
        if name.contains(&wanted) && !text.lines().any(|line| line == "** dated") {
            stories.push((name, text));
        }
    }
    stories.sort();
    stories.iter_mut().enumerate().for_each(|(n, (_, text))| *text = of_user(n, text));
    assert!(!stories.is_empty());
    let system = System::start("editor", |folder| prepare(folder, &stories, &nucleus));
    let (left, wrong) = (Mutex::new(stories.iter().enumerate()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..STAGES {
            scope.spawn(|| {
                loop {
                    let story = left.lock().expect("no thread fails with it").next();
                    let Some((n, (name, text))) = story else { return };
                    let began = Instant::now();
                    let told = play(&system, &user(n), name, text);
                    println!("{name}: {:?}", began.elapsed());
                    wrong.lock().expect("no thread fails with it").extend(told);
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("all have ended");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
