//! DFLTCC against another coder: what one compresses the other expands, however small the pieces are in which the
//! operands are given.

mod machine;

use arch::deflate::{BLOCK, CIRCULAR, Ending as Oesc, HISTORY, ParameterBlock, function};
use cpu::{Architecture, Facilities};
use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};
use machine::*;
use support::Random;

const PARAMETERS: u64 = 0x1_0000;
const RING: u64 = 0x2_0000;
/// Operands, with room for a history in line before them.
const PLAIN: u64 = 0x10_0000;
const COMPRESSED: u64 = 0x30_0000;

fn everything() -> Machine {
    Machine::equipped(Architecture::Z, 1, Facilities([u64::MAX; 4]), Listener::default())
}

/// Bytes of many kinds: runs, few letters, words that come again, noise.
fn many_kinds(random: &mut Random, n: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < n {
        let left = n - bytes.len();
        let part = 1 + random.below(left.min(300));
        match random.below(4) {
            0 => bytes.extend(vec![random.byte(); part]),
            1 => bytes.extend((0..part).map(|_| random.pick(b"etaoin shrdlu"))),
            2 if !bytes.is_empty() => {
                let back = 1 + random.below(bytes.len().min(HISTORY));
                (0..part).for_each(|_| bytes.push(bytes[bytes.len() - back]));
            }
            _ => bytes.extend((0..part).map(|_| random.byte())),
        }
    }
    bytes
}

fn parameters(m: &Machine) -> ParameterBlock {
    ParameterBlock::decode(&m.get(PARAMETERS, BLOCK).try_into().expect("as many"))
}

fn change(m: &Machine, change: impl FnOnce(&mut ParameterBlock)) {
    let mut bytes = m.get(PARAMETERS, BLOCK).try_into().expect("as many");
    let mut block = ParameterBlock::decode(&bytes);
    change(&mut block);
    block.encode(&mut bytes);
    m.put(PARAMETERS, &bytes);
}

/// A new task.
fn begin(m: &Machine, set: impl FnOnce(&mut ParameterBlock)) {
    m.put(PARAMETERS, &[0; BLOCK]);
    change(m, |block| {
        block.new_task = true;
        set(block);
    });
}

/// Goes on with an operand of `room` bytes at `to` and one of `length` at `from`, until it ends with another condition
/// code than 3; gives what both have moved on.
fn call(m: &Machine, code: u64, to: u64, room: usize, from: u64, length: usize) -> (u8, usize, usize) {
    m.set(|s| {
        (s.gr[0], s.gr[1], s.gr[6]) = (code, PARAMETERS, RING);
        (s.gr[2], s.gr[3], s.gr[4], s.gr[5]) = (to, room as u64, from, length as u64);
    });
    assert_eq!(m.execute("DFLTCC 2,4,6;BRC 1,*-4"), Ending::Done);
    let (stored, fetched) = ((m.gr(2) - to) as usize, (m.gr(4) - from) as usize);
    assert_eq!((m.gr(3) as usize, m.gr(5) as usize), (room - stored, length - fetched));
    (m.cc(), stored, fetched)
}

/// Compresses or expands what lies at `from` to `to`, in pieces; gives the last condition code and how far both came.
fn pieces(
    m: &Machine,
    code: u64,
    to: u64,
    from: u64,
    length: usize,
    random: &mut Random,
    most: usize,
) -> (u8, usize, usize) {
    let (mut stored, mut fetched) = (0, 0);
    let mut idle = 0;
    loop {
        let piece = (1 + random.below(most)).min(length - fetched);
        let (cc, more, read) = call(m, code, to + stored as u64, 1 + random.below(most), from + fetched as u64, piece);
        stored += more;
        fetched += read;
        idle = if more + read > 0 { 0 } else { idle + 1 };
        assert!(idle < 4, "it goes on");
        let expanding = code & 0x7f == function::EXPAND as u64;
        match cc {
            0 if expanding || fetched == length => return (cc, stored, fetched),
            2 if parameters(m).ending != 0 => return (cc, stored, fetched),
            2 if fetched == length => return (cc, stored, fetched),
            _ => {}
        }
        if cc == 0 {
            change(m, |block| block.continued = true);
        }
    }
}

fn inflate(compressed: &[u8]) -> Option<(Vec<u8>, bool)> {
    let mut plain = Vec::with_capacity(1 << 20);
    let mut decoder = Decompress::new(false);
    let status = decoder.decompress_vec(compressed, &mut plain, FlushDecompress::Finish).ok()?;
    Some((plain, status == Status::StreamEnd))
}

