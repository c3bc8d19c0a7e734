// The life of the server in whatever order things come: starts while it ends, ends while it starts, words of processes that are past.
// Real processes are tested in a real editor.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Event, Step } from '../src/life';
import { Life } from '../src/life';

const told = (steps: Step[]): string =>
  steps.map((step) => (step.kind === 'show' ? step.state : step.kind === 'launch' || step.kind === 'end' ? `${step.kind} ${step.run}` : step.kind)).join(', ');

/** Plays events at their times, and tells the steps that followed each. */
function play(...events: Array<Event | [number, Event]>): string[] {
  const life = new Life();
  return events.map((one) => (Array.isArray(one) ? told(life.on(one[1], one[0])) : told(life.on(one, 0))));
}

const start: Event = { kind: 'start', asked: false };
const ask: Event = { kind: 'start', asked: true };
const stop: Event = { kind: 'stop' };
const of = (kind: 'answered' | 'lost' | 'useless' | 'gone', run: number): Event => ({ kind, run });
const rested = (pause: number): Event => ({ kind: 'rested', pause });

test('started, answered, stopped', () => {
  assert.deepEqual(play(start, of('answered', 1), stop, of('gone', 1)), ['starting, launch 1', 'running', 'stopped, end 1', '']);
  assert.deepEqual(play(start, start, ask, of('answered', 1), start), ['starting, launch 1', '', '', 'running', ''], 'never twice');
});

test('a start while another one ends waits for that end, and there is one of it', () => {
  assert.deepEqual(play(start, stop, start, ask, of('gone', 1), of('gone', 1)), ['starting, launch 1', 'stopped, end 1', 'starting', '', 'launch 2', '']);
});

test('a stop while a start waits for an end: nothing comes after it', () => {
  assert.deepEqual(play(start, stop, start, stop, of('gone', 1)), ['starting, launch 1', 'stopped, end 1', 'starting', 'stopped', '']);
});

test('a restart while it is being started ends that one, whatever it still says', () => {
  assert.deepEqual(play(start, stop, start, of('answered', 1), of('lost', 1), of('gone', 1), of('answered', 2)), [
    'starting, launch 1', 'stopped, end 1', 'starting', '', '', 'launch 2', 'running',
  ]);
});

test('a stop during a pause ends the pause, also when its timer was late', () => {
  assert.deepEqual(play(start, of('lost', 1), of('gone', 1), stop, rested(1)), ['starting, launch 1', 'starting, end 1, rest', '', 'wake, stopped', '']);
});

test('a pause that is over begins a run once; a person who asks does not wait for it', () => {
  assert.deepEqual(play(start, of('lost', 1), of('gone', 1), start, rested(1), rested(1)), ['starting, launch 1', 'starting, end 1, rest', '', '', 'starting, launch 2', '']);
  assert.deepEqual(play(start, of('lost', 1), of('gone', 1), ask, rested(1)), ['starting, launch 1', 'starting, end 1, rest', '', 'wake, starting, launch 2', '']);
});

test('a server that does not answer is gone before another one is started, however short the pause', () => {
  assert.deepEqual(play(start, of('lost', 1), rested(1), of('gone', 1)), ['starting, launch 1', 'starting, end 1, rest', 'starting', 'launch 2']);
});

test('the end of a process counts once, and never against the next one', () => {
  const life = new Life();
  life.on(start, 0);
  for (const event of [of('lost', 1), of('lost', 1), of('gone', 1), rested(1)]) life.on(event, 0);
  for (let nth = 0; nth < 9; nth += 1) assert.deepEqual(life.on(of('lost', 1), nth), [], 'one that is past');
  assert.ok(life.isCurrent(2));
  assert.equal(told(life.on(of('lost', 2), 9)), 'starting, end 2, rest', 'the second end, and not the eleventh');
});

test('five ends within three minutes are given up; a person may start again, with all five before them', () => {
  const life = new Life();
  life.on(start, 0);
  const end = (run: number): string => {
    const steps = life.on(of('lost', run), run);
    life.on(of('gone', run), run);
    for (const step of steps) if (step.kind === 'rest') life.on(rested(step.pause), run);
    return told(steps);
  };
  assert.deepEqual([1, 2, 3, 4, 5].map(end), [...[1, 2, 3, 4].map((run) => `starting, end ${run}, rest`), 'crashed, end 5']);
  assert.equal(told(life.on(ask, 6)), 'starting, launch 6');
  assert.equal(end(6), 'starting, end 6, rest');
  for (const event of [stop, of('gone', 7), start]) life.on(event, 7);
  assert.deepEqual([8, 9, 10, 11, 12].map(end), [...[8, 9, 10, 11].map((run) => `starting, end ${run}, rest`), 'crashed, end 12'], 'another program, by another setting');
});

test('one that is of no use is not started again', () => {
  assert.deepEqual(play(start, of('useless', 1), of('gone', 1), of('lost', 1), start), ['starting, launch 1', 'useless, end 1', '', '', 'starting, launch 2']);
});

test('whatever comes in whatever order: one process at a time, none forgotten, and the last word of the person holds', () => {
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  let launched = 0;
  for (let round = 0; round < 2_000; round += 1) {
    const life = new Life();
    const [up, ending] = [new Set<number>(), new Set<number>()];
    let [resting, shown, wanted, runs] = [undefined as number | undefined, '', false, 0];
    const take = (event: Event): void => {
      for (const step of life.on(event, round * 1e6)) {
        if (step.kind === 'launch') {
          assert.equal(up.size + ending.size, 0, 'two at once');
          up.add(step.run);
          runs = step.run;
          launched += 1;
        } else if (step.kind === 'end') {
          assert.ok(up.delete(step.run), 'what is ended was up');
          ending.add(step.run);
        } else if (step.kind === 'rest') resting = step.pause;
        else if (step.kind === 'wake') resting = undefined;
        else shown = step.state;
      }
    };
    for (let nth = 0; nth < 40; nth += 1) {
      const run = 1 + random(Math.max(1, runs));
      switch (random(7)) {
        case 0:
          wanted = true;
          take(random(2) > 0 ? start : ask);
          break;
        case 1:
          wanted = false;
          take(stop);
          break;
        case 2:
          take(of('answered', run));
          break;
        case 3:
          take(of('lost', run));
          break;
        case 4:
          if (life.isCurrent(run) && random(3) === 0) wanted = false;
          else break;
          take(of('useless', run));
          break;
        case 5:
          if (ending.delete(run)) take(of('gone', run));
          break;
        default:
          if (resting !== undefined) take(rested(resting));
      }
    }
    for (const run of [...ending]) {
      ending.delete(run);
      take(of('gone', run));
    }
    if (resting !== undefined && shown === 'starting' && up.size === 0) take(rested(resting));
    if (shown === 'crashed') wanted = false;
    assert.equal(up.size, wanted ? 1 : 0, `round ${round}: ${shown}`);
    assert.equal(['starting', 'running'].includes(shown), wanted, `round ${round}: ${shown}`);
  }
  assert.ok(launched > 2_000);
});
