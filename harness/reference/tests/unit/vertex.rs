use super::*;

#[test]
fn formats_are_completed() {
    let mut keys: slotmap::SlotMap<context3d::keys::VertexBufferKey, ()> =
        slotmap::SlotMap::with_key();
    let buffer = keys.insert(());
    let mut data: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    data.extend([0, 51, 102, 255]);
    let read = |format, divisor, offset, index, instance| {
        let fetch = Fetch {
            register: 0,
            data: &data,
            stream: Stream { buffer, offset, stride: 16, format, divisor },
        };
        fetch.read(VertexId { index, instance })
    };
    assert_eq!(read(VertexFormat::Float1, 0, 4, 1, 9), [6.0, 0.0, 0.0, 1.0]);
    assert_eq!(read(VertexFormat::Float2, 0, 0, 0, 9), [1.0, 2.0, 0.0, 1.0]);
    assert_eq!(read(VertexFormat::Float3, 2, 0, 9, 3), [5.0, 6.0, 7.0, 1.0]);
    assert_eq!(read(VertexFormat::Float4, 0, 0, 1, 0), [5.0, 6.0, 7.0, 8.0]);
    assert_eq!(read(VertexFormat::Bytes4, 0, 32, 0, 0), [0.0, 0.2, 0.4, 1.0]);
    // Bytes past the end of the buffer are zero.
    assert_eq!(read(VertexFormat::Float4, 0, 0, 65535, 0), [0.0; 4]);
    assert_eq!(read(VertexFormat::Bytes4, 0, 0, 65535, 0), [0.0; 4]);
    assert_eq!(read(VertexFormat::Float2, 0, 0, 65535, 0), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(read(VertexFormat::Float3, 0, 8, 1, 0)[..2], [7.0, 8.0]);
    assert_eq!(read(VertexFormat::Float3, 0, 24, 0, 0)[0], 7.0);
}
