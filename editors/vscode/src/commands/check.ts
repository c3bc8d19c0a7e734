// "Run the Check Again": the recorded command is typed into a terminal, and waits for the person's Enter.
// Nothing is run here, in no workspace, trusted or not.
import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';
import { refusal } from '../command';
import type { Commands, Parts } from './shared';
import { finding } from './shared';

/** The command. */
export function check(parts: Parts): Commands {
  return {
    'proofmark.checkCommand': async (argument) => {
      if (!vscode.workspace.isTrusted) {
        void vscode.window.showInformationMessage(vscode.l10n.t('In Restricted Mode no check can be run again.'));
        return;
      }
      const shown = await finding(parts, argument, 'Run the check again', ({ item }) => !!item.check);
      if (!shown) return;
      const command = shown.item.check?.command;
      const reason = refusal(command);
      if (command === undefined || reason !== undefined) {
        // What is not typed can be looked up: the report says which check it was.
        const open = vscode.l10n.t('Open report');
        const choice = await vscode.window.showWarningMessage(reason ?? '', open);
        if (choice === open) await parts.reports.open(shown.session, shown.item.line);
        return;
      }
      const cwd = shown.session.cwd ?? undefined;
      if (cwd !== undefined && !(await isFolder(cwd))) {
        void vscode.window.showWarningMessage(vscode.l10n.t('The folder of this session is gone, so its check is not typed anywhere.'));
        return;
      }
      // A terminal of its own: in one that is in use the text would join what stands there.
      const terminal = vscode.window.createTerminal({ name: 'Proofmark check', isTransient: true, ...(cwd === undefined ? {} : { cwd }) });
      terminal.show();
      await ready(terminal);
      // The person may have closed it meanwhile.
      if (terminal.exitStatus === undefined) terminal.sendText(command, false);
    },
  };
}

/** How long a shell is waited for that does not say when it is ready, in milliseconds. */
const SHELL = 3_000;

/** Waits for the shell's prompt: what is typed before it stands there twice, or is lost in the shell's start. */
function ready(terminal: vscode.Terminal): Promise<void> {
  if (terminal.shellIntegration) return Promise.resolve();
  return new Promise((resolve) => {
    const watches: vscode.Disposable[] = [];
    const done = (): void => {
      clearTimeout(late);
      for (const watch of watches) watch.dispose();
      resolve();
    };
    const late = setTimeout(done, SHELL);
    const of = (one: vscode.Terminal): void => {
      if (one === terminal) done();
    };
    watches.push(vscode.window.onDidChangeTerminalShellIntegration((change) => of(change.terminal)), vscode.window.onDidCloseTerminal(of));
  });
}

async function isFolder(folder: string): Promise<boolean> {
  try {
    return (await fs.stat(folder)).isDirectory();
  } catch {
    return false;
  }
}
