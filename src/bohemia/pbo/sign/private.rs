//! Private keys: made, read, and used to sign (FORMAT.md).

use super::{ALGORITHM, Key, LARGEST, PRIVATE, PUBLIC, Signed, check, hashes};
use crate::pbo::{Label, Pbo, Trailer};
use bytes::Bytes;
use num_bigint::BigUint;
use refit_base::wire::{Error, HexBytes, Result, count};

/// Bits of a new key, as the games' own tools make them.
const BITS: usize = 1024;
/// The public exponent of a new key.
const EXPONENT: u32 = 65537;
/// Rounds of the primality test. A number that passes one by chance is rarer than 1 in 4.
const ROUNDS: usize = 40;
/// Random numbers to try for a prime. One in about 180 odd numbers of this size is prime.
const TRIES: usize = 100_000;

/// Fills a buffer with random bytes.
pub(crate) type Random<'a> = &'a mut dyn FnMut(&mut [u8]) -> Result<()>;

/// A private key whose numbers belong together.
pub struct PrivateKey {
    authority: Label,
    /// Bytes of the modulus.
    len: usize,
    exponent: u32,
    modulus: BigUint,
    /// The primes.
    primes: [BigUint; 2],
    /// The private exponent.
    secret: BigUint,
}

fn invalid(what: &str) -> Error {
    Error::say(format!("not a usable private key: {what}"))
}

/// Cuts off the first `len` bytes, a number with its lowest byte first.
fn take(bytes: &mut &[u8], len: usize) -> Result<BigUint> {
    let (number, rest) = bytes
        .split_at_checked(len)
        .ok_or_else(|| invalid("it ends too early"))?;
    *bytes = rest;
    Ok(BigUint::from_bytes_le(number))
}

/// `number` in `len` bytes, the lowest first.
fn bytes_of(number: &BigUint, len: usize) -> Result<Vec<u8>> {
    let mut bytes = number.to_bytes_le();
    if bytes.len() > len {
        return Err(invalid(&format!(
            "a number has {} instead of {len}",
            count(bytes.len(), "byte")
        )));
    }
    bytes.resize(len, 0);
    Ok(bytes)
}

/// `number - 1`.
fn less_one(number: &BigUint) -> BigUint {
    if *number == BigUint::ZERO {
        BigUint::ZERO
    } else {
        number - 1u32
    }
}

/// The inverse of a number.
fn inverse(number: &BigUint, modulus: &BigUint) -> Result<BigUint> {
    // A modulus of 0 has no remainders.
    let inverse = if *modulus == BigUint::ZERO {
        None
    } else {
        number.modinv(modulus)
    };
    inverse.ok_or_else(|| invalid("its primes have no inverse"))
}

/// The numbers of a private key that follow from the others: the private exponent modulo each prime
/// less one, and the inverse of the second prime.
fn derived([p, q]: &[BigUint; 2], secret: &BigUint) -> Result<[BigUint; 3]> {
    let (below_p, below_q) = (less_one(p), less_one(q));
    if below_p == BigUint::ZERO || below_q == BigUint::ZERO {
        return Err(invalid("a prime is too small"));
    }
    Ok([secret % &below_p, secret % &below_q, inverse(q, p)?])
}

impl PrivateKey {
    /// The key in the bytes of a `.biprivatekey`. Fails unless all of its numbers belong together.
    pub fn read(file: &Bytes) -> Result<Self> {
        Self::of(&Key::read(file)?)
    }

