//! Enumerations whose values a user can choose.

/// Declares an enumeration and a table of its values with names or other data. The enumeration's default is its first
/// value.
macro_rules! choices {
    ($vis:vis enum $name:ident, $table:ident: $($value:ident)+) => {
        choices! { $vis enum $name, $table: &'static str, $($value = stringify!($value),)+ }
    };
    ($vis:vis enum $name:ident, $table:ident: $type:ty,
        $(#[$doc:meta])* $first:ident = $data:expr, $($(#[$docs:meta])* $value:ident = $more:expr,)+) => {
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        $vis enum $name { #[default] $(#[$doc])* $first, $($(#[$docs])* $value),+ }
        $vis const $table: &[($name, $type)] = &[($name::$first, $data), $(($name::$value, $more)),+];
    };
}
