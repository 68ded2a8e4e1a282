//! An assembler for the AVM2 code of one method.

use swf::avm2::types::{Exception, Index, Op};
use swf::avm2::write::Writer;

use crate::SwfError;
use crate::pool::{MultiName, PoolBuilder};

/// A position in the code that branches refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(usize);

enum CodeItem {
    Op(Op),
    /// A branch: a function from the offset to the instruction, and the target label.
    Branch(fn(i32) -> Op, Label),
    Here(Label),
}

/// The code of a method; `this` is local 0.
pub(crate) struct MethodCode {
    pub(crate) pool: PoolBuilder,
    items: Vec<CodeItem>,
    labels: usize,
    /// Start, end and handler of each `try`.
    tries: Vec<[Label; 3]>,
}

impl MethodCode {
    /// Starts code with `this` as its scope.
    pub(crate) fn new(pool: PoolBuilder) -> Self {
        let mut code = MethodCode { pool, items: Vec::new(), labels: 0, tries: Vec::new() };
        code.local(0).op(Op::PushScope);
        code
    }

    pub(crate) fn op(&mut self, op: Op) -> &mut Self {
        self.items.push(CodeItem::Op(op));
        self
    }

    pub(crate) fn add(&mut self) -> &mut Self {
        self.op(Op::Add)
    }

    pub(crate) fn local(&mut self, index: u32) -> &mut Self {
        self.op(Op::GetLocal { index })
    }

    pub(crate) fn set_local(&mut self, index: u32) -> &mut Self {
        self.op(Op::SetLocal { index })
    }

    pub(crate) fn int(&mut self, value: i32) -> &mut Self {
        let op = match (i8::try_from(value), i16::try_from(value)) {
            (Ok(small), _) => Op::PushByte { value: small.cast_unsigned() },
            (_, Ok(value)) => Op::PushShort { value },
            _ => Op::PushInt { value: self.pool.int(value) },
        };
        self.op(op)
    }

    pub(crate) fn uint(&mut self, value: u32) -> &mut Self {
        let op = match i32::try_from(value) {
            Ok(value) => return self.int(value),
            Err(_) => Op::PushUint { value: self.pool.uint(value) },
        };
        self.op(op)
    }

    pub(crate) fn double(&mut self, value: f64) -> &mut Self {
        let op = if value.is_nan() {
            Op::PushNaN
        } else {
            Op::PushDouble { value: self.pool.double(value) }
        };
        self.op(op)
    }

    pub(crate) fn bool(&mut self, value: bool) -> &mut Self {
        self.op(if value { Op::PushTrue } else { Op::PushFalse })
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        let value = self.pool.string(text);
        self.op(Op::PushString { value })
    }

