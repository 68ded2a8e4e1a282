//! Operations whose work is measured for inputs of different sizes.

use agal::asm::{AssembleOptions, disassemble};
use agal::glsl::{DIALECTS, Dialect, GlslOptions};
use agal::interp::{CompiledProgram, NoTextures};
use agal::{LinkedPair, Rules, Stage, asm, link, validate};
use molehill_capture::{CaptureReader, CaptureWriter, Form};

/// An operation on a generated input.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The smallest measured input size.
    pub(crate) size: usize,
    /// Creates an input of this size. Calling the result runs the operation on the input.
    pub(crate) prepare: fn(usize) -> Work,
}

type Work = Box<dyn FnOnce()>;

macro_rules! cases {
    ($($name:literal $size:literal $prepare:expr;)+) => {
        pub(crate) const CASES: &[Case] = &[$(Case { name: $name, size: $size, prepare: $prepare },)+];
    };
}

cases! {
    // Size of the cases below: the number of lines, or of repetitions of the string.
    "agal.assemble.lines" 250 |n| assemble("mov ft0, v0\n", n);
    "agal.assemble.one_line" 250 |n| assemble("mov ft0.", n);
    "agal.assemble.options" 250 |n| assemble("tex ft0,v0,fs0<2d,", n);
    "agal.assemble.brackets" 2000 |n| assemble("<", n);
    "agal.assemble.slashes" 2000 |n| assemble("/", n);
    "agal.assemble.commas" 2000 |n| assemble(",", n);
    "agal.assemble.word" 2000 |n| assemble("x", n);
    "agal.assemble.letters" 1000 |n| assemble("é", n);
    "agal.assemble.directives" 250 |n| assemble(".token 0x0 ", n);
    "agal.assemble.errors" 1000 |n| assemble("?\n", n);
    "agal.list.any_bytes" 1000 list_any_bytes;
    // Size of the next five `agal` cases: the number of AGAL tokens, at most 2048.
    "agal.check" 60 |n| agal(n, |text| drop(fragment(text)));
    "agal.list" 60 |n| agal(n, |text| drop(fragment(text).program().to_string()));
    "agal.glsl" 60 |n| { let pair = pair(&straight(n)); Box::new(move || agal_glsl(&pair)) };
    "agal.glsl.conditionals" 60 |n| { let pair = pair(&conditionals(n)); Box::new(move || agal_glsl(&pair)) };
    "agal.run" 60 |n| { let pair = pair(&straight(n)); Box::new(move || agal_run(&pair)) };
    // Size of a `d3d9` case: the number of instructions.
    "d3d9.list" 60 |n| d3d9(straight_d3d9(n), |program| drop(program.listing().to_string()));
    "d3d9.assemble" 60 |n| { let text = straight_d3d9(n); Box::new(move || drop(d3d9::text::assemble(&text))) };
    "d3d9.check" 60 |n| d3d9(straight_d3d9(n), d3d9_check);
    "d3d9.check.definitions" 60 |n| d3d9(lines(n, |n| format!("def c{n}, 1, 2, 3, 4")), d3d9_check);
    "d3d9.check.conditionals" 60 |n| d3d9(lines(n, |_| "if b0\nmov r0, c0\nendif".to_owned()), d3d9_check);
    "d3d9.check.nested" 60 |n| d3d9("if b0\n".repeat(n) + &"endif\n".repeat(n), d3d9_check);
    "d3d9.check.calls" 60 |n| d3d9(calls(n), d3d9_check);
    "d3d9.check.nested_pixels" 60 |n| {
        let text = format!("ps_3_0\n{}{}", "if b0\n".repeat(n), "endif\n".repeat(n));
        let program = d3d9::text::assemble(&text).expect("assembles");
        Box::new(move || d3d9_check(&program))
    };
    "d3d9.check.chain" 60 |n| d3d9("ret\n".to_owned() + &lines(n, |n| format!("label l{n}\ncall l{}\nret", n + 1)), d3d9_check);
    "d3d9.check.labels" 60 |n| d3d9("ret\n".to_owned() + &lines(n, |n| format!("label l{n}\nmov r0, c0\nret")), d3d9_check);
    "d3d9.glsl" 60 |n| d3d9(straight_d3d9(n), d3d9_glsl);
    "d3d9.glsl.conditionals" 60 |n| d3d9(lines(n, |_| "if b0\nmov r0, c0\nendif".to_owned()), d3d9_glsl);
    "d3d9.run" 60 |n| d3d9(straight_d3d9(n), d3d9_run);
    "d3d9.run.calls" 60 |n| d3d9(calls(n), d3d9_run);
    "d3d9.constant_table" 60 |n| Box::new(move || drop(d3d9::ctab::ConstantTable::read(&constants(n))));
    // Size of an `hs50` case: the number of declarations, or of instructions of a fork phase.
    "hs50.assemble" 60 |n| { let text = hull("", &mov(n)); Box::new(move || drop(hs50::text::assemble(&text))) };
    "hs50.list" 60 |n| hs50(hull("", &mov(n)), |shader| drop(hs50::text::listing(shader, hs50::text::HullListing::default())));
    "hs50.container" 60 |n| hs50(hull("", &mov(n)), container);
    "hs50.check" 60 |n| hs50(hull("", &mov(n)), hs50_check);
    "hs50.check.ranges" 60 |n| hs50(hull(&lines(n, |n| format!("dcl_indexrange o{n}.x 1")), ""), hs50_check);
    "hs50.check.overlaps" 60 |n| hs50(hull(&lines(n, |n| format!("dcl_indexrange o{n}.x 2")), ""), hs50_check);
    "hs50.check.cases" 60 |n| hs50(hull("", &switch(n)), hs50_check);
    "hs50.check.outputs" 60 |n| hs50(hull(&lines(n, |n| format!("dcl_output o{}.x", n + 2)), ""), hs50_check);
    "hs50.check.outputs_again" 60 |n| hs50(hull(&lines(n, |_| "dcl_output o2.x".to_owned()), ""), hs50_check);
    "hs50.check.arrays" 60 |n| hs50(hull(&lines(n, |n| format!("dcl_indexableTemp x{n}[1], 4")), ""), hs50_check);
    "hs50.check.inputs" 60 |n| hs50(hull(&"dcl_input vicp[1][0].x\n".repeat(n), &"mov r0.x, vicp[0][0].x\n".repeat(n)), hs50_check);
    "hs50.check.phases" 60 |n| hs50(hull("", &format!("ret \n{}", "hs_fork_phase \n".repeat(n))), hs50_check);
    "hs50.check.blocks" 60 |n| hs50(hull("", &"if_nz r0.x\n".repeat(n)), hs50_check);
    "hs50.check.labels" 60 |n| hs50(hull("", &format!("ret \n{}", lines(n, |n| format!("label label{n}\nret ")))), hs50_check);
    "hs50.glsl" 60 |n| hs50(hull("", &mov(n)), |shader| drop(hs50::glsl::emit(&valid(shader), hs50::glsl::HullGlslOptions::default())));
    "hs50.glsl.cases" 60 |n| hs50(hull("", &switch(n)), |shader| drop(hs50::glsl::emit(&valid(shader), hs50::glsl::HullGlslOptions::default())));
    "hs50.run" 60 |n| hs50(hull("", &mov(n)), |shader| hs50_run(shader, 1 << 20));
    // The shader's loop runs once per `case`, and each iteration compares all cases.
    "hs50.run.cases" 60 |n| hs50(hull("", &format!("loop \n{}endloop \n", switch(n))), |shader| hs50_run(shader, shader.program.instructions.len() as u64));
    // Size of the case `jpeg_xr.decode`: the number of texels, divided by 256.
    "jpeg_xr.decode" 16 |n| { let bytes = picture(n); Box::new(move || drop(jpeg_xr::decode(&bytes, &jpeg_xr::JxrLimits { width: 4096, height: 4096 }))) };
    // Size of a `capture` case: the number of capture records.
    "capture.read.lines" 40 |n| { let bytes = capture(n, Form::Lines); Box::new(move || read(bytes)) };
    "capture.read.binary" 40 |n| { let bytes = capture(n, Form::Binary); Box::new(move || read(bytes)) };
    "capture.write.binary" 40 |n| Box::new(move || drop(capture(n, Form::Binary)));
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}

