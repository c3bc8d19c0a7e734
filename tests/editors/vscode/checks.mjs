// Counts what passed and what failed, and waits for things with a bound.
// What is looked at stays out.

/** How long anything may take to appear, in milliseconds; on a busy machine an editor is slow. */
export const PATIENCE = 45_000;

/** Looks again and again until it sees something; what was seen last is in the error. */
export async function until(what, look, limit = PATIENCE) {
  const end = Date.now() + limit;
  for (let last; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    try {
      last = await look();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`not within ${limit} ms: ${what} (${String(last).slice(0, 500)})`);
  }
}

export class Checks {
  #passed = 0;
  #failed = 0;
  #started = Date.now();

  constructor(about, onFailure = async () => undefined) {
    this.about = about;
    this.onFailure = onFailure;
  }

  say(text) {
    console.log(`${((Date.now() - this.#started) / 1000).toFixed(1).padStart(6)} s  ${text}`);
  }

  /** One check: it passes when `body` does not throw. What follows is still tried. */
  async check(name, body) {
    try {
      await body();
      this.#passed += 1;
      this.say(`ok    ${name}`);
      return true;
    } catch (error) {
      this.#failed += 1;
      this.say(`FAIL  ${name}: ${String(error?.stack ?? error).slice(0, 1500)}`);
      await this.onFailure(this.#failed).catch((failure) => this.say(`      no picture: ${failure}`));
      return false;
    }
  }

  /** A check without which nothing that follows means anything. */
  async must(name, body) {
    if (!(await this.check(name, body))) throw new Error(`nothing can be shown without: ${name}`);
  }

  /** Prints the sum; true when something was looked at and nothing failed. */
  done() {
    this.say(`end of ${this.about}`);
    console.log(`${this.#passed} passed, ${this.#failed} failed`);
    return this.#failed === 0 && this.#passed > 0;
  }
}
