//! The English phrase set: what people write when an agent has gone another way than the one they asked for.
//! How a pattern is read, and what takes a match back, stays out.

use super::Kind;

/// Phrases of one class and kind.
pub(super) struct Set {
    /// The class of a correction by one of them.
    pub(super) class: &'static str,
    /// When one of them counts.
    pub(super) kind: Kind,
    /// The patterns: `a|b` one of these words, `a?` may be missing, `*3` up to three words, `@name` an entry of a list,
    /// `^` where a sentence begins, `$` where a clause ends.
    pub(super) patterns: &'static [&'static str],
}

/// The work went beyond or beside what was asked for.
const DRIFT: &str = "drift";
/// The work went another way than the one wanted.
const WRONG_WAY: &str = "wrong-way";

/// All sets. The first pattern that matches earliest in a prompt gives the class.
pub(super) const SETS: &[Set] = &[
    Set {
        class: DRIFT,
        kind: Kind::Plain,
        patterns: &[
            "what are|were we|you doing $",
            "what are|were we|you doing to|here",
            "what the hell|fuck|heck are|were|is|did we|you",
            "what have you done to|here",
            "what did you do to my|the|our|this|that|these|those",
            "^ what have you done $",
            "you|we are now|just|still|again|clearly|repeatedly|already|constantly|always? drifting",
            "you|we keep drifting|wandering",
            "you|we have? drifted",
            "stop the? scope? drift|drifting|creep|creeping $",
            "stop the? scope drift|drifting|creep|creeping",
            "stop drifting again|away|from|into|off|around",
            "stop *2 scope creep",
            "this|that is pure|just|total|classic|clearly|again? scope creep",
            "nothing like what i|we asked|requested",
            "beyond|outside|than what? i|we asked|requested",
            "that|this is|was not the task|assignment|request|ask|job $",
            "that|this is|was not the task|assignment|request|ask|job i|we *1 gave|set|assigned|described|asked|wanted",
            "we agreed *8 $ @not_that",
            "you went off and",
            "^ wrong direction|file|branch|repo|folder $",
            "nothing to do with what i|we asked|requested|wanted",
            "all i am asking",
            "all i have? ever? asked",
            "all i wanted was",
            "i|we only wanted you|the|a|this|that|one",
            "i|we just wanted you to",
            "i|we wanted|asked|said *6 only $",
            "i|we said|meant only",
            "just|only do what i|we asked|said|told",
            "do only what i|we asked|said|told",
            "stick to|with what i|we asked|said|told|wanted|agreed|described|specified|discussed",
            "stick to the|my task|request|plan|brief|scope|spec",
            "back to what i|we asked",
            "focus on what i|we asked",
            "i|we did? not|never ask|asked|request|requested $",
            "i did? not|never ask|asked|request|requested for|to",
            "i|we did? not|never ask|asked|request|requested you to|for",
            "i|we did? not|never tell|told you to|that|about|anything",
            "i|we did? not|never say|said to|anything",
            "i|we did? not|never say|said to|you *1 @base",
            "i|we did? not|never say|said @base",
            "i|we said nothing about",
            "i|we did? not|never say|said anything about",
            "i|we did? not|never mention|mentioned anything|any",
            "i|we did? not|never want|wanted you to",
            "i|we did? not|never approve|approved|authorize|authorise|authorized|authorised|agree|agreed|okay *1 that|this|to|any|these|those|your",
            "nobody|noone asked $",
            "nobody|noone asked you",
            "nobody|noone asked for this|that|it|these|those $",
            "nobody|noone asked for any of",
            "no one asked $",
            "no one asked you",
            "no one asked for this|that|it|these|those $",
            "nobody|noone told you",
            "did i|we ever? ask for|to|anything",
            "did i|we ever? say to|anything|you",
            "who asked you",
            "who told you to",
            "who asked for|to",
            "who said you|to|anything",
            "i|we asked|told you not to",
            "i|we told you to? not|never|only|just|leave|wait|ask",
            "i|we said to? do? not to? @base",
            "i|we said|wanted|meant *8 $ @not_that",
            "i|we said|wanted|meant <name> not <name> $",
            "i|we asked|told *10 $ @not_that",
            "you *1 went|are|were *2 out of scope",
            "you *1 went|are|were *2 outside of? the scope",
            "you *1 went|go|are|were *2 beyond the|my scope|request|task|what",
            "that|this|those|these was|were *2 out of scope",
            "changes|change|edits|edit|refactor|commit|files|lines is|are|was|were *1 out of scope",
            "that|this|those|these was|were *1 not *1 part of the|my|our|this request|task|plan|scope|ask|job|ticket|brief $",
            "that|this|those|these was|were *1 not *1 part of the|my|our|this request|task|plan|scope|ask|job|ticket|brief at|i|we",
            "that|this|those|these is|are|was|were *1 not *1 part of what i|we",
            "you are|were|have been? *1 off track|topic|course|script",
            "you are|were going|heading|moving *2 wrong direction",
            "you *1 went too far $",
            "you *1 went too far with|by|when|there|again|this",
            "you *2 went overboard",
            "you *1 overdid|overstepped|overreached|overengineered",
            "you did|wrote|added|changed|touched|are|were|have *3 too much $",
            "you *1 did|changed|touched|wrote|added way? *1 more than i|we|what|you|was|needed|necessary",
            "you *2 @did *6 you should not $",
            "you *2 @did *6 you should not have",
            "you *2 @did *6 i|we did? not|never ask|asked|tell|mention|mentioned|request|requested",
            "you should not|never have @participle",
            "you should not be @meddling",
            "you have no business @doing",
            "you *1 should have asked me|us|first|before",
            "you *1 should have left|stayed",
            "you *1 should have checked with",
            "you *2 @doing *8 without asking $",
            "you *2 @doing *8 without asking|telling|deciding|checking|consulting|talking|confirming with|to? me|us|first",
            "you *2 @doing *8 without my|permission|approval|confirmation",
            "you *2 @did *8 without asking $",
            "you *2 @did *8 without asking|telling|deciding|checking|consulting|talking|confirming with|to? me|us|first",
            "you *2 @did *8 without my|permission|approval|confirmation",
            "you *2 @did *3 the? wrong file|files|repo|repository|branch|folder|directory|project|module|package",
            "you are|were *2 in the wrong file|repo|repository|branch|folder|directory|project",
            "you are|were supposed to only|just",
            "you are|were supposed to *10 $ @not_that",
            "you are|were *1 ignoring *1 what i|we",
            "you *2 ignored|ignore|ignoring my|our",
            "you *2 ignored|ignore|ignoring what i|we",
            "you did not|never follow|respect *1 my|our|the instructions|instruction|rules|request|constraints|what",
            "this|that|these|those|they *1 should not|never have been @participle",
            "this|that|these|those should not be @participle $",
            "this|these|those *1 is|are|was|were not *1 needed|necessary|required|wanted :",
            "these|those|your changes|edits|lines|files|additions is|are|was|were not *1 needed|necessary|required|wanted|requested $",
            "these|those|your changes|edits|lines|files|additions is|are|was|were unnecessary|unwanted|unrelated|unasked|unrequested",
            "stop @meddling",
            "stop doing that|this|things|stuff|more $",
            "stop @doing @things $",
            "^ stop it|that|this $",
            "^ stop right there",
        ],
    },
    Set {
        class: DRIFT,
        kind: Kind::Result,
        patterns: &[
            "that|this is|was *1 not *1 what i|we asked|said|meant|requested|described|specified|agreed|discussed",
            "that|this is|was *1 not *1 what i|we wanted|want $",
            "it is|was not *1 what i|we asked|said|meant|requested",
            "^ not what i|we asked|said|meant|wanted|requested",
            "that|this is|was not at all what i|we",
            "i|we only|just asked you? to|for",
            "i|we asked you? only|just to|for",
            "i|we did? not|never ask|asked|request|requested that|this|any|anything|it $",
            "you are|were not supposed to",
            "you are|were supposed to @keep",
            "you are|were only|just supposed to",
            "i|we asked|told|said|wanted *10 and|but|then you *1 @overdid",
        ],
    },
    Set {
        class: DRIFT,
        kind: Kind::Question,
        patterns: &[
            "why did|have you expand|expanded|drift|drifted|switch|switched|start|started|wander|wandered",
            "did i|we ever? ask|tell you to|for",
            "when|where did i|we ever? ask|tell|say you? to|for|anything",
            "why are you even|suddenly|just|still|now|also|again? @doing",
            "why were you even|suddenly|just|still|now|also|again? @doing",
            "why did you even|suddenly|just|still|now|also|again? @base",
            "why have you even|suddenly|just|still|now|also|again? @participle",
            "why on earth did|would|are you",
            "how come you even|suddenly|just|still|now|also|again? @did",
        ],
    },
    Set {
        class: DRIFT,
        kind: Kind::Order,
        patterns: &[
            "re? read|reread *1 what i|we asked|said",
            "do not *1 touch the|my|our|your|any|other|those|these? <name>",
            "do not *1 mess|fiddle|tinker with the|my|our? <name>",
            "never touch the|my|our|any? <name>",
            "leave the|my|our|those|these|this|that <name> *2 alone",
            "leave <name> alone",
            "hands off the|my|our? <name>",
            "keep your hands off",
            "i do not want you to @base",
        ],
    },
    Set {
        class: DRIFT,
        kind: Kind::Undo,
        patterns: &[
            "@undo *3 what you *1 did|changed|added|wrote|removed|made",
            "@undo *3 everything|all|anything|whatever *1 you",
            "@undo *1 your *2 changes|edits|change|edit|commit|work|additions",
            "@undo *2 changes|edits|commit|files|lines|code|tests you",
            "@undo *2 @things i|we did? not|never ask|asked|request|want",
            "@undo *2 unrelated|unrequested|unwanted|extra|other",
            "@undo this|that|it|these|those *1 and|only|just only|just",
            "put|change|set|bring *3 back to? the? way|how|where|as|like it|they|this|that|i|we was|were|had",
            "put *3 back what|everything|all *1 you",
            "restore *3 you *1 @did",
            "bring back *3 you *1 @did",
            "put *3 back that you *1 @did",
        ],
    },
    Set {
        class: WRONG_WAY,
        kind: Kind::Plain,
        patterns: &[
            "why are|is|did|do|would|were|was you|we *3 @work *30 @alternative",
            "should not you|we *3 @work *30 @alternative",
            "you|we should not *3 @work *30 @alternative",
            "surprised|confused|puzzled|why *6 you|we *2 @decided *30 instead of",
            "just? fix|do|change|implement|run|land|merge it|this|that locally",
        ],
    },
    Set {
        class: WRONG_WAY,
        kind: Kind::Order,
        patterns: &[
            "do not use the? <name> tool|command|cli|skill|server|plugin? $",
            "do not use the? <name> for this|that $",
            "stop using the? <name> tool|command|cli|skill|server|plugin? $",
        ],
    },
];

