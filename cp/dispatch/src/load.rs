//! How busy the processors are, smoothed over about a minute, as INDICATE LOAD shows it.

use base::Tod;

/// The time over which utilisation is smoothed, in microseconds.
const SMOOTHING: f64 = 20_000_000.0;
/// How often a sample is taken at most, in microseconds.
const INTERVAL: u64 = 1_000_000;

/// What INDICATE LOAD shows of the dispatcher.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Load {
    /// How many are on the limit list.
    pub limited: usize,
    /// AVGPROC: the average utilisation of the processors, in percent.
    pub average: u32,
    /// PROC nnnn: the utilisation of each, in percent.
    pub processors: Vec<u32>,
    /// Q0 to Q3: how many virtual CPUs are in the dispatch list, by class.
    pub in_queue: [usize; 4],
    /// E0 to E3: how many wait in the eligible list, by class; E0 is always 0.
    pub eligible: [usize; 4],
    /// DORMANT.
    pub dormant: usize,
    /// EXPAN of classes 0 to 3: by what factor the wait in the eligible list has lengthened transactions, at least 1.
    pub expansion: [u32; 4],
}

/// One processor.
#[derive(Clone, Copy, Debug, Default)]
struct Meter {
    /// Microseconds it has run virtual CPUs.
    busy: u64,
    /// Since when it runs one.
    since: Option<Tod>,
    /// `busy` at the last sample.
    sampled: u64,
    /// Smoothed utilisation, 0 to 1.
    utilisation: f64,
}

/// The processors' utilisation.
#[derive(Clone, Debug)]
pub(crate) struct Meters {
    meters: Vec<Meter>,
    last: Option<Tod>,
    /// The next sample is the first: it is taken as it is.
    fresh: bool,
}

impl Meters {
    pub(crate) fn new(processors: usize) -> Meters {
        Meters { meters: vec![Meter::default(); processors], last: None, fresh: true }
    }

    pub(crate) fn begin(&mut self, processor: usize, at: Tod) {
        self.meters[processor].since = Some(at);
    }

    pub(crate) fn end(&mut self, processor: usize, at: Tod) {
        let meter = &mut self.meters[processor];
        if let Some(since) = meter.since.take() {
            meter.busy += at.micros_since(since);
        }
    }

    /// Takes a sample if one is due.
    pub(crate) fn sample(&mut self, at: Tod) {
        let last = *self.last.get_or_insert(at);
        let interval = at.micros_since(last);
        if interval < INTERVAL {
            return;
        }
        let keep = if self.fresh { 0.0 } else { (-(interval as f64) / SMOOTHING).exp() };
        for meter in &mut self.meters {
            if let Some(since) = &mut meter.since {
                meter.busy += at.micros_since(*since);
                *since = at.max(*since);
            }
            let now = ((meter.busy - meter.sampled) as f64 / interval as f64).min(1.0);
            meter.utilisation = meter.utilisation * keep + now * (1.0 - keep);
            meter.sampled = meter.busy;
        }
        (self.last, self.fresh) = (Some(at), false);
    }

    /// The utilisation of each processor and the average, in percent.
    pub(crate) fn percent(&self) -> (Vec<u32>, u32) {
        let each: Vec<u32> = self.meters.iter().map(|m| (m.utilisation * 100.0).round() as u32).collect();
        let sum: f64 = self.meters.iter().map(|m| m.utilisation).sum();
        (each, (sum * 100.0 / self.meters.len() as f64).round() as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utilisation_is_smoothed() {
        let at = |ms: u64| Tod(0).plus_micros(ms * 1000);
        let mut meters = Meters::new(2);
        meters.sample(at(0));
        meters.begin(0, at(0));
        meters.end(0, at(500));
        meters.sample(at(1000));
        assert_eq!(meters.percent(), (vec![50, 0], 25));
        meters.begin(1, at(1000));
        meters.sample(at(2000));
        let (each, _) = meters.percent();
        assert!(each[0] < 50 && each[1] > 0 && each[1] < 10, "{each:?}");
        meters.sample(at(400_000));
        assert_eq!(meters.percent(), (vec![0, 100], 50), "what runs counts before it returns");
    }
}
