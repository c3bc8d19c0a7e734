// As much of the editor's interface as the unit tests need: places that are only data, and windows that answer as a test says.
// What a real editor does with any of it is tested in a real one.

export class Uri {
  constructor(readonly scheme: string, readonly path: string, readonly query = '') {}
  static from(parts: { scheme: string; path: string; query?: string }): Uri {
    return new Uri(parts.scheme, parts.path, parts.query);
  }
  static file(path: string): Uri {
    return new Uri('file', path);
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    return `${this.scheme}:${this.path}${this.query && `?${this.query}`}`;
  }
}

export class Range {
  constructor(readonly line: number, readonly from: number, readonly end: number, readonly to: number) {}
}

export class Location {
  constructor(readonly uri: Uri, readonly range: Range) {}
}

export class CodeAction {
  command?: unknown;
  diagnostics?: unknown[];
  constructor(readonly title: string, readonly kind: string) {}
}

export const CodeActionKind = { QuickFix: 'quickfix' };

export class EventEmitter {
  readonly event = (): void => undefined;
  fire(): void {}
  dispose(): void {}
}

/** What was asked of the window and is to be answered, and what it was told. */
export const seen = {
  messages: [] as string[],
  lists: [] as string[][],
  terminals: [] as Array<{ options: unknown; typed: Array<[string, boolean]> }>,
  trusted: true,
  /** The button that is pressed under each message. */
  press: undefined as string | undefined,
  /** The row that is taken from each list; none for a list that is put away. */
  row: undefined as number | undefined,
  /** What is written into an input box. */
  text: undefined as string | undefined,
  clipboard: '',
  /** The person closes each terminal before its shell is ready. */
  closes: false,
};

export function reset(): void {
  Object.assign(seen, { messages: [], lists: [], terminals: [], trusted: true, press: undefined, row: undefined, text: undefined, clipboard: '', closes: false });
}

async function message(text: string, ...buttons: string[]): Promise<string | undefined> {
  seen.messages.push(text);
  return buttons.find((button) => button === seen.press);
}

export const window = {
  setStatusBarMessage: (text: string): void => {
    seen.messages.push(text);
  },
  showInformationMessage: message,
  showWarningMessage: message,
  showErrorMessage: message,
  showQuickPick: async <Row extends { label: string; description?: string }>(rows: Row[]): Promise<Row | undefined> => {
    seen.lists.push(rows.map((row) => `${row.label} | ${row.description ?? ''}`));
    return seen.row === undefined ? undefined : rows[seen.row];
  },
  showInputBox: async (): Promise<string | undefined> => seen.text,
  createTerminal: (options: unknown) => {
    const terminal = { options, typed: [] as Array<[string, boolean]> };
    seen.terminals.push(terminal);
    const made = { show: () => undefined, exitStatus: undefined as object | undefined, sendText: (text: string, run = true) => terminal.typed.push([text, run]) };
    // Later, as a shell does.
    setImmediate(() => {
      if (!seen.closes) return shells.forEach((watch) => watch({ terminal: made }));
      made.exitStatus = {};
      closed.forEach((watch) => watch(made));
    });
    return made;
  },
  onDidChangeTerminalShellIntegration: (watch: (change: { terminal: unknown }) => void) => watched(shells, watch),
  onDidCloseTerminal: (watch: (terminal: unknown) => void) => watched(closed, watch),
};

const shells = new Set<(change: { terminal: unknown }) => void>();
const closed = new Set<(terminal: unknown) => void>();

function watched<Watch>(all: Set<Watch>, watch: Watch): { dispose(): void } {
  all.add(watch);
  return { dispose: () => void all.delete(watch) };
}

export const workspace = {
  get isTrusted(): boolean {
    return seen.trusted;
  },
};

export const commands = {
  ran: [] as unknown[][],
  executeCommand: async (...call: unknown[]): Promise<void> => {
    commands.ran.push(call);
  },
};

export const l10n = {
  t: (text: string, ...values: unknown[]): string => text.replace(/\{(\d)\}/g, (_, nth: string) => String(values[Number(nth)])),
};

export const env = {
  clipboard: {
    writeText: async (text: string): Promise<void> => {
      seen.clipboard = text;
    },
  },
};
