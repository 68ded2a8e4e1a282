//! Identification of the driver: vendor, renderer and version, parsed once from its strings.

/// Major, minor and patch version; missing numbers are 0.
pub type Release = [u32; 3];

macro_rules! families {
    ($($(#[$doc:meta])* $name:ident: $field:ident has $has:literal, version after $after:literal;)+) => {
        /// A family of drivers with common bugs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum DriverFamily {
            $($(#[$doc])* $name,)+
            /// A driver that belongs to no other family.
            Other,
        }

        /// The families in order of precedence: the first row that matches the driver's strings is used.
        const FAMILIES: &[(DriverFamily, fn(&DriverInfo) -> bool, &str)] = &[
            $((DriverFamily::$name, |driver| driver.$field.contains($has), $after),)+
        ];
    };
}

families! {
    /// ANGLE, a translator to another API.
    Angle: renderer has "ANGLE", version after "ANGLE ";
    /// Mesa's OpenGL over its software Vulkan, which renders like llvmpipe.
    Lavapipe: renderer has "zink (llvmpipe", version after "Mesa ";
    /// Mesa's OpenGL over a Vulkan driver other than Mesa's software Vulkan.
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

/// The driver's strings, family and version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverInfo {
    /// `GL_VENDOR`
    pub vendor: String,
    /// `GL_RENDERER`
    pub renderer: String,
    /// `GL_VERSION`
    pub version: String,
    /// The driver family, such as Mesa or NVIDIA.
    pub family: DriverFamily,
    /// The driver's own version.
    pub release: Release,
}

/// Renderer names of software drivers by Mesa, Google, Microsoft and Apple.
const ON_CPU: [&str; 6] = [
    "llvmpipe",
    "softpipe",
    "SwiftShader",
    "Microsoft Basic Render Driver",
    "GDI Generic",
    "Apple Software Renderer",
];

impl DriverInfo {
    /// Returns whether the driver renders on the CPU.
    pub(crate) fn is_software(&self) -> bool {
        ON_CPU.iter().any(|name| self.renderer.contains(name))
    }

    pub(crate) fn parse(vendor: String, renderer: String, version: String) -> Self {
        let mut driver =
            Self { vendor, renderer, version, family: DriverFamily::Other, release: [0; 3] };
        if let Some((family, _, after)) = FAMILIES.iter().find(|(_, fits, _)| fits(&driver)) {
            driver.family = *family;
            if let Some((_, text)) = driver.version.split_once(after) {
                driver.release = release(text);
            }
        }
        driver
    }
}

/// Parses up to three numbers that are separated by single characters, as in all drivers' versions.
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

#[cfg(test)]
#[path = "../tests/unit/driver.rs"]
mod tests;
