use super::*;

#[test]
fn the_format_can_be_said() {
    let of = |bytes: &[u8], format| {
        let (read, _) = FORMATS.into_iter().find(|(_, name)| *name == format).unwrap();
        read(bytes.to_vec())
    };
    assert_eq!(of(b"0b 01", "hex"), Ok(InputContent::Bytes(vec![0x0b, 1])));
    assert_eq!(of(b"b001", "raw"), Ok(InputContent::Bytes(b"b001".to_vec())));
    assert_eq!(of(b"a001", "text"), Ok(InputContent::Text("a001".to_owned())));
    assert_eq!(of(b"AAEC", "base64"), Ok(InputContent::Bytes(vec![0, 1, 2])));
    assert!(of(b"b0z1", "hex").is_err());
    assert!(of(b"b00", "hex").is_err());
    assert!(of(b"*", "base64").is_err());
    assert!(of(&[0xff], "text").is_err());
}

#[test]
fn bytes_tell_the_language() {
    for (bytes, language) in [
        (&[0xa0, 1, 0, 0, 0, 0xa1, 1][..], ShaderForm::Agal),
        (&[0xa0, 9], ShaderForm::Agal),
        (&[0, 2, 0xff, 0xff, 0xff, 0xff, 0, 0], ShaderForm::D3d9),
        // A later error message names the version, ps_4_0.
        (&[0, 4, 0xff, 0xff], ShaderForm::D3d9),
        (b"DXBC\x01\0\0\0", ShaderForm::Hs50),
    ] {
        assert_eq!(language_of_bytes(bytes), Ok(language), "{bytes:?}");
    }
    for (bytes, what) in [
        (&[1, 9, 0xff, 0xfe][..], "effect (fx_2_0); extract its shaders first"),
        (b"\x89PNG\r\n\x1a\n", "not a shader"),
        (b"", "not a shader"),
    ] {
        assert!(language_of_bytes(bytes).unwrap_err().contains(what), "{bytes:?}");
    }
}

#[test]
fn texts_tell_the_language() {
    for (text, language) in [
        ("mov oc, v0", ShaderForm::Agal),
        ("// version: 2\n// fragment\nmov oc, v0", ShaderForm::Agal),
        ("", ShaderForm::Agal),
        ("\u{feff}// by hand\n\n  PS_2_0 // comment\nmov oC0, c0", ShaderForm::D3d9),
        ("vs.1.1\n", ShaderForm::D3d9),
        ("; comment\nps_2_x", ShaderForm::D3d9),
        ("// Input signature:\n//\nhs_5_0\nhs_decls", ShaderForm::Hs50),
        ("vs_5_0\nret", ShaderForm::Hs50),
    ] {
        assert_eq!(language_of_text(text), language, "{text:?}");
    }
}
