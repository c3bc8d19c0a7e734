// Words for people, and agents' text that wants to be more than text.
// How an editor draws them is tested in a real one.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as texts from '../src/texts';
import { item, session, stale } from './samples';

test('an agent\'s text becomes one short line with nothing hidden in it', () => {
  for (const [text, expected] of [
    ['a\nb\tc', 'a b c'],
    ['x\u202ey\u200bz\u0000', 'xyz'],
    ['tag\u{e0041}ged', 'tagged'],
    ['  ', ''],
    ['é👍', 'é👍'],
    ['x'.repeat(100), `${'x'.repeat(79)}…`],
    ['👍'.repeat(100), `${'👍'.repeat(79)}…`],
  ] as const) assert.equal(texts.plain(text), expected, JSON.stringify(text));
});

test('no icon and no link is made of it', () => {
  assert.equal(texts.inert('$(trash) [Restart](command:proofmark.stop)'), '$ (trash) [Restart] (command:proofmark.stop)');
  assert.equal(texts.inert('$\u200b(trash)'), '$ (trash)', 'not by what is hidden between either');
});

test('a code span ends where it should', () => {
  for (const [text, expected] of [
    ['npm test', '`npm test`'],
    ['a `b` c', '`` a `b` c ``'],
    ['```', '```` ``` ````'],
    ['[x](command:y) *z*', '`[x](command:y) *z*`'],
    ['', '` `'],
    ['a\n\nb', '`a b`'],
  ] as const) assert.equal(texts.codeSpan(text), expected);
});

test('a session is named shortly', () => {
  assert.equal(texts.shortId('4c252179-f94b-41a7'), '4c252179');
  assert.equal(texts.shortId('/a/b/rollout-2026.jsonl'), 'rollout-');
  assert.equal(texts.harnessName('claude-code'), 'Claude Code');
  assert.equal(texts.harnessName('other'), 'other');
});

test('ages', () => {
  const minute = 60_000;
  const of = (minutes: number): string => texts.age(1e12 - minutes * minute, 1e12);
  assert.deepEqual([of(0.5), of(59), of(60), of(47 * 60), of(48 * 60), of(-5)], ['just now', '59 min ago', '1 h ago', '47 h ago', '2 days ago', 'just now']);
});

test('a row is a claim in its own words, or a message without what stands above it', () => {
  const claim = { ...item('c', 'untried-claim'), claim: 'c', subject: 'backoff ends' };
  assert.equal(texts.label(claim), 'backoff ends');
  assert.equal(texts.label({ ...stale('1'), subject: 'pytest:/x after toolu_1', message: 'pytest a passed (twice), failed (session 4c25, turn 2).' }), 'pytest a passed (twice), failed.');
  assert.equal(texts.label({ ...item('t', 'refused-turn'), message: 'Turn 3 of session 4c25 was sent back once.' }), 'Turn 3 of session 4c25 was sent back once.');
});

test('what a session has to say', () => {
  const items = [stale('1'), stale('2'), item('c', 'untried-claim'), item('t', 'refused-turn')];
  assert.equal(texts.summary({ ...session('a', items), scope: { phase: 'locked' } }), '2 stale, 1 untried, 1 more, lock held');
  assert.equal(texts.summary(session('a', [])), 'nothing open');
});

test('the status item counts stale verdicts alone', () => {
  const counts = { sessions: 1, findings: 9, stale: 0, untried: 9, locked: 0 };
  assert.equal(texts.statusText(counts), '$(pass) Proofmark');
  assert.equal(texts.statusText({ ...counts, locked: 1 }), '$(lock) Proofmark');
  assert.equal(texts.statusText({ ...counts, locked: 1, stale: 2 }), '$(warning) 2 stale');
});

test('nothing of the agent\'s is in a notification', () => {
  const told = { ...item('turn::14', 'refused-turn', 14), message: '[x](command:y)', subject: '[x](command:y)' };
  assert.equal(texts.refusedNotice(session('7f3a6c11-0000', [told]), told), 'Turn 14 of session 7f3a6c11 was sent back.');
});
