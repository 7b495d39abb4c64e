//! Where to search: on the processor, or on a card.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use fencepost_device::Cuda;
use fencepost_report::terminal::{self, Look};
use fencepost_verdict::device::{Device, Failure, Kernels};

use crate::args::DeviceArgs;
use crate::exit::Exit;
use crate::output::Output;

/// What `--device` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Processor,
    /// A card if there is one.
    Auto,
    /// The card with this number.
    Cuda(u32),
}

/// `cpu`, `auto`, `cuda` or `cuda:N`.
pub(crate) fn choice(text: &str) -> Result<Choice, String> {
    match text {
        "cpu" => Ok(Choice::Processor),
        "auto" => Ok(Choice::Auto),
        "cuda" => Ok(Choice::Cuda(0)),
        _ => match text.strip_prefix("cuda:").map(str::parse) {
            Some(Ok(number)) => Ok(Choice::Cuda(number)),
            _ => Err("expected `cpu`, `auto`, `cuda`, or `cuda:N` with the number of a card".into()),
        },
    }
}

/// A card that remembers what it was not given, and why.
pub(crate) struct Card {
    card: Cuda,
    refused: Mutex<BTreeSet<String>>,
    /// Was it asked for?
    asked: bool,
}

/// The card that was chosen, if any, for as long as the process runs; an error has been told.
pub(crate) fn open(args: &DeviceArgs, look: &Look, output: &mut Output) -> Result<Option<&'static Card>, Exit> {
    let (number, asked) = match args.device.unwrap_or(Choice::Processor) {
        Choice::Processor => return Ok(None),
        Choice::Auto => (0, false),
        Choice::Cuda(number) => (number, true),
    };
    match Cuda::open(number, cache()) {
        Ok(card) => {
            let card = Card { card, refused: Mutex::default(), asked };
            Ok(Some(Box::leak(Box::new(card))))
        }
        Err(_) if !asked => Ok(None),
        Err(reason) => {
            let message = format!("`--device cuda` finds no card to search on: {reason}");
            let help = "with `--device auto` the processor searches where there is none";
            output.note(&terminal::plain_error(&message, Some(help), look));
            Err(Exit::Error)
        }
    }
}

/// Where compiled searches are kept.
fn cache() -> Option<std::path::PathBuf> {
    #[cfg(fencepost_runtime)]
    return crate::carried::compiled_searches().ok();
    #[cfg(not(fencepost_runtime))]
    return None;
}

impl Card {
    /// Tells what was searched on the processor all the same.
    pub(crate) fn tell(&self, output: &mut Output) {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        for why in refused.iter().filter(|_| self.asked) {
            output.note(&format!("note: searched on the processor, not on {}: {why}\n", self.card.name()));
        }
    }
}

impl Device for Card {
    fn name(&self) -> &str {
        self.card.name()
    }

    fn swaps_128_bits(&self) -> bool {
        self.card.swaps_128_bits()
    }

    fn refused(&self, why: &str) {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(why.to_owned());
    }

    fn load(&self, text: &str) -> Result<Box<dyn Kernels + '_>, Failure> {
        self.card.load(text)
    }
}

#[cfg(test)]
mod tests {
    use super::{Choice, choice};

    #[test]
    fn choices_are_understood() {
        assert_eq!(choice("cuda:3"), Ok(Choice::Cuda(3)));
        assert_eq!(choice("cuda"), Ok(Choice::Cuda(0)));
        assert!(choice("cuda:").is_err() && choice("opencl").is_err() && choice("cuda:-1").is_err());
    }
}
