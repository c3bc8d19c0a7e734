// A session of Claude Code that a driver makes up: rows as that harness writes them, cut to what is read, and its events.
// Recorded sessions are told by feed.mjs; what an editor makes of either is the drivers' business.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const LIMIT = 30_000;

export class Session {
  #turn = 0;
  #calls = 0;

  constructor(feed, id) {
    Object.assign(this, { feed, id, transcript: path.join(feed.places.home, `${id}.jsonl`) });
  }

  /** Tells a turn: what the person says, which edits of files are made, and what the agent says at its end. */
  turn(prompt, edits, reply) {
    if (this.#turn === 0) this.#hook({ hook_event_name: 'SessionStart', source: 'startup' });
    this.#turn += 1;
    this.#hook({ hook_event_name: 'UserPromptSubmit', prompt });
    this.#row('user', { role: 'user', content: prompt });
    for (const [file, before, after] of edits) {
      const full = path.join(this.feed.places.project, file);
      const text = fs.readFileSync(full, 'utf8');
      if (text.split(before).length !== 2) throw new Error(`${file} does not hold ${before} once`);
      fs.writeFileSync(full, text.replace(before, after));
      this.#calls += 1;
      const call = `toolu_${this.id}_${this.#calls}`;
      // By its path in the project: this world lies below /tmp, where whole paths are scratch to the checks.
      const input = { file_path: file, old_string: before, new_string: after };
      this.#row('assistant', { role: 'assistant', content: [{ type: 'tool_use', id: call, name: 'Edit', input }] });
      this.#row('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: `The file ${file} has been updated successfully.` }] });
    }
    this.#row('assistant', { role: 'assistant', content: [{ type: 'text', text: reply }] });
    this.#hook({ hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: reply });
  }

  #row(type, message) {
    const lines = fs.existsSync(this.transcript) ? fs.readFileSync(this.transcript, 'utf8').split('\n').length : 0;
    const row = { type, uuid: `${this.id}-${lines}`, sessionId: this.id, promptId: `${this.id}-prompt-${this.#turn}`, message };
    fs.appendFileSync(this.transcript, `${JSON.stringify(row)}\n`);
  }

  /** Each event is let pass: what a session of a driver's says is nothing to send it back for. */
  #hook(event) {
    const { home, state, project, proofmark } = this.feed.places;
    const payload = { session_id: this.id, transcript_path: this.transcript, cwd: project, ...event };
    const hook = path.join(path.dirname(proofmark), 'proofmark-hook');
    const env = { PATH: '/usr/bin:/bin', HOME: home, PROOFMARK_STATE_DIR: state };
    const done = spawnSync(hook, ['claude-code'], { input: JSON.stringify(payload), env, encoding: 'utf8', timeout: LIMIT });
    if (done.status !== 0) throw new Error(`${event.hook_event_name}: ${done.error ?? done.status} ${done.stderr}`);
  }
}
