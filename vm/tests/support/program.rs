//! Programs for Linux on s390x that are a few system calls: static executables written by hand, so that nothing but
//! Debian's packages and the test goes into a guest.

/// Where an executable is loaded; its text begins after the headers, its data is where it puts it.
pub(crate) const BASE: u64 = 0x100_0000;
pub(crate) const TEXT: u64 = BASE + 0x1000;
pub(crate) const DATA: u64 = BASE + 0x2000;

/// A static executable whose one segment is `size` bytes from [`BASE`] on, with `pieces` at their addresses. The
/// address space of one with `machine` may be that of a machine (PT_S390_PGSTE).
pub(crate) fn executable(size: u64, machine: bool, pieces: &[(u64, &[u8])]) -> Vec<u8> {
    let mut file = vec![0; size as usize];
    let mut put = |at: u64, bytes: &[u8]| file[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
    let (word, long) = (|v: u32| v.to_be_bytes(), |v: u64| v.to_be_bytes());
    // 64 bits, big-endian, executable, s390.
    put(0, b"\x7fELF\x02\x02\x01");
    put(16, &[0, 2, 0, 22, 0, 0, 0, 1]);
    put(24, &long(TEXT));
    put(32, &long(64));
    put(52, &[0, 64, 0, 56, 0, 1 + u8::from(machine), 0, 0, 0, 0, 0, 0]);
    // To be loaded, for reading, writing and executing.
    put(64, &[word(1), word(7)].concat());
    put(72, &[0, BASE, BASE, size, size, 0x1000].map(long).concat());
    if machine {
        put(120, &[word(0x7000_0000), word(4)].concat());
    }
    pieces.iter().for_each(|(at, bytes)| put(at - BASE, bytes));
    file
}
