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

/** Runs a driver on a stage, and ends the process: with 0 when nothing failed. */
export async function stage(about, version, play) {
  const folder = path.join(ARTEFACTS, `${about}-${version}`);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  let page;
  const checks = new Checks(`${about} on VS Code ${version}`, async (number) => {
    await page?.screenshot({ path: path.join(folder, `failed-${number}.png`) });
  });
  const feed = await Feed.start();
  const host = new Host(feed, version);
  let browser;
  await checks.check('the stage is set, the play is played', async () => {
    host.install(vsix());
    checks.say('the extension is installed');
    await host.start();
    browser = await Browser.start(feed);
    page = await browser.page();
    const open = (where, more) => Window.open(page, host.address(where, more), folder);
    await play({ feed, host, browser, page, checks, folder, open });
  });
  await checks.check('no page asked for anything outside of this machine', async () => {
    if (browser?.outside.size !== 0) throw new Error([...(browser?.outside ?? ['no browser'])].join(' '));
  });
  await checks.check('nothing is left running', async () => {
    await browser?.close();
    if (host.child) keepLogs(host, folder);
    await host.stop();
    await feed.close();
  });
  process.exit(checks.done() ? 0 : 1);
}

/** Keeps what the server and the extension have logged. */
function keepLogs(host, folder) {
  const data = path.join(host.root, 'data');
  const logs = fs.readdirSync(data, { recursive: true }).filter((name) => /Proofmark.*\.log$/.test(name));
  for (const [at, name] of logs.entries()) fs.copyFileSync(path.join(data, name), path.join(folder, `proofmark-${at}.log`));
  fs.copyFileSync(path.join(host.root, 'server.log'), path.join(folder, 'server.log'));
}
