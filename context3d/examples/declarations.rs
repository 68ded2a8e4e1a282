//! Writes ActionScript's declarations of Stage3D, for VMs that compile their native classes from them: every class of
//! `flash.display3D` and `flash.display3D.textures`, and `flash.display.Stage3D`. Each member has the `[API]` version
//! of the oldest runtime that supports it (avmplus hides newer members). Parameters have their default values.
//!
//!     cargo run -p context3d --example declarations -- DIR [--air] [METADATA]
//!
//! With `--air`, the declarations include AIR's parameters and its profile `enhanced`. METADATA, such as
//! `[Ruffle(Abstract)]`, is put before the classes of native objects.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use context3d::calls::{Availability, METHODS, Method, MethodKind, Parameter};
use context3d::enums::{self, FlashName};

/// Class, superclass, SWF version, and whether the class is final.
pub(crate) const CLASSES: [(&str, &str, u32, bool); 10] = [
    ("Stage3D", "EventDispatcher", 13, false),
    ("Context3D", "EventDispatcher", 13, true),
    ("VertexBuffer3D", "", 13, true),
    ("IndexBuffer3D", "", 13, true),
    ("Program3D", "", 13, true),
    ("TextureBase", "EventDispatcher", 13, false),
    ("Texture", "TextureBase", 13, true),
    ("RectangleTexture", "TextureBase", 21, true),
    ("CubeTexture", "TextureBase", 13, true),
    ("VideoTexture", "TextureBase", 29, true),
];

/// Returns the strings of an enumeration's members.
fn names<T: FlashName>() -> Vec<&'static str> {
    T::NAMES.iter().map(|(_, name)| *name).collect()
}

/// The classes of string constants: name, oldest runtime, strings. Flash Player's reflection shows only versions 12, 13
/// and 30; the versions between are those of Ruffle's declarations.
fn enumerations(air: bool) -> Vec<(&'static str, Availability, Vec<&'static str>)> {
    let profiles = context3d::Profile::ALL.iter().map(|profile| profile.name());
    let profiles = profiles.filter(|name| air || *name != "enhanced");
    vec![
        ("BlendFactor", Availability::Swf(12), names::<enums::BlendFactor>()),
        ("BufferUsage", Availability::Swf(22), names::<enums::BufferUsage>()),
        ("CompareMode", Availability::Swf(12), names::<enums::CompareMode>()),
        ("FillMode", Availability::Air(16), names::<enums::FillMode>()),
        ("MipFilter", Availability::Swf(19), names::<enums::MipFilter>()),
        ("Profile", Availability::Swf(17), profiles.collect()),
        ("ProgramType", Availability::Swf(13), names::<enums::ProgramType>()),
        ("RenderMode", Availability::Swf(13), names::<enums::RenderMode>()),
        ("StencilAction", Availability::Swf(13), names::<enums::StencilAction>()),
        ("TextureFilter", Availability::Swf(19), names::<enums::TextureFilter>()),
        ("TextureFormat", Availability::Swf(13), names::<enums::TextureFormat>()),
        ("TriangleFace", Availability::Swf(13), names::<enums::TriangleFace>()),
        ("VertexBufferFormat", Availability::Swf(13), names::<enums::VertexFormat>()),
        ("WrapMode", Availability::Swf(19), names::<enums::WrapMode>()),
    ]
}

/// Returns the oldest runtime that accepts a string; `None` if all runtimes with the string's class accept it.
fn string_since(string: &str) -> Option<Availability> {
    Some(Availability::Swf(match string {
        "compressedAlpha" => 17,
        "bgrPacked565" | "bgraPacked4444" => 20,
        "baselineExtended" => 21,
        "clamp_u_repeat_v" | "repeat_u_clamp_v" => 24,
        "rgbaHalfFloat" | "standard" => 25,
        "standardConstrained" => 27,
        "standardExtended" => 28,
        string if string.starts_with("anisotropic") => 25,
        // Flash Player doesn't support this profile [context3d.swf.late].
        "enhanced" => return Some(Availability::Air(26)),
        _ => return None,
    }))
}

