// What the window knows of its sessions: the server's notifications folded into one picture, and questions about it.
// Pure: no editor, no files, no clock.
import type { DismissedFinding, FindingsChanged, Item, RetiredClaim, SessionFindings } from './protocol';

/** A finding with the session that it is about. */
export interface Shown {
  readonly session: SessionFindings;
  readonly item: Item;
}

/** A retired claim or a dismissed finding, with its session. */
export interface PutAside {
  readonly session: SessionFindings;
  readonly retired?: RetiredClaim;
  readonly dismissed?: DismissedFinding;
}

/** The findings of one check in one session. */
export interface Kind {
  readonly code: string;
  readonly items: readonly Item[];
}

/** How many there are of what the status item and the tree speak of. */
export interface Counts {
  readonly sessions: number;
  readonly findings: number;
  readonly stale: number;
  readonly untried: number;
  /** Sessions that a scope holds. */
  readonly locked: number;
}

/** What a notification has changed. */
export interface Batch {
  /** Sessions that were told of, or that are gone. */
  readonly sessions: ReadonlySet<string>;
  /** Turns that were sent back since the notification before. */
  readonly refused: readonly Shown[];
}

/** What a command may be given: a row of the tree, an id, or an object with one. */
export type Target = string | ({ readonly id: string } & Partial<Named>) | Shown;

/** A session as something else names it: an id, which two harnesses may share, and the harness where that is told. */
export interface Named {
  readonly session: string | null;
  readonly harness?: string | null;
}

const STALE = 'stale-verdict';
const UNTRIED = 'untried-claim';
const REFUSED = 'refused-turn';
/** Codes in the order in which they matter; others follow by name, what is only history stands last. */
const ORDER = [STALE, 'claimed-pass', 'scope-lock', 'scope-drift', 'unproven-claim', UNTRIED, 'plain-words'];

/** A session's key: two harnesses may have a session of the same id. */
export function keyOf(session: { harness: string; session: string }): string {
  return `${session.harness}:${session.session}`;
}

/** True while a scope holds the session, or what it changes is compared with one. */
export function isLocked(session: SessionFindings): boolean {
  const phase = session.scope?.phase;
  return phase === 'contract_required' || phase === 'locked' || phase === 'hard_stop';
}

/** How many findings of a check a session has. */
export function countOf(session: SessionFindings, code: string): number {
  return session.items.reduce((count, item) => count + (item.code === code ? 1 : 0), 0);
}

/** A session's findings by check, what matters most first; within a check the newest turn first. */
export function kindsOf(session: SessionFindings): Kind[] {
  const kinds = new Map<string, Item[]>();
  for (const item of session.items) {
    const items = kinds.get(item.code);
    if (items) items.push(item);
    else kinds.set(item.code, [item]);
  }
  const rank = (code: string): number => {
    const at = ORDER.indexOf(code);
    if (at >= 0) return at;
    return code === REFUSED ? ORDER.length + 1 : ORDER.length;
  };
  return [...kinds]
    .map(([code, items]) => ({ code, items: [...items].sort((a, b) => b.turn - a.turn) }))
    .sort((a, b) => rank(a.code) - rank(b.code) || (a.code < b.code ? -1 : 1));
}

/** When a session was last heard of, in milliseconds since 1970; 0 where the server does not say. */
export function lastSeen(session: SessionFindings): number {
  return session.lastSeen ?? 0;
}

function isOf(session: SessionFindings, name: Named): boolean {
  return session.session === name.session && (!name.harness || session.harness === name.harness);
}

function saysSomething(session: SessionFindings): boolean {
  return session.items.length + (session.retired?.length ?? 0) + (session.dismissed?.length ?? 0) > 0 || !!session.scope;
}

/** The sessions of this window. */
export class Model {
  private readonly held = new Map<string, SessionFindings>();
  /** Sessions by the paths of their documents; kept for those that have nothing to say any more. */
  private readonly documents = new Map<string, SessionFindings>();
  /** Of each session ever told of, the turns known to have been sent back; kept when the server goes and comes back. */
  private readonly refused = new Map<string, Set<string>>();

