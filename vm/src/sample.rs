//! `endicott sample`: makes the sample system, which is two texts and a disk with CMS on it.

use crate::configuration;
use crate::script::Seat;
use base::file;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tools::aboard::Aboard;
use tools::dasd;
use tools::system::{self, CONFIGURATION, DIRECTORY};

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder of the new system.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The folder with CMS, as "make cms" builds it; else ENDICOTT_CMS in the environment, what this program has with
    /// it, or cache/cms here or in a folder above the program.
    #[arg(long, value_name = "DIR")]
    cms: Option<PathBuf>,
    /// Without CMS: its minidisks are there, and empty.
    #[arg(long, conflicts_with = "cms")]
    without_cms: bool,
}

/// The minidisks of the sample system that have files, and the images of their blocks in the folder with CMS. Users for
/// whom there is one image have a disk each.
const DISKS: [(&str, &str); 10] = [
    ("MAINT.190", "system.img"),
    ("MAINT.19D", "help.img"),
    ("MAINT.19E", "tools.img"),
    ("MAINT.191", "maint.img"),
    ("MAINT.1DE", "demo.img"),
    ("OPERATOR.191", "operator.img"),
    ("DISKACNT.191", "account.img"),
    ("CMSUSER.191", "user.img"),
    ("LINUX1.191", "linux.img"),
    ("LINUX2.191", "linux.img"),
];

/// Where the system's own copy of the images lies while it is made, in its folder.
const UNPACKED: &str = "unpacked";

/// Where CMS is from.
enum Cms {
    Folder(PathBuf),
    Aboard(Aboard),
}

/// Where CMS is if no other place is named.
const USUAL: &str = "cache/cms";

/// What MAINT types so that IPL CMS starts what is on 190, and what CP answers then.
const SAVE: (&str, &str) = ("ipl 190 clear parm savesys cms", "(NSS) CMS was successfully saved");

/// The saved segments of the system, above the storage of those who use them: execs of the system disk, which IPL CMS
/// loads, parts of CMS, which the first command for them loads (windows, pipelines, callable services), and the
/// directories of the DEMO disk and the HELP disk, which ACCESS takes.
const SEGMENTS: [(&str, &str); 10] = [
    ("access (noprof", "Ready"),
    ("access 191 a", "Ready"),
    ("seggen cmsinst 7000", "Saved segment CMSINST was successfully saved"),
    ("seggen dmswin 7080", "Saved segment DMSWIN was successfully saved"),
    ("seggen pipes 70a0", "Saved segment PIPES was successfully saved"),
    ("seggen cmsvmlib 70f0", "Saved segment CMSVMLIB was successfully saved"),
    ("access 1de b", "Ready"),
    ("savefd b goodseg 7100", "Saved segment GOODSEG was successfully saved"),
    ("access 19d c", "Ready"),
    ("savefd c help 7110", "Saved segment HELP was successfully saved"),
];

/// More than saving takes on any host.
const SAVING: Duration = Duration::from_secs(60);

pub(crate) fn sample(options: &Options) -> Result<(), String> {
    let folder = &options.folder;
    let has_cms = make(folder, options.cms.as_deref(), options.without_cms)?;
    say!("The sample system is in {}: start it with", folder.display());
    say!("  endicott run --system {}", folder.display());
    say!("Its users are OPERATOR, MAINT, CMSUSER, LINUX1, LINUX2 and DISKACNT; each one's password is the name.");
    match (has_cms, options.without_cms) {
        (true, _) => say!("CMS is on it: log on as CMSUSER, and it says what to try."),
        (false, true) => say!("It is without CMS."),
        (false, false) => {
            complain!(
                "endicott: it is without CMS, since this program has none with it, and there is none in \
                      {USUAL} here or above it."
            );
            complain!("{TO_MAKE_CMS}, in the folder of Endicott's source; then make the system anew.");
        }
    }
    Ok(())
}

