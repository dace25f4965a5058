//! `cargo x picture`: the README's picture of a 3270, drawn from the screen of a real client in front of a real system.
//!
//! Takes `s3270` and the sample system with CMS; gives `docs/screen.svg`. The client says what each character's colour
//! is, as the HTML that it prints of its screen.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::host::{self, Outcome, at, make_folder, run};
use crate::tasks;

/// What is typed on a clear screen, once CMS is up: CMSUSER's LOGON starts it.
const TYPED: [&str; 4] = ["query disk", "hello", "Ada", "pipe < hello exec | count lines | console"];

const ANSWER: Duration = Duration::from_secs(60);

/// A character's cell and the screen's edge, in the picture's pixels.
const WIDTH: usize = 9;
const HEIGHT: usize = 19;
const EDGE: usize = 14;

pub(crate) fn picture() -> Outcome {
    if !host::has("s3270") {
        return Err("The picture is what s3270 shows: apt-get install s3270.".into());
    }
    let folder = host::cache().join("picture");
    let _ = fs::remove_dir_all(&folder);
    make_folder(&folder)?;
    let system = folder.join("system");
    run(&mut host::cargo(&["build", "--release", "--package", "endicott"]))?;
    tasks::sample_system(&system)?;

    let html = folder.join("screen.html");
    let mut running = Running::start(&system)?;
    let mut client = Client::start(&running.address)?;
    client.log_on("CMSUSER", "cmsuser")?;
    client.act("Clear()")?;
    for line in TYPED {
        client.enter(line)?;
    }
    client.act(&format!("PrintText(html,file,{})", html.display()))?;
    running.stop();

    let drawn = drawing(&at(&html, fs::read_to_string(&html))?)?;
    let picture = host::root().join("docs/screen.svg");
    host::write_whole(&picture, drawn.as_bytes())?;
    println!("{} is drawn.", picture.display());
    Ok(())
}

/// A system on a port of the host's choice, which ends with this value.
struct Running {
    process: Child,
    address: String,
}

impl Running {
    fn start(system: &Path) -> Outcome<Running> {
        let mut command = Command::new(host::target("release").join("endicott"));
        command.args(["run", "--headless", "--tn3270", "127.0.0.1:0", "--system"]).arg(system);
        let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut process = at(Path::new("endicott"), spawned)?;
        let output = process.stdout.take().ok_or("The system has no output.")?;
        let mut lines = BufReader::new(output).lines();
        let said = lines.find_map(|line| line.ok()?.split_once("TN3270 at ").map(|(_, address)| address.to_owned()));
        Ok(Running { process, address: said.ok_or("The system did not come up.")? })
    }

    fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

/// `s3270`, which takes an action a line.
struct Client {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Client {
    fn start(address: &str) -> Outcome<Client> {
        let mut command = Command::new("s3270");
        command.args(["-model", "3279-2", address]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = at(Path::new("s3270"), command.spawn())?;
        let (to, from) = (process.stdin.take(), process.stdout.take());
        let (Some(to), Some(from)) = (to, from) else { return Err("s3270 has no pipes.".into()) };
        let mut client = Client { process, to, from: BufReader::new(from) };
        client.act("Wait(10,InputField)")?;
        Ok(client)
    }

    /// Performs one action; the data that it gives, a line each.
    fn act(&mut self, action: &str) -> Outcome<Vec<String>> {
        at(Path::new("s3270"), writeln!(self.to, "{action}").and_then(|()| self.to.flush()))?;
        let mut data = Vec::new();
        loop {
            let mut line = String::new();
            if at(Path::new("s3270"), self.from.read_line(&mut line))? == 0 {
                return Err(format!("s3270 ended at {action}.").into());
            }
            match line.trim_end() {
                "ok" => return Ok(data),
                "error" => return Err(format!("s3270 refused {action}: {}", data.join(" ")).into()),
                line => data.extend(line.strip_prefix("data: ").map(str::to_owned)),
            }
        }
    }

    fn log_on(&mut self, user: &str, password: &str) -> Outcome {
        self.act(&format!("String(\"{user}\")"))?;
        self.act("Tab()")?;
        self.enter(password)
    }

    fn enter(&mut self, text: &str) -> Outcome {
        self.act(&format!("String(\"{text}\")"))?;
        let before = self.act("Ascii()")?;
        self.act("Enter()")?;
        self.until_ready(&before)
    }

    /// Waits until the screen is another than `before`, and CMS has said that it is ready or a program reads a line.
    fn until_ready(&mut self, before: &[String]) -> Outcome {
        let limit = Instant::now() + ANSWER;
        while Instant::now() < limit {
            sleep(Duration::from_millis(300));
            let screen = self.act("Ascii()")?;
            let Some((status, output)) = screen.split_last() else { continue };
            let last = output.iter().rev().find(|row| !row.trim().is_empty());
            let ready = last.is_some_and(|row| row.starts_with("Ready;"));
            if status.contains("MORE...") {
                return Err("What is typed and answered is more than a screen.".into());
            }
            if screen != before && (ready || status.contains("VM READ")) {
                return Ok(());
            }
        }
        Err(format!("CMS did not answer. The screen:\n{}", self.act("Ascii()")?.join("\n")).into())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The picture of the screen that `html` shows, as the client printed it: spans of one colour each, in rows.
fn drawing(html: &str) -> Outcome<String> {
    let screen = html.split_once("<pre>").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (screen, _) = screen.ok_or("s3270 printed no screen.")?;
    let mut text = String::new();
    let (mut row, mut column, mut columns) = (0, 0, 0);
    for span in screen.split("<span style=\"").skip(1) {
        let (style, rest) = span.split_once("\">").ok_or("s3270 printed a span without an end.")?;
        let content = rest.split_once('<').map_or(rest, |(content, _)| content);
        let property = |name: &str| style.split(';').find_map(|one| one.strip_prefix(name));
        let (color, weight) = (property("color:").unwrap_or("white"), property("font-weight:").unwrap_or("normal"));
        for (n, part) in content.split('\n').enumerate() {
            if n > 0 {
                (row, column) = (row + 1, 0);
            }
            let seen = part.trim_end();
            if !seen.is_empty() {
                let (x, y, wide) = (EDGE + column * WIDTH, EDGE + (row + 1) * HEIGHT - 5, characters(seen) * WIDTH);
                let place = format!("x=\"{x}\" y=\"{y}\" textLength=\"{wide}\"");
                let _ = writeln!(text, "<text {place} fill=\"{color}\" font-weight=\"{weight}\">{seen}</text>");
            }
            let length = characters(part);
            column += length;
            columns = columns.max(column);
        }
    }
    let (wide, high) = (2 * EDGE + columns * WIDTH, 2 * EDGE + (row + 1) * HEIGHT);
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {wide} {high}\">\n\
         <title>A 3270 in front of CMS</title>\n\
         <rect width=\"{wide}\" height=\"{high}\" rx=\"10\" fill=\"#0b0f14\"/>\n\
         <g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"15\" style=\"white-space: pre\" \
         xml:space=\"preserve\">\n{text}</g>\n</svg>\n"
    ))
}

/// How many characters of the screen `text` is: an entity of HTML is one.
fn characters(text: &str) -> usize {
    let mut entity = false;
    let counted = text.chars().filter(|&c| {
        let before = entity;
        entity = if entity { c != ';' } else { c == '&' };
        !before
    });
    counted.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_a_screen_become_text_at_their_columns() {
        let html = "<pre><span style=\"color:white;font-weight:bold\">ab &lt; </span>\
                    <span style=\"color:deepSkyBlue;font-weight:normal\">c\n  d</span></pre>";
        let drawn = drawing(html).map_err(|failure| failure.0).unwrap();
        let place = |column: usize, row: usize| {
            format!("<text x=\"{}\" y=\"{}\"", EDGE + column * WIDTH, EDGE + row * HEIGHT - 5)
        };
        assert!(drawn.contains(&format!("{} textLength=\"36\" fill=\"white\"", place(0, 1))), "{drawn}");
        assert!(drawn.contains(&format!("{} textLength=\"9\" fill=\"deepSkyBlue\"", place(5, 1))), "{drawn}");
        assert!(drawn.contains(&format!("{} textLength=\"27\" fill=\"deepSkyBlue\"", place(0, 2))), "{drawn}");
    }
}
