//! XEDIT at real 3270s (`s3270`) of the whole program: the stories of `tests/cms/tests/screens`, which have the forty
//! scenarios, on models 2 to 5. Each story is a user's of one system; they are played beside each other.
//! A story's CMSUSER is a user of its own here, whose name is as long.
//!
//! `ENDICOTT_STORIES=forty` plays those with that in their names.

mod support;

use cms::story::Story;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};
use support::played::play;
use support::site::{CONFIG, DIRECTORY, make};
use support::{System, has_s3270};

/// How long a screen may take to be as the story says, on a busy host.
const LIMIT: Duration = Duration::from_secs(30);
const STAGES: usize = 4;
/// Cylinders of a story's 190 and 191.
const SYSTEM_DISK: usize = 3;
const USER_DISK: usize = 2;
const DISKS: usize = SYSTEM_DISK + USER_DISK;

/// The user of a story in place of CMSUSER.
fn user(n: usize) -> String {
    format!("CMSUS{n:02}")
}

/// A story with its own user.
fn of_user(n: usize, text: &str) -> String {
    let user = user(n);
    text.replace("CMSUSER", &user).replace("cmsuser", &user.to_lowercase())
}

/// The address at which MAINT has the 190 of a story's user.
fn system_disk(n: usize) -> String {
    format!("{:X}", 0x200 + n)
}

/// A user for each story, with its files on disks of its own.
fn prepare(folder: &Path, stories: &[(String, String)], nucleus: &[PathBuf; 2]) {
    let (mut maint, mut users) = (String::new(), String::new());
    for n in 0..stories.len() {
        let (name, first, system) = (user(n), 1 + DISKS * n, system_disk(n));
        maint += &format!(" MDISK {system} 3390 {first} {SYSTEM_DISK} VMRES MR ALL\n");
        users += &format!(
            "USER {name} {name} 4M 64M G\n INCLUDE DEFAULT\n MACHINE ESA\n LINK MAINT {system} 190 RR\n\
             \x20MDISK 191 3390 {} {USER_DISK} VMRES MR\n",
            first + SYSTEM_DISK
        );
    }
    let volume = make(folder, CONFIG, &format!("{DIRECTORY}{maint}{users}"), 1 + DISKS * stories.len());
    for (n, (_, text)) in stories.iter().enumerate() {
        let story = Story::files_alone(text);
        let images = cms::system::images(nucleus, folder, &story.system(), &story.user());
        for (disk, image) in [format!("MAINT.{}", system_disk(n)), format!("{}.191", user(n))].iter().zip(&images) {
            volume.put(disk, image);
        }
    }
}

#[test]
fn the_editors_stories_at_real_3270s() {
    let (true, Some(nucleus)) = (has_s3270(), cms::nucleus()) else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cms/tests/screens");
    let wanted = std::env::var("ENDICOTT_STORIES").unwrap_or_default();
    let mut stories: Vec<(String, String)> = Vec::new();
    for entry in fs::read_dir(folder).expect("there are stories") {
        let path = entry.expect("it can be read").path();
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("it is a text");
        // The day is not that of the story here; scripts of FS7B have a test to themselves.
        if name.contains(&wanted) && !name.starts_with("fs7b") && !text.lines().any(|line| line == "** dated") {
            stories.push((name, text));
        }
    }
    stories.sort();
    stories.iter_mut().enumerate().for_each(|(n, (_, text))| *text = of_user(n, text));
    assert!(!stories.is_empty());
    let system = System::start("editor", |folder| prepare(folder, &stories, &nucleus));
    let (left, wrong) = (Mutex::new(stories.iter().enumerate()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..STAGES {
            scope.spawn(|| {
                loop {
                    let story = left.lock().expect("no thread fails with it").next();
                    let Some((n, (name, text))) = story else { return };
                    let began = Instant::now();
                    let told = play(&system, &user(n), name, text, LIMIT, || ());
                    println!("{name}: {:?}", began.elapsed());
                    wrong.lock().expect("no thread fails with it").extend(told.err());
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("all have ended");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
