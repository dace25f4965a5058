//! Stories of screens (`tests/cms/tests/screens`) at a real 3270: what they say is on the screen, row by row, and where
//! the cursor is.

use super::{Client, System};
use cms::story::masked;
use std::thread;
use std::time::{Duration, Instant};

/// How long a user looks at CP's screen while a command runs, which may clear the screen when it begins.
const PAUSE: Duration = Duration::from_millis(200);
/// Stories whose program writes screens and types lines without a pause. On a slow host its screen is shown in between,
/// and the next line has CP say MORE...: the user turns the page then.
const PAGED: [&str; 1] = ["console-paths"];

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

/// Waits until the screen is as the story says; what is otherwise if it never is. `turns`: lines may be on several
/// pages.
fn arrives(client: &mut Client, shown: &Shown, limit: Duration, turns: bool) -> Option<String> {
    let began = Instant::now();
    let turns = turns && !shown.lines.iter().any(|line| line.contains("MORE..."));
    let mut before = Vec::new();
    loop {
        let mut rows = client.rows();
        let at = cursor(client);
        if turns && !shown.lines.is_empty() {
            let page = rows.clone();
            rows.extend(before.iter().cloned());
            if page.last().is_some_and(|status| status.contains("MORE...")) && shown.difference(&rows, at).is_some() {
                before.extend(page);
                client.act("Clear()");
            }
        }
        let told = shown.difference(&rows, at)?;
        if began.elapsed() > limit {
            return Some(told);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn quoted(text: &str) -> String {
    format!("String(\"{}\")", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Plays a story, each of whose screens comes within the limit: how many it has, or what was otherwise.
/// `ready` is called when CMS is, before the first line of the story.
pub(crate) fn play(
    system: &System,
    user: &str,
    name: &str,
    text: &str,
    limit: Duration,
    ready: impl FnOnce(),
) -> Result<usize, String> {
    let size = text.lines().find_map(|line| line.strip_prefix("** size ")).unwrap_or("24 80");
    let (rows, model) = match size {
        "24 80" => (24, "3279-2"),
        "32 80" => (32, "3279-3"),
        "43 80" => (43, "3279-4"),
        "27 132" => (27, "3279-5"),
        _ => panic!("{name}: no model has {size}"),
    };
    // A 3270 leaves nulls where they are; s3270 makes blanks of those in front of what is typed.
    let mut client = Client::connect_as(system, &["-model", model, "-clear", "blankFill"], "");
    client.log_on(user);
    client.say("ipl 190 parm autocr", "Ready;", limit);
    ready();
    let mut shown = Shown { rows: vec![String::new(); rows], cursor: None, lines: vec!["Ready;".into()] };
    let (mut step, mut on_cp, mut screens) = (String::new(), true, 0);
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
        if let Some(told) = arrives(&mut client, &shown, limit, PAGED.contains(&name)) {
            return Err(format!("{step}\n{told}"));
        }
        screens += 1;
    }
    Ok(screens)
}
