//! The measurements of one scene or capture.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The measured times of one variant's runs, in nanoseconds per draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn new(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        Samples(samples)
    }

    fn at(&self, numerator: usize, denominator: usize) -> f64 {
        let last = self.0.len().saturating_sub(1);
        self.0.get(last * numerator / denominator).copied().unwrap_or(0.0)
    }

    /// Returns the median in nanoseconds per draw; 0 without runs.
    pub(crate) fn median(&self) -> f64 {
        self.at(1, 2)
    }

    /// Returns the interquartile range divided by the median; 0 without runs.
    pub(crate) fn spread(&self) -> f64 {
        let median = self.median();
        if median == 0.0 {
            return 0.0;
        }
        (self.at(3, 4) - self.at(1, 4)) / median
    }
}

pub(crate) type Counts = BTreeMap<&'static str, u64>;

/// A row of the report, about one scene or capture.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) frames: u64,
    /// Number of Stage3D calls in the measured frames.
    pub(crate) calls: u64,
    /// Number of draws in the measured frames.
    pub(crate) draws: u64,
    /// The total time per draw on the target.
    pub(crate) total: Samples,
    /// The lower bound of the time: the target's OpenGL calls, issued from a recorded list. `None` on targets without
    /// OpenGL.
    pub(crate) floor: Option<Samples>,
    /// The reason why the lower bound could not be measured.
    pub(crate) no_floor: Option<String>,
    /// The cost of `context3d`, and of a capture's replay: measured with a backend that only counts packets.
    pub(crate) front: Option<Samples>,
    /// The cost of `context3d` and `backend-gl`: measured with OpenGL functions that do nothing.
    pub(crate) own: Option<Samples>,
    /// Number of OpenGL calls in all frames, by name.
    pub(crate) gl_calls: Counts,
    /// Number of OpenGL calls of a translation that doesn't track state, for the calls that set state or draw.
    pub(crate) unfiltered: Counts,
    /// Number of bytes passed to OpenGL: uploads, constants, shaders.
    pub(crate) bytes: u64,
    /// Number of uploaded programs; 0 for a scene.
    pub(crate) programs: u64,
    /// Number of Molehill's memory allocations per frame, after warm-up.
    pub(crate) allocations: f64,
    /// Molehill's peak memory in bytes.
    pub(crate) peak: u64,
}

impl Row {
    fn per_draw(&self, number: u64) -> f64 {
        float(number) / float(self.draws.max(1))
    }

    /// Returns the median of the total time divided by the median of the lower bound; `None` without a lower bound.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let floor = self.floor.as_ref()?.median();
        (floor > 0.0).then(|| self.total.median() / floor)
    }

    /// Returns nanoseconds per draw in `context3d`, the backend and the driver; `None` without these measurements.
    pub(crate) fn parts(&self) -> Option<[f64; 3]> {
        let front = self.front.as_ref()?.median();
        let own = self.own.as_ref()?.median().max(front);
        Some([front, own - front, (self.total.median() - own).max(0.0)])
    }

    pub(crate) fn gl_calls_per_draw(&self) -> f64 {
        self.per_draw(self.gl_calls.values().sum())
    }

    /// Returns the number of OpenGL calls per draw of a translation that doesn't track state.
    pub(crate) fn unfiltered_per_draw(&self) -> f64 {
        self.per_draw(self.unfiltered.values().sum())
    }

    /// Returns the number of `glLinkProgram` calls.
    pub(crate) fn compiles(&self) -> u64 {
        self.gl_calls.get("glLinkProgram").copied().unwrap_or(0)
    }

    /// Returns the row as JSON, an element of the report's `rows`.
    pub(crate) fn json(&self) -> Value {
        let [front, backend, driver] = self.parts().map_or([None; 3], |parts| parts.map(Some));
        let second = 1e9 / self.total.median().max(f64::MIN_POSITIVE);
        json!({
            "name": self.name,
            "frames": self.frames,
            "calls": self.calls,
            "draws": self.draws,
            "nsPerDraw": rounded(self.total.median()),
            "spread": rounded(self.total.spread()),
            "drawsPerSecond": second.round(),
            "callsPerSecond": (second * self.per_draw(self.calls)).round(),
            "floorNsPerDraw": self.floor.as_ref().map(|floor| rounded(floor.median())),
            "noFloor": self.no_floor,
            "ratioToFloor": self.ratio().map(rounded),
            "frontNsPerDraw": front.map(rounded),
            "backendNsPerDraw": backend.map(rounded),
            "driverNsPerDraw": driver.map(rounded),
            "glCallsPerDraw": rounded(self.gl_calls_per_draw()),
            "unfilteredGlCallsPerDraw": rounded(self.unfiltered_per_draw()),
            "glCalls": self.gl_calls,
            "unfilteredGlCalls": self.unfiltered,
            "bytesPerDraw": rounded(self.per_draw(self.bytes)),
            "bytes": self.bytes,
            "programs": self.programs,
            "compiles": self.compiles(),
            "cacheHits": self.programs.saturating_sub(self.compiles()),
            "allocationsPerFrame": rounded(self.allocations),
            "peakBytes": self.peak,
        })
    }
}

pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[allow(clippy::cast_precision_loss, reason = "counts are small")]
pub(crate) fn float(number: u64) -> f64 {
    number as f64
}
