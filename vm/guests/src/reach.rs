//! `endicott list`, `stop`, `ssh` and `cp`: what is done with guests that run with a name ([`named`]).
//!
//! ssh and scp are the host's own clients. They come to the guest's sshd by a port of this host's loopback, which the
//! guest's process has published.

use crate::keys;
use crate::named::{self, Found, Order, Status};
use serde::Serialize;
use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often sshd is tried.
const POLL: Duration = Duration::from_millis(100);
/// How long the first try may take. What comes to a guest before it has its address is lost, and gets no answer.
const TRY: Duration = Duration::from_secs(1);
/// How often a guest is told to shut down that does not listen yet.
const AGAIN: Duration = Duration::from_millis(500);

/// What `endicott list` is told.
#[derive(clap::Args)]
pub struct List {
    /// As JSON, a line for each.
    #[arg(long)]
    json: bool,
}

/// What `endicott stop` is told.
#[derive(clap::Args)]
pub struct Stop {
    /// The guests.
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// End them as if the power had failed.
    #[arg(long)]
    now: bool,
    /// How long a guest may take to shut down, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    wait: u64,
}

/// How `endicott ssh` and `endicott cp` reach a guest.
#[derive(clap::Args)]
pub struct Reach {
    /// The user in the guest.
    #[arg(long, short, value_name = "USER", default_value = "root")]
    user: String,
    /// How long to wait for a guest that is still starting, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    wait: u64,
}

/// What `endicott ssh` is told.
#[derive(clap::Args)]
pub struct Ssh {
    #[command(flatten)]
    reach: Reach,
    /// The guest.
    #[arg(value_name = "NAME")]
    name: String,
    /// What the user's shell in the guest is to run; without it, a shell on this terminal. The exit status is the
    /// command's, or 255 if ssh fails.
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
    /// Give the command a terminal.
    #[arg(long, short)]
    tty: bool,
}

/// What `endicott cp` is told.
#[derive(clap::Args)]
pub struct Copy {
    #[command(flatten)]
    reach: Reach,
    /// Folders, too, with all that is in them.
    #[arg(long, short)]
    recursive: bool,
    /// What is copied, and to where. NAME:PATH is a file of the guest; a path without a slash at the front begins in
    /// the user's home folder. A file of this host with a colon in its name is ./FILE.
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    files: Vec<String>,
}

