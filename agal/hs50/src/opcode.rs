//! THE opcode table: every opcode number of shader model 5. Decoder, printer, assembler, checker, interpreter and
//! emitter use it (sm5-opcodes.tsv).

/// The type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// 32-bit float.
    F,
    /// Signed 32-bit integer.
    I,
    /// Unsigned 32-bit integer, bits, or condition.
    U,
    /// Result of a comparison: all bits set, or none.
    B,
    /// Any 32-bit type.
    A,
    /// 64-bit float in two components, low word first.
    D,
    /// A resource `t#`, or `u#` at feature level 11.1.
    T,
    /// A sampler `s#`.
    S,
    /// An unordered access view `u#`.
    V,
    /// A label.
    L,
    /// A stream.
    M,
    /// A declared register, or one that is evaluated as a whole.
    R,
}

/// Whether a hull shader may contain an opcode (hs-5-0.md, 2.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Yes, at feature level 11.0.
    Yes,
    /// Legal or harmless, but no compiler emits it.
    Rare,
    /// Only with the global flag for doubles.
    Double,
    /// Only with the global flag for the 11.1 double extensions.
    Double11,
    /// Only with the global flag for the 11.1 shader extensions.
    Extension11,
    /// Only at feature level 11.1: unordered access views.
    Level11,
    /// Only with tiled resources of tier 2.
    Tiled,
    /// Only in other shader stages.
    No,
}

/// The category of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of sm5-opcodes.tsv")]
pub enum Category {
    Float,
    Int,
    Uint,
    Bit,
    Compare,
    Convert,
    Move,
    Flow,
    Resource,
    Uav,
    Double,
    Declaration,
    Phase,
    CustomData,
    Debug,
    OtherStage,
}

/// The words that follow the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// This many words.
    Words(u8),
    /// All words up to the instruction's length; there are no operands.
    Rest,
    /// Custom data, whose length is in the second word.
    Custom,
}

/// Allowed modifiers, as letters: s(aturate), p(recise), n(egate), a(bsolute).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modifiers(&'static str);

impl Modifiers {
    fn has(self, letter: char) -> bool {
        self.0.contains(letter)
    }
    /// Whether the result may be saturated.
    pub fn saturate(self) -> bool {
        self.has('s')
    }
    /// Whether result components may be precise.
    pub fn precise(self) -> bool {
        self.has('p')
    }
    /// Whether sources may be negated.
    pub fn negate(self) -> bool {
        self.has('n')
    }
    /// Whether sources may have an absolute value modifier.
    pub fn absolute(self) -> bool {
        self.has('a')
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// The opcode number in the token.
    pub number: u32,
    /// The mnemonic, as printed by fxc.
    pub name: &'static str,
    /// Whether a hull shader may contain it.
    pub allowed: Allowed,
    /// Its category.
    pub category: Category,
    /// Types of the destinations.
    pub destinations: &'static [Type],
    /// Types of the sources, which follow the destinations; for a declaration, the register.
    pub sources: &'static [Type],
    /// Allowed modifiers.
    pub modifiers: Modifiers,
    /// The words that follow the operands in shader model 5.0.
    pub extra: Extra,
}

macro_rules! opcodes {
    ($($number:literal $opcode:ident $name:literal $allowed:ident $category:ident
        [$($dest:ident)*] [$($source:ident)*] $modifiers:literal $extra:expr;)*) => {
        /// An instruction or declaration of shader model 5.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Opcode {
            $(#[doc = concat!("`", $name, "`")] $opcode,)*
        }

        impl Opcode {
            /// Every opcode, by number.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$opcode,)*];

            /// The opcode's row of the table.
            pub fn info(self) -> &'static OpcodeInfo {
                match self {
                    $(Opcode::$opcode => const { &OpcodeInfo {
                        number: $number,
                        name: $name,
                        allowed: Allowed::$allowed,
                        category: Category::$category,
                        destinations: &[$(Type::$dest,)*],
                        sources: &[$(Type::$source,)*],
                        modifiers: Modifiers($modifiers),
                        extra: $extra,
                    } },)*
                }
            }
            /// The opcode with a number; some numbers are reserved.
            pub fn from_number(number: u32) -> Option<Opcode> {
                match number {
                    $($number => Some(Opcode::$opcode),)*
                    _ => None,
                }
            }
            /// The opcode with a mnemonic.
            pub fn from_name(name: &str) -> Option<Opcode> {
                match name {
                    $($name => Some(Opcode::$opcode),)*
                    _ => None,
                }
            }
        }
    };
}

