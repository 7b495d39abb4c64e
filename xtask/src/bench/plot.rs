//! How cost grows with size: one picture per family and model, time on the
//! left, states on the right, both on a logarithmic scale.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::LARGEST;
use super::families::{FAMILIES, Family, SMALLEST};
use super::raw::{Key, Raw, Row, Run, decided};

const SIZE: (u32, u32) = (960, 400);
const FONT: &str = "sans-serif";
/// Room for the labels of the vertical axis.
const LEFT: u32 = 62;
const POINT: u32 = 5;

/// A tool as it is drawn. Colours that are told apart by everybody (Okabe and Ito), and shapes for print.
struct Line {
    label: &'static str,
    colour: RGBColor,
    shape: Shape,
    run: fn(&Row) -> Option<&Run>,
}

#[derive(Clone, Copy)]
enum Shape {
    Disc,
    Triangle,
    Cross,
}

const LINES: &[Line] = &[
    Line { label: "fencepost", colour: RGBColor(0, 114, 178), shape: Shape::Disc, run: |row| row.fencepost.as_ref() },
    Line {
        label: "SPIN, same question",
        colour: RGBColor(213, 94, 0),
        shape: Shape::Triangle,
        run: |row| row.spin.as_ref(),
    },
    Line { label: "SPIN, SC only", colour: RGBColor(0, 130, 95), shape: Shape::Cross, run: |row| row.spin_sc.as_ref() },
];

/// What is drawn upwards.
struct Panel {
    title: &'static str,
    figure: fn(&Run) -> f64,
    label: fn(f64) -> String,
}

const TIME: Panel = Panel { title: "time, end to end", figure: |run| run.total, label: seconds };
const STATES: Panel = Panel { title: "stored states", figure: |run| run.states as f64, label: count };

/// A point of a line: the size, and the figure.
type Point = (f64, f64);

/// Draws every family that was measured.
pub(crate) fn draw_all(raw: &Raw, dir: &Path) -> Result<(), String> {
    std::fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    for family in FAMILIES {
        for model in family.models {
            let rows = members(raw, family, model);
            if rows.len() > 1 {
                let file = dir.join(format!("{}-{model}.svg", family.name));
                let picture = draw(family, model, &rows).map_err(|error| format!("{}: {error}", file.display()))?;
                std::fs::write(&file, picture).map_err(|error| format!("{}: {error}", file.display()))?;
            }
        }
    }
    Ok(())
}

/// The members that were measured, by size.
fn members<'a>(raw: &'a Raw, family: &Family, model: &str) -> Vec<(usize, &'a Row)> {
    let key = |n| Key { program: family.member(n), model: model.to_string(), observational: false };
    (SMALLEST..=LARGEST).filter_map(|n| Some((n, raw.row(&key(n))?))).collect()
}

/// The picture of one family, as SVG.
fn draw(family: &Family, model: &str, rows: &[(usize, &Row)]) -> Result<String, Box<dyn Error>> {
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let title = format!("{} against {model}: {}", family.name, family.title.trim_end_matches('.'));
        let panels = root.titled(&title, (FONT, 17))?.split_evenly((1, 2));
        draw_panel(&panels[0], &TIME, rows)?;
        draw_panel(&panels[1], &STATES, rows)?;
        root.present()?;
    }
    Ok(picture)
}

fn draw_panel(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    panel: &Panel,
    rows: &[(usize, &Row)],
) -> Result<(), Box<dyn Error>> {
    let points = |line: &Line| -> Vec<Point> {
        let runs = rows.iter().filter_map(|(n, row)| Some((*n, decided((line.run)(row))?)));
        runs.map(|(n, run)| (n as f64, (panel.figure)(run))).collect()
    };
    let (low, high) = bounds(LINES.iter().flat_map(points).map(|(_, figure)| figure));
    let last = rows.last().map_or(SMALLEST, |(n, _)| *n);
    let mut chart = ChartBuilder::on(area)
        .caption(panel.title, (FONT, 15))
        .margin(8)
        .x_label_area_size(36)
        .y_label_area_size(LEFT)
        // A little more than whole powers of ten, so that both ends get their labels.
        .build_cartesian_2d(SMALLEST as f64 - 0.3..last as f64 + 0.3, (low * 0.95..high * 1.05).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("N")
        .x_labels(last - SMALLEST + 1)
        .x_label_formatter(&|n| format!("{n:.0}"))
        .y_label_formatter(&|figure| (panel.label)(*figure))
        .label_style((FONT, 13))
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225))
        .axis_style(RGBColor(90, 90, 90))
        .draw()?;
    for line in LINES {
        let colour = line.colour;
        let shape = line.shape;
        chart
            .draw_series(LineSeries::new(points(line), colour.stroke_width(2)))?
            .label(line.label)
            .legend(move |(x, y)| EmptyElement::at((x, y)) + stroke(colour) + mark(shape, colour, (10, 0)));
        chart.draw_series(points(line).into_iter().map(|at| EmptyElement::at(at) + mark(shape, colour, (0, 0))))?;
    }
    chart
        .configure_series_labels()
        // Everything grows, so there is room below.
        .position(SeriesLabelPosition::LowerRight)
        .label_font((FONT, 13))
        .background_style(WHITE.mix(0.85))
        .border_style(RGBColor(200, 200, 200))
        .draw()?;
    Ok(())
}

