// Bundles the unit tests and runs them with Node's own runner: it reads no TypeScript in the versions that are about.
// What needs a real editor is tested elsewhere.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = path.join(root, 'out');
fs.rmSync(out, { recursive: true, force: true });
const here = (ending) => fs.readdirSync(path.join(root, 'test')).filter((name) => name.endsWith(ending)).map((name) => path.join(root, 'test', name));
const entryPoints = here('.test.ts');
// There is no package `vscode`: an editor gives it to what it runs.
const alias = { vscode: path.join(root, 'test/fake-vscode.ts') };
await build({ entryPoints, outdir: out, bundle: true, alias, platform: 'node', format: 'esm', target: 'node20', outExtension: { '.js': '.mjs' }, logLevel: 'warning' });
const tests = [...fs.readdirSync(out).map((name) => path.join(out, name)), ...here('.test.mjs')];
const { status, stdout, stderr } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', ...tests], { cwd: root, encoding: 'utf8' });
const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(stdout)?.[1] ?? 0);
const failed = count('fail') + count('cancelled');
if (status !== 0 || failed > 0) process.stdout.write(stdout + stderr);
fs.rmSync(out, { recursive: true, force: true });
console.log(`${count('pass')} passed, ${failed} failed`);
process.exit(status === 0 && failed === 0 && count('pass') > 0 ? 0 : 1);
