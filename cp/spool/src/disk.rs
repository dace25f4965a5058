//! What is on the host's disk when it is said to be: headers of spool files, names in folders.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::Error;
use crate::file::SpoolFile;

/// Writes `ID.meta` for each of `files`: all are on disk under other names before the first is renamed.
pub(crate) fn write_headers(folder: &Path, files: &[SpoolFile]) -> Result<(), Error> {
    if files.is_empty() {
        return Ok(());
    }
    let new = |file: &SpoolFile| folder.join(format!("{}.new", file.id));
    let written = files.iter().try_for_each(|file| {
        let path = new(file);
        let write = || -> std::io::Result<()> {
            let mut host = fs::File::create(&path)?;
            host.write_all(file.to_text().as_bytes())?;
            host.sync_all()
        };
        write().map_err(|e| Error::of(&path, e))
    });
    if let Err(e) = written {
        for file in files {
            let _ = fs::remove_file(new(file));
        }
        return Err(e);
    }
    for file in files {
        let path = folder.join(format!("{}.meta", file.id));
        fs::rename(new(file), &path).map_err(|e| Error::of(&path, e))?;
    }
    sync_folder(folder)
}

/// Forces the names in `folder` to disk.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), Error> {
    fs::File::open(folder).and_then(|f| f.sync_all()).map_err(|e| Error::of(folder, e))
}