fn deflate(plain: &[u8], level: u32) -> Vec<u8> {
    let mut compressed = Vec::with_capacity(plain.len() + 1024);
    let mut encoder = Compress::new(Compression::new(level), false);
    let status = encoder.compress_vec(plain, &mut compressed, FlushCompress::Finish).expect("it can be compressed");
    assert_eq!(status, Status::StreamEnd);
    compressed
}

fn crc(bytes: &[u8]) -> [u8; 4] {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum().to_le_bytes()
}

/// The textbook's.
fn adler(bytes: &[u8]) -> [u8; 4] {
    let (a, b) = bytes.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + *byte as u32) % 65521;
        (a, (b + a) % 65521)
    });
    (b << 16 | a).to_be_bytes()
}

fn check(block: &ParameterBlock, plain: &[u8]) {
    let expected = if block.adler { adler(plain) } else { crc(plain) };
    assert_eq!(block.check_value, expected, "check value of {} bytes", plain.len());
}

/// One block, fixed or with a generated table, of all of `plain`; gives the compressed data.
fn compress(m: &Machine, plain: &[u8], random: &mut Random, most: usize) -> Vec<u8> {
    let (dynamic, specific, adler) = (random.one_in(2), random.one_in(2), random.one_in(2));
    let circular = if random.one_in(2) { CIRCULAR } else { 0 };
    m.put(PLAIN, plain);
    begin(m, |block| (block.specific, block.adler) = (specific, adler));
    if dynamic {
        let (cc, ..) = generate(m, plain.len());
        assert_eq!(cc, 0);
    }
    // A table for what is there is one for the end of each piece only if the pieces are as whole: not for small ones.
    let dynamic = dynamic && (!specific || most > plain.len());
    change(m, |block| (block.dynamic, block.last, block.close) = (dynamic, true, false));
    // The last byte closes the block.
    let (cc, mut stored, _) = match plain.len() {
        1 => (0, 0, 0),
        n => pieces(m, function::COMPRESS as u64 | circular, COMPRESSED, PLAIN, n - 1, random, most),
    };
    assert_eq!(cc, 0);
    change(m, |block| (block.continued, block.close) = (plain.len() > 1, true));
    let code = function::COMPRESS as u64 | circular;
    let (end, mut left, mut room) = (PLAIN + plain.len() as u64, 1, most);
    let cc = loop {
        let (cc, more, read) = call(m, code, COMPRESSED + stored as u64, room, end - left as u64, left);
        stored += more;
        left -= read;
        if cc != 1 {
            break cc;
        }
        assert!(parameters(m).continuation && more == room, "the first operand is full");
        room = 1;
    };
    assert_eq!(left, 0);
    let block = parameters(m);
    assert_eq!((cc, block.continuation, block.new_task), (0, false, false));
    assert_eq!(block.history_length as usize, plain.len().min(HISTORY));
    check(&block, plain);
    m.get(COMPRESSED, stored + (block.sub_byte > 0) as usize)
}

fn generate(m: &Machine, length: usize) -> (u8, u64, u64) {
    m.set(|s| {
        (s.gr[0], s.gr[1]) = (function::GENERATE as u64, PARAMETERS);
        (s.gr[4], s.gr[5]) = (PLAIN, length as u64);
    });
    assert_eq!(m.execute("DFLTCC 2,4,6"), Ending::Done);
    (m.cc(), m.gr(4), m.gr(5))
}

/// Expands, and gives the last condition code and the bytes.
fn expand(m: &Machine, compressed: &[u8], random: &mut Random, most: usize) -> (u8, Vec<u8>, usize) {
    let (adler, circular) = (random.one_in(2), if random.one_in(2) { CIRCULAR } else { 0 });
    m.put(COMPRESSED, compressed);
    let offset = random.below(HISTORY) as u16;
    begin(m, |block| (block.adler, block.history_offset) = (adler, offset));
    let code = function::EXPAND as u64 | circular;
    let (cc, stored, fetched) = pieces(m, code, PLAIN, COMPRESSED, compressed.len(), random, most);
    let plain = m.get(PLAIN, stored);
    let block = parameters(m);
    check(&block, &plain);
    if cc == 0 {
        assert_eq!((block.continuation, block.incomplete_status, block.ending), (false, 0, 0));
        // The bits of the last byte do not count as a byte.
        return (cc, plain, fetched + (block.sub_byte > 0) as usize);
    }
    (cc, plain, fetched)
}

