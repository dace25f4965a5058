//! Golden transcripts of CMS's full screens: what a user types and sees at a 3270.
//!
//! Each file of `tests/screens` is a story. What is shown is compared; everything else is input:
//!
//! ```text
//! -- a comment
//! ** file 191 FRUIT DATA A1 source/apple/banana     as in tests/transcripts
//! ** folder 191 demo             the same
//! ** dated                       the day is shown, which is in 1991
//! ** size 43 80                  the display; without it, 24 rows of 80 columns
//! > xedit fruit data             typed at the cursor, or on CP's screen, and ENTER
//! at 14 7 text                   the cursor is moved to row 14, column 7, and the text, if any, is typed
//! key PF8                        a key
//! < 14 ===== apple               a row of the screen that has changed
//! < cursor 23 7                  where the cursor is
//! < = Ready;                     a line of CP's screen
//! ```
//!
//! `BLESS=1 cargo test -p cms --test screens` writes what is shown now into the files; `STORY=name` plays only those
//! with that in their names.

use cms::seat::Seat;
use cms::story::{Story, masked};
use cms::system::Site;
use std::path::{Path, PathBuf};
use support::stories::told_again;

/// Plays a story, and tells it with what is shown now.
fn tell(text: &str, cms: &[PathBuf; 2]) -> String {
    let story = Story::files_alone(text);
    let size = text.lines().find_map(|line| line.strip_prefix("** size ")).unwrap_or("24 80");
    let (rows, columns) = size.split_once(' ').expect("rows and columns");
    let [rows, columns] = [rows, columns].map(|n| n.parse().expect("a number"));
    let site = Site::new(cms, &story.system(), &story.user());
    let mut seat = Seat::new(site, rows, columns);
    seat.log_on();
    let mut told = String::new();
    for line in text.lines().filter(|line| !line.starts_with('<')) {
        told += &format!("{line}\n");
        match line.split_once(' ').unwrap_or((line, "")) {
            (">", text) => seat.says(text),
            ("key", name) => seat.presses_named(name),
            ("at", rest) => {
                let words: Vec<&str> = rest.splitn(3, ' ').collect();
                let (row, column, text) = match words[..] {
                    [row, column] => (row, column, ""),
                    [row, column, text] => (row, column, text),
                    _ => panic!("at ROW COLUMN TEXT: {line}"),
                };
                seat.types_at(row.parse().expect("a row"), column.parse().expect("a column"), text);
                continue;
            }
            _ => continue,
        }
        for news in seat.news() {
            // Both have times in them; a row of the file is told with its number.
            let line = news.strip_prefix("=  ").map_or_else(|| masked(&news), |line| format!("= {}", masked(line)));
            told += format!("< {line}").trim_end();
            told.push('\n');
        }
    }
    told
}

#[test]
fn screens() {
    let Some(cms) = cms::nucleus() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens");
    told_again(&folder, |text| tell(text, &cms));
}
