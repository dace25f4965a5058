//! What `endicott linux` loads from files: a kernel and its initial RAM disk, and what a file is that is neither.

use base::layout::{U16, U64};
use base::{contents, file};
use complex::Image;
use flate2::read::MultiGzDecoder;
use object::BigEndian;
use object::elf::{EM_S390, FileHeader64, PT_LOAD};
use object::read::elf::{FileHeader, ProgramHeader};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Where an image of Linux for s390x says that it is one, where the place of its version is, and the least it has.
const MAGIC: (usize, &[u8]) = (0x1_0008, b"S390EP");
const VERSION: usize = 0x1_0428;
const LEAST: u64 = 0x1_0480;
/// No kernel has more bytes, however large the guest is.
const LARGEST: u64 = 1 << 30;
/// What an image ends with since Linux 5.3: the mark of `zIPL` for secure boot, or, after it, a signature.
const ENDS: [&[u8]; 2] = [b"\0\0\0\x20zIPL", b"~Module signature appended~\n"];
/// Kernels of other processors, by bytes at a place of the image.
const OTHERS: [(usize, &[u8], &str); 2] =
    [(0x202, b"HdrS", "a Linux kernel for x86"), (0x38, b"ARM\x64", "a Linux kernel for arm64")];

/// A file that is loaded.
pub enum Loaded {
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
    fn open(path: &Path, most: u64) -> Result<Loaded, String> {
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

/// The kernel in a file, as it is to lie in storage; `most`: the guest's storage. It may be compressed with gzip, and
/// it may be an ELF file. What is no kernel is refused, with what it is.
pub fn kernel(path: &Path, most: u64) -> Result<Loaded, String> {
    let wrong = |error: io::Error| format!("{}: {error}", path.display());
    let fail = |why: String| format!("{} is not a Linux kernel for s390x: {why}", path.display());
    let mut kernel = Loaded::open(path, most)?;
    let most = most.min(LARGEST);
    if contents::named(&start(&kernel, contents::START).map_err(wrong)?) == Some("compressed with gzip") {
        kernel = Loaded::Bytes(unpacked(&all(&kernel).map_err(wrong)?, most).map_err(fail)?);
    }
    if is_elf(&start(&kernel, contents::START).map_err(wrong)?) {
        return loaded(&all(&kernel).map_err(wrong)?, most).map(Loaded::Bytes).map_err(fail);
    }
    check_kernel(path, &kernel)?;
    Ok(kernel)
}

/// The initial RAM disk in a file.
pub fn initrd(path: &Path, most: u64) -> Result<Loaded, String> {
    let initrd = Loaded::open(path, most)?;
    check_initrd(path, &initrd)?;
    Ok(initrd)
}

/// What is compressed with gzip, at most `most` bytes.
fn unpacked(packed: &[u8], most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    match MultiGzDecoder::new(packed).take(most + 1).read_to_end(&mut bytes) {
        Err(error) => Err(format!("it is compressed with gzip, and damaged: {error}")),
        Ok(_) if bytes.len() as u64 > most => {
            Err(format!("it is compressed with gzip, and has more than {most} bytes"))
        }
        Ok(_) => Ok(bytes),
    }
}

/// Whether it is an ELF file for z/Architecture.
fn is_elf(start: &[u8]) -> bool {
    let header = FileHeader64::<BigEndian>::parse(start);
    header.is_ok_and(|header| header.endian().is_ok() && header.e_machine(BigEndian) == EM_S390)
}

/// What an ELF file's segments are in storage, at most `most` bytes. Where it begins to run is no matter: Linux's own
/// loader is in each image that has its mark, and begins at the same place in all.
fn loaded(file: &[u8], most: u64) -> Result<Vec<u8>, String> {
    let damaged = |error: object::Error| format!("it is a damaged ELF file: {error}");
    let header = FileHeader64::<BigEndian>::parse(file).map_err(damaged)?;
    let mut image = Vec::new();
    for segment in header.program_headers(BigEndian, file).map_err(damaged)? {
        if segment.p_type(BigEndian) != PT_LOAD {
            continue;
        }
        let bytes = segment.data(BigEndian, file).map_err(|()| "it is an ELF file that was cut")?;
        let (at, length) = (segment.p_paddr(BigEndian), segment.p_memsz(BigEndian).max(bytes.len() as u64));
        let end = at.checked_add(length).filter(|&end| end <= most);
        let end = end.ok_or_else(|| {
            format!("it is an ELF file with {length} bytes at X'{at:X}', and there is room for {most}")
        })?;
        if image.len() < end as usize {
            image.resize(end as usize, 0);
        }
        image[at as usize..][..bytes.len()].copy_from_slice(bytes);
    }
    match image.get(MAGIC.0..).is_some_and(|rest| rest.starts_with(MAGIC.1)) && image.len() as u64 >= LEAST {
        true => Ok(image),
        false => Err(NO_LOADER.into()),
    }
}

/// What the kernel proper lacks, and where it is not lacking.
const NO_LOADER: &str = "it is an ELF file for s390x without Linux's loader; those with it are bzImage and vmlinux in \
                         arch/s390/boot of Linux's tree";

/// Refuses what is no kernel, with what it is; one that seems to be cut is told, too.
fn check_kernel(path: &Path, kernel: &Loaded) -> Result<(), String> {
    let fail = |why: String| format!("{} is not a Linux kernel for s390x: {why}", path.display());
    let start = start(kernel, LEAST as usize).map_err(|error| format!("{}: {error}", path.display()))?;
    let has = |at: usize, magic: &[u8]| start.get(at..).is_some_and(|rest| rest.starts_with(magic));
    if !has(MAGIC.0, MAGIC.1) {
        let other = OTHERS.iter().find(|(at, magic, _)| has(*at, magic)).map(|row| format!("it is {}", row.2));
        return Err(fail(other.or_else(|| elf(&start)).unwrap_or_else(|| named(&start, kernel.size()))));
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
fn check_initrd(path: &Path, initrd: &Loaded) -> Result<(), String> {
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

/// All that is in an image.
fn all(image: &Loaded) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; image.size() as usize];
    image.read(0, &mut bytes)?;
    Ok(bytes)
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
        22 => "it is an ELF file for s390 of 31 bits".into(),
        62 => "it is an ELF file for x86-64".into(),
        183 => "it is an ELF file for arm64".into(),
        other => format!("it is an ELF file for machine {other}"),
    })
}

fn named(start: &[u8], size: u64) -> String {
    match contents::named(start) {
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