#[test]
fn small_pieces_there_and_back() {
    let m = everything();
    let mut random = Random::seeded(0x9e37_79b9_7f4a_7c15);
    for round in 0..1200 {
        let n = 1 + random.below(if round % 10 == 0 { 2000 } else { 200 });
        let plain = many_kinds(&mut random, n);
        let most = random.pick(&[1, 2, 7, 64, 1000]);
        let compressed = compress(&m, &plain, &mut random, most);
        assert_eq!(inflate(&compressed), Some((plain.clone(), true)), "round {round}");
        let (cc, back, read) = expand(&m, &compressed, &mut random, most);
        assert_eq!((cc, back == plain, read), (0, true, compressed.len()), "round {round}");
        // What another coder has made, of every level.
        let compressed = deflate(&plain, random.below(10) as u32);
        let (cc, back, read) = expand(&m, &compressed, &mut random, most);
        assert_eq!((cc, back == plain, read), (0, true, compressed.len()), "round {round}");
    }
}

#[test]
fn large_operands_and_long_histories() {
    let m = everything();
    let mut random = Random::seeded(0x0123_4567_89ab_cdef);
    for round in 0..24 {
        let n = 60_000 + random.below(200_000);
        let plain = many_kinds(&mut random, n);
        let most = random.pick(&[3000, 50_000, 1 << 20]);
        let compressed = compress(&m, &plain, &mut random, most);
        assert!(compressed.len() < plain.len() * 3 / 4, "{} of {}", compressed.len(), plain.len());
        assert_eq!(inflate(&compressed), Some((plain.clone(), true)), "round {round}");
        let (cc, back, _) = expand(&m, &compressed, &mut random, most);
        assert_eq!((cc, back == plain), (0, true), "round {round}");
        let compressed = deflate(&plain, random.below(10) as u32);
        let (cc, back, _) = expand(&m, &compressed, &mut random, most);
        assert_eq!((cc, back == plain), (0, true), "round {round}");
    }
}

/// How well: within a fifth of another coder's fast level, for text.
#[test]
fn text_is_compressed_well() {
    let m = everything();
    let text: Vec<u8> = include_str!("../../ARCHITECTURE.md").bytes().collect();
    m.put(PLAIN, &text);
    begin(&m, |_| {});
    generate(&m, text.len());
    change(&m, |block| (block.dynamic, block.last, block.close) = (true, true, true));
    let (cc, stored, fetched) = call(&m, function::COMPRESS as u64, COMPRESSED, 1 << 20, PLAIN, text.len());
    assert_eq!((cc, fetched), (0, text.len()));
    let other = deflate(&text, 1).len();
    assert!(stored < other * 6 / 5, "{stored} of {}, the other coder {other}", text.len());
    let block = parameters(&m);
    assert!(block.end_of_block_length > 0 && block.end_of_block_length < 16);
}

/// Blocks with tables of their own; a program closes them with the end-of-block symbol that the parameter block names.
#[test]
fn blocks_are_closed_by_the_program() {
    let m = everything();
    let mut random = Random::seeded(77);
    let plain = many_kinds(&mut random, 40_000);
    m.put(PLAIN, &plain);
    begin(&m, |_| {});
    let (mut stored, mut read) = (0, 0);
    for (n, part) in plain.chunks(10_000).enumerate() {
        let dynamic = n % 2 == 0;
        if dynamic {
            m.set(|s| {
                (s.gr[0], s.gr[1]) = (function::GENERATE as u64, PARAMETERS);
                (s.gr[4], s.gr[5]) = (PLAIN + read as u64, part.len() as u64);
            });
            assert_eq!(m.execute("DFLTCC 2,4,6"), Ending::Done);
        }
        change(&m, |block| (block.dynamic, block.last) = (dynamic, n == 3));
        let at = (COMPRESSED + stored as u64, PLAIN + read as u64);
        let (cc, more, _) = call(&m, function::COMPRESS as u64, at.0, 1 << 20, at.1, part.len());
        assert_eq!(cc, 0);
        read += part.len();
        stored += more;
        // The symbol after the bits of the last byte.
        let block = parameters(&m);
        let (bits, n) = (block.end_of_block >> (15 - block.end_of_block_length), block.end_of_block_length);
        let reversed = (bits.reverse_bits() >> (16 - n)) as u64;
        let old = m.get(COMPRESSED + stored as u64, 1)[0] as u64 & ((1 << block.sub_byte) - 1);
        m.put(COMPRESSED + stored as u64, &(old | reversed << block.sub_byte).to_le_bytes());
        let bits = block.sub_byte + n;
        stored += (bits / 8) as usize;
        change(&m, |block| block.sub_byte = bits % 8);
    }
    let last = (parameters(&m).sub_byte > 0) as usize;
    assert_eq!(inflate(&m.get(COMPRESSED, stored + last)), Some((plain, true)));
}

