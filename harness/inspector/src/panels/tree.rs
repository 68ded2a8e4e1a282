//! The list of the frame's passes and draws.

use std::collections::HashMap;
use std::sync::Arc;

use eframe::egui::{
    self, Align2, Color32, FontId, Pos2, Rect, Response, RichText, Sense, Ui, Vec2,
};
use molehill_analysis::draws::{DrawReport, FrameReport};
use molehill_analysis::origins::DrawLine;
use molehill_analysis::warnings::{Warning, WarningKind};
use molehill_analysis::wrong::{WrongDraw, WrongFrame};
use molehill_capture::objects::ObjectId;
use molehill_replay::image::RgbaImage;

use super::groups::{self, GroupRow, MarkerGroups};
use super::{PanelAction, act, count, row, scrolled, waiting};
use crate::icons::{self, Icon};
use crate::picture::{self, ImageChannels};
use crate::session::Session;
use crate::theme::palette;
use crate::worker::InspectorQuestion;

choices! {
    // The columns from left to right: name, tooltip, width in points, and true for right alignment.
    enum TreeColumn, COLUMNS: (&'static str, &'static str, f32, bool),
    Number = ("#", "In the order of the calls", 24.0, true),
    Program = ("Program", "By program", 72.0, false),
    Triangles = ("Triangles", "By number of triangles", 52.0, true),
    Blend = ("Blend", "By blend factors", 74.0, false),
    Kept = ("Passed", "By number of passed fragments", 62.0, true),
    Wrong = ("Wrong", "By number of wrong pixels", 62.0, true),
    Time = ("µs", "By recorded time to the next call", 46.0, true),
}
/// The columns that a narrow panel omits, in this order.
const OPTIONAL: [TreeColumn; 3] = [TreeColumn::Triangles, TreeColumn::Time, TreeColumn::Blend];

#[derive(Default)]
pub(crate) struct TreeView {
    filter: String,
    without_effect: bool,
    sort: TreeColumn,
    descending: bool,
    pub(crate) groups: MarkerGroups,
}

struct TreeCache<'a> {
    /// The 1-based index of the draw in the frame.
    number: usize,
    call: usize,
    line: Option<&'a DrawLine>,
    counts: Option<&'a DrawReport>,
    wrong: Option<WrongDraw>,
}

struct TreeTable {
    lines: Option<Arc<[DrawLine]>>,
    report: Option<Arc<FrameReport>>,
    /// The frame's wrong pixels, if there is an expected image.
    wrong: Option<Arc<WrongFrame>>,
    thumbnails: HashMap<ObjectId, Arc<RgbaImage>>,
    draws: Vec<usize>,
}

const HEIGHT: f32 = 20.0;

