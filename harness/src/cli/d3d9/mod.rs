//! `molehill d3d9`: the tools for Direct3D 9 shaders, one module per subcommand.

mod check;
mod from_agal;
mod fuzz;
mod glsl;
mod input;
mod run;
mod text;

use super::subcommands;

subcommands! {
    D3d9 {
        Dis(text::Dis),
        Asm(text::Asm),
        Check(check::Check),
        Glsl(glsl::Glsl),
        Run(run::Run),
        FromAgal(from_agal::FromAgal),
        Fuzz(fuzz::Fuzz),
    }
}