/// What asks for more. A request of this kind takes a correction back.
pub(super) const EXPANSIONS: &[&str] = &[
    "expand|broaden|extend|widen *1 scope",
    "also|additionally add|include|handle|do|cover",
    "add|include|handle|do|cover *12 too|also $",
    "add|include|handle|do|cover *12 as well",
];

/// Behind a phrase, in its sentence: what was done is welcome all the same, or was only asked about.
pub(super) const WELCOMES: &[&str] = &[
    "i|we love|like",
    "love|like it|that",
    "good enough",
    "it|that|this is fine|ok|okay|good|great|perfect|better",
    "fine|ok|okay by|with|for me|us",
    "looks good|great|fine",
    "great|good|fine so far",
    "it works",
    "just asking|kidding|wondering|curious",
    "go ahead",
    "you can continue|proceed",
    "but i|we *2 want",
    "right $",
];
/// Right before a phrase: thanks for what it says.
pub(super) const THANKS: &[&str] = &[
    "thanks|thank for",
    "thank you *2 for",
    "i *1 love|loved|like|liked that|how|it",
    "glad|happy that|you|it|to",
];
/// At the end of a phrase and behind it: it is about what a program does, or somebody else did.
pub(super) const OF_A_PROGRAM: &[&str] = &[
    "asked|wanted|meant the|a|an|my|our *2 to",
    "supposed to see|find|get|land|log",
    "@participle by the|a|an|our|ci",
];
/// Anywhere: the mistake was the person's own.
pub(super) const SLIPS: &[&str] = &[
    "my mistake|bad|fault|typo",
    "sorry typo",
    "typo sorry",
    "i misspoke|mistyped",
];
/// What a program does that does not do what it should.
pub(super) const REPORTS: &str = "returns|shows|displays|prints|renders|sends|throws|crashes|outputs|responds";
/// With one of these, scope is what a name has in code.
pub(super) const CODE_SCOPE: &str = "\
    variable|variables|closure|compiler|compile|borrow|lifetime|linter|identifier|symbol|binding|const";

