//! Huffman codes as DEFLATE has them (RFC 1951, 3.2.2): lengths from frequencies, codes from lengths, symbols from
//! codes.

/// The longest code.
pub(super) const LONGEST: usize = 15;
/// Symbols of the larger alphabet, with the two that stand for nothing.
pub(super) const SYMBOLS: usize = 288;
/// Bits that one look into a [`Decoder`] covers.
const QUICK: u32 = 10;

/// Too many codes of some length, or too few.
pub(super) struct Unbalanced;

/// How many codes there are of each length.
fn count(lengths: &[u8]) -> [u16; LONGEST + 1] {
    let mut counts = [0; LONGEST + 1];
    lengths.iter().for_each(|&n| counts[n as usize] += 1);
    counts[0] = 0;
    counts
}

/// Codes and lengths for writing: codes have their first bit rightmost.
#[derive(Clone)]
pub(super) struct Encoder {
    codes: [u16; SYMBOLS],
    lengths: [u8; SYMBOLS],
}

impl Encoder {
    pub(super) fn new(lengths: &[u8]) -> Encoder {
        let counts = count(lengths);
        let mut next = [0u16; LONGEST + 2];
        for n in 1..=LONGEST {
            next[n + 1] = (next[n] + counts[n]) << 1;
        }
        let mut encoder = Encoder { codes: [0; SYMBOLS], lengths: [0; SYMBOLS] };
        for (symbol, &n) in lengths.iter().enumerate().filter(|(_, n)| **n > 0) {
            encoder.codes[symbol] = next[n as usize].reverse_bits() >> (16 - n);
            encoder.lengths[symbol] = n;
            next[n as usize] += 1;
        }
        encoder
    }

    /// Code and length of a symbol; the length is 0 if it has none.
    #[inline]
    pub(super) fn of(&self, symbol: usize) -> (u16, u8) {
        (self.codes[symbol], self.lengths[symbol])
    }
}

/// Finds the symbol that bits begin with.
pub(super) struct Decoder {
    /// By the first bits: the symbol's number times 16, and the length of its code. 0: it is longer, or is none.
    quick: [u16; 1 << QUICK],
    counts: [u16; LONGEST + 1],
    /// Symbols in the order of their codes.
    symbols: [u16; SYMBOLS],
}

impl Decoder {
    /// As inflaters do, takes a single code that leaves the other half unused, and none at all.
    pub(super) fn new(lengths: &[u8]) -> Result<Decoder, Unbalanced> {
        let counts = count(lengths);
        let mut free = 1i32;
        for here in &counts[1..] {
            free = 2 * free - *here as i32;
            if free < 0 {
                return Err(Unbalanced);
            }
        }
        let total: u16 = counts.iter().sum();
        if free > 0 && total > counts[1] {
            return Err(Unbalanced);
        }
        let mut offsets = [0; LONGEST + 2];
        for n in 1..=LONGEST {
            offsets[n + 1] = offsets[n] + counts[n];
        }
        let mut decoder = Decoder { quick: [0; 1 << QUICK], counts, symbols: [0; SYMBOLS] };
        let encoder = Encoder::new(lengths);
        for symbol in 0..lengths.len() {
            let (code, n) = encoder.of(symbol);
            if n == 0 {
                continue;
            }
            decoder.symbols[offsets[n as usize] as usize] = symbol as u16;
            offsets[n as usize] += 1;
            if n as u32 <= QUICK {
                for entry in decoder.quick[code as usize..].iter_mut().step_by(1 << n) {
                    *entry = (symbol as u16) << 4 | n as u16;
                }
            }
        }
        Ok(decoder)
    }

    /// The symbol and the length of its code; `None` if these bits are not the beginning of any.
    #[inline]
    pub(super) fn find(&self, bits: u64) -> Option<(u16, u32)> {
        let entry = self.quick[bits as usize & ((1 << QUICK) - 1)];
        if entry != 0 { Some((entry >> 4, entry as u32 & 15)) } else { self.find_long(bits) }
    }

    fn find_long(&self, mut bits: u64) -> Option<(u16, u32)> {
        let (mut code, mut first, mut index) = (0u32, 0u32, 0u32);
        for n in 1..=LONGEST {
            code |= bits as u32 & 1;
            bits >>= 1;
            let here = self.counts[n] as u32;
            if code < first + here {
                return Some((self.symbols[(index + code - first) as usize], n as u32));
            }
            index += here;
            first = (first + here) << 1;
            code <<= 1;
        }
        None
    }
}

