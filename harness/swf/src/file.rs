//! The SWF file: tags, and the ABC file with classes and script.

use std::str::from_utf8;

use swf::avm2::types::{
    AbcFile, Class, Index, Instance, Method, MethodBody, MethodFlags, MethodParam, Multiname, Op,
    Script, Trait, TraitKind,
};
use swf::avm2::{read, write};
use swf::{
    Compression, DefineBinaryData, DoAbc2, DoAbc2Flag, FileAttributes, Fixed8, Header, Rectangle,
    SetBackgroundColor, SwfStr, SymbolClassLink, Tag, Twips,
};

use crate::SwfError;
use crate::code::MethodCode;
use crate::pool::{MultiName, PoolBuilder};
use crate::verify::{depths, verify};

/// The document class, which the player instantiates, and the class of the binary data.
const MAIN: &str = "Main";
pub(crate) const DATA: &str = "Data";
const DATA_ID: u16 = 1;

/// The header data of a file: SWF version, stage size in pixels, background colour and frame rate.
pub(crate) struct MovieHeader {
    pub(crate) swf_version: u8,
    pub(crate) size: (u32, u32),
    pub(crate) color: [u8; 3],
    pub(crate) frame_rate: f64,
}

/// The methods of the document class.
#[derive(Default)]
pub(crate) struct DocumentMethods {
    pub(crate) pool: PoolBuilder,
    methods: Vec<Method>,
    bodies: Vec<MethodBody>,
    traits: Vec<Trait>,
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl DocumentMethods {
    /// Begins the code of a method. The caller passes the code to [`DocumentMethods::end`] before the next method
    /// begins.
    pub(crate) fn begin(&mut self) -> MethodCode {
        MethodCode::new(std::mem::take(&mut self.pool))
    }

    fn end(&mut self, parameters: usize, mut code: MethodCode) -> Result<Index<Method>, SwfError> {
        code.op(Op::ReturnVoid);
        let (code, exceptions, pool) = code.assemble()?;
        self.pool = pool;
        let any = MethodParam { name: None, kind: Index::new(0), default_value: None };
        let index = Index::new(number(self.methods.len()));
        let body = Index::new(number(self.bodies.len()));
        self.methods.push(Method {
            name: Index::new(0),
            params: vec![any; parameters],
            return_type: Index::new(0),
            flags: MethodFlags::empty(),
            body: Some(body),
        });
        self.bodies.push(MethodBody {
            method: index,
            max_stack: 0,
            num_locals: 0,
            init_scope_depth: 0,
            max_scope_depth: 0,
            code,
            exceptions,
            traits: Vec::new(),
        });
        Ok(index)
    }

    fn body(&mut self, write: impl FnOnce(&mut MethodCode)) -> Result<Index<Method>, SwfError> {
        let mut code = self.begin();
        write(&mut code);
        self.end(0, code)
    }

    /// Adds a method of the document class; its code returns at the end.
    pub(crate) fn add_method(
        &mut self,
        name: &str,
        parameters: usize,
        code: MethodCode,
    ) -> Result<(), SwfError> {
        let method = self.end(parameters, code)?;
        self.add(name, TraitKind::Method { disp_id: 0, method });
        Ok(())
    }

    /// Adds a method of the document class, whose code the function `write` generates.
    pub(crate) fn method(
        &mut self,
        name: &str,
        parameters: usize,
        write: impl FnOnce(&mut MethodCode),
    ) -> Result<(), SwfError> {
        let mut code = self.begin();
        write(&mut code);
        self.add_method(name, parameters, code)
    }

    /// Adds a property of any type.
    pub(crate) fn slot(&mut self, name: &str) {
        self.add(name, TraitKind::Slot { slot_id: 0, type_name: Index::new(0), value: None });
    }

    fn add(&mut self, name: &str, kind: TraitKind) {
        let name = self.pool.name(name);
        self.traits.push(plain_trait(name, kind));
    }

    /// Adds a class, and its trait in the script.
    fn class(
        &mut self,
        (number, name): (u32, &str),
        super_name: MultiName<'_>,
        init_method: Index<Method>,
        traits: Vec<Trait>,
    ) -> Result<(Instance, Class, Trait), SwfError> {
        let name = self.pool.name(name);
        let instance = Instance {
            name,
            super_name: self.pool.name(super_name),
            is_sealed: true,
            is_final: false,
            is_interface: false,
            protected_namespace: None,
            interfaces: Vec::new(),
            init_method,
            traits,
        };
        let init_method = self.body(|_| {})?;
        let kind = TraitKind::Class { slot_id: 0, class: Index::new(number) };
        Ok((instance, Class { init_method, traits: Vec::new() }, plain_trait(name, kind)))
    }

    /// Returns the file. `constructor` is the body of the document class's constructor.
    pub(crate) fn finish(
        mut self,
        stage: &MovieHeader,
        data: &[u8],
        constructor: impl FnOnce(&mut MethodCode),
    ) -> Result<Vec<u8>, SwfError> {
        let sprite = MultiName::In("flash.display", "Sprite");
        let bytes = MultiName::In("flash.utils", "ByteArray");
        let simple = |code: &mut MethodCode| {
            code.local(0).op(Op::ConstructSuper { num_args: 0 });
        };
        let data_init = self.body(simple)?;
        let main_init = self.body(|code| {
            simple(code);
            constructor(code);
        })?;
        let traits = std::mem::take(&mut self.traits);
        let classes = [
            self.class((0, DATA), bytes, data_init, Vec::new())?,
            self.class((1, MAIN), sprite, main_init, traits)?,
        ];
        let init_method = self.body(|code| {
            for (number, name, base) in [(0, DATA, bytes), (1, MAIN, sprite)] {
                code.find(name)
                    .lex("Object")
                    .op(Op::PushScope)
                    .lex(base)
                    .op(Op::Dup)
                    .op(Op::PushScope);
                code.op(Op::NewClass { index: Index::new(number) })
                    .op(Op::PopScope)
                    .op(Op::PopScope);
                let index = code.pool.name(name);
                code.op(Op::InitProperty { index });
            }
        })?;
        let (mut instances, mut list, mut traits) = (Vec::new(), Vec::new(), Vec::new());
        for (instance, class, of_script) in classes {
            instances.push(instance);
            list.push(class);
            traits.push(of_script);
        }
        let mut abc = AbcFile {
            major_version: 46,
            minor_version: 16,
            constant_pool: std::mem::take(&mut self.pool).finish(),
            methods: self.methods,
            metadata: Vec::new(),
            instances,
            classes: list,
            scripts: vec![Script { init_method, traits }],
            method_bodies: self.bodies,
        };
        for number in 0..abc.method_bodies.len() {
            let found = abc.method_bodies.get(number).map(|body| depths(&abc, body));
            let found =
                found.transpose().map_err(|what| SwfError::Verify { method: number, what })?;
            if let (Some(body), Some(found)) = (abc.method_bodies.get_mut(number), found) {
                (body.max_stack, body.max_scope_depth, body.num_locals) =
                    (found.stack, found.scope, found.locals);
            }
        }
        let mut code = Vec::new();
        write::Writer::new(&mut code).write(abc)?;
        tags(stage, &code, data)
    }
}

fn plain_trait(name: Index<Multiname>, kind: TraitKind) -> Trait {
    Trait { name, kind, metadata: Vec::new(), is_final: false, is_override: false }
}

/// Converts pixels to twips (twentieths of a pixel), up to the maximum of SWF.
fn twips(pixels: u32) -> Twips {
    Twips::new(i32::try_from(pixels.saturating_mul(20)).unwrap_or(i32::MAX))
}

fn tags(stage: &MovieHeader, code: &[u8], data: &[u8]) -> Result<Vec<u8>, SwfError> {
    let [r, g, b] = stage.color;
    let header = Header {
        compression: Compression::Zlib,
        version: stage.swf_version,
        stage_size: Rectangle {
            x_min: Twips::ZERO,
            x_max: twips(stage.size.0),
            y_min: Twips::ZERO,
            y_max: twips(stage.size.1),
        },
        frame_rate: Fixed8::from_f64(stage.frame_rate),
        num_frames: 1,
    };
    let link = |id, name| SymbolClassLink { id, class_name: SwfStr::from_utf8_str(name) };
    let tags = [
        // In browsers, Stage3D requires direct rendering (`wmode=direct`).
        Tag::FileAttributes(FileAttributes::IS_ACTION_SCRIPT_3 | FileAttributes::USE_DIRECT_BLIT),
        Tag::SetBackgroundColor(SetBackgroundColor { r, g, b, a: 255 }),
        Tag::DefineBinaryData(DefineBinaryData { id: DATA_ID, data }),
        Tag::DoAbc2(DoAbc2 {
            flags: DoAbc2Flag::empty(),
            name: SwfStr::from_utf8_str("molehill"),
            data: code,
        }),
        Tag::SymbolClass(vec![link(DATA_ID, DATA), link(0, MAIN)]),
        Tag::ShowFrame,
    ];
    let mut file = Vec::new();
    swf::write_swf(&header, &tags, &mut file)?;
    Ok(file)
}

/// Reads a file back and verifies the code of every method; returns the number of methods.
pub fn check(file: &[u8]) -> Result<usize, SwfError> {
    let file = swf::decompress_swf(file)?;
    let parsed = swf::parse_swf(&file)?;
    let mut methods = 0;
    for tag in &parsed.tags {
        if let Tag::DoAbc2(code) = tag {
            let abc = read::Reader::new(code.data).read()?;
            if abc.constant_pool.strings.iter().any(|text| from_utf8(text).is_err()) {
                return Err(SwfError::Verify {
                    method: 0,
                    what: "a string is not UTF-8".to_owned(),
                });
            }
            verify(&abc)?;
            methods += abc.method_bodies.len();
        }
    }
    Ok(methods)
}
