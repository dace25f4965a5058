//! What SET and TERMINAL accept is read by something else than the command that shows it, or is said to do nothing.

use nucleus::command::terminal::CHANGE_NOTHING;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// All Rust sources of CP and of what stands on it, without tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    for path in entries {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        match path.is_dir() {
            true if !["tests", "target", "cache"].contains(&name) => sources(&path, found),
            false if name.ends_with(".rs") => found.push(path),
            _ => (),
        }
    }
}

/// The fields of a struct: names that stand after `pub` in its body.
fn fields(text: &str, head: &str) -> Vec<String> {
    let body = text.split_once(head).and_then(|(_, rest)| rest.split_once("\n}")).expect("the struct is there").0;
    let field = |line: &str| Some(line.trim().strip_prefix("pub ")?.split_once(':')?.0.to_string());
    body.lines().filter_map(field).collect()
}

/// Which of the fields are read where settings are neither set nor shown, and how many places that looked at.
fn read(fields: &[String], except: &[&str]) -> BTreeMap<String, usize> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    ["cp", "vm"].iter().for_each(|folder| sources(&root.join(folder), &mut files));
    files.retain(|file| !except.iter().any(|name| file.ends_with(name)));
    let mut places: BTreeMap<String, usize> = fields.iter().map(|field| (field.clone(), 0)).collect();
    for file in files {
        let text = fs::read_to_string(&file).expect("a source");
        for (field, count) in &mut places {
            let name = format!("ettings.{field}");
            *count += text
                .match_indices(&name)
                .filter(|(at, found)| {
                    let after = &text[at + found.len()..];
                    let ends = !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
                    ends && (after.trim_start().starts_with("==") || !after.trim_start().starts_with('='))
                })
                .count();
        }
    }
    places
}

#[test]
fn each_setting_of_terminal_is_read_or_said_to_do_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("../consoles/src/lib.rs")).expect("a source");
    let found = fields(&text, "pub struct Settings {");
    let places = read(&found, &["command/terminal.rs", "query/settings.rs"]);
    // CONMODE acts where it is set.
    let unread = places.iter().filter(|(field, count)| **count == 0 && *field != "full_screen").map(|(field, _)| field);
    let unread: Vec<&str> = unread.map(String::as_str).collect();
    let told = "apl attention highlight mode_cp prompt screen_save sys3270 tab text timestamp";
    let told: Vec<&str> = told.split(' ').collect();
    assert_eq!(unread, told, "of {} fields", found.len());
    assert_eq!(CHANGE_NOTHING.len(), told.len());
}

#[test]
fn each_setting_of_set_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("../virtualmachine/src/vmdbk.rs")).expect("a source");
    let found = fields(&text, "pub struct Settings {");
    let places = read(&found, &["command/set/flags.rs", "query/settings.rs"]);
    // Those that are only remembered are told when they are set, and so is ACNT.
    let unread = places.iter().filter(|(_, count)| **count == 0).map(|(field, _)| field.as_str());
    assert_eq!(unread.collect::<Vec<&str>>(), ["accounting", "others"], "of {} fields", found.len());
}
