//! `endicott run`: brings a system up and serves its terminals until SHUTDOWN.

use crate::configuration::{self, Configuration};
use crate::pages::Pages;
use crate::{records, volumes};
use base::Clock;
use consoles::terminal::Kind;
use directory::Directory;
use hostside::alarm::HostAlarm;
use hostside::clock::HostClock;
use nucleus::system::Cp;
use spool::Spool;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use terminals::server::{Notes, Server};
use terminals::{local, tls};
use tools::system::{DIRECTORY, SPOOL, load_directory};

/// What the command line says.
pub(crate) struct Options<'a> {
    pub system: &'a Path,
    pub tn3270: Option<&'a str>,
    pub http: Option<&'a str>,
    pub http_plain: bool,
    pub headless: bool,
    pub processors: Option<u16>,
}

pub(crate) fn run(options: &Options<'_>) -> Result<(), String> {
    let folder = options.system;
    let mut configuration = load_configuration(folder)?;
    let host = std::thread::available_parallelism().map_or(1, |n| n.get() as u16);
    configuration.system.processors = processors(options.processors.or(configuration.processors).unwrap_or(host));
    configuration.system.storage = hostside::clock::host_storage();
    fits(&configuration)?;
    let tls = match &configuration.tls {
        Some((certificate, key)) => Some(tls::configuration(certificate, key)?),
        None => None,
    };
    let notes = Arc::new(Notes::default());
    let operator = configuration.system.operator.clone();
    let address =
        options.tn3270.map(str::to_string).or(configuration.tn3270.clone()).unwrap_or("127.0.0.1:3270".into());
    let (cp, troubles) = control_program(folder, configuration, &notes)?;
    let server = Server::new(cp.clone(), notes.clone());
    let mut server = server.map_err(|error| format!("terminals cannot be served: {error}"))?;
    let secure = if tls.is_some() { " with TLS" } else { "" };
    let bound = server.listen(&address, tls.clone())?;
    let plain = options.http_plain;
    let pages = options.http.map(|address| {
        let system = Arc::new(Pages { cp: cp.clone(), notes: notes.clone() });
        web::listen::serve(address, tls.clone(), plain, system)
    });
    let pages = pages.transpose()?;
    let stop = notes.clone();
    tools::signals::on_end(move || consoles::host::Host::shut_down(&*stop))?;
    let unseen = if options.headless {
        cp.start(None);
        true
    } else {
        let terminal = cp.connect(Kind::Typewriter, Some("0009"), "", true);
        server.set_local(terminal.clone(), Box::new(local::print));
        cp.start(Some(&terminal));
        // Asked before lines are read: the first may be SHUTDOWN, which logs the operator off.
        let unseen = cp.vmdbk(&operator).is_none();
        local::read(cp.clone(), terminal);
        unseen
    };
    cp.notify_operator(&format!("TN3270 AT {bound}{secure}"));
    let pages_at = pages.as_ref().map(|pages| format!("HTTP AT {}{secure}", pages.address));
    if let Some(line) = &pages_at {
        // The operator's log begins here.
        if let Some(operator) = cp.vmdbk(&operator) {
            operator.console().tail.get_or_insert_default();
        }
        cp.notify_operator(line);
    }
    for trouble in &troubles {
        cp.notify_operator(trouble);
        if unseen {
            complain!("endicott: {trouble}");
        }
    }
    if options.headless {
        if let Some(pages) = &pages {
            say!("Pages for browsers at http{}://{}", if secure.is_empty() { "" } else { "s" }, pages.address);
        }
        say!("Endicott is up; TN3270 at {bound}{secure}");
    } else if unseen {
        say!("{} has no user {operator}: nobody sees the operator's messages", folder.join(DIRECTORY).display());
    }
    let threads = start_processors(&cp);
    server.run();
    drop(pages);
    cp.shut_down();
    threads.into_iter().for_each(|thread| drop(thread.join()));
    records::save(folder, &cp)
}

/// What SYSTEM CONFIG of the system in `folder` says.
pub(crate) fn load_configuration(folder: &Path) -> Result<Configuration, String> {
    if !folder.is_dir() {
        return Err(format!("there is no system in {0}: make one with \"endicott sample {0}\"", folder.display()));
    }
    configuration::load(folder)
}

