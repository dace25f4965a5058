//! Users of the FS7B workload at real 3270s (`s3270`), all at once: each logs on, IPLs CMS and plays a script of the
//! editor, of lists, mail, HELP or windows, a story of `tests/cms/tests/screens`. Every screen must come as the story
//! has it. The scripts are those of "VM/ESA Release 1.1 Performance Report", appendix A, and as frequent as there.
//!
//! Ten users play; `ENDICOTT_USERS=200 cargo test -p endicott --test fs7b` is the long form.

mod support;

use cms::story::Story;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use support::played::play;
use support::site::{CONFIG, DIRECTORY, make};
use support::{System, has_s3270};

/// The scripts by their weights, so that the first users play each of them.
const SCRIPTS: [&str; 11] = [
    "fs7b-xed117",
    "fs7b-xed127",
    "fs7b-xed137",
    "fs7b-xed147",
    "fs7b-prd517",
    "fs7b-hlp517",
    "windows-wnd517",
    "fs7b-xed127",
    "fs7b-xed137",
    "fs7b-xed147",
    "windows-wnd517",
];

/// How long a screen may take while all play, for each user.
const EACH: Duration = Duration::from_millis(600);
const LEAST: Duration = Duration::from_secs(30);

/// So much later than the one before each user logs on.
const ARRIVE: Duration = Duration::from_millis(100);

/// One 190 for all users.
const SYSTEM_DISK: &str = " MDISK 190 3390 1 3 VMRES MR ALL\n";

/// A user, whose name is as long as CMSUSER.
fn user(n: usize) -> String {
    format!("FS7B{n:03}")
}

fn script_of(n: usize) -> &'static str {
    SCRIPTS[n % SCRIPTS.len()]
}

/// The stories, by their names.
fn stories() -> Vec<(&'static str, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cms/tests/screens");
    let mut names = SCRIPTS.to_vec();
    names.sort_unstable();
    names.dedup();
    let text = |name| fs::read_to_string(folder.join(name).with_extension("txt")).expect("the story is there");
    names.into_iter().map(|name| (name, text(name))).collect()
}

/// One 190 for all, and a 191 for each user with the files of the user's story.
fn prepare(folder: &Path, users: usize, nucleus: &[PathBuf; 2]) {
    let of = |n: usize| {
        format!(
            "USER {0} {0} 4M 64M G\n INCLUDE DEFAULT\n MACHINE ESA\n LINK MAINT 190 190 RR\n\
             \x20MDISK 191 3390 {1} 2 VMRES MR\n",
            user(n),
            4 + 2 * n
        )
    };
    let directory: String = [DIRECTORY, SYSTEM_DISK].map(str::to_owned).into_iter().chain((0..users).map(of)).collect();
    let volume = make(folder, CONFIG, &directory, 4 + 2 * users);
    let stories: Vec<(&str, Story)> = stories().iter().map(|(name, text)| (*name, Story::files_alone(text))).collect();
    let mut system: Vec<_> = stories.iter().flat_map(|(_, story)| story.system()).collect();
    system.sort_unstable();
    system.dedup();
    volume.put("MAINT.190", &cms::system::images(nucleus, folder, &system, &[])[0]);
    for (name, story) in &stories {
        let [_, image] = cms::system::images(nucleus, folder, &[], &story.user());
        (0..users).filter(|n| script_of(*n) == *name).for_each(|n| volume.put(&format!("{}.191", user(n)), &image));
    }
}

#[test]
fn users_of_fs7b_see_every_screen() {
    let (true, Some(nucleus)) = (has_s3270(), cms::nucleus()) else { return };
    let users = std::env::var("ENDICOTT_USERS").ok().and_then(|count| count.parse().ok()).unwrap_or(10);
    let system = System::start("fs7b", |folder| prepare(folder, users, &nucleus));
    let stories = stories();
    let (ready, limit) = (AtomicUsize::new(0), LEAST.max(EACH * users as u32));
    let began = Instant::now();
    let played = |n: usize| {
        thread::sleep(ARRIVE * n as u32);
        let (name, text) = stories.iter().find(|(name, _)| *name == script_of(n)).expect("each has one");
        let text = text.replace("CMSUSER", &user(n)).replace("cmsuser", &user(n).to_lowercase());
        play(&system, &user(n), name, &text, limit, || {
            // The others are waited for, but not for ever: one may have failed.
            ready.fetch_add(1, Ordering::Relaxed);
            let began = Instant::now();
            while ready.load(Ordering::Relaxed) < users && began.elapsed() < limit {
                thread::sleep(Duration::from_millis(20));
            }
        })
    };
    let told: Vec<Result<usize, String>> = thread::scope(|scope| {
        let all: Vec<_> = (0..users).map(|n| scope.spawn(move || played(n))).collect();
        all.into_iter().map(|user| user.join().expect("no user's thread fails")).collect()
    });
    let screens: usize = told.iter().flatten().sum();
    println!("{users} users saw {screens} screens in {:?}", began.elapsed());
    let wrong: Vec<String> = told.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{} of {users}:\n{}", wrong.len(), wrong.join("\n"));
}
