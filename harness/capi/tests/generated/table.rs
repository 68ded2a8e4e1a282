//! The rows of `context3d::call_table!`, and the C counterparts of its argument types.

use context3d::calls::{METHODS, Method};

/// A row of the table, with its counterpart in C.
pub(crate) struct Row {
    pub(crate) call: &'static Method,
    /// The name and class of the method's receiver, such as a texture. `None` for methods of the context.
    pub(crate) receiver: Option<(&'static str, &'static str)>,
    /// Names and types of the arguments.
    pub(crate) fields: &'static [(&'static str, &'static str)],
    /// The default of each argument in ActionScript's declaration.
    pub(crate) defaults: Vec<Option<&'static str>>,
    /// The class of the created object, or the type of the result.
    pub(crate) result: Option<&'static str>,
}

macro_rules! describe {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
                $($field:ident $parameter:literal: $($type:ident)+ $(($($declared:tt)*))? $(= $default:expr)?),* $(,)?
            } [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {
        /// Returns every row of the table.
        pub(crate) fn rows() -> Vec<Row> {
            let mut calls = METHODS.iter().filter(|row| row.classes != ["Stage3D"]);
            let mut rows = Vec::new();
            $(
                let receiver: &[(&str, &str)] = &[$((stringify!($receiver), stringify!($base)))?];
                let result: &[&str] = &[$(stringify!($result))?];
                rows.extend(calls.next().map(|call| Row {
                    call,
                    receiver: receiver.first().copied(),
                    fields: &[$((stringify!($field), stringify!($($type)+))),*],
                    defaults: vec![$({
                        let declared: &[&str] = &[$(stringify!($($declared)*))?];
                        declared.first().copied()
                    }),*],
                    result: result.first().copied(),
                }));
            )+
            rows
        }
    };
}

context3d::call_table!(describe);

impl Row {
    /// Returns the name of the C function, such as `molehill_texture_upload_from_byte_array`.
    pub(crate) fn function(&self) -> String {
        match self.receiver {
            None => format!("molehill_context{}", snake(self.call.variant)),
            Some(_) => format!("molehill{}", snake(self.call.variant)),
        }
    }

    /// Returns the C type of the created object.
    pub(crate) fn created(&self) -> Option<String> {
        match self.result? {
            "Reply" | "BitmapPatch" => None,
            class => Some(object(class)),
        }
    }

    /// Returns the receiver and all arguments. The receiver of a context's method is the context.
    pub(crate) fn arguments(&self) -> Vec<(&'static str, Type)> {
        let (name, class) = self.receiver.unwrap_or(("context", "Context"));
        let fields = self.fields.iter().map(|(name, text)| (*name, Type::of(text)));
        std::iter::once((name, Type::receiver(class))).chain(fields).collect()
    }

    /// Returns the text about ActionScript's defaults for a function's documentation.
    pub(crate) fn defaults(&self) -> String {
        let defaults = self.fields.iter().zip(&self.defaults);
        let defaults = defaults.filter_map(|((name, _), default)| Some((name, (*default)?)));
        let list: Vec<_> = defaults.map(|(name, it)| format!("{name} = {}", value(it))).collect();
        match list.is_empty() {
            true => String::new(),
            false => format!("; in ActionScript {}", list.join(", ")),
        }
    }
}

/// Returns a declared default without its suffix ` since`, which names a runtime version.
pub(crate) fn value(declared: &str) -> &str {
    declared.split_once(" since").map_or(declared, |(value, _)| value)
}

/// Converts `TextureDispose` to `_texture_dispose`.
pub(crate) fn snake(variant: &str) -> String {
    let letter = |letter: char| match letter.is_ascii_uppercase() {
        true => format!("_{}", letter.to_ascii_lowercase()),
        false => letter.to_string(),
    };
    variant.chars().map(letter).collect()
}

/// Returns the C type of a class; `MolehillTexture` for all classes of textures.
pub(crate) fn object(class: &str) -> String {
    let class = if class.contains("Texture") { "Texture" } else { class };
    format!("Molehill{}", class.trim_end_matches("3D"))
}

