//! The command line of `endicott linux`.

use crate::{debugger, making, named};
use complex::model::Model;
use hostside::{network, peripherals};
use std::path::{Path, PathBuf};
use terminals::keyboard::Console;

/// What the exit codes mean.
pub const EXIT_CODES: &str = "\
Exit codes:
  0  the guest powered itself off
  1  the guest could not be started
  2  the command line is wrong
  3  the guest loaded a disabled wait PSW
  4  the guest's kernel panicked
  5  the guest was in a loop of program interruptions
  6  the guest asked to be started again
  7  Endicott itself failed, or what the guest's console printed could not be written
  130  ended by Ctrl-A x, by endicott stop --now or by a signal

At a terminal, Ctrl-A is the escape: Ctrl-A c takes a CP command, Ctrl-A x ends the guest, Ctrl-A h helps.";

/// The exit code if what the guest's console printed is not all where it was to go: a guest ends with codes of its own.
pub const LOST: u8 = 7;

/// What `--clock` knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum GuestClock {
    /// It goes on from the time at which the guest was saved.
    Saved,
    /// This host's time: for the guest all that has passed since has passed in one moment, of which Linux complains.
    Host,
}

/// What the command line says.
#[derive(clap::Args)]
pub struct Options {
    /// A Debian: the guest starts from the disk NAME.3390, which is made if it is not there, as by "endicott debian
    /// NAME".
    #[arg(value_name = "NAME", conflicts_with = "kernel")]
    pub system: Option<PathBuf>,
    /// The name by which other commands know the guest while it runs: "endicott list", "ssh", "cp" and "stop" [default:
    /// that of NAME, or none]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Run it in the background: this command ends when the guest has begun. The guest is to have a name.
    #[arg(long, short)]
    pub detach: bool,
    /// What the guest writes to its disks is kept in this host's storage and is gone when the guest ends. Their files
    /// are only read: several guests may have them at once.
    #[arg(long)]
    pub scratch: bool,
    /// Goes on from this file of "endicott save": with the guest's storage, processors and devices as they were, and
    /// the disks, which must be what they were.
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "kernel", "append", "disk", "user_data", "tape", "peripherals", "console", "memory", "cpus", "cpu_model",
        "making", "net", "mac", "host_access",
    ])]
    pub restore: Option<PathBuf>,
    /// What the clock of a guest that goes on shows.
    #[arg(long, value_name = "CLOCK", value_enum, default_value_t = GuestClock::Saved, requires = "restore")]
    pub clock: GuestClock,
    /// The Linux kernel for s390x: a bzImage, or an ELF file of one, compressed with gzip or not. Without one, the
    /// guest starts from its first disk.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["disk", "system", "restore"])]
    pub kernel: Option<PathBuf>,
    /// The initial RAM disk.
    #[arg(long, value_name = "FILE", requires = "kernel")]
    pub initrd: Option<PathBuf>,
    /// The kernel's command line; of a guest that starts from its disk, what is added to it, up to 38 characters, or 64
    /// with --console 3215.
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    pub append: String,
    /// A disk: an image in one of the formats that "endicott dasd" knows. The first becomes device 0200, and so on. May
    /// be given more than once.
    #[arg(long, value_name = "FILE")]
    pub disk: Vec<PathBuf>,
    /// What cloud-init in the guest is to do: a file that begins with #cloud-config, a script... It is on the disk
    /// 02FF. A Debian that is made gets cloud-init with it.
    #[arg(long, value_name = "FILE")]
    pub user_data: Option<PathBuf>,
    /// A tape in AWSTAPE or HET format, on a drive of its own. The first drive becomes device 0580, and so on.
    #[arg(long, value_name = "FILE")]
    pub tape: Vec<PathBuf>,
    /// Its network.
    #[command(flatten)]
    pub network: network::Options,
    /// What else it has of the host.
    #[command(flatten)]
    pub peripherals: peripherals::Options,
    /// Its debugger.
    #[command(flatten)]
    pub debugger: debugger::Options,
    /// The guest's console [default: vt220, or 3215 if --append names a console of its own]
    #[arg(long, value_name = "KIND", value_enum)]
    pub console: Option<Console>,
    /// The virtual machine's storage, such as 512M, 2G or 1.5G.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size)]
    pub memory: u64,
    /// How many virtual CPUs.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub cpus: u16,
    /// The processor that the guest finds: z10, z196, zEC12, z13, z14, z15, z16, or max for all that there is. A kernel
    /// for a later one stops and says so.
    #[arg(long, value_name = "MODEL", default_value = "max")]
    pub cpu_model: Model,
    /// At the end, one line of JSON about the run on standard error.
    #[arg(long)]
    pub json: bool,
    /// How many host threads run virtual CPUs; usually as many as the guest has CPUs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub processors: Option<u16>,
    /// How its disk is made.
    #[command(flatten)]
    pub making: making::Options,
}

