use super::*;

#[test]
fn codes_are_complete_and_unambiguous() {
    for alphabet in [&FOUR, &FIVE, &SIX, &SEVEN, &EIGHT, &NINE, &TWELVE] {
        for code in alphabet.codes {
            let mut spans = [0u32; 16];
            for entry in code {
                assert_ne!(entry.length, 0, "a prefix without symbol");
                spans[usize::from(entry.symbol)] += 1;
            }
            // If codes overlapped, some prefixes would have no symbol.
            for entry in code {
                assert_eq!(spans[usize::from(entry.symbol)], 256 >> entry.length);
            }
        }
        let rows = alphabet.deltas.len();
        assert_eq!(rows, if alphabet.two { alphabet.codes.len() - 1 } else { 1 });
    }
}
