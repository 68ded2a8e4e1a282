//! The types of values.

macro_rules! tags {
    ($($(#[$doc:meta])* $name:ident = $byte:literal),+ $(,)?) => {
        /// The type of a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Tag {
            $($(#[$doc])* $name = $byte),+
        }

        impl Tag {
            pub(super) fn from_byte(byte: u8) -> Option<Self> {
                match byte {
                    $($byte => Some(Tag::$name),)+
                    _ => None,
                }
            }
        }
    };
}

tags! {
    Null = 0,
    False = 1,
    True = 2,
    /// Unsigned LEB128.
    Natural = 3,
    /// Unsigned LEB128 of −1 − value.
    Negative = 4,
    /// A 64-bit float.
    Number = 5,
    /// A length and UTF-8 bytes.
    Text = 6,
    /// An index into the table of texts, as LEB128.
    NumberedText = 7,
    /// A length and bytes.
    Bytes = 8,
    /// The number of a payload, as LEB128.
    Payload = 9,
    /// A count and values.
    List = 10,
    /// An index into the table of shapes, as LEB128, and the values of its keys.
    Object = 11,
}
