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
    if (command && 'diagnostics' in action) pin(command, action.diagnostics?.[0]);
    const title = command && titleOf(model, command);
    if (title === null) return [];
    if (title !== undefined) action.title = title;
    return [action];
  });
  const all = [...kept, ...diagnostics.flatMap(ofDrift)];
  return all.map((action) => ({ action, rank: rank(action) })).sort((a, b) => a.rank - b.rank).map(({ action }) => action);
}

/** The server names what an action is about by an id, which another session may have too: the diagnostic says whose it is. */
function pin(command: vscode.Command, diagnostic: vscode.Diagnostic | undefined): void {
  const data = diagnostic && dataOf(diagnostic);
  if (!data) return;
  const { session, harness } = data;
  const [given] = (command.arguments ?? []) as unknown[];
  if (command.command === 'proofmark.releaseScope') command.arguments = [{ session, harness }];
  else if (typeof given === 'string') command.arguments = [{ id: given, session, harness }];
  else if (typeof given === 'object' && given !== null) command.arguments = [{ ...given, session, harness }];
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
      const target = asTarget(command.arguments?.[0]);
      const [shown, another] = target === undefined ? [] : model.matches(target);
      return shown && !another && shown.item.turn > 0 ? vscode.l10n.t('Open transcript at turn {0}', shown.item.turn) : undefined;
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
    action(vscode.l10n.t('Open the diff'), 'proofmark.openDiff', data),
    action(vscode.l10n.t('Show the lock'), 'proofmark.showScope', { session: data.session, harness: data.harness }),
  ];
}
