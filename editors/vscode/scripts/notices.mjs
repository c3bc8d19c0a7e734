// Writes THIRD-PARTY-NOTICES.txt of a package: the licences of what the bundle and the programs inside are made of.
// What is built, and how it is packed, stays with package.sh.
// usage: node scripts/notices.mjs OUT METAFILE [TARGET]      TARGET is Rust's name of the system, where a server is inside
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Files that hold a licence or a notice, by their names. */
const LEGAL = /^(licen[cs]e|copying|copyright|notice|unlicense)([.\-_].*)?$/i;
/** Crates that are published without their licence's text: they get the text of MIT with the authors whom they name. */
const BARE = ['jsonrpsee', 'jsonrpsee-core', 'jsonrpsee-types'];

/** The npm packages of which something is in a bundle, by esbuild's metafile. */
export function ofBundle(metafile, root) {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const names = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  const folders = [...new Set(names.filter((name) => name !== undefined))].sort();
  if (folders.length === 0) throw new Error('the bundle holds no package at all; is this its metafile?');
  return folders.map((name) => {
    const folder = path.join(root, name);
    const { name: called, version, license } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
    return whole({ name: called, version, license, texts: texts(folder) });
  });
}

/** The crates that are linked into the programs: `tree` is what `cargo tree` lists, one `name vVERSION` a line. */
export function ofPrograms(tree, metadata, bare = BARE) {
  const wanted = new Set(tree.split('\n').map((line) => line.split(' ').slice(0, 2).join(' ')).filter((line) => line !== ''));
  const known = new Map(metadata.packages.map((one) => [`${one.name} v${one.version}`, one]));
  const linked = [...wanted].sort().map((name) => known.get(name) ?? fail(`${name} is not in the metadata`));
  const unused = bare.filter((name) => !linked.some((one) => one.name === name));
  if (unused.length > 0) fail(`not linked any more: ${unused}`);
  // Crates of this repository come from no registry, and are under the package's own licence.
  const foreign = linked.filter((one) => one.source !== null);
  if (foreign.length === 0) fail('no crate of others is linked; is this the tree of the programs?');
  return foreign.map((one) => {
    const folder = path.dirname(one.manifest_path);
    const own = texts(folder, one.license_file ? [path.join(folder, one.license_file)] : []);
    if (!bare.includes(one.name)) return whole({ ...one, texts: own });
    if (own.length > 0) fail(`${one.name} has a licence text by now`);
    if (one.license !== 'MIT' || one.authors.length === 0) fail(`${one.name} is not under MIT, or names no authors`);
    const mit = fs.readFileSync(path.join(ROOT, 'LICENSE'), 'utf8').replace(/^Copyright .*$/m, `Copyright (c) ${one.authors.join(', ')}`);
    return whole({ ...one, texts: [mit] });
  });
}

/** What stands in every Rust program, and on Linux in one that is linked statically: not in any lock file. */
function ofToolchain(sysroot, target) {
  const std = fs.readFileSync(path.join(sysroot, 'share/doc/rust/COPYRIGHT-library.html'), 'utf8');
  const parts = [whole({ name: 'The Rust Standard Library', version: '', license: 'MIT OR Apache-2.0, and as it says', texts: [plain(std)] })];
  if (target.includes('linux-gnu')) {
    const texts = ['/usr/share/doc/libc6/copyright', '/usr/share/common-licenses/LGPL-2.1'].map((file) => fs.readFileSync(file, 'utf8'));
    const relink = 'The programs can be linked again with another version of the GNU C Library: their source is under the MIT licence, and `tests/build --static` in it makes them.';
    parts.push(whole({ name: 'The GNU C Library', version: '', license: 'LGPL-2.1-or-later, and as it says', texts: [relink, ...texts] }));
  } else if (target.includes('linux-musl')) {
    parts.push(whole({ name: 'musl', version: '', license: 'MIT', texts: [fs.readFileSync('/usr/share/doc/musl/copyright', 'utf8')] }));
  }
  return parts;
}

/** The whole file: what there is and under which licence, then each text once. */
export function notices(sections) {
  const holders = new Map();
  const lists = sections.map(([title, parts]) => {
    const rows = parts.map(({ name, version, license, texts: own }) => {
      const called = `${name} ${version}`.trim();
      for (const text of own) {
        // The same words in other lines are the same text.
        const key = text.replace(/\s+/g, ' ');
        const held = holders.get(key) ?? { text, names: new Set() };
        holders.set(key, held);
        held.names.add(called);
      }
      return `- ${called}: ${license}`;
    });
    return `${title}\n\n${rows.join('\n')}\n`;
  });
  const rule = '-'.repeat(80);
  const all = [...holders.values()].map(({ text, names }) => `${rule}\nOf ${[...names].join(', ')}:\n\n${text}\n`);
  return `Proofmark is under the MIT licence, see LICENSE. This package also holds parts by others.\n\n${lists.join('\n')}\n${all.join('\n')}`;
}

function whole({ name, version, license, texts: own }) {
  if (typeof license !== 'string' || license.trim() === '') fail(`${name} ${version} names no licence`);
  const kept = own.map((text) => text.replace(/\r\n/g, '\n').trim()).filter((text) => text !== '');
  if (kept.length === 0) fail(`${name} ${version} has no licence text`);
  return { name, version, license, texts: kept };
}

/** The texts in a package's folder, those of code by others within it too. */
function texts(folder, more = []) {
  const found = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile() && LEGAL.test(entry.name)).map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
  const inside = files.filter((file) => !path.relative(folder, file).split(path.sep).includes('node_modules'));
  // Code may have such a name too.
  const legal = inside.filter((file) => !/\.(rs|c|h|js|mjs|ts|json)$/.test(file));
  return [...new Set([...legal, ...more])].sort().map((file) => fs.readFileSync(file, 'utf8'));
}

/** A page of HTML as a text. */
function plain(html) {
  const body = html.slice(html.indexOf('<body>')).replace(/<(script|style)[^]*?<\/\1>/g, '');
  const text = body.replace(/<[^>]*>/g, '').replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;|&#34;/g, '"').replace(/&#0?39;|&#x27;/g, "'").replace(/&amp;/g, '&');
  return text.replace(/[ \t]+$/gm, '').replace(/\n{3,}/g, '\n\n');
}

function fail(why) {
  throw new Error(`third-party notices: ${why}`);
}

function main([out, metafile, target]) {
  const sections = [['In the extension:', ofBundle(JSON.parse(fs.readFileSync(metafile, 'utf8')), path.join(ROOT, 'editors/vscode'))]];
  if (target) {
    const run = (program, words) => execFileSync(program, words, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20 });
    const programs = ['-p', 'proofmark', '-p', 'proofmark-hook', '--target', target];
    // Macros run in the compiler, and nothing of them is in the programs.
    const tree = run('cargo', ['tree', '--locked', '-e', 'normal,no-proc-macro', ...programs, '--prefix', 'none', '-f', '{p}']);
    const metadata = JSON.parse(run('cargo', ['metadata', '--locked', '--format-version', '1']));
    sections.push(['In the programs:', [...ofPrograms(tree, metadata), ...ofToolchain(run('rustc', ['--print', 'sysroot']).trim(), target)]]);
  }
  fs.writeFileSync(out, notices(sections));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
