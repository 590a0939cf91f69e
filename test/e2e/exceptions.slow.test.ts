import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServedCalls } from './served-calls.js';

let served: ServedCalls;
beforeAll(() => {
  served = new ServedCalls();
  mkdirSync(join(served.home, 'helpers'), { recursive: true });
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
