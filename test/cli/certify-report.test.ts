/** What a person is told of a tour. */
import { PassThrough } from 'node:stream';
import { configOfTour } from '../../src/cli/certify/certify-account.js';
import { certifyCommandLine } from '../../src/cli/certify/certify-command.js';
import { estimateOf, type PaidTour } from '../../src/cli/certify/tour-estimate.js';
import { type TourPlan, TourReport } from '../../src/cli/certify/tour-report.js';
import { resolveConfig } from '../../src/config/config.js';
import type { Certificate, StepResult } from '../../src/lab/certify/certificate.js';
import type { Difference } from '../../src/lab/certify/compare/difference.js';
import { COMPARED_STEPS, TOUR_STEPS } from '../../src/lab/certify/tour/tour-steps.js';
import { parsePrices } from '../../src/runner/costs/prices.js';
import { nextCommand } from '../../src/terminal/next-command.js';
import { Output } from '../../src/terminal/output.js';
import { readAll } from '../terminal/read-all.js';

const COLUMNS = 80;
const NUMBERS = { myNumber: '+12025550142', colleague: '+12025550143', wrongNumber: '+12025550110' };
const DIFFERENCE: Difference = {
  step: 'call-in',
  kind: 'other word',
  where: 'stream start',
  expected: 'a',
  seen: 'b',
  matters: false,
  why: 'It is not read.',
  restsOn: [],
};

function told(tell: (report: TourReport) => void, columns?: number): string {
  const stderr = Object.assign(new PassThrough(), columns ? { columns } : {});
  tell(new TourReport(new Output({ stdout: new PassThrough(), stderr })));
  return readAll(stderr);
}

const ESTIMATED: PaidTour = {
  steps: TOUR_STEPS,
  isSandbox: false,
  provider: 'plivo',
  kind: 'carrier',
  number: '+12025550100',
  numbers: NUMBERS,
  prices: undefined,
};

function plan(change: Partial<TourPlan & PaidTour> = {}): TourPlan {
  const whole = { ...ESTIMATED, publicUrl: undefined, leftOut: [], folder: 'certify-plivo', ...change };
  return { ...whole, estimate: estimateOf(whole) };
}

const CERTIFICATE: Certificate = {
  version: 1,
  voicebot: '1.0.0',
  provider: 'plivo',
  isSandbox: false,
  day: '2026-11-30T10:00:00.000Z',
  steps: COMPARED_STEPS.map((name) => ({ name, state: 'done' })),
  differences: [],
};
const steps = (states: Readonly<Record<string, StepResult['state']>>): StepResult[] =>
  COMPARED_STEPS.map((name) => ({ name, state: states[name] ?? 'left out' }));
const certified = (change: Partial<Certificate>) =>
  told((report) => report.certified({ ...CERTIFICATE, ...change }, 'folder', undefined));

test('says how the provider reaches the tour, a tunnel or an address that was named', () => {
  expect(told((report) => report.plan(plan()))).toContain('opens a tunnel');
  const named = told((report) => report.plan(plan({ publicUrl: 'https://bot.example.com' })));
  expect(named).toContain('is reached at https://bot.example.com');
  expect(named).not.toContain('tunnel');
});

test('says how long calls last, and what a provider charges for', () => {
  const text = told((report) => report.plan(plan()));
  expect(text).toContain('A tour of your account at plivo: 9 steps, 12 calls, about 9 minutes.');
  expect(text).toContain('The calls last about 5 minutes together. Your provider charges for each minute of each call');
  expect(text).toContain('that is begun, about 13 minutes, more where a step is played again');
});

test('says what that costs, where the user has prices for all of it', () => {
  const item = { provider: 'plivo', service: 'carrier', unit: 'minute', amount: '0.01', rounding: 60 };
  const prices = parsePrices({ currency: 'USD', items: [item] }, '/prices.json');
  expect(told((report) => report.plan(plan({ prices })))).toContain('about 13 minutes: by your prices $0.13, more');
  const others = parsePrices({ currency: 'USD', items: [{ ...item, direction: 'inbound' }] }, '/prices.json');
  expect(told((report) => report.plan(plan({ prices: others })))).not.toContain('by your prices');
});

