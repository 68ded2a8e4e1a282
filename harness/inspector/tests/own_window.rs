//! Runs `own_window` under a window system and checks the window's last content. Prints the picture's path.

use std::error::Error;
use std::path::Path;

use molehill_replay::image::read_png;

#[path = "../examples/own_window.rs"]
#[allow(dead_code, reason = "its `main`")]
mod own_window;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own_window.png");
    own_window::run(Some(40), Some(&path))?;
    let picture = read_png(&path)?;
    println!("{}", path.display());
    let [_, (width, height)] = own_window::SIZES;
    let size = (picture.width(), picture.height());
    assert_eq!(size, (width, height), "the window has grown");
    let (blue, green) = ([0, 0, 128], [0, 128, 0]);
    let (violet, yellow, orange) = ([102, 0, 102], [255, 255, 0], [255, 128, 0]);
    for (x, y, color, what) in [
        (5, 5, blue, "the background, above"),
        (width - 5, 5, blue, "the background, above"),
        (5, height - 30, green, "the background, below"),
        (38, 140, blue, "left of Molehill's picture"),
        (42, 42, violet, "Molehill's picture"),
        (width - 42, height - 42, violet, "Molehill's picture"),
        (width / 2, height / 2, yellow, "the triangle"),
        (width / 2, height - 10, orange, "the bar"),
        (5, height - 2, orange, "the bar"),
    ] {
        let pixel = picture.pixel(x, y).ok_or("inside")?;
        let near = pixel.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 2);
        assert!(near, "{what} at {x}, {y} is {pixel:?}, not {color:?}");
    }
    Ok(())
}
