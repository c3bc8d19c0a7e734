// What a command acts on, and what it types: the finding or session that it was given and no other.
// The server, and how a terminal looks, are tested in a real editor.
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { reworded } from '../src/actions';
import { check } from '../src/commands/check';
import { findings } from '../src/commands/findings';
import { scope } from '../src/commands/scope';
import type { Parts } from '../src/commands/shared';
import { Model } from '../src/model';
import type { Item, SessionFindings } from '../src/protocol';
import { commands, reset, seen } from './fake-vscode';
import { item, session, stale } from './samples';

beforeEach(() => reset());

const locked = (id: string, more: Partial<SessionFindings> = {}): SessionFindings => ({ ...session(id, []), scope: { phase: 'locked' }, ...more });
const checked = (command: string): Item => ({ ...stale('1'), finding: 'f1', check: { command, runner: 'pytest' } });

/** The commands over these sessions, and what they ask of the server and of the reports. */
function over(...sessions: SessionFindings[]) {
  const model = new Model();
  model.apply({ whole: true, sessions });
  const asked: unknown[][] = [];
  const reports: unknown[][] = [];
  const parts = {
    model,
    server: {
      needed: async () => true,
      request: async (...call: unknown[]) => {
        if (call[0] === 'listSessions') return sessions.map(({ harness, session: id }) => ({ harness, session: id, last_seen: 0 }));
        asked.push(call);
        return 'text';
      },
    },
    reports: { open: async (of: SessionFindings, line?: number) => void reports.push([of.harness, of.session, line]) },
    places: { of: () => undefined, all: () => [] },
    log: { info: () => undefined, error: () => undefined },
    version: '0',
  } as unknown as Parts;
  const all = { ...check(parts), ...findings(parts), ...scope(parts) };
  const run = async (name: string, argument?: unknown): Promise<void> => {
    await all[`proofmark.${name}`]?.(argument);
  };
  return { model, run, asked, reports };
}

test('a recorded command is typed into a terminal of its own and not run', async () => {
  const { run } = over(session('a', [checked('pytest -q')]));
  await run('checkCommand', 'f1');
  assert.deepEqual(seen.terminals.map(({ typed }) => typed), [[['pytest -q', false]]]);
});

test('nothing is typed into a terminal that was closed before its shell was ready', async () => {
  seen.closes = true;
  const { run } = over(session('a', [checked('pytest -q')]));
  await run('checkCommand', 'f1');
  assert.deepEqual(seen.terminals.map(({ typed }) => typed), [[]]);
});

test('what is not the command that ran, or runs by itself, is not typed; the report is offered', async () => {
  for (const command of ['TOKEN=[redacted] pytest', 'pytest tests/a…', 'pytest\n', 'pytest \u0007', 'a\u202eb', '']) {
    reset();
    seen.press = 'Open report';
    const { run, reports } = over(session('a', [checked(command)]));
    await run('checkCommand', { id: 'f1', session: 'a' });
    assert.deepEqual(seen.terminals, [], JSON.stringify(command));
    assert.equal(seen.messages.length, 1);
    assert.match(seen.messages[0] ?? '', /command/);
    assert.deepEqual(reports, [['claude-code', 'a', 4]]);
  }
});

test('in a workspace that is not trusted nothing is typed, however the command is reached', async () => {
  seen.trusted = false;
  const one = session('a', [checked('pytest')]);
  const { run } = over(one);
  for (const argument of [undefined, 'f1', { id: 'f1', session: 'a' }, { session: one, item: one.items[0] }]) await run('checkCommand', argument);
  assert.deepEqual(seen.terminals, []);
  assert.deepEqual(seen.messages, Array(4).fill('In Restricted Mode no check can be run again.'));
});

test('a check is not typed where the session\'s folder is gone', async () => {
  const { run } = over({ ...session('a', [checked('pytest')]), cwd: '/no/such/folder' });
  await run('checkCommand', 'f1');
  assert.deepEqual(seen.terminals, []);
  assert.match(seen.messages.join(), /is gone/);
});

test('a command on a session acts on that one, and on none when it is no longer shown', async () => {
  const [a, b] = [locked('a'), locked('b')];
  for (const argument of ['b', { kind: 'lock', session: b }, { session: 'b', harness: 'claude-code' }]) {
    const { run, asked } = over(a, b);
    await run('releaseScope', argument);
    assert.deepEqual(asked, [['releaseScope', { session: 'b' }]]);
  }
  for (const argument of ['b', { kind: 'lock', session: b }, { session: 'b', harness: 'claude-code' }]) {
    reset();
    const { run, asked, reports } = over(a);
    seen.text = 'only the parser';
    for (const name of ['releaseScope', 'changeScope', 'showReport', 'showScope']) await run(name, argument);
    assert.deepEqual([asked, reports], [[], []], 'the one that is left is another');
    assert.deepEqual(seen.messages, Array(4).fill('Proofmark does not show this session any more.'));
  }
});

