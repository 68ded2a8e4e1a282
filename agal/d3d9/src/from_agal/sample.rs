//! Translates texture instructions and `kil`.

use agal::opcode::Opcode as Agal;
use agal::operand::Dest as AgalDest;
use agal::sampler::{Sampler, SamplerOperand};
use agal_core::{Component, Swizzle, WriteMask};

use super::builder::Builder;
use super::operand::{Destination, Operand, dimension};
use super::{TranslateError, Translated};
use crate::opcode::Opcode;
use crate::register::{File, Register};
use crate::texture_order::MAX_ORDER;
use crate::version::Version;

impl Builder<'_> {
    fn sampler(&mut self, operand: &SamplerOperand) -> Translated<(Operand, Sampler)> {
        let sampler = operand.resolve().map_err(|_| TranslateError::Token(self.token))?;
        let known = self.samplers.get_mut(usize::from(sampler.register));
        *known.ok_or(TranslateError::Token(self.token))? = Some(sampler);
        let register = Register::new(File::Sampler, sampler.register);
        Ok((Operand::new(register), sampler))
    }

    /// Translates `tex`, and `tld` of vertex programs (P4, P5).
    pub(super) fn texture(
        &mut self,
        opcode: Agal,
        dest: &AgalDest,
        coordinate: Operand,
        sampler: &SamplerOperand,
    ) -> Translated {
        let (sampler, state) = self.sampler(sampler)?;
        let lanes = WriteMask::first(dimension(&state).coordinates());
        let target = self.destination(dest)?;
        let file = target.register.file;
        if !self.pixel() {
            if self.version != Version::Vs30 {
                return Err(self.cannot(opcode));
            }
            // Coordinate w selects mip level 0.
            let coordinate = self.copy(coordinate, lanes);
            let [zero] = self.literals([0.0]);
            let level = Destination::new(coordinate.register, WriteMask::from_bits(8));
            self.push(Opcode::Mov, level, &[zero]);
            let to = self.scratch();
            self.push(Opcode::TexLdl, Destination::new(to, WriteMask::ALL), &[coordinate, sampler]);
            self.push(Opcode::Mov, target, &[Operand::new(to)]);
            return Ok(());
        }
        if self.model_3() && file != File::Depth {
            self.push(Opcode::Tex, target, &[coordinate, sampler]);
            return Ok(());
        }
        let whole = coordinate.swizzle == Swizzle::IDENTITY
            && matches!(coordinate.register.file, File::Temp | File::Texture);
        if !whole && self.depth > 0 && self.version == Version::Ps2x {
            self.texture_of_gradients(target, coordinate, sampler, lanes);
            return Ok(());
        }
        let coordinate = if whole { coordinate } else { self.copy(coordinate, lanes) };
        if file == File::Temp && target.mask == WriteMask::ALL {
            self.read(target, coordinate, sampler);
        } else {
            let to = self.scratch();
            self.read(Destination::new(to, WriteMask::ALL), coordinate, sampler);
            self.output(target, to);
        }
        Ok(())
    }

    /// Reads a texture into all components of a temporary. The temporary's old contents count as a dependency of the
    /// read ([d3d9.order.reuse]). If this dependency would exceed the limit, first overwrites the temporary with a
    /// `mov`.
    fn read(&mut self, to: Destination, coordinate: Operand, sampler: Operand) {
        if self.version == Version::Ps20
            && coordinate.register != to.register
            && self.orders.of_read(Some(coordinate.register), Some(to.register)) > MAX_ORDER
        {
            self.push(Opcode::Mov, to, &[coordinate]);
        }
        self.push(Opcode::Tex, to, &[coordinate, sampler]);
    }

    /// Reads a texture with explicit gradients of the varying, because a copied coordinate has no gradients in a
    /// conditional (rule 57).
    fn texture_of_gradients(
        &mut self,
        target: Destination,
        coordinate: Operand,
        sampler: Operand,
        lanes: WriteMask,
    ) {
        let [dx, dy] = [Opcode::Dsx, Opcode::Dsy].map(|opcode| {
            let register = self.scratch();
            self.push(opcode, Destination::new(register, lanes), &[coordinate]);
            Operand::new(register)
        });
        let to = self.scratch();
        let whole = Destination::new(to, WriteMask::ALL);
        self.push(Opcode::TexLdd, whole, &[coordinate, sampler, dx, dy]);
        self.output(target, to);
    }

    /// Translates `kil`. The component is replicated to all four, because `texkill` tests several components.
    pub(super) fn kill(&mut self, source: Operand) {
        let copy = self.copy(source.lane(Component::X), WriteMask::ALL);
        let target = Destination::new(copy.register, WriteMask::ALL);
        self.push(Opcode::TexKill, target, &[]);
    }
}
