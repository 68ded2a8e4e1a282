//! Validation of draw packets.

use context3d::enums::{MipFilter, WrapMode};
use context3d::packets::{Draw, Stream, TextureKind, slot_samplers};

use super::ValidatingBackend;

impl ValidatingBackend {
    pub(super) fn draw(&mut self, draw: &Draw) {
        let layout = |stream: Stream| (stream.format, stream.stride, stream.divisor);
        let state = (draw.state, draw.streams.map(|stream| stream.map(layout)));
        assert_eq!(
            self.states.entry(draw.state.id).or_insert(state),
            &state,
            "two states have one id"
        );
        let interface = &self.programs[&draw.state.program];
        assert!(draw.index_count > 0 && draw.index_count.is_multiple_of(3));
        assert!(draw.instances > 0);
        let first = draw.first_index as usize;
        let indices = &self.index_buffers[&draw.index_buffer];
        let indices = &indices[first..first + draw.index_count as usize];
        let largest = u64::from(*indices.iter().max().expect("not empty"));
        for (register, stream) in draw.streams.iter().enumerate() {
            let read = interface.live_attributes >> register & 1 == 1;
            assert_eq!(read, stream.is_some(), "stream {register}");
            if let Some(stream) = stream {
                self.stream(stream, largest, draw.instances);
            }
        }
        for (slot, binding) in draw.textures.iter().enumerate() {
            let used = slot_samplers(interface, slot).next().is_some();
            assert_eq!(used, binding.is_some(), "texture {slot}");
            let Some(binding) = binding else { continue };
            assert!(!self.targets(binding.texture), "the draw reads a texture of its target");
            for sampler in slot_samplers(interface, slot) {
                self.sampled(sampler, binding);
            }
        }
        assert_eq!(draw.state.outputs, interface.color_outputs & self.outputs(), "colour outputs");
        let (width, height, _) = self.target_size();
        if let Some(scissor) = draw.scissor {
            assert!(scissor.width > 0 && scissor.height > 0);
            assert!(scissor.x + scissor.width <= width);
            assert!(scissor.y + scissor.height <= height);
        }
    }

    /// Checks that the last byte the draw reads from a stream is inside its buffer or its padding.
    fn stream(&self, stream: &Stream, largest: u64, instances: u32) {
        let [bytes, readable] = self.vertex_buffers[&stream.buffer];
        let last = match stream.divisor {
            0 => largest,
            divisor => u64::from((instances - 1) / divisor),
        };
        let end = last * u64::from(stream.stride)
            + u64::from(stream.offset)
            + u64::from(stream.format.bytes());
        assert!(stream.offset <= bytes);
        assert!(end <= u64::from(readable), "{stream:?} reads {end} of {readable}");
    }

    fn sampled(
        &self,
        sampler: &agal::sampler::SamplerOp,
        binding: &context3d::packets::TextureBinding,
    ) {
        let texture = &self.textures[&binding.texture];
        let cube = texture.desc.kind == TextureKind::Cube;
        assert_eq!(sampler.dimension == agal::sampler::Dimension::Cube, cube);
        if texture.desc.kind != TextureKind::TwoD {
            assert_eq!(binding.sampler.wrap, WrapMode::Clamp);
        }
        let smallest = texture.desc.levels - 1;
        for levels in &texture.levels[..usize::from(texture.faces())] {
            if binding.sampler.mip == MipFilter::None {
                assert!(levels & 1 == 1, "level 0 has no content");
            } else {
                // The largest levels of a streaming texture may be missing; all smaller ones must exist.
                assert!(levels >> smallest & 1 == 1, "the smallest level has no content");
            }
        }
    }
}
