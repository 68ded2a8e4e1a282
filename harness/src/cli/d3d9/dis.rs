//! `molehill d3d9 dis`

use ::d3d9::slots::{SlotModel, Slots};
use serde_json::{Value, json};

use super::input::{Inputs, results};
use crate::cli::arguments::choice;
use crate::cli::output::{Failure, Status};
use crate::cli::per_input::{self, InputResult, title};

/// Disassembles tokens to text that assembles to the same words
#[derive(clap::Args)]
#[command(after_help = include_str!("../../help/d3d9-dis.txt"))]
pub(in crate::cli) struct Dis {
    #[command(flatten)]
    inputs: Inputs,
    /// Omit the words of comments
    #[arg(long)]
    no_comments: bool,
    #[command(flatten)]
    slots: SlotsArgument,
}

/// `--slots`
#[derive(clap::Args)]
pub(super) struct SlotsArgument {
    /// Counting of slots: as in the compiler's listings, or by the documentation's tables
    #[arg(long, value_name = "MODEL", default_value = "listing", value_parser = choice([(false, "listing"), (true, "table")]))]
    slots: bool,
}

impl SlotsArgument {
    pub(super) fn model(&self) -> SlotModel {
        if self.slots { SlotModel::Table { no_texture_limit: false } } else { SlotModel::DEFAULT }
    }
}

/// The slots of a shader as JSON.
pub(super) fn slots_json(slots: &Slots) -> Value {
    json!({ "texture": slots.texture, "arithmetic": slots.arithmetic })
}

impl Dis {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let inputs = self.inputs.read()?;
        let model = self.slots.model();
        let results = results(&inputs, |input, program| {
            let listing = program.listing().with_slots(model);
            let listing = if self.no_comments { listing.without_comment_words() } else { listing };
            let (listing, slots) = (listing.to_string(), slots_json(&program.slots(model)));
            let title = (inputs.len() > 1).then(|| title("file: ", &input.name));
            let text = title.unwrap_or_default() + &listing;
            let version = program.version.name();
            let json = json!({
                "name": input.name, "version": version, "listing": listing, "slots": slots,
            });
            InputResult { text, json, refusal: None }
        });
        per_input::print(self.inputs.output, json!({}), results)
    }
}
