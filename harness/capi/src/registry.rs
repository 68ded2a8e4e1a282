//! Handles are keys of a process-wide table, which stores the kind and owner of each object. Devices, contexts,
//! `Stage3D`s and recordings are stored in their thread. Handles are never reused, so a stale handle is detected.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use backend_gl::present::{FrontExchange, FrontReader};
use slotmap::{Key, KeyData, SecondaryMap, SlotMap, new_key_type};

use crate::failure::{CallFailure, MolehillStatus};
use crate::thread;

new_key_type! {
    pub(crate) struct HandleKey;
}

/// The kind and owner of a handle.
pub(crate) enum HandleEntry {
    /// An object in the store of the thread with this id.
    Owned {
        thread: u64,
        what: &'static str,
        /// The context of a Stage3D resource, such as a texture; null for other objects.
        context: HandleKey,
        /// The host's user data of an object.
        user_data: u64,
    },
    Exchange(Arc<FrontQueue>),
}

/// The exchange that passes presented frames to the display thread. Any thread can use the exchange.
#[derive(Default)]
pub(crate) struct FrontQueue {
    pub(crate) fronts: FrontExchange,
    reader: Mutex<Option<ReaderKind>>,
}

pub(crate) struct ReaderKind(pub(crate) FrontReader);

// SAFETY: only one thread at a time uses the reader, with a GL context of the same share group.
unsafe impl Send for ReaderKind {}

impl FrontQueue {
    pub(crate) fn reader(&self) -> Result<MutexGuard<'_, Option<ReaderKind>>, CallFailure> {
        let busy = |_| {
            CallFailure::busy("the front exchange is in use by another thread, or by a GL loader")
        };
        self.reader.try_lock().map_err(busy)
    }
}

/// The table of all handles.
#[derive(Default)]
pub(crate) struct HandleTable {
    pub(crate) live: SlotMap<HandleKey, HandleEntry>,
    /// The contexts of disposed objects, for Flash's error messages. The number of entries is bounded, because a reused
    /// slot of `live` replaces its entry.
    gone: SecondaryMap<HandleKey, HandleKey>,
}

impl HandleTable {
    /// Returns the context of an object, even if the object is disposed.
    pub(crate) fn context_of(&self, object: HandleKey) -> Option<HandleKey> {
        let context = match self.live.get(object) {
            Some(HandleEntry::Owned { context, .. }) => Some(*context),
            Some(HandleEntry::Exchange(_)) => None,
            None => self.gone.get(object).copied(),
        };
        context.filter(|context| self.live.contains_key(*context))
    }

    /// Removes an object, or a context with all its objects. Returns the removed keys, a context's objects first.
    fn remove<T: StoreKind>(&mut self, name: HandleKey) -> Vec<HandleKey> {
        let mut names = Vec::new();
        if T::HAS_OBJECTS {
            self.live.retain(|object, entry| {
                let is = matches!(entry, HandleEntry::Owned { context, .. } if *context == name);
                names.extend(is.then_some(object));
                !is
            });
        }
        if let Some(HandleEntry::Owned { context, .. }) = self.live.remove(name)
            && !context.is_null()
        {
            self.gone.insert(name, context);
        }
        names.push(name);
        names
    }
}

static TABLE: LazyLock<Mutex<HandleTable>> = LazyLock::new(Mutex::default);

/// Locks the table of all handles. No callback may run while the lock is held.
pub(crate) fn table() -> MutexGuard<'static, HandleTable> {
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn handle_of(name: HandleKey) -> u64 {
    name.data().as_ffi()
}

/// Returns the key of a handle; null if no key can have this value.
pub(crate) fn key_of(handle: u64) -> HandleKey {
    let name = HandleKey::from(KeyData::from_ffi(handle));
    if handle_of(name) == handle { name } else { HandleKey::null() }
}

/// Returns whether a handle is valid.
pub(crate) fn is_live(handle: u64) -> bool {
    table().live.contains_key(key_of(handle))
}

