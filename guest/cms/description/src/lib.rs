//! The one description of CMS's commands and messages, in `guest/cms/help`: what is read of it, and what is made of it.
//!
//! A file is topics, each with a head that begins with a point. A line with nothing but a blank is an empty one.
//!
//! ```text
//! .COMPARE command/compare.c FILES              cms.txt: name, C file (or exec and function), tasks
//! COMPare fn ft fm fn ft fm [( COL a-b          the syntax; its capitals are the shortest form
//!
//! Types the records in which two files differ.  what the command is for
//!
//! Options                                       whatever more HELP types, if anything
//!  COL a-b   only columns a to b are compared.
//!
//! .ADD xedit/linecmd.c                          xedit.txt: a subcommand of XEDIT, as a command is written
//! Add [n]
//!
//! .HEX switch                                   xedset.txt: a member of the view's settings, ON or OFF;
//! SET HEX ON|OFF                                others have their C file, and functions hex_set and hex_values
//!
//! .024 E File %s already exists%s               messages.txt, pipemsgs.txt, ddrmsgs.txt: number, severities, text
//! It stays as it is.                            what HELP says of the message
//!
//! .FILES                                        tasks.txt: a task
//! Keeping files: looking, copying, erasing      and its title
//!
//! .MOVING XEDIT                                 groups.txt: what subcommands, or options (SET), have in common:
//! Moving through the file                       its title
//!  BACKWARD BOTTOM DOWN                         and its members
//!
//! .ADD XEDIT                                    examples.txt: of a subcommand, an option (SET) or a command (CMS)
//!  add 3     three blank lines                  an example and what it does
//! ```
//!
//! The function of a command is called after it, `compare_command`; a head like `command/state.c:state_command` names
//! another. A number with two texts has two heads, and is explained after the second.
//!
//! [`Description::read`] takes all that. [`Description::tables`] and [`Description::help`] give what is made: the rows
//! of the nucleus's tables, and the files that HELP reads. `tests/agree` proves that the C files do the same.

pub mod c;
mod said;

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

/// The widest line that a terminal types whole.
pub const WIDTH: usize = 79;

/// A command.
#[derive(Debug)]
pub struct Command {
    /// What it is called, in capitals.
    pub name: String,
    /// The C file below `guest/cms`, and the function in it.
    pub file: String,
    /// The function in the C file.
    pub function: String,
    /// The tasks that it is for.
    pub tasks: Vec<String>,
    /// How it is written; it begins with its name.
    pub syntax: String,
    /// What it is for, in a sentence or two.
    pub purpose: String,
    /// What more HELP types, line by line; often operands, options and return codes.
    pub detail: Vec<String>,
    /// Lines of examples, beside those that the detail has.
    pub examples: Vec<String>,
    /// The messages that its C file says, as DMSCPY024E.
    pub messages: Vec<String>,
    /// Which word of the syntax is the name: SET's options come after SET.
    verb: usize,
}

impl Command {
    /// How the syntax writes the name, `COMPare`.
    pub fn verb(&self) -> &str {
        self.verbs().next().unwrap_or_default()
    }

    /// The same, and other names that it has: `FINDUp` and `FUp` of `FINDUp|FUp`.
    pub fn verbs(&self) -> impl Iterator<Item = &str> {
        self.syntax.split(' ').nth(self.verb).unwrap_or_default().split('|')
    }

    /// What HELP types after syntax and purpose: the detail, and the messages that can be said.
    fn whole(&self) -> Vec<String> {
        let mut lines = self.detail.clone();
        let blank = || " ".to_owned();
        if !self.examples.is_empty() {
            let head = if self.examples.len() == 1 { "Example" } else { "Examples" };
            lines.extend([blank(), head.to_owned()]);
            lines.extend(self.examples.iter().cloned());
        }
        if self.file == "switch" || self.verb == 1 {
            lines.extend([blank(), "Return codes: 0, 5 a wrong option or value.".to_owned()]);
        }
        if !self.messages.is_empty() {
            lines.extend([blank(), "Messages".to_owned()]);
            lines.extend(filled(self.messages.iter().map(String::as_str)));
        }
        lines
    }