/// Data with faults: the verdict is that of the other coder, and what came out before is there.
#[test]
fn faults_in_the_data_are_found() {
    let m = everything();
    let mut random = Random::seeded(0xfeed_beef);
    let mut found = std::collections::BTreeSet::new();
    for round in 0..3000 {
        let n = 1 + random.below(300);
        let plain = many_kinds(&mut random, n);
        let mut compressed = deflate(&plain, random.below(10) as u32);
        for _ in 0..1 + random.below(3) {
            // Faults are in headers often.
            let limit = random.pick(&[8, 1000]);
            let at = random.below(compressed.len().min(limit));
            compressed[at] ^= 1 << random.below(8);
        }
        let most = random.pick(&[1, 5, 4000]);
        let (cc, back, _) = expand(&m, &compressed, &mut random, most);
        let block = parameters(&m);
        match inflate(&compressed) {
            Some((plain, true)) => assert_eq!((cc, back == plain), (0, true), "round {round}"),
            Some((plain, false)) => assert_eq!((cc, block.ending, back == plain), (2, 0, true), "round {round}"),
            None => {
                assert_eq!(cc, 2, "round {round}");
                found.insert(block.ending);
                assert!(Oesc::of(block.ending).is_some(), "round {round}: {:#x}", block.ending);
            }
        }
    }
    assert!(found.len() >= 8, "{found:x?}");
}

/// Whatever a program puts into a continuation state, the CPU goes on somehow and ends.
#[test]
fn a_wrong_continuation_state_harms_nobody() {
    let m = everything();
    let mut random = Random::seeded(0xabad_1dea);
    for _ in 0..2000 {
        let bytes: Vec<u8> = random.bytes(BLOCK);
        m.put(PARAMETERS, &bytes);
        let (small, offset) = (random.below(10) as u8, random.below(8));
        let circular = random.one_in(2);
        change(&m, |block| {
            (block.version, block.continuation) = (0, true);
            block.history_length %= HISTORY as u16 + 1;
            block.dynamic &= circular;
            // Phases are small numbers.
            block.state[offset] = small;
        });
        m.put(COMPRESSED, &bytes);
        let code = [function::COMPRESS, function::EXPAND][random.below(2)] as u64;
        m.set(|s| {
            (s.gr[0], s.gr[1], s.gr[6]) = (code | if circular { CIRCULAR } else { 0 }, PARAMETERS, RING);
            (s.gr[2], s.gr[3], s.gr[4], s.gr[5]) =
                (PLAIN, random.below(5000) as u64, COMPRESSED, random.below(600) as u64);
        });
        let ending = m.execute("DFLTCC 2,4,6");
        assert!(matches!(ending, Ending::Done | Ending::Program { code: 7, .. }), "{ending:?}");
    }
}

/// An operand that reaches into a page that is not there is worked on up to there; the exception comes when nothing
/// else is left to do.
#[test]
fn pages_that_are_not_there() {
    let m = everything();
    let end = 8 << 20;
    let plain = vec![b'x'; 10_000];
    let compressed = deflate(&plain, 6);
    m.put(COMPRESSED, &compressed);
    begin(&m, |_| {});
    m.set(|s| {
        (s.gr[0], s.gr[1]) = (function::EXPAND as u64, PARAMETERS);
        (s.gr[2], s.gr[3], s.gr[4], s.gr[5]) = (end - 6000, 10_000, COMPRESSED, compressed.len() as u64);
    });
    assert_eq!(m.execute("DFLTCC 2,4,6"), Ending::Done);
    assert_eq!((m.cc(), m.gr(2), m.gr(3)), (3, end, 4000));
    assert_eq!(m.execute("DFLTCC 2,4,6"), program(5, 4, PROGRAM + 4));
    assert_eq!((m.gr(2), m.get(end - 6000, 6000) == plain[..6000]), (end, true));
    // The rest to where there is storage.
    m.set(|s| s.gr[2] = PLAIN + 6000);
    m.put(PLAIN, &plain[..6000]);
    assert_eq!(m.execute("DFLTCC 2,4,6"), Ending::Done);
    assert_eq!((m.cc(), m.get(PLAIN, 10_000) == plain), (0, true));
    check(&parameters(&m), &plain);
}
