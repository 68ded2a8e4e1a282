//! Calls with other arguments: as a front end with an error takes them.

use context3d::arguments::Rectangle;
use context3d::enums::FlashName;
use molehill_capture::Call;
use molehill_capture::data::{ByteArray, Bytes, Enum};

/// The call that sets a state to another value than the default.
pub(super) fn default(name: &str) -> Option<Call> {
    fn is<T: FlashName>(text: &str) -> Enum<T> {
        Enum::parse(Some(text))
    }
    let depth = |depth_mask, compare: &str| Call::SetDepthTest {
        depth_mask,
        pass_compare_mode: is(compare),
    };
    Some(match name {
        "blend" => {
            Call::SetBlendFactors { source_factor: is("one"), destination_factor: is("one") }
        }
        "color_mask" => Call::SetColorMask { red: true, green: false, blue: true, alpha: true },
        "culling" => Call::SetCulling { triangle_face_to_cull: is("back") },
        "depth_compare" => depth(true, "always"),
        "depth_mask" => depth(false, "less"),
        "fill_mode" => Call::SetFillMode { fill_mode: is("wireframe") },
        "sampler" => Call::SetSamplerStateAt {
            sampler: 0,
            wrap: is("clamp"),
            filter: is("linear"),
            mipfilter: is("mipnone"),
        },
        "scissor" => Call::SetScissorRectangle {
            rectangle: Some(Rectangle { x: 4.0, y: 4.0, width: 8.0, height: 8.0 }),
        },
        "stencil" => Call::SetStencilActions {
            triangle_face: is("frontAndBack"),
            compare_mode: is("never"),
            action_on_both_pass: is("keep"),
            action_on_depth_fail: is("keep"),
            action_on_depth_pass_stencil_fail: is("keep"),
        },
        "constants" => Call::SetProgramConstantsFromVector {
            program_type: is("fragment"),
            first_register: 0,
            data: Some(molehill_capture::data::Numbers(vec![1.0; 4])),
            num_registers: 1,
        },
        _ => return None,
    })
}

/// Makes one more of the limit the limit, or the limit one more.
fn shift(value: &mut i32, most: u64, past: u64, wider: bool) {
    let number = |limit: u64| i32::try_from(limit).unwrap_or(i32::MAX);
    match wider {
        true if *value == number(past) => *value = number(most),
        false if *value == number(most) => *value = number(past),
        _ => {}
    }
}

/// Changes a call as if a limit were another; returns whether it is refused.
pub(super) fn limit(call: &mut Call, name: &str, most: u64, wider: bool) -> bool {
    let last = most.saturating_sub(1);
    match (name, call) {
        ("max_texture_2d", Call::CreateTexture { width, height, .. }) => {
            shift(width, most, most * 2, wider);
            shift(height, most, most * 2, wider);
        }
        ("max_texture_cube", Call::CreateCubeTexture { size, .. }) => {
            shift(size, most, most * 2, wider);
        }
        ("max_texture_rectangle", Call::CreateRectangleTexture { width, height, .. }) => {
            shift(width, most, most + 1, wider);
            shift(height, most, most + 1, wider);
        }
        ("half_float_textures", Call::CreateTexture { format, .. })
            if format.text() == Some("rgbaHalfFloat") =>
        {
            if wider {
                *format = Enum::parse(Some("bgra"));
            }
            return !wider;
        }
        ("instanced_drawing", Call::CreateVertexBufferForInstances { .. }) => return !wider,
        ("vertex_attributes", Call::SetVertexBufferAt { index, .. }) => {
            shift(index, last, most, wider);
        }
        (
            "fragment_samplers",
            Call::SetTextureAt { sampler, .. } | Call::SetSamplerStateAt { sampler, .. },
        ) => shift(sampler, last, most, wider),
        ("vertex_constants" | "fragment_constants", call) => constants(call, name, most, wider),
        ("color_outputs", Call::SetRenderToTexture { color_output_index, .. }) => {
            shift(color_output_index, last, most, wider);
        }
        ("data32_per_vertex", Call::CreateVertexBuffer { data32_per_vertex, .. }) => {
            shift(data32_per_vertex, most, most + 1, wider);
        }
        ("vertices_per_buffer", Call::CreateVertexBuffer { num_vertices, .. }) => {
            shift(num_vertices, most, most + 1, wider);
        }
        ("indices_per_buffer", Call::CreateIndexBuffer { num_indices, .. }) => {
            shift(num_indices, most, most + 1, wider);
        }
        ("min_back_buffer", Call::ConfigureBackBuffer { width, height, .. }) => {
            shift(width, most, last, wider);
            shift(height, most, last, wider);
        }
        ("tokens", Call::ProgramUpload { vertex_program, .. }) => {
            tokens(vertex_program, most, wider)
        }
        _ => {}
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

/// Bytes before the first token, and of a token (agal.md section 2).
const HEADER: usize = 7;
const TOKEN: usize = 24;

fn tokens(program: &mut ByteArray, most: u64, wider: bool) {
    let Some(Bytes { bytes, .. }) = &mut program.0 else {
        return;
    };
    let count = bytes.len().saturating_sub(HEADER) / TOKEN;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if wider && count == most.saturating_add(1) {
        bytes.truncate(HEADER + most * TOKEN);
    } else if !wider && count == most {
        let token: Vec<u8> = bytes.iter().rev().take(TOKEN).rev().copied().collect();
        bytes.extend(token);
    }
}

/// A string of an enumeration that is taken for another.
pub(super) struct Taken<'a> {
    pub(super) of: &'a str,
    pub(super) is: &'a str,
    pub(super) not: &'a str,
}

impl Taken<'_> {
    fn take<T: FlashName>(&self, of: &str, value: &mut Enum<T>) {
        if of == self.of && value.text() == Some(self.is) {
            *value = Enum::parse(Some(self.not));
        }
    }
}

