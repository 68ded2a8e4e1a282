//! The Mesh tab: the triangles and vertices of a draw before and after its vertex program.

use std::sync::Arc;

use eframe::egui::{self, Color32, Pos2, Rect, RichText, Ui, Vec2, WidgetInfo};
use egui_extras::{Column, TableBuilder};
use molehill_analysis::textures::Mesh;
use molehill_reference::watch::DrawVertex;

use super::{copy, count, float, step};
use crate::session::Session;
use crate::theme::palette;

#[derive(Default)]
pub(crate) struct MeshView {
    after: bool,
    /// The user's rotation of the mesh, relative to [`START`].
    angles: [f32; 2],
    drawn: Option<(MeshPicture, Arc<egui::Mesh>)>,
    /// The draw and the vertex to debug: the vertex's value in the index buffer, and its instance.
    stepped: Option<(usize, (u16, u32))>,
    step: step::StepView,
}

struct MeshPicture {
    mesh: Arc<Mesh>,
    after: bool,
    angles: [f32; 2],
    rect: Rect,
    dark: bool,
}

impl PartialEq for MeshPicture {
    fn eq(&self, other: &MeshPicture) -> bool {
        Arc::ptr_eq(&self.mesh, &other.mesh)
            && (self.after, self.angles, self.rect, self.dark)
                == (other.after, other.angles, other.rect, other.dark)
    }
}

/// The initial rotation of vertex inputs, in radians. Vertex outputs are not rotated, so they appear as on the screen.
const START: [f32; 2] = [0.6, 0.4];
const SIDE: f32 = 360.0;
/// The RGB colour of triangles with a vertex whose position is NaN or infinite.
const BROKEN: [u8; 3] = [230, 70, 60];

pub(crate) fn show(ui: &mut Ui, session: &mut Session, view: &mut MeshView) {
    let Some(call) = session.selection.call else {
        return super::hint(ui, "Select a draw to show its mesh.");
    };
    if let Some((_, vertex)) = view.stepped.filter(|(draw, _)| *draw == call) {
        ui.horizontal_wrapped(|ui| {
            if ui.button("Back to the mesh").clicked() {
                view.stepped = None;
            }
            ui.strong(format!("Call {call}, vertex {} of instance {}", vertex.0, vertex.1));
        });
        return step::vertex(ui, session, &mut view.step, (call, vertex));
    }
    let mesh = Arc::clone(answer!(ui, session, Mesh(call), "Running the vertex program…"));
    ui.horizontal_wrapped(|ui| {
        let counts = format!(
            "{} vertices, {} triangles",
            count(mesh.vertices.len() as u64),
            count(mesh.triangles.len() as u64)
        );
        ui.strong(counts);
        for (after, name) in [(false, "Vertex input"), (true, "Vertex output")] {
            if ui.selectable_label(view.after == after, name).clicked() {
                (view.after, view.angles) = (after, [0.0; 2]);
            }
        }
        copy(ui, "Copy OBJ", || mesh.obj(view.after));
    });
    let hidden = HiddenVertices::of(&mesh);
    if let Some(text) = hidden.text() {
        super::failed(ui, &text);
    }
    picture(ui, view, &mesh);
    let stepped = table(ui, view.after, &mesh);
    view.stepped = stepped.map(|vertex| (call, (vertex.index, vertex.instance)));
}

/// Counts of vertices that have no position on the screen.
#[derive(Default)]
struct HiddenVertices {
    /// Number of vertices whose position is NaN or infinite.
    broken: usize,
    /// Number of vertices behind the camera: w ≤ 0.
    behind: usize,
    /// Number of triangles with an invalid vertex; `first` is the index of the first invalid vertex.
    triangles: usize,
    first: Option<u16>,
}

fn is_broken(vertex: &DrawVertex) -> bool {
    !vertex.position.iter().all(|value| value.is_finite())
}

impl HiddenVertices {
    fn of(mesh: &Mesh) -> HiddenVertices {
        let broken = |corner: &u32| mesh.vertices.get(*corner as usize).is_some_and(is_broken);
        let mut hidden = HiddenVertices::default();
        for vertex in &mesh.vertices {
            if is_broken(vertex) {
                hidden.broken += 1;
                hidden.first = hidden.first.or(Some(vertex.index));
            } else if vertex.position.last().is_some_and(|w| *w <= 0.0) {
                hidden.behind += 1;
            }
        }
        hidden.triangles =
            mesh.triangles.iter().filter(|corners| corners.iter().any(broken)).count();
        hidden
    }

