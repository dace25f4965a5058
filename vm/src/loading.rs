//! What `endicott linux` loads from files: a kernel and its initial RAM disk, and what a file is that is neither.

use base::layout::{U16, U64};
use base::{contents, file};
use complex::Image;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Where an image of Linux for s390x says that it is one, where the place of its version is, and the least it has.
const MAGIC: (usize, &[u8]) = (0x1_0008, b"S390EP");
const VERSION: usize = 0x1_0428;
const LEAST: u64 = 0x1_0480;
/// What an image ends with since Linux 5.3: the mark of `zIPL` for secure boot, or, after it, a signature.
const ENDS: [&[u8]; 2] = [b"\0\0\0\x20zIPL", b"~Module signature appended~\n"];
/// Kernels of other processors, by bytes at a place of the image.
const OTHERS: [(usize, &[u8], &str); 2] =
    [(0x202, b"HdrS", "a Linux kernel for x86"), (0x38, b"ARM\x64", "a Linux kernel for arm64")];

/// A file that is loaded.
pub(crate) enum Loaded {
    /// Read when its place in storage is known.
    File(File, u64, PathBuf),
    /// What came out of a pipe.
    Bytes(Vec<u8>),
}

impl Default for Loaded {
    fn default() -> Loaded {
        Loaded::Bytes(Vec::new())
    }
}

impl Loaded {
    /// What is in the file; `most`: the guest's storage.
    pub(crate) fn open(path: &Path, most: u64) -> Result<Loaded, String> {
        let open = || {
            let file = file::source(path)?;
            let about = file.metadata()?;
            if about.is_file() {
                if about.len() > most {
                    let why = format!("it has {} bytes, and the guest's storage {most} (--memory)", about.len());
                    return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
                }
                return Ok(Loaded::File(file, about.len(), path.into()));
            }
            Ok(Loaded::Bytes(file::all_of(file, most)?))
        };
        open().map_err(|error: io::Error| format!("{}: {error}", path.display()))
    }
}

impl Image for Loaded {
    fn size(&self) -> u64 {
        match self {
            Loaded::File(_, len, _) => *len,
            Loaded::Bytes(bytes) => bytes.len() as u64,
        }
    }

    fn read(&self, at: u64, to: &mut [u8]) -> io::Result<()> {
        match self {
            Loaded::File(file, _, path) => file
                .read_exact_at(to, at)
                .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))),
            Loaded::Bytes(bytes) => bytes.read(at, to),
        }
    }
}

/// Refuses what is no kernel, with what it is; one that seems to be cut is told, too.
pub(crate) fn check_kernel(path: &Path, kernel: &Loaded) -> Result<(), String> {
    let fail = |why: String| format!("{} is not a Linux kernel for s390x: {why}", path.display());
    let start = start(kernel, LEAST as usize).map_err(|error| format!("{}: {error}", path.display()))?;
    let has = |at: usize, magic: &[u8]| start.get(at..).is_some_and(|rest| rest.starts_with(magic));
    if !has(MAGIC.0, MAGIC.1) {
        let other = OTHERS.iter().find(|(at, magic, _)| has(*at, magic)).map(|row| format!("it is {}", row.2));
        return Err(fail(other.or_else(|| elf(&start)).unwrap_or_else(|| named(path, &start, kernel.size()))));
    }
    if kernel.size() < LEAST {
        return Err(fail(format!("it was cut, and has {} bytes", kernel.size())));
    }
    if let Some(version) = ends_early(kernel, &start) {
        let why = format!("an image of Linux {version} ends otherwise: it was cut, and is loaded all the same");
        complain!("endicott: {}: {why}", path.display());
    }
    Ok(())
}

/// Refuses what is no initial RAM disk. Linux takes archives and file systems, compressed or not.
pub(crate) fn check_initrd(path: &Path, initrd: &Loaded) -> Result<(), String> {
    let fail = |why: String| format!("{} is not an initial RAM disk: {why}", path.display());
    let start = start(initrd, LEAST as usize).map_err(|error| format!("{}: {error}", path.display()))?;
    let kernel = start.get(MAGIC.0..).is_some_and(|rest| rest.starts_with(MAGIC.1));
    match contents::named(&start) {
        _ if kernel => Err(fail("it is a Linux kernel for s390x".into())),
        Some(name) if name.starts_with("compressed") || name.contains("cpio") => Ok(()),
        Some(name) => Err(fail(format!("it is {name}"))),
        None => Ok(()),
    }
}

fn start(image: &Loaded, most: usize) -> io::Result<Vec<u8>> {
    let mut start = vec![0; image.size().min(most as u64) as usize];
    image.read(0, &mut start)?;
    Ok(start)
}

/// What an ELF file is: its processor stands in it in the byte order that it says.
fn elf(start: &[u8]) -> Option<String> {
    let machine = start.strip_prefix(b"\x7fELF").and_then(|_| start.get(18..20)?.first_chunk::<2>())?;
    let machine = match start[5] {
        2 => U16::from_bytes(*machine).get(),
        _ => u16::from_le_bytes(*machine),
    };
    Some(match machine {
        22 => {
            "it is an ELF file for s390 (vmlinux?); what starts is bzImage, arch/s390/boot/bzImage in its tree".into()
        }
        62 => "it is an ELF file for x86-64".into(),
        183 => "it is an ELF file for arm64".into(),
        other => format!("it is an ELF file for machine {other}"),
    })
}

fn named(path: &Path, start: &[u8], size: u64) -> String {
    match contents::named(start) {
        Some("compressed with gzip") => {
            format!("it is compressed with gzip; --kernel <(zcat {}) decompresses it", path.display())
        }
        Some(name) => format!("it is {name}"),
        None if size < LEAST => format!("it has {size} bytes, and was cut if it was one"),
        None => "it has not S390EP at byte X'10008'".into(),
    }
}

/// The version of a kernel whose image does not end as those of its version do.
fn ends_early(kernel: &Loaded, start: &[u8]) -> Option<String> {
    let mut end = [0; 32];
    kernel.read(kernel.size().checked_sub(end.len() as u64)?, &mut end).ok()?;
    if ENDS.iter().any(|mark| end.ends_with(mark)) {
        return None;
    }
    let at = U64::from_bytes(*start.get(VERSION..)?.first_chunk()?).get();
    let mut text = [0; 64];
    (at > 0 && at.checked_add(64)? <= kernel.size()).then_some(())?;
    kernel.read(at, &mut text).ok()?;
    let text = std::str::from_utf8(text.split(|&byte| byte == 0 || byte == b' ').next()?).ok()?;
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse::<u32>().ok());
    let (major, minor) = (numbers.next()??, numbers.next()??);
    ((major, minor) >= (5, 4)).then(|| text.into())
}
