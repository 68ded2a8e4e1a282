//! A minimal virtual machine with the features of ActionScript that matter here: values, objects with a native part,
//! mark and sweep, members by name, event handlers, exceptions. The VM is independent of Stage3D.
//!
//! A program is text. A line without indentation begins the handler of an event; the other lines are statements:
//!
//! ```text
//! enterFrame:
//!     buffer = context.createVertexBuffer(3, 5, "dynamicDraw")
//!     context.enableErrorChecking = true
//!     try context.setCulling("sideways")
//! ```
//!
//! `try` catches an exception and stores its message in the variable `error`.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Identifies an object. Ids are never reused, so a dead object's id matches no object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ObjectId(pub(crate) u64);

/// A `BitmapData`: R, G, B, A, rows from top to bottom, straight alpha.
#[derive(Debug)]
pub(crate) struct BitmapData {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) rgba: RefCell<Vec<u8>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Boolean(bool),
    Number(f64),
    Text(Rc<str>),
    Bytes(Rc<[u8]>),
    Numbers(Rc<[f64]>),
    Uints(Rc<[u32]>),
    Bitmap(Rc<BitmapData>),
    Object(ObjectId),
}

impl Value {
    pub(crate) fn text(text: impl AsRef<str>) -> Value {
        Value::Text(text.as_ref().into())
    }
}

/// An ActionScript exception.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Thrown {
    /// The class, such as `ArgumentError`.
    pub(crate) class: &'static str,
    /// The message, such as `Error #2008: …`.
    pub(crate) message: String,
}

impl Thrown {
    pub(crate) fn new(class: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Thrown { class, message }
    }
}

pub(crate) type Outcome = Result<Value, Thrown>;

struct Object {
    class: &'static str,
    /// The native object; its `Drop` is the finaliser.
    native: Box<dyn Any>,
    fields: BTreeMap<String, Value>,
}

/// All objects of the VM.
#[derive(Default)]
pub(crate) struct Heap {
    objects: BTreeMap<ObjectId, Object>,
    last: u64,
}

impl Heap {
    pub(crate) fn create(&mut self, class: &'static str, native: impl Any) -> ObjectId {
        self.last += 1;
        let object = Object { class, native: Box::new(native), fields: BTreeMap::new() };
        self.objects.insert(ObjectId(self.last), object);
        ObjectId(self.last)
    }

    pub(crate) fn class(&self, id: ObjectId) -> &'static str {
        self.objects.get(&id).map_or("", |object| object.class)
    }

    pub(crate) fn native<T: Any>(&self, id: ObjectId) -> Option<&T> {
        self.objects.get(&id)?.native.downcast_ref()
    }

    /// Frees all objects that aren't reachable from the roots. Returns their number.
    pub(crate) fn collect<'v>(&mut self, roots: impl Iterator<Item = &'v Value>) -> usize {
        let mut reached = BTreeMap::new();
        let mut open: Vec<ObjectId> = roots.filter_map(reference).collect();
        while let Some(id) = open.pop() {
            if let Some(object) = self.objects.remove(&id) {
                open.extend(object.fields.values().filter_map(reference));
                reached.insert(id, object);
            }
        }
        // Dropping the unreached objects runs their finalisers.
        std::mem::replace(&mut self.objects, reached).len()
    }
}

fn reference(value: &Value) -> Option<ObjectId> {
    match value {
        Value::Object(id) => Some(*id),
        _ => None,
    }
}

/// The player's interface to programs: classes with native methods, and functions.
pub(crate) trait Natives {
    /// Runs `this.name(arguments)`, or `this.name = argument`.
    fn call(&mut self, heap: &mut Heap, this: ObjectId, name: &str, arguments: &[Value])
    -> Outcome;

    /// Returns `this.name`; `None` if the class has no such property.
    fn get(&mut self, heap: &mut Heap, this: ObjectId, name: &str) -> Option<Value>;

    /// Returns whether the class has this setter. If the class has no setter, the value becomes a field of the object.
    fn has_setter(&self, class: &str, name: &str) -> bool;

    /// Runs `name(arguments)`.
    fn function(&mut self, name: &str, arguments: &[Value]) -> Outcome;
}

/// A program and its variables, which are the roots of its objects.
pub(crate) struct Program {
    handlers: BTreeMap<String, Vec<String>>,
    pub(crate) variables: BTreeMap<String, Value>,
}

impl Program {
    pub(crate) fn new(source: &str) -> Self {
        let mut handlers: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut event = String::new();
        for line in source.lines().filter(|line| !line.trim().is_empty()) {
            match line.strip_prefix(' ') {
                None => event = line.trim_end_matches(':').to_owned(),
                Some(line) => {
                    let statements = handlers.entry(event.clone()).or_default();
                    statements.push(line.trim().to_owned());
                }
            }
        }
        let variables = BTreeMap::new();
        Program { handlers, variables }
    }

    pub(crate) fn listens(&self, event: &str) -> bool {
        self.handlers.contains_key(event)
    }

