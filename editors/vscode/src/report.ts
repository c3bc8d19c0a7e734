// The session's report as a virtual, read-only document: proofmark:/session/ID.md.
// What it says is the server's; this asks for it, and again when the session has changed.
import * as vscode from 'vscode';
import type { Model } from './model';
import { keyOf } from './model';
import type { SessionFindings, SessionReport } from './protocol';
import type { Server } from './server';
import { SAMPLE } from './sample';

/** The scheme of these documents. */
export const SCHEME = 'proofmark';
/** The sample of the walkthrough. */
export const SAMPLE_URI = vscode.Uri.from({ scheme: SCHEME, path: '/sample.md' });

/** The document of a session. The id may be a path, so it is one encoded name; the harness tells two alike apart. */
export function reportUri(session: { harness: string; session: string }): vscode.Uri {
  return vscode.Uri.from({
    scheme: SCHEME,
    path: `/session/${encodeURIComponent(session.session)}.md`,
    query: session.harness,
  });
}

/** The session that a document is about. */
export function sessionOf(uri: vscode.Uri): { harness: string; session: string } | undefined {
  const name = /^\/session\/([^/]+)\.md$/.exec(uri.path)?.[1];
  if (uri.scheme !== SCHEME || name === undefined) return undefined;
  try {
    return { harness: uri.query, session: decodeURIComponent(name) };
  } catch {
    return undefined;
  }
}

/** The URI by which the server knows a document: of a report the file that it keeps. */
export function code2Protocol(model: Model, uri: vscode.Uri): string {
  const about = sessionOf(uri);
  const known = about && model.session(keyOf(about));
  return (known ? vscode.Uri.file(known.document) : uri).toString();
}

/** The reports of this window. */
export class Reports implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    if (uri.path === SAMPLE_URI.path) return SAMPLE;
    const about = sessionOf(uri);
    if (!about) return vscode.l10n.t('There is no such report.');
    const params = about.harness === '' ? { session: about.session } : about;
    try {
      return (await this.server.request<SessionReport>('sessionReport', params)).text;
    } catch {
      return this.server.state.kind === 'running'
        ? vscode.l10n.t('Proofmark knows no such session any more.')
        : vscode.l10n.t('This report is shown as soon as Proofmark is running.');
    }
  }

  /** Has the open reports read again: those of these sessions, or all. */
  refresh(keys?: ReadonlySet<string>): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      const about = sessionOf(uri);
      if (about && (!keys || keys.has(keyOf(about)))) this.changed.fire(uri);
    }
  }

  /** Shows a session's report, at a line of it. */
  async open(session: Pick<SessionFindings, 'harness' | 'session'>, line?: number): Promise<void> {
    await show(reportUri(session), line === undefined ? undefined : new vscode.Range(line, 0, line, 0));
  }

  dispose(): void {
    this.changed.dispose();
  }
}

/** Opens a document at a range. */
export async function show(uri: vscode.Uri, range?: vscode.Range): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { preview: true, ...(range ? { selection: range } : {}) });
}
