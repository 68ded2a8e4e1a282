//! Rules for comments: a subject and a verb, the field's words, and no repetition of a name.

/// Words that must not begin a comment, because the sentence would lack a proper subject.
const FIRST: [&str; 11] =
    ["What", "Who", "Whatever", "Whether", "Of", "Not", "Else", "Until", "Before", "As", "Nothing"];

/// Phrases that comments must not contain, with their replacements and the reasons.
const REPLACED: [(&str, &str, &str); 8] = [
    ("in the place of", "instead of", "a place is a position or an offset"),
    ("in turns", "alternately", "a foreign idiom"),
    ("of all together", "in total", "a foreign idiom"),
    ("otherwise than by", "except by", "a foreign idiom"),
    ("so many", "this many", "a foreign idiom"),
    ("small picture", "thumbnail", "the field has a word"),
    ("form error", "encoding error", "a form is a file format"),
    ("rasterise", "rasterize", "one spelling"),
];

/// A paragraph of a comment.
struct Paragraph<'a> {
    /// The 1-based line of the file.
    line: usize,
    marker: &'a str,
    text: String,
    lines: usize,
}

/// Returns the marker and the text of a line that only consists of a comment.
fn comment(line: &str) -> Option<(&str, &str)> {
    let marker = ["////", "///", "//!", "//"].into_iter().find(|it| line.starts_with(it))?;
    Some((&line[..marker.len()], line[marker.len()..].trim()))
}

fn paragraphs<'a>(lines: &[&'a str]) -> Vec<Paragraph<'a>> {
    let mut found: Vec<Paragraph<'a>> = Vec::new();
    let mut goes_on = false;
    for (number, line) in lines.iter().enumerate() {
        match comment(line).filter(|(_, text)| !text.is_empty()) {
            Some((marker, text)) => match found.last_mut() {
                Some(last) if goes_on && last.marker == marker => {
                    last.text += " ";
                    last.text += text;
                    last.lines += 1;
                }
                _ => {
                    let text = text.to_owned();
                    found.push(Paragraph { line: number + 1, marker, text, lines: 1 });
                    goes_on = true;
                }
            },
            None => goes_on = false,
        }
    }
    found
}

/// Returns a comment's words without code, in lower case and separated by single spaces.
fn words(text: &str) -> Vec<String> {
    let prose = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let words = prose.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Returns the words in the name of the item that a line of code declares.
fn item(code: &str) -> Vec<String> {
    const BEFORE: [&str; 18] = [
        "pub",
        "crate",
        "super",
        "const",
        "static",
        "async",
        "unsafe",
        "extern",
        "fn",
        "struct",
        "enum",
        "union",
        "trait",
        "type",
        "mod",
        "macro_rules",
        "mut",
        "r",
    ];
    let mut parts = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let name = parts.find(|part| !part.is_empty() && !BEFORE.contains(part)).unwrap_or_default();
    let mut spaced = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !spaced.ends_with(|last: char| last.is_uppercase()) {
            spaced.push(' ');
        }
        spaced.push(letter);
    }
    words(&spaced.replace('_', " "))
}

/// Returns whether a doc comment of one line only repeats the name of its item.
fn repeats_the_name(paragraph: &Paragraph<'_>, lines: &[&str]) -> bool {
    let is_alone = |line: Option<&&str>| line.is_none_or(|line| comment(line).is_none());
    let before = paragraph.line.checked_sub(2).and_then(|before| lines.get(before));
    let after = &lines[paragraph.line..];
    let is_short = paragraph.marker == "///" && paragraph.lines == 1;
    if !is_short || !is_alone(before) || !is_alone(after.first()) || paragraph.text.contains('`') {
        return false;
    }
    let mut said = words(&paragraph.text);
    said.retain(|word| !["the", "a", "an", "its"].contains(&&**word));
    let code = after.iter().find(|line| !line.starts_with("#["));
    code.is_some_and(|code| item(code) == said)
}

/// Returns the lines of a source file that violate rules, with the rules.
fn violations(source: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let mut found = Vec::new();
    for paragraph in paragraphs(&lines) {
        let first = paragraph.text.split(|letter: char| !letter.is_alphabetic()).next();
        if let Some(first) = first.filter(|first| FIRST.contains(first)) {
            let rule = "begin with the subject, a verb, or a condition";
            found.push((paragraph.line, format!("the comment begins with \"{first}\": {rule}")));
        }
        let prose = format!(" {} ", words(&paragraph.text).join(" "));
        for (phrase, instead, why) in REPLACED {
            if prose.contains(&format!(" {phrase}")) {
                found.push((paragraph.line, format!("\"{phrase}\": say \"{instead}\" ({why})")));
            }
        }
        if repeats_the_name(&paragraph, &lines) {
            let rule = "say more (unit, range, invariant), or delete the comment";
            found.push((paragraph.line, format!("the comment only repeats the name: {rule}")));
        }
    }
    found
}

#[test]
fn comments_follow_the_rules() {
    let (mut files, mut found) = (0, Vec::new());
    for (path, source) in super::sources() {
        files += 1;
        let path = path.display();
        let violations = violations(&source).into_iter();
        found.extend(violations.map(|(line, rule)| format!("{path}:{line}: {rule}")));
    }
    assert!(files > 500, "{files}");
    assert!(found.is_empty(), "{} comments:\n{}", found.len(), found.join("\n"));
}

#[test]
fn violations_are_noticed() {
    let source = "//! The numbers of lines.\n//!\n//! What is refused.\n\n/// The front buffer.\n#[derive(Debug)]\n\
        pub(crate) struct FrontBuffer {\n    /// Its `Boolean`.\n    boolean: bool,\n    /// The width\n    /// in pixels.\n    width: u32,\n}\n\n\
        // Draws in\n// turns. Before is allowed here.\nfn draw() {} // Of no line of its own.\n";
    let found: Vec<usize> = violations(source).into_iter().map(|(line, _)| line).collect();
    assert_eq!(found, [3, 5, 15]);
}
