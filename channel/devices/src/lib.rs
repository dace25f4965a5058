//! Devices, one file each (disks a folder): what hangs on the channel subsystem, without any knowledge of CP.
//!
//! A device here is the machine's side of something that has another side as well: a console's lines come from and go
//! to a [`ConsoleHost`], cards come from a [`RecordSource`], print lines and punched cards go to a [`RecordSink`]. CP
//! supplies those from terminals and spool files; a bare configuration from files of the host.

mod console3215;
mod ctca;
pub mod dasd;
mod paths;
mod printer1403;
mod punch2540;
mod reader2540;
pub mod tape;

pub use console3215::{Console3215, ConsoleHost, ConsoleInput};
pub use ctca::CtcaPlug;
pub use printer1403::Printer1403;
pub use punch2540::Punch2540;
pub use reader2540::{Card, Reader2540, ReadySwitch, RecordSource};

/// Sense bytes of the devices here; only byte 0 says something.
const SENSE_BYTES: usize = 24;

/// The other side of an output device refuses records: spool space is full, a file cannot be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotReady;

/// Where printed lines and punched cards go: a spool file keeps the command code of each record with its data.
pub trait RecordSink: Send {
    /// One record: the command that wrote it (it holds carriage control or stacker) and its data, empty for an
    /// immediate carriage command. Refused records show the program "intervention required".
    fn record(&mut self, command: u8, data: &[u8]) -> Result<(), NotReady>;
}
