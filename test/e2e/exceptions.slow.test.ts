import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { ServedCalls } from './served-calls.js';
import type { CliEvent } from './voicebot.js';

let served: ServedCalls;
beforeAll(() => {
  served = new ServedCalls();
  mkdirSync(join(served.home, 'helpers'), { recursive: true });
  mkdirSync(join(served.home, 'node_modules'));
  symlinkSync(PACKAGE_ROOT, join(served.home, 'node_modules', 'voicebot'));
  const write = (file: string, text: string) => writeFileSync(join(served.home, file), text);
  write(
    'helpers/greet.ts',
    [
      'interface Customer {',
      '  name: string;',
      '}',
      '',
      'export function greet(customer: Customer): number {',
      '  const { length } = customer.name;',
      '  return length;',
      '}',
      '',
    ].join('\n'),
  );
  const bot = (body: string) =>
    `import { greet } from './helpers/greet.js';\n\nexport async function bot(): Promise<void> {\n${body}\n}\n`;
  write('boom.ts', bot('  greet(undefined as never);'));
  write('later.ts', bot('  setTimeout(() => greet(undefined as never), 10);\n  await new Promise(() => {});'));
  write('rejected.ts', bot("  void Promise.reject(new Error('no ledger'));\n  await new Promise(() => {});"));
  write(
    'top.ts',
    "import { greet } from './helpers/greet.js';\nexport const bot = () => greet(undefined as never);\nbot();\n",
  );
  write(
    'handler.ts',
    [
      "import { defineBot, flite } from 'voicebot';",
      "import { greet } from './helpers/greet.js';",
      '',
      'export default defineBot({',
      '  tts: flite(),',
      '  async onCall(call) {',
      "    call.on('dtmf', async () => void greet(undefined as never));",
      '    await call.ended;',
      '  },',
      '});',
      '',
    ].join('\n'),
  );
  const handlerBot = (onCall: readonly string[]) =>
    [
      "import { setTimeout } from 'node:timers/promises';",
      "import { defineBot, flite } from 'voicebot';",
      '',
      'export default defineBot({',
      '  tts: flite(),',
      '  async onCall(call) {',
      ...onCall,
      '  },',
      '});',
      '',
    ].join('\n');
  write('waits.ts', handlerBot(['    await setTimeout(60_000, undefined, { signal: call.signal });']));
  write('refused.ts', handlerBot(["    call.on('dtmf', () => call.press('x'));", '    await call.ended;']));
  write('broken.ts', 'export async function bot() {\n  const a = ;\n}\n');
});
afterEach(() => served.end(), 30_000);
afterAll(() => served.remove());

const GREET = { file: 'helpers/greet.ts', line: 6, column: 31 };
const GREET_FRAME = [
  '  5 | export function greet(customer: Customer): number {',
  '> 6 |   const { length } = customer.name;',
  '    |                               ^',
  '  7 |   return length;',
];

test.each([
  ['its function throws', 'boom.ts', { ...GREET, frame: GREET_FRAME, calls: ['bot (boom.ts:4:3)'] }],
  ['its timer throws', 'later.ts', { ...GREET, frame: GREET_FRAME }],
  ['a promise is rejected', 'rejected.ts', { error: 'Error: no ledger', file: 'rejected.ts', line: 4, column: 23 }],
])(
  'a TypeScript bot is tried twice on the sandbox where %s, and told with the place in its own files',
  async (_how, file, exception) => {
    const voicebot = served.start(['run', file, '--sandbox', '--port', '0']);
    const { port } = await voicebot.event('ready', {}, 40_000);
    const caller = served.start(['call', '--port', `${port}`]);
    await caller.event('ended', {}, 40_000);
    const ended = await voicebot.events.next(({ call }) => call?.state === 'ended');
    expect(ended.call).toMatchObject({ endReason: 'bot_crashed', attempt: 2 });
    const told = voicebot.events.all.filter((event) => event.exception !== undefined);
    expect(told.map((event) => event.exception)).toEqual([
      expect.objectContaining(exception),
      expect.objectContaining(exception),
    ]);
    expect(JSON.stringify(told)).not.toMatch(/node:internal|dist\/|hosted-call/);
  },
  90_000,
);

test.each([
  ['throws at its top level', 'top.ts', { ...GREET, frame: GREET_FRAME }],
  ['cannot be compiled', 'broken.ts', { file: 'broken.ts', line: 2, column: 13 }],
])(
  'a bot file that %s is told with the place, and how a bot is written',
  async (_how, file, exception) => {
    const voicebot = served.start(['run', file, '--sandbox', '--port', '0']);
    expect(await voicebot.exitWatched()).toBe(7);
    const [error] = voicebot.events.all;
    expect(error).toMatchObject({ event: 'error', code: 'VB_BOT_LOAD_FAILED', exception });
    expect(error?.hint).toContain('export default defineBot(');
    expect(voicebot.lines.all.join('\n')).toContain(`  > ${exception.line} | `);
  },
  60_000,
);

test('a wait of a bot that the end of the call has ended is no failure, and what voicebot refuses a handler has its place', async () => {
  const callTo = async (file: string, ...args: readonly string[]) => {
    const voicebot = served.start(['run', file, '--sandbox', '--port', '0']);
    const { port } = await voicebot.event('ready', {}, 40_000);
    await served.start(['call', '--port', `${port}`, ...args]).event('ended', {}, 40_000);
    await voicebot.events.next(({ call }) => call?.state === 'ended');
    voicebot.signal('SIGINT');
    await voicebot.exit;
    return voicebot.events.all.flatMap(({ exception }) => exception ?? []);
  };
  expect(await callTo('waits.ts', '--seconds', '1')).toEqual([]);
  expect(await callTo('refused.ts', '--dtmf', 'w1 1 w1')).toMatchObject([{ file: 'refused.ts', line: 7 }]);
}, 90_000);

test('an async handler that throws is told to the operators with its call and its place; then so is a file that was saved broken', async () => {
  const file = join(served.home, 'handler.ts');
  const whole = readFileSync(file, 'utf8');
  const voicebot = served.start(['run', 'handler.ts', '--sandbox', '--port', '0']);
  const { port } = await voicebot.event('ready', {}, 40_000);
  const ask = async (path: string): Promise<CliEvent> =>
    (await (await fetch(`http://127.0.0.1:${port}${path}`)).json()) as CliEvent;
  const caller = served.start(['call', '--port', `${port}`, '--dtmf', 'w1 1 w1']);
  await caller.event('ended', {}, 40_000);
  const { callId } = await voicebot.events.next(({ call }) => call?.state === 'ended');
  const told = voicebot.events.all.filter((event) => event.exception !== undefined);
  expect(told).toMatchObject([{ callId, exception: { ...GREET, frame: GREET_FRAME } }]);
  expect((await ask(`/calls/${callId}`)).botFile).toBe('handler.ts');

  writeFileSync(file, whole.replace('await call.ended', 'await = call.ended'));
  await voicebot.event('reload_failed', {}, 20_000);
  expect(await ask('/status')).toMatchObject({
    state: 'ready',
    botFile: 'handler.ts',
    notReloaded: { file: 'handler.ts', line: 8, column: 11 },
  });
  writeFileSync(file, whole);
  await voicebot.event('reloaded', {}, 20_000);
  expect((await ask('/status')).notReloaded).toBeUndefined();
}, 90_000);
