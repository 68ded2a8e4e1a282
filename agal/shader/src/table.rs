//! A macro for tables in source code: enums with columns.

/// Defines an enum whose variants are table rows, with a method per column and a lookup per key column. `as Display`
/// behind a column shows a row by it. The [crate's page](crate) has an example.
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
            struct Row {
                $($column: $type,)+
            }
            #[allow(clippy::too_many_arguments, reason = "one for each column")]
            const fn row($($column: $type),+) -> Row {
                Row { $($column),+ }
            }
            impl $name {
                /// Every row, in the order of the table.
                pub const ALL: &'static [$name] = &[$($name::$variant),+];

                const fn row(self) -> &'static Row {
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
