//! Macros for tables in source code: enums with columns.

/// Defines an enum whose variants are table rows, with a method per column and a lookup per key column. `as Display`
/// after a column makes it the text of `Display`. The [crate's page](crate) has an example.
#[macro_export]
macro_rules! table {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $column:ident: $type:ty $(=> $search:ident($key:ty))? $(as $trait:ident)?,)+ }
        $($(#[$attribute:meta])* $variant:ident $($value:expr),+;)+
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(
                #[doc = concat!($("`", stringify!($value), "` "),+)]
                ///
                $(#[$attribute])*
                $variant,
            )+
        }

        const _: () = {
            struct FactRow {
                $($column: $type,)+
            }
            #[allow(clippy::too_many_arguments, reason = "one for each column")]
            const fn row($($column: $type),+) -> FactRow {
                FactRow { $($column),+ }
            }
            impl $name {
                /// All variants, in the order of the table's rows.
                pub const ALL: &'static [$name] = &[$($name::$variant),+];

                const fn row(self) -> &'static FactRow {
                    match self {
                        $($name::$variant => const { &row($($value),+) },)+
                    }
                }
                $(
                    $(#[$doc])*
                    pub const fn $column(self) -> $type {
                        self.row().$column
                    }
                    $(
                        #[doc = concat!("The row with this `", stringify!($column), "`.")]
                        pub fn $search(key: $key) -> Option<$name> {
                            $name::ALL.iter().copied().find(|row| row.$column() == key)
                        }
                    )?
                )+
            }
            $($(
                impl std::fmt::$trait for $name {
                    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.pad(self.$column())
                    }
                }
            )?)+
        };
    };
}

/// Defines an enum of errors. Each row is a variant with its values and its message, which also documents the variant.
///
/// ```
/// agal_core::errors! {
///     /// An error of a number.
///     #[derive(Debug, thiserror::Error)]
///     pub enum NumberError {
///         Missing = "a number is missing";
///         Large { found: u64, most: u32 } = "{found} is greater than {most}";
///         Unknown(String) = "`{}` is not a number" [.0.trim()];
///     }
/// }
/// assert_eq!(NumberError::Large { found: 300, most: 255 }.to_string(), "300 is greater than 255");
/// assert_eq!(NumberError::Unknown("x ".to_owned()).to_string(), "`x` is not a number");
/// ```
#[macro_export]
macro_rules! errors {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $(
                $(#[$attribute:meta])*
                $variant:ident $(($($value:ty),+))? $({ $($field:ident: $type:ty),+ })?
                    = $message:literal $([$($argument:tt)+])?;
            )+
        }
    ) => {
        $(#[$meta])*
        pub enum $name {
            $(
                #[doc = concat!("“", $message, "”")]
                ///
                $(#[$attribute])*
                #[error($message $(, $($argument)+)?)]
                $variant $(($($value),+))? $({
                    $(
                        #[doc = concat!("`", stringify!($field), "` of the message.")]
                        $field: $type,
                    )+
                })?,
            )+
        }
    };
}
