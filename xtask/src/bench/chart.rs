//! Pictures: panels side by side, lines that grow to the right, a logarithmic scale upwards. What
//! lines mean is said right of the data, where it covers nothing.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

/// Width and height of a panel.
const PANEL: (u32, u32) = (480, 400);
/// Width of a list of what lines mean, and the place of its first entry.
const LEGEND: u32 = 190;
const FIRST_ENTRY: (i32, i32) = (14, 42);
const ENTRY_HEIGHT: i32 = 20;
const FONT: &str = "sans-serif";
/// Room for the labels of the vertical axis.
const LEFT: u32 = 62;
const POINT: u32 = 5;

/// How a tool is drawn. Colours that are told apart by everybody (Okabe and Ito), and shapes for
/// print.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    pub(crate) label: &'static str,
    pub(crate) colour: RGBColor,
    pub(crate) shape: Shape,
}

/// The mark of a point.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Disc,
    Triangle,
    Cross,
    Ring,
}

pub(crate) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(crate) const ORANGE: RGBColor = RGBColor(213, 94, 0);
pub(crate) const GREEN: RGBColor = RGBColor(0, 130, 95);
pub(crate) const GREY: RGBColor = RGBColor(110, 110, 110);
pub(crate) const PURPLE: RGBColor = RGBColor(170, 80, 140);

/// A point of a line: the position to the right, and the figure.
pub(crate) type Point = (f64, f64);

/// One line.
pub(crate) struct Line {
    pub(crate) style: Style,
    pub(crate) points: Vec<Point>,
}

/// One coordinate system.
pub(crate) struct Panel {
    pub(crate) title: &'static str,
    /// What the horizontal axis is.
    pub(crate) across: &'static str,
    /// Its first and last label: whole numbers, each a step apart.
    pub(crate) steps: (usize, usize),
    /// The label of a step.
    pub(crate) step_label: fn(f64) -> String,
    /// The label of a figure.
    pub(crate) label: fn(f64) -> String,
    pub(crate) lines: Vec<Line>,
}

/// Draws panels next to each other into a file.
pub(crate) fn write(file: &Path, title: &str, panels: &[Panel]) -> Result<(), String> {
    let fail = |error: &dyn Error| format!("{}: {error}", file.display());
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir).map_err(|error| fail(&error))?;
    }
    let picture = draw(title, panels).map_err(|error| fail(&*error))?;
    std::fs::write(file, picture).map_err(|error| fail(&error))
}

/// The picture, as SVG.
pub(crate) fn draw(title: &str, panels: &[Panel]) -> Result<String, Box<dyn Error>> {
    let mut picture = String::new();
    let labels = |panel: &Panel| -> Vec<&str> { panel.lines.iter().map(|line| line.style.label).collect() };
    // Neighbours with the same lines share a legend.
    let has_legend = |index: usize| panels.get(index + 1).is_none_or(|next| labels(next) != labels(&panels[index]));
    let width = (0..panels.len()).map(|index| PANEL.0 + if has_legend(index) { LEGEND } else { 0 }).sum();
    {
        let root = SVGBackend::with_string(&mut picture, (width, PANEL.1)).into_drawing_area();
        root.fill(&WHITE)?;
        let mut rest = root.titled(title, (FONT, 17))?;
        for (index, panel) in panels.iter().enumerate() {
            let (area, right) = rest.split_horizontally(PANEL.0);
            draw_panel(&area, panel)?;
            rest = right;
            if has_legend(index) {
                let (area, right) = rest.split_horizontally(LEGEND);
                draw_legend(&area, panel)?;
                rest = right;
            }
        }
        root.present()?;
    }
    Ok(picture)
}

fn draw_legend(area: &DrawingArea<SVGBackend<'_>, Shift>, panel: &Panel) -> Result<(), Box<dyn Error>> {
    let (x, mut y) = FIRST_ENTRY;
    for Style { label, colour, shape } in panel.lines.iter().map(|line| line.style) {
        let text = Text::new(label, (30, -6), (FONT, 13));
        area.draw(&(EmptyElement::at((x, y)) + stroke(colour) + mark(shape, colour, (10, 0)) + text))?;
        y += ENTRY_HEIGHT;
    }
    Ok(())
}

fn draw_panel(area: &DrawingArea<SVGBackend<'_>, Shift>, panel: &Panel) -> Result<(), Box<dyn Error>> {
    let (low, high) = bounds(panel.lines.iter().flat_map(|line| &line.points).map(|(_, figure)| *figure));
    let (first, last) = panel.steps;
    let mut chart = ChartBuilder::on(area)
        .caption(panel.title, (FONT, 15))
        .margin(8)
        .x_label_area_size(36)
        .y_label_area_size(LEFT)
        // A little more than whole powers of ten, so that both ends get their labels.
        .build_cartesian_2d(first as f64 - 0.3..last as f64 + 0.3, (low * 0.95..high * 1.05).log_scale())?;
    chart
        .configure_mesh()
        .x_desc(panel.across)
        .x_labels(last - first + 1)
        .x_label_formatter(&|step| (panel.step_label)(*step))
        .y_label_formatter(&|figure| (panel.label)(*figure))
        .label_style((FONT, 13))
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225))
        .axis_style(RGBColor(90, 90, 90))
        .draw()?;
    for Line { style: Style { colour, shape, .. }, points } in &panel.lines {
        let (colour, shape) = (*colour, *shape);
        chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?;
        chart.draw_series(points.iter().map(|at| EmptyElement::at(*at) + mark(shape, colour, (0, 0))))?;
    }
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
        Shape::Ring => Circle::new(at, POINT, colour.stroke_width(2)).into_dyn(),
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
pub(crate) fn seconds(time: f64) -> String {
    if time < 0.999e-3 {
        format!("{:.0} µs", time * 1e6)
    } else if time < 0.999 {
        format!("{:.0} ms", time * 1e3)
    } else {
        format!("{time:.0} s")
    }
}

/// `100`, `10 k`, `1 M`.
pub(crate) fn count(number: f64) -> String {
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
}
