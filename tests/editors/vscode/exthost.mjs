// Runs the tests in `exthost/` in the extension host of a VS Code, and prints what they print.
// A page tells the workbench of the tests by its address; a built one listens only with the option for smoke tests, which the
// server of 1.105 can not be given.
// usage: node exthost.mjs VERSION
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stage } from './stage.mjs';

const TESTS = fileURLToPath(new URL('exthost/index.cjs', import.meta.url));
const LIMIT = 180_000;

const options = ['--vscode-option', 'enable-smoke-test-driver'];
await stage('exthost', process.argv[2], options, async ({ feed, host, page, checks }) => {
  await feed.record('editors');
  for (let turn = 1; turn <= 3; turn += 1) await feed.turn();
  let [finish, sum, said] = [undefined, '', 0];
  const finished = new Promise((resolve) => {
    finish = resolve;
  });
  // What the extension host prints comes here; a name with a style before it is the workbench's own.
  await page.exposeFunction('codeAutomationLog', (_, words) => {
    const line = words.map(String).join(' ').replace(/%c\S*( \S+)?/g, '').trim();
    const found = /^(ok|FAIL) +([^]*)$/.exec(line);
    if (found) said += 1;
    if (found) void checks.check(found[2].split(': ')[0], async () => found[1] === 'ok' || Promise.reject(new Error(found[2])));
    if (/^sum \d+ passed/.test(line)) sum = line;
  });
  await page.exposeFunction('codeAutomationExit', (code) => finish(code));
  const remote = (file) => `vscode-remote://127.0.0.1:${host.port}${file}`;
  const extensions = path.join(host.root, 'extensions');
  const [own] = fs.readdirSync(extensions).filter((name) => name.startsWith('proofmark.proofmark-'));
  const payload = JSON.stringify([
    ['extensionDevelopmentPath', remote(path.join(extensions, own))],
    ['extensionTestsPath', remote(TESTS)],
    ['skipWelcome', 'true'],
  ]);
  await page.goto(host.address(feed.places.project, `&payload=${encodeURIComponent(payload)}`), { timeout: 120_000 });
  const late = new Promise((resolve) => setTimeout(resolve, LIMIT, 'no end in time').unref());
  const code = await Promise.race([finished, late]);
  await checks.check('the tests in the extension host ran to their end', async () => {
    const [, passed, failed] = /^sum (\d+) passed, (\d+) failed/.exec(sum) ?? [];
    if (code !== 0 || failed !== '0' || Number(passed) !== said) throw new Error(`${sum}; ${said} were heard of; ${code}`);
  });
});
