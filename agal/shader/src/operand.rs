//! Components of registers: one component, a write mask, and a swizzle.

use std::fmt::{self, Write as _};

/// One of the four components of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// The first component.
    X,
    /// The second component.
    Y,
    /// The third component.
    Z,
    /// The fourth component.
    W,
}

impl Component {
    /// All components in order: x, y, z, w.
    pub const ALL: [Component; 4] = [Component::X, Component::Y, Component::Z, Component::W];

    /// Returns the component whose index is in the low two bits.
    pub fn from_bits(bits: u8) -> Component {
        match bits & 3 {
            0 => Component::X,
            1 => Component::Y,
            2 => Component::Z,
            _ => Component::W,
        }
    }
    /// Returns the index of the component, 0 to 3.
    pub fn bits(self) -> u8 {
        self as u8
    }
    /// Returns the component's letter: x, y, z or w.
    pub fn letter(self) -> char {
        match self {
            Component::X => 'x',
            Component::Y => 'y',
            Component::Z => 'z',
            Component::W => 'w',
        }
    }
    /// Returns the components for one to four letters.
    pub fn list(letters: &str) -> Option<Vec<Component>> {
        let list: Option<Vec<_>> = letters.chars().take(5).map(Component::from_letter).collect();
        list.filter(|list| (1..=4).contains(&list.len()))
    }
    /// Returns the letters in lower case, with the colour letters `rgba` replaced by `xyzw`.
    pub fn plain_letters(letters: &str) -> String {
        let plain = |letter: char| match letter.to_ascii_lowercase() {
            'r' => 'x',
            'g' => 'y',
            'b' => 'z',
            'a' => 'w',
            letter => letter,
        };
        letters.chars().map(plain).collect()
    }
    /// Returns the component with this letter.
    pub fn from_letter(letter: char) -> Option<Component> {
        Component::ALL.into_iter().find(|component| component.letter() == letter)
    }
}

/// A set of components, such as a write mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WriteMask(u8);

impl WriteMask {
    /// The mask without components.
    pub const EMPTY: WriteMask = WriteMask(0);
    /// The mask of all four components.
    pub const ALL: WriteMask = WriteMask(0xf);

    /// Creates a mask from the low four bits: x is 1, y 2, z 4, w 8.
    pub fn from_bits(bits: u8) -> WriteMask {
        WriteMask(bits & 0xf)
    }
    /// Returns the mask as bits: x is 1, y 2, z 4, w 8.
    pub fn bits(self) -> u8 {
        self.0
    }
    /// Returns the mask of the first `count` components, 0 to 4.
    pub const fn first(count: u8) -> WriteMask {
        match count {
            0 => WriteMask::EMPTY,
            1 => WriteMask(1),
            2 => WriteMask(3),
            3 => WriteMask(7),
            _ => WriteMask::ALL,
        }
    }
    /// Returns whether a component is in the mask.
    pub fn contains(self, component: Component) -> bool {
        self.0 & (1 << component.bits()) != 0
    }
    /// Returns whether every component of another mask is in this one.
    pub fn contains_all(self, other: WriteMask) -> bool {
        self.0 & other.0 == other.0
    }
    /// Returns whether the mask has no component.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// Returns the components that are in either mask.
    #[must_use]
    pub fn union(self, other: WriteMask) -> WriteMask {
        WriteMask(self.0 | other.0)
    }
    /// Returns the components of this mask that are not in the other.
    #[must_use]
    pub fn without(self, other: WriteMask) -> WriteMask {
        WriteMask(self.0 & !other.0)
    }
    /// Returns the components that are in both masks.
    #[must_use]
    pub fn intersection(self, other: WriteMask) -> WriteMask {
        WriteMask(self.0 & other.0)
    }
    /// Returns the mask with another component.
    #[must_use]
    pub fn with(self, component: Component) -> WriteMask {
        WriteMask(self.0 | (1 << component.bits()))
    }
    /// Returns the components of the mask in order.
    pub fn iter(self) -> impl Iterator<Item = Component> {
        Component::ALL.into_iter().filter(move |component| self.contains(*component))
    }
    /// Returns the components of the mask for which a condition holds.
    #[must_use]
    pub fn filter(self, condition: impl Fn(Component) -> bool) -> WriteMask {
        self.iter().filter(|component| condition(*component)).collect()
    }
    /// Returns the number of components in the mask.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }
}

impl FromIterator<Component> for WriteMask {
    fn from_iter<I: IntoIterator<Item = Component>>(components: I) -> WriteMask {
        components.into_iter().fold(WriteMask::EMPTY, WriteMask::with)
    }
}

impl fmt::Display for WriteMask {
    /// Writes the letters of the components, such as `xyz`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|component| f.write_char(component.letter()))
    }
}

/// The component that each of the four lanes reads: two bits per lane, lane x in the lowest bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Swizzle(u8);

impl Swizzle {
    /// The swizzle `xyzw`, in which each lane reads its own component.
    pub const IDENTITY: Swizzle = Swizzle(0xe4);

    /// Creates a swizzle from a byte with two bits for each lane.
    pub fn from_bits(bits: u8) -> Swizzle {
        Swizzle(bits)
    }
    /// Returns the swizzle as a byte with two bits for each lane.
    pub fn bits(self) -> u8 {
        self.0
    }
    /// Creates a swizzle from the component that each lane reads.
    pub fn new(lanes: [Component; 4]) -> Swizzle {
        let [x, y, z, w] = lanes.map(Component::bits);
        Swizzle(x | y << 2 | z << 4 | w << 6)
    }
    /// Returns the swizzle of one to four components, whose last component is repeated.
    pub fn repeating(components: &[Component]) -> Swizzle {
        let last = components.last().copied().unwrap_or(Component::X);
        Swizzle::new([0, 1, 2, 3].map(|lane| components.get(lane).copied().unwrap_or(last)))
    }
    /// Returns the component that a lane reads.
    pub fn get(self, lane: Component) -> Component {
        Component::from_bits(self.0 >> (2 * lane.bits()))
    }
    /// Returns the components that the four lanes read.
    pub fn lanes(self) -> [Component; 4] {
        Component::ALL.map(|lane| self.get(lane))
    }
    /// Returns whether all lanes read the same component.
    pub fn is_scalar(self) -> bool {
        self.0 == (self.0 & 3) * 0b0101_0101
    }
    /// Returns the components that the given lanes read.
    pub fn selected(self, lanes: WriteMask) -> WriteMask {
        // This function runs several times per operand, so it has no branches.
        let read = |lane: u8| (lanes.0 >> lane & 1) << (self.0 >> (2 * lane) & 3);
        WriteMask(read(0) | read(1) | read(2) | read(3))
    }
}
