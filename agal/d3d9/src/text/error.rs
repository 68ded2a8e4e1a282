//! Errors of the assembler.

use agal_core::text::{ShortWord, TextCursor};

/// An error in assembly source.
pub type D3d9TextError = agal_core::text::TextError<TextErrorKind>;
/// All errors of an assembly source.
pub type D3d9TextErrors = agal_core::text::TextErrors<TextErrorKind>;
pub(super) type D3d9TextResult<T = ()> = Result<T, D3d9TextError>;

agal_core::errors! {
    /// The types of assembly errors.
    #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
    #[non_exhaustive]
    pub enum TextErrorKind {
        MissingVersion = "the text must begin with a version such as `ps_2_0`";
        SecondVersion = "a second version: a text can hold only one shader";
        UnknownMnemonic(String) = "unknown instruction `{}`" [ShortWord(.0)];
        NotInVersion { name: String, version: &'static str, needs: Option<&'static str> } =
            "`{}` does not exist in {version}{}" [ShortWord(.name), needed(*.needs)];
        BadSuffix(String) = "`_{}` is not allowed here" [ShortWord(.0)];
        MissingComparison(String) = "`{0}` needs a comparison, as in `{0}_gt`";
        OperandCount { name: String, expected: usize, found: usize } =
            "`{name}` takes {expected} operands, found {found}";
        UnknownRegister(String) = "unknown register `{}`" [ShortWord(.0)];
        RegisterNotInVersion { register: String, version: &'static str } =
            "{version} has no register `{}`" [ShortWord(.register)];
        NumberTooLarge(String) = "`{}`: the register number is too large" [ShortWord(.0)];
        BadComponents(String) =
            "`{}` is not one to four of x, y, z, w (for a write mask, in this order)" [ShortWord(.0)];
        BadModifier(String) = "`{}` is not a source modifier" [ShortWord(.0)];
        BadNumber(String) = "`{}` is not a valid number here" [ShortWord(.0)];
        Expected(&'static str) = "expected {0}";
        Preprocessor = "the assembler doesn't support preprocessor directives";
    }
}

fn needed(version: Option<&str>) -> String {
    version.map_or_else(String::new, |version| format!(" (needs {version})"))
}

pub(super) fn expected(at: &TextCursor<'_>, what: &'static str) -> D3d9TextError {
    at.error(TextErrorKind::Expected(what))
}
