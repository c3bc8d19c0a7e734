// Where the server is looked for, which one is taken, when a crash is the last, and what it is told.
// Real processes are tested in a real editor.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { Crashes } from '../src/backoff';
import { expand, find } from '../src/discovery';
import { options } from '../src/options';
import { compare, OLDEST, unfit } from '../src/version';

test('the setting, then the extension\'s own, then the PATH', (t) => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'proofmark-find-'));
  t.after(() => fs.rmSync(root, { recursive: true }));
  const make = (name: string, mode = 0o755): string => {
    const file = path.join(root, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, '');
    fs.chmodSync(file, mode);
    return file;
  };
  const around = { setting: '', extension: path.join(root, 'ext'), home: root };
  const PATH = ['relative', path.join(root, 'none'), path.join(root, 'one'), path.join(root, 'two')].join(path.delimiter);
  // A workspace may have such a folder, and is the working folder.
  const cwd = process.cwd();
  t.after(() => process.chdir(cwd));
  make('relative/proofmark');
  process.chdir(root);
  assert.ok('missing' in find({ ...around, env: { PATH } }));
  assert.ok('missing' in find({ ...around, env: {} }));
  make('one/proofmark', 0o644);
  const two = make('two/proofmark');
  // Root may execute nothing that has no such bit at all, so this holds for root too.
  assert.deepEqual(find({ ...around, env: { PATH } }), { path: two, from: 'PATH' });
  const bundled = make('ext/server/proofmark', 0o644);
  assert.deepEqual(find({ ...around, env: { PATH } }), { path: bundled, from: 'extension' });
  assert.equal(fs.statSync(bundled).mode & 0o111, 0o111, 'the bit that was lost is set');
  assert.deepEqual(find({ ...around, setting: ' ~/two/proofmark ', env: {} }), { path: two, from: 'setting' });
  for (const setting of ['~/nothing', 'two/proofmark', root, path.join(root, 'one/proofmark')]) {
    const found = find({ ...around, setting, env: { PATH } });
    assert.ok('missing' in found && /proofmark\.server\.path/.test(found.missing), setting);
  }
});

test('only the person\'s own home is expanded', () => {
  assert.deepEqual(['~', '~/a', '~other/a', '/~/a'].map((text) => expand(text, '/h')), ['/h', '/h/a', '~other/a', '/~/a']);
});

test('versions', () => {
  const order = ['0.0.9', '0.1.0-beta.1', '0.1.0', 'v0.1.1', '0.2.0', '1.0.0+build', '1.0.10'];
  for (const [nth, one] of order.entries()) {
    for (const [mth, other] of order.entries()) assert.equal(Math.sign(compare(one, other)), Math.sign(nth - mth), `${one} ${other}`);
  }
});

test('a server that is too old, or none, is refused in plain words', () => {
  assert.equal(unfit({ name: 'proofmark', version: OLDEST }), undefined);
  assert.equal(unfit({ name: 'proofmark', version: '99.0.0' }), undefined);
  for (const info of [undefined, { name: 'pyright', version: '9.9.9' }, { name: 'proofmark' }, { name: 'proofmark', version: 'x' }, { name: 'proofmark', version: '0.0.1' }]) {
    const reason = unfit(info);
    assert.ok(reason && reason.length <= 120 && reason.endsWith('.'), JSON.stringify(info));
  }
});

test('the fifth end within three minutes is the last', () => {
  const crashes = new Crashes();
  const pauses = [0, 1, 2, 3].map((second) => crashes.note(second * 1_000));
  assert.deepEqual(pauses, [250, 1_000, 3_000, 8_000]);
  assert.equal(crashes.note(179_999), undefined);
  crashes.forget();
  assert.equal(crashes.note(180_000), 250, 'the person has asked for a start');
  const calm = new Crashes();
  for (let minute = 0; minute < 100; minute += 1) assert.notEqual(calm.note(minute * 60_000), undefined, 'one a minute');
});

test('settings become what the server takes, and a mistyped one its own default', () => {
  assert.deepEqual(options(() => undefined), { sessions: true, codeLens: true, severity: {}, maxAgeHours: null });
  const set: Record<string, unknown> = {
    'severity.staleVerdict': 'error', 'severity.untriedClaim': 'default', 'severity.scopeDrift': 'hint',
    'codeLens.enabled': false, 'sessions.maxAgeHours': 12,
  };
  assert.deepEqual(options((name) => set[name]), {
    sessions: true, codeLens: false, severity: { 'stale-verdict': 'error', 'claimed-pass': 'error' }, maxAgeHours: 12,
  });
  for (const hours of ['12', 0, -1, Number.NaN, null]) {
    assert.equal(options((name) => (name === 'sessions.maxAgeHours' ? hours : undefined)).maxAgeHours, null, String(hours));
  }
});