    /// Runs the handler of an event, if there is one.
    pub(crate) fn dispatch(
        &mut self,
        event: &str,
        heap: &mut Heap,
        natives: &mut dyn Natives,
    ) -> Result<(), Thrown> {
        for statement in self.handlers.get(event).cloned().unwrap_or_default() {
            let (caught, statement) = match statement.strip_prefix("try ") {
                Some(rest) => (true, rest),
                None => (false, &*statement),
            };
            let mut parser =
                Parser { rest: statement, heap, natives, variables: &mut self.variables };
            match parser.statement() {
                Err(error) if caught => {
                    let text = Value::text(format!("{}: {}", error.class, error.message));
                    self.variables.insert("error".to_owned(), text);
                }
                done => done?,
            }
        }
        Ok(())
    }
}

/// Parses a statement and executes it at once.
struct Parser<'p> {
    rest: &'p str,
    heap: &'p mut Heap,
    natives: &'p mut dyn Natives,
    variables: &'p mut BTreeMap<String, Value>,
}

impl<'p> Parser<'p> {
    fn takes(&mut self, token: char) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn word(&mut self) -> &'p str {
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !(c.is_alphanumeric() || "_-".contains(c)));
        let (word, rest) = text.split_at(end.unwrap_or(text.len()));
        self.rest = rest;
        word
    }

    fn statement(&mut self) -> Result<(), Thrown> {
        let left = self.rest.split_once(" = ");
        let Some((left, right)) = left.filter(|(left, _)| !left.contains(['"', '('])) else {
            return self.expression().map(drop);
        };
        self.rest = right;
        let value = self.expression()?;
        let Some((object, name)) = left.rsplit_once('.') else {
            self.variables.insert(left.to_owned(), value);
            return Ok(());
        };
        self.rest = object;
        let this = self.object()?;
        if self.natives.has_setter(self.heap.class(this), name) {
            let set = self.natives.call(self.heap, this, name, &[value]);
            return set.map(drop);
        }
        if let Some(object) = self.heap.objects.get_mut(&this) {
            object.fields.insert(name.to_owned(), value);
        }
        Ok(())
    }

    fn object(&mut self) -> Result<ObjectId, Thrown> {
        let value = self.expression()?;
        reference(&value).ok_or_else(null_reference)
    }

    /// Parses and evaluates a value, followed by accesses to its members.
    fn expression(&mut self) -> Outcome {
        let mut value = self.value()?;
        while self.takes('.') {
            let this = reference(&value).ok_or_else(null_reference)?;
            let name = self.word();
            value = match self.takes('(') {
                true => {
                    let arguments = self.list(')')?;
                    self.natives.call(self.heap, this, name, &arguments)?
                }
                false => {
                    let field = self.heap.objects.get(&this);
                    let field = field.and_then(|object| object.fields.get(name).cloned());
                    let field = field.or_else(|| self.natives.get(self.heap, this, name));
                    field.unwrap_or(Value::Null)
                }
            };
        }
        Ok(value)
    }

    fn value(&mut self) -> Outcome {
        if self.takes('"') {
            let (text, rest) = self.rest.split_once('"').ok_or_else(syntax)?;
            self.rest = rest;
            // `\n` is a line break, as in ActionScript's strings, because AGAL source has several lines.
            return Ok(Value::text(text.replace("\\n", "\n")));
        }
        if self.takes('[') {
            let numbers: Result<Rc<[f64]>, Thrown> =
                self.list(']')?.iter().map(Value::number).collect();
            return Ok(Value::Numbers(numbers?));
        }
        let mut word = self.word().to_owned();
        if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            if self.takes('.') {
                word = format!("{word}.{}", self.word());
            }
            return word.parse().map(Value::Number).map_err(|_| syntax());
        }
        if self.takes('(') {
            let arguments = self.list(')')?;
            return self.natives.function(&word, &arguments);
        }
        Ok(match &*word {
            "null" => Value::Null,
            "true" => Value::Boolean(true),
            "false" => Value::Boolean(false),
            _ => self.variables.get(&word).cloned().unwrap_or(Value::Null),
        })
    }

    fn list(&mut self, end: char) -> Result<Vec<Value>, Thrown> {
        let mut values = Vec::new();
        while !self.takes(end) {
            values.push(self.expression()?);
            if !self.takes(',') && !self.rest.trim_start().starts_with(end) {
                return Err(syntax());
            }
        }
        Ok(values)
    }
}

impl Value {
    pub(crate) fn number(&self) -> Result<f64, Thrown> {
        match self {
            Value::Number(number) => Ok(*number),
            Value::Boolean(boolean) => Ok(f64::from(*boolean)),
            _ => Ok(f64::NAN),
        }
    }
}

fn null_reference() -> Thrown {
    let message = "Error #1009: Cannot access a property or method of a null object reference.";
    Thrown::new("TypeError", message)
}

fn syntax() -> Thrown {
    Thrown::new("SyntaxError", "the statement can't be read")
}
