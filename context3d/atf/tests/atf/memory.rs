//! The memory for reading a file depends on the sizes in its header, not on its records.

use allocation_counter::measure;
use atf::TexelLayout;
use atf::{Atf, AtfFormat};

use molehill_testing::atf_files::{AtfSpec, groups, lzma, samples};

/// Maximum memory of a level, as a multiple of its size at four bytes per texel. JPEG-XR needs four bytes per sample
/// for three colour planes and up to two alpha planes, and the image itself.
const TIMES: u64 = 7;

/// Additional memory for lists, and for an LZMA model with default parameters.
const BESIDES: u64 = 96 << 10;

/// Additional memory with the largest LZMA parameters: 4096 literal states of 1.5 KiB each.
const LARGE_MODEL: u64 = 7 << 20;

/// Returns the peak memory of reading all levels in several layouts.
fn peak(bytes: &[u8]) -> u64 {
    let info = measure(|| {
        let Ok(atf) = Atf::open(bytes) else { return };
        for image in atf.images().flatten() {
            for layout in [TexelLayout::Bgra8, TexelLayout::Dxt1, TexelLayout::Dxt5] {
                drop(image.texels(layout));
            }
        }
    });
    assert_eq!(info.bytes_current, 0);
    info.bytes_max
}

#[test]
fn good_files_take_what_their_size_says() {
    for sample in samples(false, (7, 6), 1) {
        let peak = peak(&sample.bytes());
        let texels = 4 << 13;
        assert!(peak <= TIMES * texels + BESIDES, "{}: {peak}", sample.name());
        // The measured peak must include at least the decoded texels, or the measurement is wrong.
        assert!(peak >= texels, "{}: {peak}", sample.name());
    }
}

/// Every record unpacks to far more data than its level needs.
#[test]
fn bombs_take_what_the_levels_size_says() {
    let zeros = lzma(&vec![0; 1 << 22]);
    let mut large = zeros.clone();
    large[0] = 224;
    let picture = samples(false, (7, 6), 1).into_iter().find_map(|sample| {
        let whole = sample.file().format == AtfFormat::Rgba8888;
        whole.then(|| sample.bytes())
    });
    let picture = picture.unwrap();
    let atf = Atf::open(&picture).unwrap();
    let picture = atf.images().next().unwrap().unwrap().records()[0].to_vec();
    for log in [(0, 0), (4, 4), (6, 5)] {
        for version in [0, 3] {
            for format in AtfFormat::ALL.iter().copied() {
                let file = AtfSpec { version, format, ..AtfSpec::raw(log, 1) };
                let records: usize = groups(format, version).iter().map(|group| group.1).sum();
                for (record, besides) in
                    [(&zeros, BESIDES), (&large, LARGE_MODEL), (&picture, BESIDES)]
                {
                    let peak = peak(&file.write(|_, _| vec![record.clone(); records]));
                    let texels = 4 << (log.0 + log.1);
                    assert!(peak <= TIMES * texels + besides, "{file:?}: {peak}");
                }
            }
        }
    }
}

/// If small records declare large levels, no memory is allocated, because the records are too short.
#[test]
fn small_files_of_large_levels_take_nothing() {
    for version in [0, 3] {
        for format in AtfFormat::ALL.iter().copied() {
            let file = AtfSpec { version, format, ..AtfSpec::raw((12, 12), 1) };
            let records: usize = groups(format, version).iter().map(|group| group.1).sum();
            for record in [vec![0; 100], vec![0xff; 100], b"II\xbc\x01".repeat(25)] {
                let bytes = file.write(|_, _| vec![record.clone(); records]);
                let image = Atf::open(&bytes).unwrap().images().next().unwrap().unwrap();
                assert!(image.texels(TexelLayout::Bgra8).is_err(), "{format:?}");
                let peak = peak(&bytes);
                assert!(peak <= 1024, "{format:?}: {peak}");
            }
        }
    }
}
