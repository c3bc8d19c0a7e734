// The life of the server process: found, started, looked at, started again after a crash, given up.
// What it says about sessions stays out.
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import { Crashes } from './backoff';
import { Client } from './client';
import { find } from './discovery';
import { options } from './options';
import type { FindingsChanged } from './protocol';
import { unfit } from './version';

/** Where the server stands. */
export type State =
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly version: string; readonly program: string }
  | { readonly kind: 'stopped' | 'crashed' | 'absent' | 'unfit'; readonly why: string };

/** How long the first answer may take, in milliseconds. */
const ANSWER = 10_000;
/** How long a command waits for a server that is being started, in milliseconds. */
const PATIENCE = 5_000;

/** What the client needs beside the server. */
export interface Hooks {
  readonly middleware: Middleware;
  readonly code2Protocol: (uri: vscode.Uri) => string;
}

/** The server of this window. */
export class Server implements vscode.Disposable {
  private current: State = { kind: 'stopped', why: 'It was not started.' };
  private client: Client | undefined;
  private readonly crashes = new Crashes();
  private timer: NodeJS.Timeout | undefined;
  /** Counts starts and stops, so that what belongs to an earlier one is told apart. */
  private epoch = 0;
  /** The person has asked for something, and has not been told yet that there is no server. */
  private asked = false;
  private readonly states = new vscode.EventEmitter<State>();
  private readonly findings = new vscode.EventEmitter<FindingsChanged>();
  readonly onDidChangeState = this.states.event;
  readonly onFindings = this.findings.event;

  constructor(
    private readonly extension: string,
    private readonly log: vscode.LogOutputChannel,
    private readonly hooks: Hooks,
  ) {}

  get state(): State {
    return this.current;
  }

  /** Starts it, unless it runs or is about to. */
  async start(asked = false): Promise<void> {
    if (asked) {
      this.asked = true;
      this.crashes.forget();
      // Nobody waits for a pause who has asked for a start.
      clearTimeout(this.timer);
      this.timer = undefined;
    }
    if (this.client || this.timer) return;
    await this.launch();
  }

  /** Ends it, and starts it anew. */
  async restart(asked = false): Promise<void> {
    await this.stop();
    await this.start(asked);
  }

  /** Ends it. */
  async stop(why = 'It was stopped.'): Promise<void> {
    this.epoch += 1;
    clearTimeout(this.timer);
    this.timer = undefined;
    const { client } = this;
    this.client = undefined;
    this.become({ kind: 'stopped', why });
    await client?.end();
  }

  /** Tells it the settings, which have changed. */
  async configure(): Promise<void> {
    if (this.current.kind !== 'running') return;
    await this.client?.sendNotification('workspace/didChangeConfiguration', { settings: { proofmark: settings() } });
  }

  /** Asks it something. */
  async request<Result>(method: string, params: object): Promise<Result> {
    if (!this.client || this.current.kind !== 'running') throw new Error('Proofmark is not running.');
    return this.client.sendRequest<Result>(method, params);
  }

  /** True when it runs, also after a short wait; else the person, who asked for something, is told once. */
  async needed(): Promise<boolean> {
    if (this.current.kind === 'running') return true;
    this.asked = true;
    if (this.current.kind === 'starting') await this.settled();
    if (this.state.kind === 'running') return true;
    // A start that has failed meanwhile has said so itself.
    if (this.asked) void this.tell();
    return false;
  }

  dispose(): void {
    void this.stop();
    this.states.dispose();
    this.findings.dispose();
  }

  private settled(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(late);
        watch.dispose();
        resolve();
      };
      const late = setTimeout(done, PATIENCE);
      const watch = this.onDidChangeState((state) => {
        if (state.kind !== 'starting') done();
      });
    });
  }

  private async launch(): Promise<void> {
    const epoch = ++this.epoch;
    const found = find({
      setting: vscode.workspace.getConfiguration('proofmark').get<string>('server.path', ''),
      extension: this.extension,
      env: process.env,
    });
    if ('missing' in found) return this.fail({ kind: 'absent', why: found.missing });
    this.become({ kind: 'starting' });
    this.log.info(`Starting ${found.path} (from the ${found.from}).`);
    const client = new Client({
      ...this.hooks,
      program: found.path,
      options: settings,
      log: this.log,
      ended: () => this.ended(epoch),
    });
    this.client = client;
    client.onNotification('findingsChanged', (changed: FindingsChanged) => {
      if (epoch === this.epoch) this.findings.fire(changed);
    });
    try {
      await within(client.start(), ANSWER);
    } catch (error) {
      if (epoch !== this.epoch) return;
      const code = (error as NodeJS.ErrnoException).code;
      // Not a program, or not for this machine: another start would end alike.
      const useless = code === 'ENOENT' || code === 'EACCES' || code === 'ENOEXEC';
      this.log.error(`The server did not start: ${error instanceof Error ? error.message : String(error)}`);
      if (useless) {
        this.client = undefined;
        return this.fail({ kind: 'absent', why: 'The server\'s program can not be started here.' });
      }
      await this.ended(epoch);
      return;
    }
    if (epoch !== this.epoch) return;
    const info = client.initializeResult?.serverInfo;
    const reason = unfit(info);
    if (reason !== undefined) {
      this.client = undefined;
      this.epoch += 1;
      this.fail({ kind: 'unfit', why: reason });
      await client.end();
      return;
    }
    this.asked = false;
    this.become({ kind: 'running', version: info?.version ?? '', program: found.path });
  }

  /** The process is gone, or does not answer: another one is started after a pause, or that is given up. */
  private async ended(epoch: number): Promise<void> {
    if (epoch !== this.epoch) return;
    this.epoch += 1;
    const { client } = this;
    this.client = undefined;
    const pause = this.crashes.note(Date.now());
    this.log.warn(pause === undefined ? 'The server ended again; it is not started any more.' : 'The server ended.');
    if (pause === undefined) {
      this.fail({ kind: 'crashed', why: 'The server ended five times within three minutes.' });
    } else {
      this.become({ kind: 'starting' });
      this.timer = setTimeout(() => {
        this.timer = undefined;
        void this.launch();
      }, pause);
    }
    await client?.end();
  }

  private fail(state: State): void {
    this.become(state);
    if ('why' in state) this.log.warn(state.why);
    if (this.asked) void this.tell();
  }

  private async tell(): Promise<void> {
    this.asked = false;
    const why = 'why' in this.state ? ` ${this.state.why}` : '';
    const start = vscode.l10n.t('Start');
    const log = vscode.l10n.t('Show Log');
    const path = vscode.l10n.t('Set Path...');
    const choice = await vscode.window.showWarningMessage(vscode.l10n.t('Proofmark is not running.') + why, start, log, path);
    if (choice === start) await vscode.commands.executeCommand('proofmark.start');
    if (choice === log) await vscode.commands.executeCommand('proofmark.showLog');
    if (choice === path) await vscode.commands.executeCommand('proofmark.setPath');
  }

  private become(state: State): void {
    this.current = state;
    this.states.fire(state);
  }
}

function settings(): ReturnType<typeof options> {
  const configuration = vscode.workspace.getConfiguration('proofmark');
  return options((name) => configuration.get(name));
}

async function within<T>(work: Promise<T>, limit: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer within ten seconds')), limit);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
