//! Handles. A handle is a key of one table of the process, which has its kind and owner; devices, contexts, `Stage3D`s
//! and recordings are stored in their thread. Handles are never reused, so a stale handle is detected.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use context3d::{AnyHandle, ReleaseQueue};
use slotmap::{Key, KeyData, SecondaryMap, SlotMap, new_key_type};

use crate::context::Context;
use crate::device::Device;
use crate::recording::{Recording, Released};
use crate::stage3d::Stage;
use crate::status::{Failure, MolehillStatus};
use crate::thread;

new_key_type! {
    pub(crate) struct Name;
}

/// The kind and owner of a handle.
pub(crate) enum Entry {
    /// Stored in the thread with this id.
    Owned(u64),
    Object(Object),
}

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

static NAMES: LazyLock<Mutex<SlotMap<Name, Entry>>> = LazyLock::new(Mutex::default);

/// The table of all handles. No callback runs while it is locked.
pub(crate) fn names() -> MutexGuard<'static, SlotMap<Name, Entry>> {
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

/// The things that a thread stores.
#[derive(Clone)]
pub(crate) enum Owned {
    Device(Rc<RefCell<Device>>),
    Context(Rc<RefCell<Context>>),
    Stage(Rc<RefCell<Stage>>),
    Recording(Rc<RefCell<Recording>>),
}

/// A kind of thing that a thread stores.
pub(crate) trait Kind: Sized {
    /// The kind's name in messages.
    const WHAT: &'static str;
    fn of(owned: &Owned) -> Option<&Rc<RefCell<Self>>>;
    fn into_owned(this: Rc<RefCell<Self>>) -> Owned;
}

macro_rules! kinds {
    ($($kind:ident = $type:ty, $what:literal;)+) => {$(
        impl Kind for $type {
            const WHAT: &'static str = $what;
            fn of(owned: &Owned) -> Option<&Rc<RefCell<Self>>> {
                if let Owned::$kind(it) = owned { Some(it) } else { None }
            }
            fn into_owned(this: Rc<RefCell<Self>>) -> Owned {
                Owned::$kind(this)
            }
        }
    )+};
}

kinds! {
    Device = Device, "device";
    Context = Context, "context";
    Stage = Stage, "Stage3D";
    Recording = Recording, "recording";
}

thread_local! {
    /// What the host does not destroy is leaked: when a thread ends, its GL context may no longer exist.
    static KEEPING: ManuallyDrop<RefCell<Option<Kept>>> = const { ManuallyDrop::new(RefCell::new(None)) };
}

type Kept = SecondaryMap<Name, Owned>;

/// Calls `action`, which calls nothing of the host, with the thread's store.
fn keeping<T>(action: impl FnOnce(&mut Kept) -> T) -> T {
    KEEPING.with(|keeping| action(keeping.borrow_mut().get_or_insert_default()))
}

/// Ends the thread's recordings, so that their files are complete. Everything else stays until the host destroys it.
pub(crate) fn end_thread() {
    let kept: Vec<Owned> = keeping(|map| map.values().cloned().collect());
    if kept.is_empty() {
        KEEPING.with(|keeping| keeping.take()); // its memory
    }
    for owned in kept {
        if let Owned::Recording(recording) = owned
            && let Ok(mut recording) = recording.try_borrow_mut()
        {
            recording.end();
        }
    }
}

/// Stores something in this thread and returns its handle.
pub(crate) fn keep<T: Kind>(make: impl FnOnce(Name) -> T) -> u64 {
    thread::watch_end();
    let name = names().insert(Entry::Owned(thread::id()));
    let made = T::into_owned(Rc::new(RefCell::new(make(name))));
    keeping(|map| map.insert(name, made));
    handle_of(name)
}

/// The reason why this thread has nothing of this kind with this handle.
fn missing<T: Kind>(handle: u64) -> Failure {
    let here = thread::id();
    match names().get(name_of(handle)) {
        Some(Entry::Owned(owner)) if *owner != here => {
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
    let found = keeping(|map| map.get(name_of(handle)).and_then(T::of).cloned());
    found.ok_or_else(|| missing::<T>(handle))
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
    names().remove(name);
    drop(kept);
    Rc::try_unwrap(found).map(RefCell::into_inner).map_err(|_| busy::<T>(handle))
}
