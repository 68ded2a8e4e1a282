//! Measures the memory allocations of decoding, assembling, verifying, linking and translation to GLSL: allocations per
//! program, and allocated bytes per token.
//!
//! The benchmark `compile` measures the time in a separate binary, because counting allocations slows the steps down.

mod pairs;

use agal::generate::ProgramPair;
use agal::glsl::{Dialect, GlslOptions, emit};
use agal::{Endian, Program, Stage, asm, link, validate};

const TARGET: GlslOptions = GlslOptions::new(Dialect::Glsl330);

fn main() {
    println!(
        "{:<12} {:<9} {:>20} {:>14}",
        "programs", "step", "allocations/program", "bytes/token"
    );
    for set in pairs::sets() {
        let pairs = &set.pairs;
        // The lists of results are allocated here, so that their allocations are not counted.
        let mut decoded = Vec::with_capacity(pairs.len());
        let mut valid = Vec::with_capacity(pairs.len());
        let mut linked = Vec::with_capacity(pairs.len());
        let bytes = pairs.iter().map(|pair| [pair.vertex.encode(), pair.fragment.encode()]);
        let bytes: Vec<_> = bytes.collect();
        let texts: Vec<String> = pairs.iter().map(ProgramPair::to_string).collect();

        report(&set, "decode", || {
            decoded.extend(bytes.iter().map(|[vertex, fragment]| {
                let decode = |bytes: &[u8], stage| Program::decode(bytes, Endian::Little, stage);
                (decode(vertex, Stage::Vertex), decode(fragment, Stage::Fragment))
            }));
        });
        report(&set, "validate", || {
            valid.extend(decoded.drain(..).zip(pairs).map(|((vertex, fragment), pair)| {
                let vertex = validate(vertex.expect("decodes"), Stage::Vertex, &pair.rules);
                let fragment = validate(fragment.expect("decodes"), Stage::Fragment, &pair.rules);
                (vertex.expect("is legal"), fragment.expect("is legal"))
            }));
        });
        report(&set, "link", || {
            let pairs = valid.drain(..);
            linked.extend(pairs.map(|(vertex, fragment)| link(vertex, fragment).expect("links")));
        });
        report(&set, "emit", || {
            for pair in &linked {
                let _ = std::hint::black_box(emit(pair, &TARGET));
            }
        });
        report(&set, "assemble", || {
            for text in &texts {
                std::hint::black_box(
                    asm::AssembleOptions::default().pair(text).expect("assembles"),
                );
            }
        });
    }
}

fn report(set: &pairs::Set, step: &str, work: impl FnOnce()) {
    let counted = allocation_counter::measure(work);
    let programs = set.pairs.len() * 2;
    println!(
        "{:<12} {:<9} {:>20.2} {:>14.1}",
        set.name,
        step,
        counted.count_total as f64 / programs as f64,
        counted.bytes_total as f64 / set.tokens() as f64,
    );
}
