//! A harness's settings as they are: whether it reads them, whether our entries are in them, and start what they should.
//! What is heard of the entries stays out.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::check::Check;
use super::rehearsal::Start;
use crate::install::Request;
use crate::install::entries::{self, Hook};
use crate::install::files::Trouble;
use crate::install::harness::{STOP, Spec, Surroundings};
use crate::install::json;
use crate::install::language::Language;
use crate::install::settings::{Settings, shown};
use crate::install::setup::{self, Found, Pair};
use crate::install::tree::Node;
use crate::install::wanted;

/// What the hook itself waits at the end of a turn, in seconds, its own start included.
const OWN_WAIT: u64 = 3;

/// What is known before settings are looked at.
pub(crate) struct Known<'a> {
    /// What was found of the harness.
    pub(crate) found: &'a Found,
    /// Where, and by which hook.
    pub(crate) request: &'a Request<'a>,
    /// Why the hook beside this program can't be told.
    pub(crate) no_hook: Option<&'a str>,
    /// The person has left out the events of helper agents.
    pub(crate) no_helpers: bool,
    /// How long the person's judge may take, in seconds.
    pub(crate) judge: Option<u64>,
}

/// One entry of ours.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    event: String,
    program: String,
    timeout: Option<f64>,
    /// How it is started.
    pub(crate) start: Start,
}

/// A folder of a harness's settings.
pub(crate) struct Folder {
    /// Its files.
    pub(crate) pair: Pair,
    /// Our entries in them.
    pub(crate) entries: Vec<Entry>,
}

impl Folder {
    /// Reads a folder's files.
    ///
    /// # Errors
    /// What has to be said in place of everything else about it.
    pub(crate) fn read(spec: &Spec, folder: &Path) -> Result<Self, Check> {
        const NAME: &str = "settings";
        let pair = Pair::read(spec, folder).map_err(|error| match error.downcast_ref::<Trouble>() {
            Some(Trouble::System { .. }) => Check::unchecked(
                NAME,
                format!("{error:#}."),
                "Make the file readable for you, and run this again.",
            ),
            _ => Check::fail(
                NAME,
                format!("{error:#}. {} takes nothing from such a file.", spec.title),
                "Mend the file at that place, and run this again.",
            ),
        })?;
        let files = [Some(&pair.own), pair.toml.as_ref()];
        let roots = files.into_iter().flatten().filter_map(|file| file.root.as_ref());
        let ours = roots.flat_map(|root| entries::hooks(root, spec)).filter(Hook::is_ours);
        let entries = ours.filter_map(|hook| entry(&hook)).collect();
        Ok(Self { pair, entries })
    }

    /// The file that has our entries, or would get them.
    pub(crate) fn main(&self, spec: &Spec) -> &Settings {
        self.pair.order(spec).0
    }

    /// Everything that its files alone tell.
    pub(crate) fn checks(&self, spec: &Spec, known: &Known<'_>) -> Vec<Check> {
        let mut checks = vec![self.settings(spec), self.entries(spec, known)];
        if !self.entries.is_empty() {
            checks.push(self.current(spec, known));
            checks.push(self.timeouts(spec, known));
        }
        checks.push(self.switches(spec, known));
        checks
    }

    fn settings(&self, spec: &Spec) -> Check {
        const NAME: &str = "settings";
        let main = self.main(spec);
        let name = shown(&main.asked);
        let mend = format!("Mend {name} at that place, and run this again.");
        if let Some(why) = main.root.as_ref().and_then(|root| (spec.refuses)(&main.text, root)) {
            return Check::fail(
                NAME,
                format!("{name}: {why}. {} would not take the file.", spec.title),
                mend,
            );
        }
        let is_json = main.language == Language::Json;
        if main.mark && is_json && !spec.reads_mark {
            let what = format!(
                "{name} begins with a byte order mark, and {} reads no such file.",
                spec.title
            );
            return Check::fail(
                NAME,
                what,
                format!("Run `proofmark install {}`: it takes the mark out.", spec.harness),
            );
        }
        match json::liberty(&main.text).filter(|_| is_json && main.root.is_some()) {
            Some(why) if spec.reads_liberties == Some(false) => Check::fail(
                NAME,
                format!("{name}: {why}. {} takes nothing from such a file.", spec.title),
                mend,
            ),
            Some(why) if spec.reads_liberties.is_none() => Check::unchecked(
                NAME,
                format!("{name}: {why}. Nobody knows whether {} reads such a file.", spec.title),
                "Take that out to be sure.",
            ),
            _ if main.bytes.is_none() => {
                Check::pass(NAME, format!("There is no {name}, and so nothing in it to be refused."))
            }
            _ => Check::pass(NAME, format!("{} reads {name}.", spec.title)),
        }
    }

