import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ReadStream } from 'node:tty';
import type { OutputStream } from './output.js';
import { interruptSelf } from './signals.js';

export interface Hotkey {
  /** One character; capitals count as the small letter. */
  readonly key: string;
  /** How the list of keys names it. Default: the character. */
  readonly label?: string;
  /** What it does, for the list of keys. */
  readonly help: string;
  readonly run: () => unknown;
}

export interface HotkeysOptions {
  /** Where questions are asked and what is typed is shown. */
  output: OutputStream;
  /** Gets what `run` has thrown or rejected with. */
  onError: (error: Error) => void;
  /** Ctrl-C was pressed. Default: SIGINT to this process, as without hotkeys. */
  interrupt?: () => void;
  /** Whether this process has the keyboard. Default: as the system says. */
  isInForeground?: () => boolean;
}

const CTRL_C = '\x03';
const ESCAPE = '\x1b';
/** How long an Esc may be the beginning of what an arrow key sends, in milliseconds. */
const ESCAPE_MS = 50;

/** The most characters that are kept until the keys are served. */
const MAX_KEPT = 16;

/**
 * Single keys that do something while a command runs. What is typed before {@link serve} is kept until then. From the constructor to `close` the terminal is in raw mode: keys
 * come at once and are not shown. It is put back when the process ends, too. Ctrl-Z does nothing: a runner that is
 * stopped would leave its callers in silence.
 */
export class Hotkeys {
  readonly #running = new Set<Hotkey>();
  #isAsking = false;
  #isActive = false;
  #cancelQuestion = (): void => {};
  /** Typed before there was a key to be meant. */
  #kept = '';

  /**
   * @param input the keyboard; nothing happens with one that is no terminal, or in the background
   * @param keys undefined: those that {@link serve} is given later
   */
  constructor(
    private readonly input: ReadStream,
    private keys: readonly Hotkey[] | undefined,
    private readonly options: HotkeysOptions,
  ) {
    const { output, isInForeground: hasKeyboard = isInForeground } = options;
    if (!input.isTTY || !output.isTTY || !hasKeyboard()) return;
    this.#isActive = true;
    process.once('exit', this.#restore);
    process.on('SIGCONT', this.#takeKeyboard);
    input.on('error', this.#onGone).once('end', this.#onGone);
    this.#listen();
  }

  /** Whether keys are listened to. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** The keys and what they do, one a line. */
  get help(): string {
    const { keys = [] } = this;
    const labels = keys.map(({ key, label = key }) => label);
    const width = Math.max(...labels.map(({ length }) => length));
    return keys.map(({ help }, at) => `  ${labels[at]?.padEnd(width)}  ${help}`).join('\n');
  }

  /** From now on these keys do what they say, those that were pressed before first. */
  serve(keys: readonly Hotkey[]): void {
    this.keys = keys;
    const kept = [...this.#kept].flatMap((key) => this.#keyOf(key) ?? []);
    this.#kept = '';
    void (async () => {
      for (const hotkey of kept) await this.#press(hotkey);
    })();
  }

  /** Lets go of the keyboard while something else asks a question. */
  async release<T>(act: () => Promise<T>): Promise<T> {
    if (!this.#isActive) return act();
    this.#leave();
    try {
      return await act();
    } finally {
      if (this.#isActive) this.#listen();
    }
  }

  /**
   * Asks for a line, which is shown while it is typed.
   * @returns what was typed, without spaces around it; empty when it was nothing, Esc, or no person is there
   */
  async prompt(question: string): Promise<string> {
    if (!this.#isActive || this.#isAsking) return '';
    this.#isAsking = true;
    this.input.off('data', this.#onData);
    const { input } = this;
    const { output } = this.options;
    const lines = createInterface({ input, output, terminal: true, escapeCodeTimeout: ESCAPE_MS, historySize: 0 });
    try {
      return await new Promise<string>((resolve) => {
        const cancel = () => {
          output.write('\n');
          resolve('');
        };
        this.#cancelQuestion = cancel;
        const onKey = (_text: string | undefined, key: { name?: string } | undefined) => {
          if (key?.name === 'escape') cancel();
        };
        input.on('keypress', onKey);
        lines.once('close', () => {
          input.off('keypress', onKey);
          resolve(''); // the keyboard has gone
        });
        lines.on('SIGTSTP', () => {});
        lines.once('SIGINT', () => {
          cancel();
          this.#interrupt();
        });
        lines.question(question, (line) => resolve(line.trim()));
      });
    } finally {
      this.#cancelQuestion = () => {};
      lines.close();
      this.#isAsking = false;
      if (this.#isActive) this.#listen();
      else this.#leave();
    }
  }

  /** Puts the terminal back as it was. Called again, it does nothing. */
  close(): void {
    if (!this.#isActive) return;
    this.#isActive = false;
    process.off('exit', this.#restore);
    process.off('SIGCONT', this.#takeKeyboard);
    if (this.#isAsking) this.#cancelQuestion();
    else this.#leave();
  }

  #listen(): void {
    this.#takeKeyboard();
    this.input.on('data', this.#onData).resume();
  }

  #leave(): void {
    this.input.off('data', this.#onData).pause(); // what is read on would keep the process alive
    this.#restore();
  }

  readonly #takeKeyboard = (): void => {
    if (this.#isActive) this.#setRawMode(true); // a shell that had stopped us has changed it
  };

  readonly #restore = (): void => this.#setRawMode(false);

  #setRawMode(isRaw: boolean): void {
    try {
      this.input.setRawMode(isRaw);
    } catch {
      // the terminal is gone
    }
  }

  readonly #onGone = (): void => this.close();

  /** More than one character at once was pasted, or is what an arrow key sends: neither is meant for us. */
  readonly #onData = (data: Buffer | string): void => {
    const text = String(data);
    if (text.includes(CTRL_C)) {
      this.#interrupt();
      return;
    }
    if (!this.keys) {
      if (!text.includes(ESCAPE)) this.#kept = (this.#kept + text).slice(0, MAX_KEPT);
      return;
    }
    const hotkey = this.#keyOf(text);
    if (hotkey) void this.#press(hotkey);
  };

  #keyOf(text: string): Hotkey | undefined {
    return this.keys?.find(({ key }) => key === text.toLowerCase());
  }

  async #press(hotkey: Hotkey): Promise<void> {
    if (this.#running.has(hotkey)) return;
    this.#running.add(hotkey);
    try {
      await hotkey.run();
    } catch (error) {
      this.options.onError(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#running.delete(hotkey);
    }
  }

  #interrupt(): void {
    const { interrupt = () => interruptSelf() } = this.options;
    interrupt();
  }
}

/**
 * Whether this process has its terminal's keyboard. One that a shell runs in the background (`&`) has not: setting the
 * terminal up or reading from it would stop the process.
 * @see POSIX, General Terminal Interface 11.1.4 (SIGTTIN, SIGTTOU); proc(5), /proc/pid/stat fields 5 and 8
 */
export function isInForeground(
  platform: NodeJS.Platform = process.platform,
  groups: () => (string | undefined)[] = platform === 'linux' ? fromProc : fromPs,
): boolean {
  if (platform === 'win32') return true; // which has no such thing
  try {
    const [own, foreground] = groups();
    return own !== undefined && own === foreground;
  } catch {
    return false;
  }
}

function fromProc(): (string | undefined)[] {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [group, foreground];
}

function fromPs(): (string | undefined)[] {
  const columns = execFileSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' });
  return columns.trim().split(/\s+/);
}
