import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { endReasons, ServedCalls } from '../e2e/served-calls.js';
import type { Served } from '../e2e/voicebot.js';
import { read } from './repository.js';

const sections = read('docs/cookbook.md').split(/^## /m);

/** The files of a recipe. */
const filesOf = (title: string): string[] => {
  const section = sections.find((text) => text.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
};

/** The arguments of `npx voicebot`, as a recipe has them, with their quotes taken off. */
const argumentsOf = (title: string): string[][] => {
  const section = sections.find((text) => text.startsWith(`${title}\n`)) ?? '';
  const commands = [...section.matchAll(/^npx voicebot (.*?)(?: {2,}#.*)?$/gm)].map(([, line = '']) => line);
  return commands.map((line) =>
    [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? ''),
  );
};

const calls = new ServedCalls();

beforeAll(() => {
  mkdirSync(join(calls.home, 'node_modules'));
  for (const [name, target] of [
    ['voicebot', PACKAGE_ROOT],
    ['zod', `${PACKAGE_ROOT}node_modules/zod`],
    ['@echogarden', `${PACKAGE_ROOT}node_modules/@echogarden`],
    ['tsx', `${PACKAGE_ROOT}node_modules/tsx`],
  ] as const)
    symlinkSync(target, join(calls.home, 'node_modules', name));
  writeFileSync(join(calls.home, 'package.json'), '{ "type": "module" }');
});
afterEach(() => calls.end());
afterAll(() => calls.remove());

async function serve(title: string): Promise<Served> {
  const [code = ''] = filesOf(title);
  const file = join(calls.home, `${title.toLowerCase().replaceAll(' ', '-')}.ts`);
  writeFileSync(file, code);
  return calls.serve(file);
}

/** What the caller has heard of the bot, call by call in one list. */
const saidOf = ({ events }: Served): string[] =>
  events.all.flatMap(({ event, noted }) =>
    event === 'noted' && noted.type === 'said' && noted.speaker === 'bot' ? [noted.text] : [],
  );

/** Carries out the commands of a recipe, all at once. @returns their exit codes */
const carryOut = (title: string, { port }: Served): Promise<Array<number | null>> =>
  Promise.all(argumentsOf(title).map((args) => calls.start([...args, '--port', `${port}`]).exit));

test('a number is asked for on the keypad', async () => {
  const served = await serve('Ask for a number on the keypad');
  expect(await carryOut('Ask for a number on the keypad', served)).toEqual([0]);
  expect(saidOf(served).at(-1)).toBe('Your order is ready. Goodbye.');
}, 60_000);

test('a caller is transferred after the announcement, and comes back from a line that is busy', async () => {
  const served = await serve('Transfer with an announcement');
  expect(await carryOut('Transfer with an announcement', served)).toEqual([0, 0]);
  expect(endReasons(served).toSorted()).toEqual(['bot_ended', 'transferred']);
  expect(saidOf(served).filter((text) => text.startsWith('One moment'))).toHaveLength(2);
  expect(saidOf(served)).toContainEqual(expect.stringContaining('my colleague is not free'));
}, 90_000);

test('a card number is kept out of what is told of a call', async () => {
  const served = await serve('Keep a card number out of the recording');
  expect(await carryOut('Keep a card number out of the recording', served)).toEqual([0]);
  expect(saidOf(served)).toEqual([
    'This call is recorded, but not your card number.',
    'Thank you. Your card is charged. Goodbye.',
  ]);
  expect(JSON.stringify(served.events.all)).not.toContain('41111111'); // fewer digits may be those of a time by chance
  expect(served.events.all.filter(({ noted }) => noted?.type === 'keys')).toEqual([]);
}, 60_000);

test('a call gets data, and data that does not fit is refused before anybody is called', async () => {
  const served = await serve('Data for one call');
  expect(await carryOut('Data for one call', served)).toEqual([0, 2]);
  expect(saidOf(served)).toEqual(['Hello Ada. Your taxi arrives in 5 minutes. Goodbye.']);
}, 60_000);

test('who wants to be called back is called once, however often the job runs', async () => {
  const served = await serve('Data for one call');
  const [, job = ''] = filesOf('Call back later');
  const later = { id: 'later', number: '+12025550102', at: Date.now() + 3_600_000 };
  const wishes = [{ id: 'due', number: '+12025550101', at: Date.now() }, later];
  writeFileSync(join(calls.home, 'job.ts'), job);
  writeFileSync(join(calls.home, 'call-backs.ndjson'), wishes.map((wish) => `${JSON.stringify(wish)}\n`).join(''));
  const env = { PATH: process.env.PATH, VOICEBOT_URL: served.url };
  const run = () => promisify(execFile)(process.execPath, ['--import', 'tsx', 'job.ts'], { cwd: calls.home, env });
  const [first, second] = [await run(), await run()];
  expect(first.stdout).toMatch(/^\+12025550101 202 .*"call_id"/);
  expect(second.stdout).toBe(first.stdout);
  await served.events.next(({ call }) => call?.state === 'ended', 30_000);
  expect(endReasons(served)).toEqual(['bot_ended']);
}, 60_000);
