//! TCP/IP for virtual machines: sockets by IUCV, in the manner of VM's TCPIP service machine.
//!
//! A program connects to `*TCPIP`, or to the user TCPIP, and sends a message for each call; the answer comes when the
//! call is done. The sockets are the host's ordinary ones, so no privilege is needed. A thread has them all:
//!
//! * `call`: what messages and answers look like; `errno`: why calls fail.
//! * `client`: a path's sockets and calls that wait; `socket`: one of them; `net`: what they may reach.
//! * `question`: names and echoes.
//! * `worker`: the thread.
//!
//! A path that ends takes its sockets along: SEVER, a reset, LOGOFF. What waits is bounded: messages by the path's
//! limit and by bytes ([`iucv::server`]), sockets by the [`Settings`]. Received bytes wait in the host's kernel.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod call;
mod client;
mod errno;
mod net;
mod question;
mod settings;
mod socket;
mod worker;

pub use call::number;
pub use errno::Errno;
pub use settings::Settings;
pub use socket::state;

use base::Held;
use directory::User;
use iucv::Disk;
use iucv::server::{Bounds, Request, Server, ServerPath};
use mio::{Poll, Token, Waker};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// The token by which the thread is woken.
const WAKE: Token = Token(usize::MAX);

/// Gives a message its answer.
type Answer = Box<dyn Fn(ServerPath, u32, &[u8]) + Send>;

/// What the thread is told.
enum Told {
    Connected(ServerPath, Arc<User>),
    Asked(Request),
    Purged(ServerPath, u32),
    Severed(ServerPath),
}

impl Told {
    /// The virtual machine that it is about.
    fn member(&self) -> u32 {
        match self {
            Told::Connected(path, _) | Told::Purged(path, _) | Told::Severed(path) => path.member,
            Told::Asked(request) => request.from.member,
        }
    }
}

/// What IUCV and the thread have in common.
struct Shared {
    inbox: Mutex<Vec<Told>>,
    stop: AtomicBool,
    waker: Waker,
}

/// The service. Its thread ends when this is dropped.
struct Service(Arc<Shared>);

impl Service {
    fn tell(&self, told: Told) {
        let mut inbox = self.0.inbox.lock().held();
        inbox.push(told);
        // One that is not the first finds the thread about to look.
        if inbox.len() == 1 {
            // A thread that cannot be woken has ended.
            let _ = self.0.waker.wake();
        }
    }
}

impl Server for Service {
    fn connected(&self, path: ServerPath, user: &Arc<User>) {
        self.tell(Told::Connected(path, user.clone()));
    }

    fn asked(&self, request: Request) {
        self.tell(Told::Asked(request));
    }

    fn purged(&self, path: ServerPath, message: u32) {
        self.tell(Told::Purged(path, message));
    }

    fn severed(&self, path: ServerPath) {
        self.tell(Told::Severed(path));
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // The thread may be the one that drops this: it is not waited for.
        self.0.stop.store(true, Ordering::Release);
        let _ = self.0.waker.wake();
    }
}

/// From now on `iucv` has the service.
pub fn install<D: Disk + Send + Sync + 'static>(settings: Settings, iucv: &iucv::Shared<D>) -> io::Result<()> {
    let poll = Poll::new()?;
    let waker = Waker::new(poll.registry(), WAKE)?;
    let net = net::Net::new(poll.registry().try_clone()?, settings.clone());
    let shared = Arc::new(Shared { inbox: Mutex::default(), stop: AtomicBool::new(false), waker });
    let bounds = Bounds { user: settings.user_bytes, system: settings.system_bytes };
    let weak = Arc::downgrade(iucv);
    let answer: Answer = Box::new(move |path, message, bytes| {
        if let Some(iucv) = weak.upgrade() {
            iucv.lock().held().answer(path, message, bytes);
        }
    });
    let worker = worker::Worker::new(poll, shared.clone(), settings, net, answer);
    std::thread::Builder::new().name("tcpip".to_owned()).spawn(move || worker.run())?;
    iucv.lock().held().serve(Arc::new(Service(shared)), bounds);
    Ok(())
}
