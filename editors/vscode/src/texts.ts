// Words for people: names, ages, counts, and agents' text made safe to stand in them.
// What agents wrote is data: nothing of it may become a link, an icon or a second line.
import type { Counts } from './model';
import { countOf, isLocked } from './model';
import type { Item, SessionFindings } from './protocol';

/** Characters that a person can't see, or that change the order of what they see. */
export const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/** A text on one line, with nothing hidden in it, cut to so many characters. */
export function plain(text: string, most = 80): string {
  const seen = [...text.replace(/\s+/g, ' ').replace(HIDDEN, '').trim()];
  return seen.length > most ? `${seen.slice(0, most - 1).join('')}…` : seen.join('');
}

/** A text for places in which `$(name)` is an icon and `[a](b)` a link: lists, input boxes, notifications. */
export function inert(text: string, most = 80): string {
  return plain(text, most).replace(/\$\(/g, '$ (').replace(/\]\(/g, '] (');
}

/** A text as a code span of Markdown; its fence is longer than any within. */
export function codeSpan(text: string, most = 200): string {
  const shown = plain(text, most);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return longest > 0 ? `${fence} ${shown} ${fence}` : `${fence}${shown || ' '}${fence}`;
}

/** As much of a session's id as tells it from others: of a transcript's path the head of the file's name. */
export function shortId(session: string): string {
  return [...plain(session.split('/').pop() ?? '', 400)].slice(0, 8).join('');
}

const HARNESSES: Record<string, string> = { 'claude-code': 'Claude Code', codex: 'Codex', cursor: 'Cursor' };

/** A harness by its name for people. */
export function harnessName(harness: string): string {
  return HARNESSES[harness] ?? harness;
}

const KINDS: Record<string, string> = {
  'stale-verdict': 'Stale verdicts',
  'claimed-pass': 'Claimed passes',
  'untried-claim': 'Untried claims',
  'unproven-claim': 'Unproven claims',
  'scope-drift': 'Changes outside the scope',
  'scope-lock': 'Scope lock',
  'plain-words': 'Wording',
  'malformed-tag': 'Malformed tags',
  'reply-length': 'Long replies',
  'refused-turn': 'Turns sent back',
};

/** The heading over the findings of a check. */
export function kindName(code: string): string {
  return KINDS[code] ?? plain(code);
}

const PHASES: Record<string, string> = {
  none: 'no lock',
  contract_required: 'locked until the agent has stated its scope',
  locked: 'held to a stated scope',
  hard_stop: 'every tool is stopped',
  reflection_acknowledged: 'the stop of all tools was lifted',
};

/** Where a session's scope stands, in a few words. */
export function phaseName(phase: string): string {
  return PHASES[phase] ?? plain(phase);
}

/** What the scope says: the contract, else the words that began the lock. */
export function scopeText(session: SessionFindings, most = 60): string {
  const { scope } = session;
  if (!scope) return 'no lock';
  return scope.contract ? plain(scope.contract, most) : phaseName(scope.phase);
}

/** How long ago something was, both in milliseconds since 1970. */
export function age(then: number, now: number): string {
  const minutes = Math.floor(Math.max(0, now - then) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} days ago`;
}

/** A number and its noun. */
export function many(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}

/** What a session has to say, in a few words. */
export function summary(session: SessionFindings): string {
  const stale = countOf(session, 'stale-verdict');
  const untried = countOf(session, 'untried-claim');
  const other = session.items.length - stale - untried;
  const parts = [
    stale > 0 ? `${stale} stale` : '',
    untried > 0 ? `${untried} untried` : '',
    other > 0 ? `${other} more` : '',
    isLocked(session) ? 'lock held' : '',
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts.join(', ') : 'nothing open';
}

/** The row of a finding in a list: a claim in its own words, else the message without what the rows above it say. */
export function label(item: Item): string {
  const said = item.message.replace(/ \(session [^()]*\)\.$/, '.');
  return plain(item.claim ? item.subject : said);
}

/** What the status item says while the server runs. */
export function statusText(counts: Counts): string {
  if (counts.stale > 0) return `$(warning) ${counts.stale} stale`;
  return counts.locked > 0 ? '$(lock) Proofmark' : '$(pass) Proofmark';
}

/** The notification about a turn that was sent back. Nothing of the agent's is in it. */
export function refusedNotice(session: SessionFindings, item: Item): string {
  return `Turn ${item.turn} of session ${inert(shortId(session.session))} was sent back.`;
}
