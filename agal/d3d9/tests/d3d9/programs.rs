//! Test programs that are written for this crate.

/// A program with a subroutine that indexes inputs and outputs.
pub(crate) const SHARED_INPUTS: &str = "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\nmova a0.x, v0.y\ncall l0\nadd r0, r0, c0\nmov o0, r0\nret\n\
    label l0\nmov r0, v0[a0.x]\nmov o1[a0.x], r0\nret";

/// Programs that together cover every instruction, register and modifier.
pub(crate) const PROGRAMS: &[&str] = &[
    SHARED_INPUTS,
    "ps_3_0\ndcl_texcoord v0\ndcl_color_centroid v1.xy\ndcl_texcoord2 v2.zw\ndcl vPos.xy\ndcl vFace\ndcl_2d s0\ndcl_cube s1\ndcl_volume s2\ndef c5, 1, -2, 1e30, 0\ndefi i1, 3, 0, 1, 0\ndefb b1, true
        mov r0, v0\nadd r0.x, r0, v1.y\nadd r0.zw, r0, v2\nsub r1, r0, c0\nmad r1.xy, r0, c1.x, r1\nmul r1, r1, vPos.xyxy\nmul r1.x, r1.x, vFace.x\nrcp r2, r1.x\nrsq r2.xy, r1.y\ndp3 r2.z, r0, r1\ndp4 r3, r0, r1\nmin r3.xyz, r0, r1\nmax r3, r0, r1\nexp r3.x, r0.x\nlog r3, r0.x\nlrp r3.xy, r0, r1, r2\nfrc r3, r0\nm4x4 r4, r0, c4\nm3x2 r4.xy, r0, c0\npow r4.xyz, r0.x, c5.y\ncrs r5.xyz, r0, r1\nmov r5.w, c0.x\ncrs r6.xy, r0, r1\nabs r5, r0\nnrm r6.xyz, r0\nsincos r7.xy, r0.x\nsincos r7.x, r0.x\ncmp r5, r0, r1, r5\ncmp r5.x, r0, r1, r5\ndp2add r5, r0, r1, c0.x\ndsx r5.xy, r0\ndsy r5.x, r0
        texld r0, v0, s0\ntexld r0.xyz, v0, s1.wzyx\ntexldp r0, v0, s0\ntexldp r0, v0, s2\ntexldb r0, v0, s0\ntexldl r0, v0, s1\ntexldd r0, v0, s0, r1, r1\ntexkill r1\nsetp_gt p0, r0, r1\nsetp_le p0.x, r0, r1\n(p0) mov r0, r1\n(!p0) mov_sat r0.xy, r1\n(p0.y) mov r0.x, r1\n(p0.x) texkill r1
        if b0\nmov r0, r1\nelse\nmov r0, -r1_abs\nendif\nif !b1\nadd r0, r0, r1\nendif\nif p0.x\nadd r0, r0, r1\nendif\nif_ne r0.x, r1.x\nadd_sat r0, r0, r1\nendif\nloop aL, i1\nadd r0, r0, v0[aL]\nloop aL, i0\nadd r0, r0, v1[aL]\nbreak_gt r0.x, r1.x\nendloop\ncall l0\nendloop\nrep i0\nbreakp p0.x\nif b0\nbreak\nendif\nendrep\ncallnz l1, b0\ncallnz l1, !p0.x
        mov oC0, r0\nmov oC1.xy, r1\nmov oDepth, r0.x\nret\nlabel l0\nadd r0, r0, v0[aL]\ncall l1\nret\nlabel l1\nmov r1, r0\nret",
    "vs_3_0\ndcl_position v0\ndcl_blendindices v1\ndcl_position o0\ndcl_texcoord o1.xy\ndcl_texcoord1 o1.zw\ndcl_color o2\ndcl_psize o3\ndcl_2d s0\ndef c9, 1, 2, 3, 4
        mova a0.xy, v1\nmov r0, c[a0.x]\nadd r0, r0, c9[a0.y]\nslt r1, r0, v0\nsge r1.x, r0, v0\nlit r2, v0\ndst r2, v0, r1\nsgn r2, r0, r3, r4\nexpp r2, r0.x\nlogp r2, r0.y\nsetp_ge p0, r0, v0\n(p0) mova a0.zw, v1\nmov r2, v0[a0.x]\ntexldl r3, v0, s0\nmov o1, r0\nmov_sat o2[a0.x], r1\nmov o3, r0.x\nm4x4 o0, v0, c0",
    "vs_1_1\ndcl_position v0\ndcl_normal v1\nmov a0.x, v1.x\nmov r0, c4[a0.x]\nexpp r1, r0.x\nm4x4 oPos, v0, c0\nmov oT0.xy, v1\nmov oD0, r0\nmov oD1, r1\nmov oFog, r0.x\nmov oPts, r0.x",
    "ps_2_0\ndcl t0.xy\ndcl v0\ndcl_2d s0\ndef c0, -1.5500992e-06, -2.1701389e-05, 0.0026041667, 0.00026041668\ndef c1, -0.020833334, -0.125, 1, 0.5\ntexld r0, t0, s0\nsincos r1.xy, r0.x, c0, c1\nmad r0.xyz, r0, v0, r1.x\nmov oC0, r0\nmov oDepth, r0.x",
    "ps_1_1\ntex t0\ntexcoord t1\ntexkill t2\ntexbem t3, t0\nmad_x2_sat r0, 1-t1, v0, c0_bias\ncnd r0, r0.w, t3_bx2, -v1\nmov r0.xyz, r0\n+mov r0.w, t1.w",
    "ps_1_1\ntex t0\ntexreg2ar t2, t0\ntexreg2gb t3, t0\nlrp r0, v0, t2, t3",
    "ps_1_1\ntex t0\ntexbeml t1, t0\nmov r0, t1",
    "ps_1_1\ntex t0\ntexm3x3pad t1, t0_bx2\ntexm3x3pad t2, t0_bx2\ntexm3x3spec t3, t0_bx2, c0\nmov r0, t3",
    "ps_1_1\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3vspec t3, t0\nmov r0, t3",
    "ps_1_1\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3tex t3, t0\nmov r0, t3",
    "ps_1_1\ntex t0\ntexm3x2pad t1, t0\ntexm3x2tex t2, t0\nmov r0, t2",
    "ps_1_2\ntex t0\ntexreg2rgb t1, t0\ntexdp3tex t2, t0\ntexdp3 t3, t0\ncmp r0, t1, t2, v0\ndp4 r0, r0, t3",
    "ps_1_2\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3 t3, t0\nmov_d2 r0, t3",
    "ps_1_3\ntex t0\ntexm3x2pad t1, t0\ntexm3x2depth t2, t0\nmov r0, t0",
    "ps_1_4\ntexcrd r0.xyz, t0\ntexld r1, t1_dw.xyww\nbem r1.xy, r0, r1\nmov r5.xyz, r0\nphase\ntexld r2, r0\ntexld r3, r1_dz\ntexdepth r5\nadd_x8 r0, r2_x2, r3\n",
];
