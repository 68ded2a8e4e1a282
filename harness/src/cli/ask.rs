//! The commands that answer one query about a capture, defined by the table [`QUESTIONS`].

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand, value_parser};
use molehill_analysis::{FrameSelection, InspectError};
use molehill_queries::question::{
    CaptureQuery, EXPECT, OUT, OutputFile, ParameterKind, QUESTIONS, QueryParameter, question,
};
use serde_json::{Map, Value};

use super::{CaptureArgument, CommandFailure, CommandStatus, ProgressLine, output};

pub(super) struct Ask {
    question: &'static CaptureQuery,
    capture: CaptureArgument,
    parameters: Map<String, Value>,
    out: Option<PathBuf>,
}

fn argument(parameter: &QueryParameter) -> Arg {
    let argument = Arg::new(parameter.name).long(parameter.name).help(parameter.about);
    let number = value_parser!(u64).range(..=u64::from(u32::MAX));
    let argument = match parameter.kind {
        ParameterKind::Flag => argument.action(ArgAction::SetTrue),
        ParameterKind::Number => argument.value_parser(number).value_name(parameter.value),
        ParameterKind::Text => argument.value_name(parameter.value),
        ParameterKind::Selection => {
            argument.value_name(parameter.value).value_parser(value_parser!(FrameSelection))
        }
    };
    let argument = argument.required(parameter.is_required).short(parameter.short);
    let argument = argument.aliases(parameter.alias);
    parameter.needs.into_iter().fold(argument, |argument, needs| argument.requires(needs))
}

fn command(question: &'static CaptureQuery) -> Command {
    let command = CaptureArgument::augment_args(Command::new(question.name));
    let command = command.about(question.about).args(question.parameters.iter().map(argument));
    let out = question.files.map(|about| {
        let path = value_parser!(PathBuf);
        Arg::new(OUT).long(OUT).short('o').value_name("DIR").value_parser(path).help(about)
    });
    question.excluded.iter().fold(command.args(out), |command, (name, other)| {
        command.mut_arg(*name, |argument| argument.conflicts_with(*other))
    })
}

impl Subcommand for Ask {
    fn augment_subcommands(to: Command) -> Command {
        to.subcommands(QUESTIONS.iter().filter(|question| question.is_command).map(command))
    }

    fn augment_subcommands_for_update(to: Command) -> Command {
        Self::augment_subcommands(to)
    }

    fn has_subcommand(name: &str) -> bool {
        question(name).is_some_and(|question| question.is_command)
    }
}

impl FromArgMatches for Ask {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let question = question(name).ok_or_else(missing)?;
        let values = question.parameters.iter().filter_map(|parameter| {
            let name = parameter.name;
            let value = match parameter.kind {
                ParameterKind::Number => Value::from(*matches.get_one::<u64>(name)?),
                ParameterKind::Flag => matches.get_flag(name).then_some(Value::Bool(true))?,
                ParameterKind::Text => Value::from(matches.get_one::<String>(name)?.as_str()),
                ParameterKind::Selection => {
                    Value::from(matches.get_one::<FrameSelection>(name)?.to_string())
                }
            };
            Some((name.to_owned(), value))
        });
        Ok(Ask {
            question,
            capture: CaptureArgument::from_arg_matches(matches)?,
            parameters: values.collect(),
            out: question.files.and_then(|_| matches.get_one::<PathBuf>(OUT).cloned()),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Ask {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let frames = ["frame", "frames"].iter().find_map(|name| self.parameters.get(*name));
        let frames =
            frames.and_then(Value::as_str).and_then(|it| it.parse::<FrameSelection>().ok());
        let expected = self.parameters.get(EXPECT).and_then(Value::as_str);
        let mut expected = expected.map(super::expected::expected).transpose()?;
        let mut inspector = self.capture.inspector(frames.and_then(|frames| frames.end()))?;
        let mut progress = ProgressLine::new();
        inspector.on_progress(move |at| {
            let what = format!("{} of {}", at.done, at.of);
            progress.update(|| (what, at.done as u64, Some(at.of as u64)));
            ControlFlow::Continue(())
        });
        let mut write = self.out.map(|out| {
            move |name: &str, file: OutputFile<'_>| {
                let written = output::make_folder(&out).and_then(|()| match file {
                    OutputFile::Picture(image) => output::write_picture(&out.join(name), image),
                    OutputFile::Text(text) => output::write(&out.join(name), text),
                });
                written.map_err(|CommandFailure(text)| InspectError::Unsupported(text))
            }
        });
        let files = write.as_mut().map(|write| write as &mut dyn FnMut(&str, OutputFile<'_>) -> _);
        let answer =
            self.question.ask(&mut inspector, &self.parameters, expected.as_mut(), files)?;
        self.capture.format.print(&answer.json, || answer.text)
    }
}
