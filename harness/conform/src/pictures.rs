//! Expected images that people have reviewed. `expected/pictures.png` is one sheet of tiles. `expected/pictures.tsv`
//! lists the scenes in the order of their tiles: name, number of tiles, and why the images are right.
//!
//! Images are stored, not checksums, because drivers round differently. One sheet of tiles is smaller than many files.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::case::{Case, CaseBody};
use crate::device::ConformDevice;
use crate::scene;
use crate::scene_builder::SIDE;
use molehill_replay::evidence::Party;
use molehill_replay::image::{RgbaImage, decode_png, encode_png};

const SHEET: &[u8] = include_bytes!("../expected/pictures.png");
const ROWS: &str = include_str!("../expected/pictures.tsv");
/// The number of tiles in a row of the sheet of expected images.
const COLUMNS: usize = 32;
/// The maximum number of expected images of a scene in the sheet.
const MAX_TILES: usize = 4;

struct Tiles {
    first: usize,
    count: usize,
    reason: &'static str,
}

fn rows() -> &'static BTreeMap<&'static str, Tiles> {
    static TABLE: OnceLock<BTreeMap<&str, Tiles>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut first = 0;
        let rows = ROWS.lines().filter_map(|line| {
            let mut cells = line.split('\t');
            let (name, count, reason) = (cells.next()?, cells.next()?.parse().ok()?, cells.next()?);
            let row = Tiles { first, count, reason };
            first += count;
            Some((name, row))
        });
        rows.collect()
    })
}

fn position(tile: usize) -> (i64, i64) {
    let at = |number: usize| i64::try_from(number).unwrap_or(0) * i64::from(SIDE);
    (at(tile % COLUMNS), at(tile / COLUMNS))
}

/// Returns the expected images of a scene from the sheet. Returns none if decoding fails, which fails the scene.
fn tiles(row: &Tiles) -> Vec<RgbaImage> {
    static PICTURE: OnceLock<Option<RgbaImage>> = OnceLock::new();
    let Some(sheet) = PICTURE.get_or_init(|| decode_png(SHEET).ok()) else { return Vec::new() };
    let tiles = (row.first..row.first + row.count).map(|tile| {
        let mut picture = RgbaImage::filled(SIDE, SIDE, [0; 4]);
        let (x, y) = position(tile);
        picture.paste(sheet, -x, -y, false);
        picture
    });
    tiles.collect()
}

/// Sets the expected images of a scene from the sheet, if the sheet contains the scene.
pub(crate) fn expect(case: &mut Case) {
    if let CaseBody::Scene(scene) = &mut case.body
        && let Some(row) = rows().get(case.name.as_str())
    {
        scene.expected_pictures = Some((Party::StoredImages, Arc::new(|| tiles(row))));
    }
}

/// Draws scenes without formulas on the reference renderer, and adds their images to the sheet or replaces them.
/// Returns the TSV table, the PNG of the sheet, and the names of scenes with too many or too large images.
pub fn bless(cases: &[Case], reason: &str) -> Result<(String, Vec<u8>, Vec<String>), String> {
    let stored = rows().iter().map(|(name, row)| (*name, (tiles(row), row.reason)));
    let mut all: BTreeMap<&str, (Vec<RgbaImage>, &str)> = stored.collect();
    let mut unfit = Vec::new();
    for case in cases {
        let CaseBody::Scene(scene) = &case.body else { continue };
        if scene.expected_pictures.is_some() && !all.contains_key(case.name.as_str()) {
            continue;
        }
        let drawn = scene::draw(case, scene, ConformDevice::Reference);
        let drawn = drawn.map_err(|error| format!("{}: {error}", case.name))?;
        let fits = |picture: &RgbaImage| (picture.width(), picture.height()) == (SIDE, SIDE);
        if (1..=MAX_TILES).contains(&drawn.len()) && drawn.iter().all(fits) {
            all.insert(&case.name, (drawn, reason));
        } else {
            unfit.push(case.name.clone());
        }
    }
    let count = all.values().map(|(tiles, _)| tiles.len()).sum::<usize>().max(1);
    let side = |tiles: usize| u32::try_from(tiles).unwrap_or(0) * SIDE;
    let mut sheet = RgbaImage::filled(side(COLUMNS), side(count.div_ceil(COLUMNS)), [0; 4]);
    let (mut table, mut next) = (String::new(), 0);
    for (name, (tiles, reason)) in &all {
        table += &format!("{name}\t{}\t{reason}\n", tiles.len());
        for tile in tiles {
            let (x, y) = position(next);
            sheet.paste(tile, x, y, false);
            next += 1;
        }
    }
    let sheet = encode_png(&sheet).map_err(|error| error.to_string())?;
    Ok((table, sheet, unfit))
}

#[cfg(test)]
#[path = "../tests/unit/pictures.rs"]
mod tests;
