//! Stories: files that say what is typed and what is shown. A test tells each anew and compares.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

/// Tells the stories in `folder` anew, as many beside each other as the host has processors: `tell` makes the text that
/// a file would have now. With BLESS in the environment the files get it. STORY chooses those with that in their names.
///
/// # Panics
///
/// If a file would be another, with the first line that differs of each; if a file cannot be read or written.
pub fn told_again(folder: &Path, tell: impl Fn(&str) -> String + Sync) {
    let bless = std::env::var_os("BLESS").is_some();
    let only = std::env::var("STORY").unwrap_or_default();
    let entries = fs::read_dir(folder).expect("there are stories");
    let mut stories: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    stories.retain(|path| path.to_string_lossy().contains(&only));
    stories.sort();
    let wrong = Mutex::new(Vec::new());
    let again = |path: &Path| {
        let text = fs::read_to_string(path).expect("it is a text");
        let told = tell(&text);
        if bless {
            fs::write(path, &told).expect("the repository is writable");
        } else if told != text {
            let told = format!("{}:{}", path.display(), difference(&text, &told));
            wrong.lock().expect("a text was added").push(told);
        }
    };
    beside_each_other(processors(), &stories, again);
    let mut wrong = wrong.into_inner().expect("all texts were added");
    wrong.sort();
    assert!(wrong.is_empty(), "stories differ (BLESS=1 accepts):\n{}", wrong.join("\n"));
}

/// How many processors the host has for us.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Does something with each of these files, with so many of them at a time. What is done with a file has a thread of
/// the file's name, so that a panic says which it was.
///
/// # Panics
///
/// If something that was done has panicked, when everything else is done.
pub fn beside_each_other(at_once: usize, files: &[PathBuf], action: impl Fn(&Path) + Sync) {
    let (left, failed) = (Mutex::new(files.iter()), Mutex::new(Vec::new()));
    let next = || left.lock().expect("to take one does not fail").next();
    let one_after_another = || {
        while let Some(path) = next() {
            let name = path.display().to_string();
            let ended = thread::scope(|scope| {
                let thread = thread::Builder::new().name(name.clone()).spawn_scoped(scope, || action(path));
                thread.expect("the host has room for a thread").join()
            });
            if ended.is_err() {
                failed.lock().expect("a name was added").push(name);
            }
        }
    };
    thread::scope(|scope| (0..at_once).for_each(|_| drop(scope.spawn(one_after_another))));
    let failed = failed.into_inner().expect("all names were added");
    assert!(failed.is_empty(), "panicked: {}", failed.join(", "));
}

/// The first line in which two texts differ: its number, and what it was and is.
fn difference(was: &str, is: &str) -> String {
    let differs = was.lines().zip(is.lines()).position(|(was, is)| was != is);
    let at = differs.unwrap_or_else(|| was.lines().count().min(is.lines().count()));
    let line = |text: &str| text.lines().nth(at).unwrap_or("(the end)").to_owned();
    format!("{}\n  was {}\n  is  {}", at + 1, line(was), line(is))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn files_are_taken_beside_each_other_and_each_once() {
        let files: Vec<PathBuf> = (0..20).map(|n| PathBuf::from(n.to_string())).collect();
        let (both, taken) = (Barrier::new(2), AtomicUsize::new(0));
        beside_each_other(2, &files, |path| {
            both.wait();
            taken.fetch_add(path.to_str().expect("a number").parse().expect("a number"), Ordering::Relaxed);
        });
        assert_eq!(taken.into_inner(), 190);
    }

    #[test]
    #[should_panic(expected = "panicked: 1")]
    fn a_file_that_fails_is_named() {
        let files = ["0", "1", "2"].map(PathBuf::from);
        beside_each_other(2, &files, |path| assert_ne!(path, Path::new("1")));
    }

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert_eq!(difference("a\nb\nc", "a\nx\nc"), "2\n  was b\n  is  x");
        assert_eq!(difference("a", "a\nb"), "2\n  was (the end)\n  is  b");
        assert_eq!(difference("a\nb", "a"), "2\n  was b\n  is  (the end)");
    }
}
