//! Puts what was edited in a project into its game:
//! `cargo run --example repack_project -- PROJECT [GAME]`.

use refit::{
    Error,
    project::Project,
    workbench::{Event, Options, project},
};
use std::path::PathBuf;

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let Some(root) = arguments.next() else {
        return Err(Error::say("name a project"));
    };
    let project = Project::open(&root)?;
    let game = arguments
        .next()
        .map_or_else(|| project.game("a second argument"), Ok)?;
    // What the workbench reports while it works.
    let progress = |event: Event<'_>| match event {
        Event::Warning(text) => eprintln!("warning: {text}"),
        Event::Finding(severity, text) => eprintln!("{}: {text}", severity.word()),
        Event::Repacked(tree) => {
            for finding in tree.news.iter().flat_map(|news| &news.found) {
                eprintln!("{}: {}", finding.severity.word(), finding.message);
            }
            if let Some(error) = &tree.error {
                eprintln!("error: {error}");
            }
        }
        _ => {}
    };
    let done = project::repack(&project, &game, &Options::default(), &progress)?;
    for tree in &done.built {
        println!(
            "{} ({} bytes)",
            tree.file
                .as_deref()
                .map_or_else(String::new, |file| file.display().to_string()),
            tree.bytes.unwrap_or(0)
        );
    }
    println!(
        "{} restored, {} not edited",
        done.restored.len(),
        done.unedited
    );
    Ok(())
}
