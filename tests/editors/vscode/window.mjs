// One window of VS Code as a person sees and uses it: the palette, Problems, the status bar, a tree, an editor.
// Elements are found by their roles, texts and the names that VS Code has given them for years; never by pixels.
import assert from 'node:assert/strict';
import path from 'node:path';
import { PATIENCE, until } from './checks.mjs';

/** The first drawing of a workbench on a busy machine, in milliseconds. */
const DRAWN = 120_000;

export class Window {
  constructor(page, folder) {
    this.page = page;
    this.folder = folder;
  }

  /** Opens an address in a page. `folder` takes the screenshots. */
  static async open(page, address, folder) {
    await page.goto(address, { waitUntil: 'domcontentloaded', timeout: DRAWN });
    await page.locator('.monaco-workbench .statusbar').waitFor({ timeout: DRAWN });
    return new Window(page, folder);
  }

  picture(name) {
    return this.page.screenshot({ path: path.join(this.folder, `${name}.png`), animations: 'disabled' });
  }

  press(...keys) {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  // Status bar.

  get status() {
    return this.page.locator('.statusbar-item[id="proofmark.proofmark.proofmark.status"]');
  }

  /** Waits until the status item has this icon, and this text where one is asked for. */
  async hasStatus(icon, text, limit) {
    await this.status.locator(`.codicon-${icon}`).waitFor({ timeout: limit ?? PATIENCE });
    if (text !== undefined) await until(`the status item says ${text}`, async () => (await this.status.innerText()).trim() === text);
  }

  /** `warning`, `error`, or nothing. */
  async statusColour() {
    const names = (await this.status.getAttribute('class')) ?? '';
    return /\b(warning|error)-kind\b/.exec(names)?.[1];
  }

  // Palette and files.

  get #input() {
    return this.page.locator('.quick-input-widget input[type="text"]').first();
  }

  async command(title) {
    await this.press('F1');
    await this.#input.waitFor({ timeout: PATIENCE });
    await this.#input.fill(`>${title}`);
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    await row.waitFor({ timeout: PATIENCE });
    await this.press('Enter');
  }

  /** True when the palette offers a command; false only once it says that there is none. */
  async offers(title) {
    await this.press('F1');
    await this.#input.waitFor({ timeout: PATIENCE });
    await this.#input.fill(`>${title}`);
    const list = this.page.locator('.quick-input-list');
    const row = list.locator('.monaco-list-row', { hasText: title }).first();
    const none = this.page.locator('.quick-input-widget').getByText(/No matching|similar commands/).first();
    const seen = await until('the palette has looked', async () => {
      if (await row.isVisible()) return 'offered';
      return (await none.isVisible()) ? 'not' : undefined;
    });
    await this.press('Escape');
    return seen === 'offered';
  }

  /** Fills an input box that has just opened, and takes it. */
  async type(text) {
    await this.#input.waitFor({ timeout: PATIENCE });
    await this.#input.fill(text);
    await this.press('Enter');
  }

