//! `molehill doctor`

use backend_gl::offscreen::{Api, Offscreen, OffscreenOptions, Route};
use backend_gl::workarounds::{DriverInfo, Workaround, Workarounds};
use context3d::backend::{Backend, BackendCaps};
use molehill_replay::terminal::line;
use serde_json::{Value, json};

use super::{
    CommandFailure, CommandStatus, OutputFormat, TableColumn, WorkaroundArguments, table, with,
};

/// Shows the available drivers with versions, extensions and active workarounds
#[derive(clap::Args)]
pub(super) struct Doctor {
    /// Also list the drivers' extensions
    #[arg(long)]
    extensions: bool,
    #[command(flatten)]
    workarounds: WorkaroundArguments,
    #[command(flatten)]
    format: OutputFormat,
}

struct ApiDrivers {
    api: Api,
    /// Each access path to OpenGL with the driver that it opens, or the error.
    routes: Vec<(Route, Result<String, String>)>,
    /// The driver of the first access path that succeeds.
    opened: Option<OpenedDriver>,
}

struct OpenedDriver {
    driver: DriverInfo,
    caps: BackendCaps,
    extensions: Vec<String>,
    rows: Vec<&'static Workaround>,
}

impl ApiDrivers {
    fn look(api: Api, workarounds: Workarounds) -> Self {
        let mut found = ApiDrivers { api, routes: Vec::new(), opened: None };
        for &route in Route::ALL {
            let mut options = OffscreenOptions::new(api);
            options.route = Some(route);
            options.device.workarounds = workarounds;
            let opened = Offscreen::open_with(&options);
            let opened = opened
                .map_err(|error| error.tried.into_iter().map(|(_, why)| why).collect::<String>());
            let opened = opened.and_then(|offscreen| {
                if found.opened.is_none() {
                    let opened = OpenedDriver::of(&offscreen);
                    found.opened = Some(opened.map_err(|error| error.to_string())?);
                }
                Ok(offscreen.description().to_owned())
            });
            found.routes.push((route, opened));
        }
        found
    }

    fn has(&self, row: &Workaround) -> Option<bool> {
        let opened = self.opened.as_ref()?;
        Some(opened.rows.iter().any(|active| active.name() == row.name()))
    }

    fn text(&self, extensions: bool) -> String {
        let word = if self.opened.is_some() { "found" } else { "not found" };
        let mut text = format!("{}: {word}\n", self.api);
        if let Some(OpenedDriver { driver, caps, .. }) = &self.opened {
            let [major, minor, patch] = driver.release;
            let sizes = [caps.max_texture_size, caps.max_cube_size, caps.max_target_size];
            let [textures, cubes, targets] = sizes;
            for (name, value) in [
                ("version", line(&driver.version)),
                ("renderer", line(&driver.renderer)),
                ("vendor", line(&driver.vendor)),
                ("driver", format!("{:?} {major}.{minor}.{patch}", driver.family)),
                ("sizes", format!("textures {textures}, cubes {cubes}, targets {targets}")),
                ("features", features(caps)),
            ] {
                text += &format!("  {name:9} {value}\n");
            }
        }
        for (route, opened) in &self.routes {
            let (Ok(what) | Err(what)) = opened;
            let word = if opened.is_ok() { "found" } else { "not found" };
            text += &format!("  {route}: {word}: {}\n", line(what));
        }
        let names = self.opened.iter().flat_map(|opened| &opened.extensions);
        text.extend(names.filter(|_| extensions).map(|name| format!("  {}\n", line(name))));
        text + "\n"
    }

    fn json(&self) -> Value {
        let routes = self.routes.iter().map(|(route, opened)| {
            json!({ "route": route.to_string(), "driver": opened.as_ref().ok(), "failure": opened.as_ref().err() })
        });
        let mut all = json!({ "api": self.api.to_string(), "routes": routes.collect::<Vec<_>>() });
        let Some(OpenedDriver { driver, caps, extensions, rows }) = &self.opened else {
            return all;
        };
        let names: Vec<&str> = rows.iter().map(|row| row.name()).collect();
        let own = json!({
            "version": driver.version, "renderer": driver.renderer, "vendor": driver.vendor,
            "driver": format!("{:?}", driver.family), "release": driver.release,
            "maxTextureSize": caps.max_texture_size, "maxCubeSize": caps.max_cube_size,
            "maxTargetSize": caps.max_target_size, "maxSamples": caps.max_samples, "s3tc": caps.s3tc, "etc2": caps.etc2,
            "halfFloatTargets": caps.half_float_targets, "wireframe": caps.wireframe,
            "extensions": extensions, "workarounds": names,
        });
        let own = own.as_object().into_iter().flatten();
        own.for_each(|(name, value)| all[name.as_str()] = value.clone());
        all
    }
}

