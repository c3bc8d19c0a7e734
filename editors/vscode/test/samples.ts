// Sessions and findings for the unit tests.
// What a real server sends is tested in a real editor.
import type { Item, SessionFindings } from '../src/protocol';

/** A finding of a check. */
export function item(id: string, code: string, turn = 3): Item {
  return { id, code, severity: 'information', message: `About ${id} (session 7f3a, turn ${turn}).`, subject: `subject ${id}`, turn, line: 4 };
}

/** A stale verdict. */
export function stale(id: string, turn = 3): Item {
  return { ...item(`finding:${id}`, 'stale-verdict', turn), severity: 'error' };
}

/** A session of Claude Code. */
export function session(id: string, items: Item[]): SessionFindings {
  return { harness: 'claude-code', session: id, document: `/state/sessions/${id}.md`, items };
}
