//! The transport: commands, status, features, queues, indicators.

use crate::ring::{Broken, Chain, Queue};
use arch::Absolute;
use arch::io::DeviceStatus;
use arch::io::{SenseId, command as basic, path_type};
use arch::virtio::{
    AdapterIndicators, CONTROL_UNIT, Features, QueueParts, QueueSize, Revision, command, feature, status,
};
use base::layout::U64;
use css::{Adapter, Command, Data, Device, Doorbell, Outcome, Reset, Sense, Unkept};
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::{Error, Value};
use storage::Storage;
use zerocopy::{FromBytes, IntoBytes};

/// Sense bytes; only byte 0 says something.
const SENSE_BYTES: usize = 32;
/// The longest configuration that can be written.
const LONGEST_CONFIG: usize = 256;
/// The highest revision: READ STATUS came with it.
const REVISION: u16 = 2;
/// The features of the transport and its rings.
const OURS: u64 = feature::VERSION_1 | feature::INDIRECT_DESC | feature::EVENT_IDX;

/// Why a model is asked to work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The driver says that there is something in this queue.
    Notified(u16),
    /// The bell has rung.
    Rung,
}

/// What a device is beside its transport.
pub trait Model: Send + 'static {
    /// Its [kind](arch::virtio::kind).
    fn kind(&self) -> u8;

    /// The most descriptors of each of its queues.
    fn queues(&self) -> &'static [u16];

    /// The features that it has, beside those of the transport.
    fn features(&self) -> u64 {
        0
    }

    /// Its configuration.
    fn config(&self) -> Vec<u8> {
        Vec::new()
    }

    /// The program has written the configuration, from its beginning. False if it cannot be written so.
    fn write_config(&mut self, _config: &[u8]) -> bool {
        false
    }

    /// Whether its configuration has changed since this was asked last.
    fn config_changed(&mut self) -> bool {
        false
    }

    /// The device was attached: the bell to ring when it has something to do.
    fn attached(&mut self, _bell: &Doorbell) {}

    /// The driver is ready, and has chosen these features.
    fn start(&mut self, _features: u64) {}

    /// The device was reset, or the program has broken it: nothing is to be done any more.
    fn stop(&mut self) {}

    /// What it holds beside its queues, for a checkpoint, while it has nothing of them in hand.
    fn checkpoint(&self) -> Result<Value, Unkept>;

    /// Goes on from that. [`Model::start`] has been called if the driver was ready.
    fn resume(&mut self, _from: &Value) -> Result<(), Error> {
        Ok(())
    }

    /// There may be something to do.
    fn serve(&mut self, cause: Cause, queues: &mut Queues<'_>) -> Result<(), Broken>;
}

/// The queues of a device that works.
pub struct Queues<'a> {
    /// The program's storage.
    pub storage: &'a Storage,
    queues: &'a mut [Queue],
    bell: Option<&'a Doorbell>,
    /// Those of which the driver is to be told.
    tell: u64,
}

impl Queues<'_> {
    /// A queue.
    pub fn queue(&mut self, n: u16) -> &mut Queue {
        &mut self.queues[usize::from(n)]
    }

    /// Takes the next chain of a queue. False: there is none, and the driver says when there is one.
    pub fn take(&mut self, n: u16, chain: &mut Chain) -> Result<bool, Broken> {
        let queue = &mut self.queues[usize::from(n)];
        loop {
            if queue.take(self.storage, chain)? {
                return Ok(true);
            }
            if !queue.want(self.storage, true)? {
                return Ok(false);
            }
        }
    }

    /// Shows the driver what was used of a queue, and has it interrupted if it wants to be.
    pub fn publish(&mut self, n: u16) -> Result<(), Broken> {
        if self.queues[usize::from(n)].publish(self.storage)? {
            self.tell |= 1 << n;
        }
        Ok(())
    }

    /// There is more to do than should be done at once: the model is asked again soon.
    pub fn again(&self) {
        if let Some(bell) = self.bell {
            bell.ring();
        }
    }
}

