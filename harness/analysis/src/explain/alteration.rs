//! A change of a field of calls.

/// A field of a call with another value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Alteration {
    pub(super) call: &'static str,
    /// The parameter, or several; empty if the whole call is deleted, inserted or replaced.
    pub(super) field: String,
    pub(super) from: String,
    pub(super) to: String,
}

impl Alteration {
    /// Joins the fields that differ; `None` if none does.
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
