// A real Chromium with a profile of its own. Requests that would leave the machine are stopped and remembered.
// What a page shows stays out.
import { createRequire } from 'node:module';
import path from 'node:path';
import { PATIENCE } from './checks.mjs';

const LOCAL = ['127.0.0.1', 'localhost'];
const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-default-apps', '--force-color-profile=srgb',
];

export class Browser {
  /** The addresses outside of this machine that a page asked for. */
  outside = new Set();

  static async start(feed) {
    const { chromium } = createRequire(path.join(feed.places.tools, 'x.js'))('playwright-core');
    const browser = new Browser();
    browser.context = await chromium.launchPersistentContext(path.join(path.dirname(feed.places.home), 'chromium'), {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      headless: true,
      viewport: { width: 1360, height: 860 },
      permissions: ['clipboard-read', 'clipboard-write'],
      args: FLAGS,
      env: { PATH: '/usr/bin:/bin', HOME: feed.places.home, LANG: 'C.UTF-8' },
    });
    browser.context.setDefaultTimeout(PATIENCE);
    await browser.context.route('**/*', (route) => {
      const url = new URL(route.request().url());
      const local = LOCAL.includes(url.hostname) || url.hostname.endsWith('.localhost');
      if (local || ['data:', 'blob:'].includes(url.protocol)) return route.continue();
      // Web views have a long hash before the name of their host.
      browser.outside.add(`${url.protocol}//${url.hostname.replace(/^[^.]{20,}\./, '')}`);
      return route.abort();
    });
    return browser;
  }

  async page() {
    const first = this.context.pages().find((page) => page.url() === 'about:blank');
    return first ?? (await this.context.newPage());
  }

  async close() {
    await this.context.close();
  }
}