impl OpenedDriver {
    fn of(offscreen: &Offscreen) -> Result<Self, context3d::backend::BackendError> {
        let device = offscreen.device()?;
        let functions = offscreen.functions();
        let names = backend_gl::glow::HasContext::supported_extensions(&**functions);
        let mut extensions: Vec<String> = names.iter().cloned().collect();
        extensions.sort();
        Ok(OpenedDriver {
            driver: device.driver()?,
            caps: device.backend()?.caps().clone(),
            extensions,
            rows: device.workarounds(),
        })
    }
}

fn features(caps: &BackendCaps) -> String {
    let samples = format!("{} samples", caps.max_samples);
    let features = [
        (caps.max_samples > 1, samples.as_str()),
        (caps.s3tc, "DXT"),
        (caps.etc2, "ETC2"),
        (caps.half_float_targets, "half-float targets"),
        (caps.wireframe, "wireframes"),
    ];
    let there = features.into_iter().filter(|(there, _)| *there);
    let there: Vec<&str> = there.map(|(_, name)| name).collect();
    there.join(", ")
}

/// Returns wgpu's adapters, or `None` in a build without wgpu.
#[cfg(feature = "wgpu")]
fn adapters() -> Option<Vec<String>> {
    let adapters = backend_wgpu::adapters();
    Some(adapters.iter().map(|adapter| backend_wgpu::describe(&adapter.get_info())).collect())
}

#[cfg(not(feature = "wgpu"))]
fn adapters() -> Option<Vec<String>> {
    None
}

fn adapters_text(adapters: Option<&[String]>) -> String {
    let Some(adapters) = adapters else {
        return "wgpu: not in this build; build Molehill with --features wgpu\n\n".to_owned();
    };
    let word = if adapters.is_empty() { "not found" } else { "found" };
    let lines = adapters.iter().map(|adapter| format!("  {}\n", line(adapter)));
    format!("wgpu: {word}\n{}\n", lines.collect::<String>())
}

/// A workaround, and whether it is active on OpenGL and on OpenGL ES.
type WorkaroundRow = (&'static Workaround, [Option<bool>; 2]);

const COLUMNS: &[TableColumn<WorkaroundRow>] = &[
    ("name", |(row, _)| row.name().into()),
    ("kind", |(row, _)| if row.is_bug() { "bug" } else { "missing" }.into()),
    ("gl", |(_, [gl, _])| (*gl).into()),
    ("gles", |(_, [_, gles])| (*gles).into()),
    ("what", |(row, _)| row.what().into()),
];

impl Doctor {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let forced = self.workarounds.forced();
        let families = [Api::OpenGl, Api::Gles].map(|api| ApiDrivers::look(api, forced));
        let rows = Workaround::all().map(|row| (row, [families[0].has(row), families[1].has(row)]));
        let rows: Vec<WorkaroundRow> = rows.collect();
        let known = table::json_rows(COLUMNS, &rows).into_iter().zip(&rows);
        let known = known.map(|(json, (row, _))| {
            with(json, [("remedy", row.remedy().into()), ("source", row.source().into())])
        });
        let adapters = adapters();
        let answer = json!({
            "molehill": env!("CARGO_PKG_VERSION"),
            "drivers": families.iter().map(ApiDrivers::json).collect::<Vec<_>>(), "reference": true,
            "adapters": adapters,
            "workarounds": known.collect::<Vec<_>>(),
        });
        self.format.print(&answer, || {
            let families = families.iter().map(|family| family.text(self.extensions));
            let (families, table) = (families.collect::<String>(), table::text(COLUMNS, &rows));
            let wgpu = adapters_text(adapters.as_deref());
            let active = rows.iter().filter(|(_, holds)| holds.contains(&Some(true)));
            let remedies = active.map(|(row, _)| format!("  {}: {}\n", row.name(), row.remedy()));
            format!(
                "{families}{wgpu}Reference renderer: found\n\n\
                 Missing features and driver bugs, and whether these drivers have them:\n{table}\n\
                 Active workarounds:\n{}",
                remedies.collect::<String>()
            )
        })?;
        Ok(CommandStatus::of(families.iter().any(|family| family.opened.is_some())))
    }
}
