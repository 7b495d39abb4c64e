//! What a command prints in a terminal, as a picture.

use std::fmt::Write as _;

const WIDTH: f32 = 8.4;
const HEIGHT: f32 = 19.0;
const MARGIN: f32 = 16.0;

/// How the text at some place looks.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Style {
    bold: bool,
    /// The number of a colour, from 90 (bright black) to 97 (bright white).
    colour: Option<u32>,
}

impl Style {
    /// The style after a sequence like `1;91`.
    fn after(mut self, sequence: &str) -> Style {
        for number in sequence.split(';').map(|it| it.parse().unwrap_or(0)) {
            match number {
                0 => self = Style::default(),
                1 => self.bold = true,
                30..=37 => self.colour = Some(number + 60),
                90..=97 => self.colour = Some(number),
                39 => self.colour = None,
                _ => {}
            }
        }
        self
    }

    fn fill(self) -> &'static str {
        match self.colour {
            Some(90) => "#8b949e",
            Some(91) => "#ff7b72",
            Some(92) => "#7ee787",
            Some(93) => "#e3b341",
            Some(94) => "#79c0ff",
            Some(95) => "#d2a8ff",
            Some(96) => "#76e3ea",
            _ => "#e6edf3",
        }
    }
}

/// A picture of a terminal in which `command` has printed `printed`. It brings its own dark
/// background, so it can be read on light and on dark pages.
pub(crate) fn svg(command: &str, printed: &str) -> String {
    let screen = format!("\x1b[92m$\x1b[0m \x1b[1m{command}\x1b[0m\n{printed}");
    let lines: Vec<&str> = screen.trim_end().lines().collect();
    let columns =
        lines.iter().map(|line| spans(line, &mut Style::default()).iter().map(|it| it.1.chars().count()).sum());
    let columns: usize = columns.max().unwrap_or(0);
    let width = f32::from(u16::try_from(columns).unwrap_or(u16::MAX)) * WIDTH + 2.0 * MARGIN;
    let height = f32::from(u16::try_from(lines.len()).unwrap_or(u16::MAX)) * HEIGHT + 2.0 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 \
         {width:.0} {height:.0}\" role=\"img\" font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, \
         monospace\" font-size=\"14\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" \
         fill=\"#0d1117\"/>\n",
        escaped(&format!("A terminal after: {command}"))
    );
    let mut style = Style::default();
    let mut y = MARGIN + 14.0;
    for line in lines {
        let mut x = MARGIN;
        for (style, text) in spans(line, &mut style) {
            let cells = f32::from(u16::try_from(text.chars().count()).unwrap_or(u16::MAX));
            let weight = if style.bold { " font-weight=\"bold\"" } else { "" };
            // Spaces at the ends would be lost, and nothing is to be seen of them.
            let shown = text.trim_start();
            let indent = f32::from(u16::try_from(text.chars().count() - shown.chars().count()).unwrap_or(u16::MAX));
            if !shown.is_empty() {
                let _ = writeln!(
                    out,
                    "<text x=\"{:.1}\" y=\"{y:.1}\" textLength=\"{:.1}\" fill=\"{}\"{weight} \
                     xml:space=\"preserve\">{}</text>",
                    x + indent * WIDTH,
                    (cells - indent) * WIDTH,
                    style.fill(),
                    escaped(shown)
                );
            }
            x += cells * WIDTH;
        }
        y += HEIGHT;
    }
    out + "</svg>\n"
}

/// The parts of a line, each in one style; `style` is that at its beginning, and then at its end.
fn spans<'a>(line: &'a str, style: &mut Style) -> Vec<(Style, &'a str)> {
    let mut found = Vec::new();
    for (number, part) in line.split("\x1b[").enumerate() {
        let text = match part.split_once('m') {
            Some((sequence, text)) if number > 0 => {
                *style = style.after(sequence);
                text
            }
            _ => part,
        };
        if !text.is_empty() {
            found.push((*style, text));
        }
    }
    found
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
