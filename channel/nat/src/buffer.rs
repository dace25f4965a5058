//! Bytes of a stream that wait.

/// A queue of bytes that lie in one piece.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    space: Vec<u8>,
    head: usize,
    tail: usize,
}

impl Buffer {
    /// How many bytes wait.
    pub(crate) fn len(&self) -> usize {
        self.tail - self.head
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.head == self.tail
    }

    /// The storage that this takes.
    pub(crate) fn capacity(&self) -> usize {
        self.space.len()
    }

    /// What waits.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.space[self.head..self.tail]
    }

    /// Room for `count` bytes more, of which [`Buffer::filled`] says how many came.
    pub(crate) fn room(&mut self, count: usize) -> &mut [u8] {
        if self.tail + count > self.space.len() {
            if self.head > 0 {
                self.space.copy_within(self.head..self.tail, 0);
                self.tail -= self.head;
                self.head = 0;
            }
            let need = self.tail + count;
            if need > self.space.len() {
                self.space.resize(need.next_power_of_two(), 0);
            }
        }
        &mut self.space[self.tail..self.tail + count]
    }

    /// So many bytes of the room are filled.
    pub(crate) fn filled(&mut self, count: usize) {
        self.tail += count;
        debug_assert!(self.tail <= self.space.len());
    }

    /// Appends `bytes`.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        self.room(bytes.len()).copy_from_slice(bytes);
        self.filled(bytes.len());
    }

    /// The first `count` bytes go.
    pub(crate) fn consume(&mut self, count: usize) {
        self.head += count;
        debug_assert!(self.head <= self.tail);
        if self.head == self.tail {
            self.head = 0;
            self.tail = 0;
        }
    }

    /// Gives storage above `keep` bytes back, if nothing waits.
    pub(crate) fn release(&mut self, keep: usize) {
        if self.is_empty() && self.space.len() > keep {
            self.space = Vec::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_as_they_went_in() {
        let mut random = support::Random::seeded(7);
        let mut buffer = Buffer::default();
        let (mut into, mut out) = (0u32, 0u32);
        for _ in 0..10_000 {
            let bytes: Vec<u8> = (0..random.below(300usize)).map(|at| (into + at as u32) as u8).collect();
            into += bytes.len() as u32;
            buffer.append(&bytes);
            let count = random.below(buffer.len() + 1);
            for (at, byte) in buffer.bytes()[..count].iter().enumerate() {
                assert_eq!(*byte, (out + at as u32) as u8);
            }
            buffer.consume(count);
            out += count as u32;
        }
        assert_eq!(buffer.len() as u32, into - out);
        buffer.consume(buffer.len());
        buffer.release(0);
        assert_eq!(buffer.capacity(), 0);
    }
}
