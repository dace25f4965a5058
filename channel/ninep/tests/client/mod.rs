//! A client of a server, as Linux has one: messages by hand, and a folder of the host to look at.

// Each file of tests uses a part of this.
#![allow(dead_code)]

use ninep::{Folder, Server, message};
use std::path::{Path, PathBuf};

pub(crate) const NO_FID: u32 = u32::MAX;
pub(crate) const MSIZE: usize = 65_536;

/// Linux's numbers of errors.
pub(crate) mod error {
    pub(crate) const PERM: u32 = 1;
    pub(crate) const NOENT: u32 = 2;
    pub(crate) const NXIO: u32 = 6;
    pub(crate) const BADF: u32 = 9;
    pub(crate) const BUSY: u32 = 16;
    pub(crate) const EXIST: u32 = 17;
    pub(crate) const NOTDIR: u32 = 20;
    pub(crate) const ISDIR: u32 = 21;
    pub(crate) const INVAL: u32 = 22;
    pub(crate) const MFILE: u32 = 24;
    pub(crate) const ROFS: u32 = 30;
    pub(crate) const NAMETOOLONG: u32 = 36;
    pub(crate) const NOTEMPTY: u32 = 39;
    pub(crate) const LOOP: u32 = 40;
    pub(crate) const PROTO: u32 = 71;
    pub(crate) const OPNOTSUPP: u32 = 95;
}

/// Bytes of a message, put one after another.
#[derive(Default, Clone)]
pub(crate) struct Bytes(pub Vec<u8>);

impl Bytes {
    pub(crate) fn byte(mut self, value: u8) -> Bytes {
        self.0.push(value);
        self
    }

    pub(crate) fn half(mut self, value: u16) -> Bytes {
        self.0.extend(value.to_le_bytes());
        self
    }

    pub(crate) fn word(mut self, value: u32) -> Bytes {
        self.0.extend(value.to_le_bytes());
        self
    }

    pub(crate) fn long(mut self, value: u64) -> Bytes {
        self.0.extend(value.to_le_bytes());
        self
    }

    pub(crate) fn string(self, value: impl AsRef<[u8]>) -> Bytes {
        let mut bytes = self.half(value.as_ref().len() as u16);
        bytes.0.extend(value.as_ref());
        bytes
    }
}

pub(crate) fn word(value: u32) -> Bytes {
    Bytes::default().word(value)
}

/// A message as it goes over.
pub(crate) fn frame(kind: u8, tag: u16, body: &[u8]) -> Vec<u8> {
    let head = word(7 + body.len() as u32).byte(kind).half(tag);
    [&head.0, body].concat()
}

pub(crate) fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    bytes[at..at + length].iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

/// What GETATTR says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stat {
    pub kind: u8,
    pub number: u64,
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub links: u64,
    pub size: u64,
    pub modified: u64,
}

pub(crate) struct Client {
    pub server: Server,
    pub folder: PathBuf,
}

