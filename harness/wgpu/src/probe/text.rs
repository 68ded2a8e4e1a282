//! Modifies the modules of tested shaders, and generates shaders of the other stage.

use std::fmt::Write as _;

use agal::{Interface, Stage};
use wgpu::naga::front::wgsl;
use wgpu::naga::{
    AddressSpace, ArraySize, BinaryOperator, Binding, BuiltIn, Expression, FunctionArgument,
    GlobalVariable, Interpolation, Literal, Module, ResourceBinding, Sampling, Scalar, Span,
    Statement, StorageAccess, Type, TypeInner, VectorSize,
};

use super::{ProbeShader, WgpuRunError, bits};
use crate::program::ENTRY_POINTS;

/// The bind group with the result buffer of a vertex shader.
pub(super) const RESULTS: u32 = 2;

/// Parses a WGSL module.
///
/// # Errors
/// Returns [`WgpuRunError::Refused`] if the WGSL is invalid.
pub fn parse(text: &str) -> Result<Module, WgpuRunError> {
    wgsl::parse_str(text).map_err(|error| WgpuRunError::Refused(error.emit_to_string(text)))
}

/// Returns the vertex module and the fragment module for running a shader.
pub(super) fn modules(
    shader: &ProbeShader<'_>,
    side: u32,
) -> Result<(Module, Option<Module>), WgpuRunError> {
    let &ProbeShader { module, stage, interface, linear } = shader;
    let mut module = module.clone();
    Ok(match stage {
        Stage::Vertex => {
            store(&mut module, interface, side * side);
            (module, None)
        }
        Stage::Fragment => {
            if !linear {
                flatten(&mut module);
            }
            (parse(&pass_through(interface, side, linear))?, Some(module))
        }
    })
}

/// Adds statements that store a vertex shader's results, ordered by instance, vertex and register.
fn store(module: &mut Module, interface: &Interface, vertices: u32) {
    let mut add_type = |inner| module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let unsigned = add_type(TypeInner::Scalar(Scalar::U32));
    let four = TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::F32 };
    let base = add_type(four);
    let buffer = GlobalVariable {
        name: None,
        space: AddressSpace::Storage { access: StorageAccess::LOAD | StorageAccess::STORE },
        binding: Some(ResourceBinding { group: RESULTS, binding: 0 }),
        ty: add_type(TypeInner::Array { base, size: ArraySize::Dynamic, stride: 16 }),
        init: None,
        #[cfg(not(feature = "wgpu-27"))]
        memory_decorations: wgpu::naga::MemoryDecorations::empty(),
    };
    let buffer = module.global_variables.append(buffer, Span::UNDEFINED);
    let Some(entry) = module.entry_points.first_mut() else { return };
    let (arguments, body) = (&mut entry.function.arguments, &mut entry.function.body);
    let Some(Statement::Return { value: Some(results) }) = body.last().cloned() else { return };
    let mut argument = |builtin| {
        let binding = Some(Binding::BuiltIn(builtin));
        let found = arguments.iter().position(|argument| argument.binding == binding);
        let place = found.unwrap_or_else(|| {
            arguments.push(FunctionArgument { name: None, ty: unsigned, binding });
            arguments.len() - 1
        });
        Expression::FunctionArgument(u32::try_from(place).unwrap_or(0))
    };
    let inputs = [argument(BuiltIn::InstanceIndex), argument(BuiltIn::VertexIndex)];
    let expressions = &mut entry.function.expressions;
    let mut add = |expression| expressions.append(expression, Span::UNDEFINED);
    let count = interface.varyings.count_ones() + 1;
    let [instance, vertex] = inputs.map(&mut add);
    let base = add(Expression::GlobalVariable(buffer));
    let number = |number| Expression::Literal(Literal::U32(number));
    let [vertices, size] = [vertices, count].map(|it| add(number(it)));
    let numbers: Vec<_> = (0..count).map(|it| add(number(it))).collect();
    let first = expressions.len();
    let mut add = |expression| expressions.append(expression, Span::UNDEFINED);
    let binary = |op, left, right| Expression::Binary { op, left, right };
    let line = add(binary(BinaryOperator::Multiply, instance, vertices));
    let place = add(binary(BinaryOperator::Add, line, vertex));
    let place = add(binary(BinaryOperator::Multiply, place, size));
    let stores: Vec<_> = (0..count)
        .zip(numbers)
        .map(|(number, index)| {
            let index = add(binary(BinaryOperator::Add, place, index));
            let pointer = add(Expression::Access { base, index });
            let value = add(Expression::AccessIndex { base: results, index: number });
            Statement::Store { pointer, value }
        })
        .collect();
    body.cull(body.len() - 1..);
    body.push(Statement::Emit(expressions.range_from(first)), Span::UNDEFINED);
    let end = Statement::Return { value: Some(results) };
    stores.into_iter().chain([end]).for_each(|statement| body.push(statement, Span::UNDEFINED));
}

/// Turns off interpolation for the varyings of a fragment shader.
fn flatten(module: &mut Module) {
    let entries = module.entry_points.iter_mut();
    let arguments = entries.flat_map(|entry| &mut entry.function.arguments);
    for binding in arguments.filter_map(|argument| argument.binding.as_mut()) {
        if let Binding::Location { interpolation, sampling, .. } = binding {
            (*interpolation, *sampling) = (Some(Interpolation::Flat), Some(Sampling::Either));
        }
    }
}

const FLAT: &str = "@interpolate(flat, either) ";

fn located(n: u16, interpolation: &str) -> String {
    format!("@location({n}) {interpolation}v{n}: vec4f")
}

/// Returns a vertex shader that copies attributes to varyings, for a point per pixel or a triangle over the grid.
fn pass_through(interface: &Interface, side: u32, linear: bool) -> String {
    let (mut members, mut inputs, mut values) = (String::new(), String::new(), String::new());
    for n in bits(interface.varyings) {
        let interpolation = if linear { "" } else { FLAT };
        // Writing to a `String` cannot fail.
        let _ = writeln!(members, "    {},", located(n, interpolation));
        let _ = write!(inputs, ", {}", located(n, ""));
        let _ = write!(values, ", v{n}");
    }
    // The position in pixels, relative to the upper left corner of the grid.
    let place = if linear {
        "vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0".to_owned()
    } else {
        format!("(vec2f(f32(index % {side}u), f32(index / {side}u)) + 0.5) / {side}.0")
    };
    format!(
        "struct Result {{\n    @builtin(position) place: vec4f,\n{members}}}\n@vertex\n\
         fn {}(@builtin(vertex_index) index: u32{inputs}) -> Result {{\n    let place = {place};\n    \
         return Result(vec4f(place.x * 2.0 - 1.0, 1.0 - place.y * 2.0, 0.0, 1.0){values});\n}}\n",
        ENTRY_POINTS[0]
    )
}