    fn entries(&self, spec: &Spec, known: &Known<'_>) -> Check {
        const NAME: &str = "entries";
        let name = shown(&self.main(spec).asked);
        let mend = format!("Run `proofmark install {}`.", spec.harness);
        if self.entries.is_empty() {
            return Check::fail(NAME, format!("None of Proofmark's hooks is in {name}."), mend);
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in &self.entries {
            *counts.entry(&entry.event).or_default() += 1;
        }
        let wanted = setup::events(spec, known.found, known.no_helpers);
        let missing: Vec<&str> = wanted
            .iter()
            .map(|event| event.name)
            .filter(|event| !counts.contains_key(event))
            .collect();
        if !missing.is_empty() {
            return Check::fail(
                NAME,
                format!("{name} has no hook of Proofmark's for {}.", missing.join(", ")),
                mend,
            );
        }
        let doubled: Vec<&str> = counts
            .iter()
            .filter(|(_, count)| **count > 1)
            .map(|(event, _)| *event)
            .collect();
        if !doubled.is_empty() {
            return Check::fail(
                NAME,
                format!("Proofmark's hook is there more than once for {}.", doubled.join(", ")),
                mend,
            );
        }
        Check::pass(
            NAME,
            format!("Each of {} events has one hook of Proofmark's in {name}.", counts.len()),
        )
    }

    fn current(&self, spec: &Spec, known: &Known<'_>) -> Check {
        const NAME: &str = "current";
        let mend = format!("Run `proofmark install {}`.", spec.harness);
        let runs = |path: &Path| {
            fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        };
        let gone = self.entries.iter().find(|entry| !runs(Path::new(&entry.program)));
        if let Some(entry) = gone {
            let what = format!(
                "The hooks name {}, where no program is: {} finds none, and goes on without a word.",
                entry.program, spec.title
            );
            return Check::fail(NAME, what, mend);
        }
        if let Some(why) = known.no_hook {
            return Check::unchecked(
                NAME,
                format!("{why}."),
                "Run the `proofmark` that has its hook beside it.",
            );
        }
        let real = |path: &str| fs::canonicalize(path).ok();
        let hook = known.request.hook;
        let others = self.entries.iter().find(|entry| {
            let beside = Path::new(&entry.program).with_file_name("proofmark-hook");
            real(&entry.program) != real(hook) && fs::canonicalize(beside).ok() != real(hook)
        });
        if let Some(entry) = others {
            let what = format!("The hooks run {}, and this program's is {hook}.", entry.program);
            return Check::fail(NAME, what, mend);
        }
        let main = self.main(spec);
        match wanted::with(
            &main.text,
            main.language,
            &setup::wanted(spec, known.found, known.request, known.no_helpers),
        ) {
            Ok(text) if text == main.text => {
                Check::pass(NAME, format!("They run {hook}, as this version writes them."))
            }
            Ok(_) => Check::fail(NAME, "They are not as this version writes them.", mend),
            Err(why) => Check::unchecked(NAME, format!("{why}."), "See what is said about the settings."),
        }
    }

    fn timeouts(&self, spec: &Spec, known: &Known<'_>) -> Check {
        const NAME: &str = "timeouts";
        let needed = OWN_WAIT + known.judge.unwrap_or(0);
        let is_end = |entry: &&Entry| {
            let event = spec.events.iter().find(|event| event.name == entry.event);
            event.is_some_and(|event| event.timeout >= STOP)
        };
        let given = self.entries.iter().filter(is_end).filter_map(|entry| entry.timeout);
        let least = given.fold(f64::INFINITY, f64::min);
        let judge = known
            .judge
            .map_or_else(String::new, |wait| format!(", {wait} s of it for the judge"));
        if least < needed as f64 {
            return Check::fail(
                NAME,
                format!("A hook at the end of a turn has {least} s, and may need {needed} s{judge}."),
                format!(
                    "Run `proofmark install {}`, or let the judge wait for less.",
                    spec.harness
                ),
            );
        }
        let has = if least.is_finite() {
            format!("{least} s")
        } else {
            "the time that is usual there".to_owned()
        };
        Check::pass(
            NAME,
            format!("A hook at the end of a turn has {has}, and needs {needed} s at most{judge}."),
        )
    }

    fn switches(&self, spec: &Spec, known: &Known<'_>) -> Check {
        const NAME: &str = "switches";
        let main = self.main(spec);
        let stops = (spec.stops)(&Surroundings {
            root: main.root.as_ref(),
            toml: self.pair.toml.as_ref().and_then(|toml| toml.root.as_ref()),
            versions: &known.found.versions,
            is_link: main.is_link(),
            project: known.request.project.is_some(),
        });
        match stops.is_empty() {
            true => Check::pass(NAME, "No switch that is known turns these hooks off."),
            false => Check::fail(
                NAME,
                stops.join(" "),
                "Take that out, or update the harness; then run this again.",
            ),
        }
    }
}

fn entry(hook: &Hook<'_>) -> Option<Entry> {
    let command = hook.node.get("command").and_then(Node::text)?.to_owned();
    let (program, start) = match &hook.whose {
        entries::Whose::Line(program, _) => (program.clone(), Start::Line(command)),
        entries::Whose::Direct(program) => {
            let arguments = hook.node.get("args").and_then(Node::elements).unwrap_or_default();
            let arguments = arguments.iter().filter_map(Node::text).map(str::to_owned).collect();
            (program.clone(), Start::Direct(command, arguments))
        }
        entries::Whose::Mixed | entries::Whose::Foreign => return None,
    };
    Some(Entry {
        event: hook.event.to_owned(),
        program,
        timeout: hook.node.get("timeout").and_then(Node::number),
        start,
    })
}
