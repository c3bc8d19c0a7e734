// The life of the server process as a state machine: what is to be done next, in whatever order things come.
// Pure: processes, timers and the editor stay out; time is an argument.
import { Crashes } from './backoff';

/** What happens. A run is one process, from its start to its end, and has a number of its own. */
export type Event =
  /** A start is wanted; `asked` when it is the person who wants it. */
  | { readonly kind: 'start'; readonly asked: boolean }
  /** It is to end. */
  | { readonly kind: 'stop' }
  /** A run has answered, and fits. */
  | { readonly kind: 'answered'; readonly run: number }
  /** A run ended by itself, or does not answer. */
  | { readonly kind: 'lost'; readonly run: number }
  /** A run is of no use: there is no such program, or it is another version. Another start would end alike. */
  | { readonly kind: 'useless'; readonly run: number }
  /** Nothing of a run that was to be ended is left. */
  | { readonly kind: 'gone'; readonly run: number }
  /** A pause is over. */
  | { readonly kind: 'rested'; readonly pause: number };

/** What is to be done, in this order. */
export type Step =
  | { readonly kind: 'launch'; readonly run: number }
  | { readonly kind: 'end'; readonly run: number }
  | { readonly kind: 'rest'; readonly pause: number; readonly milliseconds: number }
  | { readonly kind: 'wake' }
  /** What is shown from now on. For a run that is useless the reason is known to whoever has found it. */
  | { readonly kind: 'show'; readonly state: 'starting' | 'running' | 'stopped' | 'crashed' | 'useless' };

type Phase =
  | { readonly kind: 'off' }
  /** A start waits until nothing of the runs before is left: two servers at once would show everything twice. */
  | { readonly kind: 'clearing' }
  | { readonly kind: 'up'; readonly run: number }
  | { readonly kind: 'resting'; readonly pause: number };

/** One life. There is at most one run that counts; what is told of an earlier one changes nothing that is shown. */
export class Life {
  private phase: Phase = { kind: 'off' };
  private readonly ending = new Set<number>();
  private readonly crashes = new Crashes();
  private runs = 0;
  private pauses = 0;

  /** True for the run whose findings are shown. */
  isCurrent(run: number): boolean {
    return this.phase.kind === 'up' && this.phase.run === run;
  }

  /** Takes what has happened at a time in milliseconds. */
  on(event: Event, now: number): Step[] {
    switch (event.kind) {
      case 'start':
        return this.start(event.asked);
      case 'stop':
        // What is started after it may be another program, by another setting: its ends are counted anew.
        this.crashes.forget();
        return this.halt('stopped');
      case 'answered':
        return this.isCurrent(event.run) ? [{ kind: 'show', state: 'running' }] : [];
      case 'useless':
        return this.isCurrent(event.run) ? this.halt('useless') : [];
      case 'lost':
        return this.isCurrent(event.run) ? this.lost(now) : [];
      case 'gone':
        this.ending.delete(event.run);
        return this.phase.kind === 'clearing' && this.ending.size === 0 ? [this.launch()] : [];
      case 'rested':
        return this.phase.kind === 'resting' && this.phase.pause === event.pause ? this.begin() : [];
    }
  }

  private start(asked: boolean): Step[] {
    if (asked) this.crashes.forget();
    if (this.phase.kind === 'off') return this.begin();
    // Nobody waits for a pause who has asked for a start.
    return asked && this.phase.kind === 'resting' ? [{ kind: 'wake' }, ...this.begin()] : [];
  }

  private begin(): Step[] {
    const shown: Step = { kind: 'show', state: 'starting' };
    if (this.ending.size === 0) return [shown, this.launch()];
    this.phase = { kind: 'clearing' };
    return [shown];
  }

  private launch(): Step {
    this.runs += 1;
    this.phase = { kind: 'up', run: this.runs };
    return { kind: 'launch', run: this.runs };
  }

  private lost(now: number): Step[] {
    const milliseconds = this.crashes.note(now);
    if (milliseconds === undefined) return this.halt('crashed');
    const steps = this.halt('starting');
    this.pauses += 1;
    this.phase = { kind: 'resting', pause: this.pauses };
    return [...steps, { kind: 'rest', pause: this.pauses, milliseconds }];
  }

  /** Shown first: what was found by a run goes from sight before its process does, which may take seconds. */
  private halt(state: 'starting' | 'stopped' | 'crashed' | 'useless'): Step[] {
    const { phase } = this;
    this.phase = { kind: 'off' };
    const shown: Step = { kind: 'show', state };
    if (phase.kind === 'resting') return [{ kind: 'wake' }, shown];
    if (phase.kind !== 'up') return [shown];
    this.ending.add(phase.run);
    return [shown, { kind: 'end', run: phase.run }];
  }
}
