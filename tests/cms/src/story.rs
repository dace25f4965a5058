//! Stories: what users type and see, as the files of `tests/transcripts` have it (`tests/transcripts.rs` says how they
//! are written).

use crate::system::File;

/// What a line of a story does.
#[derive(PartialEq, Eq, Debug)]
pub enum What {
    /// A comment, or a file for a disk.
    Nothing,
    /// A block of CMSUSER's 191 is written over.
    Damage(u64),
    /// The file system's checker looks at CMSUSER's 191.
    Check,
    /// So many seconds pass; CMSUSER's terminal shows what they bring.
    Wait(u64),
    /// A user types a line, and the machine goes on for so many time slices or until nothing happens any more.
    Type {
        /// The user who types.
        who: String,
        /// What the user types.
        text: String,
        /// How many time slices follow; `None`: until nothing happens any more.
        slices: Option<u32>,
    },
}

/// A line of a story that is input, and what is shown then.
pub struct Step {
    /// The line as it stands in the file.
    pub line: String,
    /// What it does.
    pub what: What,
    /// The lines that are shown then.
    pub shown: Vec<String>,
}

/// A file for a disk: name, type, mode, text.
type Owned = [String; 4];

/// One file of stories.
pub struct Story {
    system: Vec<Owned>,
    user: Vec<Owned>,
    /// What is shown depends on the date, which is in 1991.
    pub dated: bool,
    /// It is about a console that is a typewriter.
    pub typewriter: bool,
    /// The lines that are input, in their order.
    pub steps: Vec<Step>,
}

impl Story {
    /// The stories of a file's text. Panics if a line is shown before anything is typed.
    pub fn parse(text: &str) -> Story {
        let mut story =
            Story { system: Vec::new(), user: Vec::new(), dated: false, typewriter: false, steps: Vec::new() };
        for line in text.lines() {
            let shown = line.split_once('<').filter(|(who, _)| who.is_empty() || is_user(who));
            match (shown, story.steps.last_mut()) {
                (Some((_, shown)), Some(step)) => {
                    step.shown.push(shown.strip_prefix(' ').unwrap_or(shown).to_owned());
                    continue;
                }
                (Some(_), None) => panic!("{line} is shown before anything is typed"),
                (None, _) => (),
            }
            let what = story.what(line);
            story.steps.push(Step { line: line.to_owned(), what, shown: Vec::new() });
        }
        story
    }

    /// The files alone: what is typed in stories of screens has another form.
    pub fn files_alone(text: &str) -> Story {
        let is_file = |line: &&str| line.starts_with("** file ") || line.starts_with("** folder ");
        let lines: Vec<&str> = text.lines().filter(is_file).collect();
        Story::parse(&lines.join("\n"))
    }

    fn what(&mut self, line: &str) -> What {
        if let Some(rest) = line.strip_prefix("** file ") {
            let words: Vec<&str> = rest.splitn(5, ' ').collect();
            let [disk, name, kind, mode, content] = words[..] else { panic!("** file DISK NAME TYPE MODE lines") };
            let content = content.replace('/', "\n").replace("\\s", "/");
            let files = if disk == "191" { &mut self.user } else { &mut self.system };
            files.push([name.into(), kind.into(), mode.into(), content]);
            return What::Nothing;
        }
        if let Some(rest) = line.strip_prefix("** folder ") {
            let (disk, folder) = rest.split_once(' ').expect("** folder DISK NAME");
            let files = if disk == "191" { &mut self.user } else { &mut self.system };
            files.extend(folder_of_disk(folder));
            return What::Nothing;
        }
        if let Some(block) = line.strip_prefix("** damage ") {
            return What::Damage(block.parse().expect("a block number"));
        }
        if let Some(seconds) = line.strip_prefix("** wait ") {
            return What::Wait(seconds.parse().expect("seconds"));
        }
        self.dated |= line == "** dated";
        self.typewriter |= line == "** typewriter";
        if line == "** check" {
            return What::Check;
        }
        let Some((who, typed)) = line.split_once('>').filter(|_| !line.starts_with("--")) else {
            return What::Nothing;
        };
        let who = if who.is_empty() { "CMSUSER" } else { who }.to_owned();
        let typed = typed.strip_prefix(' ').unwrap_or(typed);
        let slices = typed.split_once(' ').and_then(|(n, rest)| Some((n.parse::<u32>().ok()?, rest)));
        match slices {
            Some((slices, rest)) if typed.starts_with(|c: char| c.is_ascii_digit()) && !rest.is_empty() => {
                What::Type { who, text: rest.to_owned(), slices: Some(slices) }
            }
            _ => What::Type { who, text: typed.to_owned(), slices: None },
        }
    }

    /// The files on MAINT's 190.
    pub fn system(&self) -> Vec<File<'_>> {
        files(&self.system)
    }

    /// The files on CMSUSER's 191.
    pub fn user(&self) -> Vec<File<'_>> {
        files(&self.user)
    }
}

/// The files of a folder of `guest/cms/disks`, which are called NAME.TYPE.MODE.
pub fn folder_of_disk(name: &str) -> Vec<[String; 4]> {
    let folder = crate::source().join("disks").join(name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    let file = |path: &std::path::PathBuf| {
        let id = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let words: Vec<&str> = id.splitn(3, '.').collect();
        let [name, kind, mode] = words[..] else { panic!("{id} is not called NAME.TYPE.MODE") };
        let lines = std::fs::read_to_string(path).expect("it is a text");
        let content = if kind == "ASSEMBLE" { format!("source\n{lines}") } else { lines };
        [name.into(), kind.into(), mode.into(), content]
    };
    paths.iter().map(file).collect()
}

fn files(list: &[Owned]) -> Vec<File<'_>> {
    list.iter().map(|[n, t, m, c]| (n.as_str(), t.as_str(), m.as_str(), c.as_str())).collect()
}

fn is_user(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

/// What differs from time to time: digits of times, as in `T=0.01/0.02 08:00:01` and `8:00:01`.
pub fn masked(line: &str) -> String {
    let mut line = line.to_string();
    if let Some(at) = line.find("T=")
        && line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ').starts_with("Ready")
    {
        line.replace_range(at.., "T=n.nn/n.nn nn:nn:nn");
        return line;
    }
    // Where that is depends on the nucleus.
    if let Some((message, _)) = line.split_once(" error at ") {
        return format!("{message} error at nnnnnnnn");
    }
    // How many blocks the system disk has in use depends on how large the parts are that every one of the tests has.
    if line.starts_with("CMS190 ") && line.contains(" 4096 ") {
        let (disk, used) = line.split_once(" 4096 ").unwrap_or((&line, ""));
        let files = used.split_whitespace().next().unwrap_or_default();
        return format!("{disk} 4096 {files:>8}         nn-nn        nnn        180");
    }
    // How much is free depends on how large the nucleus is.
    if let Some((machine, rest)) = line.split_once("K, ")
        && rest.contains("K free of ")
    {
        return format!("{machine}K, nK free of nK for CMS");
    }
    let bytes = line.clone().into_bytes();
    let digit = |n: usize| bytes.get(n).is_some_and(u8::is_ascii_digit);
    for at in 0..bytes.len() {
        let time = digit(at) && bytes.get(at + 1) == Some(&b':') && digit(at + 2) && digit(at + 3);
        if time && bytes.get(at + 4) == Some(&b':') && digit(at + 5) && digit(at + 6) {
            line.replace_range(at..at + 7, "n:nn:nn");
            if at > 0 && (digit(at - 1) || bytes[at - 1] == b' ') {
                line.replace_range(at - 1..at, "n");
            }
        }
    }
    line
}
