//! The constants of an ABC file, each stored once.

use std::collections::HashMap;
use std::hash::Hash;

use swf::avm2::types::{ConstantPool, Index, Multiname, Namespace};

/// A list of constants without duplicates. Index 0 is reserved and not stored.
struct ConstantList<K, T> {
    indices: HashMap<K, u32>,
    items: Vec<T>,
}

impl<K, T> Default for ConstantList<K, T> {
    fn default() -> Self {
        ConstantList { indices: HashMap::new(), items: Vec::new() }
    }
}

impl<K: Hash + Eq, T> ConstantList<K, T> {
    fn add(&mut self, key: K, item: impl FnOnce() -> T) -> u32 {
        let items = &mut self.items;
        *self.indices.entry(key).or_insert_with(|| {
            items.push(item());
            u32::try_from(items.len()).unwrap_or(u32::MAX)
        })
    }
}

/// The name of a property or class.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MultiName<'a> {
    /// A property of the public namespace, or a class outside of packages.
    Public(&'a str),
    /// A class or function of a package.
    In(&'a str, &'a str),
    /// The name in `object[index]`, which is on the stack at run time.
    Late,
}

impl<'a> From<&'a str> for MultiName<'a> {
    fn from(name: &'a str) -> Self {
        MultiName::Public(name)
    }
}

#[derive(PartialEq, Eq, Hash)]
enum PoolKey {
    Qualified(u32, u32),
    Late,
}

#[derive(Default)]
pub(crate) struct PoolBuilder {
    ints: ConstantList<i32, i32>,
    uints: ConstantList<u32, u32>,
    doubles: ConstantList<u64, f64>,
    strings: ConstantList<Vec<u8>, Vec<u8>>,
    packages: ConstantList<u32, Namespace>,
    sets: ConstantList<u32, Vec<Index<Namespace>>>,
    names: ConstantList<PoolKey, Multiname>,
}

impl PoolBuilder {
    pub(crate) fn int(&mut self, value: i32) -> Index<i32> {
        Index::new(self.ints.add(value, || value))
    }

    pub(crate) fn uint(&mut self, value: u32) -> Index<u32> {
        Index::new(self.uints.add(value, || value))
    }

    pub(crate) fn double(&mut self, value: f64) -> Index<f64> {
        Index::new(self.doubles.add(value.to_bits(), || value))
    }

    pub(crate) fn string(&mut self, text: &str) -> Index<String> {
        Index::new(self.strings.add(text.into(), || text.into()))
    }

    fn package(&mut self, name: &str) -> Index<Namespace> {
        let name = self.string(name);
        Index::new(self.packages.add(name.0, || Namespace::Package(name)))
    }

    pub(crate) fn name<'a>(&mut self, name: impl Into<MultiName<'a>>) -> Index<Multiname> {
        let (package, name) = match name.into() {
            MultiName::Public(name) => ("", name),
            MultiName::In(package, name) => (package, name),
            MultiName::Late => {
                let namespace = self.package("");
                let namespace_set = Index::new(self.sets.add(namespace.0, || vec![namespace]));
                let late = || Multiname::MultinameL { namespace_set };
                return Index::new(self.names.add(PoolKey::Late, late));
            }
        };
        let (namespace, name) = (self.package(package), self.string(name));
        let qualified = || Multiname::QName { namespace, name };
        Index::new(self.names.add(PoolKey::Qualified(namespace.0, name.0), qualified))
    }

    pub(crate) fn finish(self) -> ConstantPool {
        ConstantPool {
            ints: self.ints.items,
            uints: self.uints.items,
            doubles: self.doubles.items,
            strings: self.strings.items,
            namespaces: self.packages.items,
            namespace_sets: self.sets.items,
            multinames: self.names.items,
        }
    }
}
