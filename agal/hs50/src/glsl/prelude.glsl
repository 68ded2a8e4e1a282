bvec4 hs_nan(vec4 v) { return greaterThan(floatBitsToUint(v) & 0x7fffffffu, uvec4(0x7f800000u)); }

uvec4 hs_select(bvec4 c, uvec4 a, uvec4 b) { uvec4 m = uvec4(0u) - uvec4(c); return (a & m) | (b & ~m); }

vec4 hs_sat(vec4 v) { return mix(clamp(v, 0.0, 1.0), vec4(0.0), hs_nan(v)); }

vec4 hs_min(vec4 a, vec4 b) { return mix(mix(min(a, b), b, hs_nan(a)), a, hs_nan(b)); }

vec4 hs_max(vec4 a, vec4 b) { return mix(mix(max(a, b), b, hs_nan(a)), a, hs_nan(b)); }

vec4 hs_mad(vec4 a, vec4 b, vec4 c) { precise vec4 p = a * b; precise vec4 s = p + c; return s; }

vec4 hs_dp2(vec4 a, vec4 b) { precise vec4 p = a * b; precise float s = p.x + p.y; return vec4(s); }

vec4 hs_dp3(vec4 a, vec4 b) {
    precise vec4 p = a * b;
    precise float s = p.x + p.y;
    precise float t = s + p.z;
    return vec4(t);
}

vec4 hs_dp4(vec4 a, vec4 b) {
    precise vec4 p = a * b;
    precise float s = p.x + p.y;
    precise float t = s + p.z;
    precise float u = t + p.w;
    return vec4(u);
}

vec4 hs_log(vec4 v) { return mix(log2(v), vec4(uintBitsToFloat(0xff800000u)), equal(v, vec4(0.0))); }

vec4 hs_rsq(vec4 v) { return mix(inversesqrt(v), vec4(uintBitsToFloat(0x7f800000u)), equal(v, vec4(0.0))); }

uvec4 hs_umul_high(uvec4 a, uvec4 b) {
    uvec4 al = a & 0xffffu, ah = a >> 16u, bl = b & 0xffffu, bh = b >> 16u;
    uvec4 m = ah * bl + (al * bl >> 16u), n = al * bh + (m & 0xffffu);
    return ah * bh + (m >> 16u) + (n >> 16u);
}

ivec4 hs_imul_high(ivec4 a, ivec4 b) {
    return ivec4(hs_umul_high(uvec4(a), uvec4(b)) - (uvec4(b) & uvec4(a >> 31)) - (uvec4(a) & uvec4(b >> 31)));
}

uvec4 hs_udiv(uvec4 a, uvec4 b) { return (a / max(b, uvec4(1u))) | (uvec4(0u) - uvec4(equal(b, uvec4(0u)))); }

uvec4 hs_umod(uvec4 a, uvec4 b) { return (a % max(b, uvec4(1u))) | (uvec4(0u) - uvec4(equal(b, uvec4(0u)))); }

uvec4 hs_msad(uvec4 a, uvec4 b, uvec4 c) {
    for (int n = 0; n < 32; n += 8) {
        uvec4 r = a >> uint(n) & 255u;
        uvec4 s = b >> uint(n) & 255u;
        c += (max(r, s) - min(r, s)) * uvec4(notEqual(r, uvec4(0u)));
    }
    return c;
}

uvec4 hs_firstbit_hi(uvec4 v) { return uvec4(31 - findMSB(v)) | (uvec4(0u) - uvec4(equal(v, uvec4(0u)))); }

uvec4 hs_ubfe(uvec4 w, uvec4 o, uvec4 v) { return v >> (o & 31u) & ((uvec4(1u) << (w & 31u)) - 1u); }

ivec4 hs_ibfe(uvec4 w, uvec4 o, uvec4 v) {
    w &= 31u;
    o &= 31u;
    uvec4 end = min(w + o, uvec4(32u));
    ivec4 up = ivec4(v << (32u - max(end, uvec4(1u))));
    return (up >> ivec4(31u - min(end - o - 1u, uvec4(31u)))) * ivec4(notEqual(w, uvec4(0u)));
}

uvec4 hs_bfi(uvec4 w, uvec4 o, uvec4 a, uvec4 b) {
    uvec4 m = ((uvec4(1u) << (w & 31u)) - 1u) << (o & 31u);
    return (a << (o & 31u) & m) | (b & ~m);
}

ivec4 hs_ftoi(vec4 v) {
    v = mix(v, vec4(0.0), hs_nan(v));
    ivec4 i = ivec4(clamp(v, -2147483648.0, 2147483520.0));
    return ivec4(hs_select(greaterThanEqual(v, vec4(2147483648.0)), uvec4(0x7fffffffu), uvec4(i)));
}

uvec4 hs_ftou(vec4 v) {
    v = mix(v, vec4(0.0), hs_nan(v));
    uvec4 u = uvec4(clamp(v, 0.0, 4294967040.0));
    return u | (uvec4(0u) - uvec4(greaterThanEqual(v, vec4(4294967296.0))));
}

uvec4 hs_f32tof16(vec4 v) {
    uvec2 low = uvec2(packHalf2x16(vec2(v.x, 0.0)), packHalf2x16(vec2(v.y, 0.0)));
    return uvec4(low, packHalf2x16(vec2(v.z, 0.0)), packHalf2x16(vec2(v.w, 0.0))) & 0xffffu;
}

vec4 hs_f16tof32(uvec4 v) {
    v &= 0xffffu;
    return vec4(unpackHalf2x16(v.x).x, unpackHalf2x16(v.y).x, unpackHalf2x16(v.z).x, unpackHalf2x16(v.w).x);
}

double hs_dmin(double a, double b) { return isnan(a) ? b : isnan(b) ? a : min(a, b); }

double hs_dmax(double a, double b) { return isnan(a) ? b : isnan(b) ? a : max(a, b); }

int hs_dtoi(double v) { return isnan(v) ? 0 : int(clamp(v, -2147483648.0lf, 2147483647.0lf)); }

uint hs_dtou(double v) { return isnan(v) ? 0u : uint(clamp(v, 0.0lf, 4294967295.0lf)); }

double hs_dsat(double v) { return isnan(v) ? 0.0lf : clamp(v, 0.0lf, 1.0lf); }
