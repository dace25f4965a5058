//! `endicott cms run`: a program in C, from its source to its return code in one command.

use crate::script::Seat;
use base::Clock;
use consoles::display::Turn;
use hostside::clock::HostClock;
use spool::{Attributes, Content, Punch, Queue};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tools::system::{self, SPOOL};

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder of the system, which must not be running; else ENDICOTT_SYSTEM in the environment, or "sample".
    #[arg(long, value_name = "DIR")]
    system: Option<PathBuf>,
    /// How many seconds the program may run; without this it may for ever.
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,
    /// Whose machine and disk: a user of USER DIRECT who has CMS.
    #[arg(value_name = "USER")]
    user: String,
    /// The program. Its file's name is the command's: one to eight letters and digits.
    #[arg(value_name = "FILE.c")]
    source: PathBuf,
    /// What is typed after the command's name.
    #[arg(value_name = "WORD", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// The exit status where there is no return code of the program.
pub(crate) const FAILED: u8 = 255;

/// What HELP says of the exit status.
pub(crate) const EXIT_CODES: &str = "\
Exit status: the program's return code, if it is from 0 to 254; 255 if it is another one, which is told then, or if
the program was not run to its end. Lines of standard input are what it reads from its console.";

/// What a program may include.
const HEADERS: [(&str, &str); 2] = [
    ("cmslib.h", include_str!("../../guest/cms/sdk/cmslib.h")),
    ("string.h", include_str!("../../guest/cms/lib/include/string.h")),
];

/// The topics of HELP, each with the command's name: what CMS finds before any module.
const COMMANDS: &str = include_str!("../../guest/cms/help/cms.txt");

/// The deck's name in the reader and on the disk, where it is for a moment. An exec in storage is called so, too.
const DECK: &str = "$CMSRUN";

/// The exec: an exec of the program's name is not meant, nor an abbreviation.
const CALLER: &str = "/**/ trace o; parse arg c; address command c; exit rc";

/// More than CMS takes for what comes before the program.
const SOON: Duration = Duration::from_secs(60);

/// How long a program's output may wait.
const GLANCE: Duration = Duration::from_millis(100);

pub(crate) fn run(options: &Options) -> Result<u8, String> {
    match attempt(options) {
        Err(why) => {
            complain!("endicott: {why}");
            Ok(FAILED)
        }
        code => code,
    }
}

fn attempt(options: &Options) -> Result<u8, String> {
    let name = command_name(&options.source)?;
    let line = [&["EXEC".into(), DECK.into(), name.clone()][..], &options.words].concat().join(" ");
    if line.chars().count() > LONGEST {
        return Err(format!("the command has {} characters, and a console's line {LONGEST}", line.chars().count()));
    }
    let folder = system::folder(options.system.as_deref());
    let user = options.user.to_uppercase();
    if system::load_directory(&folder)?.user(&user).is_none() {
        return Err(format!("{} has no user {user}", folder.join(system::DIRECTORY).display()));
    }
    let cards =
        deck::deck(&name, &compiled(&options.source)?).map_err(|why| format!("{}: {why}", options.source.display()))?;
    // A system that runs is told of before anything is left in its spool.
    let mut seat = Seat::take(&folder, &user, false)?;
    let punch = Punch {
        attributes: Attributes {
            name: DECK.into(),
            kind: "TEXT".into(),
            ..Attributes::new(&user, Queue::Reader, HostClock::start().now())
        },
        originator: "SYSTEM".into(),
        content: Content::Binary,
    };
    spool::punch(&folder.join(SPOOL), &punch, &mut &cards[..]).map_err(|error| error.to_string())?;
    seat.take_punched();
    prepare(&mut seat, &name)?;
    go(&mut seat, &line, options.wait.map(Duration::from_secs))
}

/// As much as CMS takes in a line.
const LONGEST: usize = 130;

