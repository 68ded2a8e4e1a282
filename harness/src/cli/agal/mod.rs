//! `molehill agal`: the tools for AGAL programs, one module per subcommand.

mod arguments;
mod asm;
mod check;
mod dis;
mod fuzz;
mod glsl;
mod input;
mod other_half;
mod program;
mod run;
mod verdict;

use super::arguments::subcommands;

subcommands! {
    Agal {
        Asm(asm::Asm),
        Dis(dis::Dis),
        Check(check::Check),
        Glsl(glsl::Glsl),
        Run(run::Run),
        Fuzz(fuzz::Fuzz),
    }
}
