//! The mesh of a draw before and after its vertex program.

use std::sync::Arc;

use eframe::egui::{self, RichText, TextureHandle, Ui, WidgetInfo};
use egui_extras::{Column, TableBuilder};
use molehill_inspect::textures::Mesh;

use super::raster::{Point, draw, fit, rotate};
use super::{copy, count, float};
use crate::session::Session;

/// State of the mesh panel.
pub(crate) struct MeshView {
    after: bool,
    angles: [f32; 2],
    /// The last picture, and what it was drawn from.
    drawn: Option<(MeshPicture, TextureHandle)>,
}

/// Everything that a picture depends on.
#[derive(PartialEq)]
struct MeshPicture {
    mesh: Arc<Mesh>,
    after: bool,
    angles: [f32; 2],
    side: u32,
    dark: bool,
}

impl Default for MeshView {
    fn default() -> Self {
        MeshView { after: false, angles: [0.6, 0.4], drawn: None }
    }
}

/// Largest side of the mesh's picture, in points.
const SIDE: f32 = 360.0;

pub(crate) fn show(ui: &mut Ui, session: &mut Session, view: &mut MeshView) {
    let Some(call) = session.selection.call else {
        return super::hint(ui, "Select a draw to show its mesh.");
    };
    let mesh = Arc::clone(answer!(ui, session, Mesh(call), "Running the vertex program…"));
    ui.horizontal_wrapped(|ui| {
        let counts = format!(
            "{} vertices, {} triangles",
            count(mesh.vertices.len() as u64),
            count(mesh.triangles.len() as u64)
        );
        ui.strong(counts);
        for (after, name, angles) in
            [(false, "Vertex input", [0.6, 0.4]), (true, "Vertex output", [0.0, 0.0])]
        {
            if ui.selectable_label(view.after == after, name).clicked() {
                (view.after, view.angles) = (after, angles);
            }
        }
        copy(ui, "Copy OBJ", || mesh.obj(view.after));
    });
    picture(ui, view, &mesh);
    table(ui, view.after, &mesh);
}

fn picture(ui: &mut Ui, view: &mut MeshView, mesh: &Arc<Mesh>) {
    let side = ui.available_width().min(SIDE).min((ui.available_height() * 0.6).max(120.0));
    ui.vertical_centered(|ui| {
        let (rect, response) = ui.allocate_exact_size(egui::Vec2::splat(side), egui::Sense::drag());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, "Mesh"));
        let [around, over] = view.angles;
        let moved = response.drag_delta() * 0.01;
        view.angles = [around + moved.x, (over + moved.y).clamp(-1.6, 1.6)];
        if response.double_clicked() {
            view.angles = if view.after { [0.0; 2] } else { [0.6, 0.4] };
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "pixels on the screen"
        )]
        let pixels = (side * ui.pixels_per_point()) as u32;
        let wanted = MeshPicture {
            mesh: Arc::clone(mesh),
            after: view.after,
            angles: view.angles,
            side: pixels,
            dark: ui.visuals().dark_mode,
        };
        let old = view.drawn.take().filter(|(drawn, _)| {
            Arc::ptr_eq(&drawn.mesh, mesh)
                && (drawn.after, drawn.angles, drawn.side, drawn.dark)
                    == (wanted.after, wanted.angles, wanted.side, wanted.dark)
        });
        let (_, texture) = view.drawn.insert(old.unwrap_or_else(|| {
            let image = render(&wanted);
            let size = [image.width() as usize, image.height() as usize];
            let image = egui::ColorImage::from_rgba_unmultiplied(size, image.rgba());
            let texture = ui.ctx().load_texture("mesh", image, egui::TextureOptions::LINEAR);
            (wanted, texture)
        }));
        let all = egui::Rect::from_min_max(egui::Pos2::ZERO, egui::Pos2::new(1.0, 1.0));
        ui.painter().rect_filled(rect, 4.0, ui.visuals().extreme_bg_color);
        ui.painter().image(texture.id(), rect, all, egui::Color32::WHITE);
        response.on_hover_text("Drag to rotate");
    });
}

fn render(wanted: &MeshPicture) -> molehill_replay::image::Image {
    let vertices = wanted.mesh.vertices.iter();
    let mut points: Vec<Point> = vertices
        .map(|vertex| match (wanted.after, vertex.attributes.first()) {
            (true, _) => {
                let [x, y, z, w] = vertex.position;
                // Vertices behind the eye have no screen position.
                match w > 0.0 {
                    true => [x / w, y / w, -z / w],
                    false => [f32::NAN; 3],
                }
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
    draw(&points, &wanted.mesh.triangles, wanted.side, color)
}

fn table(ui: &mut Ui, after: bool, mesh: &Mesh) {
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
                    let Some(vertex) = mesh.vertices.get(row.index()) else {
                        return;
                    };
                    row.col(|ui| {
                        ui.monospace(vertex.index.to_string());
                    });
                    let registers = match after {
                        true => &vertex.varyings,
                        false => &vertex.attributes,
                    };
                    let position = after.then_some(&vertex.position);
                    for values in
                        position.into_iter().chain(registers.iter().map(|(_, values)| values))
                    {
                        row.col(|ui| {
                            ui.label(RichText::new(text(values)).monospace().small());
                        });
                    }
                });
            });
    });
}
