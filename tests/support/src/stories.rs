//! Stories: files that say what is typed and what is shown. A test tells each anew and compares.

use std::fs;
use std::path::{Path, PathBuf};

/// Tells the stories in `folder` anew, in the order of their names: `tell` makes the text that a file would have now.
/// With BLESS in the environment the files get it. STORY chooses those with that in their names.
///
/// # Panics
///
/// If a file would be another, with the first line that differs of each; if a file cannot be read or written.
pub fn told_again(folder: &Path, mut tell: impl FnMut(&str) -> String) {
    let bless = std::env::var_os("BLESS").is_some();
    let only = std::env::var("STORY").unwrap_or_default();
    let entries = fs::read_dir(folder).expect("there are stories");
    let mut stories: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    stories.retain(|path| path.to_string_lossy().contains(&only));
    stories.sort();
    let mut wrong = Vec::new();
    for path in stories {
        let text = fs::read_to_string(&path).expect("it is a text");
        let told = tell(&text);
        if bless {
            fs::write(&path, &told).expect("the repository is writable");
        } else if told != text {
            wrong.push(format!("{}:{}", path.display(), difference(&text, &told)));
        }
    }
    assert!(wrong.is_empty(), "stories differ (BLESS=1 accepts):\n{}", wrong.join("\n"));
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
    use super::difference;

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert_eq!(difference("a\nb\nc", "a\nx\nc"), "2\n  was b\n  is  x");
        assert_eq!(difference("a", "a\nb"), "2\n  was (the end)\n  is  b");
        assert_eq!(difference("a\nb", "a"), "2\n  was b\n  is  (the end)");
    }
}
