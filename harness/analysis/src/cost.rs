//! The estimated cost of a frame: shader invocations × instruction slots, counted by the reference renderer. The
//! estimated cost doesn't depend on the machine. [`measure`] measures the times of another renderer.

use std::collections::BTreeMap;

use context3d::agal::asm::AgalListing;
use context3d::agal::opcode::AgalOpcode;
use context3d::agal::{LinkedPair, Program};
use context3d::backend::BackendFactory;
use d3d9::opcode::D3d9Opcode as Native;
use molehill_replay::table::{aligned, cells};
use molehill_replay::{ReplayOptions, Replayer};
use serde::Serialize;
use web_time::{Duration, Instant};

use crate::calls::renders;
use crate::capture::Capture;
use crate::draws::DrawReport;
use crate::error::Result;
use crate::inspector::Inspector;
use crate::number::count;
use crate::renderers::{pair, read_pixel};

/// The estimated cost of a frame's draws and programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FrameCost {
    pub frame: u32,
    pub draws: Vec<DrawCost>,
    pub programs: Vec<ProgramCost>,
}

/// The estimated cost of a draw. Counts both branches of each `if`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrawCost {
    pub call: usize,
    /// The 1-based index of the pass in the frame.
    pub pass: u32,
    pub program: String,
    pub vertex_runs: u64,
    pub fragment_runs: u64,
    /// Number of texture reads in all shader invocations.
    pub reads: u64,
    /// Number of instruction slots that all shader invocations execute.
    pub slots: u64,
}

/// The instructions of a program, with the invocation counts of all its draws in the frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramCost {
    pub program: String,
    pub vertex: Vec<StatementCost>,
    pub fragment: Vec<StatementCost>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatementCost {
    /// The AGAL source of the instruction.
    pub text: String,
    /// Number of instruction slots of this instruction, summed over all shader invocations.
    pub slots: u64,
}

/// Returns an opcode's instruction slots: those of its equivalent in shader model 3 [d3d9.slots.table].
fn slots(opcode: AgalOpcode) -> u64 {
    use AgalOpcode as Agal;
    let natives: &[Native] = match opcode {
        Agal::Div => &[Native::Rcp, Native::Mul],
        Agal::Sqt => &[Native::Rsq, Native::Rcp],
        Agal::Sin | Agal::Cos => &[Native::SinCos],
        Agal::M33 => &[Native::M3x3],
        Agal::M34 => &[Native::M4x3],
        Agal::M44 => &[Native::M4x4],
        Agal::Crs => &[Native::Crs],
        Agal::Nrm => &[Native::Nrm],
        Agal::Pow => &[Native::Pow],
        Agal::Ddx => &[Native::Dsx],
        Agal::Ddy => &[Native::Dsy],
        Agal::Ife | Agal::Ine | Agal::Ifg | Agal::Ifl => &[Native::IfC],
        Agal::Ted => &[Native::TexLdd],
        Agal::Tld => &[Native::TexLdl],
        Agal::Mov | Agal::Add | Agal::Sub | Agal::Mul | Agal::Rcp | Agal::Min | Agal::Max => {
            return 1;
        }
        Agal::Frc | Agal::Rsq | Agal::Log | Agal::Exp | Agal::Dp3 | Agal::Dp4 => return 1,
        Agal::Abs | Agal::Neg | Agal::Sat | Agal::Els | Agal::Eif | Agal::Kil | Agal::Tex => {
            return 1;
        }
        Agal::Sge | Agal::Slt | Agal::Sgn | Agal::Seq | Agal::Sne => return 1,
    };
    natives.iter().map(|native| u64::from(native.slots()[3])).sum()
}

/// An instruction of a program.
struct CostStatement {
    text: String,
    slots: u64,
    reads_texture: bool,
}

fn statements(program: &Program) -> impl Iterator<Item = CostStatement> {
    let listing = AgalListing::new(program).to_string();
    let lines: Vec<String> = listing.lines().map(str::to_owned).collect();
    lines.into_iter().zip(program.instructions()).map(|(text, instruction)| {
        let opcode = instruction.opcode();
        let reads_texture = opcode.is_some_and(|opcode| opcode.signature().has_sampler());
        CostStatement { text, slots: opcode.map_or(0, slots), reads_texture }
    })
}

