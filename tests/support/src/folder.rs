//! A folder for a test's files, which goes with the test.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder in that of the host for temporary files: each is another, under this name.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Nothing is there yet, not the folder itself.
    pub fn absent(name: &str) -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(format!("endicott-{name}-{process}-{number}"));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }

    /// It is there, and empty.
    pub fn empty(name: &str) -> Folder {
        let folder = Folder::absent(name);
        std::fs::create_dir_all(&folder.0).expect("the host has a folder for temporary files");
        folder
    }

    /// A file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
