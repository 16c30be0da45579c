//! Finds the member that a name refers to.

use refit_base::{
    contract::{Member, Model},
    wire::{Error, ErrorKind, Result, count, did_you_mean},
};

/// The member for an exact name, `#index`, or a name that differs only in case.
pub fn find_member(model: &dyn Model, wanted: &str) -> Result<usize> {
    by_name(&model.all_members()?, wanted).or_else(|e| model.alias(wanted).ok_or(e))
}

fn by_name(members: &[Member], wanted: &str) -> Result<usize> {
    let named = |matches: &dyn Fn(&str) -> bool| -> Vec<usize> {
        members
            .iter()
            .enumerate()
            .filter(|(_, member)| matches(&member.name))
            .map(|(index, _)| index)
            .collect()
    };
    let exact = named(&|name| name == wanted);
    if exact.is_empty()
        && let Some(index) = wanted
            .strip_prefix('#')
            .and_then(|digits| digits.parse::<usize>().ok())
    {
        if index < members.len() {
            return Ok(index);
        }
        return Err(Error::say(format!(
            "there is no member #{index}: the file has {}",
            count(members.len(), "member")
        ))
        .of_kind(ErrorKind::NoMember));
    }
    // Either slash matches: archives use the backslash of DOS.
    let fold = |name: &str| name.replace('\\', "/").to_lowercase();
    let found = if exact.is_empty() {
        named(&|name| fold(name) == fold(wanted))
    } else {
        exact
    };
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let mut error =
                Error::say(format!("no member is called {wanted:?}")).of_kind(ErrorKind::NoMember);
            let mut like: Vec<&str> = members
                .iter()
                .map(|member| member.name.as_str())
                .filter(|name| fold(name).contains(&fold(wanted)))
                .collect();
            like.dedup();
            like.truncate(3);
            let near = did_you_mean(
                &fold(wanted),
                members.iter().map(|member| member.name.as_str()),
            );
            error = match (members.is_empty(), like.as_slice()) {
                (true, _) => error.hint("the file has no members"),
                (false, []) => {
                    error.hint(near.unwrap_or_else(|| "`refit list` shows the names".into()))
                }
                (false, like) => error.hint(format!("like it: {}", like.join(", "))),
            };
            Err(error)
        }
        [first, ..] => {
            let places: Vec<String> = found
                .iter()
                .take(8)
                .map(|index| format!("#{index}"))
                .collect();
            let more = if found.len() > places.len() {
                ", …"
            } else {
                ""
            };
            Err(Error::say(format!(
                "{wanted:?} is the name of {} members: {}{more}",
                found.len(),
                places.join(", ")
            ))
            .hint(format!("say which one, for example '#{first}'"))
            .of_kind(ErrorKind::NoMember))
        }
    }
}
