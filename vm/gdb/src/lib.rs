//! GDB's remote protocol for a virtual machine: `endicott linux --gdb`.
//!
//! The protocol itself is `gdbstub`'s. Here are the registers ([`registers`]), storage ([`storage`]), the machine as
//! that crate asks for it ([`target`]), and the connection. One debugger at a time is served, on a thread of its own. A
//! machine is frozen when one comes, and goes on when it leaves, whether it says so or not.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod registers;
mod session;
mod storage;
mod target;

use base::Held;
use complex::Configuration;
use say::listening::Listening;
use session::{Ended, Input};
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// The option with the address of the server.
const LISTENING: Listening = Listening { option: "--gdb", what: "GDB", here: "127.0.0.1:1234", all: "0.0.0.0:1234" };

/// Where debuggers are served.
enum Door {
    Tcp(TcpListener),
    /// At the path, which is removed in the end.
    Unix(UnixListener, PathBuf),
}

/// One debugger's connection.
pub(crate) trait Stream: io::Read + Write + Send {
    /// Another handle of it, to read.
    fn second(&self) -> io::Result<Box<dyn Stream>>;
    /// Ends it, for all handles.
    fn close(&self);
}

macro_rules! stream {
    ($type:ty) => {
        impl Stream for $type {
            fn second(&self) -> io::Result<Box<dyn Stream>> {
                Ok(Box::new(self.try_clone()?))
            }

            fn close(&self) {
                let _ = self.shutdown(std::net::Shutdown::Both);
            }
        }
    };
}

stream!(TcpStream);
stream!(UnixStream);

impl Door {
    fn open(address: &str) -> Result<Door, String> {
        if address.contains('/') {
            let listener = UnixListener::bind(address).map_err(|error| format!("--gdb {address}: {error}"))?;
            return Ok(Door::Unix(listener, address.into()));
        }
        // A port alone, or with a colon before it, is one of this host's own.
        let port = address.strip_prefix(':').unwrap_or(address);
        let alone = port.parse::<u16>().ok().map(|port| format!("127.0.0.1:{port}"));
        let address = alone.as_deref().unwrap_or(address);
        let listener = TcpListener::bind(LISTENING.address(address)?);
        Ok(Door::Tcp(listener.map_err(|error| LISTENING.refused(address, &error))?))
    }

    fn accept(&self) -> io::Result<Box<dyn Stream>> {
        match self {
            Door::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                // Packets are small, and each waits for its answer.
                stream.set_nodelay(true)?;
                Ok(Box::new(stream))
            }
            Door::Unix(listener, _) => Ok(Box::new(listener.accept()?.0)),
        }
    }
}

/// Debuggers of a machine are served.
pub struct Server {
    place: String,
    path: Option<PathBuf>,
    /// To the session at hand.
    inputs: Arc<Mutex<Option<Sender<Input>>>>,
    /// Is told when a session is over.
    over: Receiver<()>,
}

/// Serves debuggers at `address`: `[address:]port`, or the path of a socket, which has a slash in it. With `wait` the
/// machine is frozen until one has let it go. `end` is called when a debugger kills the machine.
pub fn serve(
    address: &str,
    configuration: Arc<Configuration>,
    wait: bool,
    end: impl Fn() + Send + 'static,
) -> Result<Server, String> {
    let door = Door::open(address)?;
    let (place, path) = match &door {
        Door::Tcp(listener) => (listener.local_addr().map_err(|error| error.to_string())?.to_string(), None),
        Door::Unix(_, path) => (path.display().to_string(), Some(path.clone())),
    };
    let inputs: Arc<Mutex<Option<Sender<Input>>>> = Arc::default();
    let (tell, over) = channel();
    if wait {
        configuration.debug(|| {});
    }
    let current = inputs.clone();
    let serve = move || {
        // A door that fails is closed; who has come in stays.
        while let Ok(stream) = door.accept() {
            let (sender, receiver) = channel();
            *current.lock().held() = Some(sender.clone());
            let ended = session::serve(stream, &configuration, sender, &receiver);
            *current.lock().held() = None;
            configuration.end_debugging();
            let _ = tell.send(());
            if ended == Ended::Killed {
                end();
            }
        }
    };
    thread::Builder::new().name("debugger".into()).spawn(serve).map_err(|error| error.to_string())?;
    Ok(Server { place, path, inputs, over })
}

impl Server {
    /// Where debuggers are served.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The machine has come to its end, with this exit code: a debugger that is there is told so.
    pub fn end(self, code: u8) {
        let current = self.inputs.lock().held().take();
        if let Some(current) = current {
            while self.over.try_recv().is_ok() {}
            if current.send(Input::End(code)).is_ok() {
                // One that does not read gets no more time than this.
                let _ = self.over.recv_timeout(std::time::Duration::from_secs(1));
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path);
        }
    }
}
