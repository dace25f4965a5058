//! The message-security assist against other implementations: answers are those of OpenSSL and of Python's hashlib.

mod machine;

use cpu::{Architecture, Facilities};
use machine::*;

/// Parameter block, source and result, each on pages of their own.
const BLOCK: u64 = 0x1_0000;
const FROM: u64 = 0x2_0000;
const TO: u64 = 0x4_0000;
/// The counters or additional data of instructions with three operands.
const THIRD: u64 = 0x6_0000;

// Answers that are used in more than one place, or do not fit there.
const XTS_128: &str =
    "7c20ba3f240d76e109da252a5abeced53079c3b12cdf35f33ceb140e80022deb6c92d3ffb32832e5f8fac0459ad10972";
const XTS_256: &str =
    "e0a3560b0657d057f139346d5e5b56ae56538450bc3d4ee6e0441cae550bf7d5a2e594b2575655acbd711112e2556c48";
const GCM_128: &str = "3a2378d2726dd484b7fb0a4fa97918943f0738e39244083a10f271e1bb12d6d5ee30a99264a73f598ca0b3e408f42c5529c941b606b4fab60839fd";
const GCM_192: &str = "25064d628e717581d651ccec0a6d7606fb8187124bade23c64fd586f0bf2f3b87c07146f7e52c817a927995fbdedc41ef04d8f792c9d73c4b425a7";
const GCM_256: &str = "e1b3bf3b391aaa37f6865e66cc3a76370abcd3d438a39287dcf5f72550dd38077be2025421bfd2403ad62229972ce1c770cbf00a0d77a311f33d49";
const DRBG_SECOND: &str = "b6fb6e0084a9ed01b684c43427ac81036a17ff3f7c8c809ada8a566e9314b10f";
const DRBG_RESEEDED: &str = "dd0ca125c78a87ab86e3ea74e91cd6fd77cf97725c8d84a89a826adad0a85135";

fn everything() -> Machine {
    Machine::equipped(Architecture::Z, 1, Facilities([u64::MAX; 4]), Listener::default())
}

fn key(n: usize) -> Vec<u8> {
    (0..n as u8).collect()
}

fn iv(n: usize) -> Vec<u8> {
    (0x40..0x40 + n as u8).collect()
}

/// Three blocks of AES.
fn text() -> Vec<u8> {
    (0..48).map(|n| (7 * n + 3) as u8).collect()
}

