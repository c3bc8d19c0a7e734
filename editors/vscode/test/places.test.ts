// What is drawn where, while diagnostics come, go and move in any order: no mark is left over, and none is lost.
// How an editor draws them is tested in a real one.
import assert from 'node:assert/strict';
import test from 'node:test';
import type * as vscode from 'vscode';
import { Model } from '../src/model';
import { Places } from '../src/places';
import type { Item, SessionFindings } from '../src/protocol';
import { Location, Range, Uri } from './fake-vscode';
import { session, stale } from './samples';

const of = session('a', [stale('1'), stale('2')]);

/** A window's places, with what is drawn at each URI, and each drawing in its order. */
function drawn() {
  const model = new Model();
  const places = new Places(model);
  const marks = new Map<string, string[]>();
  const order: string[] = [];
  const publish = (uri: vscode.Uri, all: vscode.Diagnostic[]): void => {
    const ids = all.map((one) => (one as unknown as { data: { id: string } }).data.id);
    order.push(`${uri.toString()} ${ids.join(' ')}`.trim());
    if (ids.length > 0) marks.set(uri.toString(), ids);
    else marks.delete(uri.toString());
  };
  const take = (path: string, ...found: Array<[Item, SessionFindings?, string?]>): void => {
    const all = found.map(([item, whose = of, related]) => ({
      range: new Range(0, 0, 0, 1),
      data: { id: item.id, session: whose.session, harness: whose.harness, turn: item.turn },
      relatedInformation: related ? [{ location: new Location(Uri.file(related), new Range(0, 0, 0, 1)) }] : [],
    }));
    places.take(Uri.file(path) as unknown as vscode.Uri, all as unknown as vscode.Diagnostic[], publish);
  };
  const at = (item: Item, whose = of): string | undefined => places.of({ session: whose, item })?.uri.toString();
  return { model, places, marks, order, take, at };
}

const [one, two] = of.items as [Item, Item];

test('a finding that moves to another file is where it came to, whichever file is told of first', () => {
  for (const gone of ['first', 'last']) {
    const { marks, take, at } = drawn();
    take('/a', [one], [two]);
    if (gone === 'first') take('/a', [two]);
    take('/b', [one]);
    if (gone === 'last') take('/a', [two]);
    assert.deepEqual([...marks], [['file:/a', [two.id]], ['file:/b', [one.id]]], gone);
    assert.deepEqual([at(one), at(two)], ['file:/b', 'file:/a'], gone);
    take('/b');
    assert.deepEqual([at(one), at(two)], [undefined, 'file:/a'], gone);
  }
});

test('a session\'s document becomes its report: the old marks go first, and nothing is drawn twice', () => {
  const { model, places, marks, order, take, at } = drawn();
  take(of.document, [one, of, of.document]);
  model.apply({ whole: true, sessions: [of] });
  places.settle();
  const report = 'proofmark:/session/a.md?claude-code';
  assert.deepEqual(order, [`file:${of.document} ${one.id}`, `file:${of.document}`, `${report} ${one.id}`]);
  assert.equal(at(one), report);
  places.settle();
  assert.equal(order.length, 3, 'what stands right is not drawn again');
  take(of.document);
  assert.deepEqual([...marks], []);
  assert.deepEqual(places.all(), []);
});

test('a document whose session becomes known with the next diagnostics leaves no mark at its file', () => {
  const { model, marks, take } = drawn();
  take(of.document, [one]);
  model.apply({ whole: true, sessions: [of] });
  take(of.document, [two]);
  assert.deepEqual([...marks], [['proofmark:/session/a.md?claude-code', [two.id]]]);
});

test('what is cleared is gone at once and for good, and nothing of it comes back with what follows', () => {
  const { model, places, marks, take, at } = drawn();
  take('/a', [one]);
  take(of.document, [two]);
  assert.equal(marks.size, 2);
  places.clear();
  assert.deepEqual([...marks], [], 'the client that drew them may take seconds to go');
  assert.deepEqual([places.all(), at(one), places.has(Uri.file('/a') as unknown as vscode.Uri)], [[], undefined, false]);
  model.apply({ whole: true, sessions: [of] });
  places.settle();
  assert.deepEqual([...marks], [], 'a restart');
  take('/a', [two]);
  assert.deepEqual([...marks], [['file:/a', [two.id]]]);
});

test('two agents with a session of one id have findings of their own', () => {
  const { take, at } = drawn();
  const codex: SessionFindings = { ...of, harness: 'codex' };
  take('/a', [one]);
  take('/b', [one, codex]);
  assert.deepEqual([at(one), at(one, codex)], ['file:/a', 'file:/b']);
  take('/b');
  assert.deepEqual([at(one), at(one, codex)], ['file:/a', undefined]);
});
