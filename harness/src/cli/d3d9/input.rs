//! Files, folders and standard input, and the shaders in them.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ::d3d9::{FileKind, Program, Version, file_kind, text};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::{Arg, ArgMatches, value_parser};

use crate::cli::{Failure, folder};

/// Largest file that is read.
const MAX_BYTES: u64 = 16 << 20;
/// Files of a folder that are read.
const EXTENSIONS: [&str; 11] = [
    "bin", "vso", "pso", "o", "fxc", "hex", "b64", "asm", "vsh", "psh", "txt",
];

/// One file: its name, and the shader or what is wrong.
pub(super) struct Input {
    pub(super) name: String,
    /// The file's name without its last ending, for files that are made from it.
    pub(super) stem: String,
    pub(super) shader: Result<Program, String>,
}

/// The argument that names files.
pub(super) fn argument() -> Arg {
    Arg::new("inputs")
        .value_name("FILE")
        .num_args(0..)
        .value_parser(value_parser!(PathBuf))
        .help("Shaders or folders of them; - for standard input [default: -]")
}

/// Reads the argument.
///
/// # Errors
/// What can't be read or is too large.
pub(super) fn read(matches: &ArgMatches) -> Result<Vec<Input>, Failure> {
    let paths = matches.get_many::<PathBuf>("inputs");
    let mut paths: Vec<PathBuf> = paths.into_iter().flatten().cloned().collect();
    if paths.is_empty() {
        paths.push(PathBuf::from("-"));
    }
    let mut inputs = Vec::new();
    for path in paths {
        if path.as_os_str() != "-" && path.is_dir() {
            let files = folder::files(&path, &EXTENSIONS);
            let failed = |error| Failure(format!("{}: {error}", path.display()));
            for file in files.map_err(failed)? {
                inputs.push(one(&file)?);
            }
        } else {
            inputs.push(one(&path)?);
        }
    }
    Ok(inputs)
}

/// Reads one file, or standard input for `-`.
pub(super) fn one(path: &Path) -> Result<Input, Failure> {
    let name = crate::cli::capture::name(path);
    let bytes = bytes(path)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let stem = if stem == "-" || stem.is_empty() {
        "shader"
    } else {
        &stem
    };
    Ok(Input {
        shader: shader(bytes, &name),
        stem: stem.to_owned(),
        name,
    })
}

/// Everything in a file.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = |source: &mut dyn Read| -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = match path.as_os_str() == "-" {
        true => read(&mut io::stdin().lock()),
        false => File::open(path).and_then(|mut file| read(&mut file)),
    };
    let name = crate::cli::capture::name(path);
    let bytes = bytes.map_err(|error| Failure(format!("{name}: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure(format!(
            "{name}: larger than {} MiB",
            MAX_BYTES >> 20
        )));
    }
    Ok(bytes)
}

/// The command that reads a file of another kind.
fn elsewhere(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Agal => "; \"molehill agal\" reads it, \"molehill d3d9 from-agal\" translates it",
        FileKind::Dxbc => "; no command here reads it",
        FileKind::Effect => "; take the shaders out of it first",
        FileKind::Shader(_) | FileKind::OtherVersion(_) | FileKind::Unknown => "",
    }
}

/// The rule of the help text.
fn shader(bytes: Vec<u8>, name: &str) -> Result<Program, String> {
    let kind = file_kind(&bytes);
    let decode = |bytes: &[u8]| {
        let kind = file_kind(bytes);
        let named = |error| format!("{name}: {error}{}", elsewhere(kind));
        Program::decode(bytes).map_err(named)
    };
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) if kind == FileKind::Unknown => text,
        _ => return decode(&bytes),
    };
    if let Some(bytes) = numbers(text) {
        return decode(&bytes);
    }
    let letters: String = text.split_whitespace().collect();
    if let Ok(bytes) = STANDARD.decode(letters)
        && file_kind(&bytes) != FileKind::Unknown
    {
        return decode(&bytes);
    }
    let named = |errors: text::TextErrors| errors.in_file(name).to_string();
    text::assemble(text).map_err(named)
}