/// What takes the edge off a question: who asks like this wants to know.
pub(super) const CURIOUS: &str =
    "curious|curiosity|wondering|wonder|interested|explain|understand|learn|interest|forget|forgot|remember";
/// The same within the sentence: who offers a reason asks for the right one, and a place or a number is about the code.
pub(super) const GUESSING: &str = "because|here|twice|each|every|times";

/// With one of these words, an undo is about how the result looks, whether it works, or a change of mind.
pub(super) const TASTE: &str = "\
    actually|awful|ugly|weird|hate|dislike|prefer|looks|look|nicer|better|second|mind|sorry|mistake|bad|broken\
    |broke|breaks|fails|failing|failed|error|works|working|slow|slower|crash|crashes|instead|maybe";

/// Earlier in the sentence, these make it a condition or somebody else's words.
pub(super) const BLOCKERS: &str = "\
    if|when|whenever|unless|once|until|whether|said|says|saying|told|asks|asking|asked|wants|suggests|complains\
    |complained|wrote|writes|answered|answers|replied|replies";

/// Whose words are the person's own all the same.
pub(super) const OWN: &str = "i|we|as|just";

/// A clause that begins with one of these asks for new work; an order beside it only bounds that work.
pub(super) const NEW_WORK: &str = "\
    add|implement|create|write|build|make|update|refactor|fix|rename|move|port|migrate|change|continue|go\
    |proceed|start|run|use|convert|replace|clean|improve|review|check|find|try|test|next|i|can|could|let|for|yes\
    |yeah";
