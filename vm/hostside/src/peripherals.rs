//! What a guest of `endicott linux` has beside channel-attached disks, tapes and a network card: virtio devices, which
//! are folders of the host, disks, sockets, a console and a balloon.
//!
//! What may wait for the host is on threads of their own, so that a host that takes its time holds up nothing else.

use crate::drive::Drive;
use crate::serial::Serial;
use crate::vsock::Vsock;
use serde::{Deserialize, Serialize};
use std::path::{self, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::thread;
use virtio::{Desk, FIRST_GUEST, LONGEST_TAG, SerialConsole, Service, SocketDevice, Virtio};
use virtualmachine::peripheral::Peripheral;
use virtualmachine::vmdbk::Vmdbk;

/// The device number of the first folder.
const SHARES: u16 = 0x1100;
/// The device number of the first virtio disk.
const DRIVES: u16 = 0x1200;
/// The device number of the sockets.
const SOCKETS: u16 = 0x1300;
/// The device numbers of the console and of the balloon.
const SERIAL: u16 = 0x1400;
const BALLOON: u16 = 0x1500;
/// The most of each.
const MOST: usize = 64;

/// What the command line says.
#[derive(clap::Args, Clone, Default, Serialize, Deserialize)]
#[group(id = "peripherals")]
pub struct Options {
    /// A folder of this host for the guest, which mounts it by its tag: mount -t 9p -o trans=virtio,msize=262144 TAG
    /// /mnt. The guest may change what is in it if rw is said. May be given more than once.
    #[arg(long, value_name = "DIR:TAG[:ro|:rw]")]
    share: Vec<Share>,
    /// A file of this host that is a virtio disk, as cloud images and their seed disks are. It becomes /dev/vda in the
    /// guest, and so on. May be given more than once.
    #[arg(long, value_name = "FILE[:ro|:rw]")]
    drive: Vec<Drive>,
    /// A Unix socket for connections with the guest by AF_VSOCK: a program connects to it and sends the line CONNECT
    /// PORT. What the guest sends to port N of its host, address 2, goes to the Unix socket SOCKET_N.
    #[arg(long, value_name = "SOCKET")]
    vsock: Option<PathBuf>,
    /// A Unix socket at which the guest's console hvc1 is, for one program at a time.
    #[arg(long, value_name = "SOCKET")]
    serial: Option<PathBuf>,
    /// The guest gives storage that it does not use back to this host, and as much as the CP command SET BALLOON says.
    #[arg(long)]
    balloon: bool,
}

/// What `--share` says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Share {
    folder: PathBuf,
    tag: String,
    writable: bool,
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        let (rest, writable) = match text.rsplit_once(':') {
            Some((rest, "ro")) => (rest, false),
            Some((rest, "rw")) => (rest, true),
            _ => (text, false),
        };
        let expected = "a share is DIR:TAG, DIR:TAG:ro or DIR:TAG:rw";
        match rest.rsplit_once(':') {
            Some(("", _)) => Err(format!("{text} names no folder; {expected}")),
            Some((_, "")) | None => Err(format!("{text} has no tag to mount it by; {expected}")),
            Some((_, tag)) if tag.len() > LONGEST_TAG => Err(format!("a tag has up to {LONGEST_TAG} characters")),
            Some((_, tag)) if !tag.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b',' | b'/')) => {
                Err(format!("{tag} is no tag: letters, digits and signs other than a slash and a comma; {expected}"))
            }
            Some((folder, tag)) => Ok(Share { folder: folder.into(), tag: tag.to_owned(), writable }),
        }
    }
}

impl Options {
    /// The same with paths from the root, for a guest that goes on elsewhere.
    pub fn absolute(mut self) -> std::io::Result<Options> {
        for share in &mut self.share {
            share.folder = path::absolute(&share.folder)?;
        }
        for drive in &mut self.drive {
            drive.file = path::absolute(&drive.file)?;
        }
        for socket in [&mut self.vsock, &mut self.serial].into_iter().flatten() {
            *socket = path::absolute(&*socket)?;
        }
        Ok(self)
    }

    /// The files that are disks and that the guest may write.
    pub fn drives(&self) -> impl Iterator<Item = &PathBuf> {
        self.drive.iter().filter(|drive| !drive.read_only).map(|drive| &drive.file)
    }

    /// Refuses what cannot be.
    pub fn check(&self) -> Result<(), String> {
        for (word, count) in [("--share", self.share.len()), ("--drive", self.drive.len())] {
            if count > MOST {
                return Err(format!("{word}: a guest has up to {MOST} of them"));
            }
        }
        let twice = |(n, share): (usize, &Share)| {
            let same = self.share[..n].iter().any(|other| other.tag == share.tag);
            same.then(|| format!("--share: two folders have the tag {}", share.tag))
        };
        self.share.iter().enumerate().find_map(twice).map_or(Ok(()), Err)
    }
}

/// They, as long as the guest runs.
pub struct Peripherals {
    desks: Vec<Arc<Desk>>,
    /// Their ends close the sockets.
    vsock: Option<Vsock>,
    serial: Option<Serial>,
}