  /** Takes a notification. */
  apply(changed: FindingsChanged): Batch {
    const touched = new Set<string>();
    if (changed.whole) {
      for (const key of this.held.keys()) touched.add(key);
      this.held.clear();
    }
    const refused: Shown[] = [];
    for (const session of changed.sessions) {
      const key = keyOf(session);
      touched.add(key);
      this.documents.set(session.document, session);
      if (saysSomething(session)) this.held.set(key, session);
      else this.held.delete(key);
      refused.push(...this.newlyRefused(key, session, changed.whole));
    }
    return { sessions: touched, refused };
  }

  /** A session that comes with everything else may be days old: only of one that was known before is a turn new then. */
  private newlyRefused(key: string, session: SessionFindings, whole: boolean): Shown[] {
    const known = this.refused.get(key);
    const items = session.items.filter((item) => item.code === REFUSED);
    const fresh = known === undefined && whole ? [] : items.filter((item) => !known?.has(item.id));
    this.refused.set(key, new Set([...(known ?? []), ...items.map((item) => item.id)]));
    return fresh.map((item) => ({ session, item }));
  }

  /** Forgets what is shown: the server is gone, and nobody would take it back. */
  clear(): void {
    this.held.clear();
  }

  /** The sessions: with a stale verdict first, then the one heard of last. */
  sessions(): SessionFindings[] {
    const rank = (session: SessionFindings): number => (countOf(session, STALE) > 0 ? 0 : 1);
    const all = [...this.held.values()];
    return all.sort((a, b) => rank(a) - rank(b) || lastSeen(b) - lastSeen(a) || (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  /** A session by its key. */
  session(key: string): SessionFindings | undefined {
    return this.held.get(key);
  }

  /** The session whose document lies at a path. */
  ofDocument(path: string): SessionFindings | undefined {
    return this.documents.get(path);
  }

  /** The sessions of a name: more than one where two harnesses have that id and none of them is named. */
  named(name: Named): SessionFindings[] {
    return this.sessions().filter((session) => isOf(session, name));
  }

  /** Every finding, session by session in the order of the tree. */
  all(): Shown[] {
    return this.sessions().flatMap((session) =>
      kindsOf(session).flatMap((kind) => kind.items.map((item) => ({ session, item }))),
    );
  }

  /** What a command was given, as far as it is still shown: more than one where an id leads to several. */
  matches(target: Target): Shown[] {
    if (typeof target !== 'string' && 'item' in target) {
      const session = this.held.get(keyOf(target.session));
      const item = session?.items.find((one) => one.id === target.item.id);
      return session && item ? [{ session, item }] : [];
    }
    const { id, session: named = null, harness = null } = typeof target === 'string' ? { id: target } : target;
    const sessions = named === null ? this.sessions() : this.named({ session: named, harness });
    return sessions.flatMap((session) => {
      const item = session.items.find((one) => one.id === id || one.claim === id || one.finding === id);
      return item ? [{ session, item }] : [];
    });
  }

  /** Everything that can be taken back. */
  putAside(): PutAside[] {
    return this.sessions().flatMap((session) => putAsideOf(session));
  }

  /** How many there are. */
  counts(): Counts {
    let [findings, stale, untried, locked] = [0, 0, 0, 0];
    for (const session of this.held.values()) {
      findings += session.items.length;
      stale += countOf(session, STALE);
      untried += countOf(session, UNTRIED);
      locked += isLocked(session) ? 1 : 0;
    }
    return { sessions: this.held.size, findings, stale, untried, locked };
  }
}

/** What of a session can be taken back. */
export function putAsideOf(session: SessionFindings): PutAside[] {
  return [
    ...(session.retired ?? []).map((retired) => ({ session, retired })),
    ...(session.dismissed ?? []).map((dismissed) => ({ session, dismissed })),
  ];
}
