//! `--serial`: the guest's console `hvc1` at a Unix socket of the host.

use crate::vsock::listen_at;
use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use virtio::Line;

/// A console at a socket, as long as the guest runs.
pub(crate) struct Serial {
    line: Arc<Line>,
    path: PathBuf,
}

impl Serial {
    /// Listens at `path`. One program at a time has the console; the next waits until it has gone.
    pub(crate) fn new(path: &Path) -> io::Result<Serial> {
        let listener: UnixListener = listen_at(path)?;
        let line = Line::new();
        let end = line.clone();
        thread::Builder::new().name("serial".into()).spawn(move || {
            // The socket's name goes with the program, and so does this thread.
            for stream in listener.incoming() {
                match stream {
                    Ok(stream) => attend(&stream, &end),
                    Err(error) => return complain!("endicott: --serial: {error}: nothing reaches it any more"),
                }
            }
        })?;
        Ok(Serial { line, path: path.to_owned() })
    }

    /// The console's line.
    pub(crate) fn line(&self) -> &Arc<Line> {
        &self.line
    }
}

impl Drop for Serial {
    fn drop(&mut self) {
        self.line.close();
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Moves bytes both ways until the program at the socket has gone.
fn attend(stream: &UnixStream, line: &Line) {
    let gone = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            loop {
                let bytes = line.receive(|| gone.load(Ordering::Acquire));
                let mut to = stream;
                if bytes.is_empty() || to.write_all(&bytes).is_err() {
                    // That ends the other direction, too.
                    let _ = stream.shutdown(Shutdown::Both);
                    return;
                }
            }
        });
        let (mut from, mut buffer) = (stream, [0; 4096]);
        loop {
            match from.read(&mut buffer) {
                Ok(count) if count > 0 && line.send(&buffer[..count]) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => break,
            }
        }
        gone.store(true, Ordering::Release);
        line.look_again();
    });
}