    /// How many letters of the name must be typed.
    pub fn least(&self) -> usize {
        least(self.verb())
    }
}

/// How many letters of a word must be typed: its capitals, digits and signs in front.
pub fn least(word: &str) -> usize {
    word.chars().take_while(|c| !c.is_ascii_lowercase()).count()
}

/// A message.
#[derive(Debug)]
pub struct Message {
    /// The message number.
    pub number: u32,
    /// The letters that it can end in, as `EW`; `X` if CMS never says it, and EXECs may, with XMITMSG.
    pub severities: String,
    /// As C's `format` takes it.
    pub text: String,
    /// What HELP says of the number; empty before the second text of the same number.
    pub explanation: Vec<String>,
}

/// A task of HELP TASK.
#[derive(Debug)]
pub struct Task {
    /// The name, as HELP TASK takes it.
    pub name: String,
    /// What it is about, in a line.
    pub title: String,
}

/// What subcommands of XEDIT, or options of SET, have in common.
#[derive(Debug)]
pub struct Group {
    /// The name.
    pub name: String,
    /// XEDIT: its members are subcommands; SET: options.
    pub what: String,
    /// What it is about, in a line.
    pub title: String,
    /// Names of subcommands or options.
    pub members: Vec<String>,
}

/// All of it, in the order of the files.
#[derive(Debug)]
pub struct Description {
    /// The commands.
    pub commands: Vec<Command>,
    /// The tasks of HELP TASK.
    pub tasks: Vec<Task>,
    /// Those of CMS, and those of its pipelines.
    pub messages: Vec<Message>,
    /// The messages of pipelines.
    pub pipe_messages: Vec<Message>,
    /// The messages of DDR.
    pub ddr_messages: Vec<Message>,
    /// Subcommands of XEDIT.
    pub subcommands: Vec<Command>,
    /// What SET sets in XEDIT, and what QUERY tells there.
    pub options: Vec<Command>,
    /// What subcommands and options are related by.
    pub groups: Vec<Group>,
    /// Topics of REXX's language: names and texts. Nothing is made of them.
    pub rexx: Vec<(String, Vec<String>)>,
}

impl Description {
    /// What the folder `help` of `source` (`guest/cms`) says, or the line that is wrong.
    pub fn read(source: &Path) -> Result<Description, String> {
        let topics = |file: &str| {
            let path = source.join("help").join(file);
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            topics(&text).map_err(|why| format!("{}: {why}", path.display()))
        };
        let all = |file: &str, read: fn(Topic) -> Result<Message, String>| -> Result<Vec<Message>, String> {
            topics(file)?.into_iter().map(read).collect()
        };
        let mut all = Description {
            commands: topics("cms.txt")?.into_iter().map(command).collect::<Result<_, _>>()?,
            tasks: topics("tasks.txt")?.into_iter().map(task).collect(),
            messages: all("messages.txt", message)?,
            pipe_messages: all("pipemsgs.txt", message)?,
            ddr_messages: all("ddrmsgs.txt", message)?,
            subcommands: topics("xedit.txt")?
                .into_iter()
                .map(|topic| described(topic, 0, "_subcommand"))
                .collect::<Result<_, _>>()?,
            options: topics("xedset.txt")?
                .into_iter()
                .map(|topic| described(topic, 1, ""))
                .collect::<Result<_, _>>()?,
            groups: topics("groups.txt")?.into_iter().map(group).collect::<Result<_, _>>()?,
            rexx: topics("rexx.txt")?.into_iter().map(|topic| (topic.head, topic.lines)).collect(),
        };
        let files = c::files(source, "c");
        let said = said::Said::of(&files);
        for Topic { head, lines } in topics("examples.txt")? {
            let pages = [("CMS", &mut all.commands), ("XEDIT", &mut all.subcommands), ("SET", &mut all.options)];
            let named = head.split_once(' ').and_then(|(name, what)| {
                let (_, pages) = pages.into_iter().find(|(kind, _)| *kind == what)?;
                pages.iter_mut().find(|page| page.name == name)
            });
            named.ok_or(format!("examples.txt: there is no {head}"))?.examples = lines;
        }
        for command in all.commands.iter_mut().chain(&mut all.subcommands).chain(&mut all.options) {
            command.messages = said.by(command);
        }
        Ok(all)
    }

