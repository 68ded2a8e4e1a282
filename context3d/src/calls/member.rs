//! A member of a class in ActionScript, by name.

use super::{Arguments, CALLS, Call, CallKind, PROPERTIES, Property};
use crate::enums::{FlashName as _, RenderMode};
use crate::stage::{DEFAULT_PROFILE, StageCommand};

/// A method, getter or setter of a class of `flash.display3D` or of `Stage3D`. Find it once for each native function.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub(crate) class: &'static str,
    pub(crate) kind: MemberKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum MemberKind {
    Call(&'static Call),
    Property(&'static Property),
    Stage(StageMember),
}

/// A member of `Stage3D` [context3d.stage3d.position].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StageMember {
    Context3D,
    X,
    Y,
    Visible,
    SetX,
    SetY,
    SetVisible,
    Request,
    RequestMatching,
}

const STAGE3D: &str = "Stage3D";

/// A method or property of `Stage3D`.
#[derive(Clone, Copy, Debug)]
pub struct StageRow {
    /// Its name.
    pub name: &'static str,
    /// Of a property: its type in ActionScript.
    pub as3_type: Option<&'static str>,
    /// Of a method: the number of arguments that it needs and that it takes.
    pub arguments: (usize, usize),
    call: Option<StageMember>,
    get: Option<StageMember>,
}

impl StageRow {
    const fn method(name: &'static str, arguments: (usize, usize), call: StageMember) -> Self {
        StageRow { name, as3_type: None, arguments, call: Some(call), get: None }
    }

    const fn property(
        name: &'static str,
        as3_type: &'static str,
        get: StageMember,
        call: Option<StageMember>,
    ) -> Self {
        StageRow { name, as3_type: Some(as3_type), arguments: (1, 1), call, get: Some(get) }
    }

    /// Whether it is a property that is assigned to.
    pub fn is_setter(&self) -> bool {
        self.as3_type.is_some() && self.call.is_some()
    }
}

/// The methods and properties of `Stage3D`.
pub const STAGE3D_MEMBERS: [StageRow; 6] = [
    StageRow::method("requestContext3D", (0, 2), StageMember::Request),
    StageRow::method("requestContext3DMatchingProfiles", (1, 1), StageMember::RequestMatching),
    StageRow::property("context3D", "Context3D", StageMember::Context3D, None),
    StageRow::property("x", "Number", StageMember::X, Some(StageMember::SetX)),
    StageRow::property("y", "Number", StageMember::Y, Some(StageMember::SetY)),
    StageRow::property("visible", "Boolean", StageMember::Visible, Some(StageMember::SetVisible)),
];

impl Member {
    /// The member of a class with a name as VMs write it: `setCulling` or `set_culling`; `get profile`, `get_profile` or
    /// `getProfile` for a getter, and so with `set` for a setter.
    pub fn find(class: &str, name: &str) -> Option<Member> {
        let is =
            |prefix: &str, member: &str| letters(name).eq(letters(prefix).chain(letters(member)));
        if class == STAGE3D {
            let mut rows = STAGE3D_MEMBERS.iter();
            let prefix = |row: &StageRow| if row.is_setter() { "set" } else { "" };
            let stage = rows.find_map(|row| {
                let call = row.call.filter(|_| is(prefix(row), row.name));
                call.or(row.get.filter(|_| is("get", row.name)))
            })?;
            return Some(Member { class: STAGE3D, kind: MemberKind::Stage(stage) });
        }
        let calls = CALLS.iter().filter_map(|call| {
            let prefix = match call.kind {
                CallKind::Method => "",
                CallKind::Setter => "set",
                CallKind::Host => return None,
            };
            // What all four classes of textures have is their superclass's.
            let all = class == "TextureBase" && call.classes.len() == 4;
            let class = call.classes.iter().find(|of| all || **of == class)?;
            let kind = MemberKind::Call(call);
            is(prefix, call.name).then_some(Member { class, kind })
        });
        let properties = PROPERTIES.iter().filter(|row| row.class == class && is("get", row.name));
        let kind =
            |row: &'static Property| Member { class: row.class, kind: MemberKind::Property(row) };
        calls.chain(properties.map(kind)).next()
    }

    /// Takes the arguments of a method or setter of `Stage3D`; `None` for every other member.
    ///
    /// # Errors
    /// What taking an argument throws.
    pub fn stage_command<A: Arguments>(
        self,
        arguments: &mut A,
    ) -> Result<Option<StageCommand>, A::Error> {
        match self.kind {
            MemberKind::Stage(member) => member.command(arguments),
            MemberKind::Call(_) | MemberKind::Property(_) => Ok(None),
        }
    }
}

fn letters(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(|byte| !b"_ ".contains(byte)).map(|byte| byte.to_ascii_lowercase())
}

impl StageMember {
    /// Takes the arguments of a method or setter; `None`: it is a getter.
    pub(crate) fn command<A: Arguments>(
        self,
        arguments: &mut A,
    ) -> Result<Option<StageCommand>, A::Error> {
        Ok(Some(match self {
            StageMember::Context3D | StageMember::X | StageMember::Y | StageMember::Visible => {
                return Ok(None);
            }
            StageMember::SetX => StageCommand::SetX(arguments.next_number()?),
            StageMember::SetY => StageCommand::SetY(arguments.next_number()?),
            StageMember::SetVisible => StageCommand::SetVisible(arguments.next_bool()?),
            StageMember::Request => {
                let mode = text_or(RenderMode::Auto.name(), arguments)?;
                let profile = text_or(DEFAULT_PROFILE.name(), arguments)?;
                StageCommand::Request { mode, profile, listens: arguments.listens()? }
            }
            StageMember::RequestMatching => {
                let names = arguments.next_strings()?;
                let texts =
                    |names: Vec<Option<A::Text>>| names.into_iter().map(owned::<A>).collect();
                let profiles = names.map(texts);
                StageCommand::RequestMatching { profiles, listens: arguments.listens()? }
            }
        }))
    }
}

fn owned<A: Arguments>(text: Option<A::Text>) -> Option<String> {
    text.map(|text| text.to_owned())
}

fn text_or<A: Arguments>(default: &str, arguments: &mut A) -> Result<Option<String>, A::Error> {
    if arguments.is_left() {
        arguments.next_string().map(owned::<A>)
    } else {
        Ok(Some(default.to_owned()))
    }
}