test('a rehearsal says how long programs take, and one step is one', () => {
  expect(told((report) => report.plan(plan({ isSandbox: true })))).toContain('9 steps, 12 calls, about 2 minutes.');
  const one = told((report) => report.plan(plan({ isSandbox: true, steps: TOUR_STEPS.slice(1, 2) })));
  expect(one).toContain('1 step, 1 call, about 1 minute.');
});

test('lists what was left out, and why', () => {
  const leftOut = [
    { name: 'call-in', state: 'left out', why: 'you left it out' },
    { name: 'transfer', state: 'left out', why: 'it needs --colleague' },
    { name: 'call-out', state: 'left out', why: 'you left it out' },
  ] as const;
  const text = told((report) => report.plan(plan({ leftOut })));
  expect(text).toContain('left out: call-in, call-out: you left it out\n');
  expect(text).toContain('left out: transfer: it needs --colleague\n');
});

test('no line is wider than the terminal, but for a command', () => {
  const text = told((report) => {
    report.plan(plan({ publicUrl: 'https://bot.example.com' }));
    report.ended(
      {
        name: 'call-in',
        state: 'failed',
        why: 'the call was over too early, before this: one word, and silence behind it',
      },
      [],
    );
    report.certified({ ...CERTIFICATE, steps: steps({ 'call-in': 'done' }) }, 'certify-plivo-2026-11-30', undefined);
  }, COLUMNS);
  expect(text.split('\n').filter((line) => line.length > COLUMNS)).toEqual([]);
});

test('a step has a tick unless something that matters was different', () => {
  const ended = (differences: readonly Difference[]) =>
    told((report) => report.ended({ name: 'call-in', state: 'done' }, differences));
  expect(ended([])).toBe('✔ call-in: as expected\n');
  expect(ended([DIFFERENCE])).toBe('✔ call-in: 1 not as expected\n');
  expect(ended([DIFFERENCE, { ...DIFFERENCE, matters: true }])).toBe(
    '✖ call-in: 2 not as expected, 1 of which matters\n',
  );
});

test('a part of a tour is certified as far as it went', () => {
  expect(certified({})).toContain(
    'Certified: plivo, for this account, on 2026-11-30, with voicebot 1.0.0: 9 of 9 steps, no difference.',
  );
  const states = { number: 'done', 'give-back': 'done', 'call-in': 'done', 'call-out': 'done' } as const;
  expect(certified({ steps: steps(states), differences: [DIFFERENCE] })).toContain(
    'Certified as far as the tour went: plivo, for this account, on 2026-11-30, with voicebot 1.0.0: 2 of 9 steps, ' +
      '1 difference, 0 of which matter; left out: bot-hangs-up, bot-killed, call-out-declined, call-out-unanswered, ' +
      'call-out-wrong, transfer, warm-transfer.',
  );
  const none = { number: 'done', 'give-back': 'done' } as const;
  expect(certified({ steps: steps(none) })).toContain('✖ Not certified');
});

test('the bot of a tour transfers to the telephone that was named, and lacks no operator', async () => {
  const config = await resolveConfig({ flags: {}, environment: {}, directory: '/nowhere' });
  expect((await configOfTour(config, 'bot.js', NUMBERS)).operatorNumber).toBe(NUMBERS.colleague);
  const alone = { ...NUMBERS, colleague: undefined };
  expect((await configOfTour(config, 'bot.js', alone)).operatorNumber).toBe(NUMBERS.myNumber);
});

test('the command to go on has everything that was typed, in words that a shell takes as they are', () => {
  const typed = {
    transport: 'carrier' as const,
    myNumber: '+12025550142',
    colleague: '+12025550143',
    skip: ['bot-killed', 'transfer'],
    publicUrl: 'https://bot.example.com',
    take: true,
    output: 'my tour',
  };
  const line = certifyCommandLine(typed, { output: undefined, resume: 'my tour' });
  expect(line).toBe(
    'npx voicebot certify --transport carrier --my-number +12025550142 --colleague +12025550143 --skip bot-killed ' +
      "--skip transfer --public-url https://bot.example.com --take --resume 'my tour'",
  );
  expect(nextCommand(`Go on with it: ${line}. Or not`)).toBe(line);
});
