//! What a DIAGNOSE asks of CP: the clock, the tables that virtual machines share, and four deeds.

use arch::Real;
use arch::accounting::UserRecord;
use base::Tod;
use consoles::terminal::Terminal;
use directory::User;
use iucv::area::Space;
use iucv::{Answer, List};
use message::calendar::{Date, Zone};
use message::{Message, Response};
use minidisk::Disks;
use monitor::account::Charge;
use realstorage::sharing::SavedFiles;
use std::sync::Arc;
use virtualmachine::issuer::Issuer;
use virtualmachine::processor::Processors;
use virtualmachine::tape::Tapes;
use virtualmachine::vmdbk::Vmdbk;

/// What a DIAGNOSE X'DC' says.
pub struct ApplicationData {
    /// The function, as [`arch::monitor::function`] has them.
    pub function: u8,
    /// Which product, function, record and level the data are of.
    pub product: [u8; 16],
    /// Where they are.
    pub buffer: Real,
    /// How many bytes.
    pub length: u16,
    /// The program's real storage.
    pub space: Space,
}

/// CP, as its services to programs see it.
pub trait ControlProgram {
    /// The time that CP's clock shows.
    fn now(&self) -> Tod;
    /// The time zone of dates and times that are shown.
    fn zone(&self) -> &Zone;
    /// The local date and time.
    fn date(&self) -> Date {
        Date::at(self.now(), self.zone())
    }
    /// The system identifier.
    fn system_name(&self) -> &str;
    /// Real disks, minidisks and links.
    fn disks(&self) -> &Disks;
    /// Real tape drives.
    fn tapes(&self) -> &Tapes;
    /// Spool files.
    fn spool(&self) -> &spool::Shared;
    /// Saved systems and segments in use.
    fn saved(&self) -> &SavedFiles;
    /// The processors that run virtual machines.
    fn processors(&self) -> &Processors;
    /// The terminal with this number; `None` if there is none.
    fn terminal(&self, id: u32) -> Option<Arc<Terminal>>;
    /// Performs a command line.
    fn execute(&self, issuer: &Issuer, line: &str) -> Result<Response, Message>;
    /// Begins CP READ (`reading`), in which the virtual machine does not run; or ends it.
    fn set_cp_read(&self, vmdbk: &Arc<Vmdbk>, reading: bool);
    /// IPL from a device. If that fails, the virtual machine has nothing to run, and its user is told why.
    fn load(&self, vmdbk: &Arc<Vmdbk>, device: u16, clear: bool, loadparm: String);
    /// A virtual machine has nothing to run: its user is told why.
    fn nothing_to_load(&self, vmdbk: &Arc<Vmdbk>, why: &Message);
    /// CONNECT to *MONITOR.
    fn connect_monitor(&self, vmdbk: &Arc<Vmdbk>, list: &mut List) -> Answer;
    /// A program that has a path to *MONITOR may have replied, or severed it.
    fn monitor_answered(&self);
    /// DIAGNOSE X'DC': the return code.
    fn application_data(&self, vmdbk: &Arc<Vmdbk>, request: &ApplicationData) -> u64;
    /// When a virtual machine's watchdog is due; `None`: it has none.
    fn set_watchdog(&self, vmdbk: &Vmdbk, due: Option<Tod>);
    /// The directory entry of a user; `None` if there is none.
    fn user(&self, userid: &str) -> Option<Arc<User>>;
    /// Writes the accounting record of what a virtual machine has used, and has what it uses from here on charged to
    /// another user, or with `None` to its own.
    fn charge(&self, vmdbk: &Vmdbk, to: Option<Charge>);
    /// Keeps an accounting record of a program's own.
    fn own_record(&self, record: &UserRecord);
}