fn message() -> Vec<u8> {
    (0..200).map(|n| (5 * n + 1) as u8).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Executes an instruction as often as it ends with condition code 3, with these parameters and this operand.
fn run(machine: &Machine, source: &str, code: u64, parameters: &[u8], data: &[u8]) {
    machine.put(BLOCK, parameters);
    machine.put(FROM, data);
    machine.set(|s| {
        (s.gr[0], s.gr[1]) = (code, BLOCK);
        (s.gr[2], s.gr[4], s.gr[5], s.gr[6]) = (TO, FROM, data.len() as u64, THIRD);
    });
    assert_eq!(machine.execute(&format!("{source};BRC 1,*-4")), Ending::Done, "{source} {code}");
    assert_eq!((machine.cc(), machine.gr(5)), (0, 0), "{source} {code}");
}

/// What becomes of the text.
fn cipher(machine: &Machine, source: &str, code: u64, parameters: &[u8], data: &[u8]) -> String {
    run(machine, source, code, parameters, data);
    assert_eq!(machine.gr(2), TO + data.len() as u64);
    hex(&machine.get(TO, data.len()))
}

/// Enciphers the text, compares, and deciphers it again.
fn both_ways(machine: &Machine, source: &str, code: u64, parameters: &[&[u8]], expected: &str) {
    let parameters = parameters.concat();
    assert_eq!(cipher(machine, source, code, &parameters, &text()), expected, "{source} {code}");
    let enciphered = machine.get(TO, 48);
    assert_eq!(cipher(machine, source, code | 0x80, &parameters, &enciphered), hex(&text()), "{source} {code} back");
}

#[test]
fn blocks_by_themselves() {
    let m = everything();
    both_ways(
        &m,
        "KM 2,4",
        18,
        &[&key(16)],
        "268590873ef180ab539cf461a5c5f8929995d4a8b9338747669ac484fc5403efbd050676103fa24406af3108e0d3e00c",
    );
    both_ways(
        &m,
        "KM 2,4",
        19,
        &[&key(24)],
        "3ff9b267a6d17da30ec2fdf1869e402ab71942f6403221e0e862eb43f02b19aa3dcf24eada465512299b44a6c3e05ef5",
    );
    both_ways(
        &m,
        "KM 2,4",
        20,
        &[&key(32)],
        "ae5bf9ddaad53f23deb4efae9db72462c6e8b0d060f9d45d8e1247da4ab53f5020561f706e58c3608ff892631b6a6ac8",
    );
    both_ways(
        &m,
        "KM 2,4",
        3,
        &[&key(24)],
        "d8699d05e7f0fea0326e6e0dbf6152b0e75daed8630df0d4d229c86565b7934ba0ea7ab4b6ca7365983b07e20cc4aa1a",
    );
    // FIPS 46's own example of DEA.
    let one = 0x1334_5779_9bbc_dff1u64.to_be_bytes();
    assert_eq!(cipher(&m, "KM 2,4", 1, &one, &0x0123_4567_89ab_cdefu64.to_be_bytes()), "85e813540f0ab405");
}

#[test]
fn chaining_and_feedback() {
    let m = everything();
    both_ways(
        &m,
        "KMC 2,4",
        18,
        &[&iv(16), &key(16)],
        "191fade09e2c8e2a06d13c1d2a8597d585bf508549755ab6f43cae0277f4437ebcf7dbbc846b1c68c115cd36c7fbc9ff",
    );
    assert_eq!(m.get(BLOCK, 16), text_tail_enciphered(), "the chaining value is the last block");
    both_ways(
        &m,
        "KMC 2,4",
        20,
        &[&iv(16), &key(32)],
        "aebbb6d10323d6c7572d4024081f7d5bba59b011a5fe880ce3f114919f2c479ede129658960b908225d6720cef5236ec",
    );
    both_ways(
        &m,
        "KMC 2,4",
        3,
        &[&iv(8), &key(24)],
        "5d4e12791f43e33721f404b51e42d37528048c00c64b1f4588a7d6302d2190c38903e9a3f36ed116811f9125eb5a5b77",
    );
    both_ways(
        &m,
        "KMC 2,4",
        2,
        &[&iv(8), &key(16)],
        "9554e1d886ca53ada0ffb992f5d96925cda04da00265df08e5d5cb1dadbbf932611c73bbb2e4805178b878abc7e8820e",
    );
    both_ways(
        &m,
        "KMF 2,4",
        18 | 16 << 24,
        &[&iv(16), &key(16)],
        "d639f4835a877ed9451cd50daba32fc6d03dfa19f53671191511859616a9641892811834194177067e7db37ef0cb597d",
    );
    both_ways(
        &m,
        "KMF 2,4",
        18 | 1 << 24,
        &[&iv(16), &key(16)],
        "d676cf692c7b540a9049562d274c2e3ec50faec278668d8d974da9ab389ae1e1007cb1c1f712fcedb2b2ad31b49670ec",
    );
    both_ways(
        &m,
        "KMO 2,4",
        20,
        &[&iv(16), &key(32)],
        "a074ce27887c97dba8392b97da05d43b40f07dd32ffee72934eb6a62a36c5a5b87e92480a92964443ba6c8c98c26ac7e",
    );
}

/// The last block of the first answer above: deciphering leaves it as the chaining value, too.
fn text_tail_enciphered() -> Vec<u8> {
    "bcf7dbbc846b1c68c115cd36c7fbc9ff"
        .as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).expect("ASCII"), 16).expect("digits"))
        .collect()
}

