//! Tests opening a device by name and kind.

use backend_wgpu::{AdapterSelector, OpenError, describe, open};

#[test]
fn the_software_adapter_is_found_by_kind_and_by_name() {
    let software = open(AdapterSelector::Software).expect("a software adapter, such as lavapipe");
    let name = describe(&software.adapter.get_info());
    assert!(open(AdapterSelector::Named(&name.to_uppercase())).is_ok(), "{name}");
    let Err(OpenError::NoAdapter(found)) = open(AdapterSelector::Named("no such adapter")) else {
        panic!("an adapter without a fitting name")
    };
    assert!(found.contains(&name), "{found}");
}