/// Returns the name of a string's constant: `BGR_PACKED` for `bgrPacked565`, `FLOAT_4` for `float4`.
fn constant(string: &str) -> String {
    let packed = string.contains("Packed");
    let mut name = String::new();
    for letter in string.chars().filter(|letter| !(packed && letter.is_ascii_digit())) {
        let is_vertex = string.starts_with("float") || string.starts_with("bytes");
        if letter.is_ascii_uppercase() || (letter.is_ascii_digit() && is_vertex) {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    name
}

/// Declares a parameter. Returns `None` if the class's method doesn't have the parameter.
fn parameter(parameter: &Parameter, class: &str) -> Option<String> {
    let kind = parameter.type_in(class)?;
    let default = parameter.default.map_or(String::new(), |value| format!(" = {value}"));
    Some(format!("{}:{kind}{default}", parameter.name))
}

/// Declares a method of a class.
fn method(method: &Method, class: &str, air: bool) -> String {
    let has = |is: &&Parameter| air || !matches!(is.since, Some(Availability::Air(_)));
    let parameters = method.parameters.iter().filter(has);
    let parameters: Vec<String> = parameters.filter_map(|is| parameter(is, class)).collect();
    let kind = match method.kind {
        MethodKind::Getter => "get ",
        MethodKind::Setter => "set ",
        MethodKind::Method | MethodKind::Host => "",
    };
    let scope = if method.is_static { "static " } else { "" };
    let (api, name, parameters) = (method.since.api(), method.name, parameters.join(", "));
    let result = method.result.unwrap_or("void");
    format!("[API(\"{api}\")] public {scope}native function {kind}{name}({parameters}):{result};")
}

/// Declares the members of a class. Members of all texture classes belong to their superclass.
fn members(class: &str, air: bool) -> Vec<String> {
    let is_in = |it: &&Method| match it.classes.len() {
        4 => class == "TextureBase",
        _ => it.classes.contains(&class),
    };
    let flash = METHODS.iter().filter(|it| it.kind != MethodKind::Host);
    flash.filter(is_in).map(|it| method(it, class, air)).collect()
}

/// Returns the ActionScript source of a file.
fn file(
    package: &str,
    since: Availability,
    metadata: &str,
    head: &str,
    members: &[String],
) -> String {
    let mut text = format!("package {package} {{\n");
    for import in [
        "flash.display.BitmapData",
        "flash.display3D.*",
        "flash.display3D.textures.*",
        "flash.events.EventDispatcher",
        "flash.geom.Matrix3D",
        "flash.geom.Point",
        "flash.geom.Rectangle",
        "flash.media.Camera",
        "flash.net.NetStream",
        "flash.utils.ByteArray",
    ] {
        let name = import.rsplit('.').next().unwrap_or_default();
        let used = |line: &String| line.contains(name);
        if name == "*" || head.contains(name) || members.iter().any(used) {
            let _ = writeln!(text, "    import {import};");
        }
    }
    let _ = writeln!(text, "\n    [API(\"{}\")]", since.api());
    if !metadata.is_empty() {
        let _ = writeln!(text, "    {metadata}");
    }
    let _ = writeln!(text, "    public {head} {{");
    for member in members {
        let _ = writeln!(text, "        {member}");
    }
    text + "    }\n}\n"
}

/// Returns the ActionScript source of every file, by path.
pub(crate) fn declarations(air: bool, metadata: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for (class, base, since, is_final) in CLASSES {
        let package = match class {
            "Stage3D" => "flash.display",
            _ if class.contains("Texture") => "flash.display3D.textures",
            _ => "flash.display3D",
        };
        let extends = if base.is_empty() { String::new() } else { format!(" extends {base}") };
        let head = format!("{}class {class}{extends}", if is_final { "final " } else { "" });
        let text = file(package, Availability::Swf(since), metadata, &head, &members(class, air));
        files.insert(format!("{}/{class}.as", package.replace('.', "/")), text);
    }
    for (name, since, strings) in enumerations(air) {
        let line = |string: &&str| {
            let api = string_since(string).unwrap_or(since).api();
            let name = constant(string);
            format!("[API(\"{api}\")] public static const {name}:String = \"{string}\";")
        };
        let lines: Vec<String> = strings.iter().map(line).collect();
        let head = format!("final class Context3D{name}");
        let text = file("flash.display3D", since, "", &head, &lines);
        files.insert(format!("flash/display3D/Context3D{name}.as"), text);
    }
    let bits = ["COLOR:int = 1", "DEPTH:int = 2", "STENCIL:int = 4", "ALL:int = 7"];
    let bits = bits.map(|bit| format!("[API(\"672\")] public static const {bit};"));
    let head = "final class Context3DClearMask";
    let text = file("flash.display3D", Availability::Swf(12), "", head, &bits);
    files.insert("flash/display3D/Context3DClearMask.as".to_owned(), text);
    files
}

fn main() -> std::io::Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let air = arguments.iter().any(|argument| argument == "--air");
    arguments.retain(|argument| argument != "--air");
    let [folder, metadata @ ..] = &*arguments else {
        return Err(std::io::Error::other("usage: declarations DIR [--air] [METADATA]"));
    };
    for (path, text) in declarations(air, &metadata.join(" ")) {
        let path = Path::new(folder).join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
        std::fs::write(path, text)?;
    }
    Ok(())
}
