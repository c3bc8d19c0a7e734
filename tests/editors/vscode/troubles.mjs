// What goes wrong around an editor: killed processes, a server that is absent, slow, too old or crashes, a workspace that is
// not trusted, no folder, five hundred findings. Each time the picture has to be right again, with nothing twice.
// usage: node troubles.mjs VERSION
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { until } from './checks.mjs';
import { program, silentOldServer } from './programs.mjs';
import { stage } from './stage.mjs';

const STALE = 'passed in turn 1, failed in turn 2';
const CLAIM = 'Unverified: “src/retry.py:5 never exceeds';
/** The server keeps 64 claims of a reply. */
const MANY = { sessions: 8, each: 64 };

await stage('troubles', process.argv[2], [], async ({ feed, host, checks, open }) => {
  const check = (name, body) => checks.check(name, body);
  await feed.record('editors');
  for (let turn = 1; turn <= 3; turn += 1) await feed.turn();
  let window = await open(feed.places.project);

  /** Both findings, each once. */
  const whole = async () => {
    await window.hasStatus('warning', '1 stale', 90_000);
    await window.problems();
    // A restart may still be on its way, and takes what is there from sight for a moment.
    const counts = async () => [await window.problemCount(STALE), await window.problemCount(CLAIM)].join();
    await until('each finding stands in Problems once', async () => (await counts()) === '1,1');
  };
  const frontEnds = () => feed.processes('serve --stdio');
  const set = (server) => host.set({ 'proofmark.server.path': server });

  await checks.must('what was found before the window was opened is shown, and no notification is', async () => {
    await whole();
    assert.equal(await window.notifications('sent back').count(), 0);
    await window.unfold();
  });

  await check('the owner is killed: another one comes, and the picture stays right', async () => {
    const owner = await feed.owner();
    await feed.kill();
    await until('there is another owner', async () => ![null, owner].includes(await feed.owner()));
    await whole();
    await feed.claims('other', ['the cache is warm on the build server']);
    await window.problem('Unverified: “the cache is warm').first().waitFor();
    await whole();
  });

  await check('the front end is killed: it is started again, and nothing is left over or doubled', async () => {
    const [before] = await frontEnds();
    process.kill(before, 'SIGKILL');
    await until('there is another front end', async () => {
      const now = await frontEnds();
      return now.length === 1 && now[0] !== before;
    });
    await whole();
    assert.equal(await window.problemCount('Unverified: “the cache is warm'), 1);
  });

  await check('stopped by hand: nothing is shown, and the view says how to start', async () => {
    await window.command('Proofmark: Stop');
    await window.hasStatus('debug-disconnect', 'Proofmark');
    assert.equal(await window.statusColour(), undefined);
    await window.verdicts.getByText('Proofmark is stopped').waitFor();
    await until('no finding is left', async () => (await window.problemCount(/passed in|router|cache/)) === 0);
    await until('the front end is gone', async () => (await frontEnds()).length === 0);
    await window.picture('01-stopped');
    await window.verdicts.getByRole('button', { name: 'Start' }).click();
    await whole();
  });

  await check('restarts and a stop without a pause between them: one server in the end, and each finding once', async () => {
    for (let nth = 0; nth < 4; nth += 1) await window.command('Proofmark: Restart Server');
    await whole();
    await until('there is one front end', async () => (await frontEnds()).length === 1);
    await window.command('Proofmark: Restart Server');
    await window.command('Proofmark: Stop');
    await window.hasStatus('debug-disconnect', 'Proofmark');
    await until('the front end is gone', async () => (await frontEnds()).length === 0);
    await window.verdicts.getByText('Proofmark is stopped').waitFor();
    await window.command('Proofmark: Start Server');
    await whole();
    assert.equal((await frontEnds()).length, 1);
  });

  await check('a server that is slow to start: the status item turns', async () => {
    set(program(feed, 'slow', `sleep 6\nexec '${feed.places.proofmark}' "$@"`));
    await window.hasStatus('sync', 'Proofmark');
    await window.picture('02-starting');
    await whole();
  });

  await check('stopped while it is being started, and while a pause is waited for: nothing comes after', async () => {
    await window.command('Proofmark: Restart Server');
    await window.hasStatus('sync', 'Proofmark');
    await window.command('Proofmark: Stop');
    await window.hasStatus('debug-disconnect', 'Proofmark');
    await until('the program that was being started is gone', async () => (await feed.processes('server-slow')).length === 0);
    const log = path.join(feed.places.home, 'paused');
    set(program(feed, 'pausing', `echo x >> '${log}'\nexit 3`));
    // The pause before the fourth start is three seconds.
    await until('it has ended three times', async () => fs.existsSync(log) && fs.readFileSync(log, 'utf8') === 'x\n'.repeat(3));
    await window.command('Proofmark: Stop');
    await window.hasStatus('debug-disconnect', 'Proofmark');
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    assert.equal(fs.readFileSync(log, 'utf8'), 'x\n'.repeat(3), 'it was started after it was stopped');
    await window.verdicts.getByText('Proofmark is stopped').waitFor();
  });

  await check('a server that is not there: said in the status item and the view, and aloud only to who asks', async () => {
    set(path.join(feed.places.home, 'no-such-program'));
    await window.hasStatus('debug-disconnect', 'Proofmark');
    await window.verdicts.getByText('its server was not found').waitFor();
    assert.equal(await window.notifications('not running').count(), 0);
    await window.command('Proofmark: Show Session Report');
    await window.notifications('Proofmark is not running').first().waitFor();
    assert.equal(await window.notifications('not running').count(), 1);
    await window.picture('03-absent');
    await window.command('Notifications: Clear All Notifications');
  });

  await check('a server that is too old is not used', async () => {
    set(silentOldServer(feed));
    await window.verdicts.getByText('another version').waitFor();
    await window.hasStatus('debug-disconnect', 'Proofmark');
  });

  await check('a server that crashes five times is given up', async () => {
    const log = path.join(feed.places.home, 'starts');
    set(program(feed, 'crashing', `echo x >> '${log}'\nexit 3`));
    await until('it is given up', async () => (await window.statusColour()) === 'error', 90_000);
    assert.equal(fs.readFileSync(log, 'utf8'), 'x\n'.repeat(5));
    await window.verdicts.getByText('ended five times').waitFor();
    assert.equal(await window.notifications('Proofmark').count(), 0);
    await window.picture('04-crashed');
    host.set({});
    await whole();
  });

  await check('a window without a folder shows every session', async () => {
    window = await open(undefined);
    await whole();
    await window.picture('06-no-folder');
  });

  await check('a window on another folder shows none of them', async () => {
    const other = path.join(feed.places.home, 'other');
    fs.mkdirSync(other, { recursive: true });
    window = await open(other);
    await window.hasStatus('pass', 'Proofmark', 90_000);
    await window.unfold();
    await window.verdicts.getByText('No findings yet').waitFor();
  });

  await check('Restricted Mode: findings are shown, no check can be run, the workspace names no server', async () => {
    const own = path.join(feed.places.project, '.vscode');
    fs.mkdirSync(own, { recursive: true });
    fs.writeFileSync(path.join(own, 'settings.json'), JSON.stringify({ 'proofmark.server.path': '/no/such/program' }));
    host.set({ 'security.workspace.trust.enabled': true });
    window = await open(feed.places.project);
    await window.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
    await whole();
    assert.ok(await window.offers('Proofmark: Show Session Report'), 'the report can be opened');
    assert.ok(!(await window.offers('Proofmark: Run the Check Again')), 'a check can be run');
    await window.problem(STALE).first().click();
    await window.press('Enter');
    const titles = await window.quickFixes();
    assert.ok(titles.some((title) => title.includes('it was right')), `it can be dismissed: ${titles}`);
    assert.ok(!titles.some((title) => title.includes('terminal')), `a check can be run: ${titles}`);
    await window.picture('07-restricted');
    await window.press('Escape');
  });

  await check('five hundred findings at once: the view stays quick, Problems bounded', async () => {
    await window.unfold();
    for (let session = 1; session <= MANY.sessions; session += 1) {
      const claims = Array.from({ length: MANY.each }, (_, at) => `worker ${session}-${at} never runs out of memory`);
      await feed.claims(`many-${session}`, claims);
    }
    const claims = (await feed.told('claims')).filter(({ state }) => state === 'open').length;
    assert.ok(claims > 500, `only ${claims} claims are open`);
    const told = Date.now();
    // A session that comes is unfolded, and only those rows are drawn that there is room for.
    await until('all sessions are in the view', async () => {
      await window.foldAll();
      const rows = Array.from({ length: MANY.sessions }, (_, at) => window.row(`many-${at + 1}`).first());
      return (await Promise.all(rows.map((row) => row.isVisible()))).every(Boolean);
    });
    const shown = Date.now();
    await window.fold(`many-${MANY.sessions}`, true);
    await window.fold('Untried claims', true);
    await window.row(/worker \d-\d+ never/).first().waitFor();
    const folded = Date.now();
    checks.say(`      shown ${shown - told} ms after the last was told; unfolded in ${folded - shown} ms`);
    assert.ok(folded - shown < 10_000, 'the view is slow');
    await window.problem(/\d+ more findings/).first().waitFor();
    await window.picture('05-many');
    await window.problem(STALE).first().waitFor();
  });
});
