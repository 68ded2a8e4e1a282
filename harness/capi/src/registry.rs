//! Handles. A handle is a key of one table of the process, which has its kind and owner; devices, contexts, `Stage3D`s
//! and recordings are stored in their thread. Handles are never reused, so a stale handle is detected.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use backend_gl::present::{FrontExchange, FrontReader};
use slotmap::{Key, KeyData, SecondaryMap, SlotMap, new_key_type};

use crate::failure::{Failure, MolehillStatus};
use crate::thread;

new_key_type! {
    pub(crate) struct Name;
}

/// The kind and owner of a handle.
pub(crate) enum Entry {
    /// Stored in the thread with this id.
    Owned {
        thread: u64,
        what: &'static str,
        /// The context of an object; null for everything else.
        context: Name,
        /// The host's, of an object.
        user_data: u64,
    },
    Exchange(Arc<Exchange>),
}

/// A front exchange, which any thread uses.
#[derive(Default)]
pub(crate) struct Exchange {
    pub(crate) fronts: FrontExchange,
    reader: Mutex<Option<Reader>>,
}

pub(crate) struct Reader(pub(crate) FrontReader);

// SAFETY: one thread at a time uses it and what it owns, with a GL context of the same share group.
unsafe impl Send for Reader {}

impl Exchange {
    pub(crate) fn reader(&self) -> Result<MutexGuard<'_, Option<Reader>>, Failure> {
        let busy =
            |_| Failure::busy("the front exchange is in use on another thread, or in a loader");
        self.reader.try_lock().map_err(busy)
    }
}

/// The table of all handles.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) live: SlotMap<Name, Entry>,
    /// The contexts of disposed objects, which raise Flash's error in the context's wording. As large as `live` was at
    /// most: a place that is used again replaces what it held.
    gone: SecondaryMap<Name, Name>,
}

impl Names {
    /// Returns the context of an object that was disposed or not.
    pub(crate) fn context_of(&self, object: Name) -> Option<Name> {
        let context = match self.live.get(object) {
            Some(Entry::Owned { context, .. }) => Some(*context),
            Some(Entry::Exchange(_)) => None,
            None => self.gone.get(object).copied(),
        };
        context.filter(|context| self.live.contains_key(*context))
    }

    /// Removes a thing and, first, the objects of a context. Returns their names.
    fn remove<T: Kind>(&mut self, name: Name) -> Vec<Name> {
        let mut names = Vec::new();
        if T::HAS_OBJECTS {
            self.live.retain(|object, entry| {
                let is = matches!(entry, Entry::Owned { context, .. } if *context == name);
                names.extend(is.then_some(object));
                !is
            });
        }
        if let Some(Entry::Owned { context, .. }) = self.live.remove(name)
            && !context.is_null()
        {
            self.gone.insert(name, context);
        }
        names.push(name);
        names
    }
}

static NAMES: LazyLock<Mutex<Names>> = LazyLock::new(Mutex::default);

/// The table of all handles. No callback runs while it is locked.
pub(crate) fn names() -> MutexGuard<'static, Names> {
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn handle_of(name: Name) -> u64 {
    name.data().as_ffi()
}

/// The key of a handle; null if no key can have this number.
pub(crate) fn name_of(handle: u64) -> Name {
    let name = Name::from(KeyData::from_ffi(handle));
    if handle_of(name) == handle { name } else { Name::null() }
}

/// Returns whether a handle names something.
pub(crate) fn is_live(handle: u64) -> bool {
    names().live.contains_key(name_of(handle))
}

/// A kind of thing that a thread stores.
pub(crate) trait Kind: Any {
    /// The kind's name in messages.
    const WHAT: &'static str;
    /// Objects are destroyed with it.
    const HAS_OBJECTS: bool = false;
    /// What the thread's end does to it.
    fn end(&mut self) {}
    /// Prepares it for being dropped at any time, when another GL context may be current; `elsewhere`: on another thread,
    /// after its own has ended.
    fn leave(&mut self, _elsewhere: bool) {}
}

/// A thing of any kind.
trait Kept: Any {
    fn end(&self);
    fn leave(&self, elsewhere: bool);
}