/// The piece of line in front of a label.
fn stroke(colour: RGBColor) -> PathElement<(i32, i32)> {
    PathElement::new(vec![(0, 0), (20, 0)], colour.stroke_width(2))
}

/// The mark of a point, in pixels from where it is drawn.
fn mark<DB: DrawingBackend>(shape: Shape, colour: RGBColor, at: (i32, i32)) -> DynElement<'static, DB, (i32, i32)> {
    match shape {
        Shape::Disc => Circle::new(at, POINT, colour.filled()).into_dyn(),
        Shape::Triangle => TriangleMarker::new(at, POINT + 1, colour.filled()).into_dyn(),
        Shape::Cross => Cross::new(at, POINT - 1, colour.stroke_width(2)).into_dyn(),
    }
}

/// Whole powers of ten around the figures.
fn bounds(figures: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = figures
        .filter(|figure| *figure > 0.0)
        .fold((f64::INFINITY, 0.0_f64), |(low, high), figure| (low.min(figure), high.max(figure)));
    if high == 0.0 {
        return (1.0, 10.0);
    }
    let low = 10_f64.powf(low.log10().floor());
    (low, 10_f64.powf(high.log10().ceil()).max(low * 10.0))
}

/// `1 ms`, `10 ms`, `1 s`.
fn seconds(time: f64) -> String {
    if time < 0.999e-3 {
        format!("{:.0} µs", time * 1e6)
    } else if time < 0.999 {
        format!("{:.0} ms", time * 1e3)
    } else {
        format!("{time:.0} s")
    }
}

/// `100`, `10 k`, `1 M`.
fn count(number: f64) -> String {
    if number < 1e3 {
        format!("{number:.0}")
    } else if number < 1e6 {
        format!("{:.0} k", number / 1e3)
    } else {
        format!("{:.0} M", number / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::super::raw::{Decision, Row};
    use super::*;

    #[test]
    fn axes_end_at_powers_of_ten() {
        assert_eq!(bounds([2.0, 300.0].into_iter()), (1.0, 1000.0));
        assert_eq!(bounds([5.0, 6.0].into_iter()), (1.0, 10.0));
        assert_eq!(bounds([0.0].into_iter()), (1.0, 10.0));
    }

    #[test]
    fn axes_have_units() {
        assert_eq!([1e-4, 1e-2, 1.0, 100.0].map(seconds), ["100 µs", "10 ms", "1 s", "100 s"]);
        assert_eq!([1.0, 1e3, 1e5, 1e6].map(count), ["1", "1 k", "100 k", "1 M"]);
    }

    /// Undecided runs are not drawn, and nothing depends on all tools being there.
    #[test]
    fn a_picture_names_the_tools() {
        let run =
            |decision, states| Run { decision, total: 0.5, search: 0.5, states, ..Run::impossible(String::new()) };
        let row = |n| Row {
            key: Key { program: FAMILIES[0].member(n), model: "ra".into(), observational: false },
            fencepost: Some(run(Decision::Holds, 10_u64.pow(n as u32))),
            two_jobs: None,
            spin: Some(run(Decision::Undecided("time".into()), 7)),
            spin_sc: None,
        };
        let (two, three) = (row(2), row(3));
        let picture = draw(&FAMILIES[0], "ra", &[(2, &two), (3, &three)]).expect("a picture");
        assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
        for line in LINES {
            assert!(picture.contains(line.label));
        }
        // Two points in each panel, and one mark in each legend.
        assert_eq!(picture.matches("<circle").count(), 2 * (2 + 1));
    }
}