#[test]
fn counters() {
    let m = everything();
    for n in 0..3 {
        let mut counter = iv(16);
        counter[15] += n;
        m.put(THIRD + 16 * n as u64, &counter);
    }
    both_ways(
        &m,
        "KMCTR 2,6,4",
        19,
        &[&key(24)],
        "245e8f29387f00a7cbd329dd70b703b82014b331063147ac3443ea2cd829cc2510df970e6d33759be87096a000e22dcf",
    );
    assert_eq!(m.gr(6), THIRD + 48);
}

#[test]
fn tweaked_blocks() {
    let m = everything();
    for (code, n, second, expected) in [(50, 16, 0x80..0x90u8, XTS_128), (52, 32, 0x80..0xa0, XTS_256)] {
        // The first tweak, by PCC: the second key, the tweak value, the block's number, room for the rest.
        let second: Vec<u8> = second.collect();
        run(&m, "PCC", code, &[&second[..], &iv(16), &[0; 48]].concat(), &[]);
        let tweak = m.get(BLOCK + n as u64 + 48, 16);
        both_ways(&m, "KM 2,4", code, &[&key(n), &tweak], expected);
        // Begun at the second block it goes on in the same way.
        let mut number = [0; 16];
        number[15] = 1;
        run(&m, "PCC", code, &[&second[..], &iv(16), &number, &[0; 32]].concat(), &[]);
        let tweak = m.get(BLOCK + n as u64 + 48, 16);
        let rest = cipher(&m, "KM 2,4", code, &[key(n), tweak].concat(), &text()[16..]);
        assert_eq!(rest, expected[32..]);
    }
}

#[test]
fn authentication_codes() {
    let m = everything();
    // CMAC: all blocks but the last by KMAC, the last by PCC.
    let cases = [
        (18, 16, 16, 48, "35de50f05d92edc31f6c97eb2bdfebb1"),
        (18, 16, 16, 43, "c5a92f66dab6eb7e87067a2c9417eeda"),
        (20, 16, 32, 48, "69d2837d6b75bf5145c8bae4cf0d22eb"),
        (20, 16, 32, 43, "759d5fb3b9c3b4a647fc3deab5bc028c"),
        (3, 8, 24, 48, "6c093eb4f780ded2"),
        (3, 8, 24, 43, "014ec2007dfb578d"),
    ];
    for (code, block, length, total, expected) in cases {
        let text = &text()[..total];
        let (first, last) = text.split_at((total - 1) / block * block);
        run(&m, "KMAC 0,4", code, &[vec![0; block], key(length)].concat(), first);
        let chain = m.get(BLOCK, block);
        let mut padded = vec![8 * last.len() as u8, 0, 0, 0, 0, 0, 0, 0];
        padded.extend(last);
        // What comes after the message does not matter.
        padded.resize(8 + block, 0xee);
        run(&m, "PCC", code, &[padded, chain, key(length)].concat(), &[]);
        assert_eq!(hex(&m.get(BLOCK + 8 + block as u64, block)), expected, "{code}, {total} bytes");
    }
}

