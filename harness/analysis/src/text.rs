//! Results as text, for the command line and the inspector's clipboard.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use molehill_replay::table::{aligned, cells};

use crate::capture::Capture;
use crate::diff::{CaptureDifference, DataDifference};
use crate::draws::{DrawReport, FrameReport};
use crate::names::plain;
use crate::notes::CallSite;
use crate::number::{ComponentNumber, count, text as list};
use crate::pixel::{BlendSum, FragmentReport, PixelHistory};
use crate::same_draw::EarlierDraw;
use crate::scan::{FrameRow, FrameScan, OutlierDraw, RejectedDraws};
use crate::state::StateReport;
use crate::state_items::area_text;
use crate::step::{StepReport, StepRow, VertexReport, VertexStepReport};
use crate::warnings::{Warning, WarningKind};

fn color([red, green, blue, alpha]: [u8; 4]) -> String {
    format!("{red},{green},{blue},{alpha}")
}

impl Display for CaptureDifference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.evidence)?;
        for (what, found) in [("call", &self.call), ("result of call", &self.result)] {
            if let Some(found) = found {
                writeln!(f, "first {what} {}:\n  a: {}\n  b: {}", found.call, found.a, found.b)?;
                found.data.iter().try_for_each(|data| writeln!(f, "  first {data}"))?;
            }
        }
        if let Some((a, b)) = self.frame {
            writeln!(f, "first frame: {a} and {b}")?;
        }
        if let Some((a, b)) = self.draw {
            writeln!(f, "first clear or draw of the frame: calls {a} and {b}")?;
        }
        if let Some(((x, y), a, b)) = self.pixel {
            writeln!(f, "first pixel: {x},{y}: {a:?} and {b:?}; {} differ", self.pixels)?;
        }
        if self.is_none() { writeln!(f, "nothing differs") } else { Ok(()) }
    }
}

impl Display for DataDifference {
    /// Formats the difference as `byte of data that differs: 12, which is 0 in a and 255 in b`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let DataDifference { parameter, element, index, .. } = self;
        let [a, b] = [&self.a, &self.b].map(|value| value.as_deref().unwrap_or("missing"));
        let index = count(*index as u64);
        write!(f, "{element} of {parameter} that differs: {index}, which is {a} in a and {b} in b")
    }
}

impl Display for CallSite {
    /// Formats the marker regions and the innermost function as the end of a call's line.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.markers.is_empty() {
            write!(f, "  [{}]", plain(&self.markers.join(" > "), MAX_TEXT))?;
        }
        self.stack
            .first()
            .map_or(Ok(()), |function| write!(f, "  at {}", plain(function, MAX_TEXT)))
    }
}

/// Maximum length of a displayed marker or function name, in characters.
const MAX_TEXT: usize = 200;

impl Display for StateReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.unchecked.iter().try_for_each(|unchecked| writeln!(f, "{unchecked}"))?;
        for function in self.call_site.stack.iter().skip(1) {
            writeln!(f, "    at {}", plain(function, MAX_TEXT))?;
        }
        match self.compared_with {
            Some(call) => writeln!(f, "compared with the draw of call {call}")?,
            None => writeln!(f, "the first draw of its context")?,
        }
        if let Some(EarlierDraw { frame, call }) = self.same_draw {
            writeln!(f, "the same draw in frame {frame} is call {call}: ! marks the differences")?;
        }
        self.wrong.iter().try_for_each(|wrong| writeln!(f, "≠ {wrong}"))?;
        self.evidence.iter().try_for_each(|odd| writeln!(f, "? {odd}"))?;
        if let Some(EarlierDraw { frame, call }) = self.expected_draw {
            writeln!(
                f,
                "the same draw of the expected capture is call {call} in frame {frame}: ! marks the differences"
            )?;
        }
        let mut area = None;
        for row in &self.rows {
            if area.replace(row.area) != Some(row.area) {
                writeln!(f, "\n{}", row.area)?;
            }
            let before = row.before.as_ref().filter(|_| self.compared_with.is_some());
            let mark = match (row.earlier.as_ref().or(row.expected.as_ref()), before, row.read) {
                (Some(_), ..) => '!',
                (None, Some(_), _) => '>',
                (None, None, true) => ' ',
                (None, None, false) => '-',
            };
            write!(f, "{mark} {:18} {}", row.name, row.value)?;
            if let Some(before) = before {
                write!(f, "   (was {before})")?;
            }
            if let (Some(earlier), Some(same)) = (&row.earlier, self.same_draw) {
                write!(f, "   (in frame {}: {earlier})", same.frame)?;
            }
            row.expected.iter().try_for_each(|other| write!(f, "   (expected: {other})"))?;
            row.set_by.iter().try_for_each(|set| write!(f, "   ← {set}"))?;
            writeln!(f)?;
        }
        if !self.vertices.is_empty() {
            writeln!(f, "\nvertices of the first triangles")?;
        }
        for vertex in &self.vertices {
            let value = |(name, value): &(String, [ComponentNumber; 4])| {
                format!("{name} = {}", list(value))
            };
            let values: Vec<String> = vertex.attributes.iter().map(value).collect();
            let (index, position) = (vertex.index, list(&vertex.position));
            writeln!(f, "  {index:6}  {}; op = {position}", values.join("; "))?;
        }
        if let Some(program) = &self.program {
            let [vertex, fragment] = &program.agal;
            write!(f, "\nvertex program\n{vertex}\nfragment program\n{fragment}")?;
        }
        Ok(())
    }
}