/// The command that a source's file becomes.
fn command_name(source: &Path) -> Result<String, String> {
    let stem = source.file_stem().map(|stem| stem.to_string_lossy().to_uppercase()).unwrap_or_default();
    let good = (1..=8).contains(&stem.len()) && stem.chars().all(|c| c.is_ascii_alphanumeric() || "$#@_-".contains(c));
    if source.extension().is_none_or(|extension| extension != "c") {
        return Err(format!("{} is no source in C, which NAME.c is", source.display()));
    }
    if !good {
        return Err(format!("{stem} is no name of a command: one to eight letters and digits are"));
    }
    let mut topics = COMMANDS.lines().filter_map(|line| line.strip_prefix('.')?.split(' ').next());
    if topics.any(|topic| topic == stem) {
        return Err(format!("{stem} is a command of CMS already: give the file another name"));
    }
    Ok(stem)
}

/// The object of a source.
fn compiled(source: &Path) -> Result<Vec<u8>, String> {
    let fail = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    base::file::source(source).map_err(|error| fail(source, error))?;
    let scratch = std::env::temp_dir().join(format!("endicott-program-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|error| fail(&scratch, error))?;
    let made = compiled_in(&scratch, source);
    let _ = std::fs::remove_dir_all(&scratch);
    made
}

fn compiled_in(scratch: &Path, source: &Path) -> Result<Vec<u8>, String> {
    let fail = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    for (name, text) in HEADERS {
        let path = scratch.join(name);
        std::fs::write(&path, text).map_err(|error| fail(&path, error))?;
    }
    let object = scratch.join("program.o");
    let compiler = deck::compiler();
    let mut command = Command::new(&compiler);
    command.args(deck::COMPILED).args(["-Wall", "-Wextra", "-I"]).arg(scratch).arg("-c").arg(source);
    let status = command.arg("-o").arg(&object).status().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!(
            "there is no {compiler}: the C compiler for s390x is Debian's package gcc-s390x-linux-gnu, or name one in \
             S390X_CC"
        ),
        _ => format!("{compiler}: {error}"),
    })?;
    if !status.success() {
        return Err(format!("{} is not compiled", source.display()));
    }
    std::fs::read(&object).map_err(|error| fail(&object, error))
}

/// Starts CMS and makes the deck in the reader a module on disk A.
fn prepare(seat: &mut Seat, name: &str) -> Result<(), String> {
    let list = asks(seat, "query rdr all")?;
    let mut decks = list.lines().rev().filter(|line| line.split_whitespace().any(|word| word == DECK));
    let file = decks.next().and_then(|line| line.split_whitespace().nth(1)).ok_or("the deck is not in the reader")?;
    asks(seat, &format!("order rdr {file}"))?;
    let answer = asks(seat, "ipl cms parm autocr")?;
    if ready(&answer).is_none() {
        return Err(format!("CMS does not come up:\n{}", answer.trim_end()));
    }
    let steps = [
        "SET RDYMSG SMSG".into(),
        format!("READCARD {DECK} TEXT A"),
        format!("LOAD {DECK} (CLEAR NOMAP"),
        format!("GENMOD {name} MODULE A (NOMAP"),
        format!("ERASE {DECK} TEXT A"),
        format!("EXECIO 1 DISKW {DECK} EXEC A 1 V (FINIS STRING {CALLER}"),
        format!("EXECLOAD {DECK} EXEC A"),
        format!("ERASE {DECK} EXEC A"),
    ];
    for step in steps {
        let answer = asks(seat, &step)?;
        if ready(&answer) != Some(0) {
            asks(seat, &format!("ERASE {DECK} * A"))?;
            return Err(format!("{step}:\n{}", answer.trim_end()));
        }
    }
    Ok(())
}

/// What is shown after a line.
fn asks(seat: &mut Seat, line: &str) -> Result<String, String> {
    let (shown, idle) = seat.types(Some(line), SOON);
    if idle { Ok(shown) } else { Err(format!("it still runs {} seconds after \"{line}\"", SOON.as_secs())) }
}