/// Where the program wants to see what has happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
enum Indicators {
    #[default]
    None,
    /// A doubleword with a bit for each queue, and an interruption of the subchannel.
    Classic(u64),
    /// A bit of a common area for each queue, a byte that says to look there, and an adapter interruption.
    Adapter(#[serde(with = "base::hex")] AdapterIndicators),
}

/// What the driver and the device have said to each other.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Dialogue {
    /// As SET VIRTIO REVISION has chosen.
    revision: Option<u16>,
    status: u8,
    /// What the driver wants.
    features: u64,
    queues: Vec<Queue>,
    indicators: Indicators,
    /// Where changes of the configuration are indicated; 0: nowhere.
    config_indicators: u64,
    /// The configuration has changed, or the device needs a reset, and it is not indicated yet.
    changed: bool,
    /// The subchannel's interruption is still to be presented.
    owed: bool,
}

/// A virtio device.
pub struct Virtio<M> {
    model: M,
    bell: Option<Doorbell>,
    said: Dialogue,
}

/// A device in a checkpoint.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    kind: u8,
    said: Dialogue,
    model: Value,
}

impl<M: Model> Virtio<M> {
    /// The device of this model.
    pub fn new(model: M) -> Virtio<M> {
        let queues = vec![Queue::default(); model.queues().len()];
        Virtio { model, bell: None, said: Dialogue { queues, ..Dialogue::default() } }
    }

