//! Layouts in a text that programs read: their bytes in hexadecimal. To be named in `#[serde(with = "base::hex")]`.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Writes a layout as a string of two digits for each byte.
pub fn serialize<T: IntoBytes + Immutable, S: Serializer>(layout: &T, to: S) -> Result<S::Ok, S::Error> {
    let text: String = layout.as_bytes().iter().map(|byte| format!("{byte:02X}")).collect();
    to.serialize_str(&text)
}

/// Reads it again. An error if it is no hexadecimal number of as many bytes as the layout has.
pub fn deserialize<'de, T: FromBytes, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let text = String::deserialize(from)?;
    let pairs = text.as_bytes().as_chunks::<2>().0;
    let digits = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = pairs.iter().map(digits).collect();
    let whole = bytes.filter(|bytes| bytes.len() == size_of::<T>() && text.len() == 2 * bytes.len());
    whole
        .and_then(|bytes| T::read_from_bytes(&bytes).ok())
        .ok_or_else(|| D::Error::custom(format!("{text:?} is no layout of {} bytes", size_of::<T>())))
}