    /// Files of rows for C's tables: names and texts. A file includes them where it says what COMMAND or MESSAGE is.
    pub fn tables(&self) -> [(&'static str, String); 7] {
        let mut commands = MADE.to_owned();
        for command in &self.commands {
            let (name, least, function) = (&command.name, command.least(), &command.function);
            let [syntax, purpose] = [&command.syntax, &command.purpose].map(|text| literal(text));
            let _ = writeln!(commands, "COMMAND(\"{name}\", {least}, {function}, {syntax}, {purpose})");
        }
        let rows = |messages: &[Message]| {
            let row = |message: &Message| format!("MESSAGE({}, {})\n", message.number, literal(&message.text));
            MADE.to_owned() + &messages.iter().map(row).collect::<String>()
        };
        [
            ("commands.h", commands),
            ("messages.h", rows(&self.messages)),
            ("pipemsgs.h", rows(&self.pipe_messages)),
            ("ddrmsgs.h", rows(&self.ddr_messages)),
            ("xedit-subcommands.h", MADE.to_owned() + &self.subcommands.iter().map(subcommand).collect::<String>()),
            ("xedit-options.h", MADE.to_owned() + &self.options.iter().map(option).collect::<String>()),
            ("latin1.h", MADE.to_owned() + &base::ebcdic::TO_LATIN1.map(|byte| format!("{byte:#04x},\n")).concat()),
        ]
    }

    /// The files that HELP reads: names and texts.
    pub fn help(&self) -> [(&'static str, String); 10] {
        let commands = self.commands.iter().map(|command| topic(&command.name, &command.whole()));
        let rexx = self.rexx.iter().map(|(name, lines)| topic(name, lines));
        let tasks = self.tasks.iter().map(|task| {
            let mut lines = vec![task.title.clone()];
            let here = self.commands.iter().filter(|command| command.tasks.contains(&task.name));
            lines.extend(filled(here.map(|command| command.name.as_str())));
            topic(&task.name, &lines)
        });
        let explained = |messages: &[Message]| {
            let last = messages.iter().filter(|message| !message.explanation.is_empty());
            last.map(|message| topic(&format!("{:03}", message.number), &message.explanation)).collect::<String>()
        };
        [
            ("CMS", commands.collect()),
            ("REXX", rexx.collect()),
            ("TASKS", tasks.collect()),
            ("MESSAGES", explained(&self.messages)),
            ("PIPEMSGS", explained(&self.pipe_messages)),
            ("DDRMSGS", self.ddr_help()),
            ("XEDIT", self.subcommands.iter().map(page).collect()),
            ("XEDSET", self.options.iter().map(page).collect()),
            ("XEDTASKS", self.groups_of("XEDIT")),
            ("SETTASKS", self.groups_of("SET")),
        ]
    }

    /// What HELP reads of DDR's messages: their texts, too, since CMS itself says none of them.
    fn ddr_help(&self) -> String {
        let mut texts: Vec<String> = Vec::new();
        let topics = self.ddr_messages.iter().map(|message| {
            texts.push(format!("{:03} {}", message.number, with_dots(&message.text)));
            if message.explanation.is_empty() {
                return String::new();
            }
            let lines = [std::mem::take(&mut texts), vec![" ".into()], message.explanation.clone()].concat();
            topic(&format!("{:03}", message.number), &lines)
        });
        topics.collect()
    }

    /// The groups of subcommands, or of options, as HELP reads those of commands, the tasks.
    fn groups_of(&self, what: &str) -> String {
        let here = self.groups.iter().filter(|group| group.what == what);
        let lines = |group: &Group| {
            let names = filled(group.members.iter().map(String::as_str));
            [vec![group.title.clone()], names].concat()
        };
        here.map(|group| topic(&group.name, &lines(group))).collect()
    }

    /// Writes the tables into `folder`.
    pub fn write_tables(&self, folder: &Path) -> io::Result<()> {
        self.tables().iter().try_for_each(|(name, text)| fs::write(folder.join(name), text))
    }
}

const MADE: &str = "/* Made from guest/cms/help by guest/cms/description. */\n";

/// The text of a message, with `...` where something is put in.
pub fn with_dots(text: &str) -> String {
    let mut parts = text.split('%');
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        all += "...";
        all.extend(rest.chars().skip(1));
    }
    all
}

/// A topic of a file: its head, without the point, and its lines.
struct Topic {
    head: String,
    lines: Vec<String>,
}

fn topics(text: &str) -> Result<Vec<Topic>, String> {
    let mut all: Vec<Topic> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix('.'), all.last_mut()) {
            (Some(head), _) => all.push(Topic { head: head.to_owned(), lines: Vec::new() }),
            (None, None) => return Err(format!("{line} is in front of all topics")),
            (None, Some(topic)) => {
                // A record of a CMS file has at least one character.
                let can_be_typed = (1..=WIDTH).contains(&line.len()) && line.is_ascii() && !line.contains('\t');
                if !can_be_typed {
                    return Err(format!("a terminal does not type {line:?} whole"));
                }
                topic.lines.push(line.to_owned());
            }
        }
    }
    Ok(all)
}

