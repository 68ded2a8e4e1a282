//! Runs the steps of a script: calls, and these steps, which many rows need:
//!
//! | step | |
//! |---|---|
//! | `setup` | creates all that a draw needs: `program`, `indices` of two triangles, `vertices` of seven floats as `va0` |
//! | `program N "vertex" "fragment"` | creates and sets a `program` of AGAL version N |
//! | `mesh FLOATS INDICES` | creates `indices`, and vertices with a position as `va0` and four numbers as `va1` |
//! | `quad L,T,R,B COLOR Z [back]` | draws a quad with a colour as `va1`: `#rrggbbaa`, four numbers, `pick:N` of eight, or `cell:COLUMN:ROW`; several quads are joined with ` + ` |
//! | `buffers QUAD + QUAD` | creates the `vertices` and `indices` of such quads, without drawing them |
//! | `corners L,T,R,B Z V V V V` | draws a quad with a `va1` for each corner; several quads are joined with ` + ` |
//! | `textured L,T,R,B U,V,U,V` | draws a quad with texture coordinates; several quads are joined with ` + ` |
//! | `levels W H FORMAT PATTERN` | creates a `texture` with all mip levels, in a pattern of `texels` |
//! | `samples OPTIONS` | sets `texture`, and a program that samples it with these options |
//! | `cells A,B,C Z [behind:N] [every:N]` | draws 8×8 quads, or every Nth of them, with the colours A · column + B · row + C, every Nth as a back face; Z may be `eighths`, by column |
//! | `configure W H samples depth`, `target texture W H depth samples`, `to_back_buffer` | sets the render target of quads |
//! | `fails N call …` | makes a call that raises error N |
//! | `present` | presents and ends the frame |
//! | `renew` | replaces the context with a new one |
//! | `enter_other`, `leave_other` | between these, steps use the context of another Stage3D |

use context3d::enums::{FlashName, TextureFormat};
use molehill_capture::objects::{ObjectId, ObjectKind, TextureId};

use super::ScriptStep;
use crate::calls::words::{self, ScriptObjects, array};
use crate::calls::{Calls as _, call, invalid};
use crate::drawing::{cell, cells, color, pick};
use crate::scene_builder::{FULL, PASS, SceneBuilder, SceneQuad, SceneResult};
use crate::texels::{self, TexelPattern};
use molehill_replay::record::RecordError;

pub(crate) fn run(steps: &[ScriptStep], s: &mut SceneBuilder) -> SceneResult {
    let mut objects = ScriptObjects::new();
    for step in steps {
        if step.is_checked {
            s.expect();
        }
        (0..step.times).try_for_each(|_| step.run(s, &mut objects))?;
    }
    Ok(())
}

impl ScriptStep {
    fn run(&self, s: &mut SceneBuilder, objects: &mut ScriptObjects) -> SceneResult {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let created = create(&words, s, objects);
        if let Some(done) = created.or_else(|| draw(&words, s, objects)) {
            return done;
        }
        let fault = || invalid(format!("unknown step: {}", self.words.join(" ")));
        let made: Option<(ObjectId, ObjectKind)> = match words.as_slice() {
            ["fails", number, words @ ..] => {
                let number = number.parse().map_err(|_| fault())?;
                let step = ScriptStep {
                    words: words.iter().map(|word| (*word).to_owned()).collect(),
                    ..self.clone()
                };
                return s.fails(number, |s| step.run(s, objects));
            }
            [name] if objects.contains_key(*name) => objects.get(*name).copied(),
            [first, words @ ..] => {
                let (on, name) = match first.split_once('.') {
                    Some((object, name)) => (Some(*objects.get(object).ok_or_else(fault)?), name),
                    None => (None, *first),
                };
                let class = on.map_or(ObjectKind::Context3D, |(_, class)| class);
                let call = call(class, name, words.iter().copied(), objects).ok_or_else(fault)?;
                let class = call.creates();
                s.make(on.map(|(id, _)| id), call)?.zip(class)
            }
            [] => None,
        };
        if let (Some(name), Some(object)) = (&self.name, made) {
            objects.insert(name.clone(), object);
        }
        Ok(())
    }
}

/// Runs a script step that creates objects. Returns `None` for steps that create no objects.
fn create(
    words: &[&str],
    s: &mut SceneBuilder,
    objects: &mut ScriptObjects,
) -> Option<SceneResult> {
    let mut name = |name: &str, id, class| {
        objects.insert(name.to_owned(), (id, class));
    };
    Some(match *words {
        ["setup"] => {
            s.mesh(&[SceneQuad::flat(FULL, 0.5, [1.0; 4])]).and_then(|(vertices, indices)| {
                s.set_vertex_buffer_at(0, vertices, 0, "float4")?;
                let program = s.program("mov op, va0", "mov oc, fc0")?;
                name("vertices", vertices.0, ObjectKind::VertexBuffer3D);
                name("indices", indices.0, ObjectKind::IndexBuffer3D);
                name("program", program.0, ObjectKind::Program3D);
                Ok(())
            })
        }
        ["program", version, vertex, fragment] => s
            .program_of(version.parse().ok()?, vertex, fragment)
            .map(|program| name("program", program.0, ObjectKind::Program3D)),
        ["mesh", floats, indices] => {
            let (floats, corners) = (words::list::<f32>(floats)?, words::list::<u16>(indices)?);
            s.vertices(&floats, 7).and_then(|vertices| {
                let indices = s.indices(&corners)?;
                s.set_vertex_buffer_at(0, vertices, 0, "float3")?;
                s.set_vertex_buffer_at(1, vertices, 3, "float4")?;
                name("indices", indices.0, ObjectKind::IndexBuffer3D);
                Ok(())
            })
        }
        ["buffers", ref words @ ..] => s.mesh(&quads(words, quad)?).map(|(vertices, indices)| {
            name("vertices", vertices.0, ObjectKind::VertexBuffer3D);
            name("indices", indices.0, ObjectKind::IndexBuffer3D);
        }),
        ["levels", width, height, format, pattern] => {
            let size = (width.parse().ok()?, height.parse().ok()?);
            let (format, pattern) = (TextureFormat::from_name(format)?, texels::pattern(pattern)?);
            textured(s, format, size, pattern)
                .map(|texture| name("texture", texture.0, ObjectKind::Texture))
        }
        ["samples", options] => {
            let texture = TextureId(objects.get("texture")?.0);
            let program = s.program(PASS, &format!("tex oc, v0, fs0 <{options}>"));
            program.and_then(|_| s.set_texture_at(0, texture))
        }
        _ => return None,
    })
}

