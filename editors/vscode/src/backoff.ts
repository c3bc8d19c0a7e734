// When a server that ended by itself is started again, and when that is given up.
// Timers and processes stay out; time is an argument.

/** So many ends within so many milliseconds are taken for a server that can't run here. */
const MOST = 5;
const WITHIN = 3 * 60_000;
/** The pauses before a new start, in milliseconds; the last one is the longest. */
const PAUSES = [250, 1_000, 3_000, 8_000] as const;

/** The ends of the last minutes. */
export class Crashes {
  private ends: number[] = [];

  /** Takes an end at a time in milliseconds. The answer is the pause before the next start, or undefined to give up. */
  note(now: number): number | undefined {
    this.ends = [...this.ends.filter((end) => now - end < WITHIN), now];
    if (this.ends.length >= MOST) return undefined;
    return PAUSES[Math.min(this.ends.length, PAUSES.length) - 1];
  }

  /** The person has asked for a start: what was before no longer counts. */
  forget(): void {
    this.ends = [];
  }
}
