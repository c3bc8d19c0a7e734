// Runs inside the extension host of a real VS Code: what its API says once the extension is active.
// What a person sees is the other drivers' business.
'use strict';
const assert = require('node:assert/strict');
const vscode = require('vscode');

const PATIENCE = 45_000;
const ID = 'proofmark.proofmark';

async function until(what, look) {
  const end = Date.now() + PATIENCE;
  for (let last; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    last = await look();
    if (last) return last;
    if (Date.now() > end) throw new Error(`not within ${PATIENCE} ms: ${what}`);
  }
}

const ours = () =>
  vscode.languages.getDiagnostics().flatMap(([uri, all]) => all.filter(({ source }) => source === 'proofmark').map((one) => ({ uri, one })));
const withCode = (code) => ours().find(({ one }) => (typeof one.code === 'object' ? one.code.value : one.code) === code);
const extension = () => vscode.extensions.getExtension(ID);

const tests = {
  async 'it is activated when the window is, with no file open'() {
    assert.ok(extension(), `${ID} is not installed`);
    await until('it is active', () => extension().isActive);
    assert.equal(vscode.window.activeTextEditor, undefined);
    await until('its server runs', () => extension().exports.state() === 'running');
  },

  async 'every command of its package is registered'() {
    const known = new Set(await vscode.commands.getCommands(true));
    const { commands } = extension().packageJSON.contributes;
    assert.ok(commands.length > 20, `only ${commands.length} commands`);
    assert.deepEqual(commands.filter(({ command }) => !known.has(command)), []);
  },

  async 'findings of files that are not open arrive, with code, link, severity and what they rest on'() {
    const { uri, one } = await until('the stale verdict', () => withCode('stale-verdict'));
    assert.match(uri.path, /tests\/test_retry\.py$/);
    assert.equal(one.severity, vscode.DiagnosticSeverity.Error);
    assert.equal(one.range.start.line, 12);
    assert.match(one.code.target.toString(), /stale-verdict/);
    assert.ok(one.relatedInformation.length > 2);
    const claim = await until('the claim', () => withCode('untried-claim'));
    assert.match(claim.uri.path, /src\/retry\.py$/);
    assert.equal(claim.one.severity, vscode.DiagnosticSeverity.Information);
  },

  async 'messages state facts on one line'() {
    const all = ours();
    assert.ok(all.length >= 2, `${all.length} findings`);
    for (const { one } of all) {
      assert.ok(!/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(one.message), one.message);
      assert.ok(!/^(please|run|check|verify|fix|try)\b/i.test(one.message), one.message);
      assert.match(one.message, /session \w{4,}.*turn \d|turn \d/);
    }
  },

  async 'the context keys say what there is'() {
    await until('the keys', () => extension().exports.contexts()['proofmark.hasFindings'] === true);
    const { 'proofmark.running': running, 'proofmark.lockHeld': lock } = extension().exports.contexts();
    assert.deepEqual([running, lock], [true, false]);
  },

  async 'the quick fixes of a claim are offered, and none of them runs anything'() {
    const { uri, one } = withCode('untried-claim');
    await vscode.workspace.openTextDocument(uri);
    // While a document that was just opened settles, the editor cancels what it is asked, or answers with nothing.
    const actions = await until('there are quick fixes', async () => {
      const found = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', uri, one.range, 'quickfix').then(
        (all) => all,
        (error) => (error.message === 'Canceled' ? [] : Promise.reject(error)),
      );
      return found.length > 0 && found;
    });
    const titles = actions.map(({ title }) => title);
    assert.ok(titles.some((title) => /retire/i.test(title)), titles.join(', '));
    assert.ok(titles.some((title) => /copy as prompt/i.test(title)), titles.join(', '));
    assert.ok(!titles.some((title) => /terminal/i.test(title)), 'nothing of it can be run');
  },

  async 'the report is a document of Markdown that nothing can be saved to'() {
    const { session, harness } = sessionOf(withCode('stale-verdict'));
    const uri = vscode.Uri.from({ scheme: 'proofmark', path: `/session/${session}.md`, query: harness });
    const document = await vscode.workspace.openTextDocument(uri);
    assert.match(document.getText(), new RegExp(`Session ${session.slice(0, 8)}`));
    assert.equal(document.languageId, 'markdown');
    await assert.rejects(async () => vscode.workspace.fs.writeFile(uri, Buffer.from('written by a test')));
  },

  async 'nothing of it stays when it is stopped, and all comes back'() {
    const before = ours().length;
    assert.ok(before >= 2, `${before} findings`);
    await vscode.commands.executeCommand('proofmark.stop');
    await until('no finding', () => ours().length === 0);
    assert.equal(extension().exports.contexts()['proofmark.running'], false);
    await vscode.commands.executeCommand('proofmark.start');
    await until('the findings again', () => ours().length === before);
  },
};

/** The session that a finding is about, by the report that its first related place lies in. */
function sessionOf({ one }) {
  const [uri] = one.relatedInformation.map(({ location }) => location.uri).filter(({ scheme }) => scheme === 'proofmark');
  assert.ok(uri, `no related place is in a report: ${one.relatedInformation.map(({ location }) => location.uri)}`);
  return { session: uri.path.replace(/^\/session\/|\.md$/g, ''), harness: uri.query };
}

module.exports.run = async () => {
  let failed = 0;
  for (const [name, body] of Object.entries(tests)) {
    try {
      await body();
      console.log(`ok    ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL  ${name}: ${error.stack}`);
    }
  }
  console.log(`sum ${Object.keys(tests).length - failed} passed, ${failed} failed`);
  if (failed > 0) throw new Error(`${failed} failed`);
};