    pub(crate) fn text_or_null(&mut self, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => self.text(text),
            None => self.op(Op::PushNull),
        }
    }

    /// Pushes the value of a property of `this`, a class, or a function of a package.
    pub(crate) fn lex<'a>(&mut self, name: impl Into<MultiName<'a>>) -> &mut Self {
        let index = self.pool.name(name);
        self.op(Op::GetLex { index })
    }

    /// Pushes the object that has the named function, as the receiver of a call.
    pub(crate) fn find<'a>(&mut self, name: impl Into<MultiName<'a>>) -> &mut Self {
        let index = self.pool.name(name);
        self.op(Op::FindPropStrict { index })
    }

    pub(crate) fn get<'a>(&mut self, name: impl Into<MultiName<'a>>) -> &mut Self {
        let index = self.pool.name(name);
        self.op(Op::GetProperty { index })
    }

    /// Generates `object.name = value`.
    pub(crate) fn set<'a>(&mut self, name: impl Into<MultiName<'a>>) -> &mut Self {
        let index = self.pool.name(name);
        self.op(Op::SetProperty { index })
    }

    /// Generates `object.name(…)`, with a result.
    pub(crate) fn call<'a>(&mut self, name: impl Into<MultiName<'a>>, num_args: u32) -> &mut Self {
        let index = self.pool.name(name);
        self.op(Op::CallProperty { index, num_args })
    }

    /// Generates `object.name(…)`, without a result.
    pub(crate) fn void<'a>(&mut self, name: impl Into<MultiName<'a>>, num_args: u32) -> &mut Self {
        let index = self.pool.name(name);
        self.op(Op::CallPropVoid { index, num_args })
    }

    /// Generates `new Class(…)`, after `find` and the arguments.
    pub(crate) fn construct<'a>(
        &mut self,
        name: impl Into<MultiName<'a>>,
        num_args: u32,
    ) -> &mut Self {
        let index = self.pool.name(name);
        self.op(Op::ConstructProp { index, num_args })
    }

    /// Generates `new Vector.<element>(length)`; the closure `length` pushes the length.
    pub(crate) fn vector(
        &mut self,
        element: &str,
        length: impl FnOnce(&mut Self) -> &mut Self,
    ) -> &mut Self {
        self.lex(MultiName::In("__AS3__.vec", "Vector"))
            .lex(element)
            .op(Op::ApplyType { num_types: 1 });
        length(self);
        self.op(Op::Construct { num_args: 1 })
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    pub(crate) fn here(&mut self, label: Label) -> &mut Self {
        self.items.push(CodeItem::Here(label));
        self
    }

    /// Like [`MethodCode::here`], but for the target of a backward branch, which AVM2 requires to be marked.
    pub(crate) fn here_loop(&mut self, label: Label) -> &mut Self {
        self.here(label).op(Op::Label)
    }

    pub(crate) fn branch(&mut self, op: fn(i32) -> Op, label: Label) -> &mut Self {
        self.items.push(CodeItem::Branch(op, label));
        self
    }

    /// Generates `try { body } catch (error) { handler }`. The handler finds the error in `local`.
    pub(crate) fn try_catch(
        &mut self,
        local: u32,
        body: impl FnOnce(&mut Self),
        handler: impl FnOnce(&mut Self),
    ) {
        let [start, end, caught, after] = [(); 4].map(|()| self.label());
        self.here(start);
        body(self);
        self.here(end).branch(|offset| Op::Jump { offset }, after);
        // In the handler, the stack contains only the error, and the scope stack is empty.
        self.here(caught).local(0).op(Op::PushScope).set_local(local);
        handler(self);
        self.here(after);
        self.tries.push([start, end, caught]);
    }

    /// Returns the number of instructions, for [`MethodCode::truncate`].
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Removes all instructions after the first `length`. The removed instructions must not contain a complete `try`.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.items.truncate(length);
    }

    /// Returns the bytes, the exception table, and the constants.
    pub(crate) fn assemble(self) -> Result<(Vec<u8>, Vec<Exception>, PoolBuilder), SwfError> {
        let mut positions = vec![0; self.labels];
        let mut at = 0;
        for item in &self.items {
            match item {
                CodeItem::Here(label) => positions[label.0] = at,
                CodeItem::Op(op) => at += bytes(op)?.len(),
                CodeItem::Branch(op, _) => at += bytes(&op(0))?.len(),
            }
        }
        let mut code = Vec::with_capacity(at);
        for item in &self.items {
            match item {
                CodeItem::Here(_) => {}
                CodeItem::Op(op) => code.extend(bytes(op)?),
                CodeItem::Branch(op, label) => {
                    let end = code.len() + bytes(&op(0))?.len();
                    code.extend(bytes(&op(distance(end, positions[label.0])?))?);
                }
            }
        }
        let offset =
            |label: Label| u32::try_from(positions[label.0]).map_err(|_| SwfError::TooLong);
        let rows = self.tries.iter().map(|[start, end, caught]| {
            Ok(Exception {
                from_offset: offset(*start)?,
                to_offset: offset(*end)?,
                target_offset: offset(*caught)?,
                variable_name: Index::new(0),
                type_name: Index::new(0),
            })
        });
        let rows = rows.collect::<Result<_, SwfError>>()?;
        Ok((code, rows, self.pool))
    }
}

/// Returns the offset of a branch, a signed 24-bit integer.
fn distance(from: usize, to: usize) -> Result<i32, SwfError> {
    let signed = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    let distance = signed(to).saturating_sub(signed(from));
    let fits = (-(1 << 23)..1 << 23).contains(&distance);
    i32::try_from(distance).ok().filter(|_| fits).ok_or(SwfError::TooLong)
}

fn bytes(op: &Op) -> Result<Vec<u8>, SwfError> {
    let mut bytes = Vec::new();
    Writer::new(&mut bytes).write_op(op)?;
    Ok(bytes)
}
