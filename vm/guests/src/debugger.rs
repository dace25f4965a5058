//! `endicott linux --gdb`: the guest in front of a debugger.

use consoles::host::Host;
use std::sync::Arc;
use terminals::server::Notes;
use virtualmachine::vmdbk::Vmdbk;

/// What the command line says.
#[derive(Clone, Default, clap::Args)]
#[group(id = "debugger")]
pub struct Options {
    /// Serve GDB's remote protocol there: a port of this host's loopback, or another address before it, or the path of
    /// a socket, which has a slash in it. The guest stands still while a debugger looks at it. Who may connect may do
    /// everything with the guest.
    #[arg(long, value_name = "[ADDRESS:]PORT")]
    pub gdb: Option<String>,
    /// The guest begins only when a debugger lets it go.
    #[arg(long, requires = "gdb")]
    pub gdb_wait: bool,
}

/// Serves debuggers, if that is wanted. The virtual machine has been loaded and does not run yet.
pub fn serve(options: &Options, vmdbk: &Arc<Vmdbk>, notes: &Arc<Notes>) -> Result<Option<gdb::Server>, String> {
    let Some(address) = &options.gdb else { return Ok(None) };
    let configuration = vmdbk.machine().configuration.clone();
    let notes = notes.clone();
    let server = gdb::serve(address, configuration, options.gdb_wait, move || notes.shut_down())?;
    let waits = if options.gdb_wait { "; the guest waits for it" } else { "" };
    complain!("endicott: a debugger is served at {}{waits}", server.place());
    Ok(Some(server))
}