    /// [`PrivateKey::read`] for a key in memory.
    pub(crate) fn of(key: &Key) -> Result<Self> {
        if key.signed.is_some() {
            return Err(invalid("it is a signature"));
        }
        if !key.is_private() {
            return Err(invalid("it is a public key").hint("signing needs the .biprivatekey"));
        }
        let len = key.bits as usize / 8;
        if !key.bits.is_multiple_of(16) || !(64..=LARGEST).contains(&len) {
            return Err(invalid(&format!("{} bits", key.bits)));
        }
        let mut bytes = &key.modulus[..];
        let modulus = take(&mut bytes, len)?;
        let primes = [take(&mut bytes, len / 2)?, take(&mut bytes, len / 2)?];
        let stored = [
            take(&mut bytes, len / 2)?,
            take(&mut bytes, len / 2)?,
            take(&mut bytes, len / 2)?,
        ];
        let secret = take(&mut bytes, len)?;
        if !bytes.is_empty() {
            return Err(invalid(&format!(
                "{} after its numbers",
                count(bytes.len(), "byte")
            )));
        }
        let [p, q] = &primes;
        // With 1 a signature is the hash, which anybody can compute. Even numbers have no inverse.
        if key.exponent < 3 || key.exponent.is_multiple_of(2) {
            return Err(invalid(&format!("its public exponent is {}", key.exponent)));
        }
        let found = derived(&primes, &secret)?;
        let one = BigUint::from(1u32);
        let undoes =
            |prime: &BigUint| (&secret * key.exponent) % less_one(prime) == &one % less_one(prime);
        let fits = [
            (
                p * q == modulus,
                "its modulus is not the product of its primes",
            ),
            (
                modulus.bits() == u64::from(key.bits),
                "its modulus has another number of bits",
            ),
            (
                undoes(p) && undoes(q),
                "its private exponent does not undo the public one",
            ),
            (
                found == stored,
                "the numbers derived from its primes are wrong",
            ),
        ];
        match fits.iter().find(|(fits, _)| !fits) {
            Some((_, why)) => Err(invalid(why)),
            None => Ok(PrivateKey {
                authority: key.authority.clone(),
                len,
                exponent: key.exponent,
                modulus,
                primes,
                secret,
            }),
        }
    }

    /// A new key of 1024 bits.
    pub fn generate(authority: &str, random: Random<'_>) -> Result<Self> {
        let p = prime(random)?;
        let q = prime(random)?;
        let secret = inverse(&EXPONENT.into(), &(less_one(&p) * less_one(&q)))?;
        let modulus = &p * &q;
        let authority = Label::from(authority);
        authority.check("the authority")?;
        let made = PrivateKey {
            authority,
            len: BITS / 8,
            exponent: EXPONENT,
            modulus,
            primes: [p, q],
            secret,
        };
        // Two equal primes, or a modulus with too few bits, are found here.
        Self::of(&made.key()?)?;
        Ok(made)
    }

    /// The authority that signs with it.
    pub fn authority(&self) -> &Label {
        &self.authority
    }

    /// The content of a `.biprivatekey`.
    pub fn key(&self) -> Result<Key> {
        let [p, q] = &self.primes;
        let [dp, dq, inverse] = derived(&self.primes, &self.secret)?;
        let mut modulus = bytes_of(&self.modulus, self.len)?;
        for number in [p, q, &dp, &dq, &inverse] {
            modulus.extend(bytes_of(number, self.len / 2)?);
        }
        modulus.extend(bytes_of(&self.secret, self.len)?);
        Ok(Key {
            header: PRIVATE,
            modulus,
            ..self.public_key()?
        })
    }

    /// The content of the `.bikey` of this key.
    pub fn public_key(&self) -> Result<Key> {
        Ok(Key {
            authority: self.authority.clone(),
            header: PUBLIC,
            bits: super::regular_bits(self.len),
            exponent: self.exponent,
            modulus: bytes_of(&self.modulus, self.len)?,
            signed: None,
            rest: Bytes::new(),
        })
    }

    /// Signs an archive. `version` is 2 (Arma 2) or 3 (Arma 3, DayZ). Fails if the archive has no
    /// right SHA-1 at its end, which the games compare first.
    pub fn sign(&self, pbo: &Pbo, version: u32) -> Result<Key> {
        let repack = "pack it again: `refit unpack`, then `refit repack`";
        match pbo.trailer()? {
            Trailer::Sha1 { .. } => {}
            Trailer::Wrong { .. } => {
                return Err(Error::say(
                    "the SHA-1 at the archive's end is wrong, so the games refuse it",
                )
                .hint(repack));
            }
            Trailer::None | Trailer::Raw(_) => {
                return Err(Error::say("the archive has no SHA-1 at its end, so it cannot be signed")
                    .hint("archives since ArmA have one: `refit repack FOLDER --format pbo` makes such an archive"));
            }
        }
        let key = self.public_key()?;
        let [archive, names, files] = hashes::to_sign(pbo, version)?;
        let signatures = [
            self.encrypt(&archive)?,
            self.encrypt(&names)?,
            self.encrypt(&files)?,
        ]
        .map(HexBytes);
        let signed = Key {
            signed: Some(Signed {
                version,
                signatures,
            }),
            ..key
        };
        // Its primes were not tested: that takes longer than this, and shows less.
        match check::check_model(pbo, &signed)?.fits() {
            true => Ok(signed),
            false => Err(invalid(
                "its public half does not verify its signatures: a prime is a product",
            )
            .hint("`refit key new` makes a key")),
        }
    }

