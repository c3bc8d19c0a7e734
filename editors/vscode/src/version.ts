// Whether the program that answered is one that this extension can work with.
// Finding and starting it stays out.

/** The oldest server that has what this extension asks for. */
export const OLDEST = '0.1.0';

/** Why the server can't be used, in words for the person; undefined where it can. */
export function unfit(info: { name: string; version?: string | undefined } | undefined): string | undefined {
  if (info?.name !== 'proofmark') return 'The program that was started is not a Proofmark server.';
  if (info.version === undefined || parts(info.version) === undefined) {
    return 'The Proofmark server does not say its version.';
  }
  if (compare(info.version, OLDEST) < 0) {
    return `The Proofmark server is version ${info.version.slice(0, 40)}; this extension needs ${OLDEST} or later.`;
  }
  return undefined;
}

/** Below 0 when the first version is older. What follows a dash counts as older than the same number without one. */
export function compare(one: string, other: string): number {
  const [a, b] = [parts(one), parts(other)];
  if (!a || !b) return 0;
  for (const at of [0, 1, 2] as const) if (a.numbers[at] !== b.numbers[at]) return a.numbers[at] - b.numbers[at];
  return Number(b.before) - Number(a.before);
}

function parts(version: string): { numbers: [number, number, number]; before: boolean } | undefined {
  const found = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-)?/.exec(version);
  if (!found) return undefined;
  return { numbers: [Number(found[1]), Number(found[2]), Number(found[3])], before: found[4] !== undefined };
}
