// Programs that stand in for the server where a server that works would show nothing.
// What an editor makes of them stays out.
import fs from 'node:fs';
import path from 'node:path';

/** Puts a shell script into the world, and returns its path. */
export function program(feed, name, script) {
  const file = path.join(feed.places.home, `server-${name}`);
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

/** Answers the first request as a server of version 0.0.1, and nothing else. */
const OLD = `
let read = '';
process.stdin.on('end', () => process.exit(0)).on('data', (data) => {
  read += data;
  const start = read.indexOf('{');
  if (start < 0) return;
  const { id } = JSON.parse(read.slice(start, start + Number(/Content-Length: (\\d+)/.exec(read)[1])));
  const result = { capabilities: {}, serverInfo: { name: 'proofmark', version: '0.0.1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id, result });
  process.stdout.write('Content-Length: ' + body.length + '\\r\\n\\r\\n' + body);
  process.stdin.removeAllListeners('data').resume();
});
`;

export function silentOldServer(feed) {
  const script = path.join(feed.places.home, 'old.cjs');
  fs.writeFileSync(script, OLD);
  const { node } = Object.values(feed.places.hosts)[0];
  return program(feed, 'old', `exec '${node}' '${script}'`);
}
