//! Names in every `.fp` file of the corpus: each word that is no word of the language is known.

use std::path::{Path, PathBuf};

use fencepost_base::source::SourceFile;
use fencepost_ide::{About, Names, Positions, complete, hover, outline};
use fencepost_model::models::MODELS;
use fencepost_syntax::lexer::{Token, TokenKind, lex};
use fencepost_syntax::{Language, methods, parse};

fn programs(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            programs(&path, found);
        } else if Language::from_path(&path) == Some(Language::Fp) {
            found.push(path);
        }
    }
}

fn corpus() -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../litmus"), &mut paths);
    paths.sort();
    assert!(paths.len() > 50);
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).expect("UTF-8"))).collect()
}

/// Is it a word of the language where it stands?
fn is_of_language(text: &str, tokens: &[Token], index: usize) -> bool {
    let word = &text[tokens[index].span.range()];
    let kind_at = |index: Option<usize>| index.and_then(|index| tokens.get(index)).map(|token| token.kind);
    let (before, after) = (kind_at(index.checked_sub(1)), kind_at(Some(index + 1)));
    let is_order = ["rlx", "acq", "rel", "acqrel", "sc"].contains(&word)
        && matches!(before, Some(TokenKind::Comma | TokenKind::LeftParen))
        && matches!(after, Some(TokenKind::Comma | TokenKind::RightParen));
    let is_method =
        methods().any(|method| method == word) && before == Some(TokenKind::Dot) && after == Some(TokenKind::LeftParen);
    is_order
        || is_method
        || Language::Fp.reserved_words().contains(&word)
        || ["name", "struct", "for", "return"].contains(&word)
}

#[test]
fn every_name_is_known_and_is_the_one_that_is_written() {
    for (path, text) in corpus() {
        let path = path.display();
        let names = Names::of(&parse(Language::Fp, &text).file, &text);
        let tokens: Vec<Token> = lex(&text).into_iter().filter(|token| !token.kind.is_comment()).collect();
        for (index, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word) {
            let word = &text[token.span.range()];
            let found = names.at(token.span.start as usize).filter(|found| found.span == token.span);
            match found {
                Some(found) => assert_eq!(names.definition(found.definition).name, word, "{path}"),
                None => assert!(is_of_language(&text, &tokens, index), "{path}: `{word}` at {:?}", token.span),
            }
        }
    }
}

/// Whatever is typed, wherever the cursor is: there are answers, and no panics.
#[test]
fn broken_texts_have_answers() {
    for (path, text) in corpus().into_iter().step_by(7) {
        for cut in (0..text.len()).step_by(41).filter(|&cut| text.is_char_boundary(cut)) {
            let broken = [&text[..cut], &text[text.len().min(cut + 3)..].replace('(', "[")].concat();
            let source = SourceFile::new(path.display().to_string(), broken);
            let broken = source.text();
            let file = parse(Language::Fp, broken).file;
            let (names, positions) = (Names::of(&file, broken), Positions::of(broken));
            for symbol in outline(&names) {
                assert!(symbol.whole.to(symbol.span).range().end <= broken.len());
            }
            complete(broken, &names, cut.min(broken.len()));
            for offset in (0..broken.len()).step_by(29) {
                if let Some(found) = hover(&source, &file, &names, offset, MODELS) {
                    let (start, end) = positions.range(broken, found.span);
                    assert!(start < end, "a word is not empty");
                    assert!(found.about != About::Text(String::new()));
                }
            }
        }
    }
}
