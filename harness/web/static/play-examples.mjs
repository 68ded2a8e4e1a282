// The playground's example programs: name, text, and settings that differ from the defaults.
export const EXAMPLES = [
  ["Textured square", `// version: 1
// vertex
m44 op, va0, vc0          // position times the matrix in vc0 to vc3
mov v0, va1               // texture coordinates
// fragment
tex ft0, v0, fs0 <2d,linear,repeat,mipnone>
mul oc, ft0, fc0          // texel times a colour
`, { values: { va1: "0.25,0.75 / 0.75,0.75 / 0.25,0.25 / 0.75,0.25" } }],
  ["Light for each pixel", `// version: 1
// vertex
m44 op, va0, vc0
m33 vt0.xyz, va1, vc4     // the normal in the world
mov vt0.w, va1.w
mov v0, vt0
sub v1, vc8, va0          // from the vertex to the light
// fragment
nrm ft0.xyz, v0
nrm ft1.xyz, v1
dp3 ft0.w, ft0.xyz, ft1.xyz  // the cosine of the angle between them
sat ft0.w, ft0.w
pow ft1.w, ft0.w, fc0.w      // the highlight
mul ft2, fc1, ft0.w
add oc, ft2, ft1.w
`, {
    values: {
      va1: "-0.5,-0.5,0.7 / 0.5,-0.5,0.7 / -0.5,0.5,0.7 / 0.5,0.5,0.7", vc8: "1,1,2,1", fc0: "0,0,0,16", fc1: "0.8,0.3,0.1,1",
    },
  }],
  ["Conditionals and derivatives (AGAL 2)", `// version: 2
// vertex
mov op, va0
mov v0, va1
// fragment
ddx ft0, v0
ddy ft1, v0
abs ft0, ft0
abs ft1, ft1
add ft0, ft0, ft1         // the width of a pixel in coordinates
mov ft2, v0
ifg ft2.x, fc0.y
    mul ft2.z, ft0.x, fc0.z
els
    sub ft3.x, v0.y, fc0.y
    kil ft3.x             // discards some pixels of the quad
    mov ft2.z, fc0.y
eif
mov ft2.w, fc0.x
mov oc, ft2
`],
  ["Skinning by an index", `// version: 1
// vertex
m34 vt0.xyz, va0, vc[va1.x+4]  // a matrix of three rows, chosen by the vertex
mov vt0.w, va0.w
m44 op, vt0, vc0
mov v0, va1
// fragment
mov oc, v0
`, { values: { va1: "0 / 0 / 3 / 3", vc4: "1,0,0,0", vc5: "0,1,0,0", vc6: "0,0,1,0", vc7: "2,0,0,0.5" } }],
  ["Errors: what Flash says", `// version: 1
// vertex
m44 op, va0, vc0
// fragment
mul ft0.xyz, v0, fc0
mov oc, ft0               // nothing wrote the alpha of ft0
`],
  ["NaN and infinity", `// version: 1
// fragment
sub ft0, v0, v0           // zeros
rcp ft1, ft0
mul ft2, ft1, ft0
log ft3, ft0
mov ft3.w, fc0.w
mov oc, ft3
`, { floats: "ieee" }],
  ["Direct3D 9 pixel shader", `ps_2_0
def c0, 0.5, 0, 0, 1
dcl t0.xy
dcl_2d s0
texld r0, t0, s0
mul r0.xyz, r0, c0.x
mov oC0, r0
`],
];
