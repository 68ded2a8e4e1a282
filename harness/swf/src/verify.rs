//! A verifier of ABC files, like that of a player: depths of stack and scope, locals, branch targets, exception ranges,
//! and indices of constants. The verifier accepts only instructions that [`MethodCode`](crate::code::MethodCode)
//! writes.

use std::collections::BTreeMap;

use swf::avm2::read::Reader;
use swf::avm2::types::{AbcFile, ConstantPool, Index, MethodBody, Multiname, Op};
use swf::extensions::ReadSwfExt as _;

use crate::SwfError;

/// The maximum depths of a method's stacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Depths {
    pub(crate) stack: u32,
    pub(crate) scope: u32,
    pub(crate) locals: u32,
}

/// Checks every method of a file against its declared depths.
pub(crate) fn verify(file: &AbcFile) -> Result<(), SwfError> {
    for (number, body) in file.method_bodies.iter().enumerate() {
        let wrong = |what: String| SwfError::Verify { method: number, what };
        let depths = depths(file, body).map_err(wrong)?;
        let declared = Depths {
            stack: body.max_stack,
            scope: body.max_scope_depth.saturating_sub(body.init_scope_depth),
            locals: body.num_locals,
        };
        let fits = depths.stack <= declared.stack
            && depths.scope <= declared.scope
            && depths.locals <= declared.locals;
        if !fits {
            return Err(wrong(format!("{depths:?} where {declared:?} is declared")));
        }
    }
    Ok(())
}

/// The effect of an instruction on the stacks and on control flow.
#[derive(Default)]
struct StackEffect {
    pops: u32,
    pushes: u32,
    scope: i32,
    branch: Option<i32>,
    ends: bool,
    local: Option<u32>,
}

fn effect(pops: u32, pushes: u32) -> StackEffect {
    StackEffect { pops, pushes, ..StackEffect::default() }
}

/// Returns the maximum depths that a method's code reaches.
pub(crate) fn depths(file: &AbcFile, body: &MethodBody) -> Result<Depths, String> {
    let ops = decode(&body.code)?;
    let method = file.methods.get(index(body.method)).ok_or("no such method")?;
    let parameters = u32::try_from(method.params.len()).unwrap_or(u32::MAX);
    let mut most = Depths { locals: parameters.saturating_add(1), ..Depths::default() };
    // The depths of stack and scope at each instruction.
    let mut seen: BTreeMap<usize, (u32, u32)> = BTreeMap::new();
    let mut open = vec![(0, (0, 0))];
    for row in &body.exceptions {
        let [from, to, target] = [row.from_offset, row.to_offset, row.target_offset]
            .map(|offset| usize::try_from(offset).unwrap_or(usize::MAX));
        let starts = |at: usize| ops.contains_key(&at);
        if !(from < to && starts(from) && (starts(to) || to == body.code.len()) && starts(target)) {
            return Err(format!("exception {from}..{to} to {target}"));
        }
        open.push((target, (1, 0)));
    }
    while let Some((at, (stack, scope))) = open.pop() {
        match seen.insert(at, (stack, scope)) {
            Some(before) if before == (stack, scope) => continue,
            Some(before) => {
                return Err(format!("{at}: depths {before:?} and {:?}", (stack, scope)));
            }
            None => {}
        }
        let (op, next) = ops.get(&at).ok_or_else(|| format!("{at} is not an operation"))?;
        let effect = op_effect(file, op).map_err(|what| format!("{at}: {what}"))?;
        let left =
            stack.checked_sub(effect.pops).ok_or_else(|| format!("{at}: {op:?} on {stack}"))?;
        let stack = left.saturating_add(effect.pushes);
        let scope =
            scope.checked_add_signed(effect.scope).ok_or_else(|| format!("{at}: no scope"))?;
        most.stack = most.stack.max(stack);
        most.scope = most.scope.max(scope);
        most.locals = most.locals.max(effect.local.map_or(0, |local| local.saturating_add(1)));
        if let Some(offset) = effect.branch {
            let target = next.checked_add_signed(isize::try_from(offset).unwrap_or(isize::MIN));
            open.push((
                target.ok_or_else(|| format!("{at}: a branch to a negative offset"))?,
                (stack, scope),
            ));
        }
        if !effect.ends {
            open.push((*next, (stack, scope)));
        }
    }
    Ok(most)
}

/// Returns the instructions by position, with the position after each.
fn decode(code: &[u8]) -> Result<BTreeMap<usize, (Op, usize)>, String> {
    let mut reader = Reader::new(code);
    let mut ops = BTreeMap::new();
    while !reader.as_slice().is_empty() {
        let at = code.len() - reader.as_slice().len();
        let op = reader.read_op().map_err(|error| format!("{at}: {error}"))?;
        ops.insert(at, (op, code.len() - reader.as_slice().len()));
    }
    Ok(ops)
}