/// The Control Program of the system in `folder`, with its spool and its disks; and what is wrong with the disks.
pub(crate) fn control_program(
    folder: &Path,
    configuration: Configuration,
    notes: &Arc<Notes>,
) -> Result<(Arc<Cp>, Vec<String>), String> {
    control_program_at(folder, configuration, notes, Arc::new(HostClock::start()))
}

/// The same with another clock than the host's.
pub(crate) fn control_program_at(
    folder: &Path,
    configuration: Configuration,
    notes: &Arc<Notes>,
    clock: Arc<dyn Clock>,
) -> Result<(Arc<Cp>, Vec<String>), String> {
    let directory = load_directory(folder)?;
    let of_directory = troubles(folder, &directory);
    notes.keep_passwords(directory::passwords_file(&folder.join(DIRECTORY)));
    let spool = Spool::open(&folder.join(SPOOL)).map_err(|error| match error {
        spool::Error::Locked(_) => format!("the system in {} is running already", folder.display()),
        error => error.to_string(),
    })?;
    let mut cp = Cp::new(configuration.system, directory, Some(spool), clock, notes.clone());
    cp.disks.set_policy(configuration.disks);
    let alarm = HostAlarm::start().map_err(|error| format!("the host has no thread for disks: {error}"))?;
    cp.disks.set_alarm(alarm);
    let mut troubles = of_directory;
    troubles.extend(records::restore(folder, &cp));
    troubles.extend(volumes::install(&cp.disks, &configuration.dasd));
    troubles.extend(cp.begin_paging()?);
    let cp = Arc::new(cp);
    troubles.extend(volumes::install_tapes(&cp.tapes, &configuration.tapes, folder));
    troubles.extend(configuration.networks.install(&cp.networks));
    if let Some(sockets) = configuration.sockets {
        let failed = tcpip::install(sockets, &cp.iucv).err();
        troubles.extend(failed.map(|error| format!("SYSTEM CONFIG: TCPIP ON: the host gives no sockets: {error}")));
    }
    Ok((cp, troubles))
}

/// Whether the host has the real and expanded storage that SYSTEM CONFIG gives the system, if it says how much it has.
fn fits(configuration: &Configuration) -> Result<(), String> {
    let system = &configuration.system;
    let (real, expanded, host) = (system.real.unwrap_or(0), system.expanded, system.storage);
    if host == 0 || real.saturating_add(expanded) < host {
        return Ok(());
    }
    let (real, expanded, host) = (real >> 20, expanded >> 20, host >> 20);
    Err(format!("STORAGE {real}M and XSTORE {expanded}M are more than the {host}M of this host: give the system less"))
}

/// How many host threads run virtual CPUs if a user wants so many: engines can only be compared one CPU at a time.
pub(crate) fn processors(wanted: u16) -> u16 {
    if engine::engine() == engine::Engine::Compare { 1 } else { wanted }
}

/// Starts the threads that run virtual CPUs.
pub(crate) fn start_processors(cp: &Arc<Cp>) -> Vec<JoinHandle<()>> {
    let start = |processor: usize| {
        let cp = cp.clone();
        let thread = std::thread::Builder::new().name(format!("processor {processor}"));
        thread.spawn(move || cp.process(processor)).expect("the host has threads for the processors")
    };
    (0..cp.processors.count()).map(start).collect()
}

/// What is to be told of a directory: each mistake, what follows from them, and what is not used.
fn troubles(folder: &Path, directory: &Directory) -> Vec<String> {
    let mut lines: Vec<String> = directory.mistakes.iter().map(ToString::to_string).collect();
    let source = folder.join(DIRECTORY);
    let barred: Vec<&str> =
        directory.users.iter().filter(|user| user.barred).map(|user| user.userid.as_str()).collect();
    if !barred.is_empty() {
        let who = barred.join(", ");
        lines.push(format!(
            "{}: until this is mended, and the system started again, no LOGON as {who}",
            source.display()
        ));
    }
    let mut unused = std::collections::BTreeMap::new();
    directory.accepted_but_unused.iter().for_each(|unused_| *unused.entry(&unused_.statement).or_insert(0) += 1);
    if !unused.is_empty() {
        let what: Vec<String> = unused.iter().map(|(what, count)| format!("{what} ({count})")).collect();
        lines.push(format!("{}: read, but not used here: {}", source.display(), what.join(", ")));
    }
    lines
}
