// The one status item: its states and its hover.
// Whether the server runs, and what there is, is looked up elsewhere.
import * as vscode from 'vscode';
import type { Model } from './model';
import { lastSeen } from './model';
import type { State } from './server';
import { age, codeSpan, harnessName, many, scopeText, shortId, statusText, summary } from './texts';

/** Sessions in the hover at most. */
const MOST = 8;
/** What a link in the hover may start: nothing that takes an argument, or that changes something. */
const LINKS = ['focus', 'start', 'restart', 'showLog', 'showVersion', 'setPath', 'showScope'].map((name) => `proofmark.${name}`);

/** The status item. */
export class Status implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;

  constructor(private readonly model: Model) {
    this.item = vscode.window.createStatusBarItem('proofmark.status', vscode.StatusBarAlignment.Left, 50);
    this.item.name = 'Proofmark';
    this.item.command = 'proofmark.focus';
    this.item.show();
  }

  /** Draws it anew. */
  show(state: State): void {
    const { item } = this;
    const counts = this.model.counts();
    item.backgroundColor = undefined;
    item.tooltip = this.hover(state);
    if (state.kind === 'starting') {
      item.text = '$(sync~spin) Proofmark';
      item.accessibilityInformation = { label: 'Proofmark is starting' };
    } else if (state.kind === 'running') {
      item.text = statusText(counts);
      if (counts.stale > 0) item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
      const lock = counts.locked > 0 ? ', scope lock held' : '';
      const said = counts.stale > 0 ? many(counts.stale, 'stale verdict') : 'no stale verdict';
      item.accessibilityInformation = { label: `Proofmark: ${said}${lock}`, role: 'button' };
    } else {
      item.text = '$(debug-disconnect) Proofmark';
      if (state.kind === 'crashed') item.backgroundColor = new vscode.ThemeColor('statusBarItem.errorBackground');
      item.accessibilityInformation = { label: 'Proofmark is not running', role: 'button' };
    }
  }

  private hover(state: State): vscode.MarkdownString {
    const hover = new vscode.MarkdownString();
    hover.isTrusted = { enabledCommands: LINKS };
    if (state.kind === 'running') {
      hover.appendMarkdown(`**Proofmark** ${codeSpan(state.version, 40)}\n\n`);
      this.sessions(hover);
      hover.appendMarkdown(links(['Agent Verdicts', 'focus'], ['Restart', 'restart'], ['Show log', 'showLog'], ['Version', 'showVersion']));
    } else if (state.kind === 'starting') {
      hover.appendMarkdown(`Proofmark is starting.\n\n${links(['Show log', 'showLog'])}`);
    } else {
      hover.appendMarkdown('**Proofmark is not running.** ').appendText(state.why);
      hover.appendMarkdown(`\n\n${links(['Start', 'start'], ['Show log', 'showLog'], ['Set path...', 'setPath'])}`);
    }
    return hover;
  }

  private sessions(hover: vscode.MarkdownString): void {
    const sessions = this.model.sessions();
    if (sessions.length === 0) hover.appendMarkdown('Nothing open.\n\n');
    for (const session of sessions.slice(0, MOST)) {
      const seen = lastSeen(session);
      const when = seen > 0 ? `, ${age(seen, Date.now())}` : '';
      hover.appendMarkdown(`- ${harnessName(session.harness)} ${codeSpan(shortId(session.session), 20)}${when}: ${summary(session)}\n`);
      if (session.scope) hover.appendMarkdown(`  - lock: ${codeSpan(scopeText(session), 80)}\n`);
    }
    if (sessions.length > MOST) hover.appendMarkdown(`- ${many(sessions.length - MOST, 'session')} more\n`);
    hover.appendMarkdown('\n');
    if (this.model.counts().locked > 0) hover.appendMarkdown(`${links(['Show the scope lock', 'showScope'])}\n\n`);
  }

  dispose(): void {
    this.item.dispose();
  }
}

function links(...all: Array<readonly [string, string]>): string {
  return all.map(([title, name]) => `[${title}](command:proofmark.${name})`).join(' | ');
}