impl Inspector {
    pub fn cost(&mut self, frame: u32) -> Result<FrameCost> {
        let report = self.draws(frame)?;
        let mut programs: BTreeMap<String, (LinkedPair, [u64; 2])> = BTreeMap::new();
        let mut draws = Vec::new();
        let passes = report.passes.iter();
        let all = passes.flat_map(|pass| pass.draws.iter().map(move |draw| (pass.pass, draw)));
        for (pass, draw) in all {
            if !programs.contains_key(&draw.program)
                && let Some(pair) = self.pair(draw.call)?
            {
                programs.insert(draw.program.clone(), (pair, [0; 2]));
            }
            let Some((pair, runs)) = programs.get_mut(&draw.program) else { continue };
            for (sum, more) in runs.iter_mut().zip([draw.vertex_runs, draw.shaded]) {
                *sum += more;
            }
            draws.push(draw_cost(draw, pass, pair));
        }
        let programs = programs.into_iter().map(|(program, (pair, [vertices, fragments]))| {
            let costs = |program: &Program, runs: u64| {
                let all = statements(program);
                all.map(|it| StatementCost { text: it.text, slots: it.slots * runs }).collect()
            };
            ProgramCost {
                program,
                vertex: costs(pair.vertex().program(), vertices),
                fragment: costs(pair.fragment().program(), fragments),
            }
        });
        Ok(FrameCost { frame, draws, programs: programs.collect() })
    }

    /// Returns the linked vertex and fragment program of a draw.
    pub(crate) fn pair(&mut self, call: usize) -> Result<Option<LinkedPair>> {
        let (mut state, draw) = self.next_draw(call)?;
        Ok(pair(&mut state.player, draw.context).cloned())
    }
}

fn draw_cost(draw: &DrawReport, pass: u32, pair: &LinkedPair) -> DrawCost {
    let halves = [(pair.vertex(), draw.vertex_runs), (pair.fragment(), draw.shaded)];
    let sum = |of: fn(CostStatement) -> u64| {
        let sums = halves
            .iter()
            .map(|(half, runs)| statements(half.program()).map(of).sum::<u64>() * runs);
        sums.sum()
    };
    DrawCost {
        call: draw.call,
        pass,
        program: draw.program.clone(),
        vertex_runs: draw.vertex_runs,
        fragment_runs: draw.shaded,
        reads: sum(|statement| u64::from(statement.reads_texture)),
        slots: sum(|statement| statement.slots),
    }
}

/// The measured times of a clear or a draw, in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallTime {
    pub call: usize,
    /// Time in the call itself: validation, translation, and synchronous work of the driver.
    pub cpu: f64,
    /// GPU time of the call, measured by a driver's timer query; `None` if the driver doesn't support timer queries.
    pub driver: Option<f64>,
    /// Time until the renderer finishes after the call. Reading one pixel of the render target waits for the draw.
    pub finish: f64,
}

/// Replays a capture on a renderer and measures the clears and draws of a frame. The sum can exceed the real frame
/// time, because each call finishes before the next begins. `timer` executes a call and returns its GPU time, if the
/// driver supports timer queries.
pub fn measure<F: BackendFactory>(
    capture: &Capture,
    factory: F,
    frame: u32,
    timer: impl Fn(&mut dyn FnMut()) -> Option<Duration>,
) -> Result<Vec<CallTime>> {
    let span = capture.frame(frame)?.clone();
    let mut player = Replayer::new(capture.header(), factory, ReplayOptions::default());
    let (mut times, mut call) = (Vec::new(), 0);
    for (index, record) in capture.records(0..span.records.end).enumerate() {
        let (number, entry) = record?;
        call += usize::from(entry.call().is_some());
        let in_frame = index >= span.records.start;
        let timed = entry.call().filter(|line| in_frame && renders(&line.call));
        let Some(context) = timed.and_then(|line| player.context_of(line.on)) else {
            player.record(number, &entry)?;
            continue;
        };
        let finish = |player: &mut Replayer<F>| {
            let surface = player.targets(context).first().copied();
            surface.and_then(|surface| read_pixel(player, context, surface, (0, 0)).ok().flatten())
        };
        finish(&mut player);
        let (mut done, mut cpu, begin) = (Ok(None), Duration::ZERO, Instant::now());
        let driver = timer(&mut || {
            let begin = Instant::now();
            done = player.record(number, &entry);
            cpu = begin.elapsed();
        });
        done?;
        finish(&mut player);
        let millis = |time: Duration| time.as_secs_f64() * 1000.0;
        let finish = millis(begin.elapsed() - cpu);
        times.push(CallTime { call, cpu: millis(cpu), driver: driver.map(millis), finish });
    }
    Ok(times)
}

