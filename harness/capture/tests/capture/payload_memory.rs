//! Tests the memory use of reading hostile blocks.

use std::io::Cursor;

use super::samples::{line, prologue};
use super::write_as;
use molehill_capture::data::ByteArray;
use molehill_capture::objects::ObjectKind;
use molehill_capture::{Call, CaptureReader, CaptureRecord, Form};
use twox_hash::{XxHash3_64, XxHash3_128};

/// Returns the peak resident memory of this process in bytes; `None` without procfs.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mut lines = status.lines();
    let kilobytes = lines.find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = kilobytes.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// Reads a block with the maximum number of empty payloads, which is some kilobytes of zstd, in a separate process.
#[test]
fn empty_payloads_take_little_memory() {
    let this = std::env::current_exe().unwrap();
    let output = std::process::Command::new(this)
        .args(["--ignored", "--exact", "payload_memory::payloads_without_content"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "a process of its own, started by the test above"]
fn payloads_without_content() {
    const BYTES: usize = 64 << 20;
    const ENTRY: usize = 17;
    const HEAD: usize = 40;
    // The program's bytecode is payload 0.
    let vertex_program = ByteArray::from(vec![7; 1000]);
    let call = Call::ProgramUpload { vertex_program, fragment_program: ByteArray(None) };
    let records =
        [prologue(), vec![CaptureRecord::Call(line(ObjectKind::Program3D, call, None))]].concat();
    let file = write_as(&records, Form::Binary);
    let starts = file.windows(5).enumerate();
    let starts: Vec<usize> =
        starts.filter(|(_, bytes)| bytes.starts_with(b"S3Db")).map(|(at, _)| at).collect();
    let [_, payloads, next, ..] = starts[..] else { panic!("{starts:?}") };
    assert_eq!(file[payloads + 4], 3);
    // Maximum number of payloads in a block, as LEB128. The block is built in one allocation, to keep the peak low.
    let count = BYTES / ENTRY;
    let last = [false, false, false, true];
    let leb = (0..).step_by(7).zip(last).map(|(shift, last)| {
        let [byte, ..] = (count >> shift).to_le_bytes();
        if last { byte & 0x7f } else { byte | 0x80 }
    });
    let entry = [&[0][..], &XxHash3_128::oneshot(&[]).to_le_bytes()].concat();
    let content = payloads + HEAD;
    let mut hostile = Vec::with_capacity(BYTES + file.len() + HEAD);
    hostile.extend(&file[..content]);
    hostile.extend(leb);
    (0..count).for_each(|_| hostile.extend(&entry));
    let bytes = hostile.len() - content;
    let length = u32::try_from(bytes).unwrap().to_le_bytes();
    let hash = XxHash3_64::oneshot(&hostile[content..]).to_le_bytes();
    let head = [b"S3Db\x03\0\0\0", &length[..], &length, &[0; 8], &hash].concat();
    let hash = XxHash3_64::oneshot(&head).to_le_bytes();
    hostile[payloads..content].copy_from_slice(&[head, hash.to_vec()].concat());
    hostile.extend(&file[next..]);
    let mut reader = CaptureReader::seekable(Cursor::new(hostile)).unwrap();
    let before = peak();
    let Some(Ok((_, CaptureRecord::Call(read)))) = reader.by_ref().take(records.len()).last()
    else {
        panic!("a call");
    };
    let Some((before, after)) = before.zip(peak()) else {
        assert!(std::env::var_os("MOLEHILL_REQUIRE_TOOLS").is_none(), "no /proc/self/status");
        println!("skipped: no /proc/self/status");
        return;
    };
    let Call::ProgramUpload { vertex_program, .. } = &read.call else { panic!("{read:?}") };
    assert!(vertex_program.0.as_ref().unwrap().bytes.is_empty());
    // Expected memory: the block's content, and the positions of its payloads.
    assert!(after - before < bytes + bytes / 3, "{} bytes", after - before);
}