use Extra::{Custom, Rest, Words};

opcodes! {
    // number opcode mnemonic allowed category destinations sources modifiers extra
      0 Add "add" Yes Float [F] [F F] "spna" Words(0);
      1 And "and" Yes Bit [U] [U U] "" Words(0);
      2 Break "break" Yes Flow [] [] "" Words(0);
      3 Breakc "breakc" Yes Flow [] [U] "" Words(0);
      4 Call "call" Yes Flow [] [L] "" Words(0);
      5 Callc "callc" Yes Flow [] [U L] "" Words(0);
      6 Case "case" Yes Flow [] [U] "" Words(0);
      7 Continue "continue" Yes Flow [] [] "" Words(0);
      8 Continuec "continuec" Yes Flow [] [U] "" Words(0);
      9 Cut "cut" No OtherStage [] [] "" Words(0);
     10 Default "default" Yes Flow [] [] "" Words(0);
     11 DerivRtx "deriv_rtx" No OtherStage [F] [F] "" Words(0);
     12 DerivRty "deriv_rty" No OtherStage [F] [F] "" Words(0);
     13 Discard "discard" No OtherStage [] [U] "" Words(0);
     14 Div "div" Yes Float [F] [F F] "spna" Words(0);
     15 Dp2 "dp2" Yes Float [F] [F F] "spna" Words(0);
     16 Dp3 "dp3" Yes Float [F] [F F] "spna" Words(0);
     17 Dp4 "dp4" Yes Float [F] [F F] "spna" Words(0);
     18 Else "else" Yes Flow [] [] "" Words(0);
     19 Emit "emit" No OtherStage [] [] "" Words(0);
     20 EmitThenCut "emit_then_cut" No OtherStage [] [] "" Words(0);
     21 Endif "endif" Yes Flow [] [] "" Words(0);
     22 Endloop "endloop" Yes Flow [] [] "" Words(0);
     23 Endswitch "endswitch" Yes Flow [] [] "" Words(0);
     24 Eq "eq" Yes Compare [B] [F F] "na" Words(0);
     25 Exp "exp" Yes Float [F] [F] "spna" Words(0);
     26 Frc "frc" Yes Float [F] [F] "spna" Words(0);
     27 Ftoi "ftoi" Yes Convert [I] [F] "na" Words(0);
     28 Ftou "ftou" Yes Convert [U] [F] "na" Words(0);
     29 Ge "ge" Yes Compare [B] [F F] "na" Words(0);
     30 Iadd "iadd" Yes Int [I] [I I] "n" Words(0);
     31 If "if" Yes Flow [] [U] "" Words(0);
     32 Ieq "ieq" Yes Compare [B] [I I] "n" Words(0);
     33 Ige "ige" Yes Compare [B] [I I] "n" Words(0);
     34 Ilt "ilt" Yes Compare [B] [I I] "n" Words(0);
     35 Imad "imad" Yes Int [I] [I I I] "n" Words(0);
     36 Imax "imax" Yes Int [I] [I I] "n" Words(0);
     37 Imin "imin" Yes Int [I] [I I] "n" Words(0);
     38 Imul "imul" Yes Int [I I] [I I] "n" Words(0);
     39 Ine "ine" Yes Compare [B] [I I] "n" Words(0);
     40 Ineg "ineg" Yes Int [I] [I] "" Words(0);
     41 Ishl "ishl" Yes Int [I] [I U] "" Words(0);
     42 Ishr "ishr" Yes Int [I] [I U] "" Words(0);
     43 Itof "itof" Yes Convert [F] [I] "n" Words(0);
     44 Label "label" Yes Flow [] [L] "" Words(0);
     45 Ld "ld" Yes Resource [A] [I T] "" Words(0);
     46 Ldms "ldms" Yes Resource [A] [I T I] "" Words(0);
     47 Log "log" Yes Float [F] [F] "spna" Words(0);
     48 Loop "loop" Yes Flow [] [] "" Words(0);
     49 Lt "lt" Yes Compare [B] [F F] "na" Words(0);
     50 Mad "mad" Yes Float [F] [F F F] "spna" Words(0);
     51 Min "min" Yes Float [F] [F F] "spna" Words(0);
     52 Max "max" Yes Float [F] [F F] "spna" Words(0);
     53 Customdata "customdata" Yes CustomData [] [] "" Custom;
     54 Mov "mov" Yes Move [A] [A] "spna" Words(0);
     55 Movc "movc" Yes Move [A] [U A A] "spna" Words(0);
     56 Mul "mul" Yes Float [F] [F F] "spna" Words(0);
     57 Ne "ne" Yes Compare [B] [F F] "na" Words(0);
     58 Nop "nop" Yes Flow [] [] "" Words(0);
     59 Not "not" Yes Bit [U] [U] "" Words(0);
     60 Or "or" Yes Bit [U] [U U] "" Words(0);
     61 Resinfo "resinfo" Yes Resource [F] [I T] "" Words(0);
     62 Ret "ret" Yes Flow [] [] "" Words(0);
     63 Retc "retc" Yes Flow [] [U] "" Words(0);
     64 RoundNe "round_ne" Yes Float [F] [F] "spna" Words(0);
     65 RoundNi "round_ni" Yes Float [F] [F] "spna" Words(0);
     66 RoundPi "round_pi" Yes Float [F] [F] "spna" Words(0);
     67 RoundZ "round_z" Yes Float [F] [F] "spna" Words(0);
     68 Rsq "rsq" Yes Float [F] [F] "spna" Words(0);
     69 Sample "sample" No OtherStage [A] [F T S] "" Words(0);
     70 SampleC "sample_c" No OtherStage [F] [F T S F] "" Words(0);
     71 SampleCLz "sample_c_lz" Yes Resource [F] [F T S F] "" Words(0);
     72 SampleL "sample_l" Yes Resource [A] [F T S F] "" Words(0);
     73 SampleD "sample_d" Yes Resource [A] [F T S F F] "" Words(0);
     74 SampleB "sample_b" No OtherStage [A] [F T S F] "" Words(0);
     75 Sqrt "sqrt" Yes Float [F] [F] "spna" Words(0);
     76 Switch "switch" Yes Flow [] [U] "" Words(0);
     77 Sincos "sincos" Yes Float [F F] [F] "spna" Words(0);
     78 Udiv "udiv" Yes Uint [U U] [U U] "" Words(0);
     79 Ult "ult" Yes Compare [B] [U U] "" Words(0);
     80 Uge "uge" Yes Compare [B] [U U] "" Words(0);
     81 Umul "umul" Yes Uint [U U] [U U] "" Words(0);
     82 Umad "umad" Yes Uint [U] [U U U] "" Words(0);
     83 Umax "umax" Yes Uint [U] [U U] "" Words(0);
     84 Umin "umin" Yes Uint [U] [U U] "" Words(0);
     85 Ushr "ushr" Yes Uint [U] [U U] "" Words(0);
     86 Utof "utof" Yes Convert [F] [U] "" Words(0);
     87 Xor "xor" Yes Bit [U] [U U] "" Words(0);
     88 DclResource "dcl_resource" Yes Declaration [] [R] "" Words(1);
     89 DclConstantbuffer "dcl_constantbuffer" Yes Declaration [] [R] "" Words(0);
     90 DclSampler "dcl_sampler" Yes Declaration [] [R] "" Words(0);
     91 DclIndexrange "dcl_indexrange" Yes Declaration [] [R] "" Words(1);
     92 DclOutputtopology "dcl_outputtopology" No Declaration [] [] "" Words(0);
     93 DclInputprimitive "dcl_inputprimitive" No Declaration [] [] "" Words(0);
     94 DclMaxout "dcl_maxout" No Declaration [] [] "" Words(1);
     95 DclInput "dcl_input" Yes Declaration [] [R] "" Words(0);
     96 DclInputSgv "dcl_input_sgv" Rare Declaration [] [R] "" Words(1);
     97 DclInputSiv "dcl_input_siv" Rare Declaration [] [R] "" Words(1);
     98 DclInputPs "dcl_input_ps" No Declaration [] [R] "" Words(0);
     99 DclInputPsSgv "dcl_input_ps_sgv" No Declaration [] [R] "" Words(1);
    100 DclInputPsSiv "dcl_input_ps_siv" No Declaration [] [R] "" Words(1);
    101 DclOutput "dcl_output" Yes Declaration [] [R] "" Words(0);
    102 DclOutputSgv "dcl_output_sgv" Rare Declaration [] [R] "" Words(1);
    103 DclOutputSiv "dcl_output_siv" Yes Declaration [] [R] "" Words(1);
    104 DclTemps "dcl_temps" Yes Declaration [] [] "" Words(1);
    105 DclIndexableTemp "dcl_indexableTemp" Yes Declaration [] [] "" Words(3);
    106 DclGlobalFlags "dcl_globalFlags" Yes Declaration [] [] "" Words(0);
    108 Lod "lod" No Resource [F] [F T S] "" Words(0);
    109 Gather4 "gather4" Yes Resource [A] [F T S] "" Words(0);
    110 Samplepos "samplepos" Yes Resource [F] [T U] "" Words(0);
    111 Sampleinfo "sampleinfo" Yes Resource [F] [T] "" Words(0);
    113 HsDecls "hs_decls" Yes Phase [] [] "" Words(0);
    114 HsControlPointPhase "hs_control_point_phase" Yes Phase [] [] "" Words(0);
    115 HsForkPhase "hs_fork_phase" Yes Phase [] [] "" Words(0);
    116 HsJoinPhase "hs_join_phase" Yes Phase [] [] "" Words(0);
    117 EmitStream "emit_stream" No OtherStage [] [M] "" Words(0);
    118 CutStream "cut_stream" No OtherStage [] [M] "" Words(0);
    119 EmitThenCutStream "emit_then_cut_stream" No OtherStage [] [M] "" Words(0);
    120 Fcall "fcall" Rare Flow [] [] "" Rest;
    121 Bufinfo "bufinfo" Yes Resource [U] [T] "" Words(0);
    122 DerivRtxCoarse "deriv_rtx_coarse" No OtherStage [F] [F] "" Words(0);
    123 DerivRtxFine "deriv_rtx_fine" No OtherStage [F] [F] "" Words(0);
    124 DerivRtyCoarse "deriv_rty_coarse" No OtherStage [F] [F] "" Words(0);
    125 DerivRtyFine "deriv_rty_fine" No OtherStage [F] [F] "" Words(0);
    126 Gather4C "gather4_c" Yes Resource [F] [F T S F] "" Words(0);
    127 Gather4Po "gather4_po" Yes Resource [A] [F I T S] "" Words(0);
    128 Gather4PoC "gather4_po_c" Yes Resource [F] [F I T S F] "" Words(0);
    129 Rcp "rcp" Yes Float [F] [F] "spna" Words(0);
    130 F32tof16 "f32tof16" Yes Convert [U] [F] "na" Words(0);
    131 F16tof32 "f16tof32" Yes Convert [F] [U] "" Words(0);
    132 Uaddc "uaddc" Yes Uint [U U] [U U] "" Words(0);
    133 Usubb "usubb" Yes Uint [U U] [U U] "" Words(0);
    134 Countbits "countbits" Yes Bit [U] [U] "" Words(0);
    135 FirstbitHi "firstbit_hi" Yes Bit [U] [U] "" Words(0);
    136 FirstbitLo "firstbit_lo" Yes Bit [U] [U] "" Words(0);
    137 FirstbitShi "firstbit_shi" Yes Bit [U] [I] "" Words(0);
    138 Ubfe "ubfe" Yes Bit [U] [U U U] "" Words(0);
    139 Ibfe "ibfe" Yes Bit [I] [U U I] "" Words(0);
    140 Bfi "bfi" Yes Bit [U] [U U U U] "" Words(0);
    141 Bfrev "bfrev" Yes Bit [U] [U] "" Words(0);
    142 Swapc "swapc" Yes Move [A A] [U A A] "" Words(0);
    143 DclStream "dcl_stream" No Declaration [] [R] "" Words(0);
    144 DclFunctionBody "dcl_function_body" Rare Declaration [] [] "" Words(1);
    145 DclFunctionTable "dcl_function_table" Rare Declaration [] [] "" Rest;
    146 DclInterface "dcl_interface" Rare Declaration [] [] "" Rest;
    147 DclInputControlPointCount "dcl_input_control_point_count" Yes Declaration [] [] "" Words(0);
    148 DclOutputControlPointCount "dcl_output_control_point_count" Yes Declaration [] [] "" Words(0);
    149 DclTessellatorDomain "dcl_tessellator_domain" Yes Declaration [] [] "" Words(0);
    150 DclTessellatorPartitioning "dcl_tessellator_partitioning" Yes Declaration [] [] "" Words(0);
    151 DclTessellatorOutputPrimitive "dcl_tessellator_output_primitive" Yes Declaration [] [] "" Words(0);
    152 DclHsMaxTessfactor "dcl_hs_max_tessfactor" Yes Declaration [] [] "" Words(1);
    153 DclHsForkPhaseInstanceCount "dcl_hs_fork_phase_instance_count" Yes Declaration [] [] "" Words(1);
    154 DclHsJoinPhaseInstanceCount "dcl_hs_join_phase_instance_count" Yes Declaration [] [] "" Words(1);
    155 DclThreadGroup "dcl_thread_group" No Declaration [] [] "" Words(3);
    156 DclUavTyped "dcl_uav_typed" Level11 Declaration [] [R] "" Words(1);
    157 DclUavRaw "dcl_uav_raw" Level11 Declaration [] [R] "" Words(0);
    158 DclUavStructured "dcl_uav_structured" Level11 Declaration [] [R] "" Words(1);
    159 DclTgsmRaw "dcl_tgsm_raw" No Declaration [] [R] "" Words(1);
    160 DclTgsmStructured "dcl_tgsm_structured" No Declaration [] [R] "" Words(2);
    161 DclResourceRaw "dcl_resource_raw" Yes Declaration [] [R] "" Words(0);
    162 DclResourceStructured "dcl_resource_structured" Yes Declaration [] [R] "" Words(1);
    163 LdUavTyped "ld_uav_typed" Level11 Uav [A] [I V] "" Words(0);
    164 StoreUavTyped "store_uav_typed" Level11 Uav [V] [I A] "" Words(0);
    165 LdRaw "ld_raw" Yes Resource [A] [U T] "" Words(0);
    166 StoreRaw "store_raw" Level11 Uav [V] [U A] "" Words(0);
    167 LdStructured "ld_structured" Yes Resource [A] [U U T] "" Words(0);
    168 StoreStructured "store_structured" Level11 Uav [V] [U U A] "" Words(0);
    169 AtomicAnd "atomic_and" Level11 Uav [V] [U U] "" Words(0);
    170 AtomicOr "atomic_or" Level11 Uav [V] [U U] "" Words(0);
    171 AtomicXor "atomic_xor" Level11 Uav [V] [U U] "" Words(0);
    172 AtomicCmpStore "atomic_cmp_store" Level11 Uav [V] [U U U] "" Words(0);
    173 AtomicIadd "atomic_iadd" Level11 Uav [V] [U U] "" Words(0);
    174 AtomicImax "atomic_imax" Level11 Uav [V] [U U] "" Words(0);
    175 AtomicImin "atomic_imin" Level11 Uav [V] [U U] "" Words(0);
    176 AtomicUmax "atomic_umax" Level11 Uav [V] [U U] "" Words(0);
    177 AtomicUmin "atomic_umin" Level11 Uav [V] [U U] "" Words(0);
    178 ImmAtomicAlloc "imm_atomic_alloc" Level11 Uav [U] [V] "" Words(0);
    179 ImmAtomicConsume "imm_atomic_consume" Level11 Uav [U] [V] "" Words(0);
    180 ImmAtomicIadd "imm_atomic_iadd" Level11 Uav [U V] [U U] "" Words(0);
    181 ImmAtomicAnd "imm_atomic_and" Level11 Uav [U V] [U U] "" Words(0);
    182 ImmAtomicOr "imm_atomic_or" Level11 Uav [U V] [U U] "" Words(0);
    183 ImmAtomicXor "imm_atomic_xor" Level11 Uav [U V] [U U] "" Words(0);
    184 ImmAtomicExch "imm_atomic_exch" Level11 Uav [U V] [U U] "" Words(0);
    185 ImmAtomicCmpExch "imm_atomic_cmp_exch" Level11 Uav [U V] [U U U] "" Words(0);
    186 ImmAtomicImax "imm_atomic_imax" Level11 Uav [U V] [U U] "" Words(0);
    187 ImmAtomicImin "imm_atomic_imin" Level11 Uav [U V] [U U] "" Words(0);
    188 ImmAtomicUmax "imm_atomic_umax" Level11 Uav [U V] [U U] "" Words(0);
    189 ImmAtomicUmin "imm_atomic_umin" Level11 Uav [U V] [U U] "" Words(0);
    190 Sync "sync" Level11 Uav [] [] "" Words(0);
    191 Dadd "dadd" Double Double [D] [D D] "spna" Words(0);
    192 Dmax "dmax" Double Double [D] [D D] "spna" Words(0);
    193 Dmin "dmin" Double Double [D] [D D] "spna" Words(0);
    194 Dmul "dmul" Double Double [D] [D D] "spna" Words(0);
    195 Deq "deq" Double Compare [B] [D D] "na" Words(0);
    196 Dge "dge" Double Compare [B] [D D] "na" Words(0);
    197 Dlt "dlt" Double Compare [B] [D D] "na" Words(0);
    198 Dne "dne" Double Compare [B] [D D] "na" Words(0);
    199 Dmov "dmov" Double Move [D] [D] "spna" Words(0);
    200 Dmovc "dmovc" Double Move [D] [U D D] "" Words(0);
    201 Dtof "dtof" Double Convert [F] [D] "na" Words(0);
    202 Ftod "ftod" Double Convert [D] [F] "na" Words(0);
    203 EvalSnapped "eval_snapped" No OtherStage [A] [R I] "" Words(0);
    204 EvalSampleIndex "eval_sample_index" No OtherStage [A] [R I] "" Words(0);
    205 EvalCentroid "eval_centroid" No OtherStage [A] [R] "" Words(0);
    206 DclGsinstances "dcl_gsinstances" No Declaration [] [] "" Words(1);
    207 Abort "abort" Rare Debug [] [] "" Words(0);
    208 DebugBreak "debug_break" Rare Debug [] [] "" Words(0);
    210 Ddiv "ddiv" Double11 Double [D] [D D] "" Words(0);
    211 Dfma "dfma" Double11 Double [D] [D D D] "" Words(0);
    212 Drcp "drcp" Double11 Double [D] [D] "" Words(0);
    213 Msad "msad" Extension11 Uint [U] [U U U] "" Words(0);
    214 Dtoi "dtoi" Double11 Convert [I] [D] "" Words(0);
    215 Dtou "dtou" Double11 Convert [U] [D] "" Words(0);
    216 Itod "itod" Double11 Convert [D] [I] "" Words(0);
    217 Utod "utod" Double11 Convert [D] [U] "" Words(0);
    219 Gather4S "gather4_s" Tiled Resource [A U] [F T S] "" Words(0);
    220 Gather4CS "gather4_c_s" Tiled Resource [F U] [F T S F] "" Words(0);
    221 Gather4PoS "gather4_po_s" Tiled Resource [A U] [F I T S] "" Words(0);
    222 Gather4PoCS "gather4_po_c_s" Tiled Resource [F U] [F I T S F] "" Words(0);
    223 LdS "ld_s" Tiled Resource [A U] [I T] "" Words(0);
    224 LdmsS "ldms_s" Tiled Resource [A U] [I T I] "" Words(0);
    225 LdUavTypedS "ld_uav_typed_s" Tiled Uav [A U] [I V] "" Words(0);
    226 LdRawS "ld_raw_s" Tiled Resource [A U] [U T] "" Words(0);
    227 LdStructuredS "ld_structured_s" Tiled Resource [A U] [U U T] "" Words(0);
    228 SampleLS "sample_l_s" Tiled Resource [A U] [F T S F] "" Words(0);
    229 SampleCLzS "sample_c_lz_s" Tiled Resource [F U] [F T S F] "" Words(0);
    230 SampleClS "sample_cl_s" No OtherStage [A U] [F T S F] "" Words(0);
    231 SampleBClS "sample_b_cl_s" No OtherStage [A U] [F T S F F] "" Words(0);
    232 SampleDClS "sample_d_cl_s" Tiled Resource [A U] [F T S F F F] "" Words(0);
    233 SampleCClS "sample_c_cl_s" No OtherStage [F U] [F T S F F] "" Words(0);
    234 CheckAccessFullyMapped "check_access_fully_mapped" Tiled Resource [U] [U] "" Words(0);
}

