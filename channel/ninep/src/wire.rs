//! Messages as bytes. All numbers are little-endian; a string is its length in two bytes, and its bytes.

use base::layout::little::{U16, U32, U64};
use rustix::io::Errno;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The types of requests. A reply's is one more.
pub mod message {
    /// The reply that is an error of Linux's, by number.
    pub const ERROR: u8 = 7;
    /// Room in the file system.
    pub const STATFS: u8 = 8;
    /// Opens a file.
    pub const OPEN: u8 = 12;
    /// Makes a file and opens it.
    pub const CREATE: u8 = 14;
    /// Makes a symbolic link.
    pub const SYMLINK: u8 = 16;
    /// Makes a special file.
    pub const MKNOD: u8 = 18;
    /// Renames the file of a fid.
    pub const RENAME: u8 = 20;
    /// Reads a symbolic link.
    pub const READLINK: u8 = 22;
    /// Attributes of a file.
    pub const GETATTR: u8 = 24;
    /// Changes attributes.
    pub const SETATTR: u8 = 26;
    /// Reads extended attributes.
    pub const XATTRWALK: u8 = 30;
    /// Makes an extended attribute.
    pub const XATTRCREATE: u8 = 32;
    /// Reads a folder.
    pub const READDIR: u8 = 40;
    /// Has the host write to the disk.
    pub const FSYNC: u8 = 50;
    /// Locks a part of a file, or unlocks it.
    pub const LOCK: u8 = 52;
    /// Asks what is in the way of a lock.
    pub const GETLOCK: u8 = 54;
    /// Makes a second name of a file.
    pub const LINK: u8 = 70;
    /// Makes a folder.
    pub const MKDIR: u8 = 72;
    /// Renames by names.
    pub const RENAMEAT: u8 = 74;
    /// Takes a name away.
    pub const UNLINKAT: u8 = 76;
    /// Begins a session.
    pub const VERSION: u8 = 100;
    /// Begins an authentication.
    pub const AUTH: u8 = 102;
    /// A fid for the folder itself.
    pub const ATTACH: u8 = 104;
    /// Gives a request up.
    pub const FLUSH: u8 = 108;
    /// A fid for what is some names away.
    pub const WALK: u8 = 110;
    /// Reads an open file.
    pub const READ: u8 = 116;
    /// Writes an open file.
    pub const WRITE: u8 = 118;
    /// Lets go of a fid.
    pub const CLUNK: u8 = 120;
    /// Takes the file of a fid away, and lets go of the fid.
    pub const REMOVE: u8 = 122;
}

