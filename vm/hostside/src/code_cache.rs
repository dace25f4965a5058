//! The folder in which code is kept for later starts (docs/decisions/0011-warm-starts.md).

use object::LittleEndian;
use object::elf::{FileHeader64, NT_GNU_BUILD_ID};
use object::read::elf::{FileHeader, ProgramHeader};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Bytes that all files in the folder may have.
const LIMIT: u64 = 256 << 20;
/// The word for no folder.
const NONE: &str = "none";
/// What the environment has in the option's stead.
const VARIABLE: &str = "ENDICOTT_CODE_CACHE";
/// So much of the program has the notes of the program that built it.
const HEAD: u64 = 64 << 10;

/// Has code of this `kind` kept in the folder that the command line names, or else in the user's. `Err`: a folder that
/// was named cannot be used.
pub fn begin(named: Option<PathBuf>, kind: &str) -> Result<(), String> {
    if engine::engine() == engine::Engine::Interpreter {
        return Ok(());
    }
    let named = named.or_else(|| variable(VARIABLE));
    if named.as_deref() == Some(Path::new(NONE)) {
        return Ok(());
    }
    let Some(folder) = named.clone().or_else(|| Some(base("XDG_CACHE_HOME", ".cache")?.join("endicott/code"))) else {
        return Ok(());
    };
    match open(&folder, kind) {
        Ok(store) => engine::keep_code_in(store),
        Err(why) if named.is_some() => return Err(format!("{}, the folder for code: {why}", folder.display())),
        // What the host does not let us have is not missed; what others may write is to be seen to.
        Err(why) if why.raw_os_error().is_none() => {
            complain!("endicott: {}, the folder for code, is not used: {why}", folder.display());
        }
        Err(_) => {}
    }
    Ok(())
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// One of the user's folders.
fn base(name: &str, usual: &str) -> Option<PathBuf> {
    variable(name).filter(|folder| folder.is_absolute()).or_else(|| Some(variable("HOME")?.join(usual)))
}

fn open(folder: &Path, kind: &str) -> io::Result<codefiles::Store> {
    let missing =
        || io::Error::new(io::ErrorKind::NotFound, "there is no home folder for the secret by which it is ours");
    let secret = base("XDG_DATA_HOME", ".local/share").ok_or_else(missing)?.join("endicott/code-secret");
    let secret = codefiles::secret(&secret).map_err(|why| {
        if why.raw_os_error().is_some() {
            why
        } else {
            io::Error::new(why.kind(), format!("{}: {why}", secret.display()))
        }
    })?;
    codefiles::Store::open(folder, &secret, &format!("{} {kind}", build()?), LIMIT)
}

/// What tells this program from all others that were built: the linker's note, or where and when its file was written.
fn build() -> io::Result<String> {
    let program = File::open("/proc/self/exe")?;
    let mut head = Vec::new();
    (&program).take(HEAD).read_to_end(&mut head)?;
    if let Some(id) = build_id(&head) {
        return Ok(id.iter().map(|byte| format!("{byte:02x}")).collect());
    }
    let file = program.metadata()?;
    Ok(format!("{} {} {} {} {}", file.dev(), file.ino(), file.len(), file.ctime(), file.ctime_nsec()))
}

/// The linker's note of a program that begins with this.
fn build_id(head: &[u8]) -> Option<&[u8]> {
    let elf = FileHeader64::<LittleEndian>::parse(head).ok()?;
    let parts = elf.program_headers(LittleEndian, head).ok()?;
    let mut notes = parts.iter().filter_map(|part| part.notes(LittleEndian, head).ok()?);
    notes.find_map(|mut notes| {
        while let Ok(Some(note)) = notes.next() {
            if note.name() == b"GNU" && note.n_type(LittleEndian) == NT_GNU_BUILD_ID {
                return Some(note.desc());
            }
        }
        None
    })
}
