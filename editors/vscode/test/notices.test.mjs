// The licences that a package carries: of each part that is inside, and no package without them.
// That the built package has the file is tested where it is made.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { notices, ofBundle, ofPrograms } from '../scripts/notices.mjs';

/** A folder with these files. */
function folder(t, files) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'proofmark-notices-'));
  t.after(() => fs.rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), text);
  }
  return root;
}

const bundled = (...files) => ({ outputs: { 'dist/extension.js': { inputs: Object.fromEntries(files.map(([name, bytesInOutput]) => [name, { bytesInOutput }])) } } });
const manifest = (name, license) => JSON.stringify({ name, version: '1.2.3', license });

test('of a bundle the packages of which something is inside, each once', (t) => {
  const root = folder(t, {
    'node_modules/one/package.json': manifest('one', 'MIT'), 'node_modules/one/LICENSE': 'text of one\r\n',
    'node_modules/@of/two/package.json': manifest('@of/two', 'ISC'), 'node_modules/@of/two/license.md': 'text of two', 'node_modules/@of/two/licenses.js': 'code',
    'node_modules/one/node_modules/in/package.json': manifest('in', 'ISC'), 'node_modules/one/node_modules/in/COPYING': 'text of in',
  });
  const metafile = bundled(['src/a.ts', 9], ['node_modules/one/a.js', 1], ['node_modules/one/b.js', 1], ['node_modules/@of/two/c.js', 5], ['node_modules/one/node_modules/in/d.js', 5], ['node_modules/unused/d.js', 0]);
  assert.deepEqual(ofBundle(metafile, root).map(({ name, license, texts }) => [name, license, texts]), [
    ['@of/two', 'ISC', ['text of two']], ['one', 'MIT', ['text of one']], ['in', 'ISC', ['text of in']],
  ]);
});

test('a package without a licence, or without its text, is an error', (t) => {
  const root = folder(t, {
    'node_modules/bare/package.json': manifest('bare', 'MIT'), 'node_modules/empty/package.json': manifest('empty', 'MIT'), 'node_modules/empty/LICENSE': ' \n',
    'node_modules/unnamed/package.json': manifest('unnamed'), 'node_modules/unnamed/LICENSE': 'text',
  });
  assert.throws(() => ofBundle(bundled(['node_modules/bare/a.js', 1]), root), /bare 1\.2\.3 has no licence text/);
  assert.throws(() => ofBundle(bundled(['node_modules/empty/a.js', 1]), root), /empty 1\.2\.3 has no licence text/);
  assert.throws(() => ofBundle(bundled(['node_modules/unnamed/a.js', 1]), root), /unnamed 1\.2\.3 names no licence/);
  assert.throws(() => ofBundle(bundled(['src/a.ts', 1]), root), /no package at all/);
});

test('of programs what is linked, and not what is only known', (t) => {
  const root = folder(t, { 'a/LICENSE-MIT': 'mit', 'a/src/unicode/LICENSE': 'icu', 'a/src/license.rs': 'code', 'b/LEGAL': 'by its name', 'c/LICENSE': 'c', 'own/x': '', 'j/x': '' });
  const crate = (name, more) => ({ name, version: '1.0.0', license: 'MIT', license_file: null, authors: ['J. <j@x>'], source: 'registry', manifest_path: path.join(root, name, 'Cargo.toml'), ...more });
  const metadata = { packages: [crate('a'), crate('b', { license_file: 'LEGAL' }), crate('c'), crate('own', { source: null }), crate('j')] };
  const tree = 'own v1.0.0 (/somewhere)\na v1.0.0\nb v1.0.0\na v1.0.0 (*)\n\nown v1.0.0 (/somewhere)\nj v1.0.0\n';
  const parts = ofPrograms(tree, metadata, ['j']);
  assert.deepEqual(parts.map(({ name, texts }) => [name, texts.slice(0, 2)]).slice(0, 2), [['a', ['mit', 'icu']], ['b', ['by its name']]]);
  assert.equal(parts.length, 3);
  assert.match(parts[2].texts[0], /^MIT License[^]*Copyright \(c\) J\. <j@x>[^]*WITHOUT WARRANTY/);
  assert.throws(() => ofPrograms(tree, metadata, []), /j 1\.0\.0 has no licence text/);
  assert.throws(() => ofPrograms(tree, metadata, ['j', 'gone']), /not linked any more: gone/);
  assert.throws(() => ofPrograms(tree, metadata, ['j', 'a']), /a has a licence text by now/);
  assert.throws(() => ofPrograms('z v1.0.0\n', metadata, []), /z v1\.0\.0 is not in the metadata/);
  assert.throws(() => ofPrograms('own v1.0.0 (/x)\n', metadata, []), /no crate of others/);
  assert.throws(() => ofPrograms('a v1.0.0\n', { packages: [crate('a', { license: null })] }, []), /names no licence/);
});

test('each text stands once, under the names of all that it is of', () => {
  const text = notices([['In a:', [{ name: 'x', version: '1', license: 'MIT', texts: ['one  text\nof theirs'] }]], ['In b:', [{ name: 'y', version: '2', license: 'ISC', texts: ['one text of theirs', 'another'] }]]]);
  assert.match(text, /In a:\n\n- x 1: MIT\n\nIn b:\n\n- y 2: ISC\n/);
  assert.equal(text.split('of theirs').length, 2);
  assert.match(text, /Of x 1, y 2:\n\none  text\nof theirs\n/);
  assert.match(text, /Of y 2:\n\nanother\n/);
});