/// The C counterpart of an argument type of the table. In strings, `@` stands for the argument's name.
pub(crate) struct Type {
    /// The C parameters, each as `, name: type`.
    pub(crate) parameters: String,
    /// The arguments of the C function, built from a command's field.
    pub(crate) arguments: String,
    /// A value that is built from the field and must live until the end of the call.
    pub(crate) kept: Option<String>,
    /// The members of `struct hostile` that are passed to the function.
    pub(crate) hostile: String,
}

impl Type {
    fn new(parameters: &str, arguments: &str, hostile: &str) -> Self {
        Type {
            parameters: parameters.to_owned(),
            arguments: arguments.to_owned(),
            kept: None,
            hostile: hostile.to_owned(),
        }
    }

    fn keeping(self, kept: &str) -> Self {
        let kept = Some(kept.to_owned());
        Type { kept, ..self }
    }

    fn receiver(class: &str) -> Self {
        let name = object(class);
        let arguments = match class {
            "Context" => "c.context".to_owned(),
            _ => format!("{name} {{ id: c.handle(Some(@)) }}"),
        };
        let hostile =
            format!("({name}){{h->{}}}", if class == "Context" { "context" } else { "object" });
        Type::new(&format!("@: {name}"), &arguments, &hostile)
    }

    fn of(text: &str) -> Self {
        match text {
            "int" => Type::new("@: i32", "@", "h->i"),
            "uint" | "MipLevel" => Type::new("@: u32", "@", "h->u"),
            "Number" => Type::new("@: f64", "@", "h->number"),
            "Boolean" => Type::new("@: MolehillBool", "@.into()", "h->flag"),
            "CubeSide" => Type::new("@: i64", "@.map_or(-1, i64::from)", "h->side"),
            "ByteArray" => Type::new(
                "@: *const c_void, @_length: usize",
                "a::pointer(@).cast(), a::length(@)",
                "h->data, h->length",
            ),
            "Bytecode" => Type::new(
                "@: *const c_void, @_length: usize, @_big_endian: MolehillBool",
                "a::pointer(@.map(|it| it.bytes)).cast(), a::length(@.map(|it| it.bytes)), a::big_endian(@)",
                "h->data, h->length, h->flag",
            ),
            "VectorNumber" => Type::new(
                "@: *const f64, @_length: usize",
                "a::pointer(@), a::length(@)",
                "h->data, h->length / 8",
            ),
            "VectorFloat" => Type::new(
                "@: *const f32, @_length: usize",
                "a::pointer(@), a::length(@)",
                "h->data, h->length / 4",
            ),
            "VectorUint" => Type::new(
                "@: *const u32, @_length: usize",
                "a::pointer(@), a::length(@)",
                "h->data, h->length / 4",
            ),
            "Matrix3D" => {
                let arguments = "a::pointer(@.map(|it| it.as_slice()))";
                Type::new("@: *const f64", arguments, "h->data")
            }
            "BitmapData" => Type::new("@: *const MolehillBitmap", "a::pointer_to(&@)", "h->bitmap")
                .keeping("@.map(a::picture)"),
            "VideoFrame" => Type::new("@: *const MolehillBitmap", "&raw const @", "h->bitmap")
                .keeping("a::picture(@)"),
            "BitmapTarget" => {
                Type::new("@: *const MolehillBitmapTarget", "a::pointer_to(&@)", "h->target")
                    .keeping("@.map(|it| c.target(it))")
            }
            "Rectangle" => {
                Type::new("@: *const MolehillRectangle", "a::pointer_to(&@)", "h->rectangle")
                    .keeping("@.map(a::rectangle)")
            }
            "Point" => Type::new("@: *const MolehillPoint", "a::pointer_to(&@)", "h->point")
                .keeping("@.map(|[x, y]| MolehillPoint { x, y })"),
            _ => match text.strip_prefix("enum ") {
                Some(_) => Type::new("@: *const c_char", "a::text(&@)", "h->text")
                    .keeping("@.text().map(a::c_string)"),
                None => {
                    let name = object(text);
                    let arguments = format!("{name} {{ id: c.handle(@) }}");
                    let hostile = format!("({name}){{h->object}}");
                    Type::new(&format!("@: {name}"), &arguments, &hostile)
                }
            },
        }
    }
}