pub(crate) fn show(ui: &mut Ui, session: &mut Session, view: &mut TreeView, scroll: bool) {
    let Some(frame) = session.frame_number() else {
        return super::hint(ui, "The capture has no frames.");
    };
    if session.outline().is_none() {
        return waiting(ui, "Finding passes and draws…");
    }
    // The rows show counts as soon as the query's result is known.
    let mut pending = session.settled && session.ask(InspectorQuestion::Frame(frame)).is_none();
    if session.settled && session.expects {
        pending |= session.ask(InspectorQuestion::Wrong(frame)).is_none();
    }
    let table = TreeTable::of(session, frame);
    let draws: Vec<TreeCache<'_>> = table.known().collect();
    ui.horizontal_wrapped(|ui| {
        let passes = session.passes().len();
        let pass = if passes == 1 { "pass" } else { "passes" };
        let draw = if draws.len() == 1 { "draw" } else { "draws" };
        ui.weak(format!("Frame {frame}: {passes} {pass}, {} {draw}", draws.len()));
        if pending {
            ui.add(egui::Spinner::new().size(12.0)).on_hover_text("Counting pixels…");
        }
    });
    ui.horizontal(|ui| {
        let field = egui::TextEdit::singleline(&mut view.filter)
            .hint_text("Program, texture or blend")
            .desired_width((ui.available_width() - 86.0).max(60.0));
        let label = ui.weak("Filter");
        ui.add(field).labelled_by(label.id);
        let name = "Show only draws without effect";
        icons::toggle(ui, Icon::Warning, name, "", &mut view.without_effect);
    });
    let columns = columns(ui, view, &draws, table.wrong.is_some());
    let plain = view.filter.is_empty() && !view.without_effect && view.sort == TreeColumn::Number;
    let rows = if plain && !view.descending {
        session.listed = None;
        let kept = draws.iter().map(|draw| draw.counts.map_or(0, |counts| counts.kept));
        let lines = table.lines.as_deref().unwrap_or_default();
        let rows = view.groups.rows(session, lines, &kept.collect::<Vec<_>>());
        table.with_dropped(rows, session, &draws)
    } else {
        let listed = view.listed(session, &draws);
        session.listed = Some(listed.iter().filter_map(|at| Some(draws.get(*at)?.call)).collect());
        listed.into_iter().map(|at| (0, GroupRow::Draw(at))).collect()
    };
    let selected = session.selection.call;
    let index = rows.iter().position(|(_, row)| match row {
        GroupRow::Clear(call) | GroupRow::Dropped(call) => selected == Some(*call),
        GroupRow::Draw(at) => draws.get(*at).is_some_and(|draw| selected == Some(draw.call)),
        GroupRow::Part(part) => part.folded && part.selected,
        GroupRow::Pass(_) => false,
    });
    let area = scrolled(ui, egui::ScrollArea::vertical(), index.filter(|_| scroll), HEIGHT);
    area.show_rows(ui, HEIGHT, rows.len(), |ui, range| {
        for (depth, row) in rows.get(range).unwrap_or_default() {
            let left = ui.max_rect().left();
            for line in 0..*depth {
                let from = Pos2::new(left + f32::from(line) * 2.0, ui.cursor().top() - 4.0);
                let bar = Rect::from_min_size(from, Vec2::new(1.0, HEIGHT + 4.0));
                ui.painter().rect_filled(bar, 0.0, palette(ui.visuals()).accent);
            }
            match row {
                GroupRow::Part(part) => groups::show(ui, &mut view.groups, (part, *depth)),
                GroupRow::Pass(index) => pass(ui, session, (*index, *depth)),
                GroupRow::Clear(call) => {
                    let wrong = table.wrong.as_ref().and_then(|wrong| wrong.draw(*call));
                    clear(ui, session, (*call, wrong));
                }
                GroupRow::Dropped(call) => table.dropped(ui, session, *call),
                GroupRow::Draw(at) => {
                    let Some(known) = draws.get(*at) else { continue };
                    draw(ui, session, known, &columns, &table.thumbnails);
                }
            }
        }
    });
}

impl TreeTable {
    fn of(session: &mut Session, frame: u32) -> TreeTable {
        let lines = known!(session.answer, Draws(frame)).cloned();
        let last = session.frame().map_or(0, |frame| frame.calls.end.saturating_sub(1));
        let thumbnails = super::thumbnails(session, last);
        let report = known!(session.cached, Frame(frame)).cloned();
        let wrong = known!(session.cached, Wrong(frame)).filter(|_| session.expects).cloned();
        let draws = session.passes().iter().flat_map(|pass| pass.draws.iter().copied());
        TreeTable { lines, report, wrong, thumbnails, draws: draws.collect() }
    }

    fn known(&self) -> impl Iterator<Item = TreeCache<'_>> {
        let passes = self.report.iter().flat_map(|report| &report.passes);
        let counts: Vec<&DrawReport> = passes.flat_map(|pass| &pass.draws).collect();
        let lines = self.lines.as_deref().unwrap_or_default();
        (1..).zip(&self.draws).map(move |(number, call)| {
            let line = lines.binary_search_by_key(call, |line| line.call);
            let counted = counts.binary_search_by_key(call, |draw| draw.call);
            TreeCache {
                number,
                call: *call,
                line: line.ok().and_then(|at| lines.get(at)),
                counts: counted.ok().and_then(|at| counts.get(at).copied()),
                wrong: self.wrong.as_ref().and_then(|wrong| wrong.draw(*call)),
            }
        })
    }
}

impl TreeTable {
    /// Returns the failed draws, ordered by call.
    fn failures(&self) -> impl Iterator<Item = &Warning> {
        let warnings = self.report.iter().flat_map(|report| &report.warnings);
        warnings.filter(|it| it.kind == WarningKind::FailedCall && it.name.starts_with("drawTri"))
    }

