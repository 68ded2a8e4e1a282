//! THE opcode table: all opcodes of shader model 5 (sm5-opcodes.tsv). The decoder, printer, assembler, checker,
//! interpreter and emitter use this table.
#![allow(
    clippy::too_many_arguments,
    reason = "the table has a function with an argument per column"
)]

/// The data type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A 32-bit float.
    F,
    /// A signed integer.
    I,
    /// An unsigned integer, a bit mask, or a condition.
    U,
    /// The result of a comparison: all bits set for true, no bits for false.
    B,
    /// A 32-bit value of any type.
    A,
    /// A double in two components, the low dword first.
    D,
    /// A shader resource `t#`; at feature level 11.1, also `u#`.
    T,
    /// A sampler `s#`.
    S,
    /// An unordered access view `u#`.
    V,
    /// A label of a subroutine.
    L,
    /// A geometry shader stream.
    M,
    /// The register of a declaration, or a register that is evaluated as a whole.
    R,
}

/// The condition under which a hull shader may contain an opcode ([hs50.opcode.allowed]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpcodeCondition {
    /// The opcode is allowed at feature level 11.0 and above.
    Yes,
    /// The opcode is valid or harmless, but no compiler emits it.
    Rare,
    /// The opcode requires the global flag for doubles.
    Double,
    /// The opcode requires the double extensions of 11.1.
    Double11,
    /// The opcode requires the shader extensions of 11.1.
    Extension11,
    /// The opcode is allowed at feature level 11.1 and above, for unordered access views.
    Level11,
    /// The opcode requires tiled resources of tier 2.
    Tiled,
    /// The opcode belongs to other shader stages, so hull shaders never allow it.
    No,
}

/// The category of an opcode, as in sm5-opcodes.tsv.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Float arithmetic.
    Float,
    /// Signed integer arithmetic.
    Int,
    /// Unsigned integer arithmetic.
    Uint,
    /// Bit operations.
    Bit,
    /// Comparisons.
    Compare,
    /// Type conversions.
    Convert,
    /// Data moves.
    Move,
    /// Flow control.
    Flow,
    /// Resource reads.
    Resource,
    /// Reads and writes of unordered access views, and atomic operations.
    Uav,
    /// Double arithmetic.
    Double,
    /// Declarations.
    Declaration,
    /// Markers at the beginning of a phase.
    Phase,
    /// Custom data blocks.
    CustomData,
    /// Debug layer messages.
    Debug,
    /// Instructions of other shader stages.
    OtherStage,
}

/// The extra dwords that follow an instruction's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtraDwords {
    /// A fixed number of extra dwords.
    Words(u8),
    /// All dwords up to the instruction's length; the instruction has no operands.
    Rest,
    /// Custom data; the second dword holds the length.
    Custom,
}

/// The modifiers that an opcode accepts, for its result and its sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpcodeModifiers {
    /// True if the result can be saturated to 0..1.
    pub saturate: bool,
    /// True if the result can be marked as precise.
    pub precise: bool,
    /// True if sources can be negated.
    pub negate: bool,
    /// True if sources can have the modifier for absolute values.
    pub absolute: bool,
}

impl OpcodeModifiers {
    const NONE: OpcodeModifiers =
        OpcodeModifiers { saturate: false, precise: false, negate: false, absolute: false };
    const NEGATE: OpcodeModifiers = OpcodeModifiers { negate: true, ..OpcodeModifiers::NONE };
    const SOURCES: OpcodeModifiers = OpcodeModifiers { absolute: true, ..OpcodeModifiers::NEGATE };
    const ALL: OpcodeModifiers =
        OpcodeModifiers { saturate: true, precise: true, ..OpcodeModifiers::SOURCES };
}

