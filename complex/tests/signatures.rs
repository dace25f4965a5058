//! KDSA and PCC's products of points (message-security assist extension 9): against RFC 6979, RFC 8032, RFC 7748 and
//! signatures that OpenSSL made.

mod machine;

use cpu::{Architecture, Facilities};
use machine::*;

/// The parameter block, and the message.
const BLOCK: u64 = 0x1_0000;
const FROM: u64 = 0x2_0000;
/// The modifier: the nonce is given.
const GIVEN: u64 = 0x80;

fn everything() -> Machine {
    Machine::equipped(Architecture::Z, 1, Facilities([u64::MAX; 4]), Listener::default())
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|n| u8::from_str_radix(&hex[n..n + 2], 16).expect("two digits")).collect()
}

/// A number on the right of a field.
fn field(hex: &str, length: usize) -> Vec<u8> {
    let number = bytes(hex);
    [vec![0; length - number.len()], number].concat()
}

/// The same, of bytes in the order of RFC 8032.
fn reversed(bytes: &[u8], length: usize) -> Vec<u8> {
    let mut number = bytes.to_vec();
    number.resize(length, 0);
    number.reverse();
    number
}

fn message(length: usize) -> Vec<u8> {
    (0..length).map(|n| (5 * n + 1) as u8).collect()
}

/// Executes an instruction as often as it ends with condition code 3. The condition code, and how often.
fn execute(m: &Machine, source: &str, code: u64, block: &[u8], text: &[u8]) -> (u8, usize) {
    m.put(BLOCK, &[0; 0x1000]);
    m.put(BLOCK, block);
    m.put(FROM, text);
    m.set(|s| (s.gr[0], s.gr[1], s.gr[4], s.gr[5]) = (code, BLOCK, FROM, text.len() as u64));
    for times in 1.. {
        assert_eq!(m.execute(source), Ending::Done, "{source} {code}");
        if m.cc() != 3 {
            return (m.cc(), times);
        }
    }
    unreachable!()
}

fn kdsa(m: &Machine, code: u64, fields: &[&[u8]], text: &[u8]) -> u8 {
    execute(m, "KDSA 0,4", code, &fields.concat(), text).0
}

/// The key as PCKMO wraps it, and the pattern.
fn wrapped(m: &Machine, code: u64, key: &[u8]) -> (Vec<u8>, Vec<u8>) {
    m.put(BLOCK, &[0xee; 120]);
    m.put(BLOCK, key);
    m.set(|s| (s.gr[0], s.gr[1]) = (code, BLOCK));
    assert_eq!(m.execute("PCKMO"), Ending::Done);
    let n = key.len();
    assert_eq!(m.get(BLOCK + n as u64 + 32, 1), [0xee], "nothing after it");
    assert_ne!(m.get(BLOCK, n), key);
    (m.get(BLOCK, n), m.get(BLOCK + n as u64, 32))
}

