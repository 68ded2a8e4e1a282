//! Generates the tables of the three shader languages.

use agal::errors::ErrorKind;
use agal::limits::MAX_NESTING;
use agal::opcode::{AgalOpcode, OpcodeSignature};
use agal::register::RegisterFile;
use agal::sampler::{OPTIONS, SamplerField};
use agal::{AgalVersion, Profile, Stage};

use super::{code, list, names, table, yes};

pub(super) fn agal_opcodes() -> String {
    let row = |opcode: &AgalOpcode| {
        let programs = format!("{:?}", opcode.stages()).to_lowercase();
        let operands = match opcode.signature() {
            OpcodeSignature::Block(_) => "",
            OpcodeSignature::Kill => "a (one component)",
            OpcodeSignature::If(_) => "a, b (one component each)",
            OpcodeSignature::Unary(_) => "dest, a",
            OpcodeSignature::Binary(_) => "dest, a, b",
            OpcodeSignature::Sample(_) => "dest, a, sampler",
        };
        let since = opcode
            .since()
            .map_or("no player has it".to_owned(), |since| since.number().to_string());
        let masked = if opcode.signature().masks_w() { "without w" } else { "" };
        [
            format!("{:#04x}", opcode.code()),
            code(opcode.name()),
            since,
            programs,
            operands.to_owned(),
            masked.to_owned(),
        ]
    };
    table(["code", "name", "AGAL", "programs", "operands", "dest"], AgalOpcode::ALL.iter().map(row))
}

pub(super) fn agal_registers() -> String {
    let rows = RegisterFile::ALL.iter().flat_map(|file| {
        [Stage::Vertex, Stage::Fragment].map(|stage| {
            let view = file.view(stage);
            let access = |access: agal::register::RegisterAccess| match access {
                Ok(()) => "yes".to_owned(),
                Err(error) => error.number().to_string(),
            };
            let count =
                |count: Option<u16>| count.map_or("–".to_owned(), |count| count.to_string());
            let [v1, v2, v3, v4] = view.counts.map(count);
            let name = list(view.names.iter().map(code));
            [
                file.code().to_string(),
                stage.to_string(),
                name,
                v1,
                v2,
                v3,
                v4,
                access(view.read),
                access(view.write),
            ]
        })
    });
    let heads =
        ["type", "program", "names", "AGAL 1", "AGAL 2", "AGAL 3", "AGAL 4", "read", "written"];
    table(heads, rows)
}

pub(super) fn agal_sampler_bits() -> String {
    let row = |field: &SamplerField| {
        let mut words: Vec<(u8, String)> = Vec::new();
        for option in OPTIONS.iter().filter(|option| option.field == *field) {
            match words.iter_mut().find(|(bits, _)| *bits == option.bits) {
                Some((_, text)) => *text += &format!(" or {}", code(option.name)),
                None => words.push((option.bits, code(option.name))),
            }
        }
        let shift = 32 + field.shift();
        let values = list(words.iter().map(|(bits, words)| format!("{bits} {words}")));
        [format!("{shift} to {}", shift + 3), format!("{field:?}"), values]
    };
    table(["bits", "field", "values"], SamplerField::ALL.iter().map(row))
}

pub(super) fn agal_limits() -> String {
    let version = |version: &AgalVersion| {
        let [number, tokens] = [version.number().to_string(), version.max_tokens().to_string()];
        [number, tokens, MAX_NESTING.to_string()]
    };
    let versions =
        table(["AGAL", "tokens", "nested conditionals"], AgalVersion::ALL.iter().map(version));
    let mut rows =
        vec![Profile::ALL.iter().map(|p| p.max_version().number().to_string()).collect::<Vec<_>>()];
    let mut titles = vec!["newest AGAL".to_owned()];
    for file in RegisterFile::ALL {
        for stage in [Stage::Vertex, Stage::Fragment] {
            let Some(name) = file.name(stage) else { continue };
            let count = |p: &Profile| {
                file.count(stage, p.max_version(), *p).map_or("–".to_owned(), |n| n.to_string())
            };
            titles.push(format!("{} in {stage} programs", code(name)));
            rows.push(Profile::ALL.iter().map(count).collect());
        }
    }
    let rows = titles.into_iter().zip(rows).map(|(title, counts)| {
        let mut row: [String; 8] = Default::default();
        row[0] = title;
        row.iter_mut().skip(1).zip(counts).for_each(|(cell, count)| *cell = count);
        row
    });
    let [a, b, c, d, e, f, g] = names();
    format!("{versions}\n\n{}", table(["limit", a, b, c, d, e, f, g], rows))
}

pub(super) fn agal_errors() -> String {
    let row = |error: &ErrorKind| {
        let [number, raised, evidence] = [
            error.number().to_string(),
            error.raised_by().to_string(),
            error.witness().to_string(),
        ];
        [number, error.class().name().to_owned(), code(error.template()), raised, evidence]
    };
    table(["error", "class", "message", "raised by", "evidence"], ErrorKind::ALL.iter().map(row))
}