/// A kind of object that a thread's store contains, such as a device or a context.
pub(crate) trait StoreKind: Any {
    /// The kind's name in error messages.
    const WHAT: &'static str;
    /// True if objects of another kind belong to this kind, and are destroyed with it.
    const HAS_OBJECTS: bool = false;
    /// Called when the thread ends.
    fn end(&mut self) {}
    /// Prepares the object for being dropped while another GL context may be current. `elsewhere` is true on another
    /// thread, after the object's own thread has ended.
    fn leave(&mut self, _elsewhere: bool) {}
}

trait StoredObject: Any {
    fn end(&self);
    fn leave(&self, elsewhere: bool);
}

impl<T: StoreKind> StoredObject for RefCell<T> {
    fn end(&self) {
        if let Ok(mut it) = self.try_borrow_mut() {
            it.end();
        }
    }

    fn leave(&self, elsewhere: bool) {
        if let Ok(mut it) = self.try_borrow_mut() {
            it.leave(elsewhere);
        }
    }
}

type ObjectStore = SecondaryMap<HandleKey, Rc<dyn StoredObject>>;

thread_local! {
    /// The thread's objects. The variable has no destructor, so that calls of the main thread work until the process
    /// ends.
    static STORE: ManuallyDrop<RefCell<Option<ObjectStore>>> = const { ManuallyDrop::new(RefCell::new(None)) };
}

struct EndedStore(ObjectStore);

// SAFETY: only objects of the store refer to each other, and only the thread that removes the store from `CROSS_THREAD`
// uses these objects.
unsafe impl Send for EndedStore {}

/// State shared between threads: handles destroyed by a thread that does not own them, and the stores of threads that
/// have ended.
#[derive(Default)]
struct CrossThread {
    /// Keys of objects that other threads have destroyed, by the id of the owning thread.
    pending_destroys: HashMap<u64, Vec<HandleKey>>,
    ended: HashMap<u64, EndedStore>,
}

static CROSS_THREAD: LazyLock<Mutex<CrossThread>> = LazyLock::new(Mutex::default);
/// True while `pending_destroys` has entries.
static HAS_PENDING: AtomicBool = AtomicBool::new(false);

/// Locks the shared state. No object may be dropped while the lock is held.
fn cross_thread() -> MutexGuard<'static, CrossThread> {
    CROSS_THREAD.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CrossThread {
    fn take_pending(&mut self, thread: u64) -> Vec<HandleKey> {
        let names = self.pending_destroys.remove(&thread).unwrap_or_default();
        HAS_PENDING.store(!self.pending_destroys.is_empty(), Ordering::Relaxed);
        names
    }
}

/// Calls `action` with the thread's store. Takes the store back if the main thread has handed it over already.
fn own_store<T>(action: impl FnOnce(&mut Option<ObjectStore>) -> T) -> T {
    STORE.with(|own| {
        let mut store = own.borrow_mut();
        if store.is_none() {
            *store = cross_thread().ended.remove(&thread::id()).map(|EndedStore(store)| store);
        }
        action(&mut store)
    })
}

/// Calls `action` with the thread's store. `action` must not call the host.
fn with_store<T>(action: impl FnOnce(&mut ObjectStore) -> T) -> T {
    own_store(|store| action(store.get_or_insert_default()))
}

/// Hands the store over to other threads, which may destroy its objects.
pub(crate) fn end_thread() {
    let here = thread::id();
    drop_pending(true);
    let Some(store) = own_store(Option::take) else {
        return;
    };
    store.values().for_each(|kept| kept.end());
    if !store.is_empty() {
        cross_thread().ended.insert(here, EndedStore(store));
    }
}

/// Drops this thread's objects that other threads have destroyed. Called at the start of every call.
#[inline]
pub(crate) fn collect() {
    if HAS_PENDING.load(Ordering::Relaxed) {
        drop_pending(false);
    }
}

#[cold]
fn drop_pending(elsewhere: bool) {
    let names = cross_thread().take_pending(thread::id());
    // The objects are dropped after the store is released.
    let objects =
        names.into_iter().filter_map(|name| own_store(|store| store.as_mut()?.remove(name)));
    objects.for_each(|kept| kept.leave(elsewhere));
}