/// What tells Linux to use the VT220: its name, and that the virtual console, which it would use as well, is a device
/// that is not there.
const ON_VT220: &str = "console=ttysclp0 condev=0";

/// Debian's package for `--user-data`.
const CLOUD_INIT: &str = "cloud-init";

impl Options {
    /// The system `name`, which starts from its disk.
    pub fn of_system(name: &Path, memory: u64, cpus: u16) -> Options {
        Options {
            system: Some(name.to_owned()),
            name: None,
            detach: false,
            scratch: false,
            restore: None,
            clock: GuestClock::Saved,
            kernel: None,
            initrd: None,
            append: String::new(),
            disk: Vec::new(),
            user_data: None,
            tape: Vec::new(),
            network: network::Options::default(),
            peripherals: peripherals::Options::default(),
            debugger: debugger::Options::default(),
            console: None,
            memory,
            cpus,
            cpu_model: Model::default(),
            json: false,
            processors: None,
            making: making::Options::default(),
        }
    }

    /// The guest's disks, the one from which it starts first.
    pub fn disks(&self) -> Vec<PathBuf> {
        self.system.iter().map(|name| making::disk(name)).chain(self.disk.iter().cloned()).collect()
    }

    /// How the guest's disk is made: with cloud-init, if that is given anything.
    pub fn made_with(&self) -> making::Options {
        let mut making = self.making.clone();
        if self.user_data.is_some() {
            making.add(CLOUD_INIT);
        }
        making
    }

    /// The name by which other commands know the guest.
    pub fn known_as(&self) -> Result<Option<String>, String> {
        let last = |name: &PathBuf| name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let of_system = || self.system.as_ref().map(last);
        let name = self.name.clone().or_else(of_system);
        name.iter().try_for_each(|name| named::check(name))?;
        match (&name, &self.system, self.making.word()) {
            (None, _, _) if self.detach => Err("--detach: a guest in the background is to have a name: --name".into()),
            (_, None, Some(word)) => Err(format!("{word} is for a Debian that is made: \"endicott linux NAME\"")),
            _ => Ok(name),
        }
    }

    /// The guest's console, and its kernel's parameters with what they have to say of that.
    pub fn console(&self) -> (Console, String) {
        let named = |name: &str| self.append.split_whitespace().any(|word| word.starts_with(name));
        let own = named("console=") || named("conmode=") || named("condev=");
        match self.console {
            Some(Console::Typewriter) => (Console::Typewriter, self.append.clone()),
            None if own && !named("console=ttysclp") => (Console::Typewriter, self.append.clone()),
            // An equals sign before all takes the place of what stands on the disk.
            _ => match self.append.strip_prefix('=') {
                Some(all) => (Console::Vt220, format!("={ON_VT220} {all}")),
                None => (Console::Vt220, format!("{ON_VT220} {}", self.append).trim_end().to_owned()),
            },
        }
    }
}

