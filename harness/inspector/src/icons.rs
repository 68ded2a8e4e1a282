//! Icons, painted as vector shapes, because an icon font would be larger than the whole app.

use eframe::egui::{
    self, Color32, Pos2, Rect, Response, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo,
};

/// The shapes of an icon, from -1 to 1: bars (centre, half width), triangles (base, tip), and lines (x, y, x, y).
type IconParts = (&'static [[f32; 2]], &'static [[f32; 2]], &'static [[f32; 4]]);

choices! {
    pub(crate) enum Icon, ICONS: IconParts,
    First = (&[[-0.85, 0.14]], &[[0.9, -0.6]], &[]),
    Back = (&[], &[[0.0, -1.0], [1.0, 0.0]], &[]),
    StepBack = (&[[0.6, 0.14]], &[[0.3, -0.8]], &[]), // Previous draw or instruction.
    Play = (&[], &[[-0.7, 0.9]], &[]),
    Pause = (&[[-0.4, 0.22], [0.4, 0.22]], &[], &[]),
    Step = (&[[-0.6, 0.14]], &[[-0.3, 0.8]], &[]), // Next draw or instruction.
    Next = (&[], &[[-1.0, 0.0], [0.0, 1.0]], &[]),
    Last = (&[[0.85, 0.14]], &[[-0.9, 0.6]], &[]),
    Maximize = (&[], &[], &[
        [-0.9, -0.8, -0.35, -0.8], [-0.9, -0.8, -0.9, -0.25], [0.9, -0.8, 0.35, -0.8], [0.9, -0.8, 0.9, -0.25],
        [-0.9, 0.8, -0.35, 0.8], [-0.9, 0.8, -0.9, 0.25], [0.9, 0.8, 0.35, 0.8], [0.9, 0.8, 0.9, 0.25],
    ]),
    Sun = (&[], &[], &[
        [0.68, 0.0, 1.0, 0.0], [0.0, 0.68, 0.0, 1.0], [-0.68, 0.0, -1.0, 0.0], [0.0, -0.68, 0.0, -1.0],
        [0.48, 0.48, 0.71, 0.71], [-0.48, 0.48, -0.71, 0.71],
        [-0.48, -0.48, -0.71, -0.71], [0.48, -0.48, 0.71, -0.71],
    ]),
    Close = (&[], &[], &[[-0.6, -0.6, 0.6, 0.6], [-0.6, 0.6, 0.6, -0.6]]), // Close; also a rejected fragment.
    LeftPanel = (&[], &[], &[[-0.9, -0.6, 0.9, -0.6], [-0.9, 0.0, 0.9, 0.0], [-0.9, 0.6, 0.9, 0.6]]), // Three lines.
    RightPanel = (&[], &[], &[[0.2, -0.9, 0.2, 0.9]]), // A box with a side bar.
    Check = (&[], &[], &[[-0.8, 0.1, -0.25, 0.65], [-0.25, 0.65, 0.8, -0.6]]),
    Arrow = (&[], &[], &[[-0.9, 0.0, 0.8, 0.0], [0.3, -0.45, 0.8, 0.0], [0.3, 0.45, 0.8, 0.0]]),
    Return = (&[], &[], &[[0.9, 0.0, -0.8, 0.0], [-0.3, -0.45, -0.8, 0.0], [-0.3, 0.45, -0.8, 0.0]]), // An arrow to the left.
    Warning = (&[], &[], &[[0.0, -0.3, 0.0, 0.3]]),
    Loop = (&[], &[], &[]),
    Moon = (&[], &[], &[]),
}

pub(crate) fn toggle(ui: &mut Ui, icon: Icon, name: &str, keys: &str, on: &mut bool) {
    *on ^= button(ui, icon, name, keys, *on).clicked();
}

/// Shows a button with an icon. `name` is the button's accessible label and tooltip. `keys` is the shortcut shown in
/// the tooltip. `on` highlights the button.
pub(crate) fn button(ui: &mut Ui, icon: Icon, name: &str, keys: &str, on: bool) -> Response {
    let size = Vec2::new(28.0, 22.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, ui.is_enabled(), name));
    let visuals = ui.style().interact_selectable(&response, on);
    ui.painter().rect_filled(rect, visuals.corner_radius, visuals.weak_bg_fill);
    paint(ui, icon, rect.shrink2(Vec2::new(7.0, 4.0)), visuals.fg_stroke.color);
    match keys {
        "" => response.on_hover_text(name),
        keys => response.on_hover_text(format!("{name} ({keys})")),
    }
}

/// Shows an icon in a line of text.
pub(crate) fn label(ui: &mut Ui, icon: Icon, color: Color32) {
    let (rect, _) = ui.allocate_exact_size(Vec2::splat(12.0), Sense::hover());
    paint(ui, icon, rect.shrink(1.0), color);
}

fn paint(ui: &Ui, icon: Icon, rect: Rect, color: Color32) {
    let middle = rect.center();
    let half = rect.height().min(rect.width()) / 2.0;
    let square = Rect::from_center_size(middle, Vec2::splat(half * 2.0));
    let at = |x: f32, y: f32| Pos2::new(middle.x + x * half, middle.y + y * half);
    let painter = ui.painter();
    let stroke = Stroke::new(1.6, color);
    let Some((_, (bars, triangles, lines))) = ICONS.get(icon as usize) else { return };
    for [x, width] in *bars {
        let rect = Rect::from_min_max(at(x - width, -0.85), at(x + width, 0.85));
        painter.rect_filled(rect, 0.0, color);
    }
    for [base, tip] in *triangles {
        let points = vec![at(*base, -0.85), at(*tip, 0.0), at(*base, 0.85)];
        painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
    }
    for [x, y, to_x, to_y] in *lines {
        painter.line_segment([at(*x, *y), at(*to_x, *to_y)], stroke);
    }
    let outline = |points: Vec<Pos2>| _ = painter.add(Shape::closed_line(points, stroke));
    if icon == Icon::Loop {
        let rect = square.shrink2(Vec2::new(0.0, half * 0.35));
        painter.rect_stroke(rect, half * 0.6, stroke, egui::StrokeKind::Middle);
        let tip = vec![at(-0.3, -1.05), at(0.35, -0.65), at(-0.3, -0.25)];
        painter.add(Shape::convex_polygon(tip, color, Stroke::NONE));
    } else if icon == Icon::Sun {
        painter.circle_filled(middle, half * 0.45, color);
    } else if icon == Icon::Moon {
        let arc = |radius: f32, x: f32, from: f32, to: f32| {
            (0..=12u8).map(move |step| {
                let angle = from + (to - from) * f32::from(step) / 12.0;
                (x + radius * angle.cos(), radius * angle.sin())
            })
        };
        let points = arc(0.9, 0.0, 0.7, 5.58).chain(arc(0.72, 0.5, 4.9, 1.4));
        outline(points.map(|(x, y)| at(x, y)).collect());
    } else if icon == Icon::RightPanel {
        let rect = square.expand2(Vec2::new(half * 0.2, 0.0));
        painter.rect_stroke(rect, 1.0, stroke, egui::StrokeKind::Middle);
    } else if icon == Icon::Warning {
        outline(vec![at(0.0, -0.9), at(1.0, 0.85), at(-1.0, 0.85)]);
        painter.circle_filled(at(0.0, 0.58), half * 0.12, color);
    }
}