    fn text(&self) -> Option<String> {
        let mut parts = Vec::new();
        if let Some(first) = self.first {
            parts.push(format!(
                "{} vertices have NaN positions, the first at index {first}; {} triangles are not drawn",
                count(self.broken as u64),
                count(self.triangles as u64)
            ));
        }
        if self.behind > 0 {
            parts.push(format!("{} vertices are behind the camera", count(self.behind as u64)));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

fn picture(ui: &mut Ui, view: &mut MeshView, mesh: &Arc<Mesh>) {
    let side = ui.available_width().min(SIDE).min((ui.available_height() * 0.6).max(120.0));
    ui.vertical_centered(|ui| {
        let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), egui::Sense::drag());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, "Mesh"));
        let [around, over] = view.angles;
        let moved = response.drag_delta() * 0.01;
        view.angles = [around + moved.x, (over + moved.y).clamp(-1.6, 1.6)];
        if response.double_clicked() {
            view.angles = [0.0; 2];
        }
        let (after, [around, over]) = (view.after, view.angles);
        let angles = if after { view.angles } else { [around + START[0], over + START[1]] };
        let (mesh, dark) = (Arc::clone(mesh), ui.visuals().dark_mode);
        let wanted = MeshPicture { mesh, after, angles, rect, dark };
        let old = view.drawn.take().filter(|(drawn, _)| *drawn == wanted);
        let (_, shape) = view.drawn.insert(old.unwrap_or_else(|| {
            let shape = Arc::new(render(&wanted, 1.0 / ui.pixels_per_point()));
            (wanted, shape)
        }));
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, 4.0, ui.visuals().extreme_bg_color);
        painter.add(Arc::clone(shape));
        response.on_hover_text("Drag to rotate");
    });
}

/// A point of the mesh: x to the right, y up, z towards the camera. All coordinates are in the range -1 to 1.
type MeshPoint = [f32; 3];

/// Returns the triangles as shapes, farthest first. `pixel` is the size of a pixel in points.
fn render(wanted: &MeshPicture, pixel: f32) -> egui::Mesh {
    let vertices = wanted.mesh.vertices.iter();
    let mut points: Vec<MeshPoint> = vertices
        .map(|vertex| match (wanted.after, vertex.attributes.first()) {
            (true, _) => {
                let [x, y, z, w] = vertex.position;
                // Vertices behind the camera have no position on the screen.
                if w > 0.0 { [x / w, y / w, -z / w] } else { [f32::NAN; 3] }
            }
            (false, Some((_, [x, y, z, _]))) => [*x, *y, *z],
            (false, None) => [f32::NAN; 3],
        })
        .collect();
    fit(&mut points);
    for point in &mut points {
        *point = rotate(*point, wanted.angles);
    }
    let color = if wanted.dark { [150, 190, 240] } else { [110, 150, 210] };
    let corner = |index: u32| {
        let point = *points.get(index as usize)?;
        point.iter().all(|value| value.is_finite()).then_some(point)
    };
    let broken = |index: u32| wanted.mesh.vertices.get(index as usize).is_some_and(is_broken);
    let mut faces: Vec<([MeshPoint; 3], bool)> = Vec::new();
    for triangle in &wanted.mesh.triangles {
        if let [Some(a), Some(b), Some(c)] = triangle.map(corner) {
            faces.push(([a, b, c], triangle.iter().any(|index| broken(*index))));
        }
    }
    let depth = |(face, _): &([MeshPoint; 3], bool)| face.iter().map(|point| point[2]).sum::<f32>();
    faces.sort_by(|a, b| depth(a).total_cmp(&depth(b)));
    let (middle, scale) = (wanted.rect.center(), wanted.rect.width() / 2.0 * 0.72);
    let mut shape = egui::Mesh::default();
    for (face, broken) in faces {
        let light = light(face);
        #[expect(clippy::cast_possible_truncation, reason = "of a byte")]
        let [r, g, b] = if broken { BROKEN } else { color }
            .map(|channel: u8| (f32::from(channel) * light) as u8);
        let corners = face.map(|[x, y, _]| middle + Vec2::new(x, -y) * scale);
        triangle(&mut shape, corners, Color32::from_rgb(r / 2, g / 2, b / 2));
        if let Some(inner) = inset(corners, 0.8 * pixel) {
            triangle(&mut shape, inner, Color32::from_rgb(r, g, b));
        }
    }
    shape
}

fn triangle(shape: &mut egui::Mesh, corners: [Pos2; 3], color: Color32) {
    let Ok(first) = u32::try_from(shape.vertices.len()) else { return };
    for corner in corners {
        shape.colored_vertex(corner, color);
    }
    shape.add_triangle(first, first + 1, first + 2);
}

