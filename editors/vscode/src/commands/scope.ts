// Commands about a session's scope: what holds it, say another one, lift it.
// When a lock begins is the server's.
import * as vscode from 'vscode';
import { keyOf } from '../model';
import type { ReleaseScopeParams, SessionStatus, SetScopeParams } from '../protocol';
import { age, inert, phaseName, scopeText, shortId } from '../texts';
import type { Commands, Parts } from './shared';
import { asSession, nameOf, session } from './shared';

/** A session: two harnesses may have one of the same id. */
interface Of {
  readonly harness: string;
  readonly session: string;
}

/** The shortest and the longest scope, in characters. */
const SHORTEST = 3;
const LONGEST = 500;
/** Sessions of other windows that are offered at most. */
const OTHERS = 10;

/** The commands. */
export function scope(parts: Parts): Commands {
  const { model, server, reports } = parts;

  // The server is told an id alone: where two harnesses have it, another session than the person means could be meant.
  const only = async ({ session: id }: Of): Promise<string> => {
    const alike = (await server.request<SessionStatus[]>('listSessions', {})).filter((one) => one.session === id);
    if (alike.length > 1) throw new Error('Two agents have a session of this id, so its scope is left alone.');
    return id;
  };
  const release = async (of: Of): Promise<void> => {
    const params: ReleaseScopeParams = { session: await only(of) };
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
      if (choice === change) await vscode.commands.executeCommand('proofmark.changeScope', { harness: of.harness, session: of.session });
      if (choice === lift) await release(of);
      if (choice === report) await reports.open(of);
    },
    'proofmark.changeScope': async (argument) => {
      if (!(await server.needed())) return;
      const of = await chosen(parts, argument);
      if (of === undefined) return;
      const contract = await vscode.window.showInputBox({
        title: `The scope of session ${inert(shortId(of.session))}`,
        prompt: vscode.l10n.t('What the agent is to do, and what not, in one line.'),
        value: model.session(keyOf(of))?.scope?.contract ?? '',
        validateInput: invalid,
      });
      if (contract === undefined) return;
      const params: SetScopeParams = { session: await only(of), contract: contract.trim() };
      await server.request<SessionStatus>('setScope', params);
    },
    'proofmark.releaseScope': async (argument) => {
      const of = await session(parts, argument, 'Lift the scope lock', (one) => !!one.scope);
      if (of) await release(of);
    },
  };
}

function invalid(text: string): string | undefined {
  const length = [...text.trim()].length;
  if (length < SHORTEST) return vscode.l10n.t('At least 3 characters.');
  return length > LONGEST ? vscode.l10n.t('At most 500 characters.') : undefined;
}

/** The session whose scope is to change. One that has nothing to say yet is not shown, so the newest others are offered too. */
async function chosen(parts: Parts, argument: unknown): Promise<Of | undefined> {
  const name = asSession(argument);
  const all = await parts.server.request<SessionStatus[]>('listSessions', {});
  const here = parts.model.sessions();
  const known = new Set(here.map(keyOf));
  const strangers = all.filter((one) => !known.has(keyOf(one)));
  const fits = (one: Of): boolean => !name || (one.session === name.session && (!name.harness || one.harness === name.harness));
  const others = name ? strangers : strangers.slice(0, OTHERS);
  const rows = [
    ...here.filter(fits).map((one) => ({ label: nameOf(one), description: `lock: ${inert(scopeText(one))}`, of: one as Of })),
    ...others.filter(fits).map((one) => ({
      label: nameOf(one),
      description: `without findings, or of another folder; seen ${age(one.last_seen, Date.now())}`,
      of: one as Of,
    })),
  ];
  if (rows.length === 0) {
    void vscode.window.showInformationMessage(
      name ? vscode.l10n.t('Proofmark does not show this session any more.') : vscode.l10n.t('Proofmark has not heard of a session yet.'),
    );
    return undefined;
  }
  if (name && rows.length === 1) return rows[0]?.of;
  return (await vscode.window.showQuickPick(rows, { title: 'Whose scope?' }))?.of;
}
