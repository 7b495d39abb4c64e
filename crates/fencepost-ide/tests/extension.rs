//! The extension for VS Code fits the language: every word is highlighted, and snippets are programs.

use std::collections::BTreeSet;
use std::path::Path;

use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use fencepost_model::models::checkable;
use fencepost_syntax::{Language, methods, parse};
use serde_json::Value;

fn json(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The words in the patterns of a rule, without what regular expressions make of letters.
fn words(rule: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for pattern in rule["patterns"].as_array().expect("patterns") {
        let Some(pattern) = pattern["match"].as_str() else { continue };
        let mut plain = String::new();
        let mut letters = pattern.chars();
        while let Some(letter) = letters.next() {
            // `\b`, `\s`, `\.` are no words.
            plain.push(if letter == '\\' { letters.next().map_or(' ', |_| ' ') } else { letter });
        }
        found.extend(
            plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > 1).map(str::to_string),
        );
    }
    found
}

fn orders() -> impl Iterator<Item = &'static str> {
    let reads = ReadOrder::ALL.iter().map(|order| order.as_str());
    let writes = WriteOrder::ALL.iter().map(|order| order.as_str());
    let updates = RmwOrder::ALL.iter().map(|order| order.as_str());
    reads.chain(writes).chain(updates).chain(FenceOrder::ALL.iter().map(|order| order.as_str()))
}

#[test]
fn the_grammar_has_the_words_of_the_language_and_no_others() {
    let rules = &json("syntaxes/fencepost.tmLanguage.json")["repository"];
    let language = Language::Fp;
    let keywords = language.reserved_words().iter().chain(language.item_words()).chain(language.statement_words());
    // `name` is one only at the beginning of a line.
    let keywords: BTreeSet<String> = keywords.filter(|word| **word != "name").map(|word| word.to_string()).collect();
    assert_eq!(words(&rules["words"]), keywords);
    let operations: BTreeSet<String> = methods().chain(orders()).map(str::to_string).collect();
    assert_eq!(words(&rules["operations"]), operations);
    assert!(words(&rules["declarations"]).contains("name"));
}

#[test]
fn the_manifest_names_files_and_models_that_exist() {
    let manifest = json("package.json");
    let contributed = &manifest["contributes"];
    let lists = ["languages", "grammars", "snippets"].map(|list| contributed[list].as_array().expect("a list"));
    let named = lists.into_iter().flatten().flat_map(|entry| [&entry["path"], &entry["configuration"]]);
    let mut files: Vec<&str> = named.filter_map(Value::as_str).collect();
    files.extend(manifest["main"].as_str());
    assert!(files.len() >= 5, "{files:?}");
    for file in files {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode").join(file).is_file(), "{file}");
    }
    json("language-configuration.json");
    let models = contributed["configuration"]["properties"]["fencepost.models"]["items"]["enum"].as_array();
    let models: BTreeSet<&str> = models.expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(models, checkable().map(|model| model.name()).collect());
}

/// A snippet as it is inserted.
fn inserted(body: &str) -> String {
    let mut text = String::new();
    let mut values: Vec<(String, String)> = Vec::new();
    let mut rest = body;
    while let Some((before, after)) = rest.split_once('$') {
        text += before;
        let (number, value, after) = match after.strip_prefix('{') {
            Some(inner) => {
                let (inner, after) = inner.split_once('}').expect("a closing brace");
                let (number, value) = match (inner.split_once(':'), inner.split_once('|')) {
                    (Some((number, value)), _) => (number, value),
                    (None, Some((number, choices))) => (number, choices.split([',', '|']).next().unwrap_or_default()),
                    (None, None) => (inner, ""),
                };
                (number, Some(value.to_string()), after)
            }
            None => (&after[..1], None, &after[1..]),
        };
        let known = values.iter().find(|(other, _)| other == number).map(|(_, value)| value.clone());
        let value = value.or(known).unwrap_or_default();
        text += &value;
        values.push((number.to_string(), value));
        rest = after;
    }
    text + rest
}

#[test]
fn snippets_are_programs() {
    let snippets = json("snippets/fencepost.json");
    for (name, snippet) in snippets.as_object().expect("snippets") {
        let body = match &snippet["body"] {
            Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
            body => body.as_str().expect("a text").to_string(),
        };
        let text = inserted(&body);
        let fits = |text: &str| !parse(Language::Fp, text).messages.has_errors();
        assert!(fits(&text) || fits(&format!("thread t {{ {text} }}")), "{name}: {text}");
    }
}
