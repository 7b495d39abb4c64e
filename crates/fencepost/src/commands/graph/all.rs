//! `fencepost graph --all`: a picture of every execution.

use std::io;
use std::path::{Path, PathBuf};

use fencepost_check::{Listing, Question};
use fencepost_finding::Relation;
use fencepost_model::Model;
use fencepost_report::diagram;
use fencepost_report::graph::Drawing;

use super::{extra, picture};
use crate::args::{GraphArgs, GraphFormat};
use crate::exit::Exit;
use crate::limits::{Limits, VERIFY_TIMEOUT};
use crate::load::{Desk, File};
use crate::options;
use crate::progress::Line;

pub(super) fn run(
    args: &GraphArgs,
    file: &File,
    format: GraphFormat,
    models: &[&'static dyn Model],
    desk: &mut Desk<'_>,
) -> io::Result<Exit> {
    let model = match models {
        [model] => *model,
        // If nobody says which, the one that tells orders apart.
        [.., model] if args.model.is_empty() => *model,
        _ => return Ok(desk.error("--all draws the executions of one model", Some("say --model rc20, for example"))),
    };
    let name = file.source.name();
    let line = Line::new(name, options::wants_progress(args.no_progress));
    let limits = Limits::new(&args.limits, Some(VERIFY_TIMEOUT));
    let listed = desk.guard(name, "the list of executions", || {
        let most = usize::try_from(args.limit).unwrap_or(usize::MAX);
        limits.ask(&line, |budget| Question::new(&file.program, model).executions(most, budget))
    })?;
    line.clear();
    let Listing { states, count, cut } = match listed {
        Ok((Ok(listing), _)) => listing,
        Ok((Err(reason), _)) => {
            desk.output.note(&format!("{name}: UNKNOWN ({reason}) under {}\n", model.name()));
            return Ok(Exit::Unknown);
        }
        Err(exit) => return Ok(exit),
    };
    let diagrams = diagram::of_all(&file.subject(), &states, count, model.name(), extra(args, model));
    let pictures: Vec<String> = diagrams.iter().map(|diagram| picture(&Drawing::of_diagram(diagram), format)).collect();
    let headline = headline(name, model.name(), pictures.len(), count, cut.is_some());
    let is_stream = args.output.as_os_str() == "-";
    if is_stream && format == GraphFormat::Svg && pictures.len() > 1 {
        let message = format!("{} pictures cannot follow each other as SVG", pictures.len());
        return Ok(desk.error(&message, Some("say -o out.svg for out-1.svg, out-2.svg, …, or --format dot")));
    }
    let (mut last, mut list) = (None, String::new());
    for (index, (picture, diagram)) in pictures.iter().zip(&diagrams).enumerate() {
        let path = if is_stream { args.output.clone() } else { numbered(&args.output, index + 1) };
        let delivered = desk.deliver(&path, picture)?;
        if delivered != Exit::Holds {
            return Ok(delivered);
        }
        // What SC forbids has a cycle.
        let is_sc = diagram.focus.iter().all(|edge| edge.relation == Relation::Race);
        let remark = if is_sc { "" } else { " · not SC" };
        list += &format!("  {}  {}{remark}\n", path.display(), diagram.subtitle);
        last = Some(path);
    }
    let place = match last {
        Some(last) if !is_stream && pictures.len() > 1 => {
            format!("The pictures are in {} to {}:\n{list}", numbered(&args.output, 1).display(), last.display())
        }
        Some(last) if !is_stream => format!("The picture is in {}.\n", last.display()),
        _ => String::new(),
    };
    let limit = cut.as_ref().map_or(String::new(), |reason| format!("There may be more: {reason}.\n"));
    desk.output.note(&(headline + &limit + &place));
    Ok(if cut.is_some() { Exit::Unknown } else { Exit::Holds })
}

/// `sb.fp: 4 executions under tso`, and how many of them are not drawn.
fn headline(name: &str, model: &str, drawn: usize, count: u64, is_cut: bool) -> String {
    let at_least = if is_cut { "at least " } else { "" };
    let noun = if count == 1 { "execution" } else { "executions" };
    let left_out = count.saturating_sub(drawn as u64);
    let rest = match left_out {
        0 => String::new(),
        _ => format!("; {drawn} drawn, {at_least}{left_out} left out (--limit draws more)"),
    };
    match count {
        0 if is_cut => format!("{name}: no execution was found under {model}\n"),
        0 => format!("{name}: no execution under {model} in which all threads come to their end\n"),
        _ => format!("{name}: {at_least}{count} {noun} under {model}{rest}\n"),
    }
}

/// `out.svg` as `out-1.svg`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map_or(String::new(), |extension| format!(".{}", extension.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_before_the_extension() {
        assert_eq!(numbered(Path::new("a.b/out.svg"), 12), Path::new("a.b/out-12.svg"));
        assert_eq!(numbered(Path::new("out"), 1), Path::new("out-1"));
    }

    #[test]
    fn what_is_left_out_is_said() {
        assert_eq!(headline("sb.fp", "tso", 4, 4, false), "sb.fp: 4 executions under tso\n");
        let cut = headline("sb.fp", "tso", 2, 4, false);
        assert_eq!(cut, "sb.fp: 4 executions under tso; 2 drawn, 2 left out (--limit draws more)\n");
        assert!(headline("sb.fp", "tso", 2, 4, true).contains("at least 2 left out"));
        assert!(headline("sb.fp", "tso", 0, 0, false).contains("no execution"));
    }
}