/// Lengths of codes for symbols with these frequencies, none longer than `longest`: 0 for those that do not occur. Two
/// symbols have codes at least, so that the code is complete.
pub(super) fn lengths(frequencies: &[u32], longest: usize, lengths: &mut [u8]) {
    lengths.fill(0);
    let mut order = [(0u32, 0u16); SYMBOLS];
    let mut n = 0;
    for (symbol, &frequency) in frequencies.iter().enumerate().filter(|(_, f)| **f > 0) {
        order[n] = (frequency, symbol as u16);
        n += 1;
    }
    for (symbol, _) in frequencies.iter().enumerate().filter(|(_, f)| **f == 0) {
        if n >= 2 {
            break;
        }
        order[n] = (1, symbol as u16);
        n += 1;
    }
    let order = &mut order[..n];
    order.sort_unstable();
    let mut counts = depths(order, longest);
    // Too deep leaves have become leaves at the limit: make room by lowering others, until the code is just complete.
    let mut total: u64 = (1..=longest).map(|k| (counts[k] as u64) << (longest - k)).sum();
    while total > 1 << longest {
        counts[longest] -= 1;
        let k = (1..longest).rev().find(|&k| counts[k] > 0).expect("not all leaves are at the limit");
        counts[k] -= 1;
        counts[k + 1] += 2;
        total -= 1;
    }
    let mut symbols = order.iter();
    for k in (1..=longest).rev() {
        for (_, symbol) in symbols.by_ref().take(counts[k] as usize) {
            lengths[*symbol as usize] = k as u8;
        }
    }
}

/// How many leaves of a Huffman tree are how deep; those deeper than the limit count as at the limit. The leaves are in
/// ascending order.
fn depths(leaves: &[(u32, u16)], longest: usize) -> [u16; LONGEST + 1] {
    // Nodes: leaves, then inner nodes in ascending order of their weights; the last one is the root.
    let n = leaves.len();
    let mut weight = [0u64; 2 * SYMBOLS];
    let mut parent = [0u16; 2 * SYMBOLS];
    for (to, leaf) in weight.iter_mut().zip(leaves) {
        *to = leaf.0 as u64;
    }
    let (mut leaf, mut inner) = (0, n);
    for node in n..2 * n - 1 {
        for _ in 0..2 {
            let take_leaf = leaf < n && (inner == node || weight[leaf] <= weight[inner]);
            let child = if take_leaf { &mut leaf } else { &mut inner };
            weight[node] += weight[*child];
            parent[*child] = node as u16;
            *child += 1;
        }
    }
    let mut depth = [0u16; 2 * SYMBOLS];
    let mut counts = [0; LONGEST + 1];
    for node in (0..2 * n - 2).rev() {
        depth[node] = depth[parent[node] as usize] + 1;
        if node < n {
            counts[(depth[node] as usize).min(longest)] += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(lengths: &[u8]) -> bool {
        lengths.iter().filter(|n| **n > 0).map(|n| 1u64 << (LONGEST as u8 - n)).sum::<u64>() == 1 << LONGEST
    }

    #[test]
    fn codes_are_complete_and_not_too_long() {
        // Frequencies of Fibonacci make the deepest tree.
        let mut frequencies = [0u32; 40];
        let (mut a, mut b) = (1, 1);
        for f in &mut frequencies {
            (*f, a, b) = (a, b, a + b);
        }
        for longest in [7, 15] {
            let mut found = [0; 40];
            lengths(&frequencies, longest, &mut found);
            assert!(complete(&found), "{found:?}");
            assert_eq!(found.iter().max(), Some(&(longest as u8)));
        }
        let mut found = [9; 30];
        lengths(&[0; 30], 15, &mut found);
        assert_eq!((found[..3].to_vec(), complete(&found)), (vec![1, 1, 0], true));
    }

    #[test]
    fn what_is_encoded_is_found() {
        let mut frequencies = [1u32; 286];
        frequencies[32] = 1 << 20;
        frequencies[256] = 1 << 10;
        let mut n = [0; 286];
        lengths(&frequencies, 15, &mut n);
        let (encoder, Ok(decoder)) = (Encoder::new(&n), Decoder::new(&n)) else { panic!("a complete code") };
        for symbol in 0..286 {
            let (code, length) = encoder.of(symbol);
            assert_eq!(decoder.find(code as u64 | u64::MAX << length), Some((symbol as u16, length as u32)));
        }
    }
}