#[test]
fn digests() {
    let m = everything();
    let words = |words: &[u32]| words.iter().flat_map(|w| w.to_be_bytes()).collect::<Vec<u8>>();
    let longs = |words: &[u64]| words.iter().flat_map(|w| w.to_be_bytes()).collect::<Vec<u8>>();
    let bits = 1600u64.to_be_bytes();
    let sha1 = words(&[0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]);
    let sha256 = words(&[
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ]);
    let sha512 = longs(&[
        0x6a09e667f3bcc908,
        0xbb67ae8584caa73b,
        0x3c6ef372fe94f82b,
        0xa54ff53a5f1d36f1,
        0x510e527fade682d1,
        0x9b05688c2b3e6c1f,
        0x1f83d9abfb41bd6b,
        0x5be0cd19137e2179,
    ]);
    let cases: [(u64, Vec<u8>, &str); 7] = [
        (1, [&sha1[..], &bits].concat(), "d24923093baa50aa2d8c68bd1f92305a8ba20931"),
        (2, [&sha256[..], &bits].concat(), "885187bd89e5723dad215a2ae929846c25c8c26533e3a0899b71a60a88dff767"),
        (
            3,
            [&sha512[..], &[0; 8], &bits].concat(),
            "3ae023b26d129d6afd9a8e01edb8cef31962973346541a519cf36e1957933e46a6b6cd37c00309be4e64c16cffb27447ae1755fcd2381100326e2f06e4b310b1",
        ),
        (32, vec![0; 200], "015f2b18b5d6e3db571b63307103eaf75a876ea99eed9a69b6763814"),
        (33, vec![0; 200], "995f43b99965fe6d8d52539884dea0afa799f55be51347b6a890c547eb0895d8"),
        (
            34,
            vec![0; 200],
            "e4656f327f0d72c6dd8c843a60893bd92686d3e5f0a217037cf2f67e1292511848582fb836ae34db5e0fea83c9fc2840",
        ),
        (
            35,
            vec![0; 200],
            "d37fe810622cc87d441d0bc8be663f12d7411da2d386f85f6e6a71ebc30842c17ccbee5f8f25274c5b366216c0f5647c61634e4b62781a5752483f648d82e0f2",
        ),
    ];
    for (code, parameters, expected) in cases {
        run(&m, "KLMD 2,4", code, &parameters, &message());
        assert_eq!(hex(&m.get(BLOCK, expected.len() / 2)), expected, "{code}");
        // The same in two parts: whole blocks by KIMD first.
        let block = [64, 64, 128, 144, 136, 104, 72][if code < 4 { code as usize - 1 } else { code as usize - 29 }];
        run(&m, "KIMD 2,4", code, &parameters, &message()[..block]);
        let mut rest = parameters.clone();
        let state = m.get(BLOCK, rest.len());
        rest.copy_from_slice(&state);
        run(&m, "KLMD 2,4", code, &rest, &message()[block..]);
        assert_eq!(hex(&m.get(BLOCK, expected.len() / 2)), expected, "{code} in two parts");
    }
    for (code, length, expected) in [
        (36, 200, "7f47cbc774179dcc052b01b0d473defc43227609483b3f4763fbc4979b2db98e"),
        (37, 300, "19e517078080d537c72f3b4a5dc0611129328b9b9fe9895e4f36250c30ac0fc0"),
    ] {
        m.set(|s| s.gr[3] = length);
        run(&m, "KLMD 2,4", code, &[0; 200], &message());
        assert_eq!(hex(&m.get(TO + length - 32, 32)), expected);
        assert_eq!((m.gr(2), m.gr(3)), (TO + length, 0));
    }
}

#[test]
fn more_than_one_execution_does_is_not_yet_done() {
    let m = everything();
    for (source, code) in [
        ("KM 2,4", 18),
        ("KMC 2,4", 18),
        ("KMF 2,4", 18 | 16 << 24),
        ("KMO 2,4", 18),
        ("KMCTR 2,6,4", 18),
        ("KMA 2,6,4", 18),
    ] {
        m.put(BLOCK, &[0; 128]);
        m.set(|s| {
            (s.gr[0], s.gr[1], s.gr[2], s.gr[4], s.gr[5]) = (code, BLOCK, 0x20_0000, 0x10_0000, 0x2_0000);
            (s.gr[6], s.gr[7]) = (0x30_0000, 0);
        });
        assert_eq!((m.execute(source), m.cc()), (Ending::Done, 3), "{source}");
        let done = 0x2_0000 - m.gr(5);
        assert!(done > 0 && done < 0x2_0000, "{source}: {done}");
        assert_eq!((m.gr(2), m.gr(4)), (0x20_0000 + done, 0x10_0000 + done), "{source}");
    }
}