/// Hexadecimal digits, or the numbers of a C array.
fn numbers(text: &str) -> Option<Vec<u8>> {
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join(" ");
    // Of an array in C, what stands in its braces.
    let (array, code) = match code.split_once('{') {
        Some((_, rest)) => (true, rest.split('}').next().unwrap_or_default()),
        None => (false, code.as_str()),
    };
    let mut words: Vec<(u32, usize)> = Vec::new();
    for word in code.split(|c: char| c.is_whitespace() || c == ',') {
        if word.is_empty() {
            continue;
        }
        let hex = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        let digits = hex.unwrap_or(word).trim_end_matches(['u', 'U', 'l', 'L']);
        if hex.is_none() && array {
            words.push((digits.parse().ok()?, 0));
        } else if digits.len() > 8 && hex.is_none() && words.is_empty() {
            // One row of digits, or several.
            return bytes_of_digits(code).filter(|bytes| file_kind(bytes) != FileKind::Unknown);
        } else {
            words.push((u32::from_str_radix(digits, 16).ok()?, digits.len()));
        }
    }
    let (first, _) = *words.first()?;
    let as_words: Vec<u8> = words
        .iter()
        .flat_map(|(word, _)| word.to_le_bytes())
        .collect();
    if Version::from_word(first).is_some() || file_kind(&as_words) != FileKind::Unknown {
        return Some(as_words);
    }
    let bytes: Option<Vec<u8>> = words
        .iter()
        .map(|(word, _)| u8::try_from(*word).ok())
        .collect();
    let bytes = bytes.or_else(|| bytes_of_digits(code))?;
    (file_kind(&bytes) != FileKind::Unknown).then_some(bytes)
}

fn bytes_of_digits(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .filter(|c| !c.is_whitespace() && *c != ',')
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    let digits = digits?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty()
        .then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_the_format() {
        let words = [
            0xffff_0200u32,
            0x0200_0001,
            0x800f_0800,
            0xa0e4_0000,
            0xffff,
        ];
        let raw: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let expected = Program::from_words(&words).unwrap();
        let hex: String = raw.iter().map(|byte| format!("{byte:02x}")).collect();
        let spaced: Vec<String> = raw.iter().map(|byte| format!("{byte:02X}")).collect();
        let list: Vec<String> = words.iter().map(|word| format!("0x{word:08X}")).collect();
        let plain: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
        let decimal: Vec<String> = raw.iter().map(u8::to_string).collect();
        for text in [
            hex,
            spaced.join(" "),
            list.join(", "),
            plain.join("\n"),
            format!(
                "const DWORD ps[] = {{ // ps_2_0\n  {}\n}};",
                list.join(", ")
            ),
            format!("const BYTE ps[] =\n{{\n  {}\n}};", decimal.join(", ")),
            STANDARD.encode(&raw),
            "ps_2_0\nmov oC0, c0".to_owned(),
        ] {
            assert_eq!(
                shader(text.clone().into_bytes(), "x"),
                Ok(expected.clone()),
                "{text}"
            );
        }
        assert_eq!(shader(raw, "x"), Ok(expected));
        let wrong = |bytes: &[u8]| shader(bytes.to_vec(), "x").unwrap_err();
        assert!(wrong(b"DXBC\0\0\0\0").contains("DXBC"));
        assert!(wrong(&[0xa0, 1, 0, 0, 0, 0xa1, 0]).contains("molehill agal"));
        assert!(
            wrong(b"ps_2_0\nmvo r0")
                .contains("x:2:1: unknown instruction `mvo`; did you mean `mov`?")
        );
        assert!(wrong(b"").contains("no bytes") || wrong(b"").contains("a version"));
    }
}
