//! Tests the served paths, and the received reports.

use super::*;

#[test]
fn paths_stay_in_their_folder() {
    let server = PageServer {
        folder: "pages".into(),
        more: vec![("captures".to_owned(), "elsewhere".into())],
        out: None,
    };
    let file = |path| server.file(path);
    assert_eq!(file("/a.html"), Some("pages/a.html".into()));
    assert_eq!(file("/captures/b"), Some("elsewhere/b".into()));
    assert_eq!(file("/captures"), Some("elsewhere".into()));
    assert_eq!((file("/../x"), file("/a/../../x")), (None, None));
}

#[test]
fn reports_arrive() {
    let (sender, events) = std::sync::mpsc::channel();
    let out = std::env::temp_dir().join(format!("molehill-browser-test-{}", std::process::id()));
    let server = PageServer { folder: "nowhere".into(), more: Vec::new(), out: Some(out.clone()) };
    let port = server.start(sender).unwrap();
    let ask = |request: &str| {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let post = |path: &str| ask(&format!("POST {path} HTTP/1.1\r\ncontent-length: 2\r\n\r\nhi"));
    assert!(post("/report/a.txt").starts_with("HTTP/1.1 200"));
    assert_eq!(std::fs::read(out.join("a.txt")).unwrap(), b"hi");
    for wrong in ["/report/../a", "/other/a", "/report?failing=x", "/report?failing=0", "/report/"]
    {
        assert!(post(wrong).starts_with("HTTP/1.1 500"), "{wrong}");
    }
    assert!(ask("GET /x HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
    for (counts, failing, text) in [
        ("failing=3&compared=9", 3, "hi"),
        ("failing=0&compared=9", 0, "hi"),
        ("failing=0&compared=0", 1, "hinot tested: no result was compared\n"),
    ] {
        assert!(post(&format!("/report?{counts}")).starts_with("HTTP/1.1 200"));
        let Ok(PageEvent::Report(failed, said)) = events.recv() else {
            panic!("no report");
        };
        assert_eq!((failed, said.as_str()), (failing, text), "{counts}");
    }
    std::fs::remove_dir_all(out).unwrap();
}