#[test]
fn long_operands_go_on_where_they_were() {
    let m = everything();
    // 200,000 bytes across page boundaries, four executions: the last block of CBC depends on all of them.
    let long: Vec<u8> = (0..200_000u32).map(|n| (n.wrapping_mul(n) >> 5) as u8).collect();
    m.put(BLOCK, &[iv(16), key(16)].concat());
    m.put(0x10_0009, &long);
    m.set(|s| {
        (s.gr[0], s.gr[1], s.gr[2], s.gr[4], s.gr[5]) = (18, BLOCK, 0x20_0011, 0x10_0009, 200_000);
    });
    assert_eq!((m.execute("KMC 2,4"), m.cc()), (Ending::Done, 3));
    assert!(m.gr(5) < 200_000 && m.gr(2) - 0x20_0011 == 200_000 - m.gr(5));
    assert_eq!((m.execute("KMC 2,4;BRC 1,*-4"), m.cc()), (Ending::Done, 0));
    assert_eq!(m.get(BLOCK, 16), m.get(0x20_0011 + 200_000 - 16, 16));
    m.put(BLOCK, &iv(16));
    m.set(|s| {
        (s.gr[0], s.gr[2], s.gr[4], s.gr[5]) = (18 | 0x80, 0x10_0009, 0x20_0011, 200_000);
    });
    m.put(0x10_0009, &vec![0; 200_000]);
    assert_eq!((m.execute("KMC 2,4;BRC 1,*-4"), m.cc()), (Ending::Done, 0));
    assert!(m.get(0x10_0009, 200_000) == long);
}

#[test]
fn galois_counter_mode() {
    let m = everything();
    let additional: Vec<u8> = (0..20).collect();
    for (code, n, expected) in [(18, 16, GCM_128), (19, 24, GCM_192), (20, 32, GCM_256)] {
        let (expected, tag) = expected.split_at(86);
        let mut block = vec![0; 80];
        block[15] = 1;
        block[48..56].copy_from_slice(&160u64.to_be_bytes());
        block[56..64].copy_from_slice(&344u64.to_be_bytes());
        block[64..76].copy_from_slice(&iv(12));
        block[79] = 1;
        block.extend(key(n));
        m.put(THIRD, &additional);
        m.set(|s| s.gr[7] = 20);
        // The last of both kinds of data.
        let enciphered = cipher(&m, "KMA 2,6,4", code | 0x300, &block, &text()[..43]);
        assert_eq!((enciphered.as_str(), hex(&m.get(BLOCK + 16, 16)).as_str()), (expected, tag));
        assert_eq!((m.gr(0), m.gr(6), m.gr(7)), (code | 0x700, THIRD + 20, 0), "the subkey is there now");
        let enciphered = m.get(TO, 43);
        m.set(|s| s.gr[7] = 20);
        assert_eq!(cipher(&m, "KMA 2,6,4", code | 0x380, &block, &enciphered), hex(&text()[..43]));
        assert_eq!(hex(&m.get(BLOCK + 16, 16)), tag);
    }
    // GHASH by itself (GCM's own test case 2: one block, and the lengths).
    let digits = |text: &str| -> Vec<u8> {
        (0..text.len()).step_by(2).map(|n| u8::from_str_radix(&text[n..n + 2], 16).expect("digits")).collect()
    };
    let parameters = [vec![0; 16], digits("66e94bd4ef8a2c3b884cfa59ca342b2e")].concat();
    let data = digits("0388dace60b6a392f328c2b971b2fe7800000000000000000000000000000080");
    run(&m, "KIMD 2,4", 65, &parameters, &data);
    assert_eq!(hex(&m.get(BLOCK, 16)), "f38cbb1ad69223dcc3457ae5b6b0f885");
}

