// Which recorded command may be typed, where a finding is in a transcript, and which finding is next.
// Terminals and editors are tested in a real editor.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { refusal } from '../src/command';
import { step } from '../src/order';
import { lineOf, needles } from '../src/transcript';
import { item } from './samples';

test('a command that could run by itself, or that hides something, is not typed', () => {
  for (const command of ['npm test', 'pytest -k "a and b" tests/ä.py', 'go test ./...', 'cargo test -- --nocapture | tail -5']) {
    assert.equal(refusal(command), undefined, command);
  }
  for (const command of [undefined, '', '  ', 'a\nb', 'a\rb', 'a\tb', 'a\x1b[Ab', 'a\x03', 'a\u2028b', 'a\u202eb', 'a\u200bb', 'a\u0085b', 'a\u3164b', 'x'.repeat(1_001),
    'TOKEN=[redacted] npm test', 'npm test --token [redacted', 'pytest tests/test_retry…', 'pytest tests/test_retry… ',
  ]) {
    const reason = refusal(command);
    assert.ok(reason !== undefined && reason.endsWith('.') && reason.length <= 120, JSON.stringify(command));
    assert.equal(/control/.test(reason), /[\0-\x1f\x85]/.test(command ?? ''), `${JSON.stringify(command)}: ${reason}`);
  }
});

test('a transcript is searched for the finding\'s own turn first, then for the claim\'s words', () => {
  const evidence = [{ what: 'pass', turn: 2, id: 'toolu_1' }, { what: 'fail', turn: 3, id: 'toolu_2' }, { what: 'none', turn: 3 }];
  assert.deepEqual(needles({ ...item('x', 'stale-verdict', 3), evidence }), ['toolu_2', 'toolu_1']);
  assert.deepEqual(needles({ ...item('x', 'untried-claim'), claim: 'c', subject: 'says "no"' }), ['says \\"no\\"']);
  assert.deepEqual(needles({ ...item('x', 'untried-claim'), claim: 'c', subject: 'cut off…' }), []);
});

test('the line is found across pieces, and in a line of megabytes', async (t) => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'proofmark-lines-'));
  t.after(() => fs.rmSync(root, { recursive: true }));
  const file = path.join(root, 't.jsonl');
  const needle = 'toolu_needle';
  for (const before of [0, 10, (1 << 20) - 5, (1 << 20) + 3, (3 << 20) - 7]) {
    fs.writeFileSync(file, `{}\n{}\n${'x'.repeat(before)}${needle}\n{}\n${needle}\n`);
    assert.equal(await lineOf(file, ['absent', needle]), 2, String(before));
  }
  fs.writeFileSync(file, `second\n${'\n'.repeat(2_000_000)}first`);
  assert.equal(await lineOf(file, ['first', 'second']), 2_000_001, 'the best text wins wherever it stands');
  assert.equal(await lineOf(file, ['absent']), undefined);
  assert.equal(await lineOf(file, []), undefined);
  await assert.rejects(lineOf(path.join(root, 'none'), ['x']));
});

test('findings are gone through file by file, and around', () => {
  const all = [{ uri: 'b', line: 1 }, { uri: 'a', line: 9 }, { uri: 'a', line: 2 }];
  const from = (uri: string, line: number, forward = true) => step(all, { uri, line }, forward);
  assert.deepEqual(step(all, undefined, true), all[2]);
  assert.deepEqual(step(all, undefined, false), all[0]);
  assert.deepEqual(from('a', 2), all[1]);
  assert.deepEqual(from('a', 5), all[1]);
  assert.deepEqual(from('a', 9), all[0]);
  assert.deepEqual(from('b', 1), all[2]);
  assert.deepEqual(from('a', 2, false), all[0]);
  assert.deepEqual(from('c', 0, false), all[0]);
  assert.equal(step([], undefined, true), undefined);
});
