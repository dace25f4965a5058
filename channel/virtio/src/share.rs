//! A folder of the host that the guest mounts by a tag (specification, chapter 5.15): messages of 9P.

use crate::requests::{About, Desk, Requests};
use arch::virtio::{kind, share_feature};
use base::layout::little;
use std::sync::Arc;
use zerocopy::IntoBytes;

/// The longest tag: Linux has room for a configuration of 256 bytes, of which two are the length.
pub const LONGEST_TAG: usize = 254;

/// Linux lays a reply's head apart from its data, in a buffer of its own.
const HEAD: usize = 8192;

/// The device of a folder that the guest finds by `tag`. Messages of at most `longest` bytes go to `desk`.
pub fn share(tag: &str, longest: usize, desk: Arc<Desk>) -> Requests {
    let tag = &tag.as_bytes()[..tag.len().min(LONGEST_TAG)];
    let config = [little::U16::new(tag.len() as u16).as_bytes(), tag].concat();
    let features = share_feature::MOUNT_TAG;
    let about = About { kind: kind::SHARE, queue: &[128], features, config, longest: longest + HEAD, stateless: false };
    Requests::new(about, desk)
}
