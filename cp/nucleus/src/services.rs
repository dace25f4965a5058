//! What CP does for DIAGNOSE, and for the host's terminals.

use crate::command::{self, ipl};
use crate::intercept;
use crate::system::Cp;
use arch::accounting::UserRecord;
use base::Tod;
use consoles::agenda::Item;
use consoles::display::Key;
use consoles::host::Ending;
use consoles::sessions::Sessions;
use consoles::terminal::{Kind, Terminal};
use diagnose::{ApplicationData, ControlProgram};
use directory::User;
use iucv::{Answer, List};
use message::calendar::Zone;
use message::{Message, Response};
use minidisk::Disks;
use monitor::account::Charge;
use realstorage::sharing::SavedFiles;
use std::sync::Arc;
use virtualmachine::issuer::Issuer;
use virtualmachine::processor::Processors;
use virtualmachine::tape::Tapes;
use virtualmachine::vmdbk::Vmdbk;

impl ControlProgram for Cp {
    fn now(&self) -> Tod {
        self.now()
    }

    fn zone(&self) -> &Zone {
        &self.config.zone
    }

    fn system_name(&self) -> &str {
        &self.config.name
    }

    fn disks(&self) -> &Disks {
        &self.disks
    }

    fn tapes(&self) -> &Tapes {
        &self.tapes
    }

    fn spool(&self) -> &spool::Shared {
        &self.spool
    }

    fn saved(&self) -> &SavedFiles {
        &self.saved
    }

    fn processors(&self) -> &Processors {
        &self.processors
    }

    fn terminal(&self, id: u32) -> Option<Arc<Terminal>> {
        self.terminal(id)
    }

    fn execute(&self, issuer: &Issuer, line: &str) -> Result<Response, Message> {
        command::execute(self, issuer, line)
    }

    fn set_cp_read(&self, vmdbk: &Arc<Vmdbk>, reading: bool) {
        self.set_cp_read(vmdbk, reading);
    }

    fn load(&self, vmdbk: &Arc<Vmdbk>, device: u16, clear: bool, loadparm: String) {
        let options = ipl::Options { clear, loadparm, ..ipl::Options::default() };
        if let Err(failed) = ipl::from_device(self, vmdbk, device, &options) {
            self.nothing_to_load(vmdbk, &failed);
        }
    }

    fn nothing_to_load(&self, vmdbk: &Arc<Vmdbk>, why: &Message) {
        intercept::end(self, vmdbk, why, &Ending::NothingToLoad);
    }

    fn connect_monitor(&self, vmdbk: &Arc<Vmdbk>, list: &mut List) -> Answer {
        self.connect_to_monitor(vmdbk, list)
    }

    fn monitor_answered(&self) {
        self.monitor_answered();
    }

    fn application_data(&self, vmdbk: &Arc<Vmdbk>, request: &ApplicationData) -> u64 {
        self.take_application_data(vmdbk, request)
    }

    fn set_watchdog(&self, vmdbk: &Vmdbk, due: Option<Tod>) {
        self.agenda.set(Item::Watchdog(vmdbk.id), due);
        self.host.work();
    }

    fn user(&self, userid: &str) -> Option<Arc<User>> {
        self.user(userid)
    }

    fn charge(&self, vmdbk: &Vmdbk, to: Option<Charge>) {
        self.charge(vmdbk, to);
    }

    fn own_record(&self, record: &UserRecord) {
        self.keep_record(record);
    }
}

impl Sessions for Cp {
    fn now(&self) -> Tod {
        self.now()
    }

    fn deadline(&self) -> Option<Tod> {
        self.deadline()
    }

    fn tick(&self) {
        self.tick();
    }

    fn connect(&self, kind: Kind, name: Option<&str>, origin: &str, local: bool) -> Arc<Terminal> {
        self.connect(kind, name, origin, local)
    }

    fn key(&self, terminal: u32, key: Key, fields: &[String]) {
        self.key(terminal, key, fields);
    }

    fn inbound(&self, terminal: u32, record: &[u8]) {
        self.inbound(terminal, record);
    }

    fn line(&self, terminal: u32, line: &str) {
        self.line(terminal, line);
    }

    fn relieve(&self, terminal: &Terminal) {
        self.relieve(terminal);
    }

    fn hang_up(&self, terminal: u32) {
        self.hang_up(terminal);
    }

    fn notify_operator(&self, text: &str) {
        self.notify_operator(text);
    }
}