/// Replaces the string in all arguments of its enumeration.
pub(super) fn member(call: &mut Call, taken: &Taken<'_>) {
    match call {
        Call::SetBlendFactors { source_factor, destination_factor } => {
            taken.take("BlendFactor", source_factor);
            taken.take("BlendFactor", destination_factor);
        }
        Call::SetCulling { triangle_face_to_cull } => {
            taken.take("TriangleFace", triangle_face_to_cull);
        }
        Call::SetDepthTest { pass_compare_mode, .. } => {
            taken.take("CompareMode", pass_compare_mode);
        }
        Call::SetFillMode { fill_mode } => taken.take("FillMode", fill_mode),
        Call::SetStencilActions {
            triangle_face,
            compare_mode,
            action_on_both_pass,
            action_on_depth_fail,
            action_on_depth_pass_stencil_fail,
        } => {
            taken.take("TriangleFace", triangle_face);
            taken.take("CompareMode", compare_mode);
            taken.take("StencilAction", action_on_both_pass);
            taken.take("StencilAction", action_on_depth_fail);
            taken.take("StencilAction", action_on_depth_pass_stencil_fail);
        }
        Call::SetSamplerStateAt { wrap, filter, mipfilter, .. } => {
            taken.take("WrapMode", wrap);
            taken.take("TextureFilter", filter);
            taken.take("MipFilter", mipfilter);
        }
        Call::SetVertexBufferAt { format, .. } => taken.take("VertexFormat", format),
        Call::CreateTexture { format, .. } | Call::CreateCubeTexture { format, .. } => {
            taken.take("TextureFormat", format);
        }
        Call::SetProgramConstantsFromVector { program_type, .. }
        | Call::SetProgramConstantsFromMatrix { program_type, .. }
        | Call::SetProgramConstantsFromByteArray { program_type, .. } => {
            taken.take("ProgramType", program_type);
        }
        _ => {}
    }
}

/// A call of `SETTERS` with its bad arguments replaced.
pub(super) fn repaired(mut call: Call) -> Call {
    fn repair<T: FlashName>(value: &mut Enum<T>) {
        if let (None, Some((member, _))) = (value.text().and_then(T::from_name), T::NAMES.first()) {
            *value = Enum::Is(*member);
        }
    }
    match &mut call {
        Call::SetBlendFactors { source_factor, destination_factor } => {
            repair(source_factor);
            repair(destination_factor);
        }
        Call::SetCulling { triangle_face_to_cull } => {
            // Both faces are dropped: what the string was nearest to doesn't matter.
            *triangle_face_to_cull = Enum::parse(Some("frontAndBack"));
        }
        Call::SetDepthTest { pass_compare_mode, .. } => repair(pass_compare_mode),
        Call::SetStencilActions {
            triangle_face,
            compare_mode,
            action_on_both_pass,
            action_on_depth_fail,
            action_on_depth_pass_stencil_fail,
        } => {
            repair(triangle_face);
            repair(compare_mode);
            repair(action_on_both_pass);
            repair(action_on_depth_fail);
            repair(action_on_depth_pass_stencil_fail);
        }
        Call::SetSamplerStateAt { wrap, filter, mipfilter, .. } => {
            repair(wrap);
            repair(filter);
            repair(mipfilter);
        }
        Call::SetProgramConstantsFromVector { program_type, num_registers, .. } => {
            repair(program_type);
            *num_registers = -1;
        }
        _ => {}
    }
    call
}