    /// The signature of one hash: PKCS#1 v1.5.
    fn encrypt(&self, hash: &hashes::Sum) -> Result<Vec<u8>> {
        let tail = [&[0], &ALGORITHM[..], hash].concat();
        // `of` accepts no key that is shorter.
        let padding = vec![0xff; self.len.saturating_sub(tail.len() + 2)];
        let padded = [&[0, 1], &padding[..], &tail].concat();
        bytes_of(
            &BigUint::from_bytes_be(&padded).modpow(&self.secret, &self.modulus),
            self.len,
        )
    }
}

/// A random prime of half the bits of a new key, with which the public exponent has an inverse.
fn prime(random: Random<'_>) -> Result<BigUint> {
    let mut bytes = [0; BITS / 16];
    for _ in 0..TRIES {
        random(&mut bytes)?;
        // The product of two numbers with their two highest bits set has all of its bits.
        let [first, .., last] = &mut bytes;
        *first |= 1;
        *last |= 0xc0;
        let number = BigUint::from_bytes_le(&bytes);
        let has_inverse = less_one(&number) % EXPONENT != BigUint::ZERO;
        if has_inverse && is_prime(&number, random)? {
            return Ok(number);
        }
    }
    Err(Error::say(
        "internal error: the system's random numbers are never prime",
    ))
}