/// With one of these, an order holds for some time or some case only.
pub(super) const BOUNDS: &str = "now|while|when|until|during|unless|if";
/// Words behind which a clause begins without a comma.
pub(super) const LINKS: &str = "and|but|then|please|now";

/// What no tool is called, nor anything else that an order may name.
pub(super) const NAMELESS: &str = "\
    it|this|that|them|these|those|any|a|an|the|my|your|our|maybe|probably|perhaps|is|do|not|me|us|you|him|her|so\
    |too|more|such";

/// What may stand before the first word that says something.
pub(super) const COURTESY: &str =
    "please|hey|stop|wait|ok|okay|so|and|just|hm|hmm|um|well|oh|look|again|but|then|now|whoa|sorry";
/// Not the same as a courtesy: what may stand before a request for more.
pub(super) const REQUEST_LEADS: &str = "\
    please|ok|okay|so|and|then|but|now|just|oh|hey|yes|yeah|can|could|would|will|you|we|should|i|want|need|to\
    |let|us|lets|go|ahead|like";

/// Verbs of changing something, bare.
const BASE: &str = "\
    touch|change|edit|modify|rewrite|refactor|remove|delete|drop|add|create|rename|move|replace|commit|push\
    |install|overwrite|reformat|restructure|reorganize|implement|generate|merge|revert|convert|introduce|disable\
    |bump|upgrade|downgrade|deploy|publish|release|write|alter|mess";
