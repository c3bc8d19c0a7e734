// Commands about a session's scope: what holds it, say another one, lift it.
// When a lock begins is the server's.
import * as vscode from 'vscode';
import type { ReleaseScopeParams, SessionStatus, SetScopeParams } from '../protocol';
import { age, harnessName, inert, phaseName, scopeText, shortId } from '../texts';
import type { Commands, Parts } from './shared';
import { session } from './shared';

/** The shortest and the longest scope, in characters. */
const SHORTEST = 3;
const LONGEST = 500;
/** Sessions of other windows that are offered at most. */
const OTHERS = 10;

/** The commands. */
export function scope(parts: Parts): Commands {
  const { model, server, reports } = parts;

  const release = async (name: string): Promise<void> => {
    const params: ReleaseScopeParams = { session: name };
    await server.request<SessionStatus>('releaseScope', params);
  };

  return {
    'proofmark.showScope': async (argument) => {
      const of = await session(parts, argument, 'Show the scope lock', (one) => !!one.scope);
      if (!of?.scope) return;
      const change = vscode.l10n.t('Change...');
      const lift = vscode.l10n.t('Lift');
      const report = vscode.l10n.t('Open report');
      const words = of.scope.correction ? ` It began with “${inert(of.scope.correction)}”.` : '';
      const contract = of.scope.contract ? ` The scope: ${inert(of.scope.contract, 300)}` : '';
      const message = `Session ${inert(shortId(of.session))}: ${phaseName(of.scope.phase)}.${words}${contract}`;
      const choice = await vscode.window.showInformationMessage(message, change, lift, report);
      if (choice === change) await vscode.commands.executeCommand('proofmark.changeScope', of.session);
      if (choice === lift) await release(of.session);
      if (choice === report) await reports.open(of);
    },
    'proofmark.changeScope': async (argument) => {
      if (!(await server.needed())) return;
      const of = await chosen(parts, argument);
      if (of === undefined) return;
      const contract = await vscode.window.showInputBox({
        title: `The scope of session ${inert(shortId(of))}`,
        prompt: vscode.l10n.t('What the agent is to do, and what not, in one line.'),
        value: model.named(of)?.scope?.contract ?? '',
        validateInput: invalid,
      });
      if (contract === undefined) return;
      const params: SetScopeParams = { session: of, contract: contract.trim() };
      await server.request<SessionStatus>('setScope', params);
    },
    'proofmark.releaseScope': async (argument) => {
      const of = await session(parts, argument, 'Lift the scope lock', (one) => !!one.scope);
      if (of) await release(of.session);
    },
  };
}

function invalid(text: string): string | undefined {
  const length = [...text.trim()].length;
  if (length < SHORTEST) return vscode.l10n.t('At least 3 characters.');
  return length > LONGEST ? vscode.l10n.t('At most 500 characters.') : undefined;
}

/** The session whose scope is to change. One that has nothing to say yet is not shown, so the newest others are offered too. */
async function chosen(parts: Parts, argument: unknown): Promise<string | undefined> {
  const named = typeof argument === 'object' && argument !== null && 'session' in argument ? argument.session : argument;
  if (typeof named === 'string') return named;
  if (typeof named === 'object' && named !== null && 'session' in named) return String(named.session);
  const here = parts.model.sessions();
  const known = new Set(here.map((one) => one.session));
  const all = await parts.server.request<SessionStatus[]>('listSessions', {});
  const others = all.filter((one) => !known.has(one.session)).slice(0, OTHERS);
  const rows = [
    ...here.map((one) => ({ label: `${harnessName(one.harness)} ${inert(shortId(one.session))}`, description: `lock: ${inert(scopeText(one))}`, name: one.session })),
    ...others.map((one) => ({
      label: `${harnessName(one.harness)} ${inert(shortId(one.session))}`,
      description: `without findings, or of another folder; seen ${age(one.last_seen, Date.now())}`,
      name: one.session,
    })),
  ];
  if (rows.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Proofmark has not heard of a session yet.'));
    return undefined;
  }
  return (await vscode.window.showQuickPick(rows, { title: 'Whose scope?' }))?.name;
}