/// Destroys objects of another thread. The owning thread drops the objects at its next call; if that thread has ended,
/// the calling thread drops them.
fn destroy_elsewhere(owner: u64, names: Vec<HandleKey>) {
    let mut threads = cross_thread();
    threads.pending_destroys.entry(owner).or_default().extend(names);
    HAS_PENDING.store(true, Ordering::Relaxed);
    // Another thread may add keys while the store is in use here.
    while threads.pending_destroys.contains_key(&owner)
        && let Some(EndedStore(mut store)) = threads.ended.remove(&owner)
    {
        let names = threads.take_pending(owner);
        drop(threads);
        for kept in names.into_iter().filter_map(|name| store.remove(name)) {
            kept.leave(true);
        }
        threads = cross_thread();
        if !store.is_empty() {
            threads.ended.insert(owner, EndedStore(store));
        }
    }
}

/// Stores an object in this thread and returns its handle.
pub(crate) fn keep<T: StoreKind>(thing: T) -> u64 {
    keep_in(HandleKey::null(), |_| thing)
}

/// Like [`keep`], but for an object of a context. The object is created with its handle.
pub(crate) fn keep_in<T: StoreKind>(context: HandleKey, make: impl FnOnce(u64) -> T) -> u64 {
    thread::at_end(0, end_thread);
    let entry = HandleEntry::Owned { thread: thread::id(), what: T::WHAT, context, user_data: 0 };
    let name = table().live.insert(entry);
    let made = Rc::new(RefCell::new(make(handle_of(name))));
    with_store(|map| map.insert(name, made));
    handle_of(name)
}

/// Returns the id of the thread that owns the object with this handle. Fails if the handle is invalid or of another
/// kind.
pub(crate) fn owner<T: StoreKind>(handle: u64) -> Result<u64, CallFailure> {
    match table().live.get(key_of(handle)) {
        Some(HandleEntry::Owned { thread, what, .. }) if *what == T::WHAT => Ok(*thread),
        Some(_) => Err(CallFailure::handle(format!("{handle:#x} is not a {}", T::WHAT))),
        None if handle == 0 => {
            Err(CallFailure::handle(format!("the handle of the {} is 0", T::WHAT)))
        }
        None => {
            let text = "is not a valid handle: it was never created, or it was destroyed";
            Err(CallFailure::handle(format!("{handle:#x} {text}")))
        }
    }
}

/// Returns the reason why this thread has no object of this kind with this handle.
fn missing<T: StoreKind>(handle: u64) -> CallFailure {
    owner::<T>(handle).map_or_else(CallFailure::from, |_| {
        let text = format!("{handle:#x} belongs to another thread");
        CallFailure::Here(MolehillStatus::WrongThread, text)
    })
}

/// Returns the object of this kind with this handle.
pub(crate) fn find<T: StoreKind>(handle: u64) -> Result<Rc<RefCell<T>>, CallFailure> {
    // No store is created for a thread without objects.
    let kept = own_store(|store| store.as_ref()?.get(key_of(handle)).cloned());
    let found: Option<Rc<dyn Any>> = kept.map(|it| it as _);
    found.and_then(|it| it.downcast().ok()).ok_or_else(|| missing::<T>(handle))
}

/// Calls `action` with the object of this kind with this handle.
pub(crate) fn with<T: StoreKind, R>(
    handle: u64,
    action: impl FnOnce(&mut T) -> Result<R, CallFailure>,
) -> Result<R, CallFailure> {
    let found = find::<T>(handle)?;
    let text =
        || format!("the {} {handle:#x} is in use by the call that runs this callback", T::WHAT);
    let mut found = found.try_borrow_mut().map_err(|_| CallFailure::busy(text()))?;
    action(&mut found)
}

/// Destroys an object from any thread, and invalidates its handle. Calls `end` first if this thread owns the object.
pub(crate) fn destroy<T: StoreKind>(
    handle: u64,
    end: impl FnOnce(&mut T) -> Result<(), CallFailure>,
) -> Result<(), CallFailure> {
    let (owner, name) = (owner::<T>(handle)?, key_of(handle));
    if owner != thread::id() {
        let names = table().remove::<T>(name);
        destroy_elsewhere(owner, names);
        return Ok(());
    }
    let ended = with(handle, |it| Ok(end(it)))?;
    // The table is unlocked before the objects are dropped, because their destructors may use it.
    let names = table().remove::<T>(name);
    for name in names {
        drop(with_store(|map| map.remove(name)));
    }
    ended
}
