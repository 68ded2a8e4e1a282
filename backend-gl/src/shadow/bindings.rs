//! Bindings of textures, samplers, buffers and attributes.

use context3d::backend::BackendError;
use context3d::packets::Stream;

use super::{AttributeFormat, Shadow, TextureUnit, VertexSource};
use crate::convert;
use crate::gl::{PixelSize, UniqueName, int};

/// The two texture targets in use, as indices into [`TextureUnit`].
const TWO_D: usize = 0;
const CUBE: usize = 1;

impl Shadow {
    /// Binds a texture and a sampler to a sampler's texture unit.
    pub(crate) fn texture(
        &mut self,
        register: usize,
        target: u32,
        texture: UniqueName<glow::Texture>,
        sampler: UniqueName<glow::Sampler>,
    ) {
        let Ok(number) = u32::try_from(register) else {
            return;
        };
        let Some(TextureUnit { textures, sampler: bound }) =
            self.known.units.get(register).copied()
        else {
            return;
        };
        let kind = kind_index(target);
        if textures.get(kind) != Some(&Some(texture)) {
            self.active_unit(number);
            self.gl.bind_texture(target, Some(texture.name));
        }
        if bound != Some(sampler) {
            self.gl.bind_sampler(number, Some(sampler.name));
        }
        if let Some(unit) = self.known.units.get_mut(register) {
            unit.sampler = Some(sampler);
            if let Some(slot) = unit.textures.get_mut(kind) {
                *slot = Some(texture);
            }
        }
    }

    /// Binds a texture for uploads and parameters, on a separate unit. Pass true as `new` if this may be the first
    /// bind, which creates the object and can fail. The previous texture is unbound before, so that no later call
    /// changes that texture.
    pub(crate) fn edit_texture(
        &mut self,
        target: u32,
        texture: UniqueName<glow::Texture>,
        new: bool,
    ) {
        let unit = self.upload_unit;
        self.active_unit(unit);
        if self.known.edited == Some(texture) {
            return;
        }
        if new {
            self.gl.bind_texture(target, None);
        }
        self.gl.bind_texture(target, Some(texture.name));
        // A device without a spare texture unit uses the upload unit for draws, too.
        let shared = self.known.units.get_mut(usize::try_from(unit).unwrap_or(usize::MAX));
        self.known.edited = shared.is_none().then_some(texture);
        if let Some(slot) = shared.and_then(|unit| unit.textures.get_mut(kind_index(target))) {
            *slot = Some(texture);
        }
    }

