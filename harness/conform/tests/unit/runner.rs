use super::*;

#[test]
fn messages_have_the_form_of_their_templates() {
    for (message, template, has) in [
        ("a b c", "a %1 c", true),
        ("a b", "a %1", true),
        ("a b c", "a b c", true),
        ("a b d", "a %1 c", false),
        ("a b c d", "a %1 c", false),
        ("x b c", "a %1 c", false),
        ("a b", "a c", false),
    ] {
        assert_eq!(has_form(message, template), has, "{message} / {template}");
    }
}

#[test]
fn only_a_missing_extension_is_a_missing_feature() {
    let rows = [
        (ShaderRunError::Missing("GL_X"), true),
        (ShaderRunError::Backend(BackendError::Lost), false),
        (ShaderRunError::Input("no context".to_owned()), false),
    ];
    for (error, missing) in rows {
        let found = unopened(&error);
        let expected = (missing.then(|| error.to_string()), !missing);
        assert_eq!((found.missing, found.failures == [error.to_string()]), expected);
    }
}
