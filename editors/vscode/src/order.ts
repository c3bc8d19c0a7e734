// The order in which findings are gone through: file by file, line by line, and around.
// Opening one stays out.

/** A place, as far as its order goes. */
export interface Spot {
  readonly uri: string;
  readonly line: number;
}

function compare(a: Spot, b: Spot): number {
  if (a.uri !== b.uri) return a.uri < b.uri ? -1 : 1;
  return a.line - b.line;
}

/** The place after the current one, or before it; around at the end. Without a current one the first, or the last. */
export function step<T extends Spot>(all: readonly T[], current: Spot | undefined, forward: boolean): T | undefined {
  const sorted = [...all].sort(compare);
  if (!forward) sorted.reverse();
  if (!current) return sorted[0];
  const beyond = (one: T): boolean => (forward ? compare(one, current) > 0 : compare(one, current) < 0);
  return sorted.find(beyond) ?? sorted[0];
}
