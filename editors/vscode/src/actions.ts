// The quick fixes on a finding: the server's, in this editor's words, and what only this editor can do.
// What they do stays with the commands.
import * as vscode from 'vscode';
import type { Model } from './model';
import { asTarget } from './commands/shared';
import { dataOf } from './places';

/** The order in which they are offered: to look comes before to put aside, so that a hasty Enter loses nothing. */
const ORDER = ['checkCommand', 'openTranscript', 'openDocument', 'openDiff', 'showScope', 'copyAsPrompt', 'retireClaim', 'dismissFinding'];

type Actions = Array<vscode.Command | vscode.CodeAction> | null | undefined;

/** Rewords them. Without trust in the workspace no check is offered to be run. */
export function reworded(model: Model, actions: Actions, diagnostics: readonly vscode.Diagnostic[]): Actions {
  const kept = (actions ?? []).flatMap((action) => {
    const command = typeof action.command === 'string' ? (action as vscode.Command) : action.command;
    const title = command && titleOf(model, command);
    if (title === null) return [];
    if (title !== undefined) action.title = title;
    return [action];
  });
  const all = [...kept, ...diagnostics.flatMap(ofDrift)];
  return all.map((action) => ({ action, rank: rank(action) })).sort((a, b) => a.rank - b.rank).map(({ action }) => action);
}

function rank(action: vscode.Command | vscode.CodeAction): number {
  const name = typeof action.command === 'string' ? action.command : (action.command?.command ?? '');
  const at = ORDER.indexOf(name.replace('proofmark.', ''));
  return at < 0 ? ORDER.length : at;
}

/** The title of a command; null where it is not offered, undefined where the server's stands. */
function titleOf(model: Model, command: vscode.Command): string | null | undefined {
  switch (command.command) {
    case 'proofmark.checkCommand':
      return vscode.workspace.isTrusted ? vscode.l10n.t('Run the check again (terminal)') : null;
    case 'proofmark.retireClaim':
      return vscode.l10n.t('Retire this claim...');
    case 'proofmark.openTranscript': {
      const shown = model.find(asTarget(command.arguments?.[0]));
      return shown && shown.item.turn > 0 ? vscode.l10n.t('Open transcript at turn {0}', shown.item.turn) : undefined;
    }
    default:
      return undefined;
  }
}

/** A file outside the scope: what was changed, and what the scope is. */
function ofDrift(diagnostic: vscode.Diagnostic): vscode.CodeAction[] {
  const code = typeof diagnostic.code === 'object' ? diagnostic.code.value : diagnostic.code;
  const data = dataOf(diagnostic);
  if (diagnostic.source !== 'proofmark' || code !== 'scope-drift' || !data) return [];
  const action = (title: string, command: string, argument: unknown): vscode.CodeAction => {
    const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    made.command = { title, command, arguments: [argument] };
    made.diagnostics = [diagnostic];
    return made;
  };
  return [
    action(vscode.l10n.t('Open the diff'), 'proofmark.openDiff', { id: data.id, session: data.session }),
    action(vscode.l10n.t('Show the lock'), 'proofmark.showScope', data.session),
  ];
}
