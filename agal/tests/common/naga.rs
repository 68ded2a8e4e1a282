//! Checks WGSL with naga: parses and validates it, and translates it to SPIR-V, MSL and HLSL.
#![allow(dead_code, reason = "each test uses a part")]

use naga::back::{hlsl, msl, spv};
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// Returns naga's reason if it rejects a shader, or can't translate it to another language.
pub(crate) fn check(shader: &str) -> Result<(), String> {
    let module = naga::front::wgsl::parse_str(shader).map_err(|e| e.emit_to_string(shader))?;
    check_module(&module, shader)
}

/// Validates a module and translates the module to SPIR-V, MSL and HLSL, like [`check`]. The module was parsed from
/// text or built directly; `source` is shown in errors.
pub(crate) fn check_module(module: &naga::Module, source: &str) -> Result<(), String> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    let info = validator.validate(module).map_err(|e| e.emit_to_string(source))?;
    spv::write_vec(module, &info, &spv::Options::default(), None).map_err(|e| e.to_string())?;
    // Invariant positions need Metal 2.1.
    let options = msl::Options { lang_version: (2, 1), ..msl::Options::default() };
    let pipeline = msl::PipelineOptions::default();
    msl::write_string(module, &info, &options, &pipeline).map_err(|e| e.to_string())?;
    let (options, pipeline) = Default::default();
    let mut text = String::new();
    let mut writer = hlsl::Writer::new(&mut text, &options, &pipeline);
    writer.write(module, &info, None).map_err(|e| e.to_string())?;
    Ok(())
}
