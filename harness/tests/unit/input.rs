use super::*;

#[test]
fn content_tells_the_format() {
    let programs: [(&[u8], &[&str]); 3] = [
        (
            &[0xa0, 1, 0, 0, 0, 0xa1, 0, 0x18],
            &["A0 01000000,\n0xa1 00 18\n", "oAEA\r\nAACh ABg=\n"],
        ),
        (
            &[0, 2, 0xff, 0xff, 1, 0, 0, 2],
            &[
                "0xFFFF0200, 0x02000001",
                "ffff0200\n02000001",
                "const DWORD ps[] = { // ps_2_0\n 0xffff0200, 0x02000001\n};",
                "const BYTE ps[] =\n{\n 0, 2, 255, 255, 1, 0, 0, 2\n};",
                "0, 2, ff, ff, 1, 0, 0, 2",
            ],
        ),
        (
            b"DXBC\x01\0\0\0",
            &["0x43425844 0x1", "static const BYTE b[] = { 68, 88, 66, 67, 1u, 0, 0, 0 };"],
        ),
    ];
    for (program, texts) in programs {
        let expected = InputContent::Bytes(program.to_vec());
        let own = [to_hex(program), to_base64(program), to_hex(program).to_uppercase()];
        let texts = texts.iter().copied().chain(own.iter().map(String::as_str));
        for text in texts {
            assert_eq!(recognise(text.as_bytes().to_vec()), expected, "{text}");
        }
        assert_eq!(recognise(program.to_vec()), expected);
    }
    // Text isn't a program merely because it consists of hexadecimal digits.
    for text in ["add fc0, fc0, fc0", "", "b0 1", "\u{feff}mov ä\x0b"] {
        let content = recognise(text.as_bytes().to_vec());
        assert_eq!(content, InputContent::Text(text.to_owned()));
    }
    for bytes in [&[0xb0, 1][..], b"junk\0"] {
        assert_eq!(recognise(bytes.to_vec()), InputContent::Bytes(bytes.to_vec()));
    }
}

#[test]
fn hex_is_two_digits_a_byte() {
    assert_eq!(to_hex(&[0, 0xa1, 0xff]), "00a1ff");
    assert_eq!(from_hex("b0z1"), None);
    assert_eq!(from_hex("b00"), None);
}

#[test]
fn stems_have_no_endings() {
    for (path, expected) in [("a/light.vsh.agal", "light"), ("-", "x"), (".hidden", "x")] {
        assert_eq!(stem(Path::new(path), "x"), expected);
    }
}

#[test]
fn words_are_read_again() {
    for bytes in [&[0, 2, 0xff, 0xff, 1, 0, 0, 2][..], &[0xa0, 1, 0, 0, 0, 0xa1, 0]] {
        assert_eq!(recognise(to_words(bytes).into_bytes()), InputContent::Bytes(bytes.to_vec()));
    }
}
