// Commands about a finding: open it, look where it comes from, put it aside and take that back.
// Running a check again, scopes and the server have files of their own.
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { PutAside, Shown } from '../model';
import { step } from '../order';
import type { DismissFindingParams, ReopenClaimParams, ReopenFindingParams, RetireClaimParams } from '../protocol';
import { SAMPLE_URI, show } from '../report';
import { inert, plain, shortId } from '../texts';
import { lineOf, needles } from '../transcript';
import { askPrompt } from './prompt';
import type { Commands, Parts } from './shared';
import { asTarget, finding, reason, session } from './shared';

/** The commands. */
export function findings(parts: Parts): Commands {
  const { model, server, places, reports } = parts;

  const open = async (shown: Shown): Promise<void> => {
    const place = places.of(shown);
    try {
      if (place) return await show(place.uri, place.range);
    } catch {
      // The file has gone, or is too large to be opened: the report still says what it was.
      parts.log.info('The file of a finding could not be opened; its report is shown.');
    }
    await reports.open(shown.session, shown.item.line);
  };

  const go = async (forward: boolean): Promise<void> => {
    const spots = places.all().map((place) => ({ ...place, uri: place.uri.toString(), line: place.range.start.line, place }));
    const editor = vscode.window.activeTextEditor;
    const current = editor && { uri: editor.document.uri.toString(), line: editor.selection.active.line };
    const next = step(spots, current, forward);
    if (next) await show(next.place.uri, next.place.range);
  };

  const aside = async (argument: unknown, which: 'retired' | 'dismissed', title: string): Promise<string | undefined> => {
    const idOf = (one: PutAside): string | undefined => (which === 'retired' ? one.retired?.claim : one.dismissed?.finding);
    if (!(await server.needed())) return undefined;
    if (typeof argument === 'string') return argument;
    if (typeof argument === 'object' && argument !== null) {
      const given = idOf(argument as PutAside) ?? ('id' in argument ? String(argument.id) : undefined);
      if (given !== undefined) return given;
    }
    const rows = model.putAside().flatMap((one) => {
      const id = idOf(one);
      if (id === undefined) return [];
      const text = one.retired?.subject ?? one.dismissed?.message ?? '';
      return [{ label: inert(text), description: `session ${inert(shortId(one.session.session))}`, id }];
    });
    if (rows.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There is nothing to take back.'));
      return undefined;
    }
    return (await vscode.window.showQuickPick(rows, { title }))?.id;
  };

  return {
    'proofmark.openFinding': async (argument) => {
      const shown = await finding(parts, argument, 'Open a finding', () => true);
      if (shown) await open(shown);
    },
    'proofmark.nextFinding': () => go(true),
    'proofmark.previousFinding': () => go(false),

    'proofmark.showReport': async (argument) => {
      const of = await session(parts, argument, 'Show the report of a session');
      if (of) await reports.open(of);
    },
    'proofmark.openDocument': async (argument) => {
      const shown = await finding(parts, argument, 'Open in the session report', () => true);
      if (shown) await reports.open(shown.session, shown.item.line);
    },
    'proofmark.showSample': () => show(SAMPLE_URI),

    'proofmark.openTranscript': async (argument) => {
      const shown = await finding(parts, argument, 'Open the transcript', ({ session: of }) => !!of.transcript);
      if (!shown) return;
      const file = shown.session.transcript;
      if (!file || !path.isAbsolute(file)) throw new Error('No transcript of this session is known.');
      const line = await lineOf(file, needles(shown.item));
      // The editor's own command also opens what is too large for an extension.
      const selection = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
      await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file), { preview: true, ...selection });
    },
    'proofmark.openDiff': async (argument) => {
      const shown = await finding(parts, argument, 'Open the diff', ({ item }) => item.code === 'scope-drift');
      const place = shown && places.of(shown);
      if (!shown || !place) return;
      await open(shown);
      // Without the editor's Git there is no diff; then the file itself is open.
      const known = await vscode.commands.getCommands(true);
      if (place.uri.scheme === 'file' && known.includes('git.openChange')) {
        await vscode.commands.executeCommand('git.openChange', place.uri);
      }
    },
    'proofmark.copyAsPrompt': async (argument) => {
      const shown = await finding(parts, argument, 'Copy as prompt', () => true);
      if (!shown) return;
      await vscode.env.clipboard.writeText(await askPrompt(server, shown));
      vscode.window.setStatusBarMessage(vscode.l10n.t('Copied as a prompt for the agent.'), 4_000);
    },

    'proofmark.retireClaim': async (argument) => {
      const shown = await finding(parts, argument, 'Retire a claim', ({ item }) => !!item.claim);
      const claim = shown?.item.claim;
      if (!shown || !claim) return;
      const why = await reason('Retire this claim', `“${plain(shown.item.subject)}”`);
      if (why === undefined) return;
      const params: RetireClaimParams = { id: claim, why };
      await server.request('retireClaim', params);
    },
    'proofmark.undoRetire': async (argument) => {
      const id = await aside(argument, 'retired', 'Undo the retiring of a claim');
      const params: ReopenClaimParams | undefined = id === undefined ? undefined : { id };
      if (params) await server.request('reopenClaim', params);
    },
    'proofmark.dismissFinding': async (argument) => {
      const shown = await finding(parts, argument, 'Dismiss a finding', ({ item }) => !!item.finding);
      const id = shown?.item.finding;
      if (!shown || !id) return;
      const params = await dismissal(id, shown, wrongOf(argument));
      if (params) await server.request('dismissFinding', params);
    },
    'proofmark.undoDismiss': async (argument) => {
      const id = await aside(argument, 'dismissed', 'Undo the dismissal of a finding');
      const params: ReopenFindingParams | undefined = id === undefined ? undefined : { id };
      if (params) await server.request('reopenFinding', params);
    },
  };
}

/** The actions in the editor say whether the finding was wrong; from the tree the person is asked, also for a reason. */
async function dismissal(id: string, shown: Shown, wrong: boolean | undefined): Promise<DismissFindingParams | undefined> {
  if (wrong !== undefined) return { id, wrong };
  const rows = [
    { label: 'It was right', description: 'it need not be shown any more', wrong: false },
    { label: 'It was wrong', description: 'it should not have been found', wrong: true },
  ];
  const choice = await vscode.window.showQuickPick(rows, { title: 'Dismiss this finding', placeHolder: inert(shown.item.message, 120) });
  if (!choice) return undefined;
  const why = await reason('Dismiss this finding', shown.item.message);
  return why === undefined ? undefined : { id, wrong: choice.wrong, why };
}

function wrongOf(argument: unknown): boolean | undefined {
  const target = asTarget(argument);
  const wrong = typeof target === 'object' ? (target as { wrong?: unknown }).wrong : undefined;
  return typeof wrong === 'boolean' ? wrong : undefined;
}
