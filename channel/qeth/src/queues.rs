//! The queues of the data device: frames between the driver's buffers and a port.

use crate::Family;
use crate::internet::Internet;
use arch::Absolute;
use arch::qdio::{
    BUFFERS, ELEMENTS, Element, Establish, FrameHead, INFORMATION_CAN, PacketHead, QueueDescriptor, cast, element,
    request, state,
};
use css::Data;
use net::{LONGEST, Port, SHORTEST};
use storage::Storage;
use zerocopy::{FromBytes, IntoBytes};

/// Input queues, and the most output queues.
pub(crate) const INPUTS: u8 = 1;
pub(crate) const OUTPUTS: u8 = 4;
/// Buffers of a queue that are looked at before others have their turn.
const TURN: usize = BUFFERS;
/// The most bytes of a buffer.
const ROOM: usize = 1 << 20;
const HEAD: usize = size_of::<FrameHead>();
const _: () = assert!(size_of::<PacketHead>() == HEAD);

/// The program has described a queue that cannot be: nothing more is done with the queues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Broken;

impl From<storage::NotAvailable> for Broken {
    fn from(_: storage::NotAvailable) -> Broken {
        Broken
    }
}

/// Where one queue lies, and which buffer is next.
#[derive(Clone, Copy, Debug)]
struct Queue {
    list: u64,
    states: u64,
    next: usize,
}

impl Queue {
    fn state(&self, storage: &Storage) -> Result<u8, Broken> {
        let [state] = storage.read_array(self.state_at())?;
        Ok(state)
    }

    fn state_at(&self) -> Absolute {
        Absolute(self.states + self.next as u64)
    }

    /// The buffer is the program's, in this state.
    fn give(&mut self, storage: &Storage, state: u8) -> Result<(), Broken> {
        if storage.is_read_only(self.state_at()) {
            return Err(Broken);
        }
        storage.write(self.state_at(), &[state])?;
        self.next = (self.next + 1) % BUFFERS;
        Ok(())
    }

    /// Where the parts of the next buffer are described.
    fn buffer(&self, storage: &Storage) -> Result<Absolute, Broken> {
        Ok(Absolute(storage.read_u64(Absolute(self.list + 8 * self.next as u64))?))
    }

    fn elements(&self, storage: &Storage) -> Result<[Element; ELEMENTS], Broken> {
        Ok(storage.read_layout(self.buffer(storage)?)?)
    }
}

/// What went through the queues beside what the port counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counters {
    /// Frames of the program that are none.
    pub refused: u64,
    /// Frames of the program while the cable was in no port.
    pub lost: u64,
    /// Frames for the program that were longer than its buffers.
    pub too_long: u64,
}

/// The queues, as the program has established them.
#[derive(Debug)]
pub(crate) struct Queues {
    input: Queue,
    outputs: Vec<Queue>,
    pub(crate) counters: Counters,
    sequence: u16,
    /// A frame for which no buffer was there.
    waits: Option<Vec<u8>>,
    bytes: Vec<u8>,
}

impl Queues {
    /// ESTABLISH. `None`: there cannot be such queues.
    pub(crate) fn establish(family: Family, data: &mut Data<'_>) -> Option<(Queues, u64)> {
        let bytes = data.fetch_up_to(arch::PAGE as usize);
        let (head, rest) = Establish::read_from_prefix(&bytes).ok()?;
        let words = size_of::<QueueDescriptor>() / 4;
        let sizes = [(head.inputs, head.input_words), (head.outputs, head.output_words)];
        let shaped = sizes.iter().all(|(count, size)| *count == 0 || usize::from(*size) == words);
        let counts = head.inputs == INPUTS && (1..=OUTPUTS).contains(&head.outputs);
        if head.format != family.format() || !counts || !shaped || !data.ok() {
            return None;
        }
        let count = usize::from(head.inputs + head.outputs);
        let (descriptors, _) = <[QueueDescriptor]>::ref_from_prefix_with_elems(rest, count).ok()?;
        let queue = |descriptor: &QueueDescriptor| {
            let (list, states) = (descriptor.list.get(), descriptor.states.get());
            let there = data.is_storage(list, 8 * BUFFERS as u64) && data.is_storage(states, BUFFERS as u64);
            there.then_some(Queue { list, states, next: 0 })
        };
        let mut queues = descriptors.iter().map(queue).collect::<Option<Vec<Queue>>>()?;
        let outputs = queues.split_off(usize::from(INPUTS));
        let information = head.information.get();
        data.is_storage(information, 4).then_some(())?;
        let input = queues[0];
        let counters = Counters::default();
        Some((Queues { input, outputs, counters, sequence: 0, waits: None, bytes: Vec::new() }, information))
    }

    /// Says what the adapter can, in the queue-information block.
    pub(crate) fn announce(storage: &Storage, information: u64) -> Result<(), Broken> {
        let at = Absolute(information + INFORMATION_CAN.0);
        if storage.is_read_only(at) {
            return Err(Broken);
        }
        storage.or_byte(at, INFORMATION_CAN.1)?;
        Ok(())
    }

    /// Sends what is in these output queues, bit 0 (X'80000000') the first. Whether the program wants to be told.
    pub(crate) fn send(
        &mut self,
        storage: &Storage,
        port: Option<&Port>,
        mut internet: Option<&mut Internet>,
        mask: u32,
    ) -> Result<bool, Broken> {
        let mut tell = false;
        for n in (0..self.outputs.len()).filter(|n| mask << n & 0x8000_0000 != 0) {
            for _ in 0..TURN {
                if self.outputs[n].state(storage)? != state::OUTPUT_PRIMED {
                    break;
                }
                let elements = self.outputs[n].elements(storage)?;
                tell |= elements[0].request & request::TELL != 0;
                let good = self.gather(storage, &elements)? && self.send_all(port, internet.as_deref_mut());
                self.outputs[n].give(storage, if good { state::OUTPUT_EMPTY } else { state::OUTPUT_ERROR })?;
            }
        }
        Ok(tell)
    }

