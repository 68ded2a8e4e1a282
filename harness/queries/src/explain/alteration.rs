//! A changed field of a call.

/// A change of one or more arguments of a call, with the old and new values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Alteration {
    pub(super) call: &'static str,
    /// The changed parameters; empty if whole calls are deleted, inserted or replaced.
    pub(super) field: String,
    pub(super) from: String,
    pub(super) to: String,
}

impl Alteration {
    /// Returns a replacement of whole calls.
    pub(super) fn whole(call: &'static str, from: String, to: impl Into<String>) -> Alteration {
        Alteration { call, field: String::new(), from, to: to.into() }
    }

    /// Returns the differing fields of two calls as one alteration, or `None` if the calls are equal.
    pub(super) fn of(
        call: &'static str,
        fields: &[(&'static str, String, String)],
    ) -> Option<Alteration> {
        let join = |part: fn(&(&'static str, String, String)) -> String| {
            fields.iter().map(part).collect::<Vec<_>>().join(", ")
        };
        (!fields.is_empty()).then(|| Alteration {
            call,
            field: join(|(name, ..)| (*name).to_owned()),
            from: join(|(_, from, _)| from.clone()),
            to: join(|(.., to)| to.clone()),
        })
    }
}