fn assemble(piece: &str, count: usize) -> Work {
    let text = piece.repeat(count);
    let options = AssembleOptions { stage: Some(Stage::Fragment), ..AssembleOptions::default() };
    Box::new(move || drop(options.sections(&text)))
}

fn list_any_bytes(count: usize) -> Work {
    let head = [0xa0, 2, 0, 0, 0, 0xa1, 1];
    let bytes: Vec<u8> = head.into_iter().chain((0..251).cycle().step_by(7).take(count)).collect();
    Box::new(move || drop(disassemble(&bytes, None, &Rules::NEWEST).listing().to_string()))
}

fn straight(count: usize) -> String {
    format!("mov ft0, v0\n{}mov oc, ft0", lines(count, |_| "mul ft0, ft0.yzwx, fc0".to_owned()))
}

fn conditionals(count: usize) -> String {
    let block = |_| "ife ft0.x, v0.y\nmov ft0, v0\neif".to_owned();
    format!("mov ft0, v0\n{}mov oc, ft0", lines(count / 3, block))
}

fn agal(count: usize, work: fn(&str)) -> Work {
    let text = straight(count);
    Box::new(move || work(&text))
}

fn fragment(text: &str) -> agal::ValidProgram {
    let program = asm::assemble(text, Stage::Fragment, 4).expect("assembles");
    validate(program, Stage::Fragment, &Rules::NEWEST).expect("is legal")
}

