// The package with the server inside, where there is no other: no setting names one, and none is on the PATH.
// What the extension shows of it is the other drivers' business.
// usage: node bundled.mjs VERSION
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { until } from './checks.mjs';
import { PATH } from './host.mjs';
import { stage } from './stage.mjs';
import { bundled } from './vsix.mjs';

const STALE = 'passed in turn 1, failed in turn 2';

await stage('bundled', process.argv[2], [], async ({ feed, host, checks, open }) => {
  host.set({ 'proofmark.server.path': '' });
  await feed.record('editors');
  for (let turn = 1; turn <= 2; turn += 1) await feed.turn();
  const extensions = path.join(host.root, 'extensions');
  const [own] = fs.readdirSync(extensions).filter((name) => name.startsWith('proofmark.proofmark-'));
  const server = path.join(extensions, own, 'server/proofmark');
  const running = () => feed.processes(`${server} serve`);

  await checks.must('the server is in the package, with its hook and its licences, and nowhere on the PATH', async () => {
    for (const file of [server, `${server}-hook`]) fs.accessSync(file, fs.constants.X_OK);
    assert.match(fs.readFileSync(path.join(extensions, own, 'THIRD-PARTY-NOTICES.txt'), 'utf8'), /In the programs:\n[^]*- rusqlite /);
    for (const folder of PATH.split(':')) assert.ok(!fs.existsSync(path.join(folder, 'proofmark')), `${folder} has one`);
  });

  const window = await open(feed.places.project);
  await checks.check('it is found, started, and what it says is shown', async () => {
    await window.hasStatus('warning', '1 stale', 90_000);
    await window.problems();
    await window.problem(STALE).first().waitFor();
    assert.equal((await running()).length, 1);
    await window.command('Proofmark: Show Version');
    await window.notifications(server).first().waitFor();
    await window.picture('01-version');
    await window.notifications(server).first().getByRole('button', { name: 'Copy' }).click();
    await until('the version is on the clipboard', async () => (await window.page.evaluate(() => navigator.clipboard.readText())).includes(server));
  });

  await checks.check('it keeps the sessions too, when nobody else does', async () => {
    await feed.kill();
    await until('the program in the package is the owner', async () => (await running()).length === 2 && (await running()).includes(await feed.owner()));
    await window.problem(STALE).first().waitFor();
    await feed.claims('other', ['the cache is warm on the build server']);
    await window.problem('Unverified: “the cache is warm').first().waitFor();
  });
}, bundled);