/// Declares a layout of little-endian fields.
macro_rules! layout {
    ($(#[$doc:meta])* $visible:vis struct $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
        #[repr(C)]
        $visible struct $name { $($(#[$field_doc])* pub(crate) $field: $kind,)+ }
    };
}

layout! {
    /// What each message begins with.
    pub(crate) struct Header { size: U32, kind: u8, tag: U16, }
}
layout! {
    /// What a file is to the guest: its kind, something that changes with it, and a number of its own.
    pub struct Qid { kind: u8, version: U32, path: U64, }
}
layout! {
    pub(crate) struct Version { msize: U32, }
}
layout! {
    pub(crate) struct Attach { fid: U32, afid: U32, }
}
layout! {
    pub(crate) struct Walk { fid: U32, new: U32, count: U16, }
}
layout! {
    pub(crate) struct Open { fid: U32, flags: U32, }
}
layout! {
    pub(crate) struct Opened { qid: Qid, unit: U32, }
}
layout! {
    /// After the name.
    pub(crate) struct Create { flags: U32, mode: U32, gid: U32, }
}
layout! {
    /// After the name.
    pub(crate) struct Mknod { mode: U32, major: U32, minor: U32, gid: U32, }
}
layout! {
    /// After the name.
    pub(crate) struct Mkdir { mode: U32, gid: U32, }
}
layout! {
    pub(crate) struct Two { first: U32, second: U32, }
}
layout! {
    pub(crate) struct Getattr { fid: U32, mask: U64, }
}
layout! {
    pub(crate) struct Time { seconds: U64, nanoseconds: U64, }
}
layout! {
    pub(crate) struct Attributes {
        valid: U64, qid: Qid, mode: U32, uid: U32, gid: U32, links: U64, device: U64, size: U64, block: U64,
        blocks: U64, accessed: Time, modified: Time, changed: Time, born: Time, generation: U64, version: U64,
    }
}
layout! {
    pub(crate) struct Setattr {
        fid: U32, valid: U32, mode: U32, uid: U32, gid: U32, size: U64, accessed: Time, modified: Time,
    }
}
layout! {
    pub(crate) struct Statfs {
        kind: U32, block: U32, blocks: U64, free: U64, available: U64, files: U64, files_free: U64, id: U64, name: U32,
    }
}
layout! {
    /// Of READ and READDIR; of WRITE, the data follow.
    pub(crate) struct Transfer { fid: U32, offset: U64, count: U32, }
}
layout! {
    /// Before the name.
    pub(crate) struct Entry { qid: Qid, offset: U64, kind: u8, }
}
layout! {
    /// Before the name of the client.
    pub(crate) struct Lock { fid: U32, kind: u8, flags: U32, start: U64, length: U64, process: U32, }
}
layout! {
    /// Of request and reply, without the fid; before the name of the client.
    pub(crate) struct Getlock { kind: u8, start: U64, length: U64, process: U32, }
}

/// The kinds of a [`Qid`].
pub(crate) mod kind {
    pub(crate) const FOLDER: u8 = 0x80;
    pub(crate) const LINK: u8 = 0x02;
    pub(crate) const FILE: u8 = 0;
}

/// The rest of a request.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

/// A request that is shorter than it says, or has what cannot be.
pub(crate) const MALFORMED: Errno = Errno::INVAL;

impl<'a> Reader<'a> {
    pub(crate) fn take<T: FromBytes + KnownLayout + Immutable + Unaligned>(&mut self) -> Result<T, Errno> {
        let (layout, rest) = T::read_from_prefix(self.0).map_err(|_| MALFORMED)?;
        self.0 = rest;
        Ok(layout)
    }

    pub(crate) fn word(&mut self) -> Result<u32, Errno> {
        self.take::<U32>().map(U32::get)
    }

    pub(crate) fn string(&mut self) -> Result<&'a [u8], Errno> {
        let length = usize::from(self.take::<U16>()?.get());
        let (string, rest) = self.0.split_at_checked(length).ok_or(MALFORMED)?;
        self.0 = rest;
        Ok(string)
    }

    /// A name of a file in a folder.
    pub(crate) fn name(&mut self) -> Result<&'a [u8], Errno> {
        as_name(self.string()?)
    }
}

/// The string as a name of a file in a folder.
pub(crate) fn as_name(name: &[u8]) -> Result<&[u8], Errno> {
    match name {
        b"" => Err(Errno::NOENT),
        b"." | b".." => Err(Errno::INVAL),
        _ if name.iter().any(|byte| matches!(byte, b'/' | 0)) => Err(Errno::INVAL),
        _ if name.len() > LONGEST_NAME => Err(Errno::NAMETOOLONG),
        _ => Ok(name),
    }
}

/// The longest name of a file.
pub(crate) const LONGEST_NAME: usize = 255;

/// Appends to a reply.
pub(crate) fn put(reply: &mut Vec<u8>, layout: &(impl IntoBytes + Immutable)) {
    reply.extend_from_slice(layout.as_bytes());
}

/// Appends a string to a reply.
pub(crate) fn put_string(reply: &mut Vec<u8>, string: &[u8]) {
    let length = string.len().min(usize::from(u16::MAX));
    put(reply, &U16::new(length as u16));
    reply.extend_from_slice(&string[..length]);
}
