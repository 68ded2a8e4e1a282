//! Generates the tables in the reference pages from tables in the code.

mod programs;

use atf::AtfFormat;
use context3d::calls::{Availability, CallRequires, METHODS, Method, MethodKind, Parameter};
use context3d::enums::{
    self, BlendFactor, BufferUsage, CompareMode, FillMode, FlashName, MipFilter, ProgramType,
    RenderMode, StencilAction, TextureFilter, TextureFormat, TriangleFace, VertexFormat, WrapMode,
};
use context3d::internals::{ErrorCondition, ProfileLimits, RegisterCounts};
use context3d::{ErrorCode, Profile};
use molehill_conform::facts::cited;

type Table = (&'static str, fn() -> String);

/// All generated tables, by their name in a page's marker.
pub(crate) const TABLES: &[Table] = &[
    ("agal-opcodes", programs::agal_opcodes),
    ("agal-registers", programs::agal_registers),
    ("agal-sampler-bits", programs::agal_sampler_bits),
    ("agal-limits", programs::agal_limits),
    ("agal-errors", programs::agal_errors),
    ("d3d9-opcodes", programs::d3d9_opcodes),
    ("d3d9-registers", programs::d3d9_registers),
    ("hs50-opcodes", programs::hs50_opcodes),
    ("hs50-registers", programs::hs50_registers),
    ("hs50-system-values", programs::hs50_system_values),
    ("context3d-errors", errors),
    ("context3d-calls", calls),
    ("context3d-enums", enumerations),
    ("context3d-limits", limits),
    ("context3d-formats", formats),
    ("atf-formats", atf_formats),
];

/// Returns a Markdown table without the final line end.
fn table<const N: usize>(heads: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let escaped = |cell: String| cell.replace('|', "\\|").replace('\n', " ").trim().to_owned();
    let mut lines = vec![line(&heads.map(str::to_owned)), line(&heads.map(|_| "---".to_owned()))];
    lines.extend(rows.into_iter().map(|row| line(&row.map(escaped))));
    lines.join("\n")
}

fn code(text: impl std::fmt::Display) -> String {
    format!("`{text}`")
}

fn yes(is: bool) -> String {
    (if is { "yes" } else { "" }).to_owned()
}

fn list<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

fn names() -> [&'static str; 7] {
    Profile::ALL.try_into().map(|all: [Profile; 7]| all.map(Profile::name)).unwrap()
}

/// Returns whether ActionScript can make this call. The call table also contains calls that only a host can make.
fn of_flash(call: &Method) -> bool {
    call.kind != MethodKind::Host
}

fn errors() -> String {
    let row = |error: &ErrorCode| {
        let raised = match error.raised() {
            ErrorCondition::Always => "always",
            ErrorCondition::CheckingElseSkipped => "with checking; else the draw is dropped",
            ErrorCondition::CheckingElseDrawn => "with checking; else the draw is made",
        };
        let also = |call: &Method| {
            let mut others =
                METHODS.iter().filter(|other| call.as_well_as.contains(&other.variant));
            others.any(|other| other.errors.contains(error))
        };
        let mut by: Vec<String> = Vec::new();
        for call in METHODS.iter().filter(|call| call.errors.contains(error) || also(call)) {
            if of_flash(call) && !by.contains(&code(call.name)) {
                by.push(code(call.name));
            }
        }
        [
            error.number().to_string(),
            error.class().name().to_owned(),
            code(error.template()),
            raised.to_owned(),
            list(by),
        ]
    };
    table(["error", "class", "message", "raised", "calls"], ErrorCode::ALL.iter().map(row))
}

fn calls() -> String {
    let row = |call: &Method| {
        let parameter = |is: &Parameter| {
            // Shows all methods of the table with the parameters of cube textures.
            let kind = match is.table_type.strip_prefix("enum ") {
                Some(name) => format!("Context3D{name}"),
                None => is.type_in("CubeTexture").unwrap_or_default().to_owned(),
            };
            let default = is.default.map_or(String::new(), |value| format!(" = {value}"));
            format!("{}: {kind}{default}", is.name)
        };
        let of_flash = call.parameters.iter().filter(|it| it.type_in("CubeTexture").is_some());
        let parameters = list(of_flash.map(parameter));
        let result = call.result.unwrap_or("void");
        let text = match call.kind {
            MethodKind::Getter => format!("{}: {result}", call.name),
            MethodKind::Setter => format!("{} = {parameters}", call.name),
            MethodKind::Method | MethodKind::Host => {
                format!("{}({parameters}): {result}", call.name)
            }
        };
        let needs = match call.needs {
            CallRequires::Device => "device",
            CallRequires::Context => "context",
            CallRequires::Nothing => "",
        };
        let of = METHODS.iter().filter(|other| call.as_well_as.contains(&other.variant));
        let mut numbers: Vec<u16> =
            of.chain([call]).flat_map(|call| call.errors).map(|error| error.number()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        [
            list(call.classes.iter().map(code)),
            code(text),
            match call.since {
                Availability::Swf(version) => version.to_string(),
                Availability::Air(version) => format!("A {version}"),
            },
            needs.to_owned(),
            list(numbers),
            list(cited(call.witness).map(|id| format!("[{id}]"))),
        ]
    };
    table(
        ["class", "call", "SWF", "needs", "errors", "facts"],
        METHODS.iter().filter(|call| of_flash(call)).map(row),
    )
}

fn enumerations() -> String {
    macro_rules! rows {
        ($($name:ident)+) => {
            [$([code(concat!("Context3D", stringify!($name))), list($name::NAMES.iter().map(|(_, text)| code(text)))]),+]
        };
    }
    let rows = rows! {
        BlendFactor BufferUsage CompareMode FillMode MipFilter ProgramType RenderMode StencilAction TextureFilter
        TextureFormat TriangleFace VertexFormat WrapMode
    };
    let flash = |[name, strings]: [String; 2]| {
        [name.replace("VertexFormat", "VertexBufferFormat"), strings]
    };
    table(["class", "strings"], rows.map(flash))
}

fn limits() -> String {
    let columns: Vec<Vec<(&str, u64)>> = Profile::ALL
        .iter()
        .map(|profile| {
            let registers = RegisterCounts::of(*profile);
            let registers = [
                ("vertex_streams", registers.attributes),
                ("vertex_constants", registers.vertex_constants),
                ("fragment_constants", registers.fragment_constants),
                ("samplers", registers.samplers),
                ("color_outputs", registers.color_outputs),
            ];
            ProfileLimits::of(*profile)
                .rows()
                .chain(registers.map(|(name, count)| (name, count as u64)))
                .collect()
        })
        .collect();
    let text = |value: u64, switch: bool| match value {
        value if switch => yes(value == 1),
        value if value >= 1 << 20 && value.is_multiple_of(1 << 20) => format!("{} MB", value >> 20),
        value => value.to_string(),
    };
    let rows = columns[0].iter().enumerate().map(|(at, (name, _))| {
        let mut row: [String; 8] = Default::default();
        row[0] = name.replace('_', " ");
        let switch = columns.iter().all(|column| column[at].1 <= 1);
        for (cell, column) in row.iter_mut().skip(1).zip(&columns) {
            *cell = text(column[at].1, switch);
        }
        row
    });
    let [a, b, c, d, e, f, g] = names();
    table(["limit", a, b, c, d, e, f, g], rows)
}

fn formats() -> String {
    let row = |(format, name): &(TextureFormat, &str)| {
        [
            code(name),
            format!("{:?}", format.layout()),
            list(format.blocks().iter().map(|layout| format!("{layout:?}"))),
            format.bits_per_texel().to_string(),
            code(
                agal::sampler::SamplerOption::text(
                    agal::sampler::SamplerField::SamplerFormat,
                    format.read_mode().code(),
                )
                .unwrap(),
            ),
            yes(format.rectangle()),
            (if format.ignores_alpha() { "1" } else { "read" }).to_owned(),
        ]
    };
    let heads =
        ["format", "texels", "blocks", "bits per texel", "AGAL sampler", "rectangle", "alpha"];
    table(heads, enums::TextureFormat::NAMES.iter().map(row))
}

fn atf_formats() -> String {
    let row = |format: &AtfFormat| {
        let records = |version| {
            list(
                format
                    .groups(version)
                    .iter()
                    .map(|group| format!("{} × {}", group.records, group.encoding.name())),
            )
        };
        let [code, title] = [format!("{:#04x}", format.code()), format.title().to_owned()];
        [
            code,
            title,
            self::code(TextureFormat::from(format.texture()).name()),
            records(0),
            records(3),
        ]
    };
    let heads = ["code", "format", "texture", "records in versions 0 to 2", "records in version 3"];
    table(heads, AtfFormat::ALL.iter().map(row))
}
