//! Tests the identification of drivers.

use super::DriverInfo;

fn parse(vendor: &str, renderer: &str, version: &str) -> DriverInfo {
    DriverInfo::parse(vendor.to_owned(), renderer.to_owned(), version.to_owned())
}

/// Vendor, renderer and version strings of real drivers.
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
        // The test's ANGLE string is SwiftShader's, a software renderer.
        let software = ["Llvmpipe", "Softpipe", "Lavapipe", "Angle"];
        let software = software.iter().any(|family| expected.starts_with(family));
        assert_eq!(driver.is_software(), software, "{line}");
        assert_eq!(format!("{:?} {major}.{minor}.{patch}", driver.family), expected, "{line}");
    }
}
