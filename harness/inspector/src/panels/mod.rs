//! The panels. A panel reads the session, asks it questions, and reports what the user did as [`Action`]s.

/// The answer to a question about the session. Until it is there, shows `waiting` and returns from the panel's function.
macro_rules! answer {
    ($ui:expr, $session:expr, $kind:ident $(($($argument:expr),+))?, $waiting:literal) => {
        match $session.ask($crate::worker::Question::$kind $(($($argument),+))?) {
            None => return $crate::panels::waiting($ui, $waiting),
            Some(Err(error)) => return $crate::panels::failed($ui, error),
            Some(Ok($crate::worker::Reply::$kind(answer))) => answer,
            Some(Ok(_)) => return,
        }
    };
}

pub(crate) mod calls;
pub(crate) mod compare;
pub(crate) mod mesh;
pub(crate) mod objects;
pub(crate) mod pixel;
pub(crate) mod programs;
pub(crate) mod raster;
pub(crate) mod stage;
pub(crate) mod state;
pub(crate) mod step;
pub(crate) mod textures;
pub(crate) mod transport;
pub(crate) mod tree;
pub(crate) mod warnings;
pub(crate) mod welcome;

use eframe::egui::{self, RichText, Ui};
use molehill_inspect::pixel::Face;

use crate::session::Session;
use crate::theme::palette;
use crate::worker::{Question, Reply};

/// A user action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Selects a frame by its index in the capture.
    Frame(usize),
    /// Selects a call.
    Call(usize),
    /// Selects a pixel of a texture, or of the stage.
    Pixel(Option<Face>, (u32, u32)),
    /// Steps a draw's fragment program at the selected pixel: the draw's call, and the fragment's number.
    Step(usize, Option<usize>),
    /// Returns to the pixel's history.
    EndStep,
    /// Plays or pauses.
    Play,
    /// Shows the comparison in the central panel, or the stage.
    Compare(bool),
}

/// A placeholder for a pending answer.
pub(crate) fn waiting(ui: &mut Ui, what: &str) {
    ui.horizontal(|ui| {
        ui.add(egui::Spinner::new().size(14.0));
        ui.weak(what);
    });
}

/// The error message in place of an answer.
pub(crate) fn failed(ui: &mut Ui, error: &str) {
    let color = palette(ui.visuals()).warning;
    ui.label(RichText::new(error).color(color));
}

/// A hint in place of a panel's content.
pub(crate) fn hint(ui: &mut Ui, text: &str) {
    ui.add_space(6.0);
    ui.weak(text);
}

/// A line with a draw's triangle, fragment and pixel counts, once they are known.
pub(crate) fn draw_counts(ui: &mut Ui, session: &mut Session, call: usize) {
    let Some(frame) = session.frame().map(|frame| frame.number) else {
        return;
    };
    let known = match session.cached(&Question::Draw(call)) {
        Some(Reply::Draw(report, _)) => Some(&**report),
        _ => match session.cached(&Question::Frame(frame)) {
            Some(Reply::Frame(report)) => {
                let mut draws = report.passes.iter().flat_map(|pass| &pass.draws);
                draws.find(|draw| draw.call == call)
            }
            _ => None,
        },
    };
    if let Some(draw) = known {
        let rejected = draw.rejected().into_iter().filter(|(number, _)| *number > 0);
        let rejected: Vec<String> =
            rejected.map(|(number, why)| format!("{} by {why}", count(number))).collect();
        let mut text = format!(
            "{} triangles, {} fragments shaded, {} kept, {} pixels changed",
            count(draw.triangles),
            count(draw.shaded),
            count(draw.kept),
            count(draw.changed)
        );
        if !rejected.is_empty() {
            text.push_str("; rejected: ");
            text.push_str(&rejected.join(", "));
        }
        ui.label(RichText::new(text).small()).on_hover_ui(|ui| tree::counts_table(ui, draw));
    }
}

/// The title of a section.
pub(crate) fn title(ui: &mut Ui, text: &str) {
    ui.add_space(4.0);
    ui.label(RichText::new(text).strong());
}

/// A button that copies text to the clipboard.
pub(crate) fn copy(ui: &mut Ui, what: &str, text: impl FnOnce() -> String) {
    if ui.small_button(what).on_hover_text("Copy as text").clicked() {
        ui.ctx().copy_text(text());
    }
}

/// Formats a number with thousands separators: `12,345`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a register's component: at most four decimals, or an exponent below 0.001 and from 100,000 on.
pub(crate) fn float(value: f32) -> String {
    let size = value.abs();
    match value {
        _ if value == 0.0 || (0.001..100_000.0).contains(&size) => {
            let text = format!("{value:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => format!("{value:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{count, float};

    #[test]
    fn numbers_are_short() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(12), "12");
        assert_eq!(float(0.5), "0.5");
        assert_eq!(float(-3.0), "-3");
        assert_eq!(float(1e-9), "1e-9");
        assert_eq!(float(f32::NAN), "NaN");
    }
}
