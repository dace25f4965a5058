//! The issuer of a command: a virtual machine, and where the line came from.

use crate::class::Classes;
use crate::vmdbk::Vmdbk;
use std::sync::Arc;

/// Where a command comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Typed at the console.
    Console,
    /// Issued by the virtual machine with DIAGNOSE X'08'.
    Diagnose,
    /// The same, with the flag that passwords are not to stand on command lines.
    DiagnoseMasked,
    /// From the directory, from XAUTOLOG or from the host's command line.
    System,
}

/// The user who issues a command.
#[derive(Clone)]
pub struct Issuer {
    /// The user's virtual machine.
    pub vmdbk: Arc<Vmdbk>,
    /// Where the command came from.
    pub origin: Origin,
    /// The virtual CPU that is meant: the one that issues the command, or the one that the CPU command names.
    pub cpu: Option<u16>,
}

impl Issuer {
    /// The virtual CPU that commands like DISPLAY are about: the one meant, or else the first.
    pub fn cpu(&self) -> u16 {
        let machine = self.vmdbk.machine();
        self.cpu.unwrap_or_else(|| machine.configuration.cpus().next().unwrap_or(0))
    }

    /// The issuer's user ID.
    pub fn userid(&self) -> &str {
        &self.vmdbk.userid
    }

    /// Whether the issuer has one of these classes.
    pub fn has(&self, classes: &str) -> bool {
        self.vmdbk.lock().classes.meets(Classes::of(classes))
    }
}
