// What the commands share: the parts of the window, choosing from a list, and saying what went wrong.
// The commands themselves stand in the files beside this one.
import * as vscode from 'vscode';
import type { Model, Named, Shown, Target } from '../model';
import type { Places } from '../places';
import type { SessionFindings } from '../protocol';
import type { Reports } from '../report';
import type { Server } from '../server';
import { harnessName, inert, kindName, label, shortId, summary } from '../texts';

/** The parts of the window. */
export interface Parts {
  readonly model: Model;
  readonly server: Server;
  readonly places: Places;
  readonly reports: Reports;
  readonly log: vscode.LogOutputChannel;
  readonly version: string;
}

/** Commands by their ids. */
export type Commands = Record<string, (argument?: unknown) => Promise<void>>;

/** Registers commands. What fails is said: the person has asked for it. */
export function register(parts: Parts, commands: Commands): vscode.Disposable[] {
  return Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(name, async (argument?: unknown) => {
      try {
        await run(argument);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        parts.log.error(`${name}: ${message}`);
        void vscode.window.showErrorMessage(`Proofmark: ${inert(message, 300)}`);
      }
    }),
  );
}

/** The finding that a command is about: its argument, else one from a list of those that fit. */
export async function finding(parts: Parts, argument: unknown, title: string, fits: (shown: Shown) => boolean): Promise<Shown | undefined> {
  if (!(await parts.server.needed())) return undefined;
  const target = asTarget(argument);
  const all = target === undefined ? parts.model.all().filter(fits) : parts.model.matches(target);
  if (all.length === 0) {
    void vscode.window.showInformationMessage(
      target === undefined
        ? vscode.l10n.t('Proofmark shows no finding to which this applies.')
        : vscode.l10n.t('Proofmark does not show this finding any more.'),
    );
    return undefined;
  }
  if (target !== undefined && all.length === 1) return all[0];
  const rows = all.map((shown) => ({
    label: inert(label(shown.item)),
    description: `${kindName(shown.item.code)}, ${nameOf(shown.session)}, turn ${shown.item.turn}`,
    shown,
  }));
  return (await vscode.window.showQuickPick(rows, { title, matchOnDescription: true }))?.shown;
}

/** The session that a command is about: its argument and no other, else the only one that fits, else one from a list. */
export async function session(
  parts: Parts,
  argument: unknown,
  title: string,
  fits: (session: SessionFindings) => boolean = () => true,
): Promise<SessionFindings | undefined> {
  if (!(await parts.server.needed())) return undefined;
  const name = asSession(argument);
  const all = name ? parts.model.named(name) : parts.model.sessions().filter(fits);
  if (all.length <= 1) {
    if (all.length === 0) {
      void vscode.window.showInformationMessage(
        name ? vscode.l10n.t('Proofmark does not show this session any more.') : vscode.l10n.t('Proofmark has no such session in this window.'),
      );
    }
    return all[0];
  }
  const rows = all.map((one) => ({
    label: nameOf(one),
    description: summary(one),
    detail: one.cwd ? inert(one.cwd, 200) : '',
    one,
  }));
  return (await vscode.window.showQuickPick(rows, { title }))?.one;
}

/** A session in a list. */
export function nameOf(one: { harness: string; session: string }): string {
  return `${harnessName(one.harness)} ${inert(shortId(one.session))}`;
}

/** What a command was given, if it names a finding: an id, an object with one, or a row of the tree. */
export function asTarget(argument: unknown): Target | undefined {
  if (typeof argument === 'string') return argument;
  if (typeof argument !== 'object' || argument === null) return undefined;
  if ('item' in argument && 'session' in argument) return argument as Shown;
  if ('id' in argument && typeof argument.id === 'string') return argument as { id: string };
  return undefined;
}

/** What a command was given, if it names a session: an id, an object with one, or a row of the tree. */
export function asSession(argument: unknown): (Named & { session: string }) | undefined {
  if (typeof argument === 'string') return { session: argument };
  if (typeof argument !== 'object' || argument === null || !('session' in argument)) return undefined;
  // A row holds the whole session, as it was when the row was drawn.
  const { session: named, harness } = typeof argument.session === 'string' ? (argument as Record<string, unknown>) : (argument.session as Record<string, unknown>);
  if (typeof named !== 'string') return undefined;
  return { session: named, harness: typeof harness === 'string' ? harness : null };
}

/** A reason, which may be empty; undefined when the person has thought better of it. */
export async function reason(title: string, about: string): Promise<string | null | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    prompt: inert(about, 120),
    placeHolder: vscode.l10n.t('Why? It is kept with the record, and may be left empty.'),
    validateInput: (value) => (value.length > 500 ? vscode.l10n.t('At most 500 characters.') : undefined),
  });
  if (text === undefined) return undefined;
  return text.trim() === '' ? null : text.trim();
}