impl<T: Kind> Kept for RefCell<T> {
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

type Store = SecondaryMap<Name, Rc<dyn Kept>>;

thread_local! {
    /// Without a destructor: calls of the main thread work until the process ends.
    static KEEPING: ManuallyDrop<RefCell<Option<Store>>> = const { ManuallyDrop::new(RefCell::new(None)) };
}

/// The store of a thread that has ended.
struct Left(Store);

// SAFETY: nothing else refers to the things in it, which share owners with each other only; and only who takes it out of
// `ELSEWHERE` uses them.
unsafe impl Send for Left {}

/// What threads have to do with each other's things.
#[derive(Default)]
struct Elsewhere {
    /// What other threads have destroyed, by the thread that stores it.
    doomed: HashMap<u64, Vec<Name>>,
    left: HashMap<u64, Left>,
}

static ELSEWHERE: LazyLock<Mutex<Elsewhere>> = LazyLock::new(Mutex::default);
/// Whether there is something in `doomed`.
static DOOMED: AtomicBool = AtomicBool::new(false);

/// Nothing is dropped while it is locked.
fn elsewhere() -> MutexGuard<'static, Elsewhere> {
    ELSEWHERE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Elsewhere {
    fn take_doomed(&mut self, thread: u64) -> Vec<Name> {
        let names = self.doomed.remove(&thread).unwrap_or_default();
        DOOMED.store(!self.doomed.is_empty(), Ordering::Relaxed);
        names
    }
}

/// The thread's store; the main thread's may have been left already.
fn own_store<T>(action: impl FnOnce(&mut Option<Store>) -> T) -> T {
    KEEPING.with(|keeping| {
        let mut store = keeping.borrow_mut();
        if store.is_none() {
            *store = elsewhere().left.remove(&thread::id()).map(|Left(store)| store);
        }
        action(&mut store)
    })
}

/// Calls `action`, which calls nothing of the host, with the thread's store.
fn keeping<T>(action: impl FnOnce(&mut Store) -> T) -> T {
    own_store(|store| action(store.get_or_insert_default()))
}

/// Leaves the store to other threads, which may destroy what is in it.
pub(crate) fn end_thread() {
    let here = thread::id();
    drop_doomed(true);
    let Some(store) = own_store(Option::take) else {
        return;
    };
    store.values().for_each(|kept| kept.end());
    if !store.is_empty() {
        elsewhere().left.insert(here, Left(store));
    }
}

/// Drops what other threads have destroyed. Every call begins with it.
#[inline]
pub(crate) fn collect() {
    if DOOMED.load(Ordering::Relaxed) {
        drop_doomed(false);
    }
}

#[cold]
fn drop_doomed(elsewhere: bool) {
    let names = self::elsewhere().take_doomed(thread::id());
    // Dropped when the store is not in use any more.
    let doomed =
        names.into_iter().filter_map(|name| own_store(|store| store.as_mut()?.remove(name)));
    doomed.for_each(|kept| kept.leave(elsewhere));
}

/// Destroys a thing of another thread: that thread drops it at its next call, or this one does if it has ended.
fn destroy_elsewhere(owner: u64, names: Vec<Name>) {
    let mut threads = elsewhere();
    threads.doomed.entry(owner).or_default().extend(names);
    DOOMED.store(true, Ordering::Relaxed);
    // More may be added while the store is in use here.
    while threads.doomed.contains_key(&owner)
        && let Some(Left(mut store)) = threads.left.remove(&owner)
    {
        let names = threads.take_doomed(owner);
        drop(threads);
        for kept in names.into_iter().filter_map(|name| store.remove(name)) {
            kept.leave(true);
        }
        threads = elsewhere();
        if !store.is_empty() {
            threads.left.insert(owner, Left(store));
        }
    }
}

/// Stores something in this thread and returns its handle.
pub(crate) fn keep<T: Kind>(thing: T) -> u64 {
    keep_in(Name::null(), |_| thing)
}

/// As [`keep`], for an object of a context, which knows its handle.
pub(crate) fn keep_in<T: Kind>(context: Name, make: impl FnOnce(u64) -> T) -> u64 {
    thread::at_end(0, end_thread);
    let entry = Entry::Owned { thread: thread::id(), what: T::WHAT, context, user_data: 0 };
    let name = names().live.insert(entry);
    let made = Rc::new(RefCell::new(make(handle_of(name))));
    keeping(|map| map.insert(name, made));
    handle_of(name)
}

/// The thread that has a thing of this kind with this handle.
pub(crate) fn owner<T: Kind>(handle: u64) -> Result<u64, Failure> {
    match names().live.get(name_of(handle)) {
        Some(Entry::Owned { thread, what, .. }) if *what == T::WHAT => Ok(*thread),
        Some(_) => Err(Failure::handle(format!("{handle:#x} is not a {}", T::WHAT))),
        None if handle == 0 => Err(Failure::handle(format!("no {} is given", T::WHAT))),
        None => Err(Failure::handle(format!("{handle:#x} names nothing, or nothing any more"))),
    }
}

/// The reason why this thread has nothing of this kind with this handle.
fn missing<T: Kind>(handle: u64) -> Failure {
    owner::<T>(handle).map_or_else(Failure::from, |_| {
        let text = format!("{handle:#x} belongs to another thread");
        Failure::Here(MolehillStatus::WrongThread, text)
    })
}

/// The thing of this kind with this handle.
pub(crate) fn find<T: Kind>(handle: u64) -> Result<Rc<RefCell<T>>, Failure> {
    // A thread that stores nothing gets no store.
    let kept = own_store(|store| store.as_ref()?.get(name_of(handle)).cloned());
    let found: Option<Rc<dyn Any>> = kept.map(|it| it as _);
    found.and_then(|it| it.downcast().ok()).ok_or_else(|| missing::<T>(handle))
}

/// Calls `action` with the thing of this kind with this handle.
pub(crate) fn with<T: Kind, R>(
    handle: u64,
    action: impl FnOnce(&mut T) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let found = find::<T>(handle)?;
    let text = || format!("the {} {handle:#x} is in use: a callback called back into it", T::WHAT);
    let mut found = found.try_borrow_mut().map_err(|_| Failure::busy(text()))?;
    action(&mut found)
}

/// Destroys a thing, on any thread: its handle is stale from now on. `end` is called before if it is this thread's.
pub(crate) fn destroy<T: Kind>(
    handle: u64,
    end: impl FnOnce(&mut T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (owner, name) = (owner::<T>(handle)?, name_of(handle));
    if owner != thread::id() {
        let names = names().remove::<T>(name);
        destroy_elsewhere(owner, names);
        return Ok(());
    }
    let ended = with(handle, |it| Ok(end(it)))?;
    // The table is unlocked before things are dropped: their ends may use it.
    let names = names().remove::<T>(name);
    for name in names {
        drop(keeping(|map| map.remove(name)));
    }
    ended
}
