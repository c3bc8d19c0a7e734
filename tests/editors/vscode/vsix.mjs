// The extension's packages, made by its own script: one without a server, for tests that bring the one that was built, and one with.
// What else that script makes stays out.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Where pictures, logs and the package are kept. */
export const ARTEFACTS = process.env.EDITOR_ARTEFACTS ?? path.join(ROOT, 'target/editors');

/** The package without a server: `$PROOFMARK_VSIX`, else one that is made now. */
export function vsix() {
  return process.env.PROOFMARK_VSIX ?? made(/^proofmark-[\d.]+\.vsix$/, '--universal');
}

/** The package with one: `$PROOFMARK_BUNDLED_VSIX`, else one that is made now, of `$PROOFMARK_BIN_DIR` if that is set. */
export function bundled() {
  return process.env.PROOFMARK_BUNDLED_VSIX ?? made(/^proofmark-[\d.]+-linux-x64\.vsix$/);
}

function made(name, ...options) {
  const out = path.join(ARTEFACTS, 'package');
  const script = path.join(ROOT, 'editors/vscode/package.sh');
  // Without a built server one has to be built.
  const done = spawnSync(script, options, { encoding: 'utf8', timeout: 1_200_000, env: { ...process.env, OUT: out } });
  if (done.status !== 0) throw new Error(`${script}: ${done.error ?? ''}${done.stdout}${done.stderr}`);
  const [file] = fs.readdirSync(out).filter((one) => name.test(one));
  return path.join(out, file);
}
