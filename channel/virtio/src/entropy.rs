//! A source of random numbers (specification, chapter 5.4).

use crate::ring::{Broken, Chain};
use crate::transport::{Cause, Model, Queues};
use arch::virtio::kind;
use css::Unkept;
use serde_json::Value;

/// The most bytes that one request gets.
const MOST: u64 = 4096;
/// Requests that are answered at once.
const BATCH: u16 = 64;

/// Fills bytes with random ones.
type Source = Box<dyn FnMut(&mut [u8]) + Send>;

/// The model of a source of random numbers.
pub struct Entropy {
    source: Source,
    chain: Chain,
}

impl Entropy {
    /// Its bytes come from `source`.
    pub fn new(source: impl FnMut(&mut [u8]) + Send + 'static) -> Entropy {
        Entropy { source: Box::new(source), chain: Chain::default() }
    }
}

impl Model for Entropy {
    fn kind(&self) -> u8 {
        kind::RNG
    }

    fn queues(&self) -> &'static [u16] {
        &[64]
    }

    fn checkpoint(&self) -> Result<Value, Unkept> {
        Ok(Value::Null)
    }

    fn serve(&mut self, _: Cause, queues: &mut Queues<'_>) -> Result<(), Broken> {
        let (storage, mut bytes) = (queues.storage, [0; MOST as usize]);
        for _ in 0..BATCH {
            if !queues.queue(0).take(storage, &mut self.chain)? {
                return queues.publish(0);
            }
            let wanted = &mut bytes[..self.chain.writable().min(MOST) as usize];
            (self.source)(wanted);
            let length = self.chain.write(storage, 0, wanted)?;
            queues.queue(0).put(storage, &self.chain, length as u32)?;
        }
        queues.again();
        queues.publish(0)
    }
}