    /// All bytes of a buffer. False: too many.
    fn gather(&mut self, storage: &Storage, elements: &[Element; ELEMENTS]) -> Result<bool, Broken> {
        self.bytes.clear();
        for part in elements {
            let length = part.length.get() as usize;
            if self.bytes.len() + length > ROOM {
                return Ok(false);
            }
            let begin = self.bytes.len();
            self.bytes.resize(begin + length, 0);
            storage.read(Absolute(part.address.get()), &mut self.bytes[begin..])?;
            if part.flags & element::LAST != 0 {
                break;
            }
        }
        Ok(true)
    }

    /// Sends the frames or packets of a buffer, each with its head. False: one is none.
    fn send_all(&mut self, port: Option<&Port>, mut internet: Option<&mut Internet>) -> bool {
        let mut rest = &self.bytes[..];
        while !rest.is_empty() {
            let sent = match internet.as_deref_mut() {
                None => send_frame(rest, port),
                Some(internet) => send_packet(rest, port, internet),
            };
            let Some(after) = sent else {
                self.counters.refused += 1;
                return false;
            };
            self.counters.lost += u64::from(port.is_none());
            rest = after;
        }
        true
    }

    /// Puts what has come into buffers of the program. Whether there was something, and whether there may be more.
    pub(crate) fn receive(
        &mut self,
        storage: &Storage,
        port: &Port,
        mut internet: Option<&mut Internet>,
    ) -> Result<(bool, bool), Broken> {
        let mut any = false;
        for _ in 0..TURN {
            let frame = match self.waits.take() {
                Some(frame) => frame,
                None => {
                    let mut frame = Vec::new();
                    if !port.receive(&mut frame) {
                        return Ok((any, false));
                    }
                    frame
                }
            };
            let packet = internet.as_deref_mut().map(|internet| internet.receive(&frame, port));
            let (head, begin, end) = match &packet {
                None => (self.head(&frame), 0, frame.len()),
                Some(Some((head, begin, end))) => (head.as_bytes().try_into().expect("so long it is"), *begin, *end),
                // The adapter's own, or nothing for this driver.
                Some(None) => continue,
            };
            if self.input.state(storage)? != state::INPUT_EMPTY {
                // The program says when it has emptied some.
                self.waits = Some(frame);
                return Ok((any, false));
            }
            if self.place(storage, &head, &frame[begin..end])? {
                any = true;
            } else {
                self.counters.too_long += 1;
            }
        }
        Ok((any, true))
    }

    /// What precedes a frame at layer 2.
    fn head(&self, frame: &[u8]) -> [u8; HEAD] {
        let cast = match frame[0] & 1 {
            _ if frame[..6] == [0xff; 6] => cast::BROAD,
            0 => cast::UNI,
            _ => cast::MULTI,
        };
        let head = FrameHead {
            kind: FrameHead::LAYER_2,
            cast,
            head: HEAD as u8,
            length: (frame.len() as u16).into(),
            sequence: self.sequence.into(),
            ..FrameHead::default()
        };
        head.as_bytes().try_into().expect("so long it is")
    }

    /// Puts a frame or packet with its head into the next buffer. False: there is no room for it in one.
    fn place(&mut self, storage: &Storage, head: &[u8; HEAD], frame: &[u8]) -> Result<bool, Broken> {
        let at = self.input.buffer(storage)?;
        let mut elements: [Element; ELEMENTS] = storage.read_layout(at)?;
        self.bytes.clear();
        self.bytes.extend_from_slice(head);
        self.bytes.extend_from_slice(frame);
        let room: u64 = elements.iter().map(|part| u64::from(part.length.get())).sum();
        if room < self.bytes.len() as u64 {
            return Ok(false);
        }
        let mut rest = &self.bytes[..];
        for part in &mut elements {
            let length = rest.len().min(part.length.get() as usize);
            let to = Absolute(part.address.get());
            if length > 0 && storage.is_read_only(to) {
                return Err(Broken);
            }
            storage.write(to, &rest[..length])?;
            rest = &rest[length..];
            (part.flags, part.length) = (0, (length as u32).into());
            if rest.is_empty() {
                part.flags = element::LAST;
                break;
            }
        }
        if storage.is_read_only(at) {
            return Err(Broken);
        }
        storage.write(at, elements.as_bytes())?;
        self.sequence = self.sequence.wrapping_add(1);
        self.input.give(storage, state::INPUT_PRIMED)?;
        Ok(true)
    }
}

/// Sends the frame at the beginning of `bytes`: what follows it. `None`: there is none.
fn send_frame<'a>(bytes: &'a [u8], port: Option<&Port>) -> Option<&'a [u8]> {
    let (head, after) = FrameHead::ref_from_prefix(bytes).ok()?;
    let length = usize::from(head.length.get());
    let known = head.kind == FrameHead::LAYER_2 && (SHORTEST..=LONGEST).contains(&length);
    let (frame, after) = after.split_at_checked(length).filter(|_| known)?;
    if let Some(port) = port {
        port.send(frame);
    }
    Some(after)
}

/// The same of a packet, at layer 3.
fn send_packet<'a>(bytes: &'a [u8], port: Option<&Port>, internet: &mut Internet) -> Option<&'a [u8]> {
    let (head, after) = PacketHead::ref_from_prefix(bytes).ok()?;
    let (packet, after) = after.split_at_checked(usize::from(head.length.get()))?;
    (head.kind == PacketHead::LAYER_3 && internet.send(head, packet, port)).then_some(after)
}
