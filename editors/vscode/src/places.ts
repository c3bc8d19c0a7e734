// Where in the editor each finding is: the diagnostics as they come, and those of a session's document put into its report.
// What a diagnostic says is the server's.
import * as vscode from 'vscode';
import type { Model, Shown } from './model';
import { keyOf } from './model';
import { reportUri, SCHEME } from './report';

type Publish = (uri: vscode.Uri, diagnostics: vscode.Diagnostic[]) => void;

/** A place in the editor. */
export interface Place {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
}

/** What the server sent for one file, and where it is shown. */
interface Sent {
  readonly uri: vscode.Uri;
  readonly diagnostics: vscode.Diagnostic[];
  readonly publish: Publish;
  shownAt: vscode.Uri;
}

/** The diagnostics of this window. */
export class Places {
  private readonly sent = new Map<string, Sent>();
  private readonly known = new Map<string, Place>();

  constructor(private readonly model: Model) {}

  /** Takes the diagnostics of a file, and passes them on. */
  take(uri: vscode.Uri, diagnostics: vscode.Diagnostic[], publish: Publish): void {
    const key = uri.toString();
    const before = this.sent.get(key);
    if (before) this.withdraw(before);
    const shownAt = this.shown(uri);
    if (before && this.moves(uri, before.shownAt)) publish(before.shownAt, []);
    if (diagnostics.length === 0) this.sent.delete(key);
    else this.sent.set(key, { uri, diagnostics, publish, shownAt });
    this.pass(diagnostics, shownAt, publish);
  }

  /** Looks again where each belongs: a session's document is known only with the session, which comes after the diagnostics. */
  settle(): void {
    for (const sent of this.sent.values()) {
      const moved = this.moves(sent.uri, sent.shownAt);
      if (!moved && !sent.diagnostics.some((diagnostic) => this.leadsAstray(diagnostic))) continue;
      if (moved) sent.publish(sent.shownAt, []);
      sent.shownAt = this.shown(sent.uri);
      this.pass(sent.diagnostics, sent.shownAt, sent.publish);
    }
  }

  /** True for a report, whose rows can be taken back too, and for a file with findings. */
  has(uri: vscode.Uri): boolean {
    return uri.scheme === SCHEME || this.sent.has(uri.toString());
  }

  /** Takes them away: the server is gone, and its client may need seconds to end, with its marks still drawn. */
  clear(): void {
    const all = [...this.sent.values()];
    // Forgotten before anything is drawn: who looks meanwhile finds nothing that is about to go.
    this.sent.clear();
    this.known.clear();
    for (const { shownAt, publish } of all) publish(shownAt, []);
  }

  /** Where a finding is shown, if it is: a file takes a number of them only. */
  of(shown: Shown): Place | undefined {
    return this.known.get(id({ ...shown.session, id: shown.item.id }));
  }

  /** The places of all findings. */
  all(): Place[] {
    return [...this.known.values()];
  }

  private pass(diagnostics: vscode.Diagnostic[], at: vscode.Uri, publish: Publish): void {
    for (const diagnostic of diagnostics) {
      const named = dataOf(diagnostic);
      if (named) this.known.set(id(named), { uri: at, range: diagnostic.range });
      for (const related of diagnostic.relatedInformation ?? []) {
        related.location = new vscode.Location(this.shown(related.location.uri), related.location.range);
      }
    }
    publish(at, diagnostics);
  }

  private withdraw(sent: Sent): void {
    for (const diagnostic of sent.diagnostics) {
      const named = dataOf(diagnostic);
      // A finding that went to another place may have come there before it is taken from this one.
      if (named && this.known.get(id(named))?.uri.toString() === sent.shownAt.toString()) this.known.delete(id(named));
    }
  }

  private moves(uri: vscode.Uri, from: vscode.Uri): boolean {
    return this.shown(uri).toString() !== from.toString();
  }

  /** True when it still names the file of a document that has a report by now. */
  private leadsAstray(diagnostic: vscode.Diagnostic): boolean {
    return (diagnostic.relatedInformation ?? []).some(({ location }) => this.moves(location.uri, location.uri));
  }

  private shown(uri: vscode.Uri): vscode.Uri {
    const session = uri.scheme === 'file' ? this.model.ofDocument(uri.fsPath) : undefined;
    return session ? reportUri(session) : uri;
  }
}

/** What the server has put with a diagnostic of ours: which finding it is, and whose. */
export interface Data {
  readonly id: string;
  readonly session: string;
  readonly harness: string;
  readonly turn: number;
}

/** Reads it. */
export function dataOf(diagnostic: vscode.Diagnostic): Data | undefined {
  const data = (diagnostic as { data?: unknown }).data;
  if (typeof data !== 'object' || data === null) return undefined;
  const { id: name, session, harness, turn } = data as Record<string, unknown>;
  if (typeof name !== 'string' || typeof session !== 'string' || typeof harness !== 'string') return undefined;
  return { id: name, session, harness, turn: typeof turn === 'number' ? turn : 0 };
}

function id(of: { harness: string; session: string; id: string }): string {
  return `${keyOf(of)}\n${of.id}`;
}
