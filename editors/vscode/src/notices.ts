// The one notification: a turn of a session in this window was sent back. Once a session, and never for a finding.
// What counts as new is the model's.
import * as vscode from 'vscode';
import type { Batch, Shown } from './model';
import { keyOf } from './model';
import type { Reports } from './report';
import { refusedNotice } from './texts';

/** Where the sessions are kept of which the person wants to hear nothing more. */
const QUIET = 'quietSessions';
/** As many of them are kept. */
const MOST = 200;

/** The notifications of this window. */
export class Notices {
  private readonly said = new Set<string>();

  constructor(
    private readonly memory: vscode.Memento,
    private readonly reports: Reports,
  ) {}

  /** Takes what has changed. */
  take(batch: Batch): void {
    if (vscode.workspace.getConfiguration('proofmark').get<string>('notifications') === 'none') return;
    for (const shown of batch.refused) {
      const key = keyOf(shown.session);
      if (this.said.has(key) || this.quiet().includes(key)) continue;
      this.said.add(key);
      void this.say(shown);
    }
  }

  private async say({ session, item }: Shown): Promise<void> {
    const open = vscode.l10n.t('Open report');
    const quiet = vscode.l10n.t('Not again for this session');
    const choice = await vscode.window.showInformationMessage(refusedNotice(session, item), open, quiet);
    if (choice === open) await this.reports.open(session, item.line);
    if (choice === quiet) await this.memory.update(QUIET, [...this.quiet(), keyOf(session)].slice(-MOST));
  }

  private quiet(): string[] {
    return this.memory.get<string[]>(QUIET, []);
  }
}
