// Makes the extension's package without a server inside: the tests run the one that was built beside it.
// Which packages are released, and how, is the extension's own script's business.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SOURCE = path.join(ROOT, 'editors/vscode');
/** What is made on the way, and never in the checkout's own folders. */
const MADE = ['node_modules', 'dist', 'dist-packages', 'out', 'server', 'docs'];

/** Builds it in a folder below `target`, and returns that folder and the package. */
export function build(target, feed) {
  const folder = path.join(target, 'extension');
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    if (name !== 'node_modules') fs.rmSync(path.join(folder, name), { recursive: true });
  }
  const wanted = (from) => !MADE.includes(path.relative(SOURCE, from));
  fs.cpSync(SOURCE, folder, { recursive: true, filter: wanted });
  const lock = fs.readFileSync(path.join(SOURCE, 'package-lock.json'), 'utf8');
  const mark = path.join(folder, 'node_modules/.installed');
  if (!fs.existsSync(mark) || fs.readFileSync(mark, 'utf8') !== lock) {
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder);
    fs.writeFileSync(mark, lock);
  }
  run(process.execPath, ['node_modules/esbuild/bin/esbuild', ...bundling(folder)], folder);
  const vsix = path.join(target, 'proofmark.vsix');
  const vsce = path.join(feed.places.tools, '@vscode/vsce/vsce');
  // vsce asks for a newer Node than a machine may have; the editor brings one.
  const { node } = Object.values(feed.places.hosts)[0];
  const own = ['package', '--no-dependencies', '--allow-missing-repository', '-o', vsix];
  run(node, [vsce, ...own], folder, { PATH: `${path.dirname(node)}:${process.env.PATH}` });
  return { folder, vsix };
}

/** The arguments of the extension's own script `build`. */
function bundling(folder) {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const [program, ...words] = scripts.build.split(' ');
  if (program !== 'esbuild') throw new Error(`the script build runs ${program}, not esbuild`);
  return words;
}

function run(program, words, cwd, more = {}) {
  const done = spawnSync(program, words, { cwd, encoding: 'utf8', timeout: 300_000, env: { ...process.env, ...more } });
  if (done.status !== 0) throw new Error(`${program} ${words.join(' ')}: ${done.error ?? ''}${done.stdout}${done.stderr}`);
}
