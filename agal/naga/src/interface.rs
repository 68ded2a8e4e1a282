//! Declares the interface of a module: resources, inputs, variables, outputs and the entry point.

use std::num::NonZeroU32;

use agal::Stage;
use agal::register::RegisterFile;
use agal::sampler::Dimension;
use agal::wgsl::WgslResource;
use agal::wgsl::writer::ShaderWriter as _;

use crate::builder::{AgalVariable, ExpressionHandle, NagaBuilder};
#[cfg(not(feature = "naga-27"))]
use crate::naga::MemoryDecorations;
use crate::naga::{
    AddressSpace, ArraySize, Binding, Block, BuiltIn, EntryPoint, Expression, FunctionArgument,
    FunctionResult, GlobalVariable, Handle, ImageClass, ImageDimension, Interpolation,
    LocalVariable, ResourceBinding, Sampling, Scalar, ScalarKind, ShaderStage, Span, Statement,
    StructMember, Type, TypeInner,
};

/// The size of a register in bytes.
const REGISTER: u32 = 16;

/// Returns the binding of an input or output of four floats at a location.
fn located(location: u16) -> Binding {
    Binding::Location {
        location: location.into(),
        interpolation: Some(Interpolation::Perspective),
        sampling: Some(Sampling::Center),
        blend_src: None,
        #[cfg(not(feature = "naga-27"))]
        per_primitive: false,
    }
}

impl NagaBuilder<'_> {
    fn global(
        &mut self,
        resource: WgslResource,
        space: AddressSpace,
        inner: TypeInner,
    ) -> ExpressionHandle {
        let place = (self.shader.target.bindings)(resource);
        let variable = GlobalVariable {
            name: None,
            space,
            binding: Some(ResourceBinding { group: place.group, binding: place.binding }),
            ty: self.add_type(inner),
            init: None,
            #[cfg(not(feature = "naga-27"))]
            memory_decorations: MemoryDecorations::empty(),
        };
        let variable = self.module.global_variables.append(variable, Span::UNDEFINED);
        self.add_given(Expression::GlobalVariable(variable))
    }

    pub(crate) fn resources(&mut self) {
        let stage = self.shader.stage;
        if let Some(count) = NonZeroU32::new(self.shader.constants().into()) {
            let (base, size) = (self.floats_of(4), ArraySize::Constant(count));
            let array = TypeInner::Array { base, size, stride: REGISTER };
            let constants =
                self.global(WgslResource::Constants(stage), AddressSpace::Uniform, array);
            self.constants = Some(constants);
        }
        for sampler in self.shader.samplers() {
            let register = sampler.register;
            let image = TypeInner::Image {
                dim: match sampler.dimension {
                    Dimension::TwoD => ImageDimension::D2,
                    Dimension::Cube => ImageDimension::Cube,
                },
                arrayed: false,
                class: ImageClass::Sampled { kind: ScalarKind::Float, multi: false },
            };
            let parts = [
                (WgslResource::Texture(stage, register), image),
                (WgslResource::Sampler(stage, register), TypeInner::Sampler { comparison: false }),
            ];
            let parts =
                parts.map(|(resource, inner)| self.global(resource, AddressSpace::Handle, inner));
            self.samplers.push((register, parts));
        }
    }

    fn input(&mut self, ty: Handle<Type>, binding: Binding) -> ExpressionHandle {
        let arguments = &mut self.function.arguments;
        arguments.push(FunctionArgument { name: None, ty, binding: Some(binding) });
        let last = u32::try_from(self.function.arguments.len()).unwrap_or(0).saturating_sub(1);
        self.add_given(Expression::FunctionArgument(last))
    }

    pub(crate) fn inputs(&mut self) {
        for (file, number) in self.shader.inputs() {
            let value = Some(self.input(self.floats_of(4), located(number)));
            self.set(file, number, AgalVariable { pointer: None, value });
        }
        if self.shader.has_instance() {
            let ty = self.add_type(TypeInner::Scalar(Scalar::U32));
            let number = self.input(ty, Binding::BuiltIn(BuiltIn::InstanceIndex));
            let value = Some(self.instance(|_| number));
            self.set(RegisterFile::InstanceId, 0, AgalVariable { pointer: None, value });
        }
    }

    fn variable(&mut self, ty: Handle<Type>) -> ExpressionHandle {
        let variable = LocalVariable { name: None, ty, init: None };
        let variable = self.function.local_variables.append(variable, Span::UNDEFINED);
        self.add_given(Expression::LocalVariable(variable))
    }

    /// Declares the variables of the shader, whose initial value is zero.
    pub(crate) fn variables(&mut self) {
        for (file, number) in self.shader.variables() {
            let width = if file == RegisterFile::DepthOutput { 1 } else { 4 };
            let pointer = Some(self.variable(self.floats_of(width)));
            self.set(file, number, AgalVariable { pointer, value: None });
        }
        if self.shader.liveness.late_kill {
            let ty = self.add_type(TypeInner::Scalar(Scalar::BOOL));
            self.killed = Some(self.variable(ty));
        }
    }

    /// Adds statements after the last instruction: the delayed discard of `kil`, and the outputs.
    pub(crate) fn results(&mut self) {
        if let Some(pointer) = self.killed {
            let condition = self.add(Expression::Load { pointer });
            let accept = Block::from_vec(vec![Statement::Kill]);
            self.push(Statement::If { condition, accept, reject: Block::new() });
        }
        let (mut members, mut components) = (Vec::new(), Vec::new());
        let mut member = |ty, binding, value| {
            let offset = REGISTER.saturating_mul(u32::try_from(components.len()).unwrap_or(0));
            members.push(StructMember { name: None, ty, binding: Some(binding), offset });
            components.push(value);
        };
        let four = self.floats_of(4);
        if self.shader.stage == Stage::Vertex {
            // Programs that compute the position in the same way must give equal bits [agal.position.invariant].
            let position = Binding::BuiltIn(BuiltIn::Position { invariant: true });
            member(four, position, self.register(RegisterFile::Output, 0));
        }
        for (file, number) in self.shader.outputs() {
            member(four, located(number), self.register(file, number));
        }
        if self.shader.writes_depth() {
            member(self.floats_of(1), Binding::BuiltIn(BuiltIn::FragDepth), self.depth());
        }
        let span = REGISTER.saturating_mul(u32::try_from(members.len()).unwrap_or(0));
        let ty = self.add_type(TypeInner::Struct { members, span });
        self.function.result = Some(FunctionResult { ty, binding: None });
        let value = Some(self.add(Expression::Compose { ty, components }));
        self.push(Statement::Return { value });
    }

    pub(crate) fn entry_point(&mut self) {
        let mut function = std::mem::take(&mut self.function);
        function.body = std::mem::take(&mut self.block);
        self.module.entry_points.push(EntryPoint {
            name: self.shader.of_stage(self.shader.target.entry_points).to_owned(),
            stage: self.shader.of_stage([ShaderStage::Vertex, ShaderStage::Fragment]),
            early_depth_test: None,
            workgroup_size: [0; 3],
            workgroup_size_overrides: None,
            function,
            #[cfg(not(feature = "naga-27"))]
            mesh_info: None,
            #[cfg(not(feature = "naga-27"))]
            task_payload: None,
            #[cfg(not(feature = "naga-27"))]
            incoming_ray_payload: None,
        });
    }
}