/// Makes the sample system in a folder, with CMS from its folder `named` or from where it usually is. Whether it has
/// CMS.
pub(crate) fn make(folder: &Path, named: Option<&Path>, without_cms: bool) -> Result<bool, String> {
    let fail = |path: &Path, error: std::io::Error| format!("{} cannot be written: {error}", path.display());
    let (volume, serial) = configuration::VOLUME;
    let volume = folder.join(volume);
    let cms = if without_cms { None } else { find_cms(named)? };
    let directory = if cms.is_some() { directory::sample_with_cms() } else { directory::sample().to_owned() };
    let config = match cms.is_some() {
        true => configuration::SAMPLE.replace("\n*SYSTEM_USERIDS ", "\nSYSTEM_USERIDS "),
        false => configuration::SAMPLE.to_owned(),
    };
    let texts = [(DIRECTORY, directory.as_str()), (CONFIGURATION, config.as_str())]
        .map(|(name, text)| (folder.join(name), text));
    // Nothing is made where a part of it is already.
    for path in texts.iter().map(|(path, _)| path).chain([&volume]) {
        if path.exists() {
            return Err(format!("{} exists already: a system is made in a folder that has none", path.display()));
        }
    }
    let volumes = volume.parent().unwrap_or(folder);
    std::fs::create_dir_all(volumes).map_err(|error| fail(volumes, error))?;
    for (path, text) in &texts {
        file::replace(path, text.as_bytes(), 0o666).map_err(|error| fail(path, error))?;
    }
    system::mark(folder)?;
    dasd::create_usual(&volume, serial)?;
    let has_cms = cms.is_some();
    if let Some(cms) = cms {
        fill(folder, &volume, cms)?;
        save(folder)?;
    }
    Ok(has_cms)
}

/// What to do where there is no CMS.
const TO_MAKE_CMS: &str = "\"make cms\" builds it: that takes the C compiler for s390x, of Debian's package \
                           gcc-s390x-linux-gnu";

/// The images of CMS's disks, by their names; an error if one is not there.
pub(crate) fn images(folder: &Path) -> Result<Vec<(&'static str, PathBuf)>, String> {
    if let Some(image) = missing(folder) {
        return Err(format!("{} has no {image}, a disk of CMS; {TO_MAKE_CMS}", folder.display()));
    }
    let mut names: Vec<&str> = DISKS.iter().map(|(_, image)| *image).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names.into_iter().map(|name| (name, folder.join(name))).collect())
}

/// Puts CMS onto the disks of the new system.
fn fill(folder: &Path, volume: &Path, cms: Cms) -> Result<(), String> {
    let directory = system::load_directory_for_disks(folder)?;
    let from = |images: &Path| {
        dasd::minidisk::fill(volume, &directory, &DISKS.map(|(disk, image)| (disk, images.join(image))))
    };
    match cms {
        Cms::Folder(images) => from(&images),
        Cms::Aboard(aboard) => {
            let unpacked = folder.join(UNPACKED);
            let fail = |error: std::io::Error| format!("CMS cannot be unpacked to {}: {error}", unpacked.display());
            std::fs::create_dir_all(&unpacked).map_err(fail)?;
            let mut names = DISKS.map(|(_, image)| image).to_vec();
            names.sort_unstable();
            names.dedup();
            let done = match aboard.unpack(&unpacked, &names) {
                Ok(true) => from(&unpacked),
                Ok(false) => Err("this program has disks of another CMS with it: install it again".into()),
                Err(error) => Err(fail(error)),
            };
            std::fs::remove_dir_all(&unpacked).map_err(fail)?;
            done
        }
    }
}

/// CMS; an error if its folder is named and has none.
fn find_cms(named: Option<&Path>) -> Result<Option<Cms>, String> {
    if let Some(folder) = named.map(Path::to_owned).or_else(|| std::env::var_os("ENDICOTT_CMS").map(PathBuf::from)) {
        return match missing(&folder) {
            None => Ok(Some(Cms::Folder(folder))),
            Some(image) => Err(format!("{} has no {image}, a disk of CMS; {TO_MAKE_CMS}", folder.display())),
        };
    }
    if let Some(aboard) = Aboard::here() {
        return Ok(Some(Cms::Aboard(aboard)));
    }
    let program = std::env::current_exe().ok().and_then(|path| path.canonicalize().ok());
    let above = program.iter().flat_map(|path| path.ancestors().skip(1)).map(|folder| folder.join(USUAL));
    let mut folders = [PathBuf::from(USUAL)].into_iter().chain(above);
    Ok(folders.find(|folder| missing(folder).is_none()).map(Cms::Folder))
}

/// A disk of CMS that the folder lacks.
fn missing(folder: &Path) -> Option<&'static str> {
    DISKS.into_iter().map(|(_, image)| image).find(|image| !folder.join(image).is_file())
}

/// Makes CMS a saved system, and the segments.
fn save(folder: &Path) -> Result<(), String> {
    let mut seat = Seat::take(folder, "MAINT", false)?;
    for (line, answer) in [SAVE].into_iter().chain(SEGMENTS) {
        let (shown, _) = seat.types(Some(line), SAVING);
        if !shown.contains(answer) {
            return Err(format!("CMS could not be saved: {line}\n{}", shown.trim_end()));
        }
    }
    Ok(())
}