fn command(topic: Topic) -> Result<Command, String> {
    described(topic, 0, "_command")
}

/// What is described: `verb` says which word of the syntax is its name, and its function is called after it, with
/// `ending`.
fn described(topic: Topic, verb: usize, ending: &str) -> Result<Command, String> {
    let mut words = topic.head.split(' ').map(str::to_owned);
    let (Some(name), Some(place)) = (words.next(), words.next()) else {
        return Err(format!(".{} has no C file", topic.head));
    };
    let (file, function) = match place.split_once(':') {
        Some((file, function)) => (file.to_owned(), function.to_owned()),
        None => (place, format!("{}{ending}", name.to_ascii_lowercase())),
    };
    let mut parts = topic.lines.splitn(3, |line| line.trim().is_empty());
    let (syntax, purpose) = (joined(parts.next().unwrap_or_default()), joined(parts.next().unwrap_or_default()));
    // The empty line that ends the purpose is typed, too.
    let detail = parts.next().map_or(Vec::new(), |rest| topic.lines[topic.lines.len() - rest.len() - 1..].to_vec());
    let (tasks, messages) = (words.collect(), Vec::new());
    let command =
        Command { name, file, function, tasks, syntax, purpose, detail, examples: Vec::new(), messages, verb };
    let verb = command.verb().trim_end_matches('n');
    let named = command.verb().eq_ignore_ascii_case(&command.name) || verb.eq_ignore_ascii_case(&command.name);
    match named && !command.purpose.is_empty() {
        true => Ok(command),
        false => Err(format!("{} has no syntax that begins with its name, or no purpose", command.name)),
    }
}

fn message(topic: Topic) -> Result<Message, String> {
    let [number, severities, text] = topic.head.splitn(3, ' ').collect::<Vec<_>>()[..] else {
        return Err(format!(".{} is not a number, severities and a text", topic.head));
    };
    let number = number.parse().map_err(|_| format!("{number} is no number"))?;
    Ok(Message { number, severities: severities.into(), text: text.into(), explanation: topic.lines })
}

fn task(topic: Topic) -> Task {
    Task { name: topic.head, title: joined(&topic.lines) }
}

fn group(topic: Topic) -> Result<Group, String> {
    let named = topic.head.split_once(' ');
    let (Some((name, what)), [title, members @ ..]) = (named, &topic.lines[..]) else {
        return Err(format!(".{} is no group of XEDIT or SET", topic.head));
    };
    let members = members.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned).collect();
    Ok(Group { name: name.into(), what: what.into(), title: title.clone(), members })
}

/// Lines as one text. A line may end within a list of words, after one of its strokes: `DISK|`.
fn joined(lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines {
        let within = text.ends_with('|') && !text.ends_with(" |");
        text += if text.is_empty() || within { "" } else { " " };
        text += line;
    }
    text
}

