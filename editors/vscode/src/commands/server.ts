// Commands about the server itself, and the way to the view.
// Its life is told in src/server.ts.
import * as vscode from 'vscode';
import { inert } from '../texts';
import type { Commands, Parts } from './shared';

/** The commands. */
export function server(parts: Parts): Commands {
  const { server: process, log, version } = parts;
  return {
    'proofmark.focus': async () => {
      await vscode.commands.executeCommand('proofmark.verdicts.focus');
    },
    'proofmark.start': () => process.start(true),
    'proofmark.restart': () => process.restart(true),
    'proofmark.stop': () => process.stop(),
    'proofmark.showLog': async () => log.show(),
    'proofmark.showVersion': async () => {
      if (!(await process.needed())) return;
      const { state } = process;
      if (state.kind !== 'running') return;
      const said = `Proofmark: extension ${version}, server ${inert(state.version)}, ${inert(state.program, 200)}`;
      // A message with a button is drawn whole; without one a long path is cut off.
      const copy = vscode.l10n.t('Copy');
      if ((await vscode.window.showInformationMessage(said, copy)) === copy) await vscode.env.clipboard.writeText(said);
    },
    'proofmark.setPath': async () => {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'proofmark.server.path');
    },
  };
}
