//! The calls, grouped as in Flash's manual. Each checks first and touches nothing until it has said yes.

mod bind;
mod bitmap;
mod buffers;
mod compressed;
mod draw;
mod fixed_function;
mod frame;
mod programs;
mod samplers;
mod target;
mod textures;
mod uploads;
mod video;

use crate::backend::Backend;
use crate::command::{Command, Reply};
use crate::context::Context3D;
use crate::error::{Error, ErrorCode, Fault};
use crate::names::Name;
use crate::resource::Room;

/// The value of an enumeration argument, or error 2007 or 2008 with the parameter's name.
fn accepted<T>(name: Name<T>, parameter: &'static str) -> Result<T, Fault> {
    match name {
        Name::Is(value) => Ok(value),
        Name::Null => Err(Fault::named(ErrorCode::NullParameter, parameter)),
        Name::Unknown => Err(Fault::named(ErrorCode::NotAccepted, parameter)),
    }
}

/// The value of a reference, or error 2007 with the parameter's name.
fn non_null<T>(value: Option<T>, parameter: &'static str) -> Result<T, Fault> {
    value.ok_or(Fault::named(ErrorCode::NullParameter, parameter))
}

/// A call that came to a function that does not know it: a fault of this crate, told as an error all the same.
#[cold]
fn misrouted() -> Error {
    Error::Unsupported("a call that nothing here carries out".to_owned())
}

/// Number of a register, stream or slot.
fn index_below(index: i32, count: usize) -> Result<usize, Fault> {
    usize::try_from(index)
        .ok()
        .filter(|index| *index < count)
        .ok_or(Fault::new(ErrorCode::IndexOutOfBounds))
}

impl<B: Backend> Context3D<B> {
    /// Calls that give an object.
    pub(crate) fn create(&mut self, command: &Command<'_>) -> Result<Reply, Error> {
        match *command {
            Command::CreateVertexBuffer {
                num_vertices,
                data32_per_vertex,
                buffer_usage,
            } => self.create_vertex_buffer_of(num_vertices, data32_per_vertex, 0, buffer_usage),
            Command::CreateVertexBufferForInstances {
                num_vertices,
                data32_per_vertex,
                instances_per_element,
                buffer_usage,
            } => {
                let instances = self.check_instances_per_element(instances_per_element)?;
                self.create_vertex_buffer_of(
                    num_vertices,
                    data32_per_vertex,
                    instances,
                    buffer_usage,
                )
            }
            Command::CreateIndexBuffer {
                num_indices,
                buffer_usage,
            } => self.create_index_buffer_of(num_indices, buffer_usage),
            Command::CreateTexture {
                width,
                height,
                format,
                optimize_for_render_to_texture,
                streaming_levels,
            } => self.create_texture_2d(
                width,
                height,
                format,
                optimize_for_render_to_texture,
                streaming_levels,
            ),
            Command::CreateRectangleTexture {
                width,
                height,
                format,
                optimize_for_render_to_texture,
            } => self.create_rectangle(width, height, format, optimize_for_render_to_texture),
            Command::CreateCubeTexture {
                size,
                format,
                optimize_for_render_to_texture,
                streaming_levels,
            } => self.create_cube(
                size,
                format,
                optimize_for_render_to_texture,
                streaming_levels,
            ),
            Command::CreateProgram => self.create_empty_program(),
            Command::CreateVideoTexture => self.create_video(),
            _ => Err(misrouted()),
        }
    }