fn pair(text: &str) -> LinkedPair {
    let vertex = asm::assemble("mov op, va0\nmov v0, va0", Stage::Vertex, 4).expect("assembles");
    let vertex = validate(vertex, Stage::Vertex, &Rules::NEWEST).expect("is legal");
    link(vertex, fragment(text)).expect("links")
}

fn agal_glsl(pair: &LinkedPair) {
    for dialect in DIALECTS {
        let target = GlslOptions { comments: true, ..GlslOptions::new(dialect) };
        agal::glsl::emit(pair, &target).expect("has no rare feature");
    }
}

fn agal_run(pair: &LinkedPair) {
    let compiled = CompiledProgram::new(pair.fragment());
    let mut state = compiled.state();
    compiled.run_with(&mut state, &[[1.0; 4]], &NoTextures, &mut ());
}

/// Returns work on a shader of `vs_3_sw`, which has no maximum number of instructions.
fn d3d9(body: String, work: fn(&d3d9::D3d9Program)) -> Work {
    let text = format!(
        "vs_3_sw\ndefb b0, true\ndcl_position v0\ndcl_position o0\nmov r0, v0\nmov o0, r0\n{body}"
    );
    let program = d3d9::text::assemble(&text).unwrap_or_else(|errors| panic!("{errors}"));
    Box::new(move || work(&program))
}

fn straight_d3d9(count: usize) -> String {
    lines(count, |n| format!("mad r{}, c{}, r0.yzwx, r0", n % 8, n % 64))
}

fn calls(count: usize) -> String {
    lines(count, |n| format!("call l{n}"))
        + "ret\n"
        + &lines(count, |n| format!("label l{n}\nmov r0, c0\nret"))
}

fn d3d9_check(program: &d3d9::D3d9Program) {
    drop(d3d9::check::check(program, &d3d9::check::Caps::MAX));
}

fn d3d9_glsl(program: &d3d9::D3d9Program) {
    let target = d3d9::glsl::D3d9GlslOptions::new(Dialect::Glsl330);
    d3d9::glsl::emit(program, &target).unwrap_or_else(|error| panic!("{error}"));
}

fn d3d9_run(program: &d3d9::D3d9Program) {
    use d3d9::interp::{CompiledShader, D3d9Inputs, MAX_STEPS, NoTextures};
    let compiled = CompiledShader::new(program).expect("runs");
    let (mut state, inputs) = (compiled.state(), D3d9Inputs::default());
    let ran = compiled.run(&mut state, &inputs, &NoTextures, MAX_STEPS, &mut ());
    assert!(ran.is_ok());
}

/// Returns a shader's constant table whose entries of five dwords share a name.
fn constants(count: usize) -> Vec<u32> {
    let count = u32::try_from(count).expect("small");
    let name = 28 + 20 * count;
    let mut words = vec![u32::from_le_bytes(*b"CTAB"), 28, 0, 0xfffe_0300, count, 28, 0];
    words.push(0);
    (0..count).for_each(|n| words.extend([name, 2 | n << 16, 1, 0, 0]));
    words.push(u32::from_le_bytes(*b"name"));
    words.push(0);
    words
}

