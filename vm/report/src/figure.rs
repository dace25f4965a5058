//! Figures: a curve of an experiment as SVG, ours and the report's.

use crate::experiment::{Outcome, Picture};
use crate::run::Row;
use std::fmt::Write;

/// The picture and the place of the axes in it, in pixels.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 64.0;

/// About so many marks are on an axis.
const MARKS: f64 = 6.0;

/// Colours that are told apart without colour, too: lines differ in their dashes, points in their shape.
const OURS: &str = "#0b5394";
const REPORT: &str = "#b45309";

/// The file of a figure.
pub fn file(experiment: &str, n: usize) -> String {
    format!("{experiment}-{}.svg", n + 1)
}

/// An axis: what it begins and ends with, and how far its marks are apart.
struct Axis {
    least: f64,
    most: f64,
    step: f64,
}

impl Axis {
    /// An axis that has all these values, and 0 if that is not far.
    fn of(values: impl Iterator<Item = f64> + Clone) -> Axis {
        let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        let least = if least > 0.0 && least < most * 0.7 { 0.0 } else { least };
        let width = if most > least { most - least } else { most.abs().max(1.0) };
        let raw = width / MARKS;
        let power = 10f64.powf(raw.log10().floor());
        let step = power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|n| n * power >= raw).unwrap_or(10.0);
        Axis { least: (least / step).floor() * step, most: (most / step).ceil().max(least / step + 1.0) * step, step }
    }

    fn marks(&self) -> impl Iterator<Item = f64> + '_ {
        let count = ((self.most - self.least) / self.step).round() as usize;
        (0..=count).map(|n| self.least + n as f64 * self.step)
    }

    /// How far a value lies on it, 0 to 1.
    fn part(&self, value: f64) -> f64 {
        (value - self.least) / (self.most - self.least)
    }

    /// A mark as text: as many digits as the steps have.
    fn text(&self, mark: f64) -> String {
        let digits = (-self.step.log10().floor()).max(0.0) as usize;
        format!("{mark:.digits$}")
    }
}

/// Text that stands in XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The rows of a curve, from left to right.
pub fn rows<'a>(picture: &Picture, outcome: &'a Outcome) -> Vec<(f64, &'a Row)> {
    let at = |row: &'a Row| Some((row.point.as_ref().filter(|point| point.curve == picture.curve)?.at, row));
    let mut rows: Vec<(f64, &Row)> = outcome.rows.iter().filter_map(at).collect();
    rows.sort_by(|one, other| one.0.total_cmp(&other.0));
    rows
}

