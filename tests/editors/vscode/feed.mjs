// The other side of `feed-editor`: a world with a project, an owner of its own, and sessions that are told on request.
// What an editor makes of them is the drivers' business.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const BUILT = fileURLToPath(new URL('../../../target/debug/feed-editor', import.meta.url));

/** No request takes longer, in milliseconds: a turn is a handful of hook calls. */
const LIMIT = 60_000;

export class Feed {
  #child;
  #waiting = [];
  #ended;

  constructor(child) {
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    createInterface({ input: child.stdout }).on('line', (line) => this.#waiting.shift()?.(JSON.parse(line)));
  }

  /** Starts one: `$FEED_EDITOR` is the program, else the one that `cargo build` makes. */
  static async start() {
    const child = spawn(process.env.FEED_EDITOR ?? BUILT, { stdio: ['pipe', 'pipe', 'inherit'] });
    const feed = new Feed(child);
    feed.places = await feed.#answer();
    return feed;
  }

  #answer() {
    const answer = new Promise((resolve) => this.#waiting.push(resolve));
    const ended = this.#ended.then(({ code, signal }) => ({ error: `feed-editor ended: ${code ?? signal}` }));
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, LIMIT, { error: `feed-editor gave no answer within ${LIMIT} ms` });
    });
    return Promise.race([answer, ended, late]).finally(() => clearTimeout(timer));
  }

  async ask(request) {
    const answer = this.#answer();
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    const given = await answer;
    if (given.error) throw new Error(`${JSON.stringify(request).slice(0, 200)}: ${given.error}`);
    return given;
  }

  record(name) {
    return this.ask({ do: 'record', name });
  }

  /** Tells the next turn, and answers what the hook answered to each event. */
  async turn() {
    return (await this.ask({ do: 'turn' })).told;
  }

  claims(session, claims) {
    return this.ask({ do: 'claims', session, claims });
  }

  /** Runs `proofmark` with these arguments, and reads what it prints as JSON. */
  async told(...words) {
    const { code, stdout, stderr } = await this.ask({ do: 'proofmark', arguments: [...words, '--json'] });
    if (code !== 0) throw new Error(`proofmark ${words.join(' ')}: ${code} ${stderr}`);
    return JSON.parse(stdout);
  }

  async owner() {
    return (await this.ask({ do: 'owner' })).pid;
  }

  kill() {
    return this.ask({ do: 'kill' });
  }

  /** The processes of this world whose command line holds these words. */
  async processes(words) {
    const { processes } = await this.ask({ do: 'processes' });
    return processes.filter(({ command }) => command.includes(words)).map(({ pid }) => pid);
  }

  /** Ends the world. Fails when anything of it is left running, the editor's processes among it. */
  async close() {
    this.#child.stdin.end();
    const { code, signal } = await this.#ended;
    if (code !== 0) throw new Error(`the world did not end in order: ${code ?? signal}`);
  }
}
