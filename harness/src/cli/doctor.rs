//! `molehill doctor`

use std::fmt::Write;

use backend_gl::offscreen::{Api, Offscreen, Options, Route};
use backend_gl::workarounds::{Driver, Workaround};
use clap::{ArgMatches, Command};
use context3d::backend::{Backend, BackendCaps};
use molehill_replay::terminal::line;
use serde_json::{Value, json};

use super::arguments::{self, flag};
use super::outcome::with;
use super::table::{self, Column};
use super::{Failure, Status, output, renderer};

const AFTER_HELP: &str = "\
Examples:
  molehill doctor
  molehill doctor --json | jq '.drivers[].extensions'
  GALLIUM_DRIVER=softpipe molehill doctor
  LIBGL_ALWAYS_SOFTWARE=1 molehill doctor --workaround one-sample=on

Opens OpenGL and OpenGL ES by every route without a window, and shows each driver, its versions, formats and active workarounds
(for missing features and for bugs). The reference renderer, which is used if OpenGL can't be opened, is always available.

Exit status: 0; 1 if neither OpenGL nor OpenGL ES can be opened.";

pub(super) fn command() -> Command {
    Command::new("doctor")
        .about("Shows the available drivers, with versions, extensions and active workarounds")
        .after_help(AFTER_HELP)
        .arg(flag("extensions", "Also list the drivers' extensions"))
        .arg(renderer::workaround_argument())
        .arg(arguments::json())
}

/// OpenGL or OpenGL ES on this machine.
struct Family {
    api: Api,
    /// The driver that each route opens, or the error.
    routes: Vec<(Route, Result<String, String>)>,
    /// The driver of the first route that opens.
    opened: Option<OpenedDriver>,
}

/// A driver that was opened.
struct OpenedDriver {
    driver: Driver,
    caps: BackendCaps,
    extensions: Vec<String>,
    rows: Vec<&'static Workaround>,
}

impl Family {
    fn look(api: Api, matches: &ArgMatches) -> Self {
        let mut family = Family { api, routes: Vec::new(), opened: None };
        for &route in Route::ALL {
            let mut options = Options::new(api);
            options.route = Some(route);
            options.device.workarounds = renderer::workarounds(matches);
            let opened = Offscreen::open_with(&options);
            let opened = opened
                .map_err(|error| error.tried.into_iter().map(|(_, why)| why).collect::<String>());
            let opened = opened.and_then(|offscreen| {
                if family.opened.is_none() {
                    family.opened =
                        Some(OpenedDriver::of(&offscreen).map_err(|error| error.to_string())?);
                }
                Ok(offscreen.description().to_owned())
            });
            family.routes.push((route, opened));
        }
        family
    }

    fn has(&self, row: &Workaround) -> Option<bool> {
        let opened = self.opened.as_ref()?;
        Some(opened.rows.iter().any(|active| active.name() == row.name()))
    }

    fn text(&self, extensions: bool) -> String {
        let word = if self.opened.is_some() { "found" } else { "not found" };
        let mut text = format!("{}: {word}\n", self.api);
        // Writing to a String can't fail.
        if let Some(OpenedDriver { driver, caps, .. }) = &self.opened {
            let [major, minor, patch] = driver.release;
            let _ = writeln!(text, "  version   {}", line(&driver.version));
            let _ = writeln!(text, "  renderer  {}", line(&driver.renderer));
            let _ = writeln!(text, "  vendor    {}", line(&driver.vendor));
            let _ = writeln!(text, "  driver    {:?} {major}.{minor}.{patch}", driver.family);
            let _ = writeln!(
                text,
                "  sizes     textures {}, cubes {}, targets {}",
                caps.max_texture_size, caps.max_cube_size, caps.max_target_size
            );
            let _ = writeln!(text, "  features  {}", features(caps));
        }
        for (route, opened) in &self.routes {
            let (Ok(what) | Err(what)) = opened;
            let word = if opened.is_ok() { "found" } else { "not found" };
            let _ = writeln!(text, "  {route}: {word}: {}", line(what));
        }
        let names = self.opened.iter().flat_map(|opened| &opened.extensions);
        for name in names.filter(|_| extensions) {
            let _ = writeln!(text, "  {}", line(name));
        }
        text + "\n"
    }

    fn json(&self) -> Value {
        let routes = self.routes.iter().map(|(route, opened)| {
            json!({ "route": route.to_string(), "driver": opened.as_ref().ok(), "failure": opened.as_ref().err() })
        });
        let json = json!({ "api": self.api.to_string(), "routes": routes.collect::<Vec<_>>() });
        let Some(OpenedDriver { driver, caps, extensions, rows }) = &self.opened else {
            return json;
        };
        with(
            json,
            [
                ("version", driver.version.as_str().into()),
                ("renderer", driver.renderer.as_str().into()),
                ("vendor", driver.vendor.as_str().into()),
                ("driver", format!("{:?}", driver.family).into()),
                ("release", json!(driver.release)),
                ("maxTextureSize", caps.max_texture_size.into()),
                ("maxCubeSize", caps.max_cube_size.into()),
                ("maxTargetSize", caps.max_target_size.into()),
                ("maxSamples", caps.max_samples.into()),
                ("s3tc", caps.s3tc.into()),
                ("etc2", caps.etc2.into()),
                ("halfFloatTargets", caps.half_float_targets.into()),
                ("wireframe", caps.wireframe.into()),
                ("extensions", extensions.as_slice().into()),
                ("workarounds", rows.iter().map(|row| row.name()).collect()),
            ],
        )
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

/// A row of the workaround tables, and whether it is active on OpenGL and on OpenGL ES.
type Row = (&'static Workaround, [Option<bool>; 2]);

const COLUMNS: &[Column<Row>] = &[
    ("name", |(row, _)| row.name().into()),
    ("kind", |(row, _)| if row.is_bug() { "bug" } else { "missing" }.into()),
    ("gl", |(_, [gl, _])| (*gl).into()),
    ("gles", |(_, [_, gles])| (*gles).into()),
    ("what", |(row, _)| row.what().into()),
];

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let families = [Api::OpenGl, Api::Gles].map(|api| Family::look(api, matches));
    let rows: Vec<Row> =
        Workaround::all().map(|row| (row, [families[0].has(row), families[1].has(row)])).collect();
    let json = || {
        let known = table::json_rows(COLUMNS, &rows).into_iter().zip(&rows);
        let known = known.map(|(json, (row, _))| {
            with(json, [("remedy", row.remedy().into()), ("source", row.source().into())])
        });
        json!({
            "molehill": env!("CARGO_PKG_VERSION"),
            "drivers": families.iter().map(Family::json).collect::<Vec<_>>(),
            "reference": true,
            "workarounds": known.collect::<Vec<_>>(),
        })
    };
    let text = || {
        let extensions = matches.get_flag("extensions");
        let families = families.iter().map(|family| family.text(extensions));
        let families: String = families.collect();
        let table = table::text(COLUMNS, &rows);
        let active = rows.iter().filter(|(_, holds)| holds.contains(&Some(true)));
        let remedies = active.map(|(row, _)| format!("  {}: {}\n", row.name(), row.remedy()));
        let remedies: String = remedies.collect();
        format!(
            "{families}Reference renderer: found\n\nMissing features and driver bugs, and whether these drivers have them:\n{table}\n\
             Active workarounds:\n{remedies}"
        )
    };
    output::give(matches, json, text)?;
    Ok(Status::of(families.iter().any(|family| family.opened.is_some())))
}
