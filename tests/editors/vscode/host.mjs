// A VS Code as a server, with nothing of the machine's own: home, settings, extensions and state are the world's.
// What is done in its window stays out.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { until } from './checks.mjs';

/** Settings that make each picture the same and keep the editor quiet. */
const QUIET = {
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.settings.enableNaturalLanguageSearch': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'workbench.hover.delay': 200,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'security.workspace.trust.enabled': false,
  'window.commandCenter': false,
  'editor.minimap.enabled': false,
  // One row for each finding, and all of them drawn.
  'problems.defaultViewMode': 'table',
  'git.enabled': false,
  // Rows of text, not a canvas: they can be read.
  'terminal.integrated.gpuAcceleration': 'off',
  'window.title': '${rootName}',
};

/** The light and the dark theme of a version that it has by default. */
const THEMES = {
  1.139: { light: 'Light 2026', dark: 'Dark 2026' },
  1.105: { light: 'Default Light Modern', dark: 'Default Dark Modern' },
};

/** Where programs are looked for in it. */
export const PATH = '/usr/local/bin:/usr/bin:/bin';

export class Host {
  /** `version` is that of VS Code; `options` are more arguments of the server. */
  constructor(feed, version, options = []) {
    const place = feed.places.hosts[version];
    if (!place) throw new Error(`VS Code ${version} is not in the cache: fetch-packages vscode`);
    Object.assign(this, place, { feed, version, options });
    this.root = path.join(path.dirname(feed.places.home), `editor-${version}`);
    for (const folder of ['data/User', 'data/Machine', 'extensions', 'home']) fs.mkdirSync(path.join(this.root, folder), { recursive: true });
    fs.writeFileSync(path.join(this.root, 'config.yaml'), 'auth: none\n');
    this.set({});
  }

  /** The person's settings: the quiet ones, and these. What is about a program is set where the server runs. */
  set(settings, theme = 'light') {
    const all = { ...QUIET, 'workbench.colorTheme': THEMES[this.version][theme], 'proofmark.server.path': this.feed.places.proofmark, ...settings };
    const machine = (name) => name.startsWith('proofmark.server.');
    const write = (folder, wanted) => {
      const some = Object.fromEntries(Object.entries(all).filter(([name]) => machine(name) === wanted));
      fs.writeFileSync(path.join(this.root, 'data', folder, 'settings.json'), JSON.stringify(some, null, 2));
    };
    write('User', false);
    write('Machine', true);
  }

  get #environment() {
    const { home, state } = this.feed.places;
    const mine = path.join(this.root, 'home');
    // A terminal that starts has to find a shell; nothing else of the caller's environment is passed on.
    return {
      PATH,
      LANG: 'C.UTF-8',
      SHELL: '/bin/bash',
      HOME: mine,
      XDG_CONFIG_HOME: mine,
      XDG_DATA_HOME: mine,
      XDG_CACHE_HOME: mine,
      XDG_RUNTIME_DIR: mine,
      TMPDIR: path.dirname(home),
      // Without one it asks nobody which extensions there are.
      EXTENSIONS_GALLERY: '{}',
      PROOFMARK_STATE_DIR: state,
    };
  }

  get #common() {
    const at = (name) => path.join(this.root, name);
    return [this.entry, '--config', at('config.yaml'), '--user-data-dir', at('data'), '--extensions-dir', at('extensions')];
  }

  install(vsix) {
    const done = spawnSync(this.node, [...this.#common, '--install-extension', vsix], {
      env: this.#environment,
      encoding: 'utf8',
      timeout: 120_000,
    });
    if (done.status !== 0) throw new Error(`the extension was not installed: ${done.stdout}${done.stderr}`);
  }

  async start() {
    this.port = await freePort();
    this.log = fs.openSync(path.join(this.root, 'server.log'), 'a');
    const own = ['--bind-addr', `127.0.0.1:${this.port}`, '--auth', 'none', '--disable-telemetry', '--disable-update-check'];
    this.child = spawn(this.node, [...this.#common, ...own, '--disable-proxy', '--ignore-last-opened', ...this.options], {
      env: this.#environment,
      cwd: this.root,
      detached: true,
      stdio: ['ignore', this.log, this.log],
    });
    this.ended = new Promise((resolve) => this.child.once('exit', resolve));
    await until('the server of VS Code answers', () => answers(this.port), 120_000);
  }

  /** The address of a window on a folder; of one without a folder when there is none. */
  address(folder, more = '') {
    const where = folder ? `folder=${encodeURIComponent(folder)}` : 'ew=true';
    return `http://127.0.0.1:${this.port}/?${where}${more}`;
  }

  /** Ends the server with all that it started. */
  async stop() {
    if (!this.child) return;
    // Looked for here, and not by the world: they have to go also when the world has gone.
    const all = () => fs.readdirSync('/proc').map(Number).filter((pid) => pid > 0 && isOf(pid, this.root));
    kill(-this.child.pid, 'SIGTERM');
    await Promise.race([this.ended, new Promise((resolve) => setTimeout(resolve, 5_000))]);
    kill(-this.child.pid, 'SIGKILL');
    // Terminals and extension hosts have groups of their own.
    await until('the processes of VS Code are gone', async () => {
      const left = await all();
      for (const pid of left) kill(pid, 'SIGKILL');
      return left.length === 0;
    });
    fs.closeSync(this.log);
    this.child = undefined;
  }
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** True of a process whose home is in this folder: the owner of the state folder may have been started by an editor, too. */
function isOf(pid, root) {
  try {
    const environment = fs.readFileSync(`/proc/${pid}/environ`, 'utf8');
    const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return environment.split('\0').includes(`HOME=${path.join(root, 'home')}`) && !command.includes('serve\0');
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function answers(port) {
  return new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port, path: '/healthz', timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false)).on('timeout', () => request.destroy());
  });
}