/// Lists the guests that run with a name.
pub fn list(options: &List) -> Result<u8, String> {
    let all = named::all()?;
    if options.json {
        all.iter().for_each(|found| match found {
            Found::Running(status) => say!("{}", say::json(status)),
            Found::Starting(name) => say!("{}", say::json(&Starting { name })),
        });
        return Ok(0);
    }
    if all.is_empty() {
        say!("No guest with a name runs; \"endicott linux NAME --detach\" starts one.");
        return Ok(0);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut rows = vec![["NAME", "PROCESS", "UP", "MEMORY", "CPUS", "PUBLISHED", "DISK"].map(str::to_owned)];
    rows.extend(all.iter().map(|found| match found {
        Found::Running(status) => row(status, now),
        Found::Starting(name) => [name, "", "starting", "", "", "", ""].map(str::to_owned),
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    for row in &rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        say!("{}", cells.join("  ").trim_end());
    }
    Ok(0)
}

/// What `--json` says of a guest that is about to start.
#[derive(Serialize)]
struct Starting<'a> {
    name: &'a str,
}

fn row(status: &Status, now: u64) -> [String; 7] {
    let text = |items: Vec<String>| if items.is_empty() { "-".into() } else { items.join(" ") };
    [
        status.name.clone(),
        status.process.to_string(),
        span(now.saturating_sub(status.started)),
        format!("{}M", status.memory >> 20),
        status.cpus.to_string(),
        text(status.published.clone()),
        text(status.disks.iter().map(|disk| disk.display().to_string()).collect()),
    ]
}

/// A time in the two units that are of use.
fn span(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        3600..86400 => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
        _ => format!("{}d{:02}h", seconds / 86400, seconds / 3600 % 24),
    }
}

/// Ends guests, one after the other; the others, too, if one does not end.
pub fn stop(options: &Stop) -> Result<u8, String> {
    let limit = Duration::from_secs(options.wait);
    let mut code = 0;
    for name in &options.names {
        if let Err(why) = end(name, options.now, limit) {
            complain!("endicott: {why}");
            code = 1;
        }
    }
    Ok(code)
}

fn end(name: &str, now: bool, limit: Duration) -> Result<(), String> {
    named::find(name)?;
    let began = Instant::now();
    if now {
        named::tell(name, &Order::End)?;
    } else {
        // One that is starting, or has no system yet that listens, is told again.
        while let Err(why) = named::tell(name, &Order::Stop) {
            if named::await_end(name, AGAIN)? {
                return Ok(());
            }
            if began.elapsed() >= limit {
                return Err(format!("{name}: {why}; \"endicott stop --now {name}\" ends it"));
            }
        }
    }
    match named::await_end(name, limit.saturating_sub(began.elapsed()))? {
        true => Ok(()),
        false => Err(format!(
            "{name} has not shut down in {} seconds: --wait gives it more, \"endicott stop --now {name}\" ends it",
            limit.as_secs()
        )),
    }
}

/// Waits until a guest's sshd answers; where.
fn await_sshd(name: &str, wait: u64) -> Result<SocketAddr, String> {
    let began = Instant::now();
    let limit = Duration::from_secs(wait);
    loop {
        let over = began.elapsed() >= limit;
        match named::find(name) {
            Ok(status) => {
                let at = status.ssh.ok_or_else(|| format!("{name} has no network: start it without --net none"))?;
                // A busy guest may want longer.
                if greets(at, TRY + began.elapsed() / 8) {
                    return Ok(at);
                }
                if over {
                    return Err(format!(
                        "no sshd of {name} has answered in {wait} seconds: it is not installed or does not run \
                         there, or --wait gives it more time"
                    ));
                }
            }
            Err(why) if over || !starts(name) => return Err(why),
            Err(_) => {}
        }
        std::thread::sleep(POLL);
    }
}

/// Whether it is about to start.
fn starts(name: &str) -> bool {
    let is_it = |found: &Found| matches!(found, Found::Starting(starting) if starting == name);
    named::all().is_ok_and(|all| all.iter().any(is_it))
}

/// Whether it is an sshd that is there: it says so first (RFC 4253, 4.2).
fn greets(at: SocketAddr, patience: Duration) -> bool {
    let mut first = [0; 4];
    let mut look = || -> std::io::Result<()> {
        let mut stream = TcpStream::connect_timeout(&at, patience)?;
        stream.set_read_timeout(Some(patience))?;
        stream.read_exact(&mut first)
    };
    look().is_ok() && &first == b"SSH-"
}

/// What the host's ssh and scp are told both.
fn client(program: &str, at: SocketAddr, port: &str) -> Command {
    let mut command = Command::new(program);
    // The guest's process listens there, which was just asked for its port: so its host key, which another disk of this
    // name has not, is not looked at. The user's own configuration is for other hosts.
    command.args(["-F", "/dev/null", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]);
    command.args(["-o", "LogLevel=ERROR"]);
    if let Some(key) = keys::own() {
        command.args(["-o", "IdentitiesOnly=yes", "-i"]).arg(key);
    }
    command.args([port, &at.port().to_string()]);
    command
}

/// Becomes the program. The error is why that cannot be.
fn become_it(mut command: Command) -> String {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.exec() {
        error if error.kind() == std::io::ErrorKind::NotFound => {
            format!("{program} is not on this machine: Debian's package openssh-client has it")
        }
        error => format!("{program} cannot be started: {error}"),
    }
}

/// A shell, or a command, in the guest; the host's ssh takes the place of this process.
pub fn ssh(options: &Ssh) -> Result<u8, String> {
    let at = await_sshd(&options.name, options.reach.wait)?;
    let mut command = client("ssh", at, "-p");
    if options.tty {
        command.arg("-t");
    }
    command.args(["-l", &options.reach.user, "--", &at.ip().to_string()]).args(&options.command);
    Err(become_it(command))
}

/// A file of a guest: its name, and the path there.
fn of_guest(word: &str) -> Option<(&str, &str)> {
    let (name, path) = word.split_once(':')?;
    (!name.contains('/')).then_some((name, path))
}

/// Copies files; the host's scp takes the place of this process.
pub fn copy(options: &Copy) -> Result<u8, String> {
    let mut guests: Vec<&str> = options.files.iter().filter_map(|word| Some(of_guest(word)?.0)).collect();
    guests.dedup();
    let name = match guests[..] {
        [name] => name,
        [] => return Err("no file is a guest's: NAME:PATH is one of the guest NAME".into()),
        [one, other, ..] => return Err(format!("files are copied to and from one guest, not {one} and {other}")),
    };
    let (last, sources) = options.files.split_last().ok_or("there is nothing to copy")?;
    let from_guest = sources.iter().filter(|word| of_guest(word).is_some()).count();
    let to_guest = of_guest(last).is_some();
    if to_guest && from_guest > 0 || !to_guest && from_guest < sources.len() {
        return Err("either what is copied is the guest's, or the place where it goes".into());
    }
    let at = await_sshd(name, options.reach.wait)?;
    let mut command = client("scp", at, "-P");
    if options.recursive {
        command.arg("-r");
    }
    command.arg("--");
    for word in &options.files {
        command.arg(match of_guest(word) {
            Some((_, path)) => format!("{}@{}:{path}", options.reach.user, at.ip()),
            None => word.clone(),
        });
    }
    Err(become_it(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_its_two_largest_units() {
        for (seconds, text) in
            [(0, "0s"), (59, "59s"), (60, "1m00s"), (3599, "59m59s"), (3600, "1h00m"), (90000, "1d01h")]
        {
            assert_eq!(span(seconds), text);
        }
    }

    #[test]
    fn a_file_of_a_guest_has_its_name_before_a_colon() {
        assert_eq!(of_guest("demo:/etc/hosts"), Some(("demo", "/etc/hosts")));
        assert_eq!(of_guest("demo:"), Some(("demo", "")));
        for here in ["file", "./a:b", "/tmp/a:b"] {
            assert_eq!(of_guest(here), None);
        }
    }
}