    /// Binds a framebuffer of the host; `None` for the default framebuffer.
    pub(crate) fn foreign_draw_framebuffer(&mut self, framebuffer: Option<glow::Framebuffer>) {
        self.gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, framebuffer);
        (self.known.draw_framebuffer, self.known.outputs) = (None, None);
    }

    /// Sets the viewport to a rectangle of a framebuffer of the host.
    pub(crate) fn foreign_viewport(&mut self, (x, y): (i32, i32), size: PixelSize) {
        self.gl.viewport(x, y, size.width, size.height);
        self.known.viewport = None;
    }

    /// Binds the vertex array's element buffer, and checks that the bind succeeded: without an element buffer, Mesa
    /// reads memory at the offset of a draw.
    #[inline]
    pub(crate) fn index_buffer(
        &mut self,
        buffer: UniqueName<glow::Buffer>,
    ) -> Result<(), BackendError> {
        if self.known.index_buffer != Some(buffer) {
            let certain = self.gl.has_indices();
            if !certain {
                self.gl.log_errors("an earlier call")?;
            }
            self.gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(buffer.name));
            if !certain {
                self.gl.check("binding an index buffer")?;
            }
            self.gl.set_indices(Some(buffer.name));
            self.known.index_buffer = Some(buffer);
        }
        Ok(())
    }

    /// Enables exactly these attributes.
    #[inline]
    pub(crate) fn enabled_attributes(&mut self, set: u16) {
        if self.known.enabled_attributes != set {
            self.change_attributes(set);
        }
    }

    fn change_attributes(&mut self, set: u16) {
        let mut changed = self.known.enabled_attributes ^ set;
        while changed != 0 {
            let index = changed.trailing_zeros();
            changed &= changed.wrapping_sub(1);
            if set >> index & 1 != 0 {
                self.gl.enable_attribute(index);
            } else {
                self.gl.disable_attribute(index);
            }
        }
        self.known.enabled_attributes = set;
    }

    /// Sets the source of an attribute. A draw sets all its attributes, lowest first.
    pub(crate) fn attribute(
        &mut self,
        register: usize,
        stream: &Stream,
        buffer: UniqueName<glow::Buffer>,
    ) {
        if self.bindings_apart {
            return self.fetch(register, stream, buffer);
        }
        let Some(known) = self.known.attributes.get_mut(register) else {
            return;
        };
        let new = Some((*stream, buffer));
        if *known != new {
            *known = new;
            self.pointer(register, stream, buffer);
        }
    }

    /// Tries to attach an attribute to the vertex-buffer binding of an earlier attribute of this draw. Returns false if
    /// the attributes can't share a binding.
    #[inline]
    pub(crate) fn shares(
        &mut self,
        register: usize,
        stream: &Stream,
        (leader, first): (usize, &Stream),
    ) -> bool {
        let Some(distance) = stream.offset.checked_sub(first.offset) else {
            return false;
        };
        let shares = self.bindings_apart
            && distance <= REACH
            && stream.buffer == first.buffer
            && (stream.stride, stream.divisor) == (first.stride, first.divisor);
        if shares {
            self.format(register, (stream.format, distance, leader));
        }
        shares
    }

    #[inline]
    fn format(&mut self, register: usize, new: AttributeFormat) {
        if self.known.formats.get(register) != Some(&Some(new)) {
            self.change_format(register, new);
        }
    }

    #[cold]
    #[inline(never)]
    fn change_format(&mut self, register: usize, new: AttributeFormat) {
        let (Some(known), Ok(index)) =
            (self.known.formats.get_mut(register), u32::try_from(register))
        else {
            return;
        };
        let (format, relative, binding) = new;
        let (size, data_type, normalized) = convert::vertex_format(format);
        self.gl.attribute_format(index, size, data_type, normalized, relative);
        if known.is_none_or(|(_, _, old)| old != binding) {
            let binding = u32::try_from(binding).unwrap_or(0);
            self.gl.attribute_binding(index, binding);
        }
        *known = Some(new);
    }

    /// Sets an attribute with a separate vertex-buffer binding.
    fn fetch(&mut self, register: usize, stream: &Stream, buffer: UniqueName<glow::Buffer>) {
        let Stream { offset, stride, divisor, .. } = *stream;
        let new = VertexSource { buffer, offset, stride, divisor };
        self.format(register, (stream.format, 0, register));
        let (Some(source), Some(divisor), Ok(index)) = (
            self.known.sources.get_mut(register),
            self.known.divisors.get_mut(register),
            u32::try_from(register),
        ) else {
            return;
        };
        if *source == Some(new) {
            return;
        }
        if *divisor != stream.divisor {
            self.gl.binding_divisor(index, stream.divisor);
            *divisor = stream.divisor;
        }
        self.gl.bind_vertex_buffer(index, Some(buffer.name), int(offset), int(stride));
        *source = Some(new);
    }

    /// Sets an attribute for [`Remedy::AttributePointers`](crate::workarounds::Remedy).
    #[inline(never)]
    fn pointer(&mut self, register: usize, stream: &Stream, buffer: UniqueName<glow::Buffer>) {
        let Ok(index) = u32::try_from(register) else {
            return;
        };
        if self.known.array_buffer != Some(buffer) {
            self.gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer.name));
            self.known.array_buffer = Some(buffer);
        }
        let (size, data_type, normalized) = convert::vertex_format(stream.format);
        let [stride, offset] = [stream.stride, stream.offset].map(int);
        self.gl.attribute_pointer(index, size, data_type, normalized, stride, offset);
        let Some(divisor) = self.known.divisors.get_mut(register) else {
            return;
        };
        if *divisor != stream.divisor {
            self.gl.attribute_divisor(index, stream.divisor);
            *divisor = stream.divisor;
        }
    }
}

/// Maximum offset of an attribute in a binding: the minimum of `GL_MAX_VERTEX_ATTRIB_RELATIVE_OFFSET`.
const REACH: u32 = 2047;

fn kind_index(target: u32) -> usize {
    if target == glow::TEXTURE_CUBE_MAP { CUBE } else { TWO_D }
}