fn share(slots: u64, all: u64) -> String {
    format!("{:3}%", slots * 100 / all.max(1))
}

impl FrameCost {
    /// Returns tables of draws and instructions, most expensive programs first. `times` are measured times, or empty.
    pub fn text(&self, times: &[CallTime]) -> String {
        let all: u64 = self.draws.iter().map(|draw| draw.slots).sum();
        let mut text = format!(
            "frame {}, modelled: {} instruction slots, {} texture reads\n",
            self.frame,
            count(all),
            count(self.draws.iter().map(|draw| draw.reads).sum())
        );
        if !times.is_empty() {
            text += "measured: cpu ms in the call, driver ms of the device by the driver's timer (- if it has none), finish ms \
                 until the renderer was done after the call\n";
        }
        let measured = if times.is_empty() { "" } else { "cpu driver finish" };
        let head = format!("call pass vertices fragments reads slots share {measured} program");
        let mut lines = vec![cells(&head)];
        for pass in self.draws.chunk_by(|one, two| one.pass == two.pass) {
            lines.extend(
                pass.iter().map(|draw| line(std::slice::from_ref(draw), &draw.program, times, all)),
            );
            if pass.len() > 1 {
                lines.push(line(pass, &format!("{} draws", pass.len()), times, all));
            }
        }
        let numbers = ">".repeat(cells(&head).len() - 1);
        text += &aligned(&lines, &numbers).concat();
        let sum = |program: &&ProgramCost| {
            program.vertex.iter().chain(&program.fragment).map(|one| one.slots).sum::<u64>()
        };
        let mut programs: Vec<&ProgramCost> = self.programs.iter().collect();
        programs.sort_by_key(|program| std::cmp::Reverse(sum(program)));
        for program in programs {
            for (stage, statements) in
                [("vertex", &program.vertex), ("fragment", &program.fragment)]
            {
                text += &format!("\n{}, {stage} program\n", program.program);
                for StatementCost { text: agal, slots } in statements {
                    text += &format!("{:>14} {}  {agal}\n", count(*slots), share(*slots, all));
                }
            }
        }
        text
    }
}

/// Returns the table cells of a draw, or the sums for several draws of a pass. `all` is the frame's instruction slots.
fn line(draws: &[DrawCost], name: &str, times: &[CallTime], all: u64) -> Vec<String> {
    let sum = |of: fn(&DrawCost) -> u64| draws.iter().map(of).sum::<u64>();
    let slots = sum(|draw| draw.slots);
    let (vertices, fragments) = (sum(|draw| draw.vertex_runs), sum(|draw| draw.fragment_runs));
    let pass = draws.first().map_or(0, |draw| draw.pass);
    let call = match draws {
        [draw] => draw.call.to_string(),
        _ => "all".to_owned(),
    };
    let reads = sum(|draw| draw.reads);
    let share = share(slots, all);
    let mut line = cells(&format!("{call} {pass} {vertices} {fragments} {reads} {slots} {share}"));
    let is_own = |time: &&CallTime| draws.iter().any(|draw| draw.call == time.call);
    let own: Vec<&CallTime> = times.iter().filter(is_own).collect();
    let total = |of: fn(&CallTime) -> Option<f64>| {
        let total = own.iter().map(|time| of(time)).sum::<Option<f64>>();
        total.filter(|_| !own.is_empty()).map_or("-".to_owned(), |time| format!("{time:.3}"))
    };
    if !times.is_empty() {
        line.extend([total(|it| Some(it.cpu)), total(|it| it.driver), total(|it| Some(it.finish))]);
    }
    line.push(name.to_owned());
    line
}
