//! A checkpoint's file: the head, the description, and what becomes of a file that is not whole.

use crate::error::{Error, VERSION};
use crate::pages::{self, Progress};
use base::file::{self, Access};
use base::layout::{U32, U64};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File, Permissions};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use storage::Storage;
use xxhash_rust::xxh3::xxh3_64;
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What a checkpoint's file begins with.
const MAGIC: [u8; 8] = *b"ENDICKPT";
/// The longest description.
const LONGEST: u64 = 16 << 20;
/// What a description may grow by from its draft to its end, beside the files of disks, for which it has room.
const ROOM: usize = 4096;

/// The head.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Head {
    magic: [u8; 8],
    version: U32,
    reserved: U32,
    /// Bytes of the description, blanks at its end included.
    length: U64,
    /// Its check sum.
    sum: U64,
}
const _: () = assert!(size_of::<Head>() == 32);

/// A checkpoint that is being written: `NAME.part`, which is removed if it does not become whole.
pub struct Draft {
    file: File,
    part: PathBuf,
    path: PathBuf,
    room: usize,
    whole: bool,
}

impl Draft {
    /// Writes all of a checkpoint but the last word of its description, which is as it is now and may grow by some
    /// kilobytes. Only the user may read the file: it has what is in the guest's storage.
    pub fn new(
        path: &Path,
        description: &impl Serialize,
        storage: &Storage,
        progress: Progress<'_>,
    ) -> Result<Draft, Error> {
        let part = PathBuf::from(format!("{}.part", path.display()));
        let text = serde_json::to_vec(description).map_err(io::Error::from)?;
        let room = text.len() + ROOM;
        let file = file::open(&part, Access::Make)?;
        let mut draft = Draft { file, part, path: path.to_owned(), room, whole: false };
        draft.file.set_len(0)?;
        draft.file.set_permissions(Permissions::from_mode(0o600))?;
        draft.describe(text)?;
        let mut to = BufWriter::with_capacity(1 << 20, &draft.file);
        pages::write(storage, &mut to, progress)?;
        to.flush()?;
        drop(to);
        draft.file.sync_all()?;
        Ok(draft)
    }

    fn describe(&mut self, mut text: Vec<u8>) -> Result<(), Error> {
        if text.len() > self.room {
            return Err(io::Error::other("the description has grown").into());
        }
        text.resize(self.room, b' ');
        let head = Head {
            magic: MAGIC,
            version: VERSION.into(),
            reserved: 0.into(),
            length: (text.len() as u64).into(),
            sum: xxh3_64(&text).into(),
        };
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(head.as_bytes())?;
        self.file.write_all(&text)?;
        Ok(())
    }

    /// Writes the description as it is at last; the file gets its name, in place of another of that name.
    pub fn finish(mut self, description: &impl Serialize) -> Result<(), Error> {
        self.describe(serde_json::to_vec(description).map_err(io::Error::from)?)?;
        self.file.sync_all()?;
        fs::rename(&self.part, &self.path)?;
        self.whole = true;
        base::file::sync_folder(&self.path)?;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.whole {
            // What cannot be removed is known as a part by its name.
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// A checkpoint that is read: its description was, its storage follows.
pub struct Saved<T> {
    /// What it says of the guest.
    pub description: T,
    from: BufReader<File>,
}

/// Opens a checkpoint.
pub fn open<T: DeserializeOwned>(path: &Path) -> Result<Saved<T>, Error> {
    let mut from = BufReader::with_capacity(1 << 20, file::open(path, Access::Read)?);
    let mut head = Head::new_zeroed();
    from.read_exact(head.as_mut_bytes()).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => Error::Foreign,
        _ => error.into(),
    })?;
    if head.magic != MAGIC {
        return Err(Error::Foreign);
    }
    if head.version != VERSION {
        return Err(Error::Version(head.version.get()));
    }
    let damaged = |what: &str| Error::Damaged(what.into());
    if head.length > LONGEST {
        return Err(damaged("its head"));
    }
    let mut text = vec![0; head.length.get() as usize];
    from.read_exact(&mut text).map_err(cut)?;
    if xxh3_64(&text) != head.sum.get() {
        return Err(damaged("its description"));
    }
    let description =
        serde_json::from_slice(&text).map_err(|error| Error::Damaged(format!("its description ({error})")))?;
    Ok(Saved { description, from })
}

impl<T> Saved<T> {
    /// Puts its pages into a storage that is all zero.
    pub fn load(&mut self, storage: &Storage, progress: Progress<'_>) -> Result<(), Error> {
        pages::read(&mut self.from, storage, progress).map_err(|error| match error {
            Error::Host(error) => cut(error),
            other => other,
        })
    }
}

/// A file that ends too early is damaged, too.
fn cut(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Error::Damaged("its end".into()),
        _ => Error::Host(error),
    }
}