impl Client {
    /// A client of a new folder, with fid 0 for it.
    pub(crate) fn new(name: &str, writable: bool) -> Client {
        let folder = std::env::temp_dir().join(format!("endicott-9p-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Client::of(folder, writable)
    }

    pub(crate) fn of(folder: PathBuf, writable: bool) -> Client {
        let server = Server::new(Folder::open(&folder, writable).unwrap()).unwrap();
        let mut client = Client { server, folder };
        client.begin();
        client
    }

    pub(crate) fn begin(&mut self) {
        let answer = self.ask(message::VERSION, word(MSIZE as u32).string("9P2000.L")).unwrap();
        assert_eq!(answer, word(MSIZE as u32).string("9P2000.L").0);
        self.ask(message::ATTACH, word(0).word(NO_FID).string("root").string("").word(0)).unwrap();
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.join(name)
    }

    /// A request, and what the reply has after its head. The error is a number.
    pub(crate) fn ask(&mut self, kind: u8, body: Bytes) -> Result<Vec<u8>, u32> {
        let mut reply = Vec::new();
        self.server.answer(&frame(kind, 7, &body.0), MSIZE, &mut reply);
        assert_eq!((number(&reply, 0, 4) as usize, number(&reply, 5, 2)), (reply.len(), 7));
        let body = reply.split_off(7);
        match reply[4] {
            message::ERROR => Err(number(&body, 0, 4) as u32),
            answered => {
                assert_eq!(answered, kind + 1);
                Ok(body)
            }
        }
    }

    /// Fid `new` for what is at `path` below fid 0, and how many names it went.
    pub(crate) fn walk(&mut self, new: u32, path: &str) -> Result<usize, u32> {
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        let body = names.iter().fold(word(0).word(new).half(names.len() as u16), |body, name| body.string(name));
        self.ask(message::WALK, body).map(|answer| number(&answer, 0, 2) as usize)
    }

    pub(crate) fn open(&mut self, fid: u32, flags: u32) -> Result<(), u32> {
        self.ask(message::OPEN, word(fid).word(flags)).map(|answer| assert_eq!(answer.len(), 17))
    }

    /// Fid `new` for a file that is made in fid `folder`.
    pub(crate) fn create(&mut self, new: u32, folder: u32, name: &str, mode: u32) -> Result<(), u32> {
        self.ask(message::WALK, word(folder).word(new).half(0)).unwrap();
        let made = self.ask(message::CREATE, word(new).string(name).word(0o102).word(mode).word(0));
        if made.is_err() {
            self.clunk(new).unwrap();
        }
        made.map(|_| ())
    }

    pub(crate) fn write(&mut self, fid: u32, offset: u64, data: &[u8]) -> Result<usize, u32> {
        let mut body = word(fid).long(offset).word(data.len() as u32);
        body.0.extend(data);
        self.ask(message::WRITE, body).map(|answer| number(&answer, 0, 4) as usize)
    }

    pub(crate) fn read(&mut self, fid: u32, offset: u64, count: u32) -> Result<Vec<u8>, u32> {
        let answer = self.ask(message::READ, word(fid).long(offset).word(count))?;
        assert_eq!(number(&answer, 0, 4) as usize, answer.len() - 4);
        Ok(answer[4..].to_vec())
    }

    pub(crate) fn clunk(&mut self, fid: u32) -> Result<(), u32> {
        self.ask(message::CLUNK, word(fid)).map(|_| ())
    }

    pub(crate) fn unlink(&mut self, folder: u32, name: &str, flags: u32) -> Result<(), u32> {
        self.ask(message::UNLINKAT, word(folder).string(name).word(flags)).map(|_| ())
    }

    pub(crate) fn rename(&mut self, from: u32, old: &str, to: u32, new: &str) -> Result<(), u32> {
        self.ask(message::RENAMEAT, word(from).string(old).word(to).string(new)).map(|_| ())
    }

    pub(crate) fn mkdir(&mut self, folder: u32, name: &str, mode: u32) -> Result<(), u32> {
        self.ask(message::MKDIR, word(folder).string(name).word(mode).word(0)).map(|_| ())
    }

    pub(crate) fn symlink(&mut self, folder: u32, name: &str, target: &str) -> Result<(), u32> {
        self.ask(message::SYMLINK, word(folder).string(name).string(target).word(0)).map(|_| ())
    }

    /// SETATTR with this mode, owner, group and size, as `valid` says.
    pub(crate) fn set(
        &mut self,
        fid: u32,
        valid: u32,
        values: [u32; 3],
        size: u64,
        times: [u64; 4],
    ) -> Result<(), u32> {
        let body = values.iter().fold(word(fid).word(valid), |body, value| body.word(*value)).long(size);
        self.ask(message::SETATTR, times.iter().fold(body, |body, value| body.long(*value))).map(|_| ())
    }

    pub(crate) fn chmod(&mut self, fid: u32, mode: u32) -> Result<(), u32> {
        self.set(fid, 1, [mode, 0, 0], 0, [0; 4])
    }

    pub(crate) fn stat(&mut self, fid: u32) -> Result<Stat, u32> {
        let a = self.ask(message::GETATTR, word(fid).long(0x7ff))?;
        assert_eq!((a.len(), number(&a, 0, 8)), (153, 0x7ff));
        let half = |at| number(&a, at, 4) as u32;
        Ok(Stat {
            kind: a[8],
            number: number(&a, 13, 8),
            mode: half(21),
            uid: half(25),
            gid: half(29),
            links: number(&a, 33, 8),
            size: number(&a, 49, 8),
            modified: number(&a, 89, 8),
        })
    }

    /// All entries of an open folder, with so many bytes asked for at once: kind, type, number and name.
    pub(crate) fn list(&mut self, fid: u32, count: u32) -> Result<Vec<(u8, u8, u64, String)>, u32> {
        let (mut entries, mut offset) = (Vec::new(), 0);
        loop {
            let answer = self.ask(message::READDIR, word(fid).long(offset).word(count))?;
            let mut rest = &answer[4..];
            assert_eq!(number(&answer, 0, 4) as usize, rest.len());
            assert!(rest.len() <= count as usize);
            if rest.is_empty() {
                return Ok(entries);
            }
            while !rest.is_empty() {
                let length = number(rest, 22, 2) as usize;
                let name = String::from_utf8(rest[24..24 + length].to_vec()).unwrap();
                offset = number(rest, 13, 8);
                entries.push((rest[0], rest[21], number(rest, 5, 8), name));
                rest = &rest[24 + length..];
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
