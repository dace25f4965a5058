//! A folder for a test's files, which goes with the test.

use std::path::PathBuf;

/// A folder of the host's for temporary files: of this process, under this name.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Nothing is there yet, not the folder itself.
    pub fn absent(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("endicott-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }

    /// It is there, and empty.
    pub fn empty(name: &str) -> Folder {
        let folder = Folder::absent(name);
        std::fs::create_dir_all(&folder.0).expect("the host has a folder for temporary files");
        folder
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
