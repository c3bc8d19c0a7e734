// A recorded session is told while the editor is open, and a person acts on what it shows: every surface once, by keyboard
// where that is the way. What happens when something breaks is another driver's.
// usage: node walk.mjs VERSION
import assert from 'node:assert/strict';
import { until } from './checks.mjs';
import { stage } from './stage.mjs';

const STALE = 'passed in turn 1, failed in turn 2';

await stage('walk', process.argv[2], async ({ feed, host, checks, open }) => {
  const check = (name, body) => checks.check(name, body);
  const { session } = await feed.record('editors');
  const short = session.slice(0, 4);
  const window = await open(feed.places.project);
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
    for (const text of [short, 'tale verdict', STALE]) await window.row(text).first().waitFor();
    await window.page.locator('.activitybar .badge .badge-content', { hasText: '1' }).first().waitFor();
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

  await check('a finding is dismissed by keyboard, and goes everywhere', async () => {
    await window.problem(STALE).first().click();
    await window.press('Enter');
    await window.quickFix('it was right', '05-quick-fix');
    await window.problem(STALE).first().waitFor({ state: 'detached' });
    await window.squiggles.first().waitFor({ state: 'detached' });
    await window.lens.filter({ hasText: 'turn 2' }).first().waitFor({ state: 'detached' });
    await window.hasStatus('pass', 'Proofmark');
    const [finding] = await feed.told('findings');
    assert.equal(finding.state, 'dismissed');
  });
});
