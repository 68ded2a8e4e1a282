//! The backend layer [`EnhancedBackend`]: options from environment variables, and texture files in folders.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use context3d::backend::Backend;
pub use context3d_layers::EnhancedBackend;
use context3d_layers::Enhancements;
use context3d_layers::enhanced::{FirstUpload, Replacement, TextureSource, VARIABLES};
use twox_hash::XxHash3_64;

use crate::output::MessageTarget;
use crate::png;

/// Maximum bytes of texels that are written to a folder.
const MAX_DUMPED: usize = 1 << 30;
/// Maximum number of files that are used from a folder of textures.
const MAX_FILES: usize = 100_000;

/// The options for images in higher quality than Flash's: those of [`EnhancedBackend`], and the folders of texture
/// files.
///
/// # Folders
/// A file is named `WIDTHxHEIGHT-HASH.png`: the texture's size, and the XXH3-64 of level 0 as B, G, R, A bytes, rows
/// from the top, in 16 hexadecimal digits. Block-compressed textures (ATF) are decoded first. The pixels are the texels
/// as uploaded: premultiplied, if the program premultiplies. The folders contain no files for cube textures and
/// half-float textures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sharpness {
    /// The options of the layer [`EnhancedBackend`].
    pub options: Enhancements,
    /// Folder into which each uploaded texture is written, up to 1 GiB of texels.
    pub dump: Option<PathBuf>,
    /// Folder with replacement textures: a file replaces the texture with its name. A replacement's width and height
    /// must be the same multiple of the texture's; smaller mip levels are generated. A damaged file is ignored.
    pub textures: Option<PathBuf>,
}

/// Wraps a host's backend in [`EnhancedBackend`], with the options from the [environment
/// variables](context3d_layers::enhanced::VARIABLES). Without options, the layer only forwards packets. An invalid
/// value is reported on standard error and ignored.
pub fn enhanced_from_env<B: Backend>(below: B) -> EnhancedBackend<B> {
    static ENVIRONMENT: LazyLock<Sharpness> = LazyLock::new(Sharpness::from_env);
    ENVIRONMENT.over(below)
}

impl Sharpness {
    /// Reads the [variables](context3d_layers::enhanced::VARIABLES). Reports an invalid value on standard error and
    /// ignores it.
    pub fn from_env() -> Sharpness {
        let [.., (dump, ..), (textures, ..)] = VARIABLES;
        let options = Enhancements::from_variables(|name| std::env::var(name).ok());
        let options = options.unwrap_or_else(|error| {
            MessageTarget::User.tell(&format_args!("{error}; the images are not enhanced"));
            Enhancements::default()
        });
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
        Sharpness { options, dump: folder(dump), textures: folder(textures) }
    }

    /// Wraps a backend in [`EnhancedBackend`]. A folder that can't be read is reported on standard error.
    pub fn over<B: Backend>(&self, below: B) -> EnhancedBackend<B> {
        let source = (self.dump.is_some() || self.textures.is_some())
            .then(|| Box::new(Folders::open(self)) as Box<dyn TextureSource>);
        EnhancedBackend::new(below, self.options, source)
    }
}

type EnhancedSize = (u32, u32);

/// The dump and replacement folders of a [`Sharpness`], and the files in them.
#[derive(Debug, Default)]
struct Folders {
    dump: Option<PathBuf>,
    dumped: BTreeSet<(EnhancedSize, u64)>,
    dumped_bytes: usize,
    /// Replacement files by texture size and hash. A texture is hashed only if there is a file of its size.
    files: BTreeMap<EnhancedSize, BTreeMap<u64, PathBuf>>,
}

/// Returns the size and the hash in a file's name.
fn parsed(path: &Path) -> Option<(EnhancedSize, u64)> {
    let name = path.file_name()?.to_str()?.strip_suffix(".png")?;
    let (size, hash) = name.split_once('-')?;
    let hash = (hash.len() == 16).then(|| u64::from_str_radix(hash, 16).ok())??;
    Some((crate::pair(size, 'x')?, hash))
}

impl Folders {
    fn open(sharpness: &Sharpness) -> Folders {
        let mut folders = Folders { dump: sharpness.dump.clone(), ..Folders::default() };
        let Some(folder) = &sharpness.textures else { return folders };
        let entries = fs::read_dir(folder)
            .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).take(MAX_FILES));
        match entries {
            Ok(paths) => {
                for (path, (size, hash)) in
                    paths.filter_map(|path| Some((path.clone(), parsed(&path)?)))
                {
                    folders.files.entry(size).or_default().insert(hash, path);
                }
            }
            Err(error) => {
                let folder = folder.display();
                MessageTarget::User
                    .tell(&format_args!("the texture folder {folder} can't be read: {error}"));
            }
        }
        folders
    }

    fn dump(&mut self, size: EnhancedSize, hash: u64, bgra: &[u8]) {
        let Some(folder) = &self.dump else { return };
        if !self.dumped.insert((size, hash)) {
            return;
        }
        self.dumped_bytes = self.dumped_bytes.saturating_add(bgra.len());
        let written = if self.dumped_bytes > MAX_DUMPED {
            Err("1 GiB of textures was written; further textures are not written".to_owned())
        } else {
            write(&folder.join(format!("{}x{}-{hash:016x}.png", size.0, size.1)), size, bgra)
        };
        if let Err(error) = written {
            MessageTarget::User.tell(&format_args!("{}: {error}", folder.display()));
            self.dump = None;
        }
    }
}

fn write(path: &Path, size: EnhancedSize, bgra: &[u8]) -> Result<(), String> {
    if path.exists() {
        return Ok(());
    }
    let text = |error: std::io::Error| error.to_string();
    let rgba = swapped(bgra.to_vec());
    // The file is first written under another name, so that a file with the final name is complete.
    let part = path.with_extension("part");
    let mut output = BufWriter::new(fs::File::create(&part).map_err(text)?);
    png::encode(&mut output, size, &rgba).map_err(|error| error.to_string())?;
    output.flush().map_err(text)?;
    fs::rename(part, path).map_err(text)
}

/// Swaps the first and the third byte of each pixel.
fn swapped(mut pixels: Vec<u8>) -> Vec<u8> {
    pixels.as_chunks_mut::<4>().0.iter_mut().for_each(|pixel| pixel.swap(0, 2));
    pixels
}

fn read(path: &Path, size: EnhancedSize) -> Result<Replacement, String> {
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    let (width, height, rgba) =
        png::decode(BufReader::new(file)).map_err(|error| error.to_string())?;
    let times = width.checked_div(size.0).unwrap_or(0);
    if times == 0 || (size.0.saturating_mul(times), size.1.saturating_mul(times)) != (width, height)
    {
        return Err(format!(
            "{width}×{height} is not a multiple of the texture's size, {}×{}",
            size.0, size.1
        ));
    }
    Ok(Replacement { width, height, bgra: swapped(rgba) })
}

impl TextureSource for Folders {
    fn replace(&mut self, upload: &FirstUpload<'_>) -> Option<Replacement> {
        let size = (upload.width, upload.height);
        if self.dump.is_none() && !self.files.contains_key(&size) {
            return None;
        }
        let bgra = upload.bgra()?;
        let hash = XxHash3_64::oneshot(&bgra);
        self.dump(size, hash, &bgra);
        let files = self.files.get_mut(&size)?;
        match read(files.get(&hash)?, size) {
            Ok(replacement) => Some(replacement),
            Err(error) => {
                let path = files.remove(&hash)?;
                let text =
                    format_args!("{}: {error}; the program's texture is used", path.display());
                MessageTarget::User.tell(&text);
                None
            }
        }
    }
}
