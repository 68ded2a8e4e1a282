//! THE version table: shader versions and their version tokens ([d3d9.stream.version]).

pub use agal::Stage;

agal_core::table! {
    /// A shader version. Within a stage, later versions compare greater. The version tokens of `2_a` and `2_b` are
    /// those of `2_x`; these profiles differ only in device capabilities.
    pub enum ShaderVersion {
        /// Returns the version token, the first dword of a shader.
        word: u32 => from_word(u32),
        /// Returns the name, such as `ps_2_0`.
        name: &'static str as Display,
        /// Returns the stage; pixel shaders are called fragment shaders here.
        stage: Stage,
        /// Returns the shader model: 1, 2 or 3.
        major: u8,
        /// Returns whether the version is for software vertex or pixel processing, which has almost no limits.
        is_software: bool,
    }
    Vs11 0xfffe_0101, "vs_1_1", Stage::Vertex, 1, false;
    Vs20 0xfffe_0200, "vs_2_0", Stage::Vertex, 2, false;
    Vs2x 0xfffe_0201, "vs_2_x", Stage::Vertex, 2, false;
    Vs2sw 0xfffe_02ff, "vs_2_sw", Stage::Vertex, 2, true;
    Vs30 0xfffe_0300, "vs_3_0", Stage::Vertex, 3, false;
    Vs3sw 0xfffe_03ff, "vs_3_sw", Stage::Vertex, 3, true;
    Ps11 0xffff_0101, "ps_1_1", Stage::Fragment, 1, false;
    Ps12 0xffff_0102, "ps_1_2", Stage::Fragment, 1, false;
    Ps13 0xffff_0103, "ps_1_3", Stage::Fragment, 1, false;
    Ps14 0xffff_0104, "ps_1_4", Stage::Fragment, 1, false;
    Ps20 0xffff_0200, "ps_2_0", Stage::Fragment, 2, false;
    Ps2x 0xffff_0201, "ps_2_x", Stage::Fragment, 2, false;
    Ps2sw 0xffff_02ff, "ps_2_sw", Stage::Fragment, 2, true;
    Ps30 0xffff_0300, "ps_3_0", Stage::Fragment, 3, false;
    Ps3sw 0xffff_03ff, "ps_3_sw", Stage::Fragment, 3, true;
}

impl ShaderVersion {
    /// Returns the version with a name: `ps_2_0` or `ps.2.0`. Maps `2_a` and `2_b` to `2_x`, like in tokens.
    pub fn from_name(name: &str) -> Option<ShaderVersion> {
        // The separators must be all dots or all underscores.
        let name = if name.contains('_') { name.to_owned() } else { name.replace('.', "_") };
        let name = match name.as_str() {
            "vs_2_a" => "vs_2_x",
            "ps_2_a" | "ps_2_b" => "ps_2_x",
            name => name,
        };
        ShaderVersion::ALL.iter().copied().find(|version| version.name() == name)
    }
    /// Returns whether this is a vertex shader version.
    pub const fn is_vertex(self) -> bool {
        matches!(self.stage(), Stage::Vertex)
    }
    /// Returns whether the version is `ps_1_1`, `ps_1_2` or `ps_1_3`, which have fixed texture stages and no `phase`.
    pub const fn is_ps_1_1_to_1_3(self) -> bool {
        matches!(self, ShaderVersion::Ps11 | ShaderVersion::Ps12 | ShaderVersion::Ps13)
    }
    /// Returns whether this is a pixel shader version of model 1.
    pub const fn is_ps_1(self) -> bool {
        self.is_ps_1_1_to_1_3() || matches!(self, ShaderVersion::Ps14)
    }
    /// Returns whether instruction tokens contain their length. In model 1, lengths come from the opcode table.
    pub const fn has_lengths(self) -> bool {
        self.major() > 1
    }
}
