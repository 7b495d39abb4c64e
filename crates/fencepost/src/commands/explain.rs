//! `fencepost explain`: shapes, verdicts, exit codes, models, terms.
//!
//! Shapes are drawn from the cycles that the checker knows them by, and shown with programs of the
//! corpus; models are explained as by `fencepost models`; all other words are in [`glossary`].

mod glossary;

use std::io;

use fencepost_base::diag::closest;
use fencepost_expect::{Expectation, Expected, expectations};
use fencepost_model::models;
use fencepost_report::shapes;
use fencepost_report::terminal::paragraphs;

use crate::args::ExplainArgs;
use crate::commands::models::essay;
use crate::exit::Exit;
use crate::output::Output;
use glossary::{GLOSSARY, GROUPS, Group, Word};

/// These texts are read, so their lines are short.
pub(super) const WIDTH: usize = 80;

/// A program of the corpus for each shape that has one, the text included.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("SB", "litmus/classic/sb.fp", include_str!("explain/programs/sb.fp")),
    ("MP", "litmus/classic/mp.fp", include_str!("explain/programs/mp.fp")),
    ("LB", "litmus/classic/lb.fp", include_str!("explain/programs/lb.fp")),
    ("S", "litmus/classic/s.fp", include_str!("explain/programs/s.fp")),
    ("R", "litmus/classic/r.fp", include_str!("explain/programs/r.fp")),
    ("2+2W", "litmus/classic/2+2w.fp", include_str!("explain/programs/2+2w.fp")),
    ("WRC", "litmus/classic/wrc.fp", include_str!("explain/programs/wrc.fp")),
    ("RWC", "litmus/classic/rwc.fp", include_str!("explain/programs/rwc.fp")),
    ("ISA2", "litmus/classic/isa2.fp", include_str!("explain/programs/isa2.fp")),
    ("W+RWC", "litmus/classic/w+rwc.fp", include_str!("explain/programs/w+rwc.fp")),
    ("IRIW", "litmus/classic/iriw.fp", include_str!("explain/programs/iriw.fp")),
    ("3.SB", "litmus/classic/sb3.fp", include_str!("explain/programs/sb3.fp")),
    ("CoRR", "litmus/classic/corr.fp", include_str!("explain/programs/corr.fp")),
    ("CoWW", "litmus/classic/coww.fp", include_str!("explain/programs/coww.fp")),
    ("CoRW", "litmus/classic/corw.fp", include_str!("explain/programs/corw.fp")),
    ("CoWR", "litmus/classic/cowr.fp", include_str!("explain/programs/cowr.fp")),
];

pub(crate) fn run(args: &ExplainArgs, output: &mut Output) -> io::Result<Exit> {
    if args.words.is_empty() {
        output.out(&list())?;
        return Ok(Exit::Holds);
    }
    let asked = args.words.join(" ");
    match text(&asked) {
        Some(text) => {
            output.out(&text)?;
            Ok(Exit::Holds)
        }
        None => {
            output.note(&unknown(&asked));
            Ok(Exit::Error)
        }
    }
}

/// Every word that can be asked for as one, with what it is about.
pub(crate) fn completions() -> impl Iterator<Item = (&'static str, &'static str)> {
    let shapes = shapes::names().map(|name| (name, "a litmus shape"));
    let models = models::MODELS.iter().map(|model| (model.name(), model.title()));
    let words = GLOSSARY.iter().map(|word| (word.names[0], word.about));
    shapes.chain(models).chain(words)
}

/// Capitals, blanks, `-` and `_` do not matter.
fn plain(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).flat_map(char::to_lowercase).collect()
}

fn text(asked: &str) -> Option<String> {
    let wanted = plain(asked);
    if let Some(word) = GLOSSARY.iter().find(|word| word.names.iter().any(|name| plain(name) == wanted)) {
        return Some(explain_word(word));
    }
    if let Some(model) = models::MODELS.iter().find(|model| plain(model.name()) == wanted) {
        return Some(essay(*model));
    }
    if let Some(name) = shapes::names().find(|name| plain(name) == wanted) {
        return explain_shape(name);
    }
    // Rings of any size: `5.SB`.
    explain_shape(&asked.to_uppercase())
}

/// A word of programs, if it is explained: for a reader who has it before his eyes.
pub(super) fn of_language(word: &str) -> Option<String> {
    let of_language = GLOSSARY.iter().filter(|it| it.group == Group::Language);
    let found = of_language.into_iter().find(|it| it.names.contains(&word))?;
    Some(format!("`{word}`: {}\n\n{}\n", found.about, found.text.replace('\n', "\n\n")))
}

fn explain_word(word: &Word) -> String {
    let mut text = paragraphs(&format!("{}: {}\n\n{}", word.names.join(", "), word.about, word.text), WIDTH);
    if !word.see.is_empty() {
        text += &format!("\nSee also: {}\n", word.see.join(", "));
    }
    text
}