    /// The device's status, as the driver sees it.
    pub fn status(&self) -> u8 {
        self.said.status
    }

    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }

    fn offered(&self) -> u64 {
        self.model.features() | OURS
    }

    fn works(&self) -> bool {
        self.said.status & (status::DRIVER_OK | status::NEEDS_RESET) == status::DRIVER_OK
    }

    /// RESET, and whatever comes to the same.
    fn stop(&mut self) {
        self.model.stop();
        let Dialogue { revision, mut queues, .. } = std::mem::take(&mut self.said);
        queues.fill(Queue::default());
        self.said = Dialogue { revision, queues, ..Dialogue::default() };
    }

    /// Whether the command may come now: there is a revision, and it has the command.
    fn knows(&self, code: u8) -> bool {
        match code {
            command::SET_REVISION => self.said.revision.is_none(),
            command::READ_STATUS => self.said.revision.is_some_and(|revision| revision >= 2),
            _ => self.said.revision.is_some(),
        }
    }

    /// Performs a command of virtio. `None`: it is rejected.
    fn perform(&mut self, code: u8, data: &mut Data<'_>) -> Option<()> {
        match code {
            command::SET_REVISION => {
                let wanted: Revision = take(data)?;
                let revision = wanted.revision.get();
                let known = (1..=REVISION).contains(&revision) && wanted.length == 0;
                known.then(|| self.said.revision = Some(revision))
            }
            command::RESET => {
                self.stop();
                Some(())
            }
            command::READ_FEATURES => {
                let mut features: Features = look(data)?;
                features.word.set(match features.index {
                    index @ 0..=1 => (self.offered() >> (32 * index)) as u32,
                    _ => 0,
                });
                data.store(features.as_bytes());
                Some(())
            }
            command::WRITE_FEATURES => self.write_features(&take(data)?),
            command::READ_CONFIG => {
                let mut config = self.model.config();
                config.resize(data.count() as usize, 0);
                data.store(&config);
                Some(())
            }
            command::WRITE_STATUS => self.write_status(take(data)?),
            command::READ_STATUS => {
                data.store(&[self.said.status]);
                Some(())
            }
            command::READ_QUEUE => {
                let mut queue: QueueSize = look(data)?;
                queue.size.set(self.model.queues().get(usize::from(queue.index.get())).copied().unwrap_or(0));
                data.store(queue.as_bytes());
                Some(())
            }
            command::SET_QUEUE => {
                let parts = take(data)?;
                self.set_queue(&parts, data)
            }
            command::SET_INDICATORS => {
                let at = take::<U64>(data)?.get();
                let apart = !matches!(self.said.indicators, Indicators::Adapter(_));
                let there = at == 0 || data.is_storage(at, 8);
                let indicators = if at == 0 { Indicators::None } else { Indicators::Classic(at) };
                (apart && there).then(|| self.said.indicators = indicators)
            }
            command::SET_CONFIG_INDICATORS => {
                let at = take::<U64>(data)?.get();
                (at == 0 || data.is_storage(at, 8)).then(|| self.said.config_indicators = at)
            }
            command::SET_ADAPTER_INDICATORS => {
                let adapter = take(data)?;
                self.set_adapter(adapter, data)
            }
            command::WRITE_CONFIG => {
                let config = data.fetch_up_to(LONGEST_CONFIG);
                (data.ok() && self.model.write_config(&config)).then_some(())
            }
            _ => None,
        }
    }

    fn write_features(&mut self, features: &Features) -> Option<()> {
        if self.said.status & status::FEATURES_OK != 0 {
            return None;
        }
        let word = u64::from(features.word.get());
        let shift = match features.index {
            index @ 0..=1 => 32 * index,
            // Features that do not exist.
            _ => return (word == 0).then_some(()),
        };
        self.said.features = self.said.features & !(0xffff_ffff << shift) | word << shift;
        Some(())
    }

    fn write_status(&mut self, wanted: u8) -> Option<()> {
        if wanted == 0 {
            self.stop();
            return Some(());
        }
        // What the device has said stays, whether or not the driver repeats it.
        let new = wanted | self.said.status & status::NEEDS_RESET;
        let taken_back = self.said.status & !new != 0;
        let features = self.said.features & !self.offered() == 0 && self.said.features & feature::VERSION_1 != 0;
        let refused = new & status::FEATURES_OK != 0 && !features
            || new & (status::DRIVER_OK | status::FEATURES_OK) == status::DRIVER_OK
            || new & status::NEEDS_RESET > self.said.status & status::NEEDS_RESET;
        if taken_back || refused {
            return None;
        }
        let starts = !self.said.status & new & status::DRIVER_OK != 0;
        self.said.status = new;
        if starts {
            self.said.queues.iter_mut().for_each(|queue| queue.settle(self.said.features));
            self.model.start(self.said.features);
        }
        Some(())
    }

    fn set_queue(&mut self, parts: &QueueParts, data: &Data<'_>) -> Option<()> {
        let n = usize::from(parts.index.get());
        let most = *self.model.queues().get(n)?;
        if parts.size == 0 {
            self.said.queues[n] = Queue::default();
            return Some(());
        }
        let now = self.said.status & (status::FEATURES_OK | status::DRIVER_OK) == status::FEATURES_OK;
        let [descriptors, available, used] = [parts.descriptors, parts.available, parts.used].map(U64::get);
        let queue = Queue::new(parts.size.get(), descriptors, available, used)?;
        let there = queue.parts().iter().all(|(at, length)| data.is_storage(*at, *length));
        (now && there && parts.size.get() <= most).then(|| self.said.queues[n] = queue)
    }

    fn set_adapter(&mut self, adapter: AdapterIndicators, data: &Data<'_>) -> Option<()> {
        if matches!(self.said.indicators, Indicators::Classic(_)) {
            return None;
        }
        if adapter.summary == 0 && adapter.indicators == 0 {
            self.said.indicators = Indicators::None;
            return Some(());
        }
        let last = adapter.first.get().checked_add(self.said.queues.len() as u64)? / 8;
        let area = adapter.indicators.get().checked_add(last)?;
        let there = data.is_storage(adapter.summary.get(), 1)
            && data.is_storage(adapter.indicators.get(), 1)
            && data.is_storage(area, 1);
        (there && adapter.isc < 8).then(|| self.said.indicators = Indicators::Adapter(adapter))
    }

    /// Has the model work, and tells the driver what came of it.
    fn serve(&mut self, cause: Cause, adapter: &mut Adapter<'_>) {
        if self.works() {
            let mut queues =
                Queues { storage: adapter.storage, queues: &mut self.said.queues, bell: self.bell.as_ref(), tell: 0 };
            let result = self.model.serve(cause, &mut queues);
            let tell = queues.tell;
            let told = if tell == 0 { Ok(()) } else { self.indicate(tell, adapter) };
            if result.and(told).is_err() {
                self.said.status |= status::NEEDS_RESET;
                self.said.changed = true;
                self.model.stop();
            }
        }
        self.said.changed |= self.model.config_changed();
        if self.said.changed && self.said.status & status::DRIVER_OK != 0 {
            self.said.changed = false;
            if self.said.config_indicators != 0 {
                self.said.owed |= indicate(adapter.storage, self.said.config_indicators, 7, 1).is_ok();
            }
        }
    }

    /// Indicates queues, a bit for each.
    fn indicate(&mut self, queues: u64, adapter: &mut Adapter<'_>) -> Result<(), Broken> {
        let numbers = (0..64u64).filter(|n| queues >> n & 1 != 0);
        match self.said.indicators {
            Indicators::None => {}
            Indicators::Classic(at) => {
                for n in numbers {
                    indicate(adapter.storage, at, 7 - n / 8, 1 << (n % 8))?;
                }
                self.said.owed = true;
            }
            Indicators::Adapter(place) => {
                for n in numbers {
                    let bit = place.first.get() + n;
                    indicate(adapter.storage, place.indicators.get(), bit / 8, 0x80 >> (bit % 8))?;
                }
                if indicate(adapter.storage, place.summary.get(), 0, 1)? == 0 {
                    adapter.interrupt(place.isc);
                }
            }
        }
        Ok(())
    }
}

