import { deferred } from '../../src/base/async/deferred.js';
import { type Hotkey, Hotkeys, type HotkeysOptions, isInForeground } from '../../src/terminal/hotkeys.js';
import { Keyboard, Screen } from '../cli/keyboard.js';
import { until } from '../e2e/processes.js';

let keyboard: Keyboard;
let screen: Screen;
let opened: Hotkeys[];
beforeEach(() => {
  keyboard = new Keyboard();
  screen = new Screen();
  opened = [];
});
afterEach(() => {
  for (const hotkeys of opened) hotkeys.close();
});

function hotkeys(keys: Hotkey[], options: Partial<HotkeysOptions> = {}): Hotkeys {
  const made = new Hotkeys(keyboard.asStream, keys, {
    output: screen,
    onError: (error) => {
      throw error;
    },
    isInForeground: () => true,
    ...options,
  });
  opened.push(made);
  return made;
}

/** A key that counts how often it was pressed. */
function counter(key: string): Hotkey & { count: number } {
  return {
    key,
    help: `counts ${key}`,
    count: 0,
    run() {
      this.count += 1;
    },
  };
}

test('a key does what it stands for, small or capital, and other keys nothing', async () => {
  const [h, q] = [counter('h'), counter('q')];
  hotkeys([h, q]);
  await keyboard.type('h', 'x', 'H', ' ', '\r', '\x1b[A', '\x1a', '\x04', 'q');
  expect([h.count, q.count]).toEqual([2, 1]);
});

test('what is typed before there are keys is kept, in its order, and Ctrl-C works at once', async () => {
  const pressed: string[] = [];
  const key = (name: string): Hotkey => ({ key: name, help: '', run: () => void pressed.push(name) });
  let interrupts = 0;
  const made = new Hotkeys(keyboard.asStream, undefined, {
    output: screen,
    onError: () => {},
    interrupt: () => {
      interrupts += 1;
    },
    isInForeground: () => true,
  });
  opened.push(made);
  await keyboard.type('h', 'x', 'od', '\x1b[A', '\x03');
  expect([pressed, interrupts, keyboard.isRaw]).toEqual([[], 1, true]);
  made.serve(['h', 'o', 'd'].map(key));
  await until(() => pressed.length === 3, 'the keys do what they say');
  expect(pressed).toEqual(['h', 'o', 'd']);
  await keyboard.type('o');
  expect(pressed).toEqual(['h', 'o', 'd', 'o']);
});

test('while another question is asked the keyboard is let go, and taken back', async () => {
  const h = counter('h');
  const made = hotkeys([h]);
  await made.release(async () => {
    expect(keyboard.isRaw).toBe(false);
  });
  expect(keyboard.isRaw).toBe(true);
  await keyboard.type('h');
  expect(h.count).toBe(1);
});

test('what is pasted is not taken for keys', async () => {
  const q = counter('q');
  hotkeys([q]);
  await keyboard.type('a sequel', 'qq', 'q');
  expect(q.count).toBe(1);
});

test('a key pressed again while it still works is ignored, other keys are not', async () => {
  const work = deferred();
  let started = 0;
  const h = counter('h');
  hotkeys([
    h,
    {
      key: 'd',
      help: '',
      run: () => {
        started += 1;
        return work.promise;
      },
    },
  ]);
  await keyboard.type('d', 'd', 'h');
  expect([started, h.count]).toEqual([1, 1]);
  work.resolve();
  await work.promise;
  await keyboard.type('d');
  expect(started).toBe(2);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('no luck');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no luck'))],
  [
    'throws what is no error',
    () => {
      throw 'no luck';
    },
  ],
])('the error of a key that %s is told, and the key works again', async (_what, run) => {
  const errors: string[] = [];
  hotkeys([{ key: 'd', help: '', run }], { onError: ({ message }) => errors.push(message) });
  await keyboard.type('d');
  await until(() => errors.length === 1, 'the error is told');
  await keyboard.type('d');
  await until(() => errors.length === 2, 'the error is told again');
  expect(errors).toEqual(['no luck', 'no luck']);
});

test('Ctrl-C interrupts, also among other keys', async () => {
  let interrupts = 0;
  hotkeys([], {
    interrupt: () => {
      interrupts += 1;
    },
  });
  await keyboard.type('\x03', 'ab\x03');
  expect(interrupts).toBe(2);
});

test('the terminal is raw until the end, and no listener is left', async () => {
  const before = ['exit', 'SIGCONT'].map((event) => process.listenerCount(event));
  const h = counter('h');
  const keys = hotkeys([h]);
  expect([keyboard.isRaw, keys.isActive]).toEqual([true, true]);
  keys.close();
  keys.close();
  expect([keyboard.isRaw, keys.isActive, keyboard.isPaused()]).toEqual([false, false, true]);
  expect(['exit', 'SIGCONT'].map((event) => process.listenerCount(event))).toEqual(before);
  await keyboard.type('h');
  expect(h.count).toBe(0);
  expect(await keys.prompt('number? ')).toBe('');
  expect(screen.shown).toBe('');
});