/// Runs a script step that draws or sets the render target; returns `None` for all other steps.
fn draw(words: &[&str], s: &mut SceneBuilder, objects: &ScriptObjects) -> Option<SceneResult> {
    Some(match *words {
        ["quad", ref words @ ..] => s.quads(&quads(words, quad)?),
        ["corners", ref words @ ..] => s.quads(&quads(words, |words| {
            let [corners, z, values @ ..] = words else { return None };
            let values: Option<Vec<[f32; 4]>> = values.iter().map(|word| array(word)).collect();
            let quad = SceneQuad::of(array(corners)?, values?.try_into().ok()?);
            Some(SceneQuad { z: z.parse().ok()?, ..quad })
        })?),
        ["textured", ref words @ ..] => s.quads(&quads(words, |words| match words {
            [corners, at] => Some(SceneQuad::textured(array(corners)?, array(at)?)),
            _ => None,
        })?),
        ["cells", factors, z, ref options @ ..] => {
            let [a, b, c]: [u16; 3] = array(factors)?;
            let option = |key: &str| {
                options.iter().find_map(|word| word.strip_prefix(key)?.parse::<usize>().ok())
            };
            let depth = z.parse::<f32>().ok();
            let z = |column, _| depth.unwrap_or(f32::from(column) / 8.0);
            let quads =
                cells(z, |column, row| pick(a * column + b * row + c)).into_iter().enumerate();
            let is_behind =
                |n: usize| option("behind:").is_some_and(|every| n.is_multiple_of(every));
            let quads = quads.map(|(n, quad)| if is_behind(n) { quad.behind() } else { quad });
            s.quads(&quads.step_by(option("every:").unwrap_or(1).max(1)).collect::<Vec<_>>())
        }
        ["configure", width, height, samples, depth] => {
            let [width, height] = [width.parse().ok()?, height.parse().ok()?];
            s.configure(width, height, samples.parse().ok()?, depth.parse().ok()?)
        }
        ["target", texture, width, height, depth, samples] => {
            let texture = TextureId(objects.get(texture)?.0);
            let size = (width.parse().ok()?, height.parse().ok()?);
            s.target(texture, size, depth.parse().ok()?, samples.parse().ok()?)
        }
        ["to_back_buffer"] => s.to_back_buffer(),
        ["present"] => s.present(),
        ["renew"] => s.renew(),
        ["enter_other"] => s.enter_other(),
        ["leave_other"] => {
            s.leave_other();
            Ok(())
        }
        _ => return None,
    })
}

fn textured(
    s: &mut SceneBuilder,
    format: TextureFormat,
    (width, height): (u32, u32),
    pattern: TexelPattern,
) -> Result<TextureId, RecordError> {
    let texture =
        s.create_texture(width.cast_signed(), height.cast_signed(), format.name(), false, 0)?;
    for level in 0..=width.max(height).ilog2() {
        let size = ((width >> level).max(1), (height >> level).max(1));
        let bytes = texels::texels(format, size, level, pattern);
        s.texture_upload_from_byte_array(texture, bytes, 0, None, Some(level))?;
    }
    Ok(texture)
}

/// Parses the quads of a script step, which are joined with ` + `.
fn quads(words: &[&str], quad: impl Fn(&[&str]) -> Option<SceneQuad>) -> Option<Vec<SceneQuad>> {
    words.split(|word| *word == "+").map(quad).collect()
}

fn quad(words: &[&str]) -> Option<SceneQuad> {
    let (corners, value, z, is_back) = match *words {
        [corners, value, z] => (corners, value, z, false),
        [corners, value, z, "back"] => (corners, value, z, true),
        _ => return None,
    };
    let value = match value.split_once(':') {
        Some(("pick", number)) => pick(number.parse().ok()?),
        Some(("cell", position)) => {
            let (column, row) = position.split_once(':')?;
            color(cell(column.parse().ok()?, row.parse().ok()?))
        }
        Some(_) => return None,
        None => match value.strip_prefix('#') {
            Some(digits) => color(u32::from_str_radix(digits, 16).ok()?.to_be_bytes()),
            None => array(value)?,
        },
    };
    Some(SceneQuad { back: is_back, ..SceneQuad::flat(array(corners)?, z.parse().ok()?, value) })
}
