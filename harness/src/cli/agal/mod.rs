//! `molehill agal`: the tools for AGAL programs, one module per subcommand.

mod arguments;
mod check;
mod fuzz;
mod glsl;
mod input;
mod other_half;
mod program;
mod run;
mod text;
mod verdict;

use super::subcommands;

subcommands! {
    Agal {
        Asm(text::Asm),
        Dis(text::Dis),
        Check(check::Check),
        Glsl(glsl::Glsl),
        Run(run::Run),
        Fuzz(fuzz::Fuzz),
    }
}