test('a process that goes on after it was stopped has its raw terminal again', () => {
  hotkeys([]);
  keyboard.isRaw = false; // the shell's doing
  process.emit('SIGCONT', 'SIGCONT');
  expect(keyboard.isRaw).toBe(true);
});

test.each([
  [
    'no keyboard',
    () => {
      keyboard.isTTY = false;
    },
    true,
  ],
  [
    'no screen',
    () => {
      screen.isTTY = false;
    },
    true,
  ],
  ['been sent to the background', () => {}, false],
])('a process that has %s is left alone', async (_what, arrange, isInForeground) => {
  arrange();
  const h = counter('h');
  const keys = hotkeys([h], { isInForeground: () => isInForeground });
  await keyboard.type('h');
  expect([keys.isActive, keyboard.isRaw, h.count, keyboard.listenerCount('data')]).toEqual([false, false, 0, 0]);
  expect(await keys.prompt('number? ')).toBe('');
});

test('a keyboard that goes away ends it without harm', async () => {
  const keys = hotkeys([]);
  keyboard.destroy(new Error('EIO'));
  await until(() => !keys.isActive, 'it has noticed');
  expect(keyboard.isRaw).toBe(false);
});

test('lists the keys', () => {
  expect(hotkeys([counter('h'), counter('q')]).help).toBe('  h  counts h\n  q  counts q');
  const enter = { key: '\r', label: 'Enter', help: 'again', run: () => {} };
  expect(hotkeys([counter('h'), enter]).help).toBe('  h      counts h\n  Enter  again');
});

describe('a question', () => {
  test('gets the line that is typed; keys are letters meanwhile, and keys again afterwards', async () => {
    const q = counter('q');
    const keys = hotkeys([q]);
    const answer = keys.prompt('number? ');
    await keyboard.type(' ', 'q', 'u', 'a', 'x', '\x7f', 'y', '\r');
    expect(await answer).toBe('quay');
    expect(screen.shown).toContain('number? ');
    expect(q.count).toBe(0);
    expect(keyboard.isRaw).toBe(true);
    await keyboard.type('q');
    expect(q.count).toBe(1);
  });

  test.each([
    ['Esc', ['4', '\x1b']],
    ['Return', ['\r']],
    ['spaces', [' ', ' ', '\r']],
  ])('is cancelled by %s', async (_what, typed) => {
    const q = counter('q');
    const keys = hotkeys([q]);
    const answer = keys.prompt('number? ');
    await keyboard.type(...typed);
    expect(await answer).toBe('');
    await keyboard.type('q');
    expect(q.count).toBe(1);
  });

  test('may have a number pasted into it', async () => {
    const answer = hotkeys([]).prompt('number? ');
    await keyboard.type('+15551234567', '\r');
    expect(await answer).toBe('+15551234567');
  });

  test('is given up by Ctrl-C, which interrupts the process, too', async () => {
    let interrupts = 0;
    const answer = hotkeys([], {
      interrupt: () => {
        interrupts += 1;
      },
    }).prompt('number? ');
    await keyboard.type('4', '\x03');
    expect(await answer).toBe('');
    expect(interrupts).toBe(1);
  });

  test('is given up when everything ends or the keyboard goes', async () => {
    const keys = hotkeys([]);
    const answer = keys.prompt('number? ');
    keys.close();
    expect(await answer).toBe('');
    expect([keyboard.isRaw, keyboard.isPaused()]).toEqual([false, true]);

    keyboard = new Keyboard();
    const other = hotkeys([]).prompt('number? ');
    keyboard.end();
    expect(await other).toBe('');
  });

  test('is asked one at a time', async () => {
    const keys = hotkeys([]);
    const first = keys.prompt('number? ');
    expect(await keys.prompt('other? ')).toBe('');
    await keyboard.type('1', '\r');
    expect(await first).toBe('1');
    expect(screen.shown).not.toContain('other');
  });
});

test('a process has the keyboard where its group is that of the terminal; on Windows there are none', () => {
  const fail = () => {
    throw new Error('there is no such program');
  };
  for (const platform of ['linux', 'darwin'] as const) {
    expect(isInForeground(platform, () => ['42', '42'])).toBe(true);
    expect(isInForeground(platform, () => ['42', '7'])).toBe(false);
    expect(isInForeground(platform, () => [])).toBe(false);
    expect(isInForeground(platform, fail)).toBe(false);
  }
  expect(isInForeground('win32', fail)).toBe(true);
});