/// A size of storage as it is typed: 512M, 2G, 1.5G, 2GiB. All units are binary; the result is whole megabytes.
pub fn size(text: &str) -> Result<u64, String> {
    let expected = "a size is a number with K, M, G or T, such as 512M, 1.5G or 2GiB, from 16M on";
    let upper = text.to_ascii_uppercase();
    let unit = upper.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = &upper[..upper.len() - unit.len()];
    let letter = unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(unit);
    let shift = match letter {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        "" => return Err(format!("{text} has no unit; {expected}")),
        _ => return Err(format!("{text} is no size; {expected}")),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let (Ok(whole), Ok(part)) = (whole.parse::<u64>(), fraction.parse::<u64>()) else {
        return Err(format!("{text} is no size; {expected}"));
    };
    let scale = 10u128.checked_pow(fraction.len() as u32).ok_or(format!("{text} is no size; {expected}"))?;
    let bytes = (u128::from(whole) << shift) + (u128::from(part) << shift) / scale;
    match bytes.next_multiple_of(1 << 20) {
        bytes @ 0x100_0000..=0x100_0000_0000 => Ok(bytes as u64),
        0..0x100_0000 => Err(format!("{text} is less than a guest needs; {expected}")),
        _ => Err(format!("{text} is more than 1T, the most that a guest can have")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_unit_and_perhaps_a_fraction() {
        let mega = |text: &str| size(text).map(|bytes| bytes >> 20);
        for (text, expected) in [
            ("512M", 512),
            ("512m", 512),
            ("524288K", 512),
            ("512MiB", 512),
            ("512MB", 512),
            ("1G", 1024),
            ("1.5G", 1536),
            ("0.5gb", 512),
            (".5G", 512),
            ("1.0001G", 1025),
            ("1T", 1 << 20),
            ("16M", 16),
        ] {
            let text = if text.starts_with('.') { format!("0{text}") } else { text.into() };
            assert_eq!(mega(&text), Ok(expected), "{text}");
        }
        for (text, why) in [
            ("512", "512 has no unit"),
            ("", "has no unit"),
            ("1X", "is no size"),
            ("G", "is no size"),
            ("-1G", "is no size"),
            ("1.G", "is no size"),
            ("1..5G", "is no size"),
            ("1.5.5G", "is no size"),
            ("8M", "less than a guest needs"),
            ("0G", "less than a guest needs"),
            ("2T", "more than 1T"),
            ("99999999999999999999G", "is no size"),
            ("18446744073709551615T", "more than 1T"),
            ("1.99999999999999999999999999999999999999999999G", "is no size"),
            ("16E", "is no size"),
        ] {
            assert!(size(text).is_err_and(|said| said.contains(why)), "{text}: {:?}", size(text));
        }
    }

    #[test]
    fn the_console_is_a_vt220_unless_the_command_line_names_another() {
        let console = |console: Option<Console>, append: &str| {
            let options =
                Options { console, append: append.into(), ..Options::of_system(Path::new("demo"), 1 << 30, 1) };
            options.console()
        };
        let vt220 = |parameters: &str| (Console::Vt220, parameters.to_owned());
        let typewriter = |parameters: &str| (Console::Typewriter, parameters.to_owned());
        assert_eq!(console(None, ""), vt220("console=ttysclp0 condev=0"));
        assert_eq!(console(None, "quiet"), vt220("console=ttysclp0 condev=0 quiet"));
        assert_eq!(console(None, "=root=/dev/dasda1"), vt220("=console=ttysclp0 condev=0 root=/dev/dasda1"));
        for own in ["quiet console=ttyS0", "conmode=3270", "condev=0009", "console=hvc0"] {
            assert_eq!(console(None, own), typewriter(own));
            assert_eq!(console(Some(Console::Vt220), own), vt220(&format!("{ON_VT220} {own}")));
        }
        assert_eq!(console(None, "console=ttysclp0"), vt220("console=ttysclp0 condev=0 console=ttysclp0"));
        assert_eq!(console(Some(Console::Typewriter), "quiet"), typewriter("quiet"));
    }
}