impl Peripherals {
    /// Gives the guest what the command line names.
    pub fn new(options: &Options, vmdbk: &Vmdbk) -> Result<Peripherals, String> {
        let mut peripherals = Peripherals { desks: Vec::new(), vsock: None, serial: None };
        let add = |peripheral| assert!(vmdbk.add_peripheral(peripheral), "no other device has its number");
        for (share, vdev) in options.share.iter().zip(SHARES..) {
            add(peripherals.share(share, vdev)?);
        }
        for (drive, vdev) in options.drive.iter().zip(DRIVES..) {
            add(peripherals.drive(drive, vdev)?);
        }
        if let Some(path) = &options.vsock {
            let vsock = Vsock::new(path).map_err(|error| format!("--vsock {}: {error}", path.display()))?;
            let (hub, counted, name) = (vsock.hub().clone(), vsock.hub().clone(), path.display().to_string());
            let say =
                move || format!("CID {FIRST_GUEST} CONNECTIONS {} {name}", counted.with(|sockets| sockets.count()));
            let device = move || SocketDevice::new(hub.clone());
            add(Peripheral::new(SOCKETS, "SOCK", move || Box::new(Virtio::new(device())), say));
            peripherals.vsock = Some(vsock);
        }
        if let Some(path) = &options.serial {
            let serial = Serial::new(path).map_err(|error| format!("--serial {}: {error}", path.display()))?;
            let (line, counted, name) = (serial.line().clone(), serial.line().clone(), path.display().to_string());
            let device = move || SerialConsole::new(line.clone());
            let say = move || {
                let (runs, lost) = counted.figures();
                format!("{} LOST {lost} {name}", if runs { "IN USE" } else { "NOT IN USE" })
            };
            add(Peripheral::new(SERIAL, "CONS", move || Box::new(Virtio::new(device())), say));
            peripherals.serial = Some(serial);
        }
        if options.balloon {
            add(Peripheral::balloon(BALLOON));
        }
        Ok(peripherals)
    }

    fn drive(&mut self, drive: &Drive, vdev: u16) -> Result<Arc<Peripheral>, String> {
        let (geometry, sectors) = drive.open()?;
        let desk = self.desk(&format!("drive {vdev:04X}"), sectors)?;
        let access = if drive.read_only { "R/O" } else { "R/W" };
        let line = format!("SECTORS {} {access} {}", geometry.sectors, drive.file.display());
        let device = move || virtio::disk(&geometry, desk.clone());
        Ok(Peripheral::new(vdev, "BLK", move || Box::new(Virtio::new(device())), move || line.clone()))
    }

    fn share(&mut self, share: &Share, vdev: u16) -> Result<Arc<Peripheral>, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("--share {}: {error}", share.folder.display());
        let folder = ninep::Folder::open(&share.folder, share.writable).map_err(|error| wrong(&error))?;
        let server = ninep::Server::new(folder).map_err(|error| wrong(&error))?;
        let desk = self.desk(&format!("share {}", share.tag), Messages(server))?;
        let (tag, access) = (share.tag.clone(), if share.writable { "R/W" } else { "R/O" });
        let line = format!("TAG {tag} {access}");
        let device = move || virtio::share(&tag, ninep::LONGEST as usize, desk.clone());
        Ok(Peripheral::new(vdev, "9P", move || Box::new(Virtio::new(device())), move || line.clone()))
    }

    /// A desk at which a thread answers.
    fn desk(&mut self, name: &str, mut service: impl Service + Send + 'static) -> Result<Arc<Desk>, String> {
        let desk = Desk::new();
        let at = desk.clone();
        let started = thread::Builder::new().name(name.to_owned()).spawn(move || at.serve(&mut service));
        started.map_err(|error| format!("{name}: {error}"))?;
        self.desks.push(desk.clone());
        Ok(desk)
    }
}

impl Drop for Peripherals {
    fn drop(&mut self) {
        drop((self.vsock.take(), self.serial.take()));
        // What a host still has not answered is not waited for.
        self.desks.iter().for_each(|desk| desk.close());
    }
}

/// A folder's messages.
struct Messages(ninep::Server);

impl Service for Messages {
    fn answer(&mut self, request: &[u8], room: usize, answer: &mut Vec<u8>) {
        self.0.answer(request, room, answer);
    }

    fn reset(&mut self) {
        self.0.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_folder_a_tag_and_what_may_be_done() {
        let share = |folder: &str, tag: &str, writable| Ok(Share { folder: folder.into(), tag: tag.into(), writable });
        for (text, expected) in [
            ("/home/a:src", share("/home/a", "src", false)),
            ("/home/a:src:ro", share("/home/a", "src", false)),
            (".:src:rw", share(".", "src", true)),
            ("/a:b:c:rw", share("/a:b", "c", true)),
            ("a:rw:rw", share("a", "rw", true)),
        ] {
            assert_eq!(text.parse::<Share>(), expected, "{text}");
        }
        for (text, why) in [
            ("/home/a", "has no tag"),
            ("/home/a:rw", "has no tag"),
            ("/home/a:", "has no tag"),
            (":src", "names no folder"),
            ("/home/a:a,b", "is no tag"),
            ("/home/a:a b", "is no tag"),
            ("/home/a:wr/x", "is no tag"),
        ] {
            assert!(text.parse::<Share>().is_err_and(|said| said.contains(why)), "{text}: {:?}", text.parse::<Share>());
        }
        let long = format!("/a:{}", "t".repeat(255));
        assert!(long.parse::<Share>().is_err_and(|said| said.contains("up to 254")));
    }

    #[test]
    fn two_folders_have_two_tags() {
        let options = |shares: &[&str]| Options {
            share: shares.iter().map(|text| text.parse().unwrap()).collect(),
            ..Options::default()
        };
        assert_eq!(options(&["/a:x", "/b:y:rw"]).check(), Ok(()));
        assert!(options(&["/a:x", "/b:x:rw"]).check().is_err_and(|said| said.contains("the tag x")));
        let many: Vec<String> = (0..65).map(|n| format!("/a:{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(options(&many).check().is_err_and(|said| said.contains("--share: a guest has up to 64")));
    }
}