const DID: &str = "\
    touched|changed|edited|modified|rewrote|refactored|removed|deleted|dropped|added|created|renamed|moved\
    |replaced|committed|pushed|installed|overwrote|reformatted|restructured|reorganized|implemented|generated\
    |merged|reverted|converted|introduced|disabled|bumped|upgraded|downgraded|deployed|published|released|wrote\
    |altered";
const PARTICIPLE: &str = "\
    touched|changed|edited|modified|rewritten|refactored|removed|deleted|dropped|added|created|renamed|moved\
    |replaced|committed|pushed|installed|overwritten|reformatted|restructured|reorganized|implemented|generated\
    |merged|reverted|converted|introduced|disabled|bumped|upgraded|downgraded|deployed|published|released\
    |written|altered";
const DOING: &str = "\
    touching|changing|editing|modifying|rewriting|refactoring|removing|deleting|dropping|adding|creating\
    |renaming|moving|replacing|committing|pushing|installing|overwriting|reformatting|restructuring|reorganizing\
    |implementing|generating|merging|reverting|converting|introducing|disabling|bumping|upgrading|downgrading\
    |deploying|publishing|releasing|writing|altering|making|building|messing|starting";
/// Only an agent does these; a program that is spoken of does the others too.
const MEDDLING: &str =
    "touching|refactoring|drifting|improvising|overengineering|messing with|fiddling with|going off|wandering";
const THINGS: &str = "\
    things|stuff|files|code|tests|comments|docs|features|everything|more files|other files|unrelated|extra\
    |my files|my code|the tests|the code|the files|other things|the lines|the changes";
/// What went too far, in "I asked for a fix and you rewrote it".
const OVERDID: &str = "rewrote|deleted|refactored|committed|pushed|installed|replaced|went|gave me";
/// What one is supposed to keep to.
const KEEP: &str = "be following|follow|be using|keep to|stay|stick|leave|wait|ask|be asking|check with|only";
const UNDO: &str = "undo|revert|roll back|rollback|back out|take back|take out|reverse";
/// The other half of "X, not Y".
const NOT_THAT: &str = "\
    not the|not a|not an|not to|not all|not every|not everything|not this|not that|not my|not our|not in|not on\
    |not two|not three|not \u{fffb}";
const WORK: &str = "\
    do|use|run|execute|implement|build|write|test|deploy|land|merge|process|handle|parallel|batch|spawn|delegate\
    |go|doing|using|running|executing|implementing|building|writing|testing|deploying|landing|merging|processing\
    |handling|batching|spawning|delegating|going|parallelize|parallelizing";
const ALTERNATIVE: &str = "\
    instead|rather than|as opposed to|and not|not in|not on|not with|not via|not using|not through|the same way\
    |the way you did|the way we did|the way you do|the way we do|the way you had|the way we had|the way you have\
    |the way we have|like we did|like you did|like we do|like we had|like we have|like you do|like you had\
    |like you have";
const DECIDED: &str = "\
    elected|elect|chose|choose|opted|opt|picked|pick|decided|decide|switched|switch|defaulted|default|used|use\
    |went with|go with|ended up|end up";

/// The entries of a list: words, or several in a row.
pub(super) fn list(name: &str) -> Vec<&'static str> {
    let entries = match name {
        "base" => BASE,
        "did" => DID,
        "participle" => PARTICIPLE,
        "doing" => DOING,
        "meddling" => MEDDLING,
        "things" => THINGS,
        "overdid" => OVERDID,
        "keep" => KEEP,
        "undo" => UNDO,
        "not_that" => NOT_THAT,
        "work" => WORK,
        "alternative" => ALTERNATIVE,
        "decided" => DECIDED,
        _ => return Vec::new(),
    };
    entries.split('|').collect()
}

/// True when a list holds a word.
pub(super) fn holds(list: &str, word: &str) -> bool {
    list.split('|').any(|entry| entry == word)
}
