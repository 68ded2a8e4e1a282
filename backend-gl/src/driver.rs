//! Identifies the driver: vendor, renderer and version, parsed once from its strings.

/// Major, minor, patch; missing numbers are 0.
pub type Release = [u32; 3];

macro_rules! families {
    ($($(#[$doc:meta])* $name:ident: $field:ident has $has:literal, version after $after:literal;)+) => {
        /// Families of drivers with their own bugs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Family {
            $($(#[$doc])* $name,)+
            /// Any other driver.
            Other,
        }

        /// The first matching row counts.
        const FAMILIES: &[(Family, fn(&Driver) -> bool, &str)] = &[
            $((Family::$name, |driver| driver.$field.contains($has), $after),)+
        ];
    };
}

families! {
    /// ANGLE, a translator to another API.
    Angle: renderer has "ANGLE", version after "ANGLE ";
    /// Mesa's OpenGL over its software Vulkan, which renders like llvmpipe.
    Lavapipe: renderer has "zink (llvmpipe", version after "Mesa ";
    /// Mesa's OpenGL over any other Vulkan.
    Zink: renderer has "zink", version after "Mesa ";
    /// Mesa's software renderer with a JIT compiler.
    Llvmpipe: renderer has "llvmpipe", version after "Mesa ";
    /// Mesa's interpreting software renderer.
    Softpipe: renderer has "softpipe", version after "Mesa ";
    /// Mesa's drivers for GPUs.
    Mesa: version has "Mesa ", version after "Mesa ";
    /// NVIDIA's own driver.
    Nvidia: vendor has "NVIDIA", version after "NVIDIA ";
    /// AMD's own driver, for Windows.
    Amd: vendor has "ATI", version after "Context ";
    /// Intel's own driver, for Windows.
    Intel: vendor has "Intel", version after "Build ";
    /// Apple's driver.
    Apple: vendor has "Apple", version after "Metal - ";
    /// Qualcomm's own driver.
    Adreno: renderer has "Adreno", version after "V@";
    /// ARM's own driver.
    Mali: renderer has "Mali", version after "v1.r";
    /// Imagination's own driver.
    PowerVr: renderer has "PowerVR", version after "build ";
}

/// The driver's strings, and what follows from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// `GL_VENDOR`
    pub vendor: String,
    /// `GL_RENDERER`
    pub renderer: String,
    /// `GL_VERSION`
    pub version: String,
    /// Which driver it is.
    pub family: Family,
    /// The driver's own version.
    pub release: Release,
}

impl Driver {
    pub(crate) fn parse(vendor: String, renderer: String, version: String) -> Self {
        let mut driver = Self { vendor, renderer, version, family: Family::Other, release: [0; 3] };
        if let Some((family, _, after)) = FAMILIES.iter().find(|(_, fits, _)| fits(&driver)) {
            driver.family = *family;
            if let Some((_, text)) = driver.version.split_once(after) {
                driver.release = release(text);
            }
        }
        driver
    }
}

/// Parses up to three numbers separated by single characters, the format of all drivers' versions.
fn release(text: &str) -> Release {
    let mut release = [0; 3];
    let mut parts = text.split(|character: char| !character.is_ascii_digit());
    for number in &mut release {
        match parts.next().map(str::parse) {
            Some(Ok(part)) => *number = part,
            _ => break,
        }
    }
    release
}

/// The drivers that have a bug.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Affected {
    pub(crate) families: &'static [Family],
    /// The first version with the bug, as far as known.
    pub(crate) from: Release,
    /// The first version without it.
    pub(crate) before: Option<Release>,
}

impl Affected {
    pub(crate) fn includes(&self, driver: &Driver) -> bool {
        self.families.contains(&driver.family)
            && driver.release >= self.from
            && self.before.is_none_or(|fixed| driver.release < fixed)
    }
}

#[cfg(test)]
mod tests {
    use super::{Affected, Driver, Family};

    fn parse(vendor: &str, renderer: &str, version: &str) -> Driver {
        Driver::parse(vendor.to_owned(), renderer.to_owned(), version.to_owned())
    }

    /// The strings of real drivers.
    const DRIVERS: &str = "\
        Llvmpipe 22.3.6: Mesa | llvmpipe (LLVM 15.0.6, 256 bits) | 4.5 (Core Profile) Mesa 22.3.6
        Softpipe 22.3.6: Mesa | softpipe | OpenGL ES 3.1 Mesa 22.3.6
        Lavapipe 22.3.6: Collabora Ltd | zink (llvmpipe (LLVM 15.0.6, 256 bits)) | 4.5 (Core Profile) Mesa 22.3.6
        Mesa 24.0.0: Intel | Mesa Intel(R) UHD Graphics 620 (KBL GT2) | 4.6 (Core Profile) Mesa 24.0.0-devel
        Nvidia 535.54.3: NVIDIA Corporation | NVIDIA GeForce RTX 3060/PCIe/SSE2 | 4.6.0 NVIDIA 535.54.03
        Amd 21.30.23: ATI Technologies Inc. | AMD Radeon RX 580 | 4.6.14761 Core Profile Context 21.30.23
        Intel 27.20.100: Intel | Intel(R) UHD Graphics 620 | 4.6.0 - Build 27.20.100
        Apple 76.3.0: Apple | Apple M1 | 4.1 Metal - 76.3
        Adreno 502.0.0: Qualcomm | Adreno (TM) 640 | OpenGL ES 3.2 V@0502.0 (GIT@191610)
        Mali 32.1.1: ARM | Mali-G78 | OpenGL ES 3.2 v1.r32p1-01eac0.2a8b
        PowerVr 1.11.5425693: Imagination Technologies | PowerVR Rogue GE8320 | OpenGL ES 3.2 build 1.11@5425693
        Angle 2.1.20: Google Inc. | ANGLE (Google, Vulkan 1.3.0 (SwiftShader)) | OpenGL ES 3.0.0 (ANGLE 2.1.20 git hash: 1)
        Other 0.0.0: | |
        Mali 0.0.0: ARM | Mali-G78 | OpenGL ES 3.2 v1.r99999999999999999999";

    #[test]
    fn drivers_are_recognised() {
        for line in DRIVERS.lines() {
            let (expected, strings) = line.trim_start().split_once(": ").expect("a result");
            let strings: Vec<_> = strings.split('|').map(str::trim).collect();
            let driver = parse(strings[0], strings[1], strings[2]);
            let [major, minor, patch] = driver.release;
            assert_eq!(format!("{:?} {major}.{minor}.{patch}", driver.family), expected, "{line}");
        }
    }

    #[test]
    fn a_bug_ends_with_the_version_that_mends_it() {
        let affected =
            Affected { families: &[Family::Nvidia], from: [400, 2, 0], before: Some([500, 0, 0]) };
        let on = |version| affected.includes(&parse("NVIDIA", "", version));
        assert!(on("4.6.0 NVIDIA 400.2") && on("4.6.0 NVIDIA 499.99.9"));
        assert!(!on("4.6.0 NVIDIA 400.1.9") && !on("4.6.0 NVIDIA 500.0"));
        assert!(!affected.includes(&parse("Mesa", "softpipe", "3.3 Mesa 450.0")));
    }
}
