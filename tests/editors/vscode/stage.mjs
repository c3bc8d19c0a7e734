// What each driver stands on: a world, a VS Code in it, a browser, and a folder for pictures; all of it gone at the end.
// What is looked at is the driver's.
import fs from 'node:fs';
import path from 'node:path';
import { Browser } from './browser.mjs';
import { Checks } from './checks.mjs';
import { Feed } from './feed.mjs';
import { Host } from './host.mjs';
import { ARTEFACTS, vsix } from './vsix.mjs';
import { Window } from './window.mjs';

/** No driver plays longer, in milliseconds: one that hangs is ended in order, with all that it started. */
const LONGEST = 300_000;

/** Runs a driver on a stage, and ends the process: with 0 when nothing failed. `options` are the server's, `pack` says which package. */
export async function stage(about, version, options, play, pack = vsix) {
  const folder = path.join(ARTEFACTS, `${about}-${version}`);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  let page;
  const checks = new Checks(`${about} on VS Code ${version}`, async (number) => {
    await page?.screenshot({ path: path.join(folder, `failed-${number}.png`) });
  });
  const feed = await Feed.start();
  const host = new Host(feed, version, options);
  let browser;
  await checks.check('the stage is set, the play is played', async () => {
    host.install(pack());
    checks.say('the extension is installed');
    await host.start();
    browser = await Browser.start(feed);
    page = await browser.page();
    const open = (where, more) => Window.open(page, host.address(where, more), folder);
    const late = new Promise((_, reject) => setTimeout(reject, LONGEST, new Error(`still playing after ${LONGEST} ms`)).unref());
    await Promise.race([play({ feed, host, browser, page, checks, folder, open }), late]);
  });
  await checks.check('no page asked for anything outside of this machine', async () => {
    if (browser?.outside.size !== 0) throw new Error([...(browser?.outside ?? ['no browser'])].join(' '));
  });
  if (host.child) keepLogs(host, folder, checks);
  await checks.check('nothing is left running', async () => {
    // One after the other, each also when the one before has failed.
    const ends = [];
    for (const end of [() => browser?.close(), () => host.stop(), () => feed.close()]) {
      ends.push(...(await Promise.allSettled([end()])));
    }
    const failed = ends.filter(({ status }) => status === 'rejected').map(({ reason }) => String(reason));
    if (failed.length > 0) throw new Error(failed.join('\n'));
  });
  process.exit(checks.done() ? 0 : 1);
}

/** Keeps what VS Code and the extension have logged. */
function keepLogs(host, folder, checks) {
  try {
    const data = path.join(host.root, 'data');
    const logs = fs.readdirSync(data, { recursive: true }).filter((name) => /proofmark[^/]*\.log$/i.test(name));
    for (const [at, name] of logs.entries()) fs.copyFileSync(path.join(data, name), path.join(folder, `proofmark-${at}.log`));
    fs.copyFileSync(path.join(host.root, 'server.log'), path.join(folder, 'server.log'));
  } catch (failure) {
    checks.say(`no logs: ${failure}`);
  }
}