  /** What a list that has just opened offers, once it has a row with this text: before, the palette may still be there. */
  async choices(text) {
    const rows = this.page.locator('.quick-input-list .monaco-list-row');
    await rows.filter({ hasText: text }).first().waitFor({ timeout: PATIENCE });
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: /^Proofmark: / }).first().waitFor({ state: 'detached', timeout: PATIENCE });
    return rows.allInnerTexts();
  }

  /** Takes a row of a list that has just opened, by keyboard. */
  async pick(text, picture) {
    await this.choices(text);
    if (picture) await this.picture(picture);
    await this.#input.fill(text);
    await this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: text }).first().waitFor({ timeout: PATIENCE });
    await this.press('Enter');
  }

  async file(name) {
    await this.press('Control+P');
    await this.#input.waitFor({ timeout: PATIENCE });
    await this.#input.fill(name);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: path.basename(name) }).first().waitFor({ timeout: PATIENCE });
    await this.press('Enter');
  }

  // Problems.

  async problems() {
    if (!(await this.page.locator('.markers-panel').isVisible())) await this.command('Problems: Focus on Problems View');
    await this.page.locator('.markers-panel').waitFor({ timeout: PATIENCE });
  }

  /** Shows Problems as a person has it who has set nothing: by files, with the related places under a finding. */
  async asTree() {
    const button = this.page.locator('.action-label[aria-label="View as Tree"]').filter({ visible: true }).first();
    if (await button.isVisible()) await button.click();
    await this.page.locator('.markers-panel .monaco-tl-twistie.collapsible').first().waitFor();
  }

  problem(text) {
    return this.page.locator('.markers-panel .monaco-list-row', { hasText: text });
  }

  /** How many rows of Problems have this text, counted only while Problems is there to have them. */
  async problemCount(text) {
    assert.ok(await this.page.locator('.markers-panel').isVisible(), 'Problems is not open');
    return this.problem(text).count();
  }

  // The view.

  get verdicts() {
    return this.page.locator('.pane', { has: this.page.locator('.pane-header[aria-label*="Agent Verdicts"]') });
  }

  /** Unfolds the view, and folds the files above it, so that its rows have room. */
  async unfold() {
    await this.#pane(this.verdicts, true);
    await this.#pane(this.page.locator('.pane', { has: this.page.locator('.pane-header[aria-label^="Explorer Section"]') }), false);
  }

  async #pane(pane, open) {
    const header = pane.locator('.pane-header').first();
    await until(`a part of the side bar is ${open ? 'unfolded' : 'folded'}`, async () => {
      if ((await header.getAttribute('aria-expanded')) === String(open)) return true;
      await header.click();
      return false;
    });
  }

  /** Folds all rows of the view. */
  async foldAll() {
    await this.verdicts.locator('.pane-header').hover();
    await this.verdicts.locator('.action-label[aria-label="Collapse All"]').click();
  }

  row(text) {
    return this.verdicts.locator('.monaco-list-row', { hasText: text });
  }

  /** Unfolds a row of the view, or folds it. */
  async fold(text, open) {
    const row = this.row(text).first();
    await row.waitFor({ timeout: PATIENCE });
    if ((await row.getAttribute('aria-expanded')) !== String(open)) await row.locator('.monaco-tl-twistie').click();
    await until(`the row ${text} is ${open ? 'unfolded' : 'folded'}`, async () => (await row.getAttribute('aria-expanded')) === String(open));
  }

  /** Presses one of the buttons that stand in a row. */
  async inRow(text, title) {
    const row = this.row(text).first();
    await row.hover();
    await row.locator(`.action-label[aria-label*="${title}"]`).first().click();
  }

  // Editor.

  get squiggles() {
    return this.page.locator('.editor-instance [class*="squiggly-"]');
  }

  get lens() {
    return this.page.locator('.editor-instance .codelens-decoration');
  }

  async line() {
    return /Ln (\d+)/.exec(await this.page.locator('.statusbar-item', { hasText: /Ln \d+/ }).innerText())?.[1];
  }

  text(part) {
    return this.page.locator('.editor-instance .view-lines', { hasText: part });
  }

  /** Opens the quick fixes at the cursor, by keyboard, and tells their titles. */
  async quickFixes() {
    await this.page.locator('.editor-instance .monaco-editor.focused').waitFor({ timeout: PATIENCE });
    const rows = this.page.locator('.action-widget .monaco-list-row');
    await until('the quick fixes are listed', async () => {
      await this.press('Control+.');
      await rows.first().waitFor({ timeout: 5_000 });
      return true;
    });
    return rows.allInnerTexts();
  }

  /** Opens the quick fixes at the cursor and takes one, by keyboard alone. */
  async quickFix(title, picture) {
    await this.quickFixes();
    const rows = this.page.locator('.action-widget .monaco-list-row');
    await rows.filter({ hasText: title }).first().waitFor({ timeout: PATIENCE });
    if (picture) await this.picture(picture);
    await until(`${title} has the focus`, async () => {
      const focused = this.page.locator('.action-widget .monaco-list-row.focused');
      if (((await focused.textContent({ timeout: 1_000 })) ?? '').includes(title)) return true;
      await this.press('ArrowDown');
      return false;
    });
    await this.press('Enter');
  }

  /** What the open document shows; spaces as they are in the file. */
  async reportText() {
    const text = await this.page.locator('.editor-instance .view-lines').first().innerText();
    return text.replace(/\u00a0/g, ' ');
  }

  /** What stands in the terminal: its rows, which are drawn for screen readers too. */
  async terminalText() {
    const rows = this.page.locator('.terminal .xterm-rows > div, .terminal .xterm-accessibility-tree > div');
    return (await rows.allInnerTexts()).join('').replace(/\u00a0/g, ' ');
  }

  notifications(text) {
    return this.page.locator('.notifications-toasts .notification-list-item', { hasText: text });
  }
}