/// The figure; nothing if the run is not valid, or there are not two points.
pub fn svg(title: &str, picture: &Picture, outcome: &Outcome) -> Option<String> {
    let rows = rows(picture, outcome);
    if !outcome.is_valid() || rows.len() < 2 {
        return None;
    }
    let ours: Vec<(f64, f64)> = rows.iter().map(|(at, row)| (*at, row.median())).collect();
    let report: Vec<(f64, f64)> = rows.iter().filter_map(|(at, row)| Some((*at, row.seed?))).collect();
    let ranges = rows.iter().flat_map(|(_, row)| [row.range().0, row.range().1]);
    let across = Axis::of(ours.iter().map(|point| point.0));
    let up = Axis::of(ours.iter().chain(&report).map(|point| point.1).chain(ranges));
    let x = |value: f64| LEFT + across.part(value) * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - up.part(value) * (HEIGHT - TOP - BOTTOM);
    let mut text = String::new();
    let mut add = |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").expect("a string has room");
    add(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\" role=\"img\">"
    ));
    let title = escaped(title);
    add(format_args!("<title>{title}</title>"));
    add(format_args!("<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>"));
    add(format_args!("<text x=\"{LEFT}\" y=\"20\" font-size=\"15\">{title}</text>"));
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for mark in up.marks() {
        let (y, label) = (y(mark), up.text(mark));
        add(format_args!("<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#dddddd\"/>"));
        add(format_args!("<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>", LEFT - 8.0, y + 4.5));
    }
    for mark in across.marks() {
        let (x, label) = (x(mark), across.text(mark));
        add(format_args!("<path d=\"M{x:.1} {bottom}v6\" stroke=\"#333333\"/>"));
        add(format_args!("<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>", bottom + 20.0));
    }
    add(format_args!("<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"#333333\"/>"));
    let (middle, centre) = ((LEFT + right) / 2.0, (TOP + bottom) / 2.0);
    let [label_across, label_up] = [picture.across, picture.up].map(escaped);
    add(format_args!("<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{label_across}</text>", HEIGHT - 18.0));
    add(format_args!(
        "<text transform=\"translate(20 {centre}) rotate(-90)\" text-anchor=\"middle\">{label_up}</text>"
    ));
    for (at, row) in &rows {
        let (least, most) = row.range();
        add(format_args!("<path d=\"M{:.1} {:.1}V{:.1}\" stroke=\"{OURS}\"/>", x(*at), y(least), y(most)));
    }
    let line = |points: &[(f64, f64)]| {
        points.iter().map(|point| format!("{:.1},{:.1}", x(point.0), y(point.1))).collect::<Vec<_>>().join(" ")
    };
    add(format_args!("<polyline points=\"{}\" fill=\"none\" stroke=\"{OURS}\" stroke-width=\"2\"/>", line(&ours)));
    for point in &ours {
        add(format_args!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{OURS}\"/>", x(point.0), y(point.1)));
    }
    add(format_args!("<circle cx=\"{}\" cy=\"35\" r=\"4\" fill=\"{OURS}\"/>", LEFT + 6.0));
    add(format_args!("<text x=\"{}\" y=\"39.5\">here: median and range of the runs</text>", LEFT + 16.0));
    if !report.is_empty() {
        add(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{REPORT}\" stroke-width=\"2\" stroke-dasharray=\"6 4\"/>",
            line(&report)
        ));
        let square = |x: f64, y: f64| {
            format!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\" fill=\"{REPORT}\"/>", x - 4.0, y - 4.0)
        };
        for point in &report {
            add(format_args!("{}", square(x(point.0), y(point.1))));
        }
        add(format_args!("{}", square(LEFT + 266.0, 35.0)));
        add(format_args!("<text x=\"{}\" y=\"39.5\">the report</text>", LEFT + 276.0));
    }
    add(format_args!("</svg>"));
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Point, Scale};

    #[test]
    fn a_figure_has_labelled_axes_and_only_of_a_valid_run() {
        let picture = Picture { curve: "c", across: "users", up: "response, s" };
        let row = |at: f64, value: f64| Row {
            name: format!("at {at}"),
            unit: "s".into(),
            seed: Some(0.5),
            runs: vec![value],
            point: Some(Point { curve: "c".into(), at }),
        };
        let mut outcome = Outcome {
            name: "e".into(),
            scale: Scale { seconds: 1.0, users: 1, runs: 1 },
            rows: vec![row(200.0, 0.9), row(100.0, 0.4)],
            commands: 1000,
            failed: Vec::new(),
            seconds: 1.0,
        };
        let text = svg("A <title>", &picture, &outcome).expect("two points");
        for wanted in [">users<", ">response, s<", "A &lt;title&gt;", ">the report<", "</svg>"] {
            assert!(text.contains(wanted), "{wanted} in {text}");
        }
        // The first point stands left.
        let points: Vec<f64> = rows(&picture, &outcome).iter().map(|row| row.0).collect();
        assert_eq!(points, [100.0, 200.0]);
        outcome.failed = vec!["x".into(); 2];
        assert!(svg("t", &picture, &outcome).is_none());
    }

    #[test]
    fn marks_are_round_and_hold_all_values() {
        for values in [[0.57, 1.05], [10.0, 1000.0], [3.0, 3.0], [0.0, 0.0]] {
            let axis = Axis::of(values.into_iter());
            assert!(axis.least <= values[0] && axis.most >= values[1] && axis.most > axis.least, "{values:?}");
            assert!((2..=12).contains(&axis.marks().count()), "{values:?}: {}", axis.marks().count());
        }
    }
}
