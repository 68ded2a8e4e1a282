//! Translates texture instructions and `kil`.

use agal::ir::IrDestination;
use agal::opcode::AgalOpcode as Agal;
use agal::sampler::SamplerOp;
use agal_core::{Component, Swizzle, WriteMask};

use super::TranslationResult;
use super::builder::D3d9Builder;
use super::operand::{AgalOperand, AgalTarget, dimension};
use crate::opcode::D3d9Opcode;
use crate::register::ShaderFile;
use crate::texture_order::MAX_ORDER;
use crate::version::ShaderVersion;

impl D3d9Builder {
    /// Translates `tex`, and `tld` of vertex programs (P4, P5).
    pub(super) fn texture(
        &mut self,
        opcode: Agal,
        dest: &IrDestination,
        coordinate: AgalOperand,
        state: &SamplerOp,
    ) -> TranslationResult {
        if let Some(known) = self.samplers.get_mut(usize::from(state.register)) {
            *known = Some(*state);
        }
        let sampler = AgalOperand::new(ShaderFile::Sampler.at(state.register));
        let lanes = WriteMask::first(dimension(state).coordinates());
        let target = self.destination(dest)?;
        let file = target.register.file;
        if !self.pixel() {
            if self.version != ShaderVersion::Vs30 {
                return Err(self.cannot(opcode));
            }
            // Coordinate w selects mip level 0.
            let coordinate = self.copy(coordinate, lanes);
            let [zero] = self.literals([0.0]);
            let level = AgalTarget::new(coordinate.register, WriteMask::from_bits(8));
            self.push(D3d9Opcode::Mov, level, &[zero]);
            let to = self.scratch();
            self.push(
                D3d9Opcode::TexLdl,
                AgalTarget::new(to, WriteMask::ALL),
                &[coordinate, sampler],
            );
            self.push(D3d9Opcode::Mov, target, &[AgalOperand::new(to)]);
            return Ok(());
        }
        if self.model_3() && file != ShaderFile::Depth {
            self.push(D3d9Opcode::Tex, target, &[coordinate, sampler]);
            return Ok(());
        }
        let whole = coordinate.swizzle == Swizzle::IDENTITY
            && matches!(coordinate.register.file, ShaderFile::Temp | ShaderFile::Texture);
        if !whole && self.depth > 0 && self.version == ShaderVersion::Ps2x {
            self.texture_of_gradients(target, coordinate, sampler, lanes);
            return Ok(());
        }
        let coordinate = if whole { coordinate } else { self.copy(coordinate, lanes) };
        if file == ShaderFile::Temp && target.mask == WriteMask::ALL {
            self.read(target, coordinate, sampler);
        } else {
            let to = self.scratch();
            self.read(AgalTarget::new(to, WriteMask::ALL), coordinate, sampler);
            self.output(target, to);
        }
        Ok(())
    }

    /// Reads a texture into all components of a temporary. The temporary's old contents count as a dependency of the
    /// read ([d3d9.order.reuse]). If the read would exceed the limit of dependent reads in ps_2_0, first overwrites the
    /// temporary with a `mov`.
    fn read(&mut self, to: AgalTarget, coordinate: AgalOperand, sampler: AgalOperand) {
        if self.version == ShaderVersion::Ps20
            && coordinate.register != to.register
            && self.orders.of_read(Some(coordinate.register), Some(to.register)) > MAX_ORDER
        {
            self.push(D3d9Opcode::Mov, to, &[coordinate]);
        }
        self.push(D3d9Opcode::Tex, to, &[coordinate, sampler]);
    }

    /// Reads a texture with explicit gradients of the varying, because a copied coordinate has no gradients in a
    /// conditional (rule 57).
    fn texture_of_gradients(
        &mut self,
        target: AgalTarget,
        coordinate: AgalOperand,
        sampler: AgalOperand,
        lanes: WriteMask,
    ) {
        let [dx, dy] = [D3d9Opcode::Dsx, D3d9Opcode::Dsy].map(|opcode| {
            let register = self.scratch();
            self.push(opcode, AgalTarget::new(register, lanes), &[coordinate]);
            AgalOperand::new(register)
        });
        let to = self.scratch();
        let whole = AgalTarget::new(to, WriteMask::ALL);
        self.push(D3d9Opcode::TexLdd, whole, &[coordinate, sampler, dx, dy]);
        self.output(target, to);
    }

    /// Translates `kil`. The component is replicated to all four, because `texkill` tests several components.
    pub(super) fn kill(&mut self, source: AgalOperand) {
        let copy = self.copy(source.lane(Component::X), WriteMask::ALL);
        let target = AgalTarget::new(copy.register, WriteMask::ALL);
        self.push(D3d9Opcode::TexKill, target, &[]);
    }
}
