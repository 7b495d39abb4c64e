//! How cost grows with threads, with locations, and with the length of a run.

use std::path::Path;

use super::super::chart::{self, BLUE, GREEN, GREY, Line, ORANGE, Panel, Shape, Style};
use super::raw::{Raw, Run};
use super::suite::{ACCESSES, LOCATIONS, THREADS};
use crate::compilers::Build;

const STYLES: [(Build, Style); 4] = [
    (Build::Native, Style { label: "native", colour: GREY, shape: Shape::Cross }),
    (Build::Tsan, Style { label: "TSan", colour: ORANGE, shape: Shape::Triangle }),
    (Build::Full, Style { label: "fencepost", colour: BLUE, shape: Shape::Disc }),
    (Build::AtomicsOnly, Style { label: "fencepost, atomics only", colour: GREEN, shape: Shape::Ring }),
];

/// A series of runs: a step of the horizontal axis, and the arguments there.
type Steps = Vec<(usize, Vec<u64>)>;

/// A picture: what is run at each step, and what the steps are.
struct Picture {
    file: &'static str,
    title: &'static str,
    program: &'static str,
    steps: Steps,
    across: &'static str,
    step_label: fn(f64) -> String,
}

fn pictures() -> [Picture; 3] {
    [
        Picture {
            file: "sanitizer-threads.svg",
            title: "Three million accesses to a thousand atomic locations",
            program: "scaling",
            steps: (1..=6).map(|step| (step, vec![1 << step, ACCESSES, LOCATIONS])).collect(),
            across: "threads",
            step_label: power_of_two,
        },
        Picture {
            file: "sanitizer-locations.svg",
            title: "Three million atomic accesses by four threads",
            program: "scaling",
            steps: (1..=6).map(|step| (step, vec![THREADS, ACCESSES, 10_u64.pow(step as u32)])).collect(),
            across: "atomic locations",
            step_label: power_of_ten,
        },
        Picture {
            file: "sanitizer-writes.svg",
            title: "Message passing with other writes in between",
            program: "passing",
            steps: (3..=7).map(|step| (step, vec![2, 10_u64.pow(step as u32)])).collect(),
            across: "other writes",
            step_label: power_of_ten,
        },
    ]
}

/// Draws what was measured.
pub(crate) fn draw_all(raw: &Raw, dir: &Path) -> Result<(), String> {
    for picture in pictures() {
        let panels = picture.panels(raw);
        if panels[0].lines.iter().any(|line| line.points.len() > 1) {
            chart::write(&dir.join(picture.file), picture.title, &panels)?;
        }
    }
    Ok(())
}

impl Picture {
    fn panels(&self, raw: &Raw) -> [Panel; 2] {
        let panel = |title, figure: fn(&Run) -> f64, label| Panel {
            title,
            across: self.across,
            steps: (self.steps[0].0, self.steps[self.steps.len() - 1].0),
            step_label: self.step_label,
            label,
            lines: self.lines(raw, figure),
        };
        [panel("time", |run| run.wall, chart::seconds), panel("memory", |run| run.bytes as f64, megabytes)]
    }

    fn lines(&self, raw: &Raw, figure: fn(&Run) -> f64) -> Vec<Line> {
        let line = |(build, style): (Build, Style)| {
            let run = |(step, arguments): &(usize, Vec<u64>)| {
                let run = raw.row(self.program, arguments)?.run(build)?;
                Some((*step as f64, figure(run)))
            };
            Line { style, points: self.steps.iter().filter_map(run).collect() }
        };
        STYLES.map(line).into_iter().collect()
    }
}

fn power_of_two(step: f64) -> String {
    chart::count(2_f64.powf(step))
}

fn power_of_ten(step: f64) -> String {
    chart::count(10_f64.powf(step))
}

fn megabytes(bytes: f64) -> String {
    let megabytes = bytes / 1e6;
    if megabytes < 0.9 { format!("{megabytes:.1} MB") } else { format!("{megabytes:.0} MB") }
}

#[cfg(test)]
mod tests {
    use super::super::suite::PROGRAMS;
    use super::*;

    #[test]
    fn axes_have_units() {
        assert_eq!([1.0, 6.0].map(power_of_two), ["2", "64"]);
        assert_eq!([1.0, 6.0].map(power_of_ten), ["10", "1 M"]);
        assert_eq!(megabytes(1e7), "10 MB");
        assert_eq!(megabytes(1e5), "0.1 MB");
    }

    /// Every point of a plot is measured by somebody.
    #[test]
    fn steps_are_in_the_suite() {
        for picture in pictures() {
            let program = PROGRAMS.iter().find(|program| program.name == picture.program).expect("listed");
            for (_, arguments) in picture.steps {
                assert!(program.arguments.contains(&&arguments[..]), "{}: {arguments:?}", picture.file);
            }
        }
    }
}
