//! Frames over a stream to another program: each after its length, four bytes with the highest first. So writes QEMU
//! (`-netdev stream`, `-netdev socket`) and so does passt, and so a machine of another kind can join a guest's network.

use super::{LISTENER, LONGEST, PEER, Peer, Unsent};
use mio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use mio::{Interest, Registry, event::Source};
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use zerocopy::big_endian::U32;

/// The length of a length.
pub(super) const HEADER: usize = 4;
/// How long a program may take until it has answered a call.
const CALL: Duration = Duration::from_secs(1);

/// Where the other program is, or comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// `unix:PATH`
    Unix(PathBuf),
    /// `tcp:ADDRESS:PORT`
    Tcp(SocketAddr),
}

/// What is wrong with a word that shall name a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is neither unix:PATH nor tcp:ADDRESS:PORT")]
pub struct WrongPlace(String);

impl FromStr for Place {
    type Err = WrongPlace;

    fn from_str(word: &str) -> Result<Place, WrongPlace> {
        let wrong = || WrongPlace(word.to_owned());
        match word.split_once(':') {
            Some(("unix", path)) if !path.is_empty() => Ok(Place::Unix(PathBuf::from(path))),
            Some(("tcp", address)) => address.parse().map(Place::Tcp).map_err(|_| wrong()),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Unix(path) => write!(f, "unix:{}", path.display()),
            Place::Tcp(address) => write!(f, "tcp:{address}"),
        }
    }
}

impl Place {
    /// Calls the program that listens there.
    pub(super) fn call(&self) -> io::Result<Box<dyn Peer>> {
        Ok(match self {
            Place::Unix(path) => {
                let stream = std::os::unix::net::UnixStream::connect(path)?;
                stream.set_nonblocking(true)?;
                Box::new(Pipe(UnixStream::from_std(stream)))
            }
            Place::Tcp(address) => {
                let stream = std::net::TcpStream::connect_timeout(address, CALL)?;
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)?;
                Box::new(Pipe(TcpStream::from_std(stream)))
            }
        })
    }
}

/// Takes frames apart that come in pieces.
#[derive(Debug, Default)]
pub(super) struct Frames {
    bytes: Vec<u8>,
    at: usize,
}

/// A length that no frame has: the stream is of no more use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it sent a frame of {0} bytes")]
pub(super) struct WrongLength(pub(super) u32);

impl Frames {
    /// More of the stream.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.at);
        self.at = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// A whole frame.
    pub(super) fn add_frame(&mut self, frame: &[u8]) {
        self.add(&U32::new(frame.len() as u32).to_bytes());
        self.bytes.extend_from_slice(frame);
    }

    /// The next frame that is there as a whole. It stays the next one until [`Frames::taken`].
    pub(super) fn first(&self) -> Result<Option<&[u8]>, WrongLength> {
        let Some((header, rest)) = self.bytes[self.at..].split_first_chunk::<HEADER>() else { return Ok(None) };
        let length = U32::from_bytes(*header).get();
        let Some(count) = usize::try_from(length).ok().filter(|count| (1..=LONGEST).contains(count)) else {
            return Err(WrongLength(length));
        };
        Ok(rest.get(..count))
    }

    /// The next frame, of so many bytes, has been taken.
    pub(super) fn taken(&mut self, bytes: usize) {
        self.at += HEADER + bytes;
    }
}

/// What waits for programs to come.
pub(super) enum Listener {
    Unix(UnixListener, PathBuf),
    Tcp(TcpListener),
}

impl Listener {
    pub(super) fn bind(place: &Place) -> io::Result<Listener> {
        Ok(match place {
            Place::Unix(path) => {
                remove_left_over(path)?;
                Listener::Unix(UnixListener::bind(path)?, path.clone())
            }
            Place::Tcp(address) => Listener::Tcp(TcpListener::bind(*address)?),
        })
    }

    pub(super) fn address(&self) -> Option<SocketAddr> {
        match self {
            Listener::Unix(..) => None,
            Listener::Tcp(listener) => listener.local_addr().ok(),
        }
    }