test('from the palette the only session that fits is taken, and one of several is asked for', async () => {
  const only = over(session('x', [stale('1')]), locked('a'));
  await only.run('releaseScope');
  assert.deepEqual(only.asked, [['releaseScope', { session: 'a' }]]);
  assert.equal(seen.lists.length, 0);
  const several = over(locked('a'), locked('b'));
  await several.run('releaseScope');
  assert.deepEqual(several.asked, [], 'the list was put away');
  assert.equal(seen.lists[0]?.length, 2);
  seen.row = 1;
  await several.run('releaseScope');
  assert.deepEqual(several.asked, [['releaseScope', { session: 'b' }]]);
});

test('two agents with a session of one id: each report is its own, and a scope is left alone', async () => {
  const [claude, codex] = [locked('a'), locked('a', { harness: 'codex' })];
  const { run, asked, reports } = over(claude, codex);
  await run('showReport', { kind: 'session', session: codex });
  await run('showReport', { session: 'a', harness: 'claude-code' });
  assert.deepEqual(reports, [['codex', 'a', undefined], ['claude-code', 'a', undefined]]);
  await run('showReport', 'a');
  assert.equal(seen.lists[0]?.length, 2, 'an id alone is asked about');
  await assert.rejects(run('releaseScope', { kind: 'lock', session: codex }), /left alone/);
  seen.text = 'only the parser';
  await assert.rejects(run('changeScope', { kind: 'lock', session: codex }), /left alone/);
  assert.deepEqual(asked, []);
});

test('a scope is changed for the session that was named', async () => {
  const { run, asked } = over(locked('a'), locked('b'));
  seen.text = ' only the parser ';
  await run('changeScope', { kind: 'session', session: locked('b') });
  assert.deepEqual(asked, [['setScope', { session: 'b', contract: 'only the parser' }]]);
});

test('the buttons on a lock are about that lock', async () => {
  seen.press = 'Change...';
  const { run } = over(locked('a'), locked('b', { harness: 'codex' }));
  commands.ran = [];
  await run('showScope', { session: 'b', harness: 'codex' });
  assert.deepEqual(commands.ran, [['proofmark.changeScope', { harness: 'codex', session: 'b' }]]);
});

test('a finding whose id is another session\'s too is asked about', async () => {
  const turn = item('turn::3', 'refused-turn');
  const { run, reports } = over(session('a', [turn]), session('b', [turn]));
  await run('openDocument', { id: 'turn::3', session: 'b', harness: 'claude-code' });
  assert.deepEqual(reports, [['claude-code', 'b', 4]]);
  await run('openDocument', 'turn::3');
  assert.equal(seen.lists[0]?.length, 2);
  assert.equal(reports.length, 1);
});

test('a prompt is asked for about the finding that was given', async () => {
  const { run, asked } = over(session('a', [stale('1')]), session('b', [stale('2')]));
  await run('copyAsPrompt', { id: 'finding:2', session: 'b' });
  assert.deepEqual(asked, [['workspace/executeCommand', { command: 'proofmark.copyAsPrompt', arguments: [{ id: 'finding:2', session: 'b' }] }]]);
  assert.equal(seen.clipboard, 'text');
});

test('a quick fix says whose finding it is about', () => {
  const { model } = over(session('a', []));
  const data = { id: 'turn::3', session: 'a', harness: 'codex', turn: 3 };
  const pinned = (command: string, argument: unknown): unknown => {
    const action = { title: 't', command: { title: 't', command, arguments: [argument] }, diagnostics: [{ data }] };
    const [made] = reworded(model, [action] as never, []) ?? [];
    return (made?.command as { arguments: unknown[] }).arguments[0];
  };
  const whose = { session: 'a', harness: 'codex' };
  assert.deepEqual(pinned('proofmark.retireClaim', 'c1'), { id: 'c1', ...whose });
  assert.deepEqual(pinned('proofmark.dismissFinding', { id: 'f1', wrong: true }), { id: 'f1', wrong: true, ...whose });
  assert.deepEqual(pinned('proofmark.copyAsPrompt', { id: 'turn::3', session: 'a' }), { id: 'turn::3', ...whose });
  assert.deepEqual(pinned('proofmark.releaseScope', 'a'), whose);
});

test('without trust no check is offered', () => {
  const { model } = over(session('a', []));
  const action = { title: 't', command: { title: 't', command: 'proofmark.checkCommand', arguments: [{ id: 'f1' }] } };
  assert.equal(reworded(model, [action] as never, [])?.length, 1);
  seen.trusted = false;
  assert.deepEqual(reworded(model, [action] as never, []), []);
});
