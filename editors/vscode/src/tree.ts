// The view "Agent Verdicts": session, kind, finding, and what was put aside.
// What a click does stays with the commands.
import * as vscode from 'vscode';
import type { Kind, Model, PutAside, Shown } from './model';
import { isLocked, keyOf, kindsOf, lastSeen, putAsideOf } from './model';
import type { Item, SessionFindings } from './protocol';
import { age, harnessName, kindName, label, many, phaseName, plain, scopeText, shortId, summary } from './texts';

/** One row. Commands get it as their argument. */
export type Row =
  | { readonly kind: 'session'; readonly session: SessionFindings }
  | { readonly kind: 'lock'; readonly session: SessionFindings }
  | { readonly kind: 'kind'; readonly session: SessionFindings; readonly of: Kind }
  | ({ readonly kind: 'finding' } & Shown)
  | { readonly kind: 'aside'; readonly session: SessionFindings }
  | ({ readonly kind: 'undo' } & PutAside);

/** How long further changes are waited for, in milliseconds: 500 findings at once are one refresh. */
const GATHER = 40;
/** How often the ages are written anew, in milliseconds. */
const MINUTE = 60_000;

const ICONS: Record<string, string> = { error: 'error', warning: 'warning', information: 'info' };

/** The rows, as the editor asks for them. */
export class Verdicts implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Row | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Row>;
  private gathering: NodeJS.Timeout | undefined;
  private readonly ages: NodeJS.Timeout;

  constructor(private readonly model: Model) {
    this.view = vscode.window.createTreeView('proofmark.verdicts', { treeDataProvider: this, showCollapseAll: true });
    this.ages = setInterval(() => {
      if (this.view.visible && this.model.counts().sessions > 0) this.changed.fire(undefined);
    }, MINUTE);
  }

  /** Has the view drawn again, once for all that comes in a moment. */
  refresh(): void {
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      const { stale } = this.model.counts();
      this.view.badge = stale > 0 ? { value: stale, tooltip: many(stale, 'stale verdict') } : undefined;
      this.changed.fire(undefined);
    }, GATHER);
  }

  getChildren(row?: Row): Row[] {
    if (!row) return this.model.sessions().map((session) => ({ kind: 'session', session }));
    const { session } = row;
    switch (row.kind) {
      case 'session': {
        const kinds: Row[] = kindsOf(session).map((of) => ({ kind: 'kind', session, of }));
        const lock: Row[] = session.scope ? [{ kind: 'lock', session }] : [];
        const aside: Row[] = putAsideOf(session).length > 0 ? [{ kind: 'aside', session }] : [];
        return [...lock, ...kinds, ...aside];
      }
      case 'kind':
        return row.of.items.map((item) => ({ kind: 'finding', session, item }));
      case 'aside':
        return putAsideOf(session).map((aside) => ({ kind: 'undo', ...aside }));
      default:
        return [];
    }
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const item = treeItem(row);
    item.id = rowId(row);
    return item;
  }

  /** Tooltips are made when the pointer rests on a row. What agents wrote stands in them as plain text. */
  resolveTreeItem(item: vscode.TreeItem, row: Row): vscode.TreeItem {
    item.tooltip = tooltip(row);
    return item;
  }

  dispose(): void {
    clearInterval(this.ages);
    clearTimeout(this.gathering);
    this.view.dispose();
    this.changed.dispose();
  }
}

function treeItem(row: Row): vscode.TreeItem {
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
  const { session } = row;
  switch (row.kind) {
    case 'session': {
      const item = new vscode.TreeItem(`${harnessName(session.harness)} ${shortId(session.session)}`, Expanded);
      item.description = standing(session);
      item.iconPath = new vscode.ThemeIcon(isLocked(session) ? 'lock' : 'comment-discussion');
      item.contextValue = 'session';
      return item;
    }
    case 'lock': {
      const item = new vscode.TreeItem(`lock: ${scopeText(session)}`, None);
      item.description = session.scope?.contract ? phaseName(session.scope.phase) : '';
      item.iconPath = new vscode.ThemeIcon('lock');
      item.contextValue = 'lock';
      item.command = { command: 'proofmark.showScope', title: 'Show the Scope Lock', arguments: [row] };
      return item;
    }
    case 'kind': {
      const item = new vscode.TreeItem(kindName(row.of.code), row.of.code === 'refused-turn' ? Collapsed : Expanded);
      item.description = String(row.of.items.length);
      item.contextValue = `kind ${camel(row.of.code)}`;
      return item;
    }
    case 'finding': {
      const item = new vscode.TreeItem(label(row.item), None);
      item.description = row.item.turn > 0 ? `turn ${row.item.turn}` : '';
      item.iconPath = new vscode.ThemeIcon(ICONS[row.item.severity] ?? 'info');
      item.contextValue = contextValue(session, row.item);
      item.command = { command: 'proofmark.openFinding', title: 'Open', arguments: [row] };
      return item;
    }
    case 'aside': {
      const item = new vscode.TreeItem('Put aside', Collapsed);
      item.description = String(putAsideOf(session).length);
      item.contextValue = 'aside';
      return item;
    }
    case 'undo': {
      const text = row.retired ? row.retired.subject : (row.dismissed?.message ?? '');
      const item = new vscode.TreeItem(plain(text), None);
      item.description = row.retired ? 'retired' : `dismissed, ${row.dismissed?.code ?? ''}`;
      item.iconPath = new vscode.ThemeIcon('pass');
      item.contextValue = row.retired ? 'retired' : 'dismissed';
      return item;
    }
  }
}

/** What a session has to say, and when it was last heard of. */
function standing(session: SessionFindings): string {
  const seen = lastSeen(session);
  return [summary(session), seen > 0 ? age(seen, Date.now()) : ''].filter(Boolean).join(', ');
}

/** What the menus ask for: the check in camel case, and what can be done. */
function contextValue(session: SessionFindings, item: Item): string {
  return [
    'finding',
    camel(item.code),
    item.claim ? 'canRetire' : '',
    item.finding ? 'canDismiss' : '',
    item.check ? 'canRun' : '',
    session.transcript ? 'canTranscript' : '',
  ]
    .filter((word) => word !== '')
    .join(' ');
}

function camel(code: string): string {
  return code.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Stays the same while the row is about the same thing, so that what is folded stays folded. */
function rowId(row: Row): string {
  const session = keyOf(row.session);
  switch (row.kind) {
    case 'kind':
      return `${session}\n${row.of.code}`;
    case 'finding':
      return `${session}\n${row.item.code}\n${row.item.id}`;
    case 'undo':
      return `${session}\nundo\n${row.retired?.claim ?? ''}\n${row.dismissed?.finding ?? ''}`;
    default:
      return `${session}\n${row.kind}`;
  }
}

function tooltip(row: Row): string {
  const { session } = row;
  switch (row.kind) {
    case 'session': {
      // The row's own words are cut off in a narrow side bar.
      const folder = session.cwd ? `\n${plain(session.cwd, 400)}` : '';
      return `Session ${plain(session.session, 400)} of ${harnessName(session.harness)}: ${standing(session)}${folder}`;
    }
    case 'lock':
      return [scopeText(session, 500), phaseName(session.scope?.phase ?? 'none')].join('\n');
    case 'finding': {
      const command = row.item.check ? `\nThe check: ${plain(row.item.check.command, 400)}` : '';
      return `${plain(row.item.message, 600)}${command}`;
    }
    case 'undo':
      return plain(row.retired?.subject ?? row.dismissed?.message ?? '', 400);
    default:
      return '';
  }
}
