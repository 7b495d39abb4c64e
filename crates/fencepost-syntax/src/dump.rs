//! placeholder
pub fn dump(f: &crate::ast::File) -> String {
    format!("{f:#?}")
}
