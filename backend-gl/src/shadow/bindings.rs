//! Bindings of textures, samplers, buffers and attributes.

use context3d::backend::BackendError;
use context3d::packets::Stream;

use super::{Format, Shadow, Source, Unit};
use crate::convert;
use crate::gl::{Object, Rect, int};

/// The two texture targets in use, as indices into [`Unit`].
const TWO_D: usize = 0;
const CUBE: usize = 1;

impl Shadow {
    fn activate(&mut self, unit: u32) {
        if self.active_unit != Some(unit) {
            self.gl.active_texture(glow::TEXTURE0.saturating_add(unit));
            self.active_unit = Some(unit);
        }
    }

    /// A texture and how it is read, on a sampler's unit.
    pub(crate) fn texture(
        &mut self,
        register: usize,
        target: u32,
        texture: Object<glow::Texture>,
        sampler: Object<glow::Sampler>,
    ) {
        let Ok(number) = u32::try_from(register) else {
            return;
        };
        let Some(Unit { textures, sampler: bound }) = self.units.get(register).copied() else {
            return;
        };
        let kind = kind_index(target);
        if textures.get(kind) != Some(&Some(texture)) {
            self.activate(number);
            self.gl.bind_texture(target, Some(texture.name));
        }
        if bound != Some(sampler) {
            self.gl.bind_sampler(number, Some(sampler.name));
        }
        if let Some(unit) = self.units.get_mut(register) {
            unit.sampler = Some(sampler);
            if let Some(slot) = unit.textures.get_mut(kind) {
                *slot = Some(texture);
            }
        }
    }

    /// Binds a texture for uploads and parameters, on a separate unit. `new`: perhaps for the first time. Then GL makes the
    /// object; if that fails, no other texture must be bound that would be changed.
    pub(crate) fn edit_texture(&mut self, target: u32, texture: Object<glow::Texture>, new: bool) {
        let unit = self.upload_unit;
        self.activate(unit);
        if self.edited == Some(texture) {
            return;
        }
        if new {
            self.gl.bind_texture(target, None);
        }
        self.gl.bind_texture(target, Some(texture.name));
        // Only on a device without a spare unit.
        let shared = self.units.get_mut(usize::try_from(unit).unwrap_or(usize::MAX));
        self.edited = shared.is_none().then_some(texture);
        if let Some(slot) = shared.and_then(|unit| unit.textures.get_mut(kind_index(target))) {
            *slot = Some(texture);
        }
    }

    /// Binds a framebuffer of the host; `None` for the default framebuffer.
    pub(crate) fn foreign_draw_framebuffer(&mut self, framebuffer: Option<glow::Framebuffer>) {
        self.gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, framebuffer);
        (self.draw_framebuffer, self.outputs) = (None, None);
    }

    /// Sets the viewport to a rectangle of a framebuffer of the host.
    pub(crate) fn foreign_viewport(&mut self, (x, y): (i32, i32), size: Rect) {
        self.gl.viewport(x, y, size.width, size.height);
        self.viewport = None;
    }

    /// Binds the vertex array's element buffer. Makes sure that there is one: without it, Mesa reads memory at the offset
    /// of a draw.
    #[inline]
    pub(crate) fn index_buffer(
        &mut self,
        buffer: Object<glow::Buffer>,
    ) -> Result<(), BackendError> {
        if self.index_buffer != Some(buffer) {
            let certain = self.gl.has_indices();
            if !certain {
                self.gl.log_errors("an earlier call")?;
            }
            self.gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(buffer.name));
            if !certain {
                self.gl.check("binding an index buffer")?;
            }
            self.gl.set_indices(Some(buffer.name));
            self.index_buffer = Some(buffer);
        }
        Ok(())
    }

    /// Enables exactly these attributes.
    #[inline]
    pub(crate) fn enabled_attributes(&mut self, set: u16) {
        if self.enabled_attributes != set {
            self.change_attributes(set);
        }
    }

    fn change_attributes(&mut self, set: u16) {
        let mut changed = self.enabled_attributes ^ set;
        while changed != 0 {
            let index = changed.trailing_zeros();
            changed &= changed.wrapping_sub(1);
            if set >> index & 1 != 0 {
                self.gl.enable_attribute(index);
            } else {
                self.gl.disable_attribute(index);
            }
        }
        self.enabled_attributes = set;
    }

    /// Where an attribute comes from. All of a draw are set, from the lowest on.
    pub(crate) fn attribute(
        &mut self,
        register: usize,
        stream: &Stream,
        buffer: Object<glow::Buffer>,
    ) {
        if self.bindings_apart {
            return self.fetch(register, stream, buffer);
        }
        let Some(known) = self.attributes.get_mut(register) else {
            return;
        };
        let new = Some((*stream, buffer));
        if *known != new {
            *known = new;
            self.pointer(register, stream, buffer);
        }
    }

    /// An attribute that lies in the same buffer as one that was set for the same draw, and that shares its binding. False:
    /// it can't.
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
    fn format(&mut self, register: usize, new: Format) {
        if self.formats.get(register) != Some(&Some(new)) {
            self.change_format(register, new);
        }
    }

    #[cold]
    #[inline(never)]
    fn change_format(&mut self, register: usize, new: Format) {
        let (Some(known), Ok(index)) = (self.formats.get_mut(register), u32::try_from(register))
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

    /// By a binding of its own.
    fn fetch(&mut self, register: usize, stream: &Stream, buffer: Object<glow::Buffer>) {
        let Stream { offset, stride, divisor, .. } = *stream;
        let new = Source { buffer, offset, stride, divisor };
        self.format(register, (stream.format, 0, register));
        let (Some(source), Some(divisor), Ok(index)) = (
            self.sources.get_mut(register),
            self.divisors.get_mut(register),
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

    /// [`Remedy::AttributePointers`](crate::workarounds::Remedy).
    #[inline(never)]
    fn pointer(&mut self, register: usize, stream: &Stream, buffer: Object<glow::Buffer>) {
        let Ok(index) = u32::try_from(register) else {
            return;
        };
        if self.array_buffer != Some(buffer) {
            self.gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer.name));
            self.array_buffer = Some(buffer);
        }
        let (size, data_type, normalized) = convert::vertex_format(stream.format);
        let [stride, offset] = [stream.stride, stream.offset].map(int);
        self.gl.attribute_pointer(index, size, data_type, normalized, stride, offset);
        let Some(divisor) = self.divisors.get_mut(register) else {
            return;
        };
        if *divisor != stream.divisor {
            self.gl.attribute_divisor(index, stream.divisor);
            *divisor = stream.divisor;
        }
    }
}

/// How far behind a binding's begin an attribute may lie: `GL_MAX_VERTEX_ATTRIB_RELATIVE_OFFSET` is at least this.
const REACH: u32 = 2047;

fn kind_index(target: u32) -> usize {
    if target == glow::TEXTURE_CUBE_MAP { CUBE } else { TWO_D }
}
