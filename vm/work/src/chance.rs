//! What chance decides: the next script, and how long a user thinks. The same seed gives the same for each user,
//! however long answers take.

use crate::load::{Hump, Script, Think};
use fastrand::Rng;

/// The chance of one user.
#[derive(Clone, Debug)]
pub struct Chance(Rng);

impl Chance {
    /// That of a user, counted from 1, in a run with this seed.
    pub fn of(seed: u64, user: usize) -> Chance {
        // A row's seeds that lie beside each other give rows that have nothing in common.
        Chance(Rng::with_seed(seed ^ (user as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// Up to so many seconds.
    pub fn within(&mut self, seconds: f64) -> f64 {
        self.0.f64() * seconds
    }

    /// A think time, in seconds.
    pub fn think(&mut self, think: &Think) -> f64 {
        match think {
            Think::Fixed { seconds } => *seconds,
            Think::Exponential { mean } => -mean * (1.0 - self.0.f64()).ln(),
            Think::Bactrian { humps } => {
                let hump = self.among(humps, |hump| hump.part);
                self.log_normal(&humps[hump])
            }
        }
    }

    /// The next script, by the weights.
    pub fn script(&mut self, scripts: &[&Script]) -> usize {
        self.among(scripts, |script| script.weight)
    }

    /// Which of these, of which there is at least one, by its weight.
    fn among<T>(&mut self, all: &[T], weight: impl Fn(&T) -> f64) -> usize {
        let mut left = self.0.f64() * all.iter().map(&weight).sum::<f64>();
        let found = all.iter().position(|one| {
            left -= weight(one);
            left < 0.0
        });
        found.unwrap_or(all.len() - 1)
    }

    /// A log-normal number; the normal one by Box and Muller.
    fn log_normal(&mut self, hump: &Hump) -> f64 {
        let (one, other) = (1.0 - self.0.f64(), self.0.f64());
        let normal = (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos();
        (hump.mean.ln() - hump.sigma * hump.sigma / 2.0 + hump.sigma * normal).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(think: &Think) -> f64 {
        let mut chance = Chance::of(1, 1);
        (0..100_000).map(|_| chance.think(think)).sum::<f64>() / 100_000.0
    }

    #[test]
    fn think_times_have_their_means() {
        assert_eq!(mean(&Think::Fixed { seconds: 2.0 }), 2.0);
        let exponential = mean(&Think::Exponential { mean: 10.0 });
        assert!((9.8..10.2).contains(&exponential), "{exponential}");
        let humps = vec![Hump { part: 94.0, mean: 14.0, sigma: 0.7 }, Hump { part: 6.0, mean: 285.0, sigma: 0.8 }];
        let bactrian = mean(&Think::Bactrian { humps });
        assert!((29.0..31.5).contains(&bactrian), "{bactrian}");
    }

    #[test]
    fn scripts_come_as_often_as_they_weigh_and_users_differ() {
        let script = |name: &str, weight| Script { name: name.into(), weight, cannot: None, steps: Vec::new() };
        let (one, two) = (script("A", 5.0), script("B", 15.0));
        let scripts = [&one, &two];
        let mut chance = Chance::of(7, 3);
        let often = (0..10_000).filter(|_| chance.script(&scripts) == 1).count();
        assert!((7300..7700).contains(&often), "{often}");
        let row = |user| {
            let mut chance = Chance::of(7, user);
            (0..20).map(|_| chance.within(1.0)).collect::<Vec<f64>>()
        };
        assert_eq!(row(1), row(1));
        assert_ne!(row(1), row(2));
    }
}
