//! Debugs the fragment program at a pixel, or the vertex program of a vertex, instruction by instruction.

use context3d::agal::asm::readable_text;
use context3d::agal::interp::{
    AgalLanguage, AgalTraceStep, CompiledProgram, NoTextures, RunObserver,
};
use context3d::agal::operand::{Component, SecondOperand, SourceOperand, WriteMask};
use context3d::agal::register::RegisterFile;
use context3d::agal::{AgalInstruction, LinkedPair, Program, Stage};
use context3d::backend::ReadSurface;
use context3d::internals::BoundState;
use molehill_reference::watch::{DrawVertex, Watch};
use serde::Serialize;

use crate::error::{InspectError, Result};
use crate::inspector::{Inspector, ReplayState};
use crate::number::{ComponentNumber, numbers, text};
use crate::pixel::FragmentReport;
use crate::renderers::pair;
use crate::sentence::{Sentence, SentenceValue, Subject, sentence};
use crate::state_items::{StateItem, StateSlot};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepReport {
    pub call: usize,
    pub fragment: FragmentReport,
    pub vertices: Vec<VertexReport>,
    pub inputs: Vec<(String, [ComponentNumber; 4])>,
    /// The executed instructions, in order; empty if the fragment was culled or outside the scissor rectangle.
    pub steps: Vec<StepRow>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VertexStepReport {
    pub call: usize,
    pub vertex: VertexReport,
    /// The executed instructions, in order; empty unless requested.
    pub steps: Vec<StepRow>,
}

/// Records the debug steps of a shader invocation.
#[derive(Default)]
struct StepObserver(Vec<AgalTraceStep>);

impl RunObserver<AgalLanguage> for StepObserver {
    fn step(&mut self, step: &AgalTraceStep) {
        self.0.push(*step);
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VertexReport {
    pub index: u16,
    pub instance: u32,
    pub attributes: Vec<(String, [ComponentNumber; 4])>,
    /// The position in clip space, with z from 0 to w.
    pub position: [ComponentNumber; 4],
    pub varyings: Vec<(String, [ComponentNumber; 4])>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepRow {
    /// The 1-based index of the instruction in the program.
    pub token: u32,
    /// The instruction in words, as an explanation of its AGAL.
    pub text: String,
    /// The constants, attributes and textures that the instruction reads.
    #[serde(skip)]
    pub(crate) reads: Vec<StateSlot>,
    /// The register that the instruction writes, with its components: `ft0.xyz`. `None` if the instruction writes no
    /// register.
    pub register: Option<String>,
    pub value: Vec<ComponentNumber>,
    /// True if the fragment executes the current branch after this instruction.
    pub active: bool,
    /// True if no `kil` instruction has discarded the fragment so far.
    pub alive: bool,
}

fn registers(letter: &str, values: &[(u16, [f32; 4])]) -> Vec<(String, [ComponentNumber; 4])> {
    let named = values.iter();
    named.map(|(number, value)| (format!("{letter}{number}"), numbers(*value))).collect()
}

pub(crate) fn vertex_report(vertex: &DrawVertex) -> VertexReport {
    VertexReport {
        index: vertex.index,
        instance: vertex.instance,
        attributes: registers("va", &vertex.attributes),
        position: numbers(vertex.position),
        varyings: registers("v", &vertex.varyings),
    }
}

impl Inspector {
    /// Debugs a draw's fragment program at a pixel of a frame's image, for a fragment listed by [`Inspector::pixel`].
    /// The default fragment is the last passed one, or the last if none passed. For a draw into a texture, `at` is a
    /// texel.
    pub fn step(
        &mut self,
        frame: u32,
        at: (u32, u32),
        call: usize,
        fragment: Option<usize>,
    ) -> Result<StepReport> {
        let (ReplayState { player, .. }, draw) = self.next_draw(call)?;
        let raster = player.bound(draw.context).map(|bound| bound.raster);
        let on_back_buffer = player.targets(draw.context) == [ReadSurface::BackBuffer];
        let source = if on_back_buffer { self.source(frame, at)? } else { None };
        let pixel = source.map_or(at, |source| source.pixel);
        let watch = Watch { pixel: Some(pixel), ..Watch::default() };
        let all = self.watch(call, watch)?.fragments;
        let kept = all.iter().rposition(|one| one.samples.1 != 0);
        let number = fragment.or(kept).unwrap_or(all.len().saturating_sub(1));
        let missing = InspectError::NoFragment { call, fragments: all.len() };
        let found = all.get(number).ok_or(missing)?;
        let watched = self.watch(call, Watch { steps: Some(number), ..watch })?;
        let pair = self.pair(call)?.ok_or(InspectError::NotADraw(call))?;
        let (steps, lane) = watched.steps;
        let rows = steps.iter().map(|step| row(pair.fragment().program(), step, lane));
        Ok(StepReport {
            call,
            fragment: FragmentReport::new(number, found, raster.as_ref()),
            vertices: found.vertices.iter().map(vertex_report).collect(),
            inputs: registers("v", &found.varyings),
            steps: rows.collect(),
        })
    }

    /// Returns a vertex of a draw before and after the vertex program; with `step`, also the program's debug steps.
    /// `vertex` is a value of the index buffer. Errors: those of the replay, and [`InspectError::Unsupported`] if no
    /// index refers to the vertex, or if `step` is true and the vertex program reads textures.
    pub fn vertex(
        &mut self,
        call: usize,
        (index, instance): (u16, u32),
        step: bool,
    ) -> Result<VertexStepReport> {
        let mesh = self.mesh(call)?;
        let is = |vertex: &&DrawVertex| (vertex.index, vertex.instance) == (index, instance);
        let missing = || format!("draw {call} has no vertex {index} of instance {instance}");
        let vertex = mesh.vertices.iter().find(is).ok_or_else(missing)?;
        let mut report =
            VertexStepReport { call, vertex: vertex_report(vertex), steps: Vec::new() };
        if step {
            let (ReplayState { mut player, .. }, draw) = self.next_draw(call)?;
            let bound = player.bound(draw.context).ok_or(InspectError::NotADraw(call))?;
            let pair = pair(&mut player, draw.context).ok_or(InspectError::NotADraw(call))?;
            let text = "a vertex program that reads textures can't be stepped through";
            report.steps = vertex_steps(pair, &bound, vertex).ok_or_else(|| text.to_owned())?;
        }
        Ok(report)
    }
}

/// Returns the debug steps of a vertex program, or `None` if the program reads textures.
pub(crate) fn vertex_steps(
    pair: &LinkedPair,
    bound: &BoundState,
    vertex: &DrawVertex,
) -> Option<Vec<StepRow>> {
    if pair.interface().vertex_samplers.iter().any(Option::is_some) {
        return None;
    }
    let compiled = CompiledProgram::new(pair.vertex());
    let (mut state, mut steps) = (compiled.state(), StepObserver::default());
    for (register, value) in &vertex.attributes {
        state.set_attribute(*register, 0, *value);
    }
    state.set_instance(0, vertex.instance);
    compiled.run_with(&mut state, &bound.vertex_constants, &NoTextures, &mut steps);
    Some(steps.0.iter().map(|step| row(pair.vertex().program(), step, 0)).collect())
}

impl StepRow {
    /// Returns the instruction's result: `token 8, div vt4.z, vt4.x, vt4.y, gives vt4.z = inf`.
    pub(crate) fn result(&self) -> Sentence {
        let register = self.register.as_deref().unwrap_or_default();
        let value = format!(" = {}", text(&self.value));
        let mut result = sentence![
            "token ",
            SentenceValue(self.token),
            ", ",
            &*self.text,
            ", gives ",
            register,
            SentenceValue(value)
        ];
        self.reads.iter().for_each(|slot| result.add(Subject::Value(*slot)));
        result
    }
}

fn reads(instruction: &AgalInstruction, stage: Stage) -> Vec<StateSlot> {
    let bank = match stage {
        Stage::Vertex => StateItem::VertexConstants,
        Stage::Fragment => StateItem::FragmentConstants,
    };
    let files = [(RegisterFile::Constant, bank), (RegisterFile::Attribute, StateItem::Stream)];
    let register = |source: &SourceOperand| {
        let index = source.index_register_file().filter(|_| source.indirect);
        let file = if source.indirect { index } else { source.register_file() };
        let (_, item) = files.into_iter().find(|(known, _)| Some(*known) == file)?;
        Some(item.slot(source.number.into()))
    };
    let second = match instruction.source2() {
        SecondOperand::Source(source) => register(source),
        SecondOperand::Sampler(sampler) => Some(StateItem::Texture.slot(sampler.number.into())),
    };
    let sources = instruction.opcode().map_or(0, |opcode| opcode.signature().sources());
    let both = [register(&instruction.source1), second].into_iter();
    both.take(sources).flatten().collect()
}

/// Returns the row of an executed instruction, with the values of one of the four lanes.
pub(crate) fn row(program: &Program, step: &AgalTraceStep, lane: usize) -> StepRow {
    let stage = program.stage();
    let index = usize::try_from(step.instruction).unwrap_or(0).wrapping_sub(1);
    let instruction = program.instructions().get(index);
    let text = instruction.map(|token| readable_text(token, stage).to_string());
    let mut value = Vec::new();
    let register = step.written.and_then(|written| {
        let (file, number) = written.register;
        let mut name = file.text(stage, number)?;
        if written.mask != WriteMask::ALL {
            name.push('.');
            name.extend(written.mask.iter().map(Component::letter));
        }
        let all = Component::ALL.into_iter().zip(written.value.lane(lane));
        let set = all.filter(|(component, _)| written.mask.contains(*component));
        value = set.map(|(_, value)| ComponentNumber(value)).collect();
        Some(name)
    });
    let at = |lanes: [bool; 4]| lanes.get(lane).copied().unwrap_or(false);
    StepRow {
        token: step.instruction,
        text: text.unwrap_or_default(),
        reads: instruction.map_or(Vec::new(), |token| reads(token, stage)),
        register,
        value,
        active: at(step.active),
        alive: at(step.alive),
    }
}
