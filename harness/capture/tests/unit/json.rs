//! Tests the parsing of a line's values.

use super::*;

#[test]
fn borrows_and_takes_the_last_of_repeated_keys() {
    let Json::Object(mut object) = parse(br#"{"a":"x","b":-1,"a":[1.5,null]}"#).unwrap() else {
        panic!("an object");
    };
    let list = Json::List(vec![Json::Float(1.5), Json::Null]);
    assert_eq!(object.get("a"), Some(&list));
    assert_eq!(object.take("a", ""), Some(list));
    assert_eq!(object.get("b"), Some(&Json::Integer(-1)));
    assert_eq!(object.get("c"), None);
    assert_eq!(object.take("", "c"), None);
    assert!(matches!(parse(br#""abc""#), Ok(Json::Text(Cow::Borrowed("abc")))));
}
