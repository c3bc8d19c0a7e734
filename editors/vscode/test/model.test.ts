// Notifications in, sessions out: what is held, what counts as new, what a command's argument leads to.
// No editor is needed.
import assert from 'node:assert/strict';
import test from 'node:test';
import { isLocked, keyOf, kindsOf, Model } from '../src/model';
import { item, session, stale } from './samples';

test('a whole notification is everything, another one only what it names', () => {
  const model = new Model();
  model.apply({ whole: true, sessions: [session('a', [stale('1')]), session('b', [item('claim:1', 'untried-claim')])] });
  assert.deepEqual(model.counts(), { sessions: 2, findings: 2, stale: 1, untried: 1, locked: 0 });
  const batch = model.apply({ whole: false, sessions: [session('a', [])] });
  assert.deepEqual([...batch.sessions], ['claude-code:a']);
  assert.deepEqual(model.sessions().map((one) => one.session), ['b']);
  const gone = model.apply({ whole: true, sessions: [] });
  assert.deepEqual([...gone.sessions], ['claude-code:b'], 'what is gone is told of too');
  assert.equal(model.counts().sessions, 0);
});

test('two harnesses may have a session of the same id', () => {
  const model = new Model();
  model.apply({ whole: true, sessions: [session('a', [stale('1')]), { ...session('a', [stale('2')]), harness: 'codex' }] });
  assert.equal(model.counts().stale, 2);
  assert.equal(keyOf({ harness: 'codex', session: 'a' }), 'codex:a');
});

test('a session without items stays while something of it can be taken back, or a scope holds it', () => {
  const model = new Model();
  const retired = [{ claim: 'c', subject: 's', line: 4 }];
  model.apply({ whole: true, sessions: [{ ...session('a', []), retired }, { ...session('b', []), scope: { phase: 'locked' } }, session('c', [])] });
  assert.deepEqual(model.sessions().map((one) => one.session), ['a', 'b']);
  assert.deepEqual(model.putAside().map((one) => one.retired?.claim), ['c']);
  assert.equal(model.counts().locked, 1);
});

test('which phases hold a session', () => {
  const held = (phase: 'none' | 'contract_required' | 'locked' | 'hard_stop' | 'reflection_acknowledged'): boolean =>
    isLocked({ ...session('a', []), scope: { phase } });
  assert.deepEqual([held('none'), held('contract_required'), held('locked'), held('hard_stop'), held('reflection_acknowledged')], [false, true, true, true, false]);
});

test('kinds stand in the order in which they matter, the newest turn first', () => {
  const items = [item('t', 'refused-turn'), item('x', 'some-new-check'), item('c', 'untried-claim'), stale('1', 2), stale('2', 9)];
  const kinds = kindsOf(session('a', items));
  assert.deepEqual(kinds.map((kind) => kind.code), ['stale-verdict', 'untried-claim', 'some-new-check', 'refused-turn']);
  assert.deepEqual(kinds[0]?.items.map((one) => one.turn), [9, 2]);
});

test('a turn that was sent back is new once, and never at the start', () => {
  const model = new Model();
  const turn = (id: string) => item(id, 'refused-turn');
  const told = (whole: boolean, name: string, ...ids: string[]) =>
    model.apply({ whole, sessions: [session(name, ids.map(turn))] }).refused.map(({ item: one }) => one.id);
  assert.deepEqual(told(true, 'a', 'turn::1'), [], 'what was there at the start');
  assert.deepEqual(told(false, 'a', 'turn::1', 'turn::2'), ['turn::2']);
  assert.deepEqual(told(false, 'a', 'turn::1', 'turn::2'), []);
  assert.deepEqual(told(false, 'b', 'turn::1'), ['turn::1'], 'a session that begins while the window is open');
  model.clear();
  assert.deepEqual(told(true, 'a', 'turn::1', 'turn::2', 'turn::3'), ['turn::3'], 'sent back while the server was away');
  assert.deepEqual(told(true, 'old', 'turn::7'), [], 'one that only a setting has brought in');
});

test('a command finds what it was given, as long as it is shown, and no other', () => {
  const model = new Model();
  const claim = { ...item('claim:c1', 'untried-claim'), claim: 'c1' };
  const kept = { ...stale('9'), finding: 'f9' };
  const of = session('a', [claim, kept]);
  const other = { ...session('a', [item('claim:c1', 'untried-claim')]), harness: 'codex' as const };
  model.apply({ whole: true, sessions: [of, other, session('b', [claim])] });
  const found = (target: Parameters<Model['matches']>[0]): string[] => model.matches(target).map((one) => keyOf(one.session));
  assert.equal(model.matches('f9')[0]?.item, kept);
  assert.deepEqual(found('f9'), ['claude-code:a']);
  assert.deepEqual(found('claim:c1').sort(), ['claude-code:a', 'claude-code:b', 'codex:a'], 'an id alone may lead to several');
  assert.deepEqual(found({ id: 'claim:c1', session: 'a' }).sort(), ['claude-code:a', 'codex:a']);
  assert.deepEqual(found({ id: 'claim:c1', session: 'a', harness: 'codex' }), ['codex:a']);
  assert.deepEqual(found({ id: 'claim:c1', session: 'z' }), []);
  assert.deepEqual(found({ session: other, item: claim }), ['codex:a'], 'a row is of its own session');
  assert.equal(model.matches({ session: of, item: kept })[0]?.item, kept);
  assert.deepEqual(model.named({ session: 'a' }).map(keyOf).sort(), ['claude-code:a', 'codex:a']);
  assert.deepEqual(model.named({ session: 'a', harness: 'codex' }).map(keyOf), ['codex:a']);
  model.apply({ whole: false, sessions: [session('a', [claim])] });
  assert.deepEqual(found({ session: of, item: kept }), [], 'a row that the tree still shows');
});

test('50 sessions with 420 findings each are taken quickly', () => {
  const model = new Model();
  const items = Array.from({ length: 420 }, (_, nth) => stale(String(nth), nth));
  const sessions = Array.from({ length: 50 }, (_, nth) => session(`s${nth}`, items));
  const begun = performance.now();
  model.apply({ whole: true, sessions });
  assert.equal(model.all().length, 21_000);
  assert.ok(performance.now() - begun < 2_000);
});
