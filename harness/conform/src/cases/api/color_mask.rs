//! Colour masks.

use crate::case::Cases;
use crate::drawing::{by_cell, byte, cells, color, into_texture, pick, show};
use crate::scene_builder::{Done, PASS, Quad, SceneBuilder, VARYING};

pub(super) fn add(cases: &mut Cases) {
    const SOURCE: &str = "[context3d.color_mask.draws] [context3d.clear.color_mask]";
    fn draw(s: &mut SceneBuilder, mask: [bool; 4]) -> Done {
        s.program(PASS, VARYING)?;
        s.quads(&cells(|_, _| 0.5, |column, _| pick(column)))?;
        s.color_mask(mask)?;
        s.quads(&cells(|_, _| 0.5, |_, row| pick(row + 3)))
    }
    for bits in 0..16u8 {
        let mask = [0, 1, 2, 3].map(|n| bits >> n & 1 != 0);
        let letters: String = ['r', 'g', 'b', 'a']
            .into_iter()
            .zip(mask)
            .filter_map(|(l, on)| on.then_some(l))
            .collect();
        let word = if letters.is_empty() { "none" } else { &letters };
        // Each channel is the second draw's where the mask is set.
        let picture = move || {
            by_cell(|column, row| {
                let [first, second] = [column, row + 3].map(|number| pick(number).map(byte));
                [0, 1, 2, 3].map(|n| if mask[n] { second[n] } else { first[n] })
            })
        };
        let on_back_buffer = cases.scene(format!("api.color_mask.{word}"), SOURCE, move |s| {
            draw(s, mask)?;
            s.color_mask([true; 4])
        });
        on_back_buffer.expects_pictures(move || vec![picture()]);
        let on_texture = cases.scene(format!("rtt.color_mask.{word}"), SOURCE, move |s| {
            let texture = into_texture(s)?;
            draw(s, mask)?;
            s.color_mask([true; 4])?;
            show(s, texture)
        });
        on_texture.expects_pictures(move || vec![picture()]);
        cases.scene(format!("api.color_mask.clear.{word}"), SOURCE, move |s| {
            draw(s, mask)?;
            s.clear([0.2, 0.4, 0.6, 0.8])?;
            s.quads(&[Quad::flat([6.0, 6.0, 26.0, 26.0], 0.5, color([255, 102, 0, 0]))])?;
            s.color_mask([true; 4])
        });
    }
}