/// Turns bits of the byte at `at + offset` on, and returns what it was.
fn indicate(storage: &Storage, at: u64, offset: u64, bits: u8) -> Result<u8, Broken> {
    let at = Absolute(at.checked_add(offset).ok_or(Broken)?);
    if storage.is_read_only(at) {
        return Err(Broken);
    }
    storage.or_byte(at, bits).map_err(|_| Broken)
}

/// What a command brings, if there is enough of it.
fn take<T: FromBytes + IntoBytes>(data: &mut Data<'_>) -> Option<T> {
    let mut layout = T::new_zeroed();
    let bytes = layout.as_mut_bytes();
    (data.fetch(bytes) == bytes.len() && data.ok()).then_some(layout)
}

/// What stands where a command stores.
fn look<T: FromBytes + IntoBytes>(data: &Data<'_>) -> Option<T> {
    let mut layout = T::new_zeroed();
    let bytes = layout.as_mut_bytes();
    (data.look(bytes) == bytes.len()).then_some(layout)
}

impl<M: Model> Device for Virtio<M> {
    fn describe(&self) -> Option<SenseId> {
        Some(SenseId::new(CONTROL_UNIT, self.model.kind(), 0, 0))
    }

    fn path_type(&self) -> u8 {
        path_type::VIRTIO
    }

    fn attached(&mut self, bell: Doorbell) {
        self.model.attached(&bell);
        self.bell = Some(bell);
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        if command.code == basic::NO_OPERATION {
            return Outcome::ENDED;
        }
        let done = if self.knows(command.code) { self.perform(command.code, data) } else { None };
        // What the channel subsystem has found wrong it says itself.
        if done.is_some() || !data.ok() { Outcome::ENDED } else { Outcome::reject(SENSE_BYTES) }
    }

    fn sense(&mut self) -> Sense {
        Sense::new(SENSE_BYTES)
    }

    fn notified(&mut self, queue: u16, adapter: &mut Adapter<'_>) -> bool {
        let known = usize::from(queue) < self.said.queues.len();
        if known {
            self.serve(Cause::Notified(queue), adapter);
        }
        known
    }

    fn rung(&mut self, adapter: &mut Adapter<'_>) {
        self.serve(Cause::Rung, adapter);
    }

    fn disabled(&mut self) {
        self.stop();
        self.said.revision = None;
    }

    fn attention(&mut self) -> Option<DeviceStatus> {
        // An interruption without any status of the device: the program looks at its indicators.
        std::mem::take(&mut self.said.owed).then_some(DeviceStatus(0))
    }

    fn checkpoint(&self) -> Result<Value, Unkept> {
        let held = Checkpoint { kind: self.model.kind(), said: self.said.clone(), model: self.model.checkpoint()? };
        Ok(serde_json::to_value(held).expect("it is a record of numbers"))
    }

    fn resume(&mut self, from: &Value) -> Result<(), Error> {
        let Checkpoint { kind, said, model } = Checkpoint::deserialize(from)?;
        let same = kind == self.model.kind() && said.queues.len() == self.said.queues.len();
        if !same || !said.queues.iter().all(Queue::can_be) {
            return Err(Error::custom("another virtio device"));
        }
        self.said = said;
        if self.works() {
            self.model.start(self.said.features);
        }
        self.model.resume(&model)
    }

    fn reset(&mut self, kind: Reset) {
        if kind == Reset::System {
            self.disabled();
        }
    }
}