macro_rules! opcodes {
    ($($number:literal $opcode:ident $name:literal $allowed:ident $category:ident
        [$($dest:ident)*] [$($source:ident)*] $modifiers:ident $extra:expr;)*) => {
        agal_core::table! {
            /// An opcode of shader model 5.
            pub enum HullOpcode {
                /// Returns the opcode's code in tokens.
                number: u32 => from_number(u32),
                /// Returns the mnemonic, in fxc's spelling.
                name: &'static str => from_name(&str),
                /// Returns the condition under which hull shaders may contain the opcode.
                allowed: OpcodeCondition,
                /// Returns the opcode's category.
                category: Category,
                /// Returns the types of the destinations.
                destinations: &'static [Type],
                /// Returns the types of the sources; for a declaration, the type of its register.
                sources: &'static [Type],
                /// Returns the accepted modifiers.
                modifiers: OpcodeModifiers,
                /// Returns the extra dwords that follow the operands in shader model 5.0.
                extra: ExtraDwords,
            }
            $($opcode $number, $name, OpcodeCondition::$allowed, Category::$category, &[$(Type::$dest,)*],
                &[$(Type::$source,)*], OpcodeModifiers::$modifiers, $extra;)*
        }
    };
}

use ExtraDwords::{Custom, Rest, Words};

