//! Properties of all files: the bodies of the fuzz targets, as ordinary functions.

use arbitrary::{Arbitrary, Unstructured};
use atf::{Atf, AtfError, AtfFile, LevelImage, TexelLayout, lzma};

/// Maximum width and height that are decoded, because larger images only take longer.
const MAX_SIDE: u32 = 256;

/// Decodes arbitrary bytes as an LZMA record, and a damaged valid record. Each decoding must return the requested
/// number of bytes or an error.
pub fn lzma_record(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let given = <(u16, Vec<(u16, u8)>, Option<u16>)>::arbitrary(&mut u);
    let Ok((size, damage, cut)) = given else {
        return;
    };
    let rest = u.take_rest();
    let check = |record: &[u8], size: usize| match lzma::decode(record, size) {
        Ok(bytes) => assert!(bytes.len() == size),
        Err(error) => assert!(matches!(error, AtfError::Invalid(_)), "{error}"),
    };
    check(rest, size.into());
    let mut record = Vec::new();
    // Writing to memory doesn't fail.
    let _ = lzma_rs::lzma_compress(&mut &*rest, &mut record);
    record.drain(5..13.min(record.len()));
    assert!(lzma::decode(&record, rest.len()).as_deref() == Ok(rest));
    assert!(lzma::decode(&record, rest.len() + 1).is_err());
    for (place, value) in damage {
        let length = record.len();
        if let Some(byte) = record.get_mut(usize::from(place) % length) {
            *byte = value;
        }
    }
    if let Some(cut) = cut {
        record.truncate(cut.into());
    }
    check(&record, rest.len());
}

/// Reads arbitrary bytes as an ATF file: each level must have as many texels as its size requires, or return an error.
pub fn atf(data: &[u8]) {
    let Ok(atf) = Atf::open(data) else { return };
    let header = atf.header();
    assert!(header.width <= 4096 && header.height <= 4096 && header.levels() <= header.count);
    let small = header.width.max(header.height) <= MAX_SIDE;
    let mut images = 0;
    for image in atf.images() {
        images += 1;
        let Ok(image) = image else { break };
        assert!(image.side < header.faces() && image.level < header.levels());
        for layout in [TexelLayout::Bgra8, TexelLayout::Dxt1, TexelLayout::Dxt5] {
            if let (true, Ok(Some(texels))) = (small, image.texels(layout)) {
                assert!(texels.len() == layout.bytes(image.width, image.height));
            }
        }
    }
    // Six faces of 13 levels.
    assert!(images <= 78);
    edited(&atf, small);
}

/// Writes a parsed file again: its levels must stay equal. Blocks in parts must become raw blocks or return an error.
fn edited(atf: &Atf<'_>, small: bool) {
    let Ok(mut edit) = AtfFile::new(atf) else { return };
    let levels = |atf: &Atf<'_>| -> Vec<Vec<Vec<u8>>> {
        let records =
            |image: LevelImage<'_>| image.records().iter().map(|it| it.to_vec()).collect();
        atf.images().map_while(Result::ok).map(records).collect()
    };
    let written = |edit: &AtfFile<'_>| {
        let bytes = edit.write().unwrap_or_default();
        Atf::open(&bytes).map(|atf| levels(&atf))
    };
    assert!(written(&edit) == Ok(levels(atf)));
    if small && edit.make_raw().is_ok() {
        assert!(written(&edit).is_ok_and(|raw| raw.len() == levels(atf).len()));
    }
}