    /// Inserts the failed draws of a frame into its rows, each after the row of the preceding call.
    fn with_dropped(
        &self,
        rows: Vec<(u8, GroupRow)>,
        session: &Session,
        draws: &[TreeCache<'_>],
    ) -> Vec<(u8, GroupRow)> {
        let call = |row: &GroupRow| match row {
            GroupRow::Clear(call) | GroupRow::Dropped(call) => Some(*call),
            GroupRow::Draw(at) => draws.get(*at).map(|draw| draw.call),
            GroupRow::Pass(index) => session.passes().get(*index).map(|pass| pass.calls.start),
            GroupRow::Part(_) => None,
        };
        let mut failures = self.failures().map(|it| it.call).peekable();
        let (mut all, mut depth) = (Vec::with_capacity(rows.len()), 0);
        for (at, row) in rows {
            while let Some(dropped) = failures.next_if(|dropped| Some(*dropped) < call(&row)) {
                all.push((depth, GroupRow::Dropped(dropped)));
            }
            depth = at;
            all.push((at, row));
        }
        all.extend(failures.map(|dropped| (depth, GroupRow::Dropped(dropped))));
        all
    }

    fn dropped(&self, ui: &mut Ui, session: &Session, call: usize) {
        let Some(failure) = self.failures().find(|it| it.call == call) else { return };
        let error = failure.error.map_or_else(String::new, |error| format!(": error {error}"));
        let text = format!("Not drawn{error}");
        let (rect, row) = call_row(ui, session, call, &format!("{text} #{call}"));
        let (at, font) = (rect.left_center() + Vec2::new(34.0 + HEIGHT, 0.0), 12.0);
        let (font, color) = (FontId::proportional(font), palette(ui.visuals()).error);
        ui.painter().text(at, Align2::LEFT_CENTER, text, font, color);
        row.on_hover_text(&failure.text);
    }
}

impl TreeCache<'_> {
    fn text(&self, session: &Session, column: TreeColumn) -> String {
        let name = |id: Option<ObjectId>| id.map(|id| session.capture.name(id)).unwrap_or_default();
        match column {
            TreeColumn::Number => self.number.to_string(),
            TreeColumn::Program => self.line.map(|line| name(line.program)).unwrap_or_default(),
            TreeColumn::Triangles => {
                self.counts.map(|draw| count(draw.triangles)).unwrap_or_default()
            }
            TreeColumn::Blend => self.line.map(|line| short(&line.blend)).unwrap_or_default(),
            TreeColumn::Kept => self.counts.map(|draw| count(draw.kept)).unwrap_or_default(),
            TreeColumn::Wrong => match self.wrong {
                Some(WrongDraw { wrong: 1.., .. }) => {
                    self.wrong.map(|draw| count(draw.wrong)).unwrap_or_default()
                }
                Some(WrongDraw { missed, .. }) => format!("({})", count(missed)),
                None => String::new(),
            },
            TreeColumn::Time => self.micros().map(|time| format!("{time:.0}")).unwrap_or_default(),
        }
    }

    fn micros(&self) -> Option<f64> {
        Some(self.line?.seconds? * 1e6)
    }

    /// Returns a draw's sort key for a column: a number, then a string.
    fn key(&self, column: TreeColumn) -> (f64, String) {
        let counts = |number: fn(&DrawReport) -> u64| self.counts.map(|it| number(it) as f64);
        let number = match column {
            TreeColumn::Number => Some(self.number as f64),
            TreeColumn::Program => self.line.and_then(|line| Some(line.program?.0 as f64)),
            TreeColumn::Triangles => counts(|draw| draw.triangles),
            TreeColumn::Kept => counts(|draw| draw.kept),
            // Draws that wrote wrong pixels come first, then draws whose fragments were rejected at wrong pixels.
            TreeColumn::Wrong => {
                self.wrong.map(|draw| draw.wrong as f64 + draw.missed as f64 / 1e12)
            }
            TreeColumn::Time => self.micros(),
            TreeColumn::Blend => {
                return (0.0, self.line.map_or(String::new(), |line| line.blend.clone()));
            }
        };
        (number.unwrap_or(-1.0), String::new())
    }

    /// Returns whether a column, the call number or the texture contains `text`, which is in lower case.
    fn matches(&self, session: &Session, text: &str) -> bool {
        let texture = self.line.and_then(|line| line.texture);
        let texture = texture.map(|id| session.capture.title(id)).unwrap_or_default();
        let blend = self.line.map(|line| line.blend.clone()).unwrap_or_default();
        let program = self.text(session, TreeColumn::Program);
        let mut all = [program, blend, texture, format!("#{}", self.call)].into_iter();
        all.any(|column| column.to_lowercase().contains(text))
    }
}

/// Abbreviates blend factors for a narrow column: `srcA, 1−srcA`.
fn short(blend: &str) -> String {
    let words = [("oneMinus", "1−"), ("Source", "src"), ("source", "src"), ("Destination", "dst")];
    let words = words.into_iter().chain([("destination", "dst"), ("Alpha", "A"), ("Color", "C")]);
    words.fold(blend.to_owned(), |text, (long, short)| text.replace(long, short))
}

