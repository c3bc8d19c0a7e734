// package.json against the code: whatever one of them names, the other has.
// What the editor makes of both is tested in a real one.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

interface Manifest {
  engines: { vscode: string };
  icon: string;
  activationEvents: string[];
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  capabilities: { untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] } };
  contributes: {
    commands: Array<{ command: string; title: string; category: string; enablement?: string }>;
    keybindings: Array<{ command: string; when: string }>;
    menus: Record<string, Array<{ command: string; when: string }>>;
    viewsWelcome: Array<{ contents: string; when: string }>;
    configuration: { properties: Record<string, { default: unknown; enum?: string[]; enumDescriptions?: string[]; description?: string; markdownDescription?: string }> };
    walkthroughs: Array<{ steps: Array<{ description: string; media: { markdown: string }; completionEvents: string[] }> }>;
  };
}

const manifest = JSON.parse(fs.readFileSync('package.json', 'utf8')) as Manifest;
const { contributes } = manifest;
const files = (folder: string): string[] =>
  fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)).filter((name) => fs.statSync(name).isFile());
const sources = new Map(files('src').map((name) => [name, fs.readFileSync(name, 'utf8')]));
const code = [...sources.values()].join('\n');
const found = (text: string, pattern: RegExp): Set<string> => new Set([...text.matchAll(pattern)].map((match) => match[1] ?? match[0]));
const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

const commands = sorted(contributes.commands.map((one) => one.command));
const registered = sorted([...sources].filter(([name]) => name.startsWith('src/commands')).flatMap(([, text]) => [...found(text, /^\s+'(proofmark\.\w+)': /gm)]));

test('every command is registered, and every registered one is in package.json', () => {
  assert.ok(commands.length > 20);
  assert.deepEqual(registered, commands);
  assert.ok(contributes.commands.every((one) => one.category === 'Proofmark'));
  assert.equal(contributes.commands.find((one) => one.command === 'proofmark.checkCommand')?.enablement, 'isWorkspaceTrusted');
});

test('every command of the server is one of the extension, under the same name', () => {
  const server = found(fs.readFileSync('../../server/src/lsp/actions.rs', 'utf8'), /"(proofmark\.\w+)"/g);
  assert.ok(server.size >= 9);
  assert.deepEqual([...server].filter((name) => !commands.includes(name)), []);
});

test('menus, keys, links and steps lead to commands that exist', () => {
  const named = [
    ...contributes.keybindings.map((one) => one.command),
    ...Object.values(contributes.menus).flatMap((menu) => menu.map((one) => one.command)),
    ...found(JSON.stringify([contributes.viewsWelcome, contributes.walkthroughs]), /(?:command|onCommand):(proofmark\.\w+)/g),
    ...found(code, /executeCommand\('(proofmark\.\w+)'/g),
    ...found(code, /command: '(proofmark\.\w+)'/g),
    ...[...found(sources.get('src/status.ts') ?? '', /'(\w+)'\]/g)].map((name) => `proofmark.${name}`),
  ];
  assert.ok(named.length > 40);
  assert.deepEqual(sorted(named).filter((name) => !commands.includes(name)), []);
});

test('a link of the hover may start what the hover links to, and nothing with an argument', () => {
  const status = sources.get('src/status.ts') ?? '';
  const allowed = found(/LINKS = \[([^\]]*)\]/.exec(status)?.[1] ?? '', /'(\w+)'/g);
  const linked = found(status, /', '(\w+)'\]/g);
  assert.ok(linked.size > 4);
  assert.deepEqual(sorted(linked), sorted(allowed));
});