/// Words side by side, each line with a blank in front.
fn filled<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut().filter(|line| line.len() + 1 + word.len() <= WIDTH) {
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(format!(" {word}")),
        }
    }
    lines
}

fn topic(name: &str, lines: &[String]) -> String {
    lines.iter().fold(format!(".{name}\n"), |text, line| text + line + "\n")
}

/// A row of C's table of subcommands for each of a subcommand's names.
fn subcommand(command: &Command) -> String {
    let row = |verb: &str| {
        let name = literal(&verb.to_ascii_uppercase());
        format!("SUBCOMMAND({name}, {}, {})\n", least(verb), command.function)
    };
    command.verbs().map(row).collect()
}

/// The same of an option of SET: a switch is a member of the view's settings; what cannot be set is a fact.
fn option(command: &Command) -> String {
    let row = |verb: &str| {
        let verb = if command.name.len() < verb.len() { verb.trim_end_matches('n') } else { verb };
        let (name, least) = (literal(&verb.to_ascii_uppercase()), least(verb));
        match (command.file.as_str(), command.syntax.starts_with("SET ")) {
            ("switch", _) => format!("SWITCH({name}, {least}, {})\n", command.function),
            (_, true) => format!("OPTION({name}, {least}, {})\n", command.function),
            (_, false) => format!("FACT({name}, {least}, {})\n", command.function),
        }
    };
    command.verbs().map(row).collect()
}

/// All that HELP types of a subcommand or an option.
fn page(command: &Command) -> String {
    let mut lines = filled_lines(&command.syntax);
    lines.push(" ".into());
    lines.extend(filled_lines(&command.purpose));
    lines.extend(command.whole());
    topic(&command.name, &lines)
}

/// A text in lines that a terminal types whole.
fn filled_lines(text: &str) -> Vec<String> {
    let lines = filled(text.split(' '));
    lines.into_iter().map(|line| line[1..].to_owned()).collect()
}

/// A string of C.
fn literal(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Command, String> {
        command(topics(text)?.remove(0))
    }

    #[test]
    fn a_command_is_read() {
        let text = ".TYPE command/type.c FILES MAIL\nType fn|ft|\nfm [( HEX\n \nTypes a\nfile.\n \nOptions\n \n HEX\n";
        let command = one(text).unwrap();
        assert_eq!((command.file.as_str(), command.function.as_str()), ("command/type.c", "type_command"));
        assert_eq!((command.syntax.as_str(), command.purpose.as_str()), ("Type fn|ft|fm [( HEX", "Types a file."));
        assert_eq!((command.least(), &command.tasks[..]), (1, &["FILES".to_owned(), "MAIL".to_owned()][..]));
        assert_eq!(command.detail, [" ", "Options", " ", " HEX"]);
        assert_eq!(one(".TS a.c:go TASK\nTS\n \nStarts.\n").unwrap().function, "go");
        assert!(one(".TYPE a.c\nTipe\n \nTypes.\n").is_err_and(|why| why.contains("TYPE")));
        assert!(one(".TYPE a.c\nType\n").is_err() && one("TYPE\n").is_err() && one(".TYPE\nType\n").is_err());
    }

    #[test]
    fn a_message_is_read_and_a_string_of_c_made() {
        let message = message(topics(".058 EW \"%l\" was \\\nNo.\n").unwrap().remove(0)).unwrap();
        assert_eq!((message.number, message.severities.as_str(), message.text.as_str()), (58, "EW", "\"%l\" was \\"));
        assert_eq!(literal(&message.text), r#""\"%l\" was \\""#);
    }

    #[test]
    fn a_line_that_cannot_be_typed_is_none() {
        assert!(topics(".X\n\n").is_err() && topics(".X\na\tb\n").is_err() && topics("X\n").is_err());
        assert!(topics(&format!(".X\n{}\n", "x".repeat(WIDTH + 1))).is_err());
    }

    #[test]
    fn words_fill_lines() {
        let words = ["ABCDEFGH"; 10];
        let lines = filled(words.into_iter());
        assert_eq!(lines.iter().map(String::len).collect::<Vec<_>>(), [72, 18]);
    }
}