impl TreeView {
    /// Returns the indices of the listed draws from top to bottom.
    fn listed(&self, session: &Session, draws: &[TreeCache<'_>]) -> Vec<usize> {
        let text = self.filter.trim().to_lowercase();
        let shown = draws.iter().enumerate().filter(|(_, draw)| {
            let idle = draw.counts.is_some_and(|counts| counts.changed == 0);
            (!self.without_effect || idle) && draw.matches(session, &text)
        });
        let mut listed: Vec<(usize, &TreeCache<'_>)> = shown.collect();
        listed.sort_by(|(_, one), (_, two)| {
            let ((one, name), (two, other)) = (one.key(self.sort), two.key(self.sort));
            let order = one.total_cmp(&two).then(name.cmp(&other));
            if self.descending { order.reverse() } else { order }
        });
        listed.into_iter().map(|(at, _)| at).collect()
    }
}

/// Shows the column headers, which sort the list. Returns the visible columns with their left edges.
fn columns(
    ui: &mut Ui,
    view: &mut TreeView,
    draws: &[TreeCache<'_>],
    compares: bool,
) -> Vec<(TreeColumn, f32, f32)> {
    let timed = draws.iter().any(|draw| draw.micros().is_some());
    let is_there = |(column, _): &&(TreeColumn, _)| match column {
        TreeColumn::Time => timed,
        TreeColumn::Wrong => compares,
        TreeColumn::Number
        | TreeColumn::Program
        | TreeColumn::Triangles
        | TreeColumn::Blend
        | TreeColumn::Kept => true,
    };
    let mut shown: Vec<_> = COLUMNS.iter().filter(is_there).collect();
    let room = ui.available_width() - HEIGHT;
    for column in OPTIONAL {
        if shown.iter().map(|(_, (_, _, width, _))| width + 4.0).sum::<f32>() > room {
            shown.retain(|(each, _)| *each != column);
        }
    }
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 18.0), Sense::hover());
    let (mut x, mut places) = (rect.left(), Vec::new());
    for (column, (name, tip, width, _)) in shown {
        let sorted = view.sort == *column && (view.descending || *column != TreeColumn::Number);
        let arrow = match (sorted, view.descending) {
            (true, true) => " ≥",
            (true, false) => " ≤",
            (false, _) => "",
        };
        let text = RichText::new(format!("{name}{arrow}")).small();
        let text = if sorted { text.strong() } else { text.weak() };
        let place = Rect::from_min_size(Pos2::new(x, rect.top()), Vec2::new(*width, 18.0));
        let label = egui::Label::new(text).truncate().selectable(false).sense(Sense::click());
        if ui.put(place, label).on_hover_text(format!("Sort: {tip}")).clicked() {
            // Numeric columns are sorted in descending order.
            let largest =
                !matches!(column, TreeColumn::Number | TreeColumn::Program | TreeColumn::Blend);
            view.descending = if view.sort == *column { !view.descending } else { largest };
            view.sort = *column;
        }
        places.push((*column, x - rect.left(), *width));
        x += width + 4.0;
        if *column == TreeColumn::Number {
            x += HEIGHT;
        }
    }
    places
}

fn pass(ui: &mut Ui, session: &Session, (index, depth): (usize, u8)) {
    let Some(pass) = session.passes().get(index) else { return };
    let targets = pass.targets.iter().map(|face| session.capture.face_title(*face));
    let target = targets.collect::<Vec<_>>().join(", ");
    let target = if target.is_empty() { "back buffer" } else { &target };
    ui.horizontal(|ui| {
        ui.set_height(HEIGHT);
        ui.add_space(f32::from(depth) * 5.0);
        ui.label(RichText::new(format!("Pass {}", pass.number)).strong());
        ui.add(egui::Label::new(RichText::new(target).weak()).truncate());
    });
}

pub(super) fn find(report: &FrameReport, call: usize) -> Option<&DrawReport> {
    let mut draws = report.passes.iter().flat_map(|pass| &pass.draws);
    draws.find(|draw| draw.call == call)
}

/// Shows a row that selects a call when clicked. Returns its rectangle.
fn call_row(ui: &mut Ui, session: &Session, call: usize, label: &str) -> (Rect, Response) {
    let row = row(ui, HEIGHT, session.selection.call == Some(call), label);
    act(ui, row.1.clicked().then_some(PanelAction::Call(call)));
    row
}

fn clear(ui: &mut Ui, session: &Session, (call, wrong): (usize, Option<WrongDraw>)) {
    let (rect, _) = call_row(ui, session, call, &format!("Clear #{call}"));
    let at = rect.left_center() + Vec2::new(34.0 + HEIGHT, 0.0);
    let (color, font) = (ui.visuals().text_color(), FontId::proportional(12.0));
    let place = ui.painter().text(at, Align2::LEFT_CENTER, "Clear", font.clone(), color);
    if let Some(wrong) = wrong {
        let (at, color) =
            (place.right_center() + Vec2::new(12.0, 0.0), palette(ui.visuals()).error);
        ui.painter().text(at, Align2::LEFT_CENTER, wrong.to_string(), font, color);
    }
}

fn draw(
    ui: &mut Ui,
    session: &Session,
    known: &TreeCache<'_>,
    columns: &[(TreeColumn, f32, f32)],
    thumbnails: &HashMap<ObjectId, Arc<RgbaImage>>,
) {
    let TreeCache { number, call, line, counts, wrong } = known;
    let (rect, response) = call_row(ui, session, *call, &format!("Draw {number} #{call}"));
    let palette = palette(ui.visuals());
    let texture = line.and_then(|line| line.texture);
    let image = texture.and_then(|id| thumbnails.get(&id));
    for (column, left, width) in columns {
        let text = known.text(session, *column);
        let right = COLUMNS.iter().any(|(each, (.., right))| each == column && *right);
        let place =
            Rect::from_min_size(rect.min + Vec2::new(*left, 0.0), Vec2::new(*width, HEIGHT));
        let color = match (column, counts) {
            (TreeColumn::Kept, Some(draw)) if draw.changed == 0 => palette.warning,
            (TreeColumn::Kept, _) => palette.good,
            (TreeColumn::Wrong, _) => palette.error,
            (TreeColumn::Program, _) => ui.visuals().strong_text_color(),
            _ => ui.visuals().text_color(),
        };
        let painter = ui.painter_at(place.intersect(ui.clip_rect()));
        let font = match column {
            TreeColumn::Program => FontId::proportional(12.5),
            TreeColumn::Blend => FontId::proportional(10.5),
            _ => FontId::monospace(11.0),
        };
        let align = if right { Align2::RIGHT_CENTER } else { Align2::LEFT_CENTER };
        painter.text(align.pos_in_rect(&place), align, text, font, color);
        if let Some(image) = image.filter(|_| *column == TreeColumn::Number) {
            let corner = place.right_top() + Vec2::new(3.0, 1.0);
            thumbnail(ui, image, Rect::from_min_size(corner, Vec2::splat(HEIGHT - 2.0)));
        }
    }
    response.on_hover_ui(|ui| {
        ui.strong(format!("Call {call}"));
        if let Some(line) = line {
            ui.weak(format!("Blend {}", line.blend));
        }
        if let Some(id) = texture {
            ui.weak(session.capture.title(id));
        }
        if let Some(wrong) = wrong {
            ui.label(wrong.to_string());
        }
        if let Some(draw) = counts {
            counts_table(ui, draw);
        }
    });
}

/// Shows a texture's thumbnail centred in a square.
pub(super) fn thumbnail(ui: &Ui, image: &Arc<RgbaImage>, place: Rect) {
    let texture = picture::texture(ui.ctx(), image, ImageChannels::Rgba);
    let size = Vec2::new(image.width() as f32, image.height() as f32);
    let size = size * (place.width() / size.max_elem().max(1.0));
    let place = Rect::from_center_size(place.center(), size);
    let all = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
    ui.painter().rect_filled(place, 0.0, Color32::from_gray(90));
    ui.painter().image(texture, place, all, Color32::WHITE);
}

pub(crate) fn counts_table(ui: &mut Ui, draw: &DrawReport) {
    let rejected = draw.rejected().into_iter().filter(|(number, _)| *number > 0);
    let rows = [
        (draw.triangles, "Triangles".to_owned()),
        (draw.off_screen_triangles, "Off-screen triangles".to_owned()),
        (draw.culled_triangles, "Culled triangles".to_owned()),
        (draw.empty_triangles, "Empty triangles".to_owned()),
        (draw.shaded, "Fragments shaded".to_owned()),
        (draw.kept, "Fragments passed".to_owned()),
        (draw.changed, "Pixels changed".to_owned()),
    ];
    let rejected = rejected.map(|(number, test)| (number, format!("Rejected by {}", test.name())));
    egui::Grid::new(("numbers", draw.call)).num_columns(2).show(ui, |ui| {
        for (number, name) in rows.into_iter().chain(rejected) {
            ui.weak(name);
            ui.monospace(count(number));
            ui.end_row();
        }
    });
}
