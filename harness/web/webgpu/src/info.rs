//! Reads the browser's description of its WebGPU adapter, which wgpu doesn't provide.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The description of the adapter, and the browser's name.
pub(crate) struct AdapterSummary {
    pub(crate) name: String,
    pub(crate) browser: String,
}

/// Returns a property of a JavaScript object; `undefined` if there is none.
fn get(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

/// Returns the description of the adapter that [`open`](crate::open) uses.
pub(crate) async fn of_adapter() -> Result<AdapterSummary, String> {
    let navigator = get(&js_sys::global(), "navigator");
    let gpu = get(&navigator, "gpu");
    let request = get(&gpu, "requestAdapter").dyn_into::<Function>();
    let request = request.map_err(|_| "the browser has no WebGPU for this page")?;
    let adapter = request.call0(&gpu).and_then(|promise| promise.dyn_into::<Promise>());
    let adapter = match adapter {
        Ok(promise) => JsFuture::from(promise).await,
        Err(error) => Err(error),
    };
    let adapter = adapter.map_err(|error| format!("WebGPU returned no adapter: {error:?}"))?;
    if adapter.is_null() {
        return Err("WebGPU returned no adapter".to_owned());
    }
    let info = get(&adapter, "info");
    let words = ["vendor", "architecture", "description"].map(|name| get(&info, name).as_string());
    let words: Vec<_> = words.into_iter().flatten().filter(|word| !word.is_empty()).collect();
    let browser = get(&navigator, "userAgent").as_string().unwrap_or_default();
    Ok(AdapterSummary { name: words.join(" "), browser })
}

/// Waits until the browser has run its pending tasks.
pub(crate) async fn next_task() {
    let later = Promise::new(&mut |resolve, _| {
        if let Ok(set) = get(&js_sys::global(), "setTimeout").dyn_into::<Function>() {
            // If there is no timer, the wait ends immediately.
            let _ = set.call1(&JsValue::UNDEFINED, &resolve).is_ok();
        } else {
            let _ = resolve.call0(&JsValue::UNDEFINED).is_ok();
        }
    });
    let _ = JsFuture::from(later).await.is_ok();
}
