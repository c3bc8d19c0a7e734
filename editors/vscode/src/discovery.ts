// Where the server's program is: the setting, the one in this extension, the one on the PATH.
// Starting it, and asking its version, stay out.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

/** The program. There is none for Windows. */
const NAME = 'proofmark';

/** What the search depends on. */
export interface Surroundings {
  /** The setting `proofmark.server.path`; empty for none. */
  readonly setting: string;
  /** The folder of this extension. */
  readonly extension: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
}

/** The program, and where it is from; or why there is none, in words for the person. */
export type Found =
  | { readonly path: string; readonly from: 'setting' | 'extension' | 'PATH' }
  | { readonly missing: string };

/** Looks for the program. A setting that leads nowhere is said, and not passed over: the person wants that one. */
export function find(around: Surroundings): Found {
  const wanted = around.setting.trim();
  if (wanted !== '') {
    const full = expand(wanted, around.home ?? os.homedir());
    if (!path.isAbsolute(full)) return { missing: 'The setting proofmark.server.path is not an absolute path.' };
    if (!isFile(full)) return { missing: 'The setting proofmark.server.path names no file.' };
    return isExecutable(full)
      ? { path: full, from: 'setting' }
      : { missing: 'The file that proofmark.server.path names can not be executed.' };
  }
  const bundled = path.join(around.extension, 'server', NAME);
  if (isFile(bundled) && makeExecutable(bundled)) return { path: bundled, from: 'extension' };
  for (const folder of (around.env['PATH'] ?? '').split(path.delimiter)) {
    // A relative folder on the PATH would be one of the workspace.
    if (!path.isAbsolute(folder)) continue;
    const candidate = path.join(folder, NAME);
    if (isFile(candidate) && isExecutable(candidate)) return { path: candidate, from: 'PATH' };
  }
  return { missing: 'The program proofmark is not in this extension, and not on the PATH.' };
}

/** `~` and `~/...` as a person writes them. */
export function expand(text: string, home: string): string {
  return text === '~' || text.startsWith('~/') ? path.join(home, text.slice(1)) : text;
}

function isFile(file: string): boolean {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A package that was made on a system without such bits comes without them. */
function makeExecutable(file: string): boolean {
  if (isExecutable(file)) return true;
  try {
    fs.chmodSync(file, 0o755);
  } catch {
    return false;
  }
  return isExecutable(file);
}
