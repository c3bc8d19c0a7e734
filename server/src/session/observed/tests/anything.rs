//! Steps of any kind in any order: nothing is shown twice, and nothing ends that did not begin.
//! What each order comes to stands in the table beside this.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn step() -> impl Strategy<Value = Step> {
    let generation = prop_oneof![Just(""), Just("g1"), Just("g2"), Just("g3")];
    let command = || prop_oneof![Just("make"), Just("ls")];
    let id = prop_oneof![Just("t1"), Just("t2"), Just("t3"), Just("t4")];
    let file = || prop_oneof![Just("a.rs"), Just("/w/a.rs")];
    let text = || prop_oneof![Just("go"), Just("on")];
    prop_oneof![
        (generation.clone(), text()).prop_map(|(during, text)| Asks(during, text)),
        generation.clone().prop_map(SendsBack),
        (generation.clone(), id, command()).prop_map(|(during, id, command)| Tool(during, id, command, OK)),
        (generation.clone(), command()).prop_map(|(during, command)| Bare(during, command)),
        (generation, file()).prop_map(|(during, file)| Edited(during, file)),
        text().prop_map(Prompt),
        Just(Feedback),
        command().prop_map(Call),
        file().prop_map(Edit),
        text().prop_map(Says),
        (0_u64..5_000).prop_map(Wait),
        Just(Look),
    ]
}

proptest! {
    /// Whatever comes in whatever order: no id is shown twice, no call ends before it began, and no more calls are shown
    /// than were told.
    #[test]
    fn nothing_is_shown_twice(steps in prop::collection::vec(step(), 0..60)) {
        let (shown, _) = play(&steps);
        let mut calls = BTreeSet::new();
        for word in &shown {
            if let Some(id) = word.strip_prefix("call ") {
                prop_assert!(calls.insert(id.to_owned()), "{} in {:?}", id, shown);
            } else if let Some(rest) = word.strip_prefix("end ") {
                let id = rest.split(' ').next().unwrap_or_default();
                prop_assert!(calls.contains(id), "{} in {:?}", id, shown);
            }
        }
        let told = steps.iter().filter(|step| matches!(step, Tool(..) | Bare(..) | Edited(..) | Call(..) | Edit(..))).count();
        prop_assert!(calls.len() <= told);
    }

    /// A session in which every run is told by both events and by the record shows each run once, wherever the looks fall.
    #[test]
    fn a_run_that_everybody_tells_is_one(
        runs in prop::collection::vec((prop_oneof![Just("make"), Just("ls")], any::<bool>()), 1..8),
        looks in prop::collection::vec(any::<bool>(), 8),
    ) {
        let ids = ["t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"];
        let mut steps = vec![Asks("g1", "go")];
        let mut rows = vec![Prompt("go")];
        for (at, (command, bare_first)) in runs.iter().enumerate() {
            let (tool, bare) = (Tool("g1", ids[at], command, OK), Bare("g1", command));
            steps.extend(if *bare_first { [bare, tool] } else { [tool, bare] });
            steps.push(Wait(PAIR + 1));
            rows.push(Call(command));
            if looks[at] {
                steps.push(Look);
                steps.append(&mut rows);
            }
        }
        steps.push(Look);
        steps.append(&mut rows);
        let (shown, _) = play(&steps);
        let expected = runs.len();
        prop_assert_eq!(shown.iter().filter(|word| word.starts_with("call ")).count(), expected, "{:?}", shown);
        prop_assert_eq!(shown.iter().filter(|word| word.starts_with("end ")).count(), expected, "{:?}", shown);
    }
}
