//! `models`, and models as arguments of other commands.

use clap::builder::PossibleValue;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use fencepost_model::models;
use fencepost_model::{ByDefault, Model};

/// List the memory models, or explain one
#[derive(clap::Args, Debug)]
pub(crate) struct ModelsArgs {
    /// The model to explain
    #[arg(value_name = "MODEL", value_parser = any_model_parser())]
    pub(crate) model: Option<ModelChoice>,
}

/// A memory model of the list.
#[derive(Clone, Copy)]
pub(crate) struct ModelChoice(pub(crate) &'static dyn Model);

impl std::fmt::Debug for ModelChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name())
    }
}

/// All models that can be checked, or one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ModelsChoice {
    All,
    One(ModelChoice),
}

const ALL: &str = "all";

pub(super) fn models_parser() -> impl TypedValueParser<Value = ModelsChoice> {
    choose_several(models::checkable().collect())
}

/// What `--model` is, with the models that are meant without it.
pub(super) fn models_help() -> String {
    let names = |programs| models::by_default(programs).map(|model| model.name()).collect::<Vec<_>>().join(", ");
    format!(
        "Memory model; may be given several times [default: {}; for Trencher's programs, {}]",
        names(ByDefault::Programs),
        names(ByDefault::Automata)
    )
}

pub(super) fn all_models_parser() -> impl TypedValueParser<Value = ModelsChoice> {
    choose_several(models::MODELS.to_vec())
}

fn choose_several(choices: Vec<&'static dyn Model>) -> impl TypedValueParser<Value = ModelsChoice> {
    let all = PossibleValue::new(ALL).help("every model below");
    let values =
        std::iter::once(all).chain(choices.iter().map(|model| PossibleValue::new(model.name()).help(model.title())));
    PossibleValuesParser::new(values).map(|name| match models::by_name(&name) {
        Some(model) => ModelsChoice::One(ModelChoice(model)),
        None => ModelsChoice::All,
    })
}

pub(super) fn any_model_parser() -> impl TypedValueParser<Value = ModelChoice> {
    choose(models::MODELS.to_vec())
}

fn choose(choices: Vec<&'static dyn Model>) -> impl TypedValueParser<Value = ModelChoice> {
    let values: Vec<PossibleValue> =
        choices.iter().map(|model| PossibleValue::new(model.name()).help(model.title())).collect();
    PossibleValuesParser::new(values)
        .map(|name| ModelChoice(models::by_name(&name).expect("the parser admits only names of the list")))
}
