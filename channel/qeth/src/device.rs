//! The three devices of an adapter on the channel subsystem.

use crate::Family;
use crate::control::{Control, LONGEST};
use crate::queues::{Broken, INPUTS, OUTPUTS, Queues};
use arch::Absolute;
use arch::io::chsc::QueueDescription;
use arch::io::{Ciw, DeviceStatus, SenseId, command as basic};
use arch::qdio::command;
use base::Held;
use css::{Adapter, Command, Data, Device, Doorbell, Outcome, Reset, Sense, sense};
use net::{Mac, Takes};
use std::sync::{Arc, Mutex, MutexGuard};
use storage::Storage;
use virtio::Cable;

/// Sense bytes.
const SENSE_BYTES: usize = 32;
/// Commands of a control channel.
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
/// Bytes of the configuration data.
const CONFIGURATION: usize = 128;
/// Functions of SIGNAL ADAPTER.
mod function {
    pub(super) const WRITE: u8 = 0;
    pub(super) const READ: u8 = 1;
    pub(super) const SYNCHRONIZE: u8 = 2;
    /// Of HiperSockets: several buffers.
    pub(super) const WRITE_SEVERAL: u8 = 3;
}

/// What one of the three devices is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Read,
    Write,
    Data,
}

/// A control channel.
#[derive(Default)]
struct Channel {
    /// The answer to its activation, which the driver has not read yet.
    reply: Option<Vec<u8>>,
    active: bool,
}

/// What the three devices have in common.
struct Osa {
    family: Family,
    cable: Arc<Cable>,
    control: Control,
    channels: [Channel; 2],
    bells: [Option<Doorbell>; 3],
    queues: Option<Queues>,
    active: bool,
    /// The queue-information block, until it was written into.
    information: Option<u64>,
    /// The summary, the device's own indicator, and the subclass.
    indicators: Option<(u64, u64, u8)>,
    broken: bool,
}

/// The devices of an adapter with this address at the end of `cable`: read, write, data.
pub fn devices(family: Family, cable: &Arc<Cable>, mac: Mac) -> [Box<dyn Device>; 3] {
    let osa = Arc::new(Mutex::new(Osa {
        family,
        cable: cable.clone(),
        control: Control::new(family, mac),
        channels: Default::default(),
        bells: Default::default(),
        queues: None,
        active: false,
        information: None,
        indicators: None,
        broken: false,
    }));
    [Role::Read, Role::Write, Role::Data].map(|role| Box::new(OsaDevice { role, osa: osa.clone() }) as Box<dyn Device>)
}

impl Osa {
    fn ring(&self, role: Role) {
        if let Some(bell) = &self.bells[role as usize] {
            bell.ring();
        }
    }

    /// WRITE of a control channel.
    fn write(&mut self, role: Role, data: &mut Data<'_>) -> Outcome {
        let message = data.fetch_up_to(LONGEST);
        if !data.ok() {
            return Outcome::ENDED;
        }
        if let Some(reply) = Control::activate(&message) {
            let channel = &mut self.channels[role as usize];
            (channel.reply, channel.active) = (Some(reply), false);
            if role == Role::Read {
                self.control.reset();
            }
            return Outcome::ENDED;
        }
        let port = self.cable.port();
        let taken = role == Role::Write && self.channels.iter().all(|channel| channel.active);
        if !taken || !self.control.message(&message, port.as_deref()) {
            return Outcome::reject(SENSE_BYTES);
        }
        self.ring(Role::Read);
        Outcome::ENDED
    }

    /// READ of a control channel.
    fn read(&mut self, role: Role, data: &mut Data<'_>) -> Outcome {
        let channel = &mut self.channels[role as usize];
        if let Some(mut reply) = channel.reply.take() {
            // As long as the driver's area, which it does not say may be longer.
            reply.resize(reply.len().max(data.count() as usize), 0);
            data.store(&reply);
            channel.active = true;
            return Outcome::ENDED;
        }
        match (role, channel.active) {
            (Role::Read, true) => match self.control.next() {
                Some(message) => {
                    data.store(&message);
                    Outcome::ENDED
                }
                None => Outcome::Pending,
            },
            _ => Outcome::reject(SENSE_BYTES),
        }
    }

    /// A command of the data device.
    fn data(&mut self, code: u8, data: &mut Data<'_>) -> Outcome {
        match code {
            command::READ_CONFIGURATION => {
                data.store(&[0; CONFIGURATION]);
                Outcome::ENDED
            }
            command::ESTABLISH => {
                self.stop();
                match Queues::establish(self.family, data) {
                    Some((queues, information)) => {
                        (self.queues, self.information) = (Some(queues), Some(information));
                        self.ring(Role::Data);
                        Outcome::ENDED
                    }
                    None if !data.ok() => Outcome::ENDED,
                    None => Outcome::reject(SENSE_BYTES),
                }
            }
            command::ACTIVATE if self.broken => {
                self.stop();
                Outcome::check(Sense::new(SENSE_BYTES).with(0, sense::EQUIPMENT_CHECK))
            }
            command::ACTIVATE if self.queues.is_some() => {
                if !self.active {
                    self.active = true;
                    self.cable.run(true, Takes::default());
                    self.ring(Role::Data);
                }
                // It goes on as long as the queues are active.
                Outcome::Pending
            }
            _ => Outcome::reject(SENSE_BYTES),
        }
    }

    /// The queues are given up.
    fn stop(&mut self) {
        if self.active {
            self.cable.run(false, Takes::default());
        }
        (self.queues, self.active, self.information, self.broken) = (None, false, None, false);
    }

