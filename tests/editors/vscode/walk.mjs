// A recorded session is told while the editor is open, and a person acts on what it shows: every surface once, by keyboard
// where that is the way. What happens when something breaks is another driver's.
// usage: node walk.mjs VERSION
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { until } from './checks.mjs';
import { Session } from './session.mjs';
import { stage } from './stage.mjs';

/** What the messages of the recording's two findings say. */
const STALE = 'passed in turn 1, failed in turn 2';
const CLAIM = 'Unverified: “src/retry.py:5 never exceeds';

await stage('walk', process.argv[2], [], async ({ feed, host, checks, open }) => {
  const check = (name, body) => checks.check(name, body);
  const { session } = await feed.record('editors');
  const short = session.slice(0, 8);
  let window = await open(feed.places.project);
  checks.say('the window is drawn');

  await checks.must('before anything was said the status item is calm, and the view says what will come', async () => {
    await window.hasStatus('pass', 'Proofmark', 90_000);
    assert.equal(await window.statusColour(), undefined);
    await window.unfold();
    await window.verdicts.getByText('No findings yet').waitFor();
    await window.picture('01-nothing-yet');
  });

  await check('a check that passes changes nothing', async () => {
    const told = await feed.turn();
    assert.deepEqual(told.map(({ event, code }) => [event, code]), [['SessionStart', 0], ['UserPromptSubmit', 0], ['Stop', 0]]);
    await window.hasStatus('pass', 'Proofmark');
  });

  await checks.must('a stale verdict comes while the editor is open: status item, Problems of a file that is not', async () => {
    await feed.turn();
    await window.hasStatus('warning', '1 stale');
    assert.equal(await window.statusColour(), 'warning');
    await window.problems();
    await window.problem(STALE).first().waitFor();
    await window.problem('test_retry.py').first().waitFor();
  });

  await check('the view has session, kind and finding, and a badge', async () => {
    for (const text of [short, 'Stale verdicts', STALE]) await window.row(text).first().waitFor();
    await window.page.locator('.activitybar .badge .badge-content', { hasText: '1' }).first().waitFor();
    await window.row(short).first().hover();
    await window.page.locator('.monaco-hover, .workbench-hover', { hasText: `Session ${session} of Claude Code: 1 stale` }).first().waitFor();
    await window.picture('02-stale');
  });

  await check('Enter on the row in Problems goes to the line', async () => {
    await window.problem(STALE).first().click();
    await window.press('Enter');
    await until('the cursor is on line 13', async () => (await window.line()) === '13');
    await window.page.locator('.editor-instance .squiggly-error').first().waitFor();
    await window.lens.filter({ hasText: 'turn 2' }).first().waitFor();
    await window.picture('03-squiggle');
  });

  await check('the hover tells code, turn and command', async () => {
    await window.page.locator('.editor-instance .squiggly-error').first().hover({ force: true });
    const hover = window.page.locator('.monaco-hover', { hasText: STALE }).first();
    await hover.waitFor();
    await until('the hover is whole', async () => /stale-verdict[^]*python3 -m unittest/.test(await hover.innerText()));
    await window.picture('04-hover');
    await window.press('Escape');
  });

  await check('the check is typed into a terminal, and not run', async () => {
    await window.problem(STALE).first().click();
    await window.press('Enter');
    await window.quickFix('Run the check again');
    const terminal = window.page.locator('.terminal-wrapper, .terminal').first();
    await terminal.waitFor();
    const typed = async () => (await window.terminalText()).includes('python3 -m unittest tests/test_retry.py');
    await until('the command stands in the terminal', typed);
    assert.equal((await window.terminalText()).split('python3 -m unittest').length, 2, 'it stands there once');
    await window.picture('06-run-again');
    // What the shell is told next it does after whatever it was told before: by then the tests would have run.
    await window.page.locator('.terminal-wrapper .xterm').first().click();
    await window.press('Control+C');
    await until('the shell has a new line', async () => (await window.terminalText()).includes('^C'));
    await window.page.keyboard.type('echo after$((6*7))\n');
    await until('the shell has done what was typed after it', async () => (await window.terminalText()).includes('after42'));
    assert.doesNotMatch(await window.terminalText(), /Ran 2 tests|Traceback|FAILED/, 'it was run');
    await window.command('Terminal: Kill the Active Terminal Instance');
    await window.problems();
  });

  await check('a finding is dismissed by keyboard, and goes everywhere', async () => {
    await window.problems();
    await window.problem(STALE).first().click();
    await window.press('Enter');
    await window.quickFix('it was right');
    await window.problem(STALE).first().waitFor({ state: 'detached' });
    await window.squiggles.first().waitFor({ state: 'detached' });
    await window.lens.filter({ hasText: 'turn 2' }).first().waitFor({ state: 'detached' });
    await window.hasStatus('pass', 'Proofmark');
    const [finding] = await feed.told('findings');
    assert.equal(finding.state, 'dismissed');
  });

  await check('what was dismissed is taken back in the view', async () => {
    await window.fold('Put aside', true);
    await window.inRow(/dismissed/, 'Undo Dismiss');
    await window.problem(STALE).first().waitFor();
    await window.hasStatus('warning', '1 stale');
    assert.equal((await feed.told('findings'))[0].state, 'open');
  });

  await check('a turn that was sent back is told once, and the claim behind it shown at its line', async () => {
    const told = await feed.turn();
    assert.ok(told.some(({ event, code }) => event === 'Stop' && code === 2), 'the stop was refused');
    await window.problem(CLAIM).first().waitFor();
    const toast = window.notifications('was sent back');
    await toast.first().waitFor();
    assert.equal(await toast.count(), 1);
    assert.match(await toast.first().innerText(), new RegExp(`Turn 3 of session ${short} was sent back\\.`));
    await window.picture('07-sent-back');
    await toast.first().getByRole('button', { name: 'Not again for this session' }).click();
    await toast.first().waitFor({ state: 'detached' });
    await window.problem(CLAIM).first().click();
    await window.press('Enter');
    await until('the cursor is on line 5', async () => (await window.line()) === '5');
  });

  await check('a claim is retired by keyboard with a reason, and taken back', async () => {
    await window.quickFix('Retire', '08-retire');
    await window.type('it is about another router');
    await window.problem(CLAIM).first().waitFor({ state: 'detached' });
    const claim = async () => (await feed.told('claims')).find((one) => one.claim.includes('never exceeds'));
    const retired = await claim();
    assert.equal(retired.state, 'retired');
    assert.ok(JSON.stringify(retired).includes('it is about another router'), 'the reason is kept');
    await window.fold('Put aside', true);
    await window.inRow(/retired/, 'Undo Retire');
    await window.problem(CLAIM).first().waitFor();
    assert.equal((await claim()).state, 'open');
  });

  await check('a finding as a prompt lies on the clipboard', async () => {
    await window.problem(CLAIM).first().click();
    await window.press('Enter');
    await window.quickFix('Copy as prompt');
    const copied = () => window.page.evaluate(() => navigator.clipboard.readText());
    await until('the prompt is on the clipboard', async () => (await copied()).includes('never exceeds 30 s'));
  });

  await check('the report is a document that cannot be written to, and that follows the session', async () => {
    await window.command('Proofmark: Show Session Report');
    await window.text(session.slice(0, 8)).first().waitFor();
    await window.text('stale-verdict').first().waitFor();
    await window.picture('09-report');
    assert.ok(!(await window.reportText()).includes('a docstring'));
    for (const turn of [4, 5]) assert.ok((await feed.turn()).length > 0, `turn ${turn}`);
    await window.text('The scope that was agreed').first().waitFor();
    const before = await window.reportText();
    await window.page.keyboard.type('x');
    await window.page.locator('.monaco-editor-overlaymessage', { hasText: /read-?only/i }).first().waitFor();
    assert.equal(await window.reportText(), before);
    assert.equal(await window.page.locator('.tab.dirty').count(), 0, 'the report could be changed');
  });

  await check('a correction locks the scope: the status item says so once no verdict is stale', async () => {
    await window.row(/lock: a docstring/).first().waitFor();
    await window.hasStatus('warning', '1 stale');
    await window.row(STALE).first().click();
    await until('a click on a finding opens its line', async () => (await window.line()) === '13');
    await window.quickFix('it was wrong');
    await window.hasStatus('lock', 'Proofmark');
    assert.equal(await window.statusColour(), undefined);
    await window.picture('10-lock');
  });

  await check('the hover of the status item tells sessions and lock', async () => {
    await window.status.hover();
    const hover = window.page.locator('.monaco-hover', { hasText: 'Show log' }).first();
    await hover.waitFor();
    const text = await hover.innerText();
    for (const part of [short, 'a docstring', 'Restart', 'Version']) assert.ok(text.includes(part), `${part}: ${text}`);
    await window.picture('11-status-hover');
    await window.press('Escape');
  });

  for (const theme of ['light', 'dark']) {
    await check(`a new window in ${theme} colours shows all of it`, async () => {
      const [{ id }] = await feed.told('findings');
      if (theme === 'light') await feed.ask({ do: 'proofmark', arguments: ['dismiss', id, '--undo'] });
      host.set({}, theme);
      window = await open(feed.places.project);
      await window.page.locator(theme === 'dark' ? '.monaco-workbench.vs-dark' : '.monaco-workbench.vs').waitFor();
      await window.hasStatus('warning', '1 stale', 90_000);
      await window.unfold();
      await window.problems();
      await window.asTree();
      await window.problem(STALE).first().click();
      await window.press('Enter');
      await window.lens.filter({ hasText: 'turn 2' }).first().waitFor();
      await window.picture(`12-${theme}-findings`);
      await window.command('Proofmark: Show Session Report');
      await window.text('stale-verdict').first().waitFor();
      await window.picture(`13-${theme}-report`);
    });
  }

  const drift = new Session(feed, 'd21f7000-outside');
  const OUTSIDE = 'was changed; the scope is';
  const held = async () => (await feed.told('scope')).filter(({ scope }) => scope.phase !== 'none').map((one) => one.session).sort();

  await check('a change outside of a lock stands in its file, and its quick fix shows what was changed', async () => {
    const git = (...words) => {
      const own = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'init.defaultBranch=main'];
      const done = spawnSync('git', [...own, ...words], { cwd: feed.places.project, encoding: 'utf8', env: { PATH: '/usr/bin:/bin', HOME: feed.places.home } });
      assert.equal(done.status, 0, `${done.error ?? ''}${done.stderr}`);
    };
    for (const words of [['init', '-q'], ['add', '.'], ['commit', '-q', '-m', 'before']]) git(...words);
    drift.turn('Tidy up.', [], 'I will.');
    await feed.told('scope', 'set', '--session', drift.id, 'only src/retry.py; nothing else');
    drift.turn('Go on.', [['Makefile', 'python3 -m unittest', 'python3 -m unittest -v']], 'It is tidy now.');
    host.set({ 'git.enabled': true, 'git.autorefresh': true });
    window = await open(feed.places.project);
    await window.hasStatus('warning', '1 stale', 90_000);
    await window.unfold();
    await window.problems();
    await window.problem(OUTSIDE).first().click();
    await window.press('Enter');
    await window.text('python3 -m unittest -v').first().waitFor();
    await until('the cursor is on the first line of the file', async () => (await window.line()) === '1');
    // The editor's Git looks for its repository once the window is open.
    await window.page.locator('.statusbar-item', { hasText: /main\*/ }).first().waitFor();
    await window.quickFix('Open the diff', '14-outside');
    await window.page.locator('.monaco-diff-editor').first().waitFor();
    await window.page.locator('.monaco-diff-editor .line-insert, .monaco-diff-editor .char-insert').first().waitFor();
    await window.picture('15-diff');
  });

  await check('a finding that was dismissed is taken back by the palette', async () => {
    const state = async () => (await feed.told('findings')).find(({ code }) => code === 'scope-drift')?.state;
    assert.equal(await state(), 'open');
    await window.problems();
    await window.problem(OUTSIDE).first().click();
    await window.press('Enter');
    await window.quickFix('it was right');
    await window.problem(OUTSIDE).first().waitFor({ state: 'detached' });
    assert.equal(await state(), 'dismissed');
    await window.command('Proofmark: Undo Dismiss');
    await window.pick('Makefile', '16-undo-dismiss');
    await window.problem(OUTSIDE).first().waitFor();
    await until('the finding is open again', async () => (await state()) === 'open');
  });

  await check('a lock is lifted in its row, and the other one by the palette, each its own', async () => {
    assert.deepEqual(await held(), [session, drift.id].sort());
    await window.row('lock: only src/retry.py').first().waitFor();
    await window.picture('17-two-locks');
    await window.command('Proofmark: Lift the Scope Lock');
    const rows = await window.choices('lock held');
    assert.equal(rows.length, 2, `the person is asked which of the two: ${rows}`);
    await window.press('Escape');
    assert.deepEqual(await held(), [session, drift.id].sort(), 'nothing was lifted');
    await window.inRow('lock: only src/retry.py', 'Lift the Scope Lock');
    await window.row('lock: only src/retry.py').first().waitFor({ state: 'detached' });
    assert.deepEqual(await held(), [session]);
    await window.row('lock: a docstring').first().waitFor();
    await window.command('Proofmark: Lift the Scope Lock');
    await window.row('lock: a docstring').first().waitFor({ state: 'detached' });
    assert.deepEqual(await held(), []);
  });
});
