// The context keys, by which package.json says when something is offered.
// Who uses them stands there.
import * as vscode from 'vscode';
import type { Counts } from './model';
import type { State } from './server';

/** The keys, each set when it changes. */
export class Contexts {
  private readonly held = new Map<string, boolean | string>();

  /** Sets them. */
  set(state: State, counts: Counts): void {
    this.one('proofmark.state', state.kind);
    this.one('proofmark.running', state.kind === 'running');
    this.one('proofmark.hasFindings', counts.findings > 0);
    this.one('proofmark.lockHeld', counts.locked > 0);
  }

  /** All of them. */
  all(): Record<string, boolean | string> {
    return Object.fromEntries(this.held);
  }

  private one(key: string, value: boolean | string): void {
    if (this.held.get(key) === value) return;
    this.held.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}
