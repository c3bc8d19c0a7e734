// The server process: found, started, looked at, ended; what is told of it is what its life says.
// What it says about sessions stays out, and so does what follows what: that is src/life.ts.
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import { Client } from './client';
import { find } from './discovery';
import type { Event, Step } from './life';
import { Life } from './life';
import { options } from './options';
import type { FindingsChanged } from './protocol';
import { unfit } from './version';

/** Where the server stands. */
export type State =
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly version: string; readonly program: string; readonly run: number }
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
  private readonly life = new Life();
  /** The clients by their runs, until nothing of them is left. */
  private readonly clients = new Map<number, Client>();
  private readonly endings = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
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
    if (asked) this.asked = true;
    this.take({ kind: 'start', asked });
  }

  /** Ends it, and starts it anew. */
  async restart(asked = false): Promise<void> {
    this.take({ kind: 'stop' });
    await this.start(asked);
  }

  /** Ends it. Resolves when nothing of it is left. */
  async stop(): Promise<void> {
    this.take({ kind: 'stop' });
    await Promise.all(this.endings);
  }

  /** Tells it the settings, which have changed. */
  async configure(): Promise<void> {
    await this.client?.sendNotification('workspace/didChangeConfiguration', { settings: { proofmark: settings() } });
  }

  /** Asks it something. */
  async request<Result>(method: string, params: object): Promise<Result> {
    const { client } = this;
    if (!client) throw new Error('Proofmark is not running.');
    return client.sendRequest<Result>(method, params);
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

  /** The client of the server that runs. */
  private get client(): Client | undefined {
    return this.current.kind === 'running' ? this.clients.get(this.current.run) : undefined;
  }

  /** Does what is to be done when something has happened. `told` is the state in which a server was found. */
  private take(event: Event, told?: State): void {
    for (const step of this.life.on(event, Date.now())) {
      switch (step.kind) {
        case 'launch':
          void this.launch(step.run);
          break;
        case 'end':
          this.end(step.run);
          break;
        case 'rest':
          this.log.warn('The server ended.');
          this.timer = setTimeout(() => this.take({ kind: 'rested', pause: step.pause }), step.milliseconds);
          break;
        case 'wake':
          clearTimeout(this.timer);
          break;
        case 'show':
          this.show(step.state, told);
      }
    }
  }

  private show(state: Extract<Step, { kind: 'show' }>['state'], told: State | undefined): void {
    if (state === 'starting') return this.become({ kind: 'starting' });
    if (state === 'stopped') {
      // Who stops it does not wait any more for what was asked before.
      this.asked = false;
      return this.become({ kind: 'stopped', why: 'It was stopped.' });
    }
    if (state === 'crashed') return this.fail({ kind: 'crashed', why: 'The server ended five times within three minutes.' });
    if (told?.kind === 'running') {
      this.asked = false;
      this.become(told);
    } else if (told) {
      this.fail(told);
    }
  }

  private async launch(run: number): Promise<void> {
    const found = find({
      setting: vscode.workspace.getConfiguration('proofmark').get<string>('server.path', ''),
      extension: this.extension,
      env: process.env,
    });
    if ('missing' in found) return this.take({ kind: 'useless', run }, { kind: 'absent', why: found.missing });
    this.log.info(`Starting ${found.path} (from the ${found.from}).`);
    const { middleware } = this.hooks;
    const client = new Client({
      ...this.hooks,
      // A server that is ending may still publish: that would be drawn with nobody left to take it back.
      middleware: {
        ...middleware,
        handleDiagnostics: (uri, diagnostics, next) => {
          if (this.life.isCurrent(run)) middleware.handleDiagnostics?.(uri, diagnostics, next);
        },
      },
      program: found.path,
      options: settings,
      log: this.log,
      ended: () => this.take({ kind: 'lost', run }),
    });
    this.clients.set(run, client);
    client.onNotification('findingsChanged', (changed: FindingsChanged) => {
      if (this.life.isCurrent(run)) this.findings.fire(changed);
    });
    try {
      await within(client.start(), ANSWER);
    } catch (error) {
      if (!this.life.isCurrent(run)) return;
      const code = (error as NodeJS.ErrnoException).code;
      this.log.error(`The server did not start: ${error instanceof Error ? error.message : String(error)}`);
      // Not a program, or not for this machine: another start would end alike.
      const useless = code === 'ENOENT' || code === 'EACCES' || code === 'ENOEXEC';
      if (useless) this.take({ kind: 'useless', run }, { kind: 'absent', why: 'The server\'s program can not be started here.' });
      else this.take({ kind: 'lost', run });
      return;
    }
    const info = client.initializeResult?.serverInfo;
    const reason = unfit(info);
    if (reason !== undefined) this.take({ kind: 'useless', run }, { kind: 'unfit', why: reason });
    else this.take({ kind: 'answered', run }, { kind: 'running', version: info?.version ?? '', program: found.path, run });
  }

  private end(run: number): void {
    const ended = async (): Promise<void> => {
      try {
        await this.clients.get(run)?.end();
      } finally {
        this.clients.delete(run);
        this.take({ kind: 'gone', run });
      }
    };
    const ending = ended();
    this.endings.add(ending);
    void ending.finally(() => this.endings.delete(ending));
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
