// The one shader of all surfaces: vertex colour × texel × material colour, without colour management.

import {
  AdditiveBlending,
  DoubleSide,
  FrontSide,
  NoBlending,
  NormalBlending,
  ShaderMaterial,
  type IUniform,
} from "three";
import { CLASSES } from "./textures";

const vertexShader = /* glsl */ `
#include <batching_pars_vertex>
attribute vec4 tint;
attribute float material;
uniform sampler2D materials;
varying vec4 vTint;
varying vec2 vUv;
varying vec3 vView;
varying vec3 vWorld;
varying vec3 vNormal;
flat varying vec4 vColour;
flat varying vec4 vTexture;
flat varying vec4 vMark;
flat varying float vClamps;
void main() {
  float instance = getIndirectIndex(gl_DrawID);
  mat4 place = getBatchingMatrix(instance);
  int m = int(material + 0.5);
  ivec2 at = ivec2((m % 256) * 3, m / 256);
  vColour = texelFetch(materials, at, 0);
  vTexture = texelFetch(materials, at + ivec2(1, 0), 0);
  vec4 moved = texelFetch(materials, at + ivec2(2, 0), 0);
  vMark = getBatchingColor(instance);
  vTint = tint;
  vUv = uv + moved.xy;
  vec4 world = place * vec4(position, 1.0);
  vec4 seen = viewMatrix * world;
  vView = seen.xyz;
  vWorld = world.xyz;
  vNormal = mat3(place) * normal;
  vClamps = moved.w;
  gl_Position = projectionMatrix * seen;
  // Among coplanar surfaces, the one with the higher priority is nearer, at the same place on the screen.
  vec4 nearer = projectionMatrix * vec4(seen.xyz * (1.0 - moved.z * 0.0002), 1.0);
  gl_Position.z = nearer.z / nearer.w * gl_Position.w;
}`;

const cases = Array.from(
  { length: CLASSES },
  (_, n) => `    case ${n}: return textureGrad(pictures${n}, at, dx, dy);`,
).join("\n");

const fragmentShader = /* glsl */ `
precision highp sampler2DArray;
${Array.from({ length: CLASSES }, (_, n) => `uniform sampler2DArray pictures${n};`).join("\n")}
uniform int mode;
uniform bool shaded;
uniform bool blended;
uniform vec3 sun;
uniform vec3 sunColour;
uniform float ambient;
uniform vec3 fogColour;
uniform vec2 fogRange;
uniform bool additive;
uniform vec4 lampPlace[4];
uniform vec4 lampColour[4];
varying vec4 vTint;
varying vec2 vUv;
varying vec3 vView;
varying vec3 vWorld;
varying vec3 vNormal;
flat varying vec4 vColour;
flat varying vec4 vTexture;
flat varying vec4 vMark;
flat varying float vClamps;

vec4 picture(int size, vec3 at, vec2 dx, vec2 dy) {
  switch (size) {
${cases}
  }
  return vec4(1.0);
}

// Colours of soils and other small numbers: far apart, none too dark.
vec3 numbered(float n) {
  float hue = fract(n * 0.381966 + 0.08) * 6.0;
  vec3 c = clamp(vec3(abs(hue - 3.0) - 1.0, 2.0 - abs(hue - 2.0), 2.0 - abs(hue - 4.0)), 0.0, 1.0);
  return mix(vec3(0.82), c, 0.55);
}

// The share of the pixels of a small square that a translucent surface covers.
float grain(ivec2 at) {
  int n = (at.x & 1) * 2 ^ (at.y & 1) * 3;
  int m = (at.x >> 1 & 1) * 2 ^ (at.y >> 1 & 1) * 3;
  return (float(n * 4 + m) + 0.5) / 16.0;
}

void main() {
  float clear = floor(vMark.a * 0.5);
  float opacity = 1.0 - clear / 255.0;
  float share = vMark.a - 2.0 * clear;
  if (opacity < 1.0 && !blended && grain(ivec2(gl_FragCoord.xy)) >= opacity) discard;
  vec2 dx = dFdx(vUv);
  vec2 dy = dFdy(vUv);
  vec3 face = normalize(cross(dFdx(vView), dFdy(vView)));
  float facing = 0.5 + 0.5 * abs(face.z);
  int size = int(vTexture.x);
  vec2 at = vUv;
  // Just inside of the edge, so that smoothing does not reach the other side.
  if (vClamps == 1.0 || vClamps == 3.0) at.x = clamp(at.x, 0.004, 0.996);
  if (vClamps >= 2.0) at.y = clamp(at.y, 0.004, 0.996);
  vec4 texel = size < 0 ? vec4(1.0) : picture(size, vec3(at, vTexture.y), dx, dy);
  if (vTexture.z > 0.5 && texel.a < 0.5) discard;
  vec4 colour;
  if (mode == 1) {
    colour = vec4(vTint.rgb, 1.0);
  } else if (mode == 2) {
    colour = vec4(numbered(vTexture.w) * facing, 1.0);
  } else if (mode == 3) {
    colour = vec4(vMark.rgb * facing, 1.0);
  } else {
    colour = vec4(texel.rgb * vTint.rgb * vColour.rgb, texel.a * vColour.a);
    if (!blended) colour.a = 1.0;
    colour.a *= opacity;
    vec3 lit = vec3(0.0);
    for (int n = 0; n < 4; n++) {
      float far = lampPlace[n].w;
      float reach = (far - distance(vWorld, lampPlace[n].xyz)) / max(far - lampColour[n].w, 1e-3);
      if (far > 0.0) lit += lampColour[n].rgb * clamp(reach, 0.0, 1.0);
    }
    colour.rgb += colour.rgb * lit;
    if (shaded) {
      vec3 normal = dot(vNormal, vNormal) > 0.01 ? normalize(vNormal) : normalize(face * mat3(viewMatrix));
      colour.rgb *= ambient + sunColour * max(0.0, dot(normal, sun));
    }
  }
  // Additive surfaces stay additive: where the texture is dark, another mode would draw a bright square.
  if (additive && mode != 0) colour.rgb *= 0.5 * max(texel.r, max(texel.g, texel.b));
  if (mode != 3) colour.rgb = mix(colour.rgb, vMark.rgb, share);
  else if (share > 0.5) colour.rgb = mix(colour.rgb, vec3(1.0, 0.62, 0.16), 0.6);
  float fog = fogRange.y > fogRange.x ? clamp((length(vView) - fogRange.x) / (fogRange.y - fogRange.x), 0.0, 1.0) : 0.0;
  colour.rgb = mix(colour.rgb, additive ? vec3(0.0) : fogColour, fog);
  gl_FragColor = colour;
}`;

export type SurfaceKind = "solid" | "blend" | "add";

export function surface(kind: SurfaceKind, twoSided: boolean, shared: Record<string, IUniform>): ShaderMaterial {
  const material = new ShaderMaterial({
    name: `${kind}${twoSided ? " two-sided" : ""}`,
    vertexShader,
    fragmentShader,
    uniforms: { ...shared, blended: { value: kind !== "solid" }, additive: { value: kind === "add" } },
    side: twoSided ? DoubleSide : FrontSide,
    transparent: kind !== "solid",
    depthWrite: kind === "solid",
    blending: kind === "solid" ? NoBlending : kind === "add" ? AdditiveBlending : NormalBlending,
  });
  material.forceSinglePass = true;
  return material;
}
