//! Colours and sizes of the dark and the light theme.

use eframe::egui::{
    self, Color32, CornerRadius, FontFamily, FontId, Stroke, TextStyle, Theme, Vec2, Visuals,
};

#[derive(Clone, Copy)]
pub(crate) struct Palette {
    /// The colour of selections, links, draws and changed values.
    pub(crate) accent: Color32,
    /// The colour of passed fragments, and of counts of changed pixels.
    pub(crate) good: Color32,
    /// The colour of rejected fragments, and of calls without effect.
    pub(crate) warning: Color32,
    pub(crate) error: Color32,
    pub(crate) highlight: Color32,
    pub(crate) backdrop: [Color32; 2],
}

pub(crate) fn palette(visuals: &Visuals) -> Palette {
    let rgb = Color32::from_rgb;
    if visuals.dark_mode {
        Palette {
            accent: rgb(94, 166, 255),
            good: rgb(112, 200, 120),
            warning: rgb(232, 178, 72),
            error: rgb(242, 108, 100),
            highlight: rgb(42, 60, 88),
            backdrop: [rgb(24, 25, 28), rgb(29, 30, 34)],
        }
    } else {
        Palette {
            accent: rgb(20, 98, 200),
            good: rgb(32, 128, 56),
            warning: rgb(160, 104, 0),
            error: rgb(192, 40, 32),
            highlight: rgb(212, 228, 250),
            backdrop: [rgb(206, 209, 214), rgb(214, 217, 222)],
        }
    }
}

pub(crate) fn apply(context: &egui::Context) {
    for theme in [Theme::Dark, Theme::Light] {
        context.style_mut_of(theme, |style| {
            let dark = theme == Theme::Dark;
            let size = |text: &TextStyle| match text {
                TextStyle::Heading => 16.0,
                TextStyle::Small => 10.5,
                TextStyle::Monospace => 12.0,
                TextStyle::Body | TextStyle::Button | TextStyle::Name(_) => 13.0,
            };
            for (text, font) in &mut style.text_styles {
                let family = match text {
                    TextStyle::Monospace => FontFamily::Monospace,
                    _ => FontFamily::Proportional,
                };
                *font = FontId::new(size(text), family);
            }
            style.spacing.item_spacing = Vec2::new(6.0, 4.0);
            style.spacing.button_padding = Vec2::new(7.0, 3.0);
            style.spacing.interact_size.y = 22.0;
            style.spacing.scroll = egui::style::ScrollStyle::thin();
            visuals(&mut style.visuals, dark);
        });
    }
}

pub(crate) fn switch_theme(context: &egui::Context) {
    context.set_theme(if context.theme() == Theme::Dark { Theme::Light } else { Theme::Dark });
}

fn visuals(visuals: &mut Visuals, dark: bool) {
    let grey = |dark_level: u8, light_level: u8| {
        Color32::from_gray(if dark { dark_level } else { light_level })
    };
    let palette = palette(visuals);
    let either = |dark_rgb: [u8; 3], light_rgb: [u8; 3]| {
        let [r, g, b] = if dark { dark_rgb } else { light_rgb };
        Color32::from_rgb(r, g, b)
    };
    visuals.panel_fill = either([31, 32, 36], [246, 247, 249]);
    visuals.window_fill = either([37, 38, 43], [255; 3]);
    visuals.extreme_bg_color = either([23, 24, 27], [255; 3]);
    visuals.faint_bg_color = either([36, 37, 42], [239, 241, 244]);
    visuals.widgets.noninteractive.bg_stroke = Stroke::new(1.0, grey(50, 212));
    visuals.widgets.noninteractive.fg_stroke.color = grey(208, 36);
    visuals.widgets.inactive.fg_stroke.color = grey(214, 30);
    visuals.widgets.inactive.weak_bg_fill = grey(48, 230);
    visuals.widgets.inactive.bg_fill = grey(58, 220);
    visuals.widgets.hovered.weak_bg_fill = grey(60, 220);
    visuals.selection.bg_fill = either([38, 79, 130], [187, 214, 250]);
    visuals.selection.stroke.color = either([255; 3], [10, 50, 110]);
    visuals.hyperlink_color = palette.accent;
    visuals.warn_fg_color = palette.warning;
    visuals.error_fg_color = palette.error;
    visuals.weak_text_color = Some(grey(140, 106));
    for widget in [
        &mut visuals.widgets.noninteractive,
        &mut visuals.widgets.inactive,
        &mut visuals.widgets.hovered,
        &mut visuals.widgets.active,
        &mut visuals.widgets.open,
    ] {
        widget.corner_radius = CornerRadius::same(3);
        widget.expansion = 0.0;
    }
}
