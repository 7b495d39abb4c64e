//! The programs that the workbench has to offer.

use std::path::Path;

use fencepost_lower::Language;
use serde_json::{Map, Value, json};

use super::{read, root};
use crate::files;

/// What the workbench opens with.
const FIRST: &str = "consequences/dekker+data.fp";

/// What to look at first, and what it shows.
const BEGIN: &[(&str, &str)] = &[
    (FIRST, "Dekker's lock, and what it should have kept apart"),
    ("classic/sb.fp", "store buffering: two stores, two loads"),
    ("rc20/mp+rlx.fp", "message passing without orders"),
    ("algorithms/peterson-ra.fp", "Peterson's lock"),
    ("algorithms/treiber-aba.fp", "a stack with an ABA problem"),
    ("algorithms/seqlock.fp", "a sequence lock"),
    ("c/mp+rlx.litmus", "a litmus test in C"),
];

/// Folders of the corpus, and what they are called. Those in `verify` say nothing new here.
const GROUPS: &[(&str, &str)] = &[
    ("classic", "Litmus tests"),
    ("rc20", "Litmus tests with all orders"),
    ("consequences", "What goes wrong"),
    ("algorithms", "Algorithms"),
    ("buffers", "Store buffers"),
    ("c", "Litmus tests in C"),
    ("trencher", "Automata of the Trencher tool"),
];

/// The programs, their groups, and the words of each language, as a script.
pub(super) fn script() -> Result<String, String> {
    let litmus = root().join("litmus");
    let mut texts = Map::new();
    let begin = BEGIN.iter().map(|(path, label)| json!({ "path": path, "label": label })).collect::<Value>();
    let mut groups = vec![json!({ "title": "To begin with", "files": begin })];
    for (folder, title) in GROUPS {
        let mut listed = Vec::new();
        for file in files::programs(&litmus.join(folder))? {
            let path = path_in(&litmus, &file);
            listed.push(json!({ "path": path, "label": path.trim_start_matches(folder).trim_start_matches('/') }));
            texts.insert(path, read(&file)?.into());
        }
        groups.push(json!({ "title": title, "files": listed }));
    }
    if let Some((path, _)) = BEGIN.iter().find(|(path, _)| !texts.contains_key(*path)) {
        return Err(format!("the workbench wants to show litmus/{path}, which does not exist"));
    }
    let words: Map<String, Value> =
        Language::ALL.iter().map(|language| (language.extension().into(), json!(language.reserved_words()))).collect();
    let all = json!({ "first": FIRST, "groups": groups, "texts": texts, "words": words });
    Ok(format!("globalThis.fencepostExamples = {all};\n"))
}

/// With `/`, on every system.
fn path_in(folder: &Path, file: &Path) -> String {
    let inner = file.strip_prefix(folder).unwrap_or(file);
    inner.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
