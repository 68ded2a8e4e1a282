//! Tests that the verifier rejects code that a player would reject.

use molehill_capture::CaptureHeader;
use molehill_swf::{PrintedOutput, SwfError, SwfWriter, check};
use swf::avm2::read::Reader;
use swf::avm2::types::{AbcFile, Exception, Index, Op};
use swf::avm2::write::Writer as AbcWriter;
use swf::{DoAbc2, Tag};

/// Returns an SWF file without calls.
fn file() -> Vec<u8> {
    let header = CaptureHeader {
        title: String::new(),
        swf_version: 30,
        stage_width: 32,
        stage_height: 32,
        stage_color: [0; 3],
        frame_rate: None,
        generator: None,
    };
    SwfWriter::new(PrintedOutput::All).finish(&header).expect("a file").swf
}

/// Applies a change to the file's code, and verifies the result.
fn checked(change: impl FnOnce(&mut AbcFile)) -> Result<usize, SwfError> {
    let bytes = file();
    let buffer = swf::decompress_swf(&bytes[..]).expect("a file");
    let mut parsed = swf::parse_swf(&buffer).expect("tags");
    let mut code = Vec::new();
    let place = parsed.tags.iter_mut().find_map(|tag| match tag {
        Tag::DoAbc2(code) => Some(code),
        _ => None,
    });
    let place = place.expect("code");
    let mut abc = Reader::new(place.data).read().expect("code");
    change(&mut abc);
    AbcWriter::new(&mut code).write(abc).expect("code");
    *place = DoAbc2 { data: &code, ..*place };
    let mut out = Vec::new();
    swf::write_swf(parsed.header.swf_header(), &parsed.tags, &mut out).expect("a file");
    check(&out)
}

/// Replaces the code of a method without parameters, and verifies the file.
fn with_code(ops: &[Op], rows: &[(u32, u32, u32)]) -> Result<usize, SwfError> {
    checked(|abc| {
        let mut code = Vec::new();
        let mut writer = AbcWriter::new(&mut code);
        ops.iter().for_each(|op| writer.write_op(op).expect("an operation"));
        let body = abc.method_bodies.last_mut().expect("a method");
        (body.code, body.max_stack, body.num_locals) = (code, 2, 2);
        body.max_scope_depth = body.init_scope_depth + 1;
        let row = |(from_offset, to_offset, target_offset): &(u32, u32, u32)| Exception {
            from_offset: *from_offset,
            to_offset: *to_offset,
            target_offset: *target_offset,
            variable_name: Index::new(0),
            type_name: Index::new(0),
        };
        body.exceptions = rows.iter().map(row).collect();
    })
}

const THIS: Op = Op::GetLocal { index: 0 };

#[test]
fn what_is_right_passes() {
    // The instructions have the offsets 0, 1, 2, 4, 8.
    let jump =
        [THIS, Op::PushScope, Op::PushByte { value: 1 }, Op::IfTrue { offset: 0 }, Op::ReturnVoid];
    assert!(checked(|_| {}).is_ok());
    assert!(with_code(&jump, &[]).is_ok());
    // At the handler, the stack contains the error.
    assert!(
        with_code(&[THIS, Op::Pop, Op::ReturnVoid, Op::Pop, Op::ReturnVoid], &[(0, 2, 3)]).is_ok()
    );
}

#[test]
fn what_is_wrong_is_refused() {
    let end = Op::ReturnVoid;
    let one = Op::PushByte { value: 1 };
    let jump = |offset| [THIS, Op::Pop, Op::Jump { offset }, one.clone(), Op::Pop, end.clone()];
    let handled = [THIS, Op::Pop, end.clone(), Op::Pop, end.clone()];
    type Rows = &'static [(u32, u32, u32)];
    let cases: Vec<(&str, Vec<Op>, Rows)> = vec![
        ("nothing to pop", vec![Op::Pop, end.clone()], &[]),
        ("two operands", vec![THIS, Op::Add, Op::Pop, end.clone()], &[]),
        ("three values deep", vec![THIS, THIS, THIS, Op::Pop, Op::Pop, Op::Pop, end.clone()], &[]),
        ("no scope to pop", vec![Op::PopScope, end.clone()], &[]),
        ("two scopes deep", vec![THIS, Op::PushScope, THIS, Op::PushScope, end.clone()], &[]),
        ("local 2 of 2", vec![Op::GetLocal { index: 2 }, Op::Pop, end.clone()], &[]),
        ("a branch into an operation", jump(1).to_vec(), &[]),
        ("a branch beyond the end", jump(100).to_vec(), &[]),
        ("a branch to before the code", jump(-100).to_vec(), &[]),
        ("a branch with another depth", jump(2).to_vec(), &[]),
        ("a loop that grows the stack", vec![one.clone(), Op::Jump { offset: -6 }], &[]),
        ("the end without a return", vec![THIS, Op::Pop], &[]),
        ("int 9999", vec![Op::PushInt { value: Index::new(9999) }, Op::Pop, end.clone()], &[]),
        ("string 0", vec![Op::PushString { value: Index::new(0) }, Op::Pop, end.clone()], &[]),
        ("name 9999", vec![Op::GetLex { index: Index::new(9999) }, Op::Pop, end.clone()], &[]),
        ("class 9", vec![THIS, Op::NewClass { index: Index::new(9) }, Op::Pop, end.clone()], &[]),
        ("an unknown operation", vec![THIS, Op::Throw], &[]),
        ("an empty range", handled.to_vec(), &[(1, 1, 3)]),
        ("a range backwards", handled.to_vec(), &[(2, 1, 3)]),
        ("a range beyond the end", handled.to_vec(), &[(0, 77, 3)]),
        ("a handler beyond the end", handled.to_vec(), &[(0, 2, 77)]),
        ("a handler without the error", handled.to_vec(), &[(0, 2, 2), (0, 2, 0)]),
    ];
    for (what, ops, rows) in cases {
        let refused = with_code(&ops, rows);
        assert!(matches!(refused, Err(SwfError::Verify { .. })), "{what}: {refused:?}");
    }
}

#[test]
fn wrong_declarations_are_refused() {
    let low = |change: fn(&mut swf::avm2::types::MethodBody)| {
        checked(|abc| abc.method_bodies.iter_mut().for_each(change))
    };
    assert!(low(|body| body.max_stack = 0).is_err());
    assert!(low(|body| body.num_locals = 0).is_err());
    assert!(low(|body| body.max_scope_depth = body.init_scope_depth).is_err());
    assert!(checked(|abc| abc.constant_pool.strings.truncate(3)).is_err());
    assert!(checked(|abc| abc.constant_pool.multinames.clear()).is_err());
}