/// Returns an isoline shader whose fork phase has these declarations, after `r0`, and this code.
fn hull(declarations: &str, code: &str) -> String {
    format!(
        "// Patch Constant signature:\n// SV_TessFactor 0 x 0 LINEDEN float x\n// SV_TessFactor 1 x 1 LINEDET float x\n\
         hs_5_0\nhs_decls \ndcl_input_control_point_count 1\n\
         dcl_output_control_point_count 0\ndcl_tessellator_domain domain_isoline\n\
         dcl_tessellator_partitioning partitioning_integer\ndcl_tessellator_output_primitive output_line\n\
         dcl_globalFlags refactoringAllowed\nhs_fork_phase \ndcl_output_siv o0.x, finalLineDensityTessFactor\n\
         dcl_output_siv o1.x, finalLineDetailTessFactor\ndcl_temps 1\n{declarations}\
         mov o0.x, l(1.000000)\nmov o1.x, l(1.000000)\nmov r0.xyzw, l(0,0,0,0)\n{code}ret \n"
    )
}

fn mov(count: usize) -> String {
    "mad r0.xyzw, r0.yzwx, l(2.0,2.0,2.0,2.0), r0.xxxx\n".repeat(count)
}

/// Returns the source of a `switch` in which no `case` matches.
fn switch(count: usize) -> String {
    let cases = lines(count, |n| format!("case l({n})"));
    format!("switch l(-1)\n{cases}break \ndefault \nbreak \nendswitch \n")
}

fn hs50(text: String, work: fn(&hs50::shader::HullProgramShader)) -> Work {
    let shader = hs50::text::assemble(&text).unwrap_or_else(|errors| panic!("{errors}"));
    Box::new(move || work(&shader))
}

fn container(shader: &hs50::shader::HullProgramShader) {
    let bytes = shader.to_container().bytes().to_vec();
    let read = hs50::shader::HullProgramShader::read(bytes, hs50::container::Checksum::Verify);
    assert!(read.is_ok());
}

fn hs50_check(shader: &hs50::shader::HullProgramShader) {
    drop(hs50::check::check(shader, hs50::check::CheckOptions::default()));
}

fn valid(shader: &hs50::shader::HullProgramShader) -> hs50::check::ValidHull {
    let report = hs50::check::check(shader, hs50::check::CheckOptions::default());
    let hull = report.expect("a hull shader").valid();
    hull.unwrap_or_else(|report| panic!("{:?}", report.findings))
}

fn hs50_run(shader: &hs50::shader::HullProgramShader, max_steps: u64) {
    let inputs =
        hs50::interp::HullInputs { control_points: &[Vec::new()], primitive_id: 0, resources: &() };
    let options = hs50::interp::RunOptions { max_steps };
    let ran = hs50::interp::run(&valid(shader), &inputs, options, &mut |_| {});
    assert!(matches!(ran, Ok(_) | Err(hs50::interp::HullRunError::Steps(_))));
}

/// Returns an image of 16 times `16 * count` pixels.
fn picture(count: usize) -> Vec<u8> {
    let height = u32::try_from(count * 16).expect("small");
    molehill_testing::atf_files::jxr::bgr((16, height), |x, y| {
        [x, y, x ^ y].map(|v| (v / 16 * 40).to_le_bytes()[0])
    })
}

fn capture(count: usize, form: Form) -> Vec<u8> {
    let source = include_bytes!("../../capture/tests/versions/lines-2.s3d.jsonl");
    let reader = CaptureReader::new(std::io::Cursor::new(source)).expect("a capture");
    let (header, version) = (reader.header().clone(), reader.version());
    let records: Vec<_> = reader.map_while(|item| Some(item.ok()?.1)).collect();
    let mut writer = CaptureWriter::with_form(Vec::new(), &header, form, version).expect("memory");
    let again = records.iter().cycle().take(count * records.len());
    again.for_each(|record| writer.write(record).expect("memory"));
    writer.finish().expect("memory")
}

fn read(bytes: Vec<u8>) {
    let reader = CaptureReader::new(std::io::Cursor::new(bytes)).expect("a capture");
    assert!(reader.map_while(|item| item.ok()).count() > 0);
}
