// The language client: the library's own, quiet, and with this extension's commands in the place of the server's.
// When it is started and ended stays out.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import * as vscode from 'vscode';
import type { DynamicFeature, LanguageClientOptions, Middleware, StaticFeature } from 'vscode-languageclient/node';
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn } from 'vscode-languageclient/node';
import type { Options } from './options';

/** What a client is made of. */
export interface Parts {
  readonly program: string;
  readonly options: () => Options;
  readonly log: vscode.LogOutputChannel;
  readonly middleware: Middleware;
  readonly code2Protocol: (uri: vscode.Uri) => string;
  /** The process is gone, and nobody asked for that. */
  readonly ended: () => void;
}

/** One connection to one server process. It is used once: a new start makes a new one. */
export class Client extends LanguageClient {
  private spawned: Promise<ChildProcess> | undefined;
  private over = false;

  constructor(parts: Parts) {
    const launch = async (): Promise<ChildProcess> => {
      if (this.over) throw new Error('It was ended before it was started.');
      this.spawned = started(parts.program);
      return this.spawned;
    };
    super('proofmark', 'Proofmark', launch, clientOptions(parts));
    // The server says some answers as messages too, for editors that drop answers.
    this.onNotification('window/showMessage', (message: { message?: unknown }) => {
      parts.log.info(String(message.message));
    });
  }

  /** Commands are registered by this extension once, also for the time in which no server runs. */
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if ('registrationType' in feature && feature.registrationType.method === 'workspace/executeCommand') return;
    super.registerFeature(feature);
  }

  // The library shows a notification for what it logs at these levels. What a person has to know stands in the status item.
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
  override warn(message: string, data?: unknown): void {
    super.warn(message, data, false);
  }
  override info(message: string, data?: unknown): void {
    super.info(message, data, false);
  }

  /** The library also stops a client whose start has failed, and does not look what came of it. */
  override async stop(timeout?: number): Promise<void> {
    try {
      await super.stop(timeout);
    } catch (error) {
      this.info('The client was not stopped in order.', error instanceof Error ? error.message : undefined);
    }
  }

  /** Ends the process, also one that is only about to be started: in order if it answers, else at once. */
  async end(): Promise<void> {
    this.over = true;
    await this.stop(2_000);
    const process = await this.spawned?.catch(() => undefined);
    if (!process) return;
    // A client that is still starting can not be stopped, so its server has not been told.
    if (process.stdin?.writable) process.stdin.end();
    if (!(await gone(process))) process.kill('SIGKILL');
  }
}

/** How long a process that was told to end may take, in milliseconds. */
const FAREWELL = 1_000;

function gone(process: ChildProcess): Promise<boolean> {
  if (process.exitCode !== null || process.signalCode !== null) return Promise.resolve(true);
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), FAREWELL);
    process.once('exit', () => {
      clearTimeout(late);
      resolve(true);
    });
  });
}

function clientOptions(parts: Parts): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: 'file' }, { scheme: 'proofmark' }],
    initializationOptions: parts.options,
    diagnosticCollectionName: 'proofmark',
    outputChannel: parts.log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    uriConverters: { code2Protocol: parts.code2Protocol, protocol2Code: (uri) => vscode.Uri.parse(uri) },
    // The server reads files itself: the text of what is opened need not be sent.
    middleware: { ...parts.middleware, didOpen: async () => undefined, didClose: async () => undefined },
    // Without this the library shows its own message about a start that has failed.
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        parts.ended();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
  };
}

/** Starts the program; a failure to do so is an error of the system's, such as a wrong file. */
function started(program: string): Promise<ChildProcess> {
  const child = spawn(program, ['serve', '--stdio'], { stdio: 'pipe', windowsHide: true });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => {
      child.off('error', reject);
      child.on('error', () => undefined);
      resolve(child);
    });
  });
}