/// The Miller-Rabin test, for odd numbers above all small primes.
fn is_prime(number: &BigUint, random: Random<'_>) -> Result<bool> {
    /// Most numbers that are not prime have a divisor below this.
    const SMALL: u32 = 2000;
    if (3..SMALL)
        .step_by(2)
        .any(|small| number % small == BigUint::ZERO)
    {
        return Ok(false);
    }
    let (one, less_one) = (BigUint::from(1u32), less_one(number));
    let twos = less_one.trailing_zeros().unwrap_or_default();
    let odd = &less_one >> twos;
    let mut bytes = vec![0; number.to_bytes_le().len()];
    for _ in 0..ROUNDS {
        random(&mut bytes)?;
        let base = BigUint::from_bytes_le(&bytes) % &less_one;
        if base <= one {
            continue;
        }
        let mut power = base.modpow(&odd, number);
        let mut passes = power == one || power == less_one;
        for _ in 1..twos {
            if passes {
                break;
            }
            power = &power * &power % number;
            passes = power == less_one;
        }
        if !passes {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use refit_base::contract::Model;

    /// Numbers that repeat: xorshift.
    fn repeatable(mut state: u64) -> impl FnMut(&mut [u8]) -> Result<()> {
        move |bytes| {
            for byte in bytes {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                *byte = state as u8;
            }
            Ok(())
        }
    }

    #[test]
    fn a_new_key_has_1024_bits_and_survives_the_round_trip() {
        let key = PrivateKey::generate("me", &mut repeatable(1)).unwrap();
        let file = key.key().unwrap().write().unwrap();
        // Name, length, header, bits, exponent, nine halves of the modulus.
        assert_eq!(file.len(), 3 + 4 + 12 + 4 + 4 + 9 * 64);
        assert_eq!(key.modulus.bits(), 1024);
        let again = PrivateKey::read(&file.clone().into()).unwrap();
        assert_eq!(again.key().unwrap().write().unwrap(), file);
        assert_eq!(
            key.public_key().unwrap().write().unwrap().len(),
            3 + 148 + 4
        );
        let other = PrivateKey::generate("me", &mut repeatable(2)).unwrap();
        assert_ne!(other.modulus, key.modulus);
        // Its public half verifies its signatures; no other key does.
        let hash = *b"twenty bytes of hash";
        let signature = key.encrypt(&hash).unwrap();
        assert_eq!(signature.len(), 128);
        assert_eq!(key.public_key().unwrap().open(&signature), Some(hash));
        assert_eq!(other.public_key().unwrap().open(&signature), None);
        let padded = BigUint::from_bytes_le(&signature)
            .modpow(&EXPONENT.into(), &key.modulus)
            .to_bytes_be();
        assert_eq!(padded.len(), 127, "the leading zero byte is gone");
        assert_eq!(
            (padded[0], &padded[1..91], padded[91]),
            (1, &[0xff; 90][..], 0)
        );
        assert_eq!(
            (&padded[92..107], &padded[107..]),
            (&ALGORITHM[..], &hash[..])
        );
    }

    #[test]
    fn a_key_with_inconsistent_numbers_is_refused() {
        let good = PrivateKey::generate("me", &mut repeatable(3))
            .unwrap()
            .key()
            .unwrap();
        assert!(PrivateKey::of(&good).is_ok());
        for (at, what) in [
            (5, "modulus is not the product"),
            (128 + 5, "inverse|product"),
            (3 * 64 + 5, "inverse|product"),
            (4 * 64 + 5, "derived"),
            (5 * 64 + 5, "derived"),
            (6 * 64 + 5, "derived"),
            (7 * 64 + 5, "private exponent"),
        ] {
            let mut bad = good.clone();
            bad.modulus[at] ^= 1;
            let error = PrivateKey::of(&bad).err().unwrap().to_string();
            assert!(
                what.split('|').any(|what| error.contains(what)),
                "{at}: {error}"
            );
        }
        for bits in [0, 8, 1000, 1016, 1024 + 16, u32::MAX] {
            assert!(
                PrivateKey::of(&Key {
                    bits,
                    ..good.clone()
                })
                .is_err(),
                "{bits}"
            );
        }
        for len in [0, 1, 127, 575, 577] {
            let mut modulus = good.modulus.clone();
            modulus.resize(len, 0);
            assert!(
                PrivateKey::of(&Key {
                    modulus,
                    ..good.clone()
                })
                .is_err(),
                "{len}"
            );
        }
        for zero in [0..128, 128..192, 192..256, 512..576] {
            let mut bad = good.clone();
            bad.modulus[zero].fill(0);
            assert!(PrivateKey::of(&bad).is_err());
        }
    }

    #[test]
    fn a_key_whose_prime_is_a_product_is_refused_before_it_signs() {
        let random = &mut repeatable(5);
        let mut small = || {
            let mut bytes = [0; 32];
            loop {
                random(&mut bytes).unwrap();
                bytes[0] |= 1;
                bytes[31] |= 0xc0;
                let number = BigUint::from_bytes_le(&bytes);
                if is_prime(&number, &mut repeatable(6)).unwrap() {
                    return number;
                }
            }
        };
        let good = PrivateKey::generate("me", &mut repeatable(3)).unwrap();
        let q = good.primes[1].clone();
        let bad = std::iter::repeat_with(|| small() * small()).find_map(|p| {
            let secret = BigUint::from(EXPONENT).modinv(&(less_one(&p) * less_one(&q)))?;
            let modulus = &p * &q;
            (modulus.bits() == 1024).then(|| PrivateKey {
                modulus,
                primes: [p, q.clone()],
                secret,
                ..good_copy(&good)
            })
        });
        let bad = PrivateKey::of(&bad.unwrap().key().unwrap()).unwrap();
        let mut file = vec![0; 22];
        file.extend(<sha1::Sha1 as sha1::Digest>::digest(&file[..21]));
        let pbo = Pbo::read(&file.into()).unwrap();
        assert!(good.sign(&pbo, 3).is_ok());
        let error = bad.sign(&pbo, 3).unwrap_err().to_string();
        assert!(
            error.contains("not a usable private key") && error.contains("a prime is a product"),
            "{error}"
        );
    }

    fn good_copy(key: &PrivateKey) -> PrivateKey {
        PrivateKey::of(&key.key().unwrap()).unwrap()
    }

    #[test]
    fn a_key_whose_exponent_protects_nothing_is_refused() {
        let good = PrivateKey::generate("me", &mut repeatable(3))
            .unwrap()
            .key()
            .unwrap();
        for exponent in [0, 1, 2, 65536] {
            let error = PrivateKey::of(&Key {
                exponent,
                ..good.clone()
            })
            .err()
            .unwrap()
            .to_string();
            assert!(
                error.contains(&format!("its public exponent is {exponent}")),
                "{error}"
            );
        }
    }

    #[test]
    fn primes_are_recognised() {
        let test = |text: &str| {
            is_prime(
                &BigUint::parse_bytes(text.as_bytes(), 10).unwrap(),
                &mut repeatable(4),
            )
            .unwrap()
        };
        // 2^521 - 1, 2^127 - 1; then a product of two primes, and a strong pseudoprime to the bases
        // 2 to 37.
        let mersenne = ((BigUint::from(1u32) << 521usize) - 1u32).to_string();
        assert!(test(&mersenne) && test("170141183460469231731687303715884105727"));
        assert!(!test(
            &(BigUint::from(2_147_483_647u64) * 2_147_483_629u64).to_string()
        ));
        assert!(!test("318665857834031151167461"));
        let mut stuck = |bytes: &mut [u8]| {
            bytes.fill(0);
            Ok(())
        };
        assert!(
            PrivateKey::generate("me", &mut stuck).is_err(),
            "random numbers that are not random"
        );
    }
}