/// A curve of ECDSA: RFC 6979, A.2.5 to A.2.7, the message "sample" with the digest of the curve's size.
struct Curve {
    /// The function code of verification.
    code: u64,
    /// Bytes of a field.
    field: usize,
    order: &'static str,
    base: [&'static str; 2],
    key: &'static str,
    public: [&'static str; 2],
    nonce: &'static str,
    digest: &'static str,
    signature: [&'static str; 2],
}

const CURVES: [Curve; 3] = [
    Curve {
        code: 1,
        field: 32,
        order: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
        base: [
            "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
            "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
        ],
        key: "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
        public: [
            "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6",
            "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
        ],
        nonce: "a6e3c57dd01abe90086538398355dd4c3b17aa873382b0f24d6129493d8aad60",
        digest: "af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf",
        signature: [
            "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
            "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
        ],
    },
    Curve {
        code: 2,
        field: 48,
        order: "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
        base: [
            "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7",
            "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f",
        ],
        key: "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5",
        public: [
            "ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13",
            "8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720",
        ],
        nonce: "94ed910d1a099dad3254e9242ae85abde4ba15168eaf0ca87a555fd56d10fbca2907e3e83ba95368623b8c4686915cf9",
        digest: "9a9083505bc92276aec4be312696ef7bf3bf603f4bbd381196a029f340585312313bca4a9b5b890efee42c77b1ee25fe",
        signature: [
            "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46",
            "99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8",
        ],
    },
    Curve {
        code: 3,
        field: 80,
        order: "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709\
                a5d03bb5c9b8899c47aebb6fb71e91386409",
        base: [
            "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ff\
             a8de3348b3c1856a429bf97e7e31c2e5bd66",
            "011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad\
             0761353c7086a272c24088be94769fd16650",
        ],
        key: "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75caa896eb32f1f47c70855836a6d16fcc\
              1466f6d8fbec67db89ec0c08b0e996b83538",
        public: [
            "01894550d0785932e00eaa23b694f213f8c3121f86dc97a04e5a7167db4e5bcd371123d46e45db6b5d5370a7f20fb633\
             155d38ffa16d2bd761dcac474b9a2f5023a4",
            "00493101c962cd4d2fddf782285e64584139c2f91b47f87ff82354d6630f746a28a0db25741b5b34a828008b22acc23f\
             924faafbd4d33f81ea66956dfeaa2bfdfcf5",
        ],
        nonce: "01dae2ea071f8110dc26882d4d5eae0621a3256fc8847fb9022e2b7d28e6f10198b1574fdd03a9053c08a1854a168aa5\
                a57470ec97dd5ce090124ef52a2f7ecbffd3",
        digest: "39a5e04aaff7455d9850c605364f514c11324ce64016960d23d5dc57d3ffd8f49a739468ab8049bf18eef820cdb1ad6c\
                 9015f838556bc7fad4138b23fdf986c7",
        signature: [
            "00c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f174e25a1ee9017b5d450606add152b53\
             4931d7d4e8455cc91f9b15bf05ec36e377fa",
            "00617cce7cf5064806c467f678d3b4080d6f1cc50af26ca209417308281b68af282623eaa63e5b5c0723d8b8c37ff077\
             7b1a20f8ccb1dccc43997f1ee0e44da4a67a",
        ],
    },
];

impl Curve {
    fn put(&self, hex: &str) -> Vec<u8> {
        field(hex, self.field)
    }

    fn signature(&self, m: &Machine) -> Vec<u8> {
        m.get(BLOCK, 2 * self.field)
    }
}

#[test]
fn ecdsa_signs_as_rfc_6979_says() {
    let m = everything();
    for c in &CURVES {
        let [key, nonce, digest, order] = [c.key, c.nonce, c.digest, c.order].map(|hex| c.put(hex));
        let [x, y] = c.public.map(|hex| c.put(hex));
        let expected = c.signature.map(|hex| c.put(hex)).concat();
        let none = vec![0; 2 * c.field];
        let sign = |key: &[u8], nonce: &[u8]| kdsa(&m, c.code + 8 | GIVEN, &[&none, &digest, key, nonce], &[]);
        assert_eq!(sign(&key, &nonce), 0);
        assert_eq!(c.signature(&m), expected, "{}", c.code);
        // The second operand is not looked at.
        assert_eq!((m.gr(4), m.gr(5)), (FROM, 0));
        // With the wrapped key.
        let (kept, pattern) = wrapped(&m, c.code + 31, &key);
        let sign_wrapped =
            |pattern: &[u8]| kdsa(&m, c.code + 16 | GIVEN, &[&none, &digest, &kept, &nonce, pattern], &[]);
        assert_eq!(sign_wrapped(&pattern), 0);
        assert_eq!(c.signature(&m), expected, "{}", c.code);
        assert_eq!(m.get(BLOCK + 3 * c.field as u64, c.field), kept, "the key stays wrapped");
        assert_eq!(sign_wrapped(&[1; 32]), 1, "another pattern");
        assert_eq!(c.signature(&m), none, "nothing is stored");
        // Keys and nonces that are none.
        let zero = c.put("");
        for (key, nonce, cc) in
            [(&zero, &nonce, 1), (&order, &nonce, 1), (&key, &zero, 2), (&key, &order, 2), (&zero, &zero, 1)]
        {
            assert_eq!(sign(key, nonce), cc, "{}", c.code);
            assert_eq!(c.signature(&m), none, "nothing is stored");
        }
        // Verification, of all fields with one bit changed, too.
        let good = [expected, digest.clone(), x, y].concat();
        assert_eq!(kdsa(&m, c.code, &[&good], &[]), 0);
        for (n, cc) in [2, 2, 2, 1, 1].into_iter().enumerate() {
            for bit in [0, 100, 200] {
                let mut bad = good.clone();
                bad[(n + 1) * c.field - 1 - bit / 8] ^= 1 << (bit % 8);
                assert_eq!(kdsa(&m, c.code, &[&bad], &[]), cc, "{} field {n} bit {bit}", c.code);
                assert_eq!(m.get(BLOCK, bad.len()), bad);
            }
        }
        for part in [0, 1] {
            for value in [&zero, &order] {
                let mut bad = good.clone();
                bad[part * c.field..][..c.field].copy_from_slice(value);
                assert_eq!(kdsa(&m, c.code, &[&bad], &[]), 2, "R and S are below the order, and not zero");
            }
        }
    }
}

/// Without the modifier the processor makes the nonce; the random number in the block has its part in it.
#[test]
fn ecdsa_makes_nonces() {
    let m = everything();
    for c in &CURVES {
        let [key, digest] = [c.key, c.digest].map(|hex| c.put(hex));
        let [x, y] = c.public.map(|hex| c.put(hex));
        let mut seen = Vec::new();
        for n in 0..20 {
            let (random, digest) = (vec![n / 2; c.field], [&digest[..c.field - 1], &[n % 2]].concat());
            assert_eq!(kdsa(&m, c.code + 8, &[&vec![0; 2 * c.field], &digest, &key, &random], &[]), 0);
            let signature = c.signature(&m);
            assert_eq!(kdsa(&m, c.code, &[&signature, &digest, &x, &y], &[]), 0);
            seen.push(signature[..c.field].to_vec());
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 20, "no nonce comes twice");
    }
}

/// A key of EdDSA and OpenSSL's signatures of messages of these lengths.
struct Edwards {
    /// The function code of verification.
    code: u64,
    /// PCKMO's.
    wrapping: u64,
    field: usize,
    key: &'static str,
    public: &'static str,
    signatures: [(usize, &'static str); 5],
}

/// The first signatures are those of RFC 8032, 7.1 and 7.4.
const EDWARDS: [Edwards; 2] = [
    Edwards {
        code: 32,
        wrapping: 40,
        field: 32,
        key: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        public: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        signatures: [
            (
                0,
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b\
                 d25bf5f0595bbe24655141438e7a100b",
            ),
            (
                1,
                "5a2c50c47f0d08230e754a324d9c011385098bc5ff6027948658905a014d935506a0e550f61393ef71e50dc612198150\
                 1caad3fd2e272d939dbd8ee75ae8790f",
            ),
            (
                1000,
                "0f7adabd25979292a2530e2ee26f33bf48b748a8b2d16fd70ff7edf0c19ce0ca7cc8ea0e85d7c062c78b5bed64178830\
                 5404b0152c9dbc384b9cd9aef948a802",
            ),
            (
                70000,
                "7d06907787998c64a6debbc0c8c7a6caf89ea78ac02e591cdc063ec31db6dd53a5459e40457e279668f9f19f629a698a\
                 eb046039b34c36590a8ff41712a2d70c",
            ),
            (
                200000,
                "3dde971e87f26ef364edc9d2788d8a3720fb413a37e18059d000145476743aaeafc441d96880a2332878788329a8fcb9\
                 5835942ace9ce7a355fd0e10aa75b807",
            ),
        ],
    },
    Edwards {
        code: 36,
        wrapping: 41,
        field: 64,
        key: "6c82a562cb808d10d632be89c8513ebf6c929f34ddfa8c9f63c9960ef6e348a3528c8a3fcc2f044e39a3fc5b94492f8f\
              032e7549a20098f95b",
        public: "5fd7449b59b461fd2ce787ec616ad46a1da1342485a70e1f8a0ea75d80e96778edf124769b46c7061bd6783df1e50f6c\
                 d1fa1abeafe8256180",
        signatures: [
            (
                0,
                "533a37f6bbe457251f023c0d88f976ae2dfb504a843e34d2074fd823d41a591f2b233f034f628281f2fd7a22ddd47d78\
                 28c59bd0a21bfd3980ff0d2028d4b18a9df63e006c5d1c2d345b925d8dc00b4104852db99ac5c7cdda8530a113a0f4db\
                 b61149f05a7363268c71d95808ff2e652600",
            ),
            (
                1,
                "df6f0556eb6b7928898783f1f9da3038a6aff05696152ef3db56220134f8f8e9082e9b6d0156fefea1ac971491e5951e\
                 b0834adb8e07ddb0800752a2b883b9ed3f92b85b80a6d4ec0db25cac759b7dd4741916fd5c18f934eabf10ca66698cdb\
                 bbfbca963f54d62d31b17d5f2301ef851f00",
            ),
            (
                1000,
                "07beb25281af583dd5fdfce96fb9e904f0857ec37b19d5467a578ceb36f21be84a168d1ca1a35f2fe405a064bd9c79a4\
                 6b1d185360a51c668049255da116844d30ebd904a449a883fa7aa3d5bdcbb04d1da233de1731810412c428725f2333ae\
                 14ac21281a5034a8c8562145aac2f9863f00",
            ),
            (
                70000,
                "28a7330d198501342ac1aac2821b1433c1c247ca40bc88c44f40b4d885a07139983b3032edeb27b984523b273601a570\
                 b7b6f657a082850e004e934296e9e2885a2708d8213c706a44c1ada7872ae3713607e6bc10e5b14e75fbe4771be051b1\
                 e753ac84199e7cf608a349f020cc04513700",
            ),
            (
                200000,
                "4702ef1ef502ec68896d5b114d355719b37b9146a1a7b3a636918e9a1e80227f23edc619cd51d071985c17323d06e633\
                 ee834981fd7ee01a8098ae4246165139034bc60a332aa05f6c31ccc3b61841a6b26f6f7e792f597ef38a573d06f7ae45\
                 fd67a81284ec842249274ffd21dfb9722000",
            ),
        ],
    },
];

#[test]
fn eddsa_signs_as_openssl_does() {
    let m = everything();
    for c in &EDWARDS {
        let (key, n) = (field(c.key, c.field), c.key.len() / 2);
        let public = reversed(&bytes(c.public), c.field);
        let (kept, pattern) = wrapped(&m, c.wrapping, &key);
        let none = vec![0; 2 * c.field];
        for (length, signature) in c.signatures {
            let (text, signature) = (message(length), bytes(signature));
            let expected = [&signature[..n], &signature[n..]].map(|part| reversed(part, c.field)).concat();
            let after = (FROM + length as u64, 0);
            // As often as the message has units, twice.
            let times = 2 * length / 0x1_0000 + 1;
            let (cc, found) = execute(&m, "KDSA 0,4", c.code + 8, &[&none[..], &key].concat(), &text);
            assert_eq!((cc, found, m.get(BLOCK, expected.len())), (0, times, expected.clone()), "{length}");
            assert_eq!((m.gr(4), m.gr(5)), after);
            let (cc, found) = execute(&m, "KDSA 0,4", c.code + 16, &[&none[..], &kept, &pattern].concat(), &text);
            assert_eq!((cc, found, m.get(BLOCK, expected.len())), (0, times, expected.clone()), "{length}");
            assert_eq!(kdsa(&m, c.code + 16, &[&none, &kept, &[1; 32]], &text), 1, "another pattern");
            assert_eq!(m.get(BLOCK, none.len()), none);

            let good = [&expected[..], &public].concat();
            let (cc, found) = execute(&m, "KDSA 0,4", c.code, &good, &text);
            assert_eq!((cc, found, m.gr(4), m.gr(5)), (0, length / 0x1_0000 + 1, after.0, after.1));
            assert_eq!(m.get(BLOCK, good.len() + 8), [&good[..], &[0; 8]].concat(), "as it was");
            if length == 0 {
                continue;
            }
            let mut other = text.clone();
            other[length / 2] ^= 1;
            assert_eq!(kdsa(&m, c.code, &[&good], &other), 2);
        }
        // Any bit of R and S counts, and so do those that a field has too many.
        let signature = bytes(c.signatures[1].1);
        let expected = [&signature[..n], &signature[n..]].map(|part| reversed(part, c.field)).concat();
        for bit in (0..16 * c.field).step_by(13) {
            let mut bad = [&expected[..], &public].concat();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(kdsa(&m, c.code, &[&bad], &message(1)), 2, "bit {bit}");
        }
        // Y above the prime, and a Y that no point has.
        for key in [vec![0xff; c.field], field("02", c.field), field("07", c.field), field("05", c.field)] {
            let cc = kdsa(&m, c.code, &[&expected, &key], &message(1));
            assert!(cc == 1 || cc == 2 && key[0] == 0, "{key:?}: {cc}");
        }
        assert_eq!(kdsa(&m, c.code, &[&expected, &vec![0xff; c.field]], &message(1)), 1);
    }
}

/// What is left in storage between two executions is the guest's to spoil; no signature comes of it.
#[test]
fn a_spoilt_continuation_signs_nothing() {
    let m = everything();
    for c in &EDWARDS {
        let key = field(c.key, c.field);
        let text = message(70_000);
        let length = 3 * c.field as u64 + 24;
        for mark in [0u64, 1, 2, 3, u64::MAX] {
            for fill in [0, 0x5a, 0xff] {
                m.put(BLOCK, &[fill; 0x1000]);
                m.put(BLOCK + 2 * c.field as u64, &key);
                m.put(BLOCK + length - 8, &mark.to_be_bytes());
                m.put(FROM, &text);
                m.set(|s| (s.gr[0], s.gr[1], s.gr[4], s.gr[5]) = (c.code + 8, BLOCK, FROM, text.len() as u64));
                assert_eq!(m.execute("KDSA 0,4;BRC 1,*-4"), Ending::Done);
                let found = m.get(BLOCK, 2 * c.field);
                assert_eq!((m.cc(), m.gr(5)), (0, 0));
                let signature = bytes(c.signatures[3].1);
                let n = signature.len() / 2;
                let expected = [&signature[..n], &signature[n..]].map(|part| reversed(part, c.field)).concat();
                assert_eq!(found == expected, mark == 0, "{mark} {fill}");
            }
        }
    }
}

#[test]
fn points_are_multiplied() {
    let m = everything();
    let pcc = |code: u64, fields: &[Vec<u8>]| {
        let n = fields[0].len();
        let results = if fields.len() == 2 { n } else { 2 * n };
        let block = [vec![0xee; results], fields.concat(), vec![0; 8]].concat();
        let (cc, _) = execute(&m, "PCC", code, &block, &[]);
        let found = m.get(BLOCK, block.len());
        assert_eq!(found[results..], block[results..], "{code}");
        if cc != 0 {
            assert_eq!(found, block, "{code}: nothing is stored");
        }
        (cc, found[..results].to_vec())
    };
    for c in &CURVES {
        let [x, y] = c.base.map(|hex| c.put(hex));
        let public = c.public.map(|hex| c.put(hex)).concat();
        let (key, order, zero) = (c.put(c.key), c.put(c.order), c.put(""));
        assert_eq!(pcc(c.code + 63, &[x.clone(), y.clone(), key.clone()]), (0, public));
        for bad in [[&y, &x, &key], [&x, &y, &zero], [&x, &y, &order]] {
            assert_eq!(pcc(c.code + 63, &bad.map(Clone::clone)).0, 1, "{}", c.code);
        }
    }
    // The base points, and the scalars that the private keys stand for (RFC 8032, 5.1.5 and 5.2.5).
    let edwards = [
        (
            72,
            &EDWARDS[0],
            "216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51a",
            "6666666666666666666666666666666666666666666666666666666666666658",
            "4fe94d9006f020a5a3c080d96827fffd3c010ac0f12e7a42cb33284f86837c30",
        ),
        (
            73,
            &EDWARDS[1],
            "4f1970c66bed0ded221d15a622bf36da9e146570470f1767ea6de324a3d3a46412ae1af72ab66511433b80e18b00938e\
             2626a82bc70cc05e",
            "693f46716eb6bc248876203756c9c7624bea73736ca3984087789c1e05a0c2d73ad3ff1ce67c39c4fdbd132c4ed7c8ad\
             9808795bf230fa14",
            "b7bbc01fa70105a74feece1566f5f98374d1ee1ed836c005b99c51381d5e0275eef3a45b54f011b488a572f46766edc7\
             8e80a0cea03039e8",
        ),
    ];
    for (code, c, x, y, factor) in edwards {
        let [x, y, factor] = [x, y, factor].map(|hex| field(hex, c.field));
        let (cc, found) = pcc(code, &[x.clone(), y.clone(), factor.clone()]);
        assert_eq!(cc, 0);
        // The public key is Y, and in its last byte the sign of X.
        let (found_x, found_y) = found.split_at(c.field);
        let mut public = bytes(c.public);
        let last = public.len() - 1;
        assert_eq!(public[last] >> 7, found_x[c.field - 1] & 1);
        public[last] &= 0x7f;
        assert_eq!(found_y, reversed(&public, c.field));
        // The product is a point, and its double the product of the doubled factor.
        let double = pcc(code, &[found_x.to_vec(), found_y.to_vec(), field("02", c.field)]);
        let mut twice = factor.clone();
        (0..c.field).for_each(|n| twice[n] = factor[n] << 1 | factor.get(n + 1).map_or(0, |next| next >> 7));
        assert_eq!(double, pcc(code, &[x.clone(), y.clone(), twice]));
        assert_eq!(
            pcc(code, &[x.clone(), y.clone(), field("", c.field)]).1,
            [field("", c.field), field("01", c.field)].concat()
        );
        // A point of order two is multiplied as one: the factor is not reduced.
        let mut minus_one = match code {
            72 => field("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffec", 32),
            _ => field(&format!("{}fffffffe{}fffffffe", "ff".repeat(24), "ff".repeat(24)), 64),
        };
        let zero = field("", c.field);
        for (factor, y) in [("01", &minus_one), ("02", &field("01", c.field)), ("03", &minus_one)] {
            let found = pcc(code, &[zero.clone(), minus_one.clone(), field(factor, c.field)]);
            assert_eq!(found, (0, [&zero[..], y].concat()), "{code}");
        }
        assert_eq!(pcc(code, &[x.clone(), x, factor]).0, 1);
        minus_one[c.field - 1] ^= 1;
        assert_eq!(pcc(code, &[zero, minus_one, field("01", c.field)]).0, 1);
    }
}

/// The factors are clamped by programs. What OpenSSL derives of these keys.
#[test]
fn montgomery_curves_give_shared_secrets() {
    let m = everything();
    let cases = [
        (
            80,
            32,
            "14ee0e07f34e3a17030c6eecf66d3705e80d1e153f7a0ca5b345e83ce9d62643",
            "012f324ee8e63887ee8ae5263e289f19a9db08103c8e12e6bd527f43ed320928",
        ),
        (
            81,
            56,
            "4e39f59d8dc79ae8dbb52216c5d9d7f164da9d4249233fb072e6c04380d29f17be60fc21f498e491438f6ef48b90d302\
             90ba51a1c02ce489",
            "2e86998e1e8d1816487f3dce68d2fe37c3956b29b010c7e3181361d7b1a630e59e41ba3eb1677878b390e37edabf7a8a\
             e03a0e6406ae29b9",
        ),
    ];
    for (code, n, public, shared) in cases {
        let length = if n == 56 { 64 } else { n };
        let clamp = |mut key: Vec<u8>| {
            key[0] &= if n == 32 { 0xf8 } else { 0xfc };
            key[n - 1] = if n == 32 { key[n - 1] & 0x7f | 0x40 } else { key[n - 1] | 0x80 };
            reversed(&key, length)
        };
        let own = clamp((0..n).map(|k| (3 * k + 7) as u8).collect());
        let other = clamp((0..n).map(|k| (11 * k + 5) as u8).collect());
        let base = field(if n == 32 { "09" } else { "05" }, length);
        let times = |u: &[u8], factor: &[u8]| {
            let block = [&vec![0; length], u, factor, &[0; 8]].concat();
            assert_eq!(execute(&m, "PCC", code, &block, &[]).0, 0);
            m.get(BLOCK, length)
        };
        assert_eq!(times(&base, &other), reversed(&bytes(public), length), "{code}");
        assert_eq!(times(&reversed(&bytes(public), length), &own), reversed(&bytes(shared), length), "{code}");
        assert_eq!(times(&times(&base, &own), &other), reversed(&bytes(shared), length), "{code}: on both sides");
    }
}

#[test]
fn signatures_come_with_their_facility() {
    let queries = |m: &Machine, source: &str| {
        m.put(BLOCK, &[0xee; 16]);
        m.set(|s| (s.gr[0], s.gr[1]) = (0, BLOCK));
        assert_eq!(m.execute(source), Ending::Done, "{source}");
        (m.get64(BLOCK), m.get64(BLOCK + 8))
    };
    let m = everything();
    assert_eq!(queries(&m, "KDSA 0,4"), (0xf070_7000_8888_8800, 0));
    assert_eq!(queries(&m, "PCC"), (0xf070_3838_0000_2828, 0xe0c0_c000_0000_0000));
    assert_eq!(queries(&m, "PCKMO"), (0xf000_3800_e0c0_0000, 0));
    let mut list = complex::FACILITIES;
    list.0[2] &= !(1 << (191 - 155));
    let m = Machine::equipped(Architecture::Z, 1, list, Listener::default());
    assert_eq!(queries(&m, "PCC"), (0xf070_3838_0000_2828, 0));
    assert_eq!(queries(&m, "PCKMO"), (0xf000_3800_0000_0000, 0));
    for (source, code) in [("PCC", 64), ("PCC", 81), ("PCKMO", 32), ("PCKMO", 41)] {
        m.set(|s| (s.gr[0], s.gr[1]) = (code, BLOCK));
        assert_eq!(m.execute(source), program(6, 4, PROGRAM + 4), "{source} {code}");
    }
    assert_eq!(m.execute("KDSA 0,4"), program(1, 4, PROGRAM + 4));
}

/// Function codes that there are not, a modifier where it means nothing, and registers that are no pair.
#[test]
fn what_is_no_function_is_a_specification_exception() {
    let m = everything();
    let mut cases = 0;
    for code in 1..256u64 {
        let action = code & 0x7f;
        let with_digest = matches!(action, 9..=11 | 17..=19);
        let known = with_digest || code == 0x80 || matches!(action, 1..=3 | 32 | 36 | 40 | 44 | 48 | 52);
        if known && (code <= 0x80 || with_digest) {
            continue;
        }
        m.set(|s| (s.gr[0], s.gr[1], s.gr[4], s.gr[5]) = (code, BLOCK, FROM, 0));
        assert_eq!(m.execute("KDSA 0,4"), program(6, 4, PROGRAM + 4), "{code}");
        cases += 1;
    }
    assert_eq!(cases, 255 - 15 - 6 - 1, "the query takes no notice");
    for register in ["0", "5", "15"] {
        m.set(|s| (s.gr[0], s.gr[1]) = (0, BLOCK));
        assert_eq!(m.execute(&format!("KDSA 0,{register}")), program(6, 4, PROGRAM + 4), "{register}");
    }
}
