//! Memory of hostile blocks.

use super::*;

/// Peak resident memory of this process in bytes; `None` where there is no procfs.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mut lines = status.lines();
    let kilobytes = lines.find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = kilobytes.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// Payloads without content, as many as fit, in a process of their own: some kilobytes of zstd.
#[test]
fn empty_payloads_take_little_memory() {
    let this = std::env::current_exe().unwrap();
    let output = std::process::Command::new(this)
        .args(["--ignored", "--exact", "binary::read::tests::payloads_without_content"])
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
    let count = BYTES / ENTRY;
    let mut block = Vec::with_capacity(BYTES + ENTRY);
    crate::binary::put(count as u64, &mut block);
    let entry = [&[0][..], &content(&[]).to_le_bytes()].concat();
    (0..count).for_each(|_| block.extend(&entry));
    let bytes = block.len();
    let before = peak();
    let block = PayloadBlock::parse(0, block).unwrap();
    let Some((before, after)) = before.zip(peak()) else {
        println!("skipped: no /proc/self/status");
        return;
    };
    assert!(after - before < BYTES / 3, "{} bytes", after - before);
    assert!(block.size() < bytes + BYTES / 3);
    assert_eq!(block.range(count - 1), Some(bytes..bytes));
    assert_eq!(block.range(count), None);
}