#[test]
fn random_numbers() {
    let m = everything();
    let seed: Vec<u8> = (0..64).collect();
    let request = |m: &Machine, length: u64| {
        m.set(|s| (s.gr[0], s.gr[1], s.gr[2], s.gr[3], s.gr[4], s.gr[5]) = (3, BLOCK, TO, length, FROM, 0));
        assert_eq!((m.execute("PRNO 2,4;BRC 1,*-4"), m.cc(), m.gr(3)), (Ending::Done, 0, 0));
        hex(&m.get(TO + 68, 32))
    };
    m.set(|s| s.gr[3] = 0);
    m.put(FROM, &seed);
    let seeding = |m: &Machine| {
        m.set(|s| (s.gr[0], s.gr[1], s.gr[2], s.gr[4], s.gr[5]) = (0x83, BLOCK, TO, FROM, 64));
        assert_eq!((m.execute("PRNO 2,4"), m.cc()), (Ending::Done, 0));
    };
    seeding(&m);
    request(&m, 100);
    assert_eq!(request(&m, 100), DRBG_SECOND);
    assert_eq!((m.get32(BLOCK + 4), m.get64(BLOCK + 8)), (3, 200));
    seeding(&m);
    assert_eq!(request(&m, 100), DRBG_RESEEDED);
    // True ones: raw and conditioned, more than are made at a time.
    m.set(|s| (s.gr[0], s.gr[2], s.gr[3], s.gr[4], s.gr[5]) = (114, TO, 0, THIRD, 10_000));
    m.put(THIRD, &[0; 10_008]);
    assert_eq!((m.execute("PRNO 2,4;BRC 1,*-4"), m.cc(), m.gr(5)), (Ending::Done, 0, 0));
    let bytes = m.get(THIRD, 10_008);
    assert_eq!(bytes[10_000..], [0; 8]);
    let ones: u32 = bytes.iter().map(|b| b.count_ones()).sum();
    assert!((38_000..42_000).contains(&ones), "{ones} of 80000 bits");
}

#[test]
fn queries_tell_what_there_is() {
    let m = everything();
    for (source, expected) in [
        ("KM 2,4", 0xf070_3838_0000_2828u64),
        ("KMC 2,4", 0xf070_3838_0000_0000),
        ("KMF 2,4", 0xf070_3838_0000_0000),
        ("KMO 2,4", 0xf070_3838_0000_0000),
        ("KMCTR 2,6,4", 0xf070_3838_0000_0000),
        ("KMAC 2,4", 0xf070_3838_0000_0000),
        ("KMA 2,6,4", 0x8000_3838_0000_0000),
        ("PCC", 0xf070_3838_0000_2828),
        ("KIMD 2,4", 0xf000_0000_fc00_0000),
        ("KLMD 2,4", 0xf000_0000_fc00_0000),
        ("PRNO 2,4", 0x9000_0000_0000_0000),
    ] {
        run(&m, source, 0, &[0xee; 16], &[]);
        assert_eq!(m.get64(BLOCK), expected, "{source}");
    }
    assert_eq!(m.get64(BLOCK + 8), 0x0000_0000_0000_a000, "PRNO 112 and 114");
}

/// Instructions that neither decipher nor do otherwise have no modifier; only KLMD's SHAKE functions make something of
/// it (POP, chapter 7, each instruction's "bit 56 of general register 0 must be zero").
#[test]
fn a_modifier_that_means_nothing_is_a_specification_exception() {
    let m = everything();
    let mut cases = 0;
    for (source, shakes) in [("KMAC 2,4", false), ("KIMD 2,4", false), ("KLMD 2,4", true), ("PCC", false)] {
        for code in 0..128 {
            if shakes && [36, 37].contains(&code) {
                run(&m, source, code | 0x80, &[0; 300], &[]);
                continue;
            }
            m.put(BLOCK, &[0x5a; 300]);
            m.set(|s| {
                (s.gr[0], s.gr[1]) = (code | 0x80, BLOCK);
                (s.gr[2], s.gr[3], s.gr[4], s.gr[5]) = (TO, 0, FROM, 0);
            });
            assert_eq!(m.execute(source), program(6, 4, PROGRAM + 4), "{source} {code}");
            assert_eq!(m.get(BLOCK, 300), [0x5a; 300], "{source} {code}");
            cases += 1;
        }
    }
    assert_eq!(cases, 4 * 128 - 2);
}

