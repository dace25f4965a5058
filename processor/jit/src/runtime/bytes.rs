//! Numbers and lists as bytes, for code that is kept in files.

/// Appends numbers, the low byte first.
pub(crate) struct Writer<'a>(pub(crate) &'a mut Vec<u8>);

/// Takes what [`Writer`] has appended. `None`: there is no more.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl Writer<'_> {
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn u32(&mut self, v: u32) {
        self.bytes(&v.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, v: u64) {
        self.bytes(&v.to_le_bytes());
    }

    pub(crate) fn list<T>(&mut self, list: &[T], mut one: impl FnMut(&mut Self, &T)) {
        self.u32(list.len() as u32);
        list.iter().for_each(|item| one(self, item));
    }
}

impl Reader<'_> {
    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let len = self.u32()? as usize;
        // Each takes a byte at least.
        let mut list = Vec::with_capacity(len.min(self.0.len()));
        for _ in 0..len {
            list.push(one(self)?);
        }
        Some(list)
    }

    pub(crate) fn slice(&mut self) -> Option<&[u8]> {
        let len = self.u32()? as usize;
        let (slice, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(slice)
    }
}