    /// Works with the queues, and tells the program what there is to see.
    fn serve(&mut self, outputs: u32, adapter: &mut Adapter<'_>) {
        if let Some(information) = self.information.take()
            && Queues::announce(adapter.storage, information).is_err()
        {
            self.broken = true;
        }
        let Some(queues) = self.queues.as_mut().filter(|_| self.active && !self.broken) else { return };
        let port = self.cable.port();
        let mut work = || -> Result<(bool, bool), Broken> {
            let mut internet = self.control.internet();
            let sent = queues.send(adapter.storage, port.as_deref(), internet.as_deref_mut(), outputs)?;
            let (received, more) = match &port {
                Some(port) => queues.receive(adapter.storage, port, internet)?,
                None => (false, false),
            };
            Ok((sent || received, more))
        };
        match work() {
            Ok((tell, more)) => {
                if tell && self.indicate(adapter.storage) == Ok(true) {
                    adapter.interrupt(self.indicators.map_or(0, |(.., isc)| isc));
                }
                if more {
                    self.ring(Role::Data);
                }
            }
            Err(Broken) => {
                self.broken = true;
                self.ring(Role::Data);
            }
        }
    }

    /// Sets the indicators. Whether there are any, so that the program is interrupted. It is even where they were on:
    /// the driver clears them when it has emptied its input queue, and would not look at its output queues again.
    fn indicate(&self, storage: &Storage) -> Result<bool, Broken> {
        let Some((summary, own, _)) = self.indicators else { return Ok(false) };
        if storage.is_read_only(Absolute(summary)) || storage.is_read_only(Absolute(own)) {
            return Err(Broken);
        }
        storage.or_byte(Absolute(own), 1)?;
        storage.or_byte(Absolute(summary), 1)?;
        Ok(true)
    }
}

/// One of the three devices.
struct OsaDevice {
    role: Role,
    osa: Arc<Mutex<Osa>>,
}

impl OsaDevice {
    fn lock(&self) -> MutexGuard<'_, Osa> {
        self.osa.lock().held()
    }

    fn give_up(&mut self, all: bool) {
        let mut osa = self.lock();
        match self.role {
            Role::Data => osa.stop(),
            role => osa.channels[role as usize] = Channel::default(),
        }
        if all {
            osa.control.reset();
            osa.indicators = None;
        }
    }
}

impl Device for OsaDevice {
    fn describe(&self) -> Option<SenseId> {
        let (control_unit, control_unit_model, device, model) = self.lock().family.types();
        let mut id = SenseId::new(control_unit, control_unit_model, device, model);
        id.commands = vec![
            Ciw::new(0, command::READ_CONFIGURATION, CONFIGURATION as u16),
            Ciw::new(3, command::ESTABLISH, arch::PAGE as u16),
            Ciw::new(4, command::ACTIVATE, 0),
        ];
        Some(id)
    }

    fn path_type(&self) -> u8 {
        self.lock().family.path_type()
    }

    fn attached(&mut self, bell: Doorbell) {
        let role = self.role;
        let mut osa = self.lock();
        if role == Role::Data {
            osa.cable.attach(bell.clone());
        }
        osa.bells[role as usize] = Some(bell);
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        let role = self.role;
        let mut osa = self.lock();
        match (role, command.code) {
            (_, basic::NO_OPERATION) => Outcome::ENDED,
            (Role::Data, code) => osa.data(code, data),
            (_, WRITE) => osa.write(role, data),
            (_, READ) => osa.read(role, data),
            _ => Outcome::reject(SENSE_BYTES),
        }
    }

    fn sense(&mut self) -> Sense {
        Sense::new(SENSE_BYTES)
    }

    fn queues(&self) -> Option<QueueDescription> {
        // SIGNAL ADAPTER is needed for both: so the adapter learns of buffers that are empty again.
        let description =
            QueueDescription { flags: 0xc0, signals: 0x60, inputs: INPUTS, outputs: OUTPUTS, ..Default::default() };
        (self.role == Role::Data).then_some(description)
    }

    fn indicate_at(&mut self, indicators: Option<(u64, u64, u8)>) {
        self.lock().indicators = indicators;
    }

    fn signalled(&mut self, function: u8, queues: u32, adapter: &mut Adapter<'_>) -> bool {
        let mut osa = self.lock();
        let active = osa.active && !osa.broken;
        match function {
            _ if !active => false,
            function::WRITE_SEVERAL if osa.family == Family::Osa => false,
            function::WRITE | function::WRITE_SEVERAL => {
                osa.serve(queues, adapter);
                true
            }
            function::READ | function::SYNCHRONIZE => {
                osa.serve(0, adapter);
                true
            }
            _ => false,
        }
    }

    fn rung(&mut self, adapter: &mut Adapter<'_>) {
        if self.role == Role::Data {
            let mut osa = self.lock();
            osa.serve(0, adapter);
            let port = osa.cable.port();
            if osa.cable.take_change()
                && let Some(internet) = osa.control.internet()
            {
                internet.moved(port.as_deref());
            }
            let up = port.is_some();
            if osa.control.link(up) {
                osa.ring(Role::Read);
            }
        }
    }

    fn disabled(&mut self) {
        self.give_up(false);
    }

    fn halt(&mut self) -> DeviceStatus {
        // A driver that halts a channel begins anew.
        if self.role == Role::Data {
            self.give_up(false);
        }
        DeviceStatus::ENDED
    }

    fn reset(&mut self, kind: Reset) {
        self.give_up(kind == Reset::System);
    }
}