/// Returns a triangle that is shrunk by `distance` on each edge, or `None` if nothing remains.
fn inset([a, b, c]: [Pos2; 3], distance: f32) -> Option<[Pos2; 3]> {
    let [across, beside, along] = [(b - c).length(), (c - a).length(), (a - b).length()];
    let around = across + beside + along;
    let radius = ((b - a).x * (c - a).y - (b - a).y * (c - a).x).abs() / around;
    let middle = (a.to_vec2() * across + b.to_vec2() * beside + c.to_vec2() * along) / around;
    let middle = middle.to_pos2();
    (radius > distance)
        .then(|| [a, b, c].map(|p| middle + (p - middle) * (1.0 - distance / radius)))
}

/// Rotates a point around the vertical axis, then around the horizontal axis, by angles in radians.
fn rotate([x, y, z]: MeshPoint, [around, over]: [f32; 2]) -> MeshPoint {
    let (sin, cos) = around.sin_cos();
    let (x, z) = (x * cos + z * sin, z * cos - x * sin);
    let (sin, cos) = over.sin_cos();
    [x, y * cos - z * sin, y * sin + z * cos]
}

/// Centres the points, and scales them uniformly to the range -1 to 1. Ignores NaN and infinite points.
fn fit(points: &mut [MeshPoint]) {
    let (mut low, mut high) = ([f32::MAX; 3], [f32::MIN; 3]);
    for point in points.iter().filter(|point| point.iter().all(|value| value.is_finite())) {
        for ((low, high), value) in low.iter_mut().zip(&mut high).zip(point) {
            (*low, *high) = (low.min(*value), high.max(*value));
        }
    }
    let size = low.iter().zip(high).map(|(low, high)| high - low).fold(1e-12, f32::max);
    for point in points {
        for ((value, low), high) in point.iter_mut().zip(low).zip(high) {
            *value = (*value - f32::midpoint(low, high)) / size * 2.0;
        }
    }
}

/// Returns the brightness of a triangle: 1 if it faces the camera, 0.3 if it is seen edge-on.
fn light([a, b, c]: [MeshPoint; 3]) -> f32 {
    let side = |p: MeshPoint| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
    let ([ux, uy, uz], [vx, vy, vz]) = (side(b), side(c));
    let [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    let length = (x * x + y * y + z * z).sqrt();
    if length > 0.0 { 0.3 + 0.7 * z.abs() / length } else { 0.3 }
}

/// Shows a table of the vertices' registers. Returns the vertex that the user clicked.
fn table<'a>(ui: &mut Ui, after: bool, mesh: &'a Mesh) -> Option<&'a DrawVertex> {
    let mut clicked = None;
    let names: Vec<String> = match mesh.vertices.first() {
        Some(vertex) if after => {
            let varyings = vertex.varyings.iter().map(|(register, _)| format!("v{register}"));
            std::iter::once("op".to_owned()).chain(varyings).collect()
        }
        Some(vertex) => {
            vertex.attributes.iter().map(|(register, _)| format!("va{register}")).collect()
        }
        None => Vec::new(),
    };
    let text = |values: &[f32; 4]| values.map(float).join("  ");
    egui::ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        TableBuilder::new(ui)
            .striped(true)
            .auto_shrink(false)
            .column(Column::auto().at_least(50.0))
            .columns(Column::auto().at_least(170.0), names.len())
            .header(18.0, |mut header| {
                for name in std::iter::once("Index").chain(names.iter().map(String::as_str)) {
                    header.col(|ui| {
                        ui.weak(name);
                    });
                }
            })
            .body(|body| {
                body.rows(17.0, mesh.vertices.len(), |mut row| {
                    let Some(vertex) = mesh.vertices.get(row.index()) else { return };
                    row.col(|ui| {
                        let index = RichText::new(vertex.index.to_string()).monospace();
                        if ui
                            .link(index)
                            .on_hover_text("Run the vertex program step by step")
                            .clicked()
                        {
                            clicked = Some(vertex);
                        }
                    });
                    let broken = is_broken(vertex);
                    let registers = if after { &vertex.varyings } else { &vertex.attributes };
                    let position = after.then_some(&vertex.position).into_iter();
                    for values in position.chain(registers.iter().map(|(_, values)| values)) {
                        row.col(|ui| {
                            let text = RichText::new(text(values)).monospace().small();
                            let color = palette(ui.visuals()).error;
                            ui.label(if broken { text.color(color) } else { text });
                        });
                    }
                });
            });
    });
    clicked
}

#[cfg(test)]
#[path = "../../tests/unit/mesh.rs"]
mod tests;