fn explain_shape(name: &str) -> Option<String> {
    let shape = shapes::explain(name)?;
    let title = if shape.title == name { String::new() } else { format!(" ({})", shape.title) };
    let mut text = paragraphs(&format!("{name}{title}: {}.", shape.story), WIDTH);
    if let Some(picture) = shapes::picture(name) {
        text += &format!(
            "\n{picture}\n{}",
            paragraphs(
                "Each arrow says what comes first, and they lead in a circle: no interleaving does this. po: \
                 program order, rf: reads from, mo: modification order, fr: from read (`fencepost explain fr`).",
                WIDTH
            )
        );
    }
    if let Some((_, path, program)) = PROGRAMS.iter().find(|(shape, ..)| *shape == name) {
        let expected = expectations(program).expect("the tests read this program");
        let code: Vec<&str> = program.lines().filter(|line| !line.starts_with("//")).collect();
        text += &format!("\nAs a program ({path}):\n\n");
        text.extend(code.into_iter().map(|line| format!("  {line}").trim_end().to_owned() + "\n"));
        text += &format!("\n{}", paragraphs(&verdicts(&expected), WIDTH));
    }
    Some(text)
}

/// What a file expects of the models.
fn verdicts(expected: &[Expectation]) -> String {
    let of = |answer: Expected| -> Vec<&str> {
        let about = expected.iter().filter(|it| it.answer == answer && !it.observational);
        about.map(|it| it.model).collect()
    };
    let (violated, robust) = (of(Expected::Violation), of(Expected::Robust));
    let sentence = |what: &str, models: &[&str]| match models {
        [] => None,
        models => Some(format!("{what} {}", models.join(", "))),
    };
    let both = [sentence("NOT ROBUST against", &violated), sentence("ROBUST against", &robust)];
    both.into_iter().flatten().collect::<Vec<_>>().join("; ") + "."
}

fn list() -> String {
    let group = |title: &str, words: Vec<&str>| {
        let lines = paragraphs(&words.join(", "), WIDTH - 2);
        let lines: String = lines.lines().map(|line| format!("  {line}\n")).collect();
        format!("{title}\n{lines}\n")
    };
    let shapes = group("Shapes of violations", shapes::names().collect());
    let models = group("Models", models::MODELS.iter().map(|model| model.name()).collect());
    let others = GROUPS.iter().map(|(about, title)| {
        group(title, GLOSSARY.iter().filter(|word| word.group == *about).map(|word| word.names[0]).collect())
    });
    let end = "`fencepost explain WORD` explains one: `fencepost explain SB`, `fencepost explain not robust`.\n";
    [shapes, models].into_iter().chain(others).chain([end.to_owned()]).collect()
}

fn unknown(asked: &str) -> String {
    let names: Vec<&str> = GLOSSARY
        .iter()
        .flat_map(|word| word.names)
        .copied()
        .chain(models::MODELS.iter().map(|model| model.name()))
        .chain(shapes::names())
        .collect();
    let wanted = plain(asked);
    let plains: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let near = closest(&wanted, plains.iter().map(String::as_str));
    let near = near.and_then(|near| names.iter().zip(&plains).find(|(_, plain)| *plain == near));
    match near {
        Some((name, _)) => format!("error: there is no explanation of `{asked}`; did you mean `{name}`?\n"),
        None => format!("error: there is no explanation of `{asked}`; `fencepost explain` lists all words\n"),
    }
}

#[cfg(test)]
mod tests {
    use fencepost_base::order::FenceOrder;
    use fencepost_finding::{Kind, Rule};
    use fencepost_syntax::{Language, methods};

    use super::*;

    #[test]
    fn every_word_is_explained_once_and_leads_somewhere() {
        let mut seen = std::collections::BTreeSet::new();
        for name in GLOSSARY.iter().flat_map(|word| word.names) {
            assert!(seen.insert(plain(name)), "{name} is there twice");
        }
        for word in GLOSSARY {
            for other in word.see {
                assert!(text(other).is_some(), "{} names {other}", word.names[0]);
            }
            assert!(!word.text.contains("  "), "{}", word.names[0]);
        }
        for (word, _) in completions() {
            assert!(text(word).is_some() && !word.contains(' '), "{word}");
        }
    }

    #[test]
    fn every_word_of_a_program_or_a_report_is_explained() {
        let orders = FenceOrder::ALL.iter().map(|order| order.as_str()).chain(["rlx"]).filter(|order| *order != "sc");
        let words = Language::Fp.reserved_words().iter().chain(Language::Fp.item_words());
        let words = words.chain(Language::Fp.statement_words()).copied().chain(methods()).chain(orders);
        for word in words {
            assert!(of_language(word).is_some(), "{word}");
        }
        let kinds = [Kind::StaleRead, Kind::StaleWrite, Kind::StaleRmw, Kind::TaintedUse, Kind::DataRace];
        let kinds =
            kinds.into_iter().chain([Kind::Assertion, Kind::RuntimeError, Kind::Condition, Kind::Met, Kind::Deadlock]);
        for word in kinds.map(Kind::as_str).chain(Rule::ALL.map(Rule::as_str)) {
            assert!(text(word).is_some(), "{word}");
        }
    }

    #[test]
    fn programs_are_those_of_the_shapes() {
        for (shape, path, program) in PROGRAMS {
            assert!(text(shape).is_some_and(|text| text.contains(path)), "{shape}");
            let shown = expectations(program).expect("well-formed");
            let shapes = shown.iter().filter_map(|expected| expected.shape.as_deref());
            assert!(shapes.into_iter().all(|other| other == *shape), "{path} shows another shape than {shape}");
        }
    }
}