/// The key, as PCKMO wraps it, with the pattern after it.
fn wrapped(machine: &Machine, code: u64, key: &[u8]) -> Vec<u8> {
    let length = key.len() + if code < 18 { 24 } else { 32 };
    machine.put(BLOCK, &[0xee; 80]);
    machine.put(BLOCK, key);
    machine.set(|s| (s.gr[0], s.gr[1]) = (code, BLOCK));
    assert_eq!(machine.execute("PCKMO"), Ending::Done);
    assert_eq!(machine.get(BLOCK + length as u64, 1), [0xee], "nothing after it");
    machine.get(BLOCK, length)
}

/// The ciphers by function code, and the lengths of their keys.
const KEYS: [(u64, usize); 6] = [(1, 8), (2, 16), (3, 24), (18, 16), (19, 24), (20, 32)];

#[test]
fn wrapped_keys_do_what_clear_ones_do() {
    let m = everything();
    m.put(THIRD, &message());
    let mut patterns = Vec::new();
    for (code, length) in KEYS {
        let (clear, kept) = (key(length), wrapped(&m, code, &key(length)));
        assert_ne!(kept[..length], clear, "it is not as it was");
        assert_eq!(kept, wrapped(&m, code, &key(length)), "the same key is wrapped alike");
        patterns.push(kept[length..].to_vec());
        let n = if code < 18 { 8 } else { 16 };
        let fed = n << 24;
        for (source, flags, before) in
            [("KM 2,4", 0, 0), ("KMC 2,4", 0, n), ("KMF 2,4", fed, n), ("KMO 2,4", 0, n), ("KMCTR 2,6,4", 0, 0)]
        {
            for decipher in [0, 0x80] {
                let block = |key: &[u8]| [&iv(before as usize), key].concat();
                let expected = cipher(&m, source, flags | decipher | code, &block(&clear), &text());
                let found = cipher(&m, source, flags | decipher | code | 8, &block(&kept), &text());
                assert_eq!(found, expected, "{source} {code}");
            }
        }
        // Authentication codes: the chaining value.
        let authenticate = |code: u64, key: &[u8]| {
            run(&m, "KMAC 0,4", code, &[&iv(n as usize), key].concat(), &text());
            m.get(BLOCK, n as usize)
        };
        assert_eq!(authenticate(code | 8, &kept), authenticate(code, &clear), "KMAC {code}");
        let last = |code: u64, key: &[u8]| {
            run(&m, "PCC", code, &[&[40, 0, 0, 0, 0, 0, 0, 0][..], &iv(2 * n as usize), key].concat(), &[]);
            m.get(BLOCK + 8 + n, n as usize)
        };
        assert_eq!(last(code | 8, &kept), last(code, &clear), "PCC {code}");
        // Galois/counter mode, and XTS with what PCC begins it with.
        if code >= 18 {
            let block = |key: &[u8]| [&[0; 12][..], &[0, 0, 0, 1], &[0; 48], &iv(16), key].concat();
            let run = |code: u64, key: &[u8]| cipher(&m, "KMA 2,6,4", code, &block(key), &text());
            m.set(|s| s.gr[7] = 0);
            assert_eq!(run(code | 8, &kept), run(code, &clear), "KMA {code}");
        }
        if matches!(code, 18 | 20) {
            let code = code + 32;
            let tweak = |code: u64, key: &[u8]| {
                run(&m, "PCC", code, &[key, &iv(16), &[0; 15], &[5], &[0; 32]].concat(), &[]);
                m.get(BLOCK + key.len() as u64 + 48, 16)
            };
            assert_eq!(tweak(code | 8, &kept), tweak(code, &clear), "PCC {code}");
            let run = |code: u64, key: &[u8]| cipher(&m, "KM 2,4", code, &[key, &iv(16)].concat(), &text());
            assert_eq!(run(code | 8, &kept), run(code, &clear), "KM {code}");
        }
    }
    assert!(patterns[..3].iter().all(|p| *p == patterns[0]) && patterns[3..].iter().all(|p| *p == patterns[3]));
}

