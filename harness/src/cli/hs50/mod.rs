//! `molehill hs50`: the tools for Direct3D 11 hull shaders, one or two subcommands per module.

mod driver;
mod input;
mod patch;
mod run;
mod show;
mod translate;

use super::subcommands;

subcommands! {
    Hs50 {
        Info(show::Info),
        Dis(translate::Dis),
        Asm(translate::Asm),
        Check(show::Check),
        Registers(show::Registers),
        Glsl(translate::Glsl),
        Run(run::Run),
        Draw(driver::Draw),
        Fuzz(driver::Fuzz),
    }
}