fn index<T>(index: Index<T>) -> usize {
    usize::try_from(index.0).unwrap_or(usize::MAX)
}

/// Returns an entry of a constant list, whose entry 0 is not stored.
fn constant<T, U>(list: &[U], at: Index<T>) -> Result<&U, String> {
    let item = index(at).checked_sub(1).and_then(|at| list.get(at));
    item.ok_or_else(|| format!("constant {} of {}", at.0, list.len()))
}

/// Returns the number of stack values that a name consumes.
fn name(pool: &ConstantPool, at: Index<Multiname>) -> Result<u32, String> {
    match constant(&pool.multinames, at)? {
        Multiname::QName { namespace, name } => {
            constant(&pool.namespaces, *namespace)?;
            constant(&pool.strings, *name)?;
            Ok(0)
        }
        Multiname::MultinameL { namespace_set } => {
            for namespace in constant(&pool.namespace_sets, *namespace_set)? {
                constant(&pool.namespaces, *namespace)?;
            }
            Ok(1)
        }
        other => Err(format!("the name {other:?}")),
    }
}

fn op_effect(file: &AbcFile, op: &Op) -> Result<StackEffect, String> {
    let pool = &file.constant_pool;
    Ok(match *op {
        Op::GetLocal { index } => StackEffect { local: Some(index), ..effect(0, 1) },
        Op::SetLocal { index } => StackEffect { local: Some(index), ..effect(1, 0) },
        Op::IncLocalI { index } => StackEffect { local: Some(index), ..StackEffect::default() },
        Op::PushScope => StackEffect { scope: 1, ..effect(1, 0) },
        Op::PopScope => StackEffect { scope: -1, ..StackEffect::default() },
        Op::PushByte { .. }
        | Op::PushShort { .. }
        | Op::PushNaN
        | Op::PushTrue
        | Op::PushFalse
        | Op::PushNull => effect(0, 1),
        Op::PushInt { value } => constant(&pool.ints, value).map(|_| effect(0, 1))?,
        Op::PushUint { value } => constant(&pool.uints, value).map(|_| effect(0, 1))?,
        Op::PushDouble { value } => constant(&pool.doubles, value).map(|_| effect(0, 1))?,
        Op::PushString { value } => constant(&pool.strings, value).map(|_| effect(0, 1))?,
        Op::GetLex { index } | Op::FindPropStrict { index } => {
            let 0 = name(pool, index)? else { return Err("a late name".to_owned()) };
            effect(0, 1)
        }
        Op::GetProperty { index } => effect(1 + name(pool, index)?, 1),
        Op::SetProperty { index } | Op::InitProperty { index } => effect(2 + name(pool, index)?, 0),
        Op::CallProperty { index, num_args } | Op::ConstructProp { index, num_args } => {
            effect(1 + num_args + name(pool, index)?, 1)
        }
        Op::CallPropVoid { index, num_args } => effect(1 + num_args + name(pool, index)?, 0),
        Op::Call { num_args } => effect(2 + num_args, 1),
        Op::Construct { num_args } => effect(1 + num_args, 1),
        Op::ConstructSuper { num_args } => effect(1 + num_args, 0),
        Op::ApplyType { num_types } => effect(1 + num_types, 1),
        Op::NewArray { num_args } => effect(num_args, 1),
        Op::NewClass { index: class } => match file.classes.get(index(class)) {
            Some(_) => effect(1, 1),
            None => return Err(format!("class {}", class.0)),
        },
        Op::Dup => effect(1, 2),
        Op::Pop => effect(1, 0),
        Op::Label => effect(0, 0),
        Op::ConvertI | Op::ConvertU => effect(1, 1),
        Op::Add | Op::MultiplyI | Op::Subtract | Op::BitXor | Op::RShift => effect(2, 1),
        Op::Jump { offset } => StackEffect { branch: Some(offset), ends: true, ..effect(0, 0) },
        Op::IfFalse { offset } | Op::IfTrue { offset } => {
            StackEffect { branch: Some(offset), ..effect(1, 0) }
        }
        Op::IfLt { offset } | Op::IfNlt { offset } => {
            StackEffect { branch: Some(offset), ..effect(2, 0) }
        }
        Op::ReturnVoid => StackEffect { ends: true, ..StackEffect::default() },
        Op::ReturnValue => StackEffect { ends: true, ..effect(1, 0) },
        // `MethodCode` writes no other instructions.
        ref other => return Err(format!("the operation {other:?}")),
    })
}