opcodes! {
    // columns: number, opcode, mnemonic, allowed, category, destinations, sources, modifiers, extra
      0 Add "add" Yes Float [F] [F F] ALL Words(0);
      1 And "and" Yes Bit [U] [U U] NONE Words(0);
      2 Break "break" Yes Flow [] [] NONE Words(0);
      3 Breakc "breakc" Yes Flow [] [U] NONE Words(0);
      4 Call "call" Yes Flow [] [L] NONE Words(0);
      5 Callc "callc" Yes Flow [] [U L] NONE Words(0);
      6 Case "case" Yes Flow [] [U] NONE Words(0);
      7 Continue "continue" Yes Flow [] [] NONE Words(0);
      8 Continuec "continuec" Yes Flow [] [U] NONE Words(0);
      9 Cut "cut" No OtherStage [] [] NONE Words(0);
     10 Default "default" Yes Flow [] [] NONE Words(0);
     11 DerivRtx "deriv_rtx" No OtherStage [F] [F] NONE Words(0);
     12 DerivRty "deriv_rty" No OtherStage [F] [F] NONE Words(0);
     13 Discard "discard" No OtherStage [] [U] NONE Words(0);
     14 Div "div" Yes Float [F] [F F] ALL Words(0);
     15 Dp2 "dp2" Yes Float [F] [F F] ALL Words(0);
     16 Dp3 "dp3" Yes Float [F] [F F] ALL Words(0);
     17 Dp4 "dp4" Yes Float [F] [F F] ALL Words(0);
     18 Else "else" Yes Flow [] [] NONE Words(0);
     19 Emit "emit" No OtherStage [] [] NONE Words(0);
     20 EmitThenCut "emit_then_cut" No OtherStage [] [] NONE Words(0);
     21 Endif "endif" Yes Flow [] [] NONE Words(0);
     22 Endloop "endloop" Yes Flow [] [] NONE Words(0);
     23 Endswitch "endswitch" Yes Flow [] [] NONE Words(0);
     24 Eq "eq" Yes Compare [B] [F F] SOURCES Words(0);
     25 Exp "exp" Yes Float [F] [F] ALL Words(0);
     26 Frc "frc" Yes Float [F] [F] ALL Words(0);
     27 Ftoi "ftoi" Yes Convert [I] [F] SOURCES Words(0);
     28 Ftou "ftou" Yes Convert [U] [F] SOURCES Words(0);
     29 Ge "ge" Yes Compare [B] [F F] SOURCES Words(0);
     30 Iadd "iadd" Yes Int [I] [I I] NEGATE Words(0);
     31 If "if" Yes Flow [] [U] NONE Words(0);
     32 Ieq "ieq" Yes Compare [B] [I I] NEGATE Words(0);
     33 Ige "ige" Yes Compare [B] [I I] NEGATE Words(0);
     34 Ilt "ilt" Yes Compare [B] [I I] NEGATE Words(0);
     35 Imad "imad" Yes Int [I] [I I I] NEGATE Words(0);
     36 Imax "imax" Yes Int [I] [I I] NEGATE Words(0);
     37 Imin "imin" Yes Int [I] [I I] NEGATE Words(0);
     38 Imul "imul" Yes Int [I I] [I I] NEGATE Words(0);
     39 Ine "ine" Yes Compare [B] [I I] NEGATE Words(0);
     40 Ineg "ineg" Yes Int [I] [I] NONE Words(0);
     41 Ishl "ishl" Yes Int [I] [I U] NONE Words(0);
     42 Ishr "ishr" Yes Int [I] [I U] NONE Words(0);
     43 Itof "itof" Yes Convert [F] [I] NEGATE Words(0);
     44 Label "label" Yes Flow [] [L] NONE Words(0);
     45 Ld "ld" Yes Resource [A] [I T] NONE Words(0);
     46 Ldms "ldms" Yes Resource [A] [I T I] NONE Words(0);
     47 Log "log" Yes Float [F] [F] ALL Words(0);
     48 Loop "loop" Yes Flow [] [] NONE Words(0);
     49 Lt "lt" Yes Compare [B] [F F] SOURCES Words(0);
     50 Mad "mad" Yes Float [F] [F F F] ALL Words(0);
     51 Min "min" Yes Float [F] [F F] ALL Words(0);
     52 Max "max" Yes Float [F] [F F] ALL Words(0);
     53 Customdata "customdata" Yes CustomData [] [] NONE Custom;
     54 Mov "mov" Yes Move [A] [A] ALL Words(0);
     55 Movc "movc" Yes Move [A] [U A A] ALL Words(0);
     56 Mul "mul" Yes Float [F] [F F] ALL Words(0);
     57 Ne "ne" Yes Compare [B] [F F] SOURCES Words(0);
     58 Nop "nop" Yes Flow [] [] NONE Words(0);
     59 Not "not" Yes Bit [U] [U] NONE Words(0);
     60 Or "or" Yes Bit [U] [U U] NONE Words(0);
     61 Resinfo "resinfo" Yes Resource [F] [I T] NONE Words(0);
     62 Ret "ret" Yes Flow [] [] NONE Words(0);
     63 Retc "retc" Yes Flow [] [U] NONE Words(0);
     64 RoundNe "round_ne" Yes Float [F] [F] ALL Words(0);
     65 RoundNi "round_ni" Yes Float [F] [F] ALL Words(0);
     66 RoundPi "round_pi" Yes Float [F] [F] ALL Words(0);
     67 RoundZ "round_z" Yes Float [F] [F] ALL Words(0);
     68 Rsq "rsq" Yes Float [F] [F] ALL Words(0);
     69 Sample "sample" No OtherStage [A] [F T S] NONE Words(0);
     70 SampleC "sample_c" No OtherStage [F] [F T S F] NONE Words(0);
     71 SampleCLz "sample_c_lz" Yes Resource [F] [F T S F] NONE Words(0);
     72 SampleL "sample_l" Yes Resource [A] [F T S F] NONE Words(0);
     73 SampleD "sample_d" Yes Resource [A] [F T S F F] NONE Words(0);
     74 SampleB "sample_b" No OtherStage [A] [F T S F] NONE Words(0);
     75 Sqrt "sqrt" Yes Float [F] [F] ALL Words(0);
     76 Switch "switch" Yes Flow [] [U] NONE Words(0);
     77 Sincos "sincos" Yes Float [F F] [F] ALL Words(0);
     78 Udiv "udiv" Yes Uint [U U] [U U] NONE Words(0);
     79 Ult "ult" Yes Compare [B] [U U] NONE Words(0);
     80 Uge "uge" Yes Compare [B] [U U] NONE Words(0);
     81 Umul "umul" Yes Uint [U U] [U U] NONE Words(0);
     82 Umad "umad" Yes Uint [U] [U U U] NONE Words(0);
     83 Umax "umax" Yes Uint [U] [U U] NONE Words(0);
     84 Umin "umin" Yes Uint [U] [U U] NONE Words(0);
     85 Ushr "ushr" Yes Uint [U] [U U] NONE Words(0);
     86 Utof "utof" Yes Convert [F] [U] NONE Words(0);
     87 Xor "xor" Yes Bit [U] [U U] NONE Words(0);
     88 DclResource "dcl_resource" Yes Declaration [] [R] NONE Words(1);
     89 DclConstantbuffer "dcl_constantbuffer" Yes Declaration [] [R] NONE Words(0);
     90 DclSampler "dcl_sampler" Yes Declaration [] [R] NONE Words(0);
     91 DclIndexrange "dcl_indexrange" Yes Declaration [] [R] NONE Words(1);
     92 DclOutputtopology "dcl_outputtopology" No Declaration [] [] NONE Words(0);
     93 DclInputprimitive "dcl_inputprimitive" No Declaration [] [] NONE Words(0);
     94 DclMaxout "dcl_maxout" No Declaration [] [] NONE Words(1);
     95 DclInput "dcl_input" Yes Declaration [] [R] NONE Words(0);
     96 DclInputSgv "dcl_input_sgv" Rare Declaration [] [R] NONE Words(1);
     97 DclInputSiv "dcl_input_siv" Rare Declaration [] [R] NONE Words(1);
     98 DclInputPs "dcl_input_ps" No Declaration [] [R] NONE Words(0);
     99 DclInputPsSgv "dcl_input_ps_sgv" No Declaration [] [R] NONE Words(1);
    100 DclInputPsSiv "dcl_input_ps_siv" No Declaration [] [R] NONE Words(1);
    101 DclOutput "dcl_output" Yes Declaration [] [R] NONE Words(0);
    102 DclOutputSgv "dcl_output_sgv" Rare Declaration [] [R] NONE Words(1);
    103 DclOutputSiv "dcl_output_siv" Yes Declaration [] [R] NONE Words(1);
    104 DclTemps "dcl_temps" Yes Declaration [] [] NONE Words(1);
    105 DclIndexableTemp "dcl_indexableTemp" Yes Declaration [] [] NONE Words(3);
    106 DclGlobalFlags "dcl_globalFlags" Yes Declaration [] [] NONE Words(0);
    108 Lod "lod" No Resource [F] [F T S] NONE Words(0);
    109 Gather4 "gather4" Yes Resource [A] [F T S] NONE Words(0);
    110 Samplepos "samplepos" Yes Resource [F] [T U] NONE Words(0);
    111 Sampleinfo "sampleinfo" Yes Resource [F] [T] NONE Words(0);
    113 HsDecls "hs_decls" Yes Phase [] [] NONE Words(0);
    114 HsControlPointPhase "hs_control_point_phase" Yes Phase [] [] NONE Words(0);
    115 HsForkPhase "hs_fork_phase" Yes Phase [] [] NONE Words(0);
    116 HsJoinPhase "hs_join_phase" Yes Phase [] [] NONE Words(0);
    117 EmitStream "emit_stream" No OtherStage [] [M] NONE Words(0);
    118 CutStream "cut_stream" No OtherStage [] [M] NONE Words(0);
    119 EmitThenCutStream "emit_then_cut_stream" No OtherStage [] [M] NONE Words(0);
    120 Fcall "fcall" Rare Flow [] [] NONE Rest;
    121 Bufinfo "bufinfo" Yes Resource [U] [T] NONE Words(0);
    122 DerivRtxCoarse "deriv_rtx_coarse" No OtherStage [F] [F] NONE Words(0);
    123 DerivRtxFine "deriv_rtx_fine" No OtherStage [F] [F] NONE Words(0);
    124 DerivRtyCoarse "deriv_rty_coarse" No OtherStage [F] [F] NONE Words(0);
    125 DerivRtyFine "deriv_rty_fine" No OtherStage [F] [F] NONE Words(0);
    126 Gather4C "gather4_c" Yes Resource [F] [F T S F] NONE Words(0);
    127 Gather4Po "gather4_po" Yes Resource [A] [F I T S] NONE Words(0);
    128 Gather4PoC "gather4_po_c" Yes Resource [F] [F I T S F] NONE Words(0);
    129 Rcp "rcp" Yes Float [F] [F] ALL Words(0);
    130 F32tof16 "f32tof16" Yes Convert [U] [F] SOURCES Words(0);
    131 F16tof32 "f16tof32" Yes Convert [F] [U] NONE Words(0);
    132 Uaddc "uaddc" Yes Uint [U U] [U U] NONE Words(0);
    133 Usubb "usubb" Yes Uint [U U] [U U] NONE Words(0);
    134 Countbits "countbits" Yes Bit [U] [U] NONE Words(0);
    135 FirstbitHi "firstbit_hi" Yes Bit [U] [U] NONE Words(0);
    136 FirstbitLo "firstbit_lo" Yes Bit [U] [U] NONE Words(0);
    137 FirstbitShi "firstbit_shi" Yes Bit [U] [I] NONE Words(0);
    138 Ubfe "ubfe" Yes Bit [U] [U U U] NONE Words(0);
    139 Ibfe "ibfe" Yes Bit [I] [U U I] NONE Words(0);
    140 Bfi "bfi" Yes Bit [U] [U U U U] NONE Words(0);
    141 Bfrev "bfrev" Yes Bit [U] [U] NONE Words(0);
    142 Swapc "swapc" Yes Move [A A] [U A A] NONE Words(0);
    143 DclStream "dcl_stream" No Declaration [] [R] NONE Words(0);
    144 DclFunctionBody "dcl_function_body" Rare Declaration [] [] NONE Words(1);
    145 DclFunctionTable "dcl_function_table" Rare Declaration [] [] NONE Rest;
    146 DclInterface "dcl_interface" Rare Declaration [] [] NONE Rest;
    147 DclInputControlPointCount "dcl_input_control_point_count" Yes Declaration [] [] NONE Words(0);
    148 DclOutputControlPointCount "dcl_output_control_point_count" Yes Declaration [] [] NONE Words(0);
    149 DclTessellatorDomain "dcl_tessellator_domain" Yes Declaration [] [] NONE Words(0);
    150 DclTessellatorPartitioning "dcl_tessellator_partitioning" Yes Declaration [] [] NONE Words(0);
    151 DclTessellatorOutputPrimitive "dcl_tessellator_output_primitive" Yes Declaration [] [] NONE Words(0);
    152 DclHsMaxTessfactor "dcl_hs_max_tessfactor" Yes Declaration [] [] NONE Words(1);
    153 DclHsForkPhaseInstanceCount "dcl_hs_fork_phase_instance_count" Yes Declaration [] [] NONE Words(1);
    154 DclHsJoinPhaseInstanceCount "dcl_hs_join_phase_instance_count" Yes Declaration [] [] NONE Words(1);
    155 DclThreadGroup "dcl_thread_group" No Declaration [] [] NONE Words(3);
    156 DclUavTyped "dcl_uav_typed" Level11 Declaration [] [R] NONE Words(1);
    157 DclUavRaw "dcl_uav_raw" Level11 Declaration [] [R] NONE Words(0);
    158 DclUavStructured "dcl_uav_structured" Level11 Declaration [] [R] NONE Words(1);
    159 DclTgsmRaw "dcl_tgsm_raw" No Declaration [] [R] NONE Words(1);
    160 DclTgsmStructured "dcl_tgsm_structured" No Declaration [] [R] NONE Words(2);
    161 DclResourceRaw "dcl_resource_raw" Yes Declaration [] [R] NONE Words(0);
    162 DclResourceStructured "dcl_resource_structured" Yes Declaration [] [R] NONE Words(1);
    163 LdUavTyped "ld_uav_typed" Level11 Uav [A] [I V] NONE Words(0);
    164 StoreUavTyped "store_uav_typed" Level11 Uav [V] [I A] NONE Words(0);
    165 LdRaw "ld_raw" Yes Resource [A] [U T] NONE Words(0);
    166 StoreRaw "store_raw" Level11 Uav [V] [U A] NONE Words(0);
    167 LdStructured "ld_structured" Yes Resource [A] [U U T] NONE Words(0);
    168 StoreStructured "store_structured" Level11 Uav [V] [U U A] NONE Words(0);
    169 AtomicAnd "atomic_and" Level11 Uav [V] [U U] NONE Words(0);
    170 AtomicOr "atomic_or" Level11 Uav [V] [U U] NONE Words(0);
    171 AtomicXor "atomic_xor" Level11 Uav [V] [U U] NONE Words(0);
    172 AtomicCmpStore "atomic_cmp_store" Level11 Uav [V] [U U U] NONE Words(0);
    173 AtomicIadd "atomic_iadd" Level11 Uav [V] [U U] NONE Words(0);
    174 AtomicImax "atomic_imax" Level11 Uav [V] [U U] NONE Words(0);
    175 AtomicImin "atomic_imin" Level11 Uav [V] [U U] NONE Words(0);
    176 AtomicUmax "atomic_umax" Level11 Uav [V] [U U] NONE Words(0);
    177 AtomicUmin "atomic_umin" Level11 Uav [V] [U U] NONE Words(0);
    178 ImmAtomicAlloc "imm_atomic_alloc" Level11 Uav [U] [V] NONE Words(0);
    179 ImmAtomicConsume "imm_atomic_consume" Level11 Uav [U] [V] NONE Words(0);
    180 ImmAtomicIadd "imm_atomic_iadd" Level11 Uav [U V] [U U] NONE Words(0);
    181 ImmAtomicAnd "imm_atomic_and" Level11 Uav [U V] [U U] NONE Words(0);
    182 ImmAtomicOr "imm_atomic_or" Level11 Uav [U V] [U U] NONE Words(0);
    183 ImmAtomicXor "imm_atomic_xor" Level11 Uav [U V] [U U] NONE Words(0);
    184 ImmAtomicExch "imm_atomic_exch" Level11 Uav [U V] [U U] NONE Words(0);
    185 ImmAtomicCmpExch "imm_atomic_cmp_exch" Level11 Uav [U V] [U U U] NONE Words(0);
    186 ImmAtomicImax "imm_atomic_imax" Level11 Uav [U V] [U U] NONE Words(0);
    187 ImmAtomicImin "imm_atomic_imin" Level11 Uav [U V] [U U] NONE Words(0);
    188 ImmAtomicUmax "imm_atomic_umax" Level11 Uav [U V] [U U] NONE Words(0);
    189 ImmAtomicUmin "imm_atomic_umin" Level11 Uav [U V] [U U] NONE Words(0);
    190 Sync "sync" Level11 Uav [] [] NONE Words(0);
    191 Dadd "dadd" Double Double [D] [D D] ALL Words(0);
    192 Dmax "dmax" Double Double [D] [D D] ALL Words(0);
    193 Dmin "dmin" Double Double [D] [D D] ALL Words(0);
    194 Dmul "dmul" Double Double [D] [D D] ALL Words(0);
    195 Deq "deq" Double Compare [B] [D D] SOURCES Words(0);
    196 Dge "dge" Double Compare [B] [D D] SOURCES Words(0);
    197 Dlt "dlt" Double Compare [B] [D D] SOURCES Words(0);
    198 Dne "dne" Double Compare [B] [D D] SOURCES Words(0);
    199 Dmov "dmov" Double Move [D] [D] ALL Words(0);
    200 Dmovc "dmovc" Double Move [D] [U D D] NONE Words(0);
    201 Dtof "dtof" Double Convert [F] [D] SOURCES Words(0);
    202 Ftod "ftod" Double Convert [D] [F] SOURCES Words(0);
    203 EvalSnapped "eval_snapped" No OtherStage [A] [R I] NONE Words(0);
    204 EvalSampleIndex "eval_sample_index" No OtherStage [A] [R I] NONE Words(0);
    205 EvalCentroid "eval_centroid" No OtherStage [A] [R] NONE Words(0);
    206 DclGsinstances "dcl_gsinstances" No Declaration [] [] NONE Words(1);
    207 Abort "abort" Rare Debug [] [] NONE Words(0);
    208 DebugBreak "debug_break" Rare Debug [] [] NONE Words(0);
    210 Ddiv "ddiv" Double11 Double [D] [D D] NONE Words(0);
    211 Dfma "dfma" Double11 Double [D] [D D D] NONE Words(0);
    212 Drcp "drcp" Double11 Double [D] [D] NONE Words(0);
    213 Msad "msad" Extension11 Uint [U] [U U U] NONE Words(0);
    214 Dtoi "dtoi" Double11 Convert [I] [D] NONE Words(0);
    215 Dtou "dtou" Double11 Convert [U] [D] NONE Words(0);
    216 Itod "itod" Double11 Convert [D] [I] NONE Words(0);
    217 Utod "utod" Double11 Convert [D] [U] NONE Words(0);
    219 Gather4S "gather4_s" Tiled Resource [A U] [F T S] NONE Words(0);
    220 Gather4CS "gather4_c_s" Tiled Resource [F U] [F T S F] NONE Words(0);
    221 Gather4PoS "gather4_po_s" Tiled Resource [A U] [F I T S] NONE Words(0);
    222 Gather4PoCS "gather4_po_c_s" Tiled Resource [F U] [F I T S F] NONE Words(0);
    223 LdS "ld_s" Tiled Resource [A U] [I T] NONE Words(0);
    224 LdmsS "ldms_s" Tiled Resource [A U] [I T I] NONE Words(0);
    225 LdUavTypedS "ld_uav_typed_s" Tiled Uav [A U] [I V] NONE Words(0);
    226 LdRawS "ld_raw_s" Tiled Resource [A U] [U T] NONE Words(0);
    227 LdStructuredS "ld_structured_s" Tiled Resource [A U] [U U T] NONE Words(0);
    228 SampleLS "sample_l_s" Tiled Resource [A U] [F T S F] NONE Words(0);
    229 SampleCLzS "sample_c_lz_s" Tiled Resource [F U] [F T S F] NONE Words(0);
    230 SampleClS "sample_cl_s" No OtherStage [A U] [F T S F] NONE Words(0);
    231 SampleBClS "sample_b_cl_s" No OtherStage [A U] [F T S F F] NONE Words(0);
    232 SampleDClS "sample_d_cl_s" Tiled Resource [A U] [F T S F F F] NONE Words(0);
    233 SampleCClS "sample_c_cl_s" No OtherStage [F U] [F T S F F] NONE Words(0);
    234 CheckAccessFullyMapped "check_access_fully_mapped" Tiled Resource [U] [U] NONE Words(0);
}