test('every setting is read, and every one that is read has a schema and a description', () => {
  const settings = sorted(Object.keys(contributes.configuration.properties).map((name) => name.replace(/^proofmark\./, '')));
  const read = [
    ...found(code, /getConfiguration\('proofmark'\)\.get<\w+>\('([\w.]+)'/g),
    ...found(sources.get('src/options.ts') ?? '', /(?:read\(|\[)'([a-z]\w*\.[\w.]+)'/g),
    // The language client reads it under the id that it was made with.
    ...(code.includes("super('proofmark', ") ? ['trace.server'] : []),
  ];
  assert.ok(settings.length > 5);
  assert.deepEqual(sorted(read), settings);
  for (const [name, setting] of Object.entries(contributes.configuration.properties)) {
    assert.ok((setting.description ?? setting.markdownDescription ?? '').endsWith('.'), name);
    assert.ok('default' in setting, name);
    if (setting.enum) {
      assert.equal(setting.enumDescriptions?.length, setting.enum.length, name);
      assert.ok(setting.enum.includes(String(setting.default)), name);
    }
    assert.ok(fs.readFileSync('README.md', 'utf8').includes(`| \`${name}\` |`), `${name} is not in the README`);
  }
});

test('every context key that is asked for is set, and the other way round', () => {
  const whens = JSON.stringify([contributes.commands.map((one) => one.enablement), contributes.keybindings, contributes.menus, contributes.viewsWelcome.map((one) => one.when)]
    , (key, value: unknown) => (key === 'command' ? undefined : value));
  const asked = [...found(whens, /proofmark\.\w+/g)].filter((name) => name !== 'proofmark.verdicts');
  const set = found(sources.get('src/contexts.ts') ?? '', /this\.one\('(proofmark\.\w+)'/g);
  assert.ok(set.size > 3);
  assert.deepEqual(sorted(asked), sorted(set));
});

test('menus ask for rows by words that the tree gives them', () => {
  const tree = sources.get('src/tree.ts') ?? '';
  const words = [...found(JSON.stringify(contributes.menus), /viewItem =~ \/([^/]*)\//g)].flatMap((pattern) => pattern.replace(/\\+b/g, '').replace(/[()]/g, '').split('|'));
  assert.ok(words.length > 8);
  const strange = words.filter((word) => !tree.includes(`'${word}'`) && !fs.existsSync(`../../docs/checks/${word.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`));
  assert.deepEqual(strange, []);
});

test('the view says something in every state in which it is empty', () => {
  const states = found(/export type State =([\s\S]*?);\n\n/.exec(sources.get('src/server.ts') ?? '')?.[1] ?? '', /'(\w+)'/g);
  assert.equal(states.size, 6);
  for (const state of states) {
    const when = state === 'running' ? 'proofmark.running' : `proofmark.state == ${state}`;
    assert.ok(contributes.viewsWelcome.some((one) => one.when === when), state);
  }
  assert.ok(contributes.viewsWelcome.some((one) => one.when.includes('!isWorkspaceTrusted')));
});

test('in an untrusted workspace its own server path does not count', () => {
  assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
  assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, ['proofmark.server.path']);
  assert.deepEqual(manifest.activationEvents, ['onStartupFinished']);
});

test('messages are short: a fact in 90 characters, and no more than 130 in all', () => {
  const messages = [
    ...found(code, /l10n\.t\('((?:[^'\\]|\\.)+)'/g),
    ...found(code, /(?:why|missing): '((?:[^'\\]|\\.)+)'/g),
    ...found(code, /Error\('((?:[^'\\]|\\.)+)'\)/g),
    ...found(code, /return '([A-Z](?:[^'\\]|\\.)+\.)'/g),
  ];
  assert.ok(messages.length > 25);
  for (const message of messages) {
    assert.ok((message.split(/[.:;]/)[0]?.length ?? 0) <= 90, message);
    assert.ok(message.length <= 130, message);
  }
});

test('every file that is named is there', () => {
  const steps = contributes.walkthroughs.flatMap((one) => one.steps.map((step) => step.media.markdown));
  assert.equal(steps.length, 3);
  for (const name of [manifest.icon, 'LICENSE', 'CHANGELOG.md', ...steps]) {
    assert.ok(fs.existsSync(name), name);
  }
  const icon = fs.readFileSync(manifest.icon);
  assert.deepEqual([icon.readUInt32BE(16), icon.readUInt32BE(20)], [128, 128]);
  assert.equal(fs.readFileSync('LICENSE', 'utf8'), fs.readFileSync('../../LICENSE', 'utf8'));
});

test('what is built upon is pinned, and the lock names no host', () => {
  const all = { ...manifest.dependencies, ...manifest.devDependencies };
  assert.ok(Object.keys(all).length >= 5);
  for (const [name, version] of Object.entries(all)) assert.match(version, /^\d+\.\d+\.\d+$/, name);
  assert.equal(`^${all['@types/vscode'] ?? ''}`, manifest.engines.vscode, 'no newer interface than the oldest editor has');
  const lock = JSON.parse(fs.readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { resolved?: string; integrity?: string }> };
  assert.ok(Object.keys(lock.packages).length > 10);
  for (const [name, locked] of Object.entries(lock.packages)) {
    assert.equal(locked.resolved, undefined, name);
    assert.ok(name === '' || locked.integrity?.startsWith('sha512-'), name);
  }
});

test('nothing of the network is used', () => {
  assert.ok(sources.size > 20);
  for (const [name, text] of sources) {
    assert.doesNotMatch(text, /from 'node:(http|https|http2|net|tls|dns|dgram)'|\bfetch\(|XMLHttpRequest|WebSocket|openExternal|createTelemetryLogger/, name);
  }
});

test('every file says what it is for and what stays out, and none is long', () => {
  for (const name of [...files('src'), ...files('test'), ...files('scripts')]) {
    const lines = fs.readFileSync(name, 'utf8').split('\n');
    assert.match(lines[0] ?? '', /^\/\/ .+[.:]$/, name);
    assert.match(lines[1] ?? '', /^\/\/ .+[.:]$/, name);
    assert.ok(lines.length <= 400, name);
  }
});
