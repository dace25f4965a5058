//! A system of two users for tests of the pages: OPERATOR of class ABCDE, and CMSUSER of class G. Its terminal answers
//! what it gets.

// Each file of tests uses a part of this.
#![allow(dead_code)]

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
use web::system::{Counters, Disk, Lines, Processor, SpoolFile, System, User, Visitor};

/// The password of both.
pub(crate) const PASSWORD: &str = "SECRET1";

/// The body of a request for a session.
pub(crate) fn offer(userid: &str, password: &str) -> String {
    serde_json::json!({"userid": userid, "password": password}).to_string()
}

#[derive(Default)]
pub(crate) struct Stand {
    /// What the operator was told.
    pub told: Mutex<Vec<String>>,
    /// Whether the last that gave a password is on this host.
    pub local: Mutex<Option<bool>>,
    /// A user that the directory has no more.
    pub gone: Mutex<Option<String>>,
}

impl Stand {
    pub(crate) fn new() -> Arc<Stand> {
        Arc::default()
    }
}

impl System for Stand {
    fn admit(&self, userid: &str, password: &str, local: bool) -> Option<Visitor> {
        *self.local.lock().unwrap() = Some(local);
        let classes = self.classes(userid).filter(|_| password == PASSWORD)?;
        Some(Visitor { userid: userid.into(), classes })
    }

    fn classes(&self, userid: &str) -> Option<String> {
        match userid {
            gone if self.gone.lock().unwrap().as_deref() == Some(gone) => None,
            "OPERATOR" => Some("ABCDE".into()),
            "CMSUSER" => Some("G".into()),
            _ => None,
        }
    }

    fn tell_operator(&self, text: &str) {
        self.told.lock().unwrap().push(text.into());
    }

    fn terminal(&self, _: SocketAddr, _: bool) -> io::Result<UnixStream> {
        let (ours, mut theirs) = UnixStream::pair()?;
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = theirs.read(&mut buffer) {
                if theirs.write_all(&buffer[..count]).is_err() {
                    break;
                }
            }
        });
        Ok(ours)
    }

    fn counters(&self) -> Counters {
        let processor = |n| Processor { busy_seconds: 1.5 * f64::from(n), dispatched: 7, ..Processor::default() };
        Counters {
            system: "STAND".into(),
            processors: (0..2).map(processor).collect(),
            users: 2,
            ..Counters::default()
        }
    }

    fn users(&self) -> Vec<User> {
        vec![User { userid: "CMSUSER".into(), ..User::default() }]
    }

    fn disks(&self) -> Vec<Disk> {
        vec![Disk { number: "0200".into(), ..Disk::default() }]
    }

    fn spool(&self) -> Vec<SpoolFile> {
        vec![SpoolFile { owner: "CMSUSER".into(), ..SpoolFile::default() }]
    }

    fn log(&self, from: u64) -> Option<Lines> {
        Some(Lines { first: from, lines: vec!["a line".into()] })
    }

    fn console(&self, userid: &str, from: u64) -> Option<Lines> {
        self.classes(userid).map(|_| Lines { first: from, lines: vec![format!("of {userid}")] })
    }
}
