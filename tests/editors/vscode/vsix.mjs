// The extension's package without a server inside, made by its own script: the tests run the server that was built here.
// What else that script makes stays out.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Where pictures, logs and the package are kept. */
export const ARTEFACTS = process.env.EDITOR_ARTEFACTS ?? path.join(ROOT, 'target/editors');

/** The package: `$PROOFMARK_VSIX`, else one that is made now. */
export function vsix() {
  if (process.env.PROOFMARK_VSIX) return process.env.PROOFMARK_VSIX;
  const out = path.join(ARTEFACTS, 'package');
  const script = path.join(ROOT, 'editors/vscode/package.sh');
  const done = spawnSync(script, ['--universal'], { encoding: 'utf8', timeout: 300_000, env: { ...process.env, OUT: out } });
  if (done.status !== 0) throw new Error(`${script}: ${done.error ?? ''}${done.stdout}${done.stderr}`);
  const [made] = fs.readdirSync(out).filter((name) => /^proofmark-[\d.]+\.vsix$/.test(name));
  return path.join(out, made);
}
