// The sample report of the walkthrough: what a report looks like, with a made-up session.
// Nothing of it comes from the server, and it is not in Problems.

/** The text, in Markdown. */
export const SAMPLE = `# Sample: session 7f3a of Claude Code

This is a made-up session. A real report has one line for each finding, each claim and each turn that was sent back.

- turn 12, finding 31c0, stale-verdict, open: \`pytest tests/test_retry.py\` passed in turn 11, failed in turn 12, and the reply does not say so
- turn 12, claim 8ad2, open: “backoff never exceeds 30 s”; reason given: “no clock to test it with”
- turn 14, sent back once for untried-claim: “backoff never exceeds 30 s”

Where it shows:

- in Problems, and as a squiggle at the line that the finding is about
- in Agent Verdicts in the Explorer: session, kind, finding
- in the status bar: how many verdicts are stale

What can be done about it, by the light bulb (Ctrl+.) or in Agent Verdicts:

- run the check again: the command is typed into a terminal, and your Enter runs it
- open the transcript at that turn
- copy the finding as a prompt for the agent
- retire the claim with a reason, or dismiss the finding; both can be taken back
`;
