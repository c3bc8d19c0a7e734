// The way in: makes the parts of the window and ties them together.
// Each part stands in a file of its own; nothing is decided here.
import * as vscode from 'vscode';
import { reworded } from './actions';
import { register } from './commands/shared';
import { check } from './commands/check';
import { findings } from './commands/findings';
import { scope } from './commands/scope';
import { server as serverCommands } from './commands/server';
import { Contexts } from './contexts';
import { Model } from './model';
import { Notices } from './notices';
import { Places } from './places';
import { code2Protocol, Reports, SCHEME } from './report';
import type { State } from './server';
import { Server } from './server';
import { Status } from './status';
import { Verdicts } from './tree';

/** What other extensions, and tests, can ask of this one. */
export interface Api {
  /** Where the server stands. */
  state(): State['kind'];
  /** The context keys as they were last set. */
  contexts(): Record<string, boolean | string>;
}

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const log = vscode.window.createOutputChannel('Proofmark', { log: true });
  const model = new Model();
  const places = new Places(model);
  const contexts = new Contexts();
  const server = new Server(context.extensionPath, log, {
    code2Protocol: (uri) => code2Protocol(model, uri),
    middleware: {
      handleDiagnostics: (uri, diagnostics, next) => places.take(uri, diagnostics, next),
      // Asked at each move of the cursor: of a file without findings the server need not be.
      provideCodeActions: async (document, range, about, token, next) =>
        places.has(document.uri) ? reworded(model, await next(document, range, about, token), about.diagnostics) : [],
      provideHover: (document, position, token, next) => (places.has(document.uri) ? next(document, position, token) : null),
    },
  });
  running = server;
  const reports = new Reports(server);
  const status = new Status(model);
  const tree = new Verdicts(model);
  const notices = new Notices(context.workspaceState, reports);

  const draw = (): void => {
    status.show(server.state);
    tree.refresh();
    contexts.set(server.state, model.counts());
  };

  const version = String((context.extension.packageJSON as { version?: unknown }).version);
  const parts = { model, server, places, reports, log, version };
  context.subscriptions.push(
    log,
    server,
    reports,
    status,
    tree,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, reports),
    ...register(parts, { ...findings(parts), ...check(parts), ...scope(parts), ...serverCommands(parts) }),
    server.onFindings((changed) => {
      const batch = model.apply(changed);
      places.settle();
      reports.refresh(batch.sessions);
      notices.take(batch);
      draw();
    }),
    server.onDidChangeState((state) => {
      if (state.kind !== 'running') {
        model.clear();
        places.clear();
      }
      reports.refresh();
      draw();
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('proofmark.server.path')) void server.restart();
      else if (change.affectsConfiguration('proofmark')) void server.configure();
    }),
    // In a workspace that was not trusted its own setting of the path did not count.
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      // One that the person has stopped stays so.
      if (server.state.kind !== 'running' && server.state.kind !== 'stopped') void server.restart();
    }),
  );
  draw();
  void server.start();
  return { state: () => server.state.kind, contexts: () => contexts.all() };
}

export async function deactivate(): Promise<void> {
  await running?.stop();
  running = undefined;
}
