//! An interface of the host's, of type TAP: what is written to it, the host's kernel receives, and what the kernel
//! sends there is read. A bridge of the host's with the interface in it leads to a real network.
//!
//! The interface may be there already, made for a user by an administrator: then no privilege is needed. If it is not,
//! it is made, which wants CAP_NET_ADMIN, and goes with this process.

use super::pipe::{Frames, HEADER};
use super::{PEER, Peer, Unsent};
use mio::unix::SourceFd;
use mio::{Interest, Registry};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::path::Path;
use tun_rs::{DeviceBuilder, Layer, SyncDevice};

/// The kernel's file by which there are such interfaces.
const FILE: &str = "/dev/net/tun";
/// How long a name may be.
const LONGEST: usize = 15;
/// What a name is.
pub const NO_NAME: &str = "1 to 15 characters, without blanks, slashes, colons and percent signs";
/// How many frames are read before others have their turn.
const TURN: usize = 64;

/// Whether an interface can be called that.
pub(super) fn is_name(name: &str) -> bool {
    let good = |c: char| c.is_ascii_graphic() && !"/:%".contains(c);
    (1..=LONGEST).contains(&name.len()) && name.chars().all(good) && !matches!(name, "." | "..")
}

/// An open interface.
pub(super) struct Tap {
    device: SyncDevice,
    name: String,
}

impl Tap {
    pub(super) fn open(name: &str) -> io::Result<Tap> {
        if !Path::new(FILE).exists() {
            let why = format!(
                "interface {name}: there is no {FILE} here. The kernel's module tun makes it (modprobe tun); a \
                 container is given it (--device {FILE})"
            );
            return Err(io::Error::new(ErrorKind::NotFound, why));
        }
        let device = DeviceBuilder::new().name(name).layer(Layer::L2).inherit_enable_state().build_sync();
        let device = device.map_err(|error| io::Error::new(error.kind(), refusal(name, &error)))?;
        device.set_nonblocking(true)?;
        // One that was made just now is down. Without the privilege it is as the administrator has left it.
        let _ = device.enabled(true);
        Ok(Tap { device, name: name.to_owned() })
    }
}

/// What the host says, and what to do about it.
fn refusal(name: &str, error: &io::Error) -> String {
    let more = match error.kind() {
        ErrorKind::PermissionDenied => format!(
            ". As root make it yours, \"ip tuntap add dev {name} mode tap user USER\" and \"ip link set {name} up\", \
             or give this program CAP_NET_ADMIN"
        ),
        ErrorKind::ResourceBusy => ": another program has it open".to_owned(),
        ErrorKind::InvalidInput => ": there is one of that name that is no TAP".to_owned(),
        _ => String::new(),
    };
    format!("interface {name}: {error}{more}")
}

impl Peer for Tap {
    fn register(&mut self, registry: &Registry) -> io::Result<()> {
        let interest = Interest::READABLE | Interest::WRITABLE;
        registry.register(&mut SourceFd(&self.device.as_raw_fd()), PEER, interest)
    }

    fn write(&mut self, unsent: &mut Unsent) -> io::Result<()> {
        while let Some(frame) = unsent.first() {
            let length = frame.len();
            match self.device.send(frame) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                // An interface that is down takes no frame, and no interface takes one that is none.
                Ok(_) | Err(_) => unsent.done(HEADER + length),
            }
        }
        Ok(())
    }

    fn read(&mut self, frames: &mut Frames, space: &mut [u8]) -> io::Result<bool> {
        for _ in 0..TURN {
            match self.device.recv(space) {
                Ok(length) => frames.add_frame(&space[..length]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn farewell(&mut self, error: &io::Error) -> String {
        format!("interface {} is gone: {error}", self.name)
    }
}