pub(super) fn d3d9_opcodes() -> String {
    use d3d9::opcode::{D3d9Opcode, DestinationUse, Range};
    let row = |opcode: &D3d9Opcode| {
        let range =
            |range: Range| range.map_or("–".to_owned(), |(from, to)| format!("{from} to {to}"));
        let dest = match opcode.target() {
            DestinationUse::No => "",
            DestinationUse::Declared => "declared",
            DestinationUse::Read(_) => "read",
            DestinationUse::Written(_) => "written",
        };
        [
            format!("{:#06x}", opcode.code()),
            code(opcode.header_name()),
            code(opcode.mnemonic()),
            dest.to_owned(),
            opcode.takes().len().to_string(),
            range(opcode.vertex()),
            range(opcode.pixel()),
            list(opcode.slots()),
        ]
    };
    let slots = "slots in vs_1_1, later vs, ps_1_x, later ps";
    let heads = ["code", "d3d9types.h", "name", "dest", "sources", "vertex", "pixel", slots];
    table(heads, D3d9Opcode::ALL.iter().map(row))
}

pub(super) fn d3d9_registers() -> String {
    use d3d9::register::ShaderFile;
    let mut rows = Vec::new();
    for file in ShaderFile::ALL {
        let mut left: Vec<d3d9::ShaderVersion> = d3d9::ShaderVersion::ALL.to_vec();
        while let Some(info) = left.first().map(|version| file.info(*version)) {
            let (same, others): (Vec<_>, Vec<_>) =
                left.into_iter().partition(|v| file.info(*v) == info);
            left = others;
            let Some(info) = info else { continue };
            let limit =
                |limit: Option<u8>| limit.map_or("–".to_owned(), |limit| limit.to_string());
            rows.push([
                code(file.name()),
                file.kind().to_string(),
                list(same),
                info.count.to_string(),
                format!("{:?}", info.access),
                limit(info.ports),
                limit(info.reads),
                format!("{:?}", info.relative),
                yes(info.declared),
            ]);
        }
    }
    let heads =
        ["register", "type", "versions", "count", "use", "ports", "reads", "relative", "declared"];
    table(heads, rows)
}

pub(super) fn hs50_opcodes() -> String {
    use hs50::opcode::{HullOpcode, OpcodeCondition};
    let row = |opcode: &HullOpcode| {
        let allowed = match opcode.allowed() {
            OpcodeCondition::Yes => "yes",
            OpcodeCondition::Rare => "yes, but no compiler emits it",
            OpcodeCondition::Double => "with doubles",
            OpcodeCondition::Double11 => "with the double extensions of 11.1",
            OpcodeCondition::Extension11 => "with the shader extensions of 11.1",
            OpcodeCondition::Level11 => "at feature level 11.1",
            OpcodeCondition::Tiled => "with tiled resources",
            OpcodeCondition::No => "no",
        };
        let types =
            |types: &[_]| types.iter().map(|of| format!("{of:?}")).collect::<Vec<_>>().join(" ");
        let category = format!("{:?}", opcode.category());
        let [to, from] = [types(opcode.destinations()), types(opcode.sources())];
        [opcode.number().to_string(), code(opcode.name()), category, allowed.to_owned(), to, from]
    };
    let heads = ["number", "name", "category", "in hull shaders", "destinations", "sources"];
    table(heads, HullOpcode::ALL.iter().map(row))
}

pub(super) fn hs50_registers() -> String {
    use hs50::register::RegisterInfo;
    let row = |register: &RegisterInfo| {
        let [access, indexed] =
            [register.access().name().to_owned(), register.indexed().to_owned()];
        [
            register.register().to_owned(),
            code(register.assembly()),
            list(register.phases().iter().map(|phase| format!("{phase:?}"))),
            register.counted().to_owned(),
            access,
            register.components().to_owned(),
            indexed,
            register.declaration().to_owned(),
            list(register.rules().iter().map(|rule| rule.name())),
        ]
    };
    let heads = [
        "register",
        "name",
        "phases",
        "count",
        "access",
        "components",
        "indexed",
        "declared",
        "rules",
    ];
    table(heads, RegisterInfo::ALL.iter().map(row))
}

pub(super) fn hs50_system_values() -> String {
    use hs50::names::SystemName;
    let row = |name: &SystemName| {
        let index = name.index().map_or(String::new(), |index| index.to_string());
        let [token, signature] = [name.token().to_string(), name.signature().to_string()];
        [token, code(name.name()), signature, code(name.short()), index]
    };
    table(["token", "name", "signature", "in listings", "index"], SystemName::ALL.iter().map(row))
}
