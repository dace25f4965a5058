//! Folders for tests, removed when they are done.

use std::path::PathBuf;

pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A new empty folder; `name` tells one test from another.
    pub(crate) fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("endicott-dasd-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