impl HullOpcode {
    /// Returns the number of operands: destinations and sources.
    pub fn operand_count(self) -> usize {
        self.types().count()
    }
    /// Returns the type of each operand, destinations first.
    pub fn types(self) -> impl Iterator<Item = Type> {
        self.destinations().iter().chain(self.sources()).copied()
    }
    /// Returns the extra dwords that follow the operands. Shader model 5.1 adds a register space to bindings, and a
    /// size to constant buffers ([hs50.program.model_5_1]).
    pub fn extra_of(self, minor: u8) -> ExtraDwords {
        use HullOpcode::*;
        let more = match self {
            _ if minor == 0 => 0,
            DclConstantbuffer => 2,
            DclSampler | DclResource | DclResourceRaw | DclResourceStructured => 1,
            DclUavTyped | DclUavRaw | DclUavStructured => 1,
            _ => 0,
        };
        match self.extra() {
            Words(words) => Words(words.saturating_add(more)),
            other => other,
        }
    }
    /// Returns whether the opcode is a declaration. Declarations precede the code of the shader or phase.
    pub fn is_declaration(self) -> bool {
        matches!(self.category(), Category::Declaration | Category::CustomData)
    }
    /// Returns whether the opcode has a zero test, `_z` or `_nz`.
    pub fn is_test(self) -> bool {
        use HullOpcode::{Breakc, Callc, Continuec, Discard, If, Retc};
        matches!(self, If | Breakc | Continuec | Retc | Callc | Discard)
    }
}