    /// Calls that give nothing.
    pub(crate) fn change(&mut self, command: &Command<'_>) -> Result<(), Error> {
        match *command {
            Command::ConfigureBackBuffer {
                width,
                height,
                anti_alias,
                enable_depth_and_stencil,
                wants_best_resolution,
                wants_best_resolution_on_browser_zoom,
            } => {
                let best = [wants_best_resolution, wants_best_resolution_on_browser_zoom];
                self.configure(width, height, anti_alias, enable_depth_and_stencil, best)
            }
            Command::Clear {
                red,
                green,
                blue,
                alpha,
                depth,
                stencil,
                mask,
            } => self.clear_target([red, green, blue, alpha], depth, stencil, mask),
            Command::Present => self.show(),
            Command::Dispose { recreate } => self.dispose_all(recreate),
            Command::SetProgram { program } => {
                self.bind_program(program.map(|program| self.own(program)))
            }
            Command::SetVertexBufferAt {
                index,
                buffer,
                buffer_offset,
                format,
            } => self.bind_stream(
                index,
                buffer.map(|buffer| self.own(buffer)),
                buffer_offset,
                format,
            ),
            Command::SetTextureAt { sampler, texture } => {
                self.bind_texture(sampler, texture.map(|texture| self.own(texture)))
            }
            Command::SetSamplerStateAt {
                sampler,
                wrap,
                filter,
                mipfilter,
            } => self.set_sampler(sampler, wrap, filter, mipfilter),
            Command::SetRenderToTexture {
                texture,
                enable_depth_and_stencil,
                anti_alias,
                surface_selector,
                color_output_index,
            } => self.render_to_texture(
                texture.map(|texture| self.own(texture)),
                enable_depth_and_stencil,
                anti_alias,
                surface_selector,
                color_output_index,
            ),
            Command::SetRenderToBackBuffer => self.render_to_back_buffer(),
            Command::EnableErrorChecking { value } => {
                self.state.error_checking = value;
                Ok(())
            }
            Command::IgnoreResourceLimits { value } => {
                self.state.ignore_limits = value;
                Ok(())
            }
            Command::MaxBackBufferWidth { value } => {
                self.limit_back_buffer(0, value);
                Ok(())
            }
            Command::MaxBackBufferHeight { value } => {
                self.limit_back_buffer(1, value);
                Ok(())
            }
            Command::SetProgramConstantsFromMatrix { .. }
            | Command::SetProgramConstantsFromVector { .. }
            | Command::SetProgramConstantsFromByteArray { .. } => self.constants_call(command),
            Command::SetBlendFactors { .. }
            | Command::SetColorMask { .. }
            | Command::SetCulling { .. }
            | Command::SetDepthTest { .. }
            | Command::SetStencilActions { .. }
            | Command::SetStencilReferenceValue { .. }
            | Command::SetScissorRectangle { .. }
            | Command::SetFillMode { .. } => self.set_fixed_function(command),
            _ => self.resource_call(command),
        }
    }

    /// Calls on buffers, programs and textures.
    fn resource_call(&mut self, command: &Command<'_>) -> Result<(), Error> {
        match *command {
            Command::VertexBufferUploadFromByteArray {
                buffer,
                data,
                byte_array_offset,
                start_vertex,
                num_vertices,
            } => self.upload_vertex_bytes(
                self.own(buffer),
                data,
                byte_array_offset,
                start_vertex,
                num_vertices,
            ),
            Command::VertexBufferUploadFromVector {
                buffer,
                data,
                start_vertex,
                num_vertices,
            } => self.upload_vertex_numbers(self.own(buffer), data, start_vertex, num_vertices),
            Command::VertexBufferDispose { buffer } => {
                self.dispose_vertex_buffer_of(self.own(buffer))
            }
            Command::IndexBufferUploadFromByteArray {
                buffer,
                data,
                byte_array_offset,
                start_offset,
                count,
            } => self.upload_index_bytes(
                self.own(buffer),
                data,
                byte_array_offset,
                start_offset,
                count,
            ),
            Command::IndexBufferUploadFromVector {
                buffer,
                data,
                start_offset,
                count,
            } => self.upload_index_numbers(self.own(buffer), data, start_offset, count),
            Command::IndexBufferDispose { buffer } => {
                self.dispose_index_buffer_of(self.own(buffer))
            }
            Command::ProgramUpload {
                program,
                vertex_program,
                fragment_program,
            } => self.upload_program_of(self.own(program), vertex_program, fragment_program),
            Command::ProgramDispose { program } => self.dispose_program_of(self.own(program)),
            Command::TextureDispose { texture } => self.dispose_texture_of(self.own(texture)),
            Command::VideoTextureFrame { texture, source } => {
                self.show_video(self.own(texture), &source)
            }
            _ => self.texture_upload(command),
        }
    }

    fn texture_upload(&mut self, command: &Command<'_>) -> Result<(), Error> {
        match *command {
            Command::TextureUploadFromBitmapData {
                texture,
                source,
                side,
                miplevel,
            } => self.upload_bitmap(self.own(texture), source, side, miplevel),
            Command::TextureUploadFromByteArray {
                texture,
                data,
                byte_array_offset,
                side,
                miplevel,
            } => self.upload_texels(self.own(texture), data, byte_array_offset, side, miplevel),
            Command::TextureUploadFromBitmapDataAsync {
                texture,
                source,
                side,
                miplevel,
            } => {
                let key = self.own(texture);
                self.upload_later(key, source.map(drop), "source", miplevel, |context| {
                    context.upload_bitmap(key, source, side, miplevel)
                })
            }
            Command::TextureUploadFromByteArrayAsync {
                texture,
                data,
                byte_array_offset,
                side,
                miplevel,
            } => {
                let key = self.own(texture);
                self.upload_later(key, data.map(drop), "data", miplevel, |context| {
                    context.upload_texels(key, data, byte_array_offset, side, miplevel)
                })
            }
            Command::TextureUploadCompressedFromByteArray {
                texture,
                data,
                byte_array_offset,
                is_async,
            } => self.upload_atf(self.own(texture), data, byte_array_offset, is_async),
            _ => Err(misrouted()),
        }
    }

    /// The limits that hold for one more object.
    fn room(&self) -> Room {
        let grant = self.host.ignored_limits_memory;
        Room::new(self.limits, self.state.ignore_limits.then_some(grant))
    }
}
