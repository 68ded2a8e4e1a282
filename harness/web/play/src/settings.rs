//! The settings that the page sends.

use agal::float::FloatRules;
use agal::glsl::{DIALECTS, Dialect};
use agal::{AgalVersion, Profile, Rules};
use d3d9::from_agal::Model;
use serde::Serialize;

/// The possible values of a setting, each with its label on the page.
type SettingChoice = Vec<(String, String)>;

/// The possible values of all settings with a fixed list.
#[derive(Debug, Serialize)]
pub struct SettingLists {
    pub version: SettingChoice,
    pub profile: SettingChoice,
    pub dialect: SettingChoice,
    pub model: SettingChoice,
    pub floats: SettingChoice,
}

impl SettingLists {
    /// Returns the possible values of all settings. The first value of each setting is its default.
    pub fn all() -> SettingLists {
        let same = |name: String| (name.clone(), name);
        let model = Model::ALL.iter().map(|model| same(model.name().to_owned()));
        let dialect = |dialect: &Dialect| {
            (dialect.name().to_owned(), dialect.version_line().replace("#version ", ""))
        };
        let floats = |rules: &FloatRules| {
            let text = match rules {
                FloatRules::Direct3D9 => "Direct3D 9",
                FloatRules::Ieee => "IEEE 754",
            };
            (rules.name().to_owned(), text.to_owned())
        };
        SettingLists {
            version: AgalVersion::ALL
                .iter()
                .map(|version| same(version.number().to_string()))
                .collect(),
            profile: Profile::ALL
                .iter()
                .rev()
                .map(|profile| same(profile.name().to_owned()))
                .collect(),
            dialect: DIALECTS.iter().map(dialect).collect(),
            model: std::iter::once((String::new(), "lowest".to_owned())).chain(model).collect(),
            floats: FloatRules::ALL.iter().map(floats).collect(),
        }
    }
}

/// The page's settings, with values for input registers.
#[derive(Debug)]
pub struct PageSettings {
    pub rules: Rules,
    /// The AGAL version for a text that doesn't specify one.
    pub version: AgalVersion,
    pub dialect: Dialect,
    /// The Direct3D 9 shader model; `None` selects the lowest one that supports the programs.
    pub model: Option<Model>,
    pub float_rules: FloatRules,
    /// True to add the AGAL of each line as a comment.
    pub comments: bool,
    /// Input registers with their values as text.
    pub values: Vec<(String, String)>,
}

impl Default for PageSettings {
    fn default() -> PageSettings {
        PageSettings {
            rules: Rules::NEWEST,
            version: AgalVersion::V1,
            dialect: Dialect::Glsl330,
            model: None,
            float_rules: FloatRules::Direct3D9,
            comments: false,
            values: Vec::new(),
        }
    }
}

impl PageSettings {
    /// Reads settings from lines `NAME=VALUE`. Names are `profile`, `version`, `dialect`, `model`, `floats`, `comments`
    /// and registers. A setting with an unknown value keeps its default.
    pub fn read(text: &str) -> PageSettings {
        let mut settings = PageSettings::default();
        for (name, value) in text.lines().filter_map(|line| line.split_once('=')) {
            match name {
                "profile" => {
                    settings.rules.profile = Profile::from_name(value).unwrap_or(Profile::Enhanced);
                }
                "version" => {
                    let version = value.parse().ok().and_then(AgalVersion::from_number);
                    settings.version = version.unwrap_or(AgalVersion::V1);
                }
                "dialect" => {
                    settings.dialect = Dialect::from_name(value).unwrap_or(settings.dialect);
                }
                "model" => settings.model = Model::from_name(value),
                "floats" => {
                    settings.float_rules = FloatRules::from_name(value).unwrap_or_default();
                }
                "comments" => settings.comments = value == "on",
                _ => settings.values.push((name.to_owned(), value.to_owned())),
            }
        }
        settings
    }

    /// Returns the chosen dialect. If `supported` lacks the chosen dialect, returns the first dialect of `supported`.
    pub(crate) fn dialect_of(&self, supported: &[Dialect]) -> Dialect {
        let first = supported.first().copied().unwrap_or(self.dialect);
        if supported.contains(&self.dialect) { self.dialect } else { first }
    }
}
