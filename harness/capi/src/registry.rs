//! Handles. A handle is a key of one table of the process, which has its kind and owner; devices, contexts, `Stage3D`s
//! and recordings are stored in their thread. Handles are never reused, so a stale handle is detected.

use std::any::Any;
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use context3d::{AnyHandle, ReleaseQueue};
use slotmap::{Key, KeyData, SecondaryMap, SlotMap, new_key_type};

use crate::failure::{Failure, MolehillStatus};
use crate::thread::{self, Ends, at_end};

new_key_type! {
    pub(crate) struct Name;
}

/// The kind and owner of a handle.
pub(crate) enum Entry {
    /// Stored in the thread with this id.
    Owned {
        thread: u64,
        what: &'static str,
    },
    Object(Object),
}

/// Objects that the program has no reference to any more. They are released on any thread, but the recorder may only be
/// used on the context's.
pub(crate) type Released = Arc<Mutex<Vec<AnyHandle>>>;

/// A buffer, program or texture.
pub(crate) struct Object {
    pub(crate) handle: AnyHandle,
    pub(crate) context: Name,
    pub(crate) queue: ReleaseQueue,
    /// The list of a recording for objects that are released.
    pub(crate) recorded: Option<Released>,
    pub(crate) user_data: u64,
}

impl Object {
    /// Tells the recording that the program has no reference to the object any more.
    pub(crate) fn let_go(&self) {
        if let Some(recorded) = &self.recorded {
            let mut recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
            recorded.push(self.handle);
        }
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
    /// The context of an object that was disposed or not.
    pub(crate) fn context_of(&self, object: Name) -> Option<Name> {
        let context = match self.live.get(object) {
            Some(Entry::Object(object)) => Some(object.context),
            Some(Entry::Owned { .. }) => None,
            None => self.gone.get(object).copied(),
        };
        context.filter(|context| self.live.contains_key(*context))
    }

    fn remove_object(&mut self, name: Name) -> Option<Object> {
        match self.live.get(name)? {
            Entry::Owned { .. } => None,
            Entry::Object(_) => match self.live.remove(name)? {
                Entry::Owned { .. } => None,
                Entry::Object(object) => {
                    self.gone.insert(name, object.context);
                    object.let_go();
                    Some(object)
                }
            },
        }
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

/// Removes all objects of a context from the table.
pub(crate) fn forget_objects(context: Name) {
    names().live.retain(|_, entry| match entry {
        Entry::Object(object) if object.context == context => {
            object.let_go();
            false
        }
        Entry::Object(_) | Entry::Owned { .. } => true,
    });
}

/// Removes an object from the table.
pub(crate) fn take_object(handle: u64) -> Option<Object> {
    names().remove_object(name_of(handle))
}

/// A kind of thing that a thread stores.
pub(crate) trait Kind: Any {
    /// The kind's name in messages.
    const WHAT: &'static str;
    /// What the thread's end does to it. Everything else stays until the host destroys it.
    fn end(&mut self) {}
}

/// A thing of any kind.
trait Kept: Any {
    fn end(&self);
}

impl<T: Kind> Kept for RefCell<T> {
    fn end(&self) {
        if let Ok(mut it) = self.try_borrow_mut() {
            it.end();
        }
    }
}

thread_local! {
    /// What the host does not destroy is leaked: when a thread ends, its GL context may no longer exist.
    static KEEPING: ManuallyDrop<RefCell<Option<Store>>> = const { ManuallyDrop::new(RefCell::new(None)) };
}

type Store = SecondaryMap<Name, Rc<dyn Kept>>;

/// Calls `action`, which calls nothing of the host, with the thread's store.
fn keeping<T>(action: impl FnOnce(&mut Store) -> T) -> T {
    KEEPING.with(|keeping| action(keeping.borrow_mut().get_or_insert_default()))
}

fn end_thread() {
    let kept: Vec<_> = keeping(|map| map.values().cloned().collect());
    if kept.is_empty() {
        KEEPING.with(|keeping| keeping.take()); // its memory
    }
    kept.iter().for_each(|kept| kept.end());
}

/// Stores something in this thread and returns its handle.
pub(crate) fn keep<T: Kind>(make: impl FnOnce(Name) -> T) -> u64 {
    at_end(Ends::Things, end_thread);
    let name = names().live.insert(Entry::Owned { thread: thread::id(), what: T::WHAT });
    let made = Rc::new(RefCell::new(make(name)));
    keeping(|map| map.insert(name, made));
    handle_of(name)
}

/// The reason why this thread has nothing of this kind with this handle.
fn missing<T: Kind>(handle: u64) -> Failure {
    let here = thread::id();
    match names().live.get(name_of(handle)) {
        Some(Entry::Owned { thread, what }) if *thread != here && *what == T::WHAT => {
            let text = format!("{handle:#x} belongs to another thread");
            Failure::Here(MolehillStatus::WrongThread, text)
        }
        Some(_) => Failure::handle(format!("{handle:#x} is not a {}", T::WHAT)),
        None if handle == 0 => Failure::handle(format!("no {} is given", T::WHAT)),
        None => Failure::handle(format!("{handle:#x} names nothing, or nothing any more")),
    }
}

/// The thing of this kind with this handle.
pub(crate) fn find<T: Kind>(handle: u64) -> Result<Rc<RefCell<T>>, Failure> {
    // A thread that stores nothing gets no store.
    let kept = KEEPING.with(|keeping| keeping.borrow().as_ref()?.get(name_of(handle)).cloned());
    let found: Option<Rc<dyn Any>> = kept.map(|it| it as _);
    found.and_then(|it| it.downcast().ok()).ok_or_else(|| missing::<T>(handle))
}

/// Calls `action` with the thing of this kind with this handle.
pub(crate) fn with<T: Kind, R>(
    handle: u64,
    action: impl FnOnce(&mut T) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let found = find::<T>(handle)?;
    let mut found = found.try_borrow_mut().map_err(|_| busy::<T>(handle))?;
    action(&mut found)
}

fn busy<T: Kind>(handle: u64) -> Failure {
    let text = format!("the {} {handle:#x} is in use: a callback called back into it", T::WHAT);
    Failure::Here(MolehillStatus::Busy, text)
}

/// Removes a thing from the store and returns it. Its handle is stale from then on.
pub(crate) fn give_up<T: Kind>(handle: u64) -> Result<T, Failure> {
    let found = find::<T>(handle)?;
    if found.try_borrow_mut().is_err() {
        return Err(busy::<T>(handle));
    }
    let name = name_of(handle);
    let kept = keeping(|map| map.remove(name));
    names().live.remove(name);
    drop(kept);
    Rc::try_unwrap(found).map(RefCell::into_inner).map_err(|_| busy::<T>(handle))
}
