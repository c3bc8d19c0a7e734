// The settings as the server takes them, at its start and whenever one changes.
// What the settings are called, and what they are by default, stands in package.json.

/** How a setting is read: its name below `proofmark`. */
export type Read = (name: string) => unknown;

/** What the server is told. */
export interface Options {
  readonly sessions: true;
  readonly codeLens: boolean;
  readonly severity: Record<string, string>;
  /** Null for the server's own. */
  readonly maxAgeHours: number | null;
}

/** Which checks a setting is about: a claim of a pass that the record denies is a stale verdict to its reader. */
const SEVERITY: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['severity.staleVerdict', ['stale-verdict', 'claimed-pass']],
  ['severity.untriedClaim', ['untried-claim']],
  ['severity.scopeDrift', ['scope-drift']],
];
const SEVERITIES: readonly unknown[] = ['error', 'warning', 'information'];

/** Reads them. A value that is none of the allowed ones is left out, and the server's own holds. */
export function options(read: Read): Options {
  const severity: Record<string, string> = {};
  for (const [name, codes] of SEVERITY) {
    const value = read(name);
    if (typeof value === 'string' && SEVERITIES.includes(value)) for (const code of codes) severity[code] = value;
  }
  const hours = read('sessions.maxAgeHours');
  return {
    sessions: true,
    codeLens: read('codeLens.enabled') !== false,
    severity,
    maxAgeHours: typeof hours === 'number' && Number.isFinite(hours) && hours > 0 ? hours : null,
  };
}
