//! `passt`, which translates between a guest's Ethernet and the host's sockets: a process of its own, which closes
//! itself in. It speaks on the socket that is its standard input, and ends with it.

use super::pipe::{Frames, Pipe};
use super::{Peer, Unsent};
use crate::{Publish, Transport};
use base::Held;
use mio::Registry;
use mio::net::UnixStream;
use socket2::SockRef;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How long it may take until it is closed in. One that does not show that is taken as it is.
const BEGINS: Duration = Duration::from_secs(1);
/// How often it is looked.
const LOOK: Duration = Duration::from_millis(5);
/// How long its end and its last words are waited for.
const LAST: Duration = Duration::from_millis(500);
/// How many bytes the socket between it and us is to have room for.
const BUFFER: usize = 8 << 20;
/// The longest packet that it tells the guest of.
const MTU: &str = "1500";

/// What `passt` is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passt {
    publish: Vec<Publish>,
    host_access: bool,
    program: PathBuf,
}

impl Default for Passt {
    fn default() -> Passt {
        Passt { publish: Vec::new(), host_access: false, program: PathBuf::from("passt") }
    }
}

/// A port of the host that is free now.
fn free(publish: &Publish) -> io::Result<u16> {
    Ok(match publish.transport {
        Transport::Tcp => TcpListener::bind(publish.host)?.local_addr()?.port(),
        Transport::Udp => UdpSocket::bind(publish.host)?.local_addr()?.port(),
    })
}

impl Passt {
    /// Ports that lead to the guest, and whether the gateway's address is the host's loopback for it. Port 0 is one
    /// that is free.
    pub fn new(mut publish: Vec<Publish>, host_access: bool) -> io::Result<Passt> {
        for publish in publish.iter_mut().filter(|publish| publish.host.port() == 0) {
            publish.host.set_port(free(publish)?);
        }
        Ok(Passt { publish, host_access, ..Passt::default() })
    }

    /// The same, but of this program.
    pub fn program(mut self, program: PathBuf) -> Passt {
        self.program = program;
        self
    }

    /// The ports that lead to the guest, each with its number.
    pub fn published(&self) -> &[Publish] {
        &self.publish
    }

    fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = ["--foreground", "--quiet", "--fd", "0", "--mtu", MTU].map(Into::into).into();
        if !self.host_access {
            words.push("--no-map-gw".into());
        }
        for Publish { host, guest, transport } in &self.publish {
            let option = if *transport == Transport::Tcp { "--tcp-ports" } else { "--udp-ports" };
            words.extend([option.into(), format!("{}/{}:{guest}", host.ip(), host.port())]);
        }
        words
    }

    pub(super) fn start(&self) -> io::Result<Running> {
        let (ours, its) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        // What finds no room in the socket, passt drops, and then sends again and again: so it is as long as the host
        // allows (net.core.wmem_max).
        SockRef::from(&its).set_send_buffer_size(BUFFER)?;
        SockRef::from(&ours).set_send_buffer_size(BUFFER)?;
        let mut command = Command::new(&self.program);
        // Ctrl-C at our terminal is not meant for it.
        command.args(self.words()).process_group(0);
        command.stdin(OwnedFd::from(its)).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                let why = "passt is not installed (Debian and Ubuntu: apt-get install passt)";
                io::Error::new(ErrorKind::NotFound, why)
            }
            kind => io::Error::new(kind, format!("{}: {error}", self.program.display())),
        })?;
        // The command has the other end's descriptor until here: only then does passt see that ours is closed.
        drop(command);
        let words = Words::default();
        if let Some(stderr) = child.stderr.take() {
            words.follow(stderr)?;
        }
        let mut running = Running { pipe: Pipe(UnixStream::from_std(ours)), child, words };
        let began = Instant::now();
        while began.elapsed() < BEGINS && !is_closed_in(running.child.id()) {
            if running.child.try_wait()?.is_some() {
                return Err(io::Error::other(running.end()));
            }
            thread::sleep(LOOK);
        }
        Ok(running)
    }
}

/// Whether a process has given up most system calls. `passt` does after all else that can fail.
fn is_closed_in(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status.lines().any(|line| line.split_whitespace().eq(["Seccomp:", "2"]))
}

/// What it says on its standard error: the line that matters most so far.
#[derive(Clone, Debug, Default)]
struct Words(Arc<Mutex<(String, bool)>>);

impl Words {
    fn follow(&self, stderr: ChildStderr) -> io::Result<()> {
        let words = self.clone();
        let follow = move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                // It speaks to the system's log as well, and where there is none says so; root's it makes another's
                // process. A wrong option is told first, and then all options; other mistakes are told last.
                let syslog = line.starts_with("Failed to send ") && line.ends_with(" to syslog");
                let noise = syslog || line.ends_with("Changing to nobody...");
                let mut said = words.0.lock().held();
                if !noise && !line.trim().is_empty() && !said.0.contains("option") {
                    said.0 = line.trim().trim_end_matches(", exiting").to_owned();
                }
            }
            words.0.lock().held().1 = true;
        };
        thread::Builder::new().name("passt".to_owned()).spawn(follow).map(drop)
    }

    /// What it has said, now that it has ended.
    fn last(&self) -> String {
        let began = Instant::now();
        while began.elapsed() < LAST && !self.0.lock().held().1 {
            thread::sleep(LOOK);
        }
        self.0.lock().held().0.clone()
    }
}

/// A `passt` that runs.
pub(super) struct Running {
    pipe: Pipe<UnixStream>,
    child: Child,
    words: Words,
}

impl Running {
    /// How it has ended.
    fn end(&mut self) -> String {
        // One that has closed its socket is about to end, and of no more use if it does not.
        let began = Instant::now();
        while began.elapsed() < LAST && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(LOOK);
        }
        let _ = self.child.kill();
        let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        match self.words.last() {
            words if words.is_empty() => format!("passt has ended ({status})"),
            words => format!("passt has ended ({status}): {words}"),
        }
    }
}

impl Peer for Running {
    fn register(&mut self, registry: &Registry) -> io::Result<()> {
        self.pipe.register(registry)
    }

    fn write(&mut self, unsent: &mut Unsent) -> io::Result<()> {
        self.pipe.write(unsent)
    }

    fn read(&mut self, frames: &mut Frames, space: &mut [u8]) -> io::Result<bool> {
        self.pipe.read(frames, space)
    }

    fn farewell(&mut self, _error: &io::Error) -> String {
        self.end()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