    pub(super) fn register(&mut self, registry: &Registry) -> io::Result<()> {
        match self {
            Listener::Unix(listener, _) => registry.register(listener, LISTENER, Interest::READABLE),
            Listener::Tcp(listener) => registry.register(listener, LISTENER, Interest::READABLE),
        }
    }

    /// A program that has come.
    pub(super) fn accept(&mut self) -> io::Result<Option<Box<dyn Peer>>> {
        let accepted: io::Result<Box<dyn Peer>> = match self {
            Listener::Unix(listener, _) => listener.accept().map(|(stream, _)| Box::new(Pipe(stream)) as _),
            Listener::Tcp(listener) => listener.accept().map(|(stream, _)| {
                let _ = stream.set_nodelay(true);
                Box::new(Pipe(stream)) as _
            }),
        };
        match accepted {
            Ok(peer) => Ok(Some(peer)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Unix(_, path) = self {
            // It is of no use without the listener.
            let _ = fs::remove_file(path);
        }
    }
}

/// Removes the socket of a program that has ended. Any other file stays, and binding tells of it.
fn remove_left_over(path: &Path) -> io::Result<()> {
    let socket = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    if socket && std::os::unix::net::UnixStream::connect(path).is_err() {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// A connected program.
pub(super) struct Pipe<S>(pub(super) S);

impl<S: Read + Write + Source + Send> Peer for Pipe<S> {
    fn register(&mut self, registry: &Registry) -> io::Result<()> {
        registry.register(&mut self.0, PEER, Interest::READABLE | Interest::WRITABLE)
    }

    fn write(&mut self, unsent: &mut Unsent) -> io::Result<()> {
        while !unsent.rest().is_empty() {
            match self.0.write(unsent.rest()) {
                Ok(count) => unsent.done(count),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn read(&mut self, frames: &mut Frames, space: &mut [u8]) -> io::Result<bool> {
        match self.0.read(space) {
            Ok(0) => Err(io::Error::new(ErrorKind::UnexpectedEof, "it has closed the connection")),
            Ok(count) => {
                frames.add(&space[..count]);
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use support::Random;

    #[test]
    fn frames_are_the_same_however_the_stream_is_cut() {
        let mut random = Random::seeded(3);
        let sent: Vec<Vec<u8>> = (0..500)
            .map(|_| {
                let most = if random.one_in(50) { LONGEST } else { 200 };
                let length = 1 + random.below(most);
                random.bytes(length)
            })
            .collect();
        let stream: Vec<u8> =
            sent.iter().flat_map(|frame| [&(frame.len() as u32).to_be_bytes()[..], frame].concat()).collect();
        let (mut frames, mut got, mut at) = (Frames::default(), Vec::new(), 0);
        while at < stream.len() {
            let end = (at + 1 + random.below(3_000usize)).min(stream.len());
            frames.add(&stream[at..end]);
            while let Some(frame) = frames.first().unwrap().map(<[u8]>::to_vec) {
                frames.taken(frame.len());
                got.push(frame);
            }
            at = end;
        }
        assert_eq!(got, sent);
    }

    #[test]
    fn lengths_that_no_frame_has_end_the_stream() {
        for (length, wrong) in [(0, true), (65_550, false), (65_551, true), (u32::MAX, true)] {
            let mut frames = Frames::default();
            frames.add(&length.to_be_bytes());
            assert_eq!(frames.first(), if wrong { Err(WrongLength(length)) } else { Ok(None) });
        }
    }

    #[test]
    fn places_are_read() {
        assert_eq!("unix:/run/x".parse(), Ok(Place::Unix("/run/x".into())));
        assert_eq!("tcp:127.0.0.1:5".parse(), Ok(Place::Tcp("127.0.0.1:5".parse().unwrap())));
        for word in ["", "unix:", "tcp:5", "tcp:localhost:5", "/run/x"] {
            let told = word.parse::<Place>().unwrap_err().to_string();
            assert_eq!(told, format!("\"{word}\" is neither unix:PATH nor tcp:ADDRESS:PORT"));
        }
    }
}
