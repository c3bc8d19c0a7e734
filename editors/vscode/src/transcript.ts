// Where in a transcript a finding is: the line that holds one of the texts that it is known by.
// Transcripts are read in pieces and never as a whole: they have lines of megabytes.
import * as fs from 'node:fs/promises';
import type { Item } from './protocol';

/** Bytes read at once. */
const PIECE = 1 << 20;
/** A larger transcript is opened at its start, in bytes. */
const LARGEST = 512 << 20;

/** The texts by which a finding is looked for, the best first: ids in the record, then the claim as it was written. */
export function needles(item: Item): string[] {
  const evidence = [...(item.evidence ?? [])].reverse();
  const own = evidence.filter((one) => one.turn === item.turn);
  const ids = [...own, ...evidence].map((one) => one.id).filter((id): id is string => typeof id === 'string' && id !== '');
  const words = item.claim && !item.subject.endsWith('…') ? [JSON.stringify(item.subject).slice(1, -1)] : [];
  return [...new Set([...ids, ...words])];
}

/** The first line, counted from 0, that holds the first of the texts that the file holds at all. */
export async function lineOf(file: string, texts: readonly string[]): Promise<number | undefined> {
  const wanted = texts.map((text) => Buffer.from(text)).filter((text) => text.length > 0 && text.length < PIECE);
  if (wanted.length === 0) return undefined;
  const found = new Map<number, number>();
  const handle = await fs.open(file, 'r');
  try {
    if ((await handle.stat()).size > LARGEST) return undefined;
    const overlap = Math.max(...wanted.map((text) => text.length)) - 1;
    const buffer = Buffer.alloc(PIECE + overlap);
    let [kept, line] = [0, 0];
    for (;;) {
      const { bytesRead } = await handle.read(buffer, kept, PIECE);
      if (bytesRead === 0) break;
      const piece = buffer.subarray(0, kept + bytesRead);
      wanted.forEach((text, nth) => {
        const at = found.has(nth) ? -1 : piece.indexOf(text);
        if (at >= 0) found.set(nth, line + newlines(piece.subarray(0, at)));
      });
      if (found.has(0)) break;
      const done = Math.max(0, piece.length - overlap);
      line += newlines(piece.subarray(0, done));
      kept = piece.length - done;
      buffer.copyWithin(0, done, piece.length);
    }
  } finally {
    await handle.close();
  }
  return wanted.map((_, nth) => found.get(nth)).find((at) => at !== undefined);
}

function newlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}
