//! The list of a frame's passes and draws, grouped by the host's marker regions.

use std::collections::HashSet;

use eframe::egui::{self, Align2, FontId, Pos2, Rect, Ui, Vec2};
use molehill_analysis::origins::DrawLine;

use super::{count, row};
use crate::session::Session;

/// The collapsed marker regions. Regions with the same path of names are collapsed together.
#[derive(Default)]
pub(crate) struct MarkerGroups {
    /// The paths of the collapsed regions: their names, outermost first.
    folded: HashSet<Vec<String>>,
    /// The path of the region that contains the selected call.
    current: Vec<String>,
}

/// A row: a marker region, a pass by index, a clear or failed draw by call, or a draw by index.
pub(crate) enum GroupRow {
    Part(GroupPart),
    Pass(usize),
    Clear(usize),
    Dropped(usize),
    Draw(usize),
}

pub(crate) struct GroupPart {
    names: Vec<String>,
    draws: usize,
    kept: u64,
    pub(crate) folded: bool,
    /// True if the region contains the selected call.
    pub(crate) selected: bool,
}

impl MarkerGroups {
    /// Returns the frame's rows outside collapsed regions, each with its nesting depth. `kept` contains the numbers of
    /// passed fragments of the frame's draws.
    pub(crate) fn rows(
        &mut self,
        session: &Session,
        lines: &[DrawLine],
        kept: &[u64],
    ) -> Vec<(u8, GroupRow)> {
        let (mut rows, mut at): (Vec<(u8, GroupRow)>, usize) = (Vec::new(), 0);
        // The names of the marker regions around the current call, and the indices of their entries in `rows`.
        let (mut names, mut places): (Vec<String>, Vec<Option<usize>>) = Default::default();
        let depth = |names: &[String]| u8::try_from(names.len()).unwrap_or(u8::MAX);
        self.current.clear();
        for (index, pass) in session.passes().iter().enumerate() {
            let mut begins = true;
            let clear = Some(pass.calls.start).filter(|call| pass.draws.first() != Some(call));
            for call in clear.into_iter().chain(pass.draws.iter().copied()) {
                let line = lines.binary_search_by_key(&call, |line| line.call).ok();
                let markers = line.and_then(|at| lines.get(at)).map(|line| &*line.markers);
                let markers = markers.unwrap_or_default();
                let same = names.iter().zip(markers).take_while(|(one, two)| one == two).count();
                names.truncate(same);
                places.truncate(same);
                let mut hidden = self.is_folded(&names);
                for name in markers.iter().skip(same) {
                    let outer = depth(&names);
                    names.push(name.clone());
                    let (names, folded) = (names.clone(), self.folded.contains(&names));
                    let part = GroupPart { names, draws: 0, kept: 0, folded, selected: false };
                    places.push((!hidden).then_some(rows.len()));
                    rows.extend((!hidden).then_some((outer, GroupRow::Part(part))));
                    hidden |= folded;
                }
                let (draws, selected) =
                    (usize::from(clear != Some(call)), session.selection.call == Some(call));
                for place in places.iter().flatten() {
                    if let Some((_, GroupRow::Part(part))) = rows.get_mut(*place) {
                        part.draws += draws;
                        part.kept += kept.get(at).filter(|_| draws > 0).unwrap_or(&0);
                        part.selected |= selected;
                    }
                }
                if selected {
                    self.current.clone_from(&names);
                }
                if !hidden {
                    let pass = std::mem::take(&mut begins).then_some(GroupRow::Pass(index));
                    let row = if draws > 0 { GroupRow::Draw(at) } else { GroupRow::Clear(call) };
                    rows.extend(pass.into_iter().chain([row]).map(|row| (depth(&names), row)));
                }
                at += draws;
            }
        }
        rows
    }

    fn is_folded(&self, names: &[String]) -> bool {
        self.folded.iter().any(|folded| names.starts_with(folded))
    }

    /// Collapses the region that contains the selected call, or expands the region that hides it.
    pub(crate) fn fold(&mut self) {
        let current = std::mem::take(&mut self.current);
        if self.is_folded(&current) {
            self.folded.retain(|folded| !current.starts_with(folded));
        } else if !current.is_empty() {
            self.folded.insert(current);
        }
    }
}

/// Shows the row of a region. A click collapses or expands the region.
pub(crate) fn show(ui: &mut Ui, groups: &mut MarkerGroups, (part, depth): (&GroupPart, u8)) {
    let name = part.names.last().map_or("", String::as_str);
    let draws = if part.draws == 1 { "draw" } else { "draws" };
    let kept = if part.kept > 0 { format!(", {} kept", count(part.kept)) } else { String::new() };
    let text = format!("{name}  ({} {draws}{kept})", part.draws);
    let (rect, row) = row(ui, 20.0, part.folded && part.selected, &text);
    row.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, !part.folded, &text));
    let corner = rect.min + Vec2::new(6.0 + 8.0 * f32::from(depth), 5.0);
    let place = Rect::from_min_size(corner, Vec2::splat(10.0));
    let (font, color) = (FontId::proportional(13.0), ui.visuals().strong_text_color());
    let (at, left) = (Pos2::new(place.right() + 6.0, rect.center().y), Align2::LEFT_CENTER);
    ui.painter_at(rect.intersect(ui.clip_rect())).text(at, left, &text, font, color);
    let openness = if part.folded { 0.0 } else { 1.0 };
    egui::collapsing_header::paint_default_icon(ui, openness, &row.clone().with_new_rect(place));
    if row.on_hover_text(format!("{} (G)", part.names.join(" › "))).clicked()
        && !groups.folded.remove(&part.names)
    {
        groups.folded.insert(part.names.clone());
    }
}