impl Display for FragmentReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let FragmentReport { fragment, triangle, indices: [a, b, c], outcome, .. } = self;
        let face = if self.front { "front" } else { "back" };
        write!(f, "fragment {fragment}: triangle {triangle} ({a}, {b}, {c}), {face}: {outcome}")?;
        if let (Some(depth), Some([(stored, before), (_, after)])) = (self.depth, self.stored) {
            write!(f, "; depth {depth:.6} over {stored:.6}, stencil {before} -> {after}")?;
        }
        let mut colors = self.colors.iter().flatten();
        colors.try_for_each(|color| write!(f, "; program {}", list(color)))
    }
}

impl Display for BlendSum {
    /// Formats the blend equation: `source 0.1, 0, 0, 0.1 × sourceAlpha 0.1 + destination 1, 1, 1, 1 × one = 1.01, …`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let values = |values: &[ComponentNumber; 4]| match values {
            [first, rest @ ..] if rest.iter().all(|value| value == first) => first.to_string(),
            values => list(values),
        };
        let BlendSum { source_factor: (from, one), destination_factor: (to, two), .. } = self;
        write!(f, "source {} × {from} {}", list(&self.source), values(one))?;
        write!(f, " + destination {} × {to} {}", list(&self.destination), values(two))?;
        write!(f, " = {}", list(&self.result))?;
        let mask = ["red", "green", "blue", "alpha"].into_iter().zip(self.mask);
        let closed: Vec<&str> = mask.filter(|(_, open)| !open).map(|(name, _)| name).collect();
        if closed.is_empty() {
            Ok(())
        } else {
            write!(f, "; masked channels: {}", closed.join(", "))
        }
    }
}

impl Display for StepReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "call {}, {}", self.call, self.fragment)?;
        self.fragment.blend.iter().try_for_each(|sum| writeln!(f, "{sum}"))?;
        self.vertices.iter().try_for_each(|vertex| write!(f, "{vertex}"))?;
        for (name, value) in &self.inputs {
            writeln!(f, "{name} = {}", list(value))?;
        }
        self.steps.iter().try_for_each(|step| write!(f, "{step}"))
    }
}

impl Display for VertexReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "vertex {}: op = {}", self.index, list(&self.position))?;
        let mut values = self.attributes.iter().chain(&self.varyings);
        values.try_for_each(|(name, value)| writeln!(f, "    {name} = {}", list(value)))
    }
}

impl Display for VertexStepReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "call {}, instance {}, {}", self.call, self.vertex.instance, self.vertex)?;
        self.steps.iter().try_for_each(|step| write!(f, "{step}"))
    }
}

impl Display for StepRow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:4}  {}", self.token, self.text)?;
        if let Some(register) = &self.register {
            let idle = if self.active { "" } else { "   (not in this branch)" };
            writeln!(f, "        {register} = {}{idle}", list(&self.value))?;
        }
        if self.alive { Ok(()) } else { writeln!(f, "        discarded") }
    }
}

