//! Changes the arguments of calls, for deliberate errors of the API layer.

use molehill_capture::Call;
use molehill_capture::data::{ByteArray, ByteArrayData, Enum};
use molehill_capture::objects::ObjectKind;

use crate::calls::words::ScriptObjects;
use crate::calls::{self, ArgumentMut, arguments_mut};

/// The mutations of a context's initial state, each with a call that sets another value.
pub(super) const DEFAULTS: [(&str, &str); 10] = [
    ("blend", "setBlendFactors one one"),
    ("color_mask", "setColorMask true false true true"),
    ("culling", "setCulling back"),
    ("depth_compare", "setDepthTest true always"),
    ("depth_mask", "setDepthTest false less"),
    ("fill_mode", "setFillMode wireframe"),
    ("sampler", "setSamplerStateAt 0 clamp linear mipnone"),
    ("scissor", "setScissorRectangle 4,4,8,8"),
    ("stencil", "setStencilActions frontAndBack never keep keep keep"),
    ("constants", "setProgramConstantsFromVector fragment 0 1,1,1,1 1"),
];

pub(super) fn default(text: &str) -> Option<Call> {
    let mut words = text.split(' ');
    calls::call(ObjectKind::Context3D, words.next()?, words, &ScriptObjects::new())
}

struct ArgumentLimit {
    name: &'static str,
    calls: &'static [&'static str],
    parameters: &'static [&'static str],
    /// True if the largest valid argument is an index, one below the limit.
    is_last: bool,
    /// Computes the smallest invalid argument from the limit.
    past: fn(u64) -> u64,
}

macro_rules! limits {
    ($($name:ident [$($call:ident)*] [$($parameter:ident)*] $is_last:literal $past:expr;)+) => {
        const LIMITS: &[ArgumentLimit] = &[$(ArgumentLimit {
            name: stringify!($name),
            calls: &[$(stringify!($call)),*],
            parameters: &[$(stringify!($parameter)),*],
            is_last: $is_last,
            past: $past,
        }),+];
    };
}

// Each line has a limit, calls, parameters, `is_last` and `past`. The function `limit` handles the limits whose list of
// calls is empty.
limits! {
    max_texture_2d [createTexture] [width height] false |most| most * 2;
    max_texture_rectangle [createRectangleTexture] [width height] false |most| most + 1;
    max_texture_cube [createCubeTexture] [size] false |most| most * 2;
    half_float_textures [] [] false |most| most;
    instanced_drawing [] [] false |most| most;
    vertex_attributes [setVertexBufferAt] [index] true |last| last + 1;
    fragment_samplers [setTextureAt setSamplerStateAt] [sampler] true |last| last + 1;
    vertex_constants [] [] false |most| most;
    fragment_constants [] [] false |most| most;
    color_outputs [setRenderToTexture] [colorOutputIndex] true |last| last + 1;
    data32_per_vertex [createVertexBuffer] [data32PerVertex] false |most| most + 1;
    vertices_per_buffer [createVertexBuffer] [numVertices] false |most| most + 1;
    indices_per_buffer [createIndexBuffer] [numIndices] false |most| most + 1;
    min_back_buffer [configureBackBuffer] [width height] false |least| least.saturating_sub(1);
    tokens [] [] false |most| most;
}

pub(super) fn limits() -> impl Iterator<Item = &'static str> {
    LIMITS.iter().map(|limit| limit.name)
}

/// Moves an argument across a limit: if `wider`, from `past` (invalid) to `most` (valid), else from `most` to `past`.
fn shift(value: &mut i32, most: u64, past: u64, wider: bool) {
    let [most, past] = [most, past].map(|limit| i32::try_from(limit).unwrap_or(i32::MAX));
    if wider && *value == past {
        *value = most;
    } else if !wider && *value == most {
        *value = past;
    }
}

/// Changes a call as if a limit were larger or smaller. Returns whether the call is rejected.
pub(super) fn limit(call: &mut Call, name: &str, most: u64, wider: bool) -> bool {
    match (name, &mut *call) {
        ("half_float_textures", Call::CreateTexture { format, .. })
            if format.text() == Some("rgbaHalfFloat") =>
        {
            if wider {
                *format = Enum::parse(Some("bgra"));
            }
            return !wider;
        }
        ("instanced_drawing", Call::CreateVertexBufferForInstances { .. }) => return !wider,
        ("vertex_constants" | "fragment_constants", call) => constants(call, name, most, wider),
        ("tokens", Call::ProgramUpload { vertex_program, .. }) => {
            tokens(vertex_program, most, wider)
        }
        _ => {}
    }
    let call_name = call.name();
    for limit in
        LIMITS.iter().filter(|limit| limit.name == name && limit.calls.contains(&call_name))
    {
        let most = most.saturating_sub(u64::from(limit.is_last));
        arguments_mut(call, |parameter, argument| {
            if let ArgumentMut::Int(value) = argument
                && limit.parameters.contains(&parameter)
            {
                shift(value, most, (limit.past)(most), wider);
            }
        });
    }
    false
}

fn constants(call: &mut Call, name: &str, most: u64, wider: bool) {
    let (stage, first, count) = match call {
        Call::SetProgramConstantsFromVector { program_type, first_register, data, .. } => {
            let count = data.as_ref().map_or(0, |numbers| numbers.0.len() / 4);
            (program_type.text(), first_register, count)
        }
        Call::SetProgramConstantsFromMatrix { program_type, first_register, .. } => {
            (program_type.text(), first_register, 4)
        }
        Call::SetProgramConstantsFromByteArray {
            program_type,
            first_register,
            num_registers,
            ..
        } => (program_type.text(), first_register, usize::try_from(*num_registers).unwrap_or(0)),
        _ => return,
    };
    if stage.is_some_and(|stage| name.starts_with(stage)) {
        let at = most.saturating_sub(count as u64);
        shift(first, at, at + 1, wider);
    }
}

/// The size of an AGAL program's header in bytes [agal.program.header].
pub(crate) const HEADER: usize = 7;
/// The size of an AGAL token in bytes [agal.token.layout].
pub(crate) const TOKEN: usize = 24;

fn tokens(program: &mut ByteArray, most: u64, wider: bool) {
    let Some(ByteArrayData { bytes, .. }) = &mut program.0 else { return };
    let count = bytes.len().saturating_sub(HEADER) / TOKEN;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if wider && count == most.saturating_add(1) {
        bytes.truncate(HEADER + most * TOKEN);
    } else if !wider && count == most {
        let token: Vec<u8> = bytes.iter().rev().take(TOKEN).rev().copied().collect();
        bytes.extend(token);
    }
}

/// Replaces a member of an enumeration with another member, in all arguments of a call.
pub(super) fn member(call: &mut Call, enumeration: &str, is: &str, not: &str) {
    arguments_mut(call, |_, argument| {
        if let ArgumentMut::Name(of, value) = argument
            && of == enumeration
            && value.text() == Some(is)
        {
            value.set(not);
        }
    });
}

/// Replaces all invalid arguments of a call with valid ones.
pub(super) fn repaired(mut call: Call) -> Call {
    arguments_mut(&mut call, |_, argument| {
        if let ArgumentMut::Name(_, value) = argument {
            value.repair();
        }
    });
    match &mut call {
        // An invalid string becomes `frontAndBack`, which always changes the image because nothing is drawn.
        Call::SetCulling { triangle_face_to_cull } => {
            *triangle_face_to_cull = Enum::parse(Some("frontAndBack"))
        }
        Call::SetProgramConstantsFromVector { num_registers, .. } => *num_registers = -1,
        _ => {}
    }
    call
}
