//! Icons, painted as shapes: an icon font would be larger than the app.

use eframe::egui::{
    self, Color32, Pos2, Rect, Response, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo,
};

/// An icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Icon {
    /// Go to the first.
    First,
    /// Previous frame.
    Back,
    /// Previous draw or instruction.
    StepBack,
    /// Play.
    Play,
    /// Pause.
    Pause,
    /// Next draw or instruction.
    Step,
    /// Next frame.
    Next,
    /// Go to the last.
    Last,
    /// Repeat.
    Loop,
    /// Maximize the picture.
    Maximize,
    /// Light theme.
    Sun,
    /// Dark theme.
    Moon,
    /// Close; also a rejected fragment.
    Close,
    /// Left panel: three lines.
    LeftPanel,
    /// Right panel: a box with a side bar.
    RightPanel,
    /// Check mark.
    Check,
    /// Arrow to the right.
    Arrow,
    /// Warning triangle.
    Warning,
}

/// A button with an icon. `name` is its accessible label and tooltip; the tooltip adds `keys`. `on` highlights it.
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

/// An icon in a line of text.
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
    // Points right if `to` is greater than `from`, otherwise left.
    let triangle = |from: f32, to: f32| {
        let points = vec![at(from, -0.85), at(to, 0.0), at(from, 0.85)];
        painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
    };
    let bar = |x: f32, width: f32| {
        let rect = Rect::from_min_max(at(x - width, -0.85), at(x + width, 0.85));
        painter.rect_filled(rect, 0.0, color);
    };
    let line = |a: (f32, f32), b: (f32, f32)| {
        painter.line_segment([at(a.0, a.1), at(b.0, b.1)], stroke);
    };
    match icon {
        Icon::First => {
            bar(-0.85, 0.14);
            triangle(0.9, -0.6);
        }
        Icon::Back => {
            triangle(0.0, -1.0);
            triangle(1.0, 0.0);
        }
        Icon::StepBack => {
            triangle(0.3, -0.8);
            bar(0.6, 0.14);
        }
        Icon::Play => triangle(-0.7, 0.9),
        Icon::Pause => {
            bar(-0.4, 0.22);
            bar(0.4, 0.22);
        }
        Icon::Step => {
            triangle(-0.3, 0.8);
            bar(-0.6, 0.14);
        }
        Icon::Next => {
            triangle(-1.0, 0.0);
            triangle(0.0, 1.0);
        }
        Icon::Last => {
            bar(0.85, 0.14);
            triangle(-0.9, 0.6);
        }
        Icon::Loop => {
            painter.rect_stroke(
                square.shrink2(Vec2::new(0.0, half * 0.35)),
                half * 0.6,
                stroke,
                egui::StrokeKind::Middle,
            );
            let tip = vec![at(-0.3, -1.05), at(0.35, -0.65), at(-0.3, -0.25)];
            painter.add(Shape::convex_polygon(tip, color, Stroke::NONE));
        }
        Icon::Maximize => {
            for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
                line((x * 0.9, y * 0.8), (x * 0.35, y * 0.8));
                line((x * 0.9, y * 0.8), (x * 0.9, y * 0.25));
            }
        }
        Icon::Sun => {
            painter.circle_filled(middle, half * 0.45, color);
            for step in 0..8u8 {
                let (sin, cos) = (f32::from(step) * std::f32::consts::FRAC_PI_4).sin_cos();
                line((cos * 0.68, sin * 0.68), (cos, sin));
            }
        }
        Icon::Moon => {
            let arc = |radius: f32, x: f32, from: f32, to: f32| {
                (0..=12u8).map(move |step| {
                    let angle = from + (to - from) * f32::from(step) / 12.0;
                    (x + radius * angle.cos(), radius * angle.sin())
                })
            };
            let outer = arc(0.9, 0.0, 0.7, 5.58);
            let inner = arc(0.72, 0.5, 4.9, 1.4);
            let points = outer.chain(inner).map(|(x, y)| at(x, y)).collect();
            painter.add(Shape::closed_line(points, stroke));
        }
        Icon::Close => {
            line((-0.6, -0.6), (0.6, 0.6));
            line((-0.6, 0.6), (0.6, -0.6));
        }
        Icon::LeftPanel => {
            for y in [-0.6, 0.0, 0.6] {
                line((-0.9, y), (0.9, y));
            }
        }
        Icon::RightPanel => {
            painter.rect_stroke(
                square.expand2(Vec2::new(half * 0.2, 0.0)),
                1.0,
                stroke,
                egui::StrokeKind::Middle,
            );
            line((0.2, -0.9), (0.2, 0.9));
        }
        Icon::Check => {
            line((-0.8, 0.1), (-0.25, 0.65));
            line((-0.25, 0.65), (0.8, -0.6));
        }
        Icon::Arrow => {
            line((-0.9, 0.0), (0.8, 0.0));
            line((0.3, -0.45), (0.8, 0.0));
            line((0.3, 0.45), (0.8, 0.0));
        }
        Icon::Warning => {
            let points = vec![at(0.0, -0.9), at(1.0, 0.85), at(-1.0, 0.85)];
            painter.add(Shape::closed_line(points, stroke));
            line((0.0, -0.3), (0.0, 0.3));
            painter.circle_filled(at(0.0, 0.58), half * 0.12, color);
        }
    }
}
