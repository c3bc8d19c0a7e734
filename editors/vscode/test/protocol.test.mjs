// The generated types are the schema's.
// The schema itself is held to the code by the repository's own tests.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';
import { fresh, generate } from '../scripts/protocol.mjs';

test('src/protocol.ts is what the schema gives: npm run protocol', () => {
  assert.equal(fs.readFileSync('src/protocol.ts', 'utf8'), fresh());
});

test('a keyword that is not known is an error', () => {
  const schema = JSON.parse(fs.readFileSync('../../protocol/schema/proofmark.schema.json', 'utf8'));
  schema.$defs.SessionReport.properties.text.pattern = 'x';
  assert.throws(() => generate(schema), /pattern/);
});