impl PixelHistory {
    /// Returns a line per event and fragment. `driver` has another renderer's value after each event, or is empty.
    pub fn text(&self, capture: &Capture, driver: &[[u8; 4]]) -> String {
        let (x, y) = self.at;
        let mut text = match (self.texture, &self.context) {
            (Some(face), _) => format!("pixel {x},{y} of {}\n", capture.face_title(face)),
            (None, None) => format!("pixel {x},{y}: the stage's colour\n"),
            (None, Some(context)) => {
                let ((px, py), presented) = (self.pixel, self.presented.unwrap_or_default());
                format!("pixel {x},{y}: {px},{py} of {context}, presented by call {presented}\n")
            }
        };
        if let (Some(face), []) = (self.texture, self.events.as_slice()) {
            let name = capture.name(face.texture);
            text += &format!("no clear or draw has changed this pixel of {name} yet\n");
        }
        for (index, event) in self.events.iter().enumerate() {
            let before = event.before.map_or(String::new(), |before| format!(" {}", color(before)));
            let (call, name, after) = (event.call, event.name, color(event.after));
            text += &format!("{call:6}  {name} {before} -> {after}");
            if let Some(value) = driver.get(index) {
                let mark = if *value == event.after { "" } else { " !" };
                text += &format!("   driver {}{mark}", color(*value));
            }
            text.push('\n');
            for fragment in &event.fragments {
                text += &format!("          {fragment}\n");
                text.extend(fragment.blend.iter().map(|sum| format!("             {sum}\n")));
            }
        }
        let when = if self.texture.is_some() { "at the frame's end" } else { "shown" };
        text += &format!("{when}: {}\n", color(self.shown));
        let Some(expected) = self.expected else { return text };
        text += &format!("expected: {}", color(expected));
        match self.last_as_expected() {
            _ if self.shown == expected => text += ", equal to the shown value",
            Some(event) => {
                text += &format!(", the value after call {}: a later call is wrong", event.call)
            }
            None => text += ", which is not the value after any call",
        }
        text + "\n"
    }
}

impl Display for DrawReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:6}  {}: {} triangles", self.call, self.program, self.triangles)?;
        let lost = [
            (self.off_screen_triangles, "off-screen"),
            (self.culled_triangles, "culled"),
            (self.empty_triangles, "empty"),
        ];
        for (count, what) in lost.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, ", {count} {what}")?;
        }
        write!(f, "; {} shaded, {} passed", self.shaded, self.kept)?;
        for (count, test) in self.rejected().into_iter().filter(|(count, _)| *count > 0) {
            write!(f, ", {count} rejected by {}", test.name())?;
        }
        write!(f, "; {} pixels changed", self.changed)?;
        if let Some(bounds) = self.bounds {
            write!(f, " in {}", area_text(bounds.map(i64::from)))?;
        }
        self.wrong.iter().try_for_each(|wrong| write!(f, "; ≠ {wrong}"))?;
        write!(f, "{}", self.call_site)
    }
}

impl FrameReport {
    /// Returns a line per pass, draw and warning. Redundant calls come last; if `waste` is false, only their number is
    /// printed.
    pub fn text(&self, waste: bool) -> String {
        let mut text = self.wrong.as_ref().map_or(String::new(), |wrong| format!("{wrong}\n"));
        if self.passes.is_empty() {
            text += &format!("frame {} has no draws or clears\n", self.frame);
        }
        for pass in &self.passes {
            let ((first, last), targets) = (pass.calls, pass.targets.join(", "));
            let (number, context) = (pass.pass, &pass.context);
            text += &format!("pass {number}: {context}, {targets}, calls {first}-{last}\n");
            text.extend(pass.draws.iter().map(|draw| format!("{draw}\n")));
        }
        let of = |is: fn(WarningKind) -> bool| -> Vec<&Warning> {
            self.warnings.iter().filter(|warning| is(warning.kind)).collect()
        };
        let unchecked = of(|kind| kind == WarningKind::Unchecked);
        let lints = of(WarningKind::is_lint);
        let is_fault = |kind: WarningKind| {
            !kind.is_lint() && !kind.is_evidence() && kind != WarningKind::Unchecked
        };
        text += &lines('!', &of(is_fault));
        text += &lines('?', &of(WarningKind::is_evidence));
        if !unchecked.is_empty() {
            text += "draws that error checking would reject:\n";
        }
        text += &lines(' ', &unchecked);
        if lints.is_empty() {
            return text;
        }
        let number = lints.len();
        if !waste {
            return text + &format!("{number} redundant calls (--waste lists them)\n");
        }
        text += &format!("{number} redundant calls:\n");
        text + &lines(' ', &lints)
    }
}