/// A clear reset makes other wrapping keys; so has each machine its own.
#[test]
fn a_wrapped_key_is_good_until_the_next_clear_reset() {
    let m = everything();
    let kept = wrapped(&m, 18, &key(16));
    let attempt = |m: &Machine, source: &str, code: u64, parameters: &[u8]| {
        m.put(BLOCK, parameters);
        m.put(TO, &[0; 16]);
        m.set(|s| {
            (s.gr[0], s.gr[1]) = (code, BLOCK);
            (s.gr[2], s.gr[4], s.gr[5], s.gr[6], s.gr[7]) = (TO, FROM, 16, THIRD, 0);
        });
        assert_eq!(m.execute(source), Ending::Done, "{source}");
        (m.cc(), m.gr(5), m.get(BLOCK, parameters.len()) == parameters)
    };
    assert_eq!(attempt(&m, "KM 2,4", 26, &kept).0, 0);
    m.configuration.reset(false);
    m.set(|s| s.set_architecture(Architecture::Z));
    assert_eq!(attempt(&m, "KM 2,4", 26, &kept).0, 0, "another reset does not");
    let other = everything();
    let before = |n: usize| [&vec![0; n][..], &kept].concat();
    for (source, code, n) in [
        ("KM 2,4", 26, 0),
        ("KMC 2,4", 26, 16),
        ("KMF 2,4", 0x1000_001a, 16),
        ("KMO 2,4", 26, 16),
        ("KMCTR 2,6,4", 26, 0),
        ("KMAC 0,4", 26, 16),
        ("KMA 2,6,4", 0x31a, 80),
        ("PCC", 26, 40),
        ("PCC", 58, 0),
    ] {
        assert_eq!(attempt(&other, source, code, &before(n)), (1, 16, true), "{source} {code}: nothing has happened");
        assert_eq!(other.get(TO, 16), [0; 16]);
    }
    let new_psws = m.get(0, 0x200);
    m.configuration.reset(true);
    m.put(0, &new_psws);
    m.set(|s| s.set_architecture(Architecture::Z));
    assert_eq!(attempt(&m, "KM 2,4", 26, &kept).0, 1);
}

#[test]
fn wrapped_keys_come_with_their_facility() {
    let mut list = complex::FACILITIES;
    list.0[1] &= !(1 << (127 - 76));
    for (list, last) in [(complex::FACILITIES, 0x70), (list, 0)] {
        let m = Machine::equipped(Architecture::Z, 1, list, Listener::default());
        for (source, clear) in [("KM 2,4", 0xf0), ("KMC 2,4", 0xf0), ("KMAC 0,4", 0xf0), ("PCC", 0xf0)] {
            m.put(BLOCK, &[0; 16]);
            m.set(|s| (s.gr[0], s.gr[1]) = (0, BLOCK));
            assert_eq!(m.execute(source), Ending::Done);
            assert_eq!(m.get(BLOCK, 2), [clear, last], "{source}");
            m.set(|s| (s.gr[0], s.gr[5]) = (26, 16));
            let ending = m.execute(source);
            assert_eq!(ending == Ending::Done, last != 0, "{source}: {ending:?}");
        }
    }
    // PCKMO has no other functions, and is the supervisor's.
    let m = everything();
    for code in [4, 17, 21, 26, 0x92] {
        m.set(|s| (s.gr[0], s.gr[1]) = (code, BLOCK));
        assert_eq!(m.execute("PCKMO"), program(6, 4, PROGRAM + 4), "{code}");
    }
    m.text(PROGRAM, "PCKMO");
    assert_eq!(m.go(WIDE | arch::mask::PROBLEM, PROGRAM), program(2, 4, PROGRAM + 4));
}