impl Opcode {
    /// The mnemonic.
    pub fn name(self) -> &'static str {
        self.info().name
    }
    /// Number of operands in the tokens: destinations, then sources.
    pub fn operand_count(self) -> usize {
        let info = self.info();
        info.destinations.len().saturating_add(info.sources.len())
    }
    /// The type of each operand, destinations first.
    pub fn types(self) -> impl Iterator<Item = Type> {
        let info = self.info();
        info.destinations.iter().chain(info.sources).copied()
    }
    /// The words that follow the operands. Shader model 5.1 adds a register space to bindings, and the size to constant
    /// buffers (hs-5-0.md, 2.9).
    pub fn extra(self, minor: u8) -> Extra {
        use Opcode::*;
        let more = match self {
            _ if minor == 0 => 0,
            DclConstantbuffer => 2,
            DclSampler | DclResource | DclResourceRaw | DclResourceStructured => 1,
            DclUavTyped | DclUavRaw | DclUavStructured => 1,
            _ => 0,
        };
        match self.info().extra {
            Words(words) => Words(words.saturating_add(more)),
            other => other,
        }
    }
    /// Whether it is a declaration, which comes before the code of the shader or of a phase.
    pub fn is_declaration(self) -> bool {
        matches!(self.info().category, Category::Declaration | Category::CustomData)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_names_unique() {
        let mut numbers = Opcode::ALL.iter().map(|opcode| opcode.info().number);
        assert!(numbers.by_ref().is_sorted_by(|a, b| a < b));
        for opcode in Opcode::ALL {
            assert_eq!(Opcode::from_number(opcode.info().number), Some(*opcode));
            assert_eq!(Opcode::from_name(opcode.name()), Some(*opcode));
        }
    }
}