/// The return code of the ready message that comes last.
fn ready(shown: &str) -> Option<i32> {
    let rest = shown.trim_end().lines().last()?.strip_prefix("Ready")?;
    let code = rest.strip_prefix('(').map_or(Some("0"), |rest| rest.split_once(')').map(|(code, _)| code))?;
    rest.contains(';').then(|| code.parse().ok()).flatten()
}

/// Runs the program until CMS is ready again; the exit status.
fn go(seat: &mut Seat, line: &str, most: Option<Duration>) -> Result<u8, String> {
    let began = Instant::now();
    let mut input = std::io::stdin().lock();
    let mut typed = Some(line.to_owned());
    let (mut kept, mut before) = (String::new(), String::new());
    loop {
        let (shown, idle) = seat.types(typed.take().as_deref(), GLANCE);
        kept += &shown;
        // The last line may be the ready message, which is none of the program's.
        let whole = kept.trim_end().rfind('\n').map_or(0, |at| at + 1);
        say::print(format_args!("{}", &kept[..whole]));
        before = kept[..whole].lines().last().map_or(before, str::to_owned);
        kept.drain(..whole);
        let turn = seat.turn();
        if idle && turn != Turn::Running {
            if let Some(code) = ready(&kept) {
                let fits = u8::try_from(code).ok().filter(|code| *code != FAILED);
                return fits.map_or_else(|| Err(format!("the return code is {code}")), Ok);
            }
            say::print(format_args!("{kept}"));
            kept.clear();
            if turn == Turn::CpRead {
                return Err("the machine has stopped".into());
            }
            if is_abend(&before) {
                return Err("the program was ended by an abend".into());
            }
            typed = Some(next_line(&mut input)?);
        }
        if most.is_some_and(|most| began.elapsed() > most) {
            say::print(format_args!("{kept}"));
            return Err(format!("it still runs after {} seconds", began.elapsed().as_secs()));
        }
    }
}

/// Whether a message, such as DMSABE155T, tells of an abend: CMS asks for a command then, without being ready.
fn is_abend(line: &str) -> bool {
    let identifier = line.split(' ').next().unwrap_or_default();
    identifier.len() == 10
        && ["DMSABE", "DMSITP"].iter().any(|who| identifier.starts_with(who))
        && identifier.ends_with('T')
}

/// The next line for a program that reads from its console.
fn next_line(input: &mut impl BufRead) -> Result<String, String> {
    let line = terminals::local::line(input).map_err(|error| format!("standard input: {error}"))?;
    Ok(line.ok_or("the program reads from its console, and standard input has no more lines")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ready_message_has_the_return_code() {
        for (shown, code) in [
            ("Hello\nReady;\n", Some(0)),
            ("Ready(00024);\n", Some(24)),
            ("Ready(-0003); T=0.01/0.02 08:00:01\n", Some(-3)),
            ("Ready; T=0.01/0.02 08:00:01\n", Some(0)),
            ("Ready;\nName?\n", None),
            ("Ready or not\n", None),
            ("", None),
        ] {
            assert_eq!(ready(shown), code, "{shown}");
        }
    }

    #[test]
    fn an_abend_is_told() {
        for (line, abend) in [
            ("DMSABE155T User abend 005 called from 00020CEA", true),
            ("DMSITP141T Operation exception occurred at 00020010 in routine HELLO", true),
            ("DMSABE155T", true),
            ("DMSLIO740I Execution begins...", false),
            ("CMS", false),
            ("", false),
        ] {
            assert_eq!(is_abend(line), abend, "{line}");
        }
    }

    #[test]
    fn a_file_names_the_command() {
        assert_eq!(command_name(Path::new("/a/hello.c")), Ok("HELLO".into()));
        for wrong in ["hello.o", "hello", "a name.c", "muchtoolong.c", ".c", "\u{e4}.c", "erase.c"] {
            assert!(command_name(Path::new(wrong)).is_err(), "{wrong}");
        }
    }
}