/// Returns a line per warning, including the other calls with the same warning.
fn lines(mark: char, warnings: &[&Warning]) -> String {
    let mut same: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for Warning { call, name, text, .. } in warnings {
        same.entry((name, text)).or_default().push(*call);
    }
    let line = |Warning { call, name, text, .. }: &&Warning| {
        let [first, others @ ..] = same.get(&(*name, text.as_str()))?.as_slice() else {
            return None;
        };
        (first == call).then(|| format!("{call:6}{mark} {name} {text}{}\n", also("call", others)))
    };
    warnings.iter().filter_map(line).collect()
}

/// Returns the end of a line: other calls or frames with the same diagnostic.
fn also<T: ToString>(what: &str, others: &[T]) -> String {
    let named = others.iter().take(3).map(T::to_string).collect::<Vec<_>>().join(", ");
    let s = if others.len() > 1 { "s" } else { "" };
    match others.len().saturating_sub(3) {
        _ if others.is_empty() => String::new(),
        0 => format!(" (also {what}{s} {named})"),
        more => format!(" (also {what}{s} {named}, … {more} more)"),
    }
}

/// Maximum number of anomalies in the text.
const LISTED: usize = 60;

impl Display for OutlierDraw {
    /// Formats the reason, and the other draws and frames with the same anomaly.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let OutlierDraw { reason, also: draws, again, .. } = self;
        write!(f, "{reason}{}{}", also("draw", draws), also("frame", again))
    }
}

impl FrameScan {
    /// Writes the number of frames that differ from their expected images.
    fn wrong_frames(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let wrong: Vec<&FrameRow> =
            self.frames.iter().filter(|row| row.wrong.is_some_and(|pixels| pixels > 0)).collect();
        match wrong.as_slice() {
            [] => writeln!(f, "all frames are as expected"),
            [first, ..] => writeln!(
                f,
                "{} of {} frames are not as expected; the first is {}",
                wrong.len(),
                self.frames.len(),
                first.frame
            ),
        }
    }
}

impl Display for FrameScan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let row = |row: &FrameRow| {
            let FrameRow { frame, calls, draws, dropped, without_effect, errors, .. } = row;
            let FrameRow { changed, triangles, shaded, bytes, milliseconds, .. } = row;
            let (kib, wrong) =
                (bytes >> 10, row.wrong.map_or(String::new(), |it| format!(" {it}")));
            cells(&format!(
                "{frame} {calls} {draws} {dropped} {without_effect} {errors} {changed} {triangles} {shaded} {kib} \
                 {milliseconds:.1}{wrong}"
            ))
        };
        let compared = self.frames.iter().any(|row| row.wrong.is_some());
        let names = "frame,calls,draws,dropped,no effect,errors,changed,triangles,shaded,KiB,ms";
        let head = names.split(',').chain(compared.then_some("wrong")).map(str::to_owned).collect();
        let lines: Vec<_> = std::iter::once(head).chain(self.frames.iter().map(row)).collect();
        f.write_str(&aligned(&lines, ">>>>>>>>>>>>").concat())?;
        if compared {
            self.wrong_frames(f)?;
        }
        for outlier in self.outliers.iter().take(LISTED) {
            writeln!(f, "{:>5}! {outlier}", outlier.frame)?;
        }
        match self.outliers.len().saturating_sub(LISTED) {
            0 if self.outliers.is_empty() => {
                writeln!(f, "no frame stands out; --expect finds problems that all frames have")?
            }
            0 => {}
            more => writeln!(f, "… and {more} more (see --json)")?,
        }
        for RejectedDraws { error, draws, call, frame } in &self.refused {
            let draws = count(*draws);
            writeln!(
                f,
                "draws that error checking would reject with {error}: {draws}, the first is call {call} of frame {frame}"
            )?;
        }
        Ok(())
    }
}
