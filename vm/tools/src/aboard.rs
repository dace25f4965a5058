//! CMS aboard: an executable that is given away has the disks of CMS at its end.
//!
//! After the executable itself come the images, one gzip stream of them all; then a list of their names and lengths;
//! then a line of a fixed length that says how long both are. A copy of the file is whole, and needs nothing beside it.

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What the last line begins with.
const MARK: &str = "Endicott with CMS";
/// The length of the last line: the mark, and two numbers of twenty digits.
const LINE: u64 = MARK.len() as u64 + 2 * 21 + 1;
/// The longest list that is believed.
const LIST: u64 = 1 << 16;
/// What is left out of a file where it is all zeros.
const HOLE: usize = 4096;

/// An image.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Image {
    name: String,
    length: u64,
}

/// The file of this program. Where the host has no `/proc`, the name by which it was called leads to it.
pub fn program() -> Option<PathBuf> {
    std::env::current_exe().ok().or_else(|| {
        let called = PathBuf::from(std::env::args_os().next()?);
        if called.components().count() > 1 {
            return called.canonicalize().ok();
        }
        let folders = std::env::var_os("PATH")?;
        std::env::split_paths(&folders).map(|folder| folder.join(&called)).find(|path| path.is_file())
    })
}

/// The images at the end of an executable.
pub struct Aboard {
    file: File,
    start: u64,
    packed: u64,
    images: Vec<Image>,
}

impl Aboard {
    /// What this program has with it.
    pub fn here() -> Option<Aboard> {
        Aboard::of(&program()?).ok().flatten()
    }

    fn of(path: &Path) -> io::Result<Option<Aboard>> {
        let mut file = File::open(path)?;
        let Some(end) = file.metadata()?.len().checked_sub(LINE) else { return Ok(None) };
        file.seek(SeekFrom::Start(end))?;
        let mut line = [0; LINE as usize];
        file.read_exact(&mut line)?;
        let numbers = str::from_utf8(&line).ok().and_then(|line| line.strip_prefix(MARK));
        let mut numbers = numbers.into_iter().flat_map(str::split_whitespace).map(str::parse::<u64>);
        let (Some(Ok(packed)), Some(Ok(list))) = (numbers.next(), numbers.next()) else { return Ok(None) };
        let Some(start) = end.checked_sub(list).filter(|_| list <= LIST).and_then(|at| at.checked_sub(packed)) else {
            return Ok(None);
        };
        file.seek(SeekFrom::Start(start + packed))?;
        let mut text = vec![0; list as usize];
        file.read_exact(&mut text)?;
        let images = serde_json::from_slice(&text).unwrap_or_default();
        Ok(Some(Aboard { file, start, packed, images }))
    }

    /// Writes the images that are asked for into `folder`, and answers whether they are all there.
    pub fn unpack(mut self, folder: &Path, wanted: &[&str]) -> io::Result<bool> {
        self.file.seek(SeekFrom::Start(self.start))?;
        let mut from = GzDecoder::new(BufReader::new(self.file.take(self.packed)));
        let mut found = 0;
        for Image { name, length } in &self.images {
            if wanted.contains(&name.as_str()) {
                copy(&mut from, *length, &folder.join(name))?;
                found += 1;
            } else {
                io::copy(&mut Read::take(&mut from, *length), &mut io::sink())?;
            }
        }
        Ok(found == wanted.len())
    }
}

/// Writes the next `length` bytes into a file, where they are not zeros.
fn copy(from: &mut impl Read, length: u64, path: &Path) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.set_len(length)?;
    let mut block = [0; HOLE];
    let mut at = 0;
    while at < length {
        let count = (length - at).min(HOLE as u64) as usize;
        from.read_exact(&mut block[..count])?;
        if block[..count].iter().any(|&byte| byte != 0) {
            file.seek(SeekFrom::Start(at))?;
            file.write_all(&block[..count])?;
        }
        at += count as u64;
    }
    Ok(())
}

/// Writes the executable `program`, without what it has aboard already, and these images to `to`.
pub fn embed(program: &Path, images: &[(&str, PathBuf)], to: &Path) -> io::Result<()> {
    let whole = File::open(program)?.metadata()?.len();
    let own = Aboard::of(program)?.map_or(whole, |aboard| aboard.start);
    let mut out = BufWriter::new(File::create(to)?);
    io::copy(&mut File::open(program)?.take(own), &mut out)?;
    out.flush()?;
    let mut gzip = GzEncoder::new(out, Compression::new(6));
    let mut list = Vec::new();
    for (name, path) in images {
        let length = io::copy(&mut File::open(path)?, &mut gzip)?;
        list.push(Image { name: (*name).to_owned(), length });
    }
    let mut out = gzip.finish()?;
    let packed = out.stream_position()? - own;
    let list = say::json(&list);
    writeln!(out, "{list}{MARK} {packed:020} {:020}", list.len())?;
    out.flush()?;
    let out = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    out.set_permissions(File::open(program)?.metadata()?.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_aboard_comes_out_again() {
        let scratch = support::folder::Folder::empty("aboard");
        let folder = &scratch.0;
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).expect("the folder is there");
            path
        };
        let program = write("program", b"\x7fELF, more or less");
        let mut image = vec![0; 10_000];
        image[9_000..9_003].copy_from_slice(b"CMS");
        let images = [("a.img", write("a", &image)), ("b.img", write("b", b"second"))];
        assert!(Aboard::of(&program).is_ok_and(|aboard| aboard.is_none()));
        let (once, twice) = (folder.join("once"), folder.join("twice"));
        embed(&program, &images, &once).expect("all is there");
        embed(&once, &images, &twice).expect("all is there");
        let bytes = std::fs::read(&once).expect("it was written");
        assert!(bytes.starts_with(b"\x7fELF, more or less\x1f\x8b"));
        assert_eq!(bytes, std::fs::read(&twice).expect("it was written"), "it is there once");
        let out = folder.join("out");
        std::fs::create_dir_all(&out).expect("the folder is there");
        let aboard = || Aboard::of(&once).expect("it can be read").expect("it has images");
        assert!(aboard().unpack(&out, &["b.img", "a.img"]).expect("it is whole"));
        assert_eq!(std::fs::read(out.join("a.img")).expect("it was unpacked"), image);
        assert_eq!(std::fs::read(out.join("b.img")).expect("it was unpacked"), b"second");
        assert!(!aboard().unpack(&out, &["c.img"]).expect("it is whole"));
        // Cut and changed files are executables without CMS, or say that they are damaged.
        let parts = (0..bytes.len()).step_by(97).map(|length| bytes[..length].to_vec());
        let changed = (bytes.len() - 200..bytes.len()).map(|at| {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x55;
            bytes
        });
        for bytes in parts.chain(changed) {
            if let Ok(Some(aboard)) = Aboard::of(&write("part", &bytes)) {
                let _ = aboard.unpack(&out, &["a.img"]);
            }
        }
    }
}
