// biome-ignore-all lint/suspicious/noThenProperty: a scenario has one, which is a list
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeWav } from '../../../src/base/audio/wav.js';
import { type PlacedScenario, placeScenario } from '../../../src/lab/scenario/placed-scenario.js';
import { WordPattern } from '../../../src/lab/scenario/words.js';

const FILE = '/srv/bakery/scenarios/a.yaml';

const place = (given: object, file = FILE) => placeScenario({ name: 'a', ...given }, file, () => 7);

/** `field message` of each problem. */
function problemsOf(given: unknown): string[] {
  const placed = placeScenario(given, FILE, () => 7);
  return Array.isArray(placed) ? placed.map(({ field, message }) => `${field} ${message}`) : [];
}

test('what a scenario leaves out has its default', () => {
  expect(place({})).toEqual({
    name: 'a',
    file: FILE,
    line: 7,
    tags: [],
    from: '+12025550199',
    environment: {},
    tools: {},
    caller: [],
    faults: [],
    expect: {
      check: [],
      heard: [],
      notHeard: [],
      understood: [],
      sound: [],
      nothingTwice: false,
      contextAsHeard: false,
      nowhere: [],
    },
    limit: 60_000,
    runs: 1,
    passRate: 1,
    then: [],
  });
});

test('times become milliseconds, shares 0 to 1, levels numbers, keys steps, words patterns', () => {
  const placed = place({
    caller: [
      { say: ' Hello ', after: '1.5s', during: 'welcome', talkOver: true },
      { press: '1 w2 #', after: '300ms' },
      { play: 'x.wav', words: 'hello' },
      { hangUp: true },
      { wait: '0.5s' },
      { hear: /bye/ },
      { repeat: [{ say: 'no' }], times: 2 },
    ].filter((step) => !('play' in step)),
    network: { loss: '2.5%', jitter: '60ms', noise: '20dB', stalls: [{ after: '2s', for: '400ms' }] },
    faults: [
      { killBot: true, after: '2s' },
      { breakTunnel: '3s', during: 'one moment' },
      { breakApi: '1s', after: '1s' },
    ],
    expect: {
      heard: ['a', '/b/'],
      notHeard: 'c',
      tools: ['f', { name: 'g', input: { day: 'Sunday' } }],
      transfer: { to: '+12025550101', outcome: 'busy' },
      end: 'bot_ended',
      answerWithin: '2s',
      firstWordWithin: '800ms',
    },
    model: [{ when: 'open', say: 'yes', thinks: '1s' }, { call: { f: { day: 'Sunday' } } }],
    dialout: {},
    passRate: '90%',
  });
  expect(placed).toMatchObject({
    caller: [
      { kind: 'say', words: 'Hello', after: 1_500, during: new WordPattern('welcome'), talkOver: true },
      { kind: 'press', after: 300 },
      { kind: 'hang_up' },
      { kind: 'wait', ms: 500 },
      { kind: 'hear', words: new WordPattern(/bye/), withinMs: 15_000 },
      { kind: 'repeat', steps: [{ kind: 'say', words: 'no' }], times: 2 },
    ],
    network: { loss: 0.025, jitter: 60, noise: 20, stalls: [{ after: 2_000, for: 400 }] },
    faults: [
      { kind: 'kill_bot', after: 2_000 },
      { kind: 'break_tunnel', forMs: 3_000, during: new WordPattern('one moment') },
      { kind: 'break_api', forMs: 1_000, after: 1_000 },
    ],
    expect: {
      heard: [new WordPattern('a'), new WordPattern('/b/')],
      notHeard: [new WordPattern('c')],
      tools: [{ name: 'f' }, { name: 'g', input: { day: 'Sunday' } }],
      transfer: { to: '+12025550101', outcome: 'busy' },
      end: ['bot_ended'],
      answerWithin: { worst: 2_000 },
      firstWordWithin: 800,
    },
    model: [{ say: 'yes', thinks: 1_000, once: false }, { call: { f: { day: 'Sunday' } } }],
    dialout: { body: {}, outcome: 'answered', rings: 1_000, machine: false },
    passRate: 0.9,
  });
});

test('every kind of bad field is told, in words that go on its name', () => {
  const given = {
    name: ' ',
    bot: 3,
    transport: 'sip',
    carrier: 'vonage',
    from: 12_025_550_199,
    dialout: { to: '1', body: 3, outcome: 'x', rings: 4, machine: 'yes', speed: 1 },
    environment: { A: 1 },
    services: 'fake',
    model: [{ when: 1 }, { say: 'x', call: 3, thinks: 'x' }, 'x', {}],
    caller: [{ press: 'zz' }, { hangUp: 'yes' }, { hear: '/(/' }, { say: 'x'.repeat(1_001) }, { wait: '4000s' }],
    network: { noise: '3', stalls: [{ after: '1s' }] },
    faults: [{ killBot: true }, { breakApi: '1s', after: '1s', during: 'x' }, {}],
    expect: {
      notHeard: [],
      sound: 3,
      tools: 'x',
      keys: 1,
      transfer: 'x',
      end: 'x',
      answerWithin: 4,
      nothingTwice: 'yes',
      judge: 'x',
      heart: 1,
    },
    limit: 5,
    runs: 1.5,
    passRate: '200%',
    nam: 'x',
  };
  const time = 'must be a time with its unit, such as 2s or 300ms';
  expect(problemsOf(given)).toEqual([
    'name must not be empty',
    'bot must be a text: a number that is meant as a text needs quotes',
    'transport must be one of carrier, rooms',
    'carrier must be one of plivo, twilio, telnyx, all',
    'from must be a telephone number such as "+12025550101", in quotes',
    'dialout.to must be a telephone number such as +12025550101: it must begin with "+" and the country code',
    'dialout.body must be fields with their values',
    'dialout.outcome must be one of answered, busy, declined, no_answer, failed',
    `dialout.rings ${time}`,
    'dialout.machine must be true or false',
    'dialout.speed is not known: there are to, body, outcome, rings, machine',
    'environment.A must be a text, in quotes',
    'services must be one of scripted, real',
    'model[0].when must be words: a number that is meant as a text needs quotes',
    'model[1].call must be functions with their inputs, such as { opening_hours: { day: Sunday } }',
    `model[1].thinks ${time}`,
    'model[2] must be fields with their values',
    'model[3] needs say or call',
    'caller[0].press "z" is not a key (0-9, *, #, A-D) and not a wait such as "w2"',
    'caller[1].hangUp must be true',
    expect.stringMatching(/^caller\[2\]\.hear is no regular expression: /),
    'caller[3].say must be at most 1000 characters',
    'caller[4].wait must be at most 3600s',
    'network.noise must be a level in decibels, such as 20dB',
    'network.stalls[0].for is missing',
    'faults[0] says when: after or during, one of both',
    'faults[1] says when: after or during, one of both',
    'faults[2] a fault has exactly one of the fields killBot, breakTunnel, breakApi',
    'expect.notHeard must not be empty',
    'expect.sound must be a text: a number that is meant as a text needs quotes',
    'expect.tools must be a list of functions',
    'expect.keys must be keys in quotes, such as "12#"',
    'expect.transfer must be none, or { to, outcome }',
    expect.stringMatching(/^expect\.end must be one of caller_hung_up, bot_ended, /),
    'expect.answerWithin must be a time such as 2s, or { median, worst }',
    'expect.nothingTwice must be true or false',
    'expect.judge must be a judge, which only a scenario in TypeScript can have',
    'expect.heart is not known: did you mean heard?',
    `limit ${time}`,
    'runs must be a whole number from 1 to 1000',
    'passRate must be a percentage from 0% to 100%, such as 5%',
    'nam is not known: did you mean name?',
  ]);
  expect(problemsOf({})).toEqual(['name is missing']);
  expect(problemsOf(null)).toEqual([' must be fields with their values']);
});

test('of a branch, a call that follows, a command and an expected function, what is wrong is told with its place', () => {
  const given = {
    name: 'a',
    caller: [
      { either: [{ hear: 'yes', then: [{ say: '' }] }] },
      { either: [{ hear: 3 }, { then: [] }], within: 'x' },
      { repeat: [{ hear: 'a', either: [] }] },
    ],
    then: [{ caller: [{ hear: '' }], bot: 'x', wait: 3 }],
    before: ' ',
    expect: {
      tools: [
        { name: 'a', result: 1, fails: true },
        { name: 'b', fails: false },
      ],
      nowhere: ['ab', 4711],
    },
  };
  expect(problemsOf(given)).toEqual([
    'caller[0].either[0].then[0].say must not be empty',
    'caller[0].either needs two branches or more: one alone is hear',
    'caller[1].either[0].hear must be words: a number that is meant as a text needs quotes',
    'caller[1].either[1].hear is missing',
    'caller[1].within must be a time with its unit, such as 2s or 300ms',
    expect.stringMatching(/^caller\[2\]\.repeat\[0\] a step has exactly one of the fields say, .*, either$/),
    'expect.tools[0].fails means nothing beside result: a function that fails has none',
    'expect.tools[1].fails must be true',
    'expect.nowhere[0] must have at least 3 characters: fewer are found anywhere',
    'expect.nowhere[1] must be a text in quotes, such as "4711"',
    'before must not be empty',
    'then[0].caller[0].hear must have a letter or a digit in it',
    'then[0].wait must be a time with its unit, such as 2s or 300ms',
    'then[0].bot is not known',
  ]);
});

test('how the two sides get on is expected in counts and times, each wrong one is told, and the caller has to speak', () => {
  const caller = [{ repeat: [{ say: 'hello' }], times: 2 }];
  const expected = { cutOffs: 0, talkOver: '300ms', falseStops: 1, resumes: 2, hole: '1.5s' };
  expect(place({ caller, expect: expected })).toMatchObject({
    expect: { cutOffs: 0, talkOver: { ms: 300 }, falseStops: 1, resumes: 2, hole: 1_500 },
  });
  expect(place({ caller, expect: { talkOver: 2 } })).toMatchObject({ expect: { talkOver: { times: 2 } } });
  const wrong = { cutOffs: '0', talkOver: 'never', falseStops: -1, resumes: 1.5, hole: 700, cutOff: 0 };
  const range = 'must be a whole number from 0 to 1000';
  expect(problemsOf({ name: 'a', caller, expect: wrong })).toEqual([
    `expect.cutOffs ${range}`,
    'expect.talkOver must be a time with its unit, such as 2s or 300ms',
    `expect.falseStops ${range}`,
    `expect.resumes ${range}`,
    'expect.hole must be a time with its unit, such as 2s or 300ms',
    'expect.cutOff is not known: did you mean cutOffs?',
  ]);
  const why = 'measures nothing where the caller says nothing: give it a step say or play';
  const pressed = { caller: [{ press: '1' }], expect: { cutOffs: 0, hole: '1s' } };
  expect(problemsOf({ name: 'a', ...pressed, then: [{ expect: { resumes: 1 } }] })).toEqual([
    `expect.cutOffs ${why}`,
    `expect.hole ${why}`,
    `then[0].expect.resumes ${why}`,
  ]);
  expect(place({ dialout: { to: '+12025550105' }, expect: { hole: '1s' } })).toMatchObject({ expect: { hole: 1_000 } });
});

test('a call that follows has a caller and expectations of its own, and may be one alone', () => {
  const next = { wait: '2s', caller: [{ press: '1' }], expect: { heard: 'welcome back' } };
  const placed = (then: unknown) =>
    place(
      Object.fromEntries([
        ['then', then],
        ['before', 'npm run seed'],
      ]),
    ) as PlacedScenario;
  expect(placed(next).before).toBe('npm run seed');
  expect(placed(next).then).toEqual(placed([next]).then);
  expect(placed(next).then).toMatchObject([{ wait: 2_000, faults: [], limit: 60_000 }]);
});

test('fields that do not go together are refused', () => {
  const given = { name: 'a', carrier: 'plivo', transport: 'rooms', services: 'real', model: [{ say: 'x' }] };
  expect(problemsOf({ ...given, expect: { contextAsHeard: true } })).toEqual([
    'carrier means nothing in rooms: leave one of the two out',
    'model is asked only where services are scripted',
    'expect contextAsHeard needs scripted services',
  ]);
});

test('code may stand for a model, a caller and a judge', () => {
  const code = { model: () => ({ say: 'x' }), caller: { next: async () => ({ hangUp: true }) } };
  const judge = async () => ({ passed: true, because: 'x' });
  expect(place({ ...code, expect: { judge } })).toMatchObject({ ...code, expect: { judge } });
});

test('files are looked for from the file of the scenario, and must be there and be sound', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-scenario-'));
  try {
    const file = join(folder, 'a.yaml');
    const wav = join(folder, 'hello.wav');
    writeFileSync(wav, encodeWav({ channels: [new Int16Array(160)], sampleRate: 8_000, encoding: 'L16' }));
    writeFileSync(join(folder, 'bot.ts'), '');
    const good = { bot: 'bot.ts', caller: [{ repeat: [{ play: './hello.wav' }] }], expect: { sound: 'hello.wav' } };
    expect(place(good, file)).toMatchObject({
      bot: join(folder, 'bot.ts'),
      caller: [{ steps: [{ kind: 'play', file: wav }] }],
      expect: { sound: [wav] },
    });
    const bad = {
      bot: 'bot.mjs',
      caller: [{ repeat: [{ play: 'gone.wav' }] }],
      expect: { sound: ['hello.wav', 'bot.ts'] },
    };
    expect(place(bad, file)).toEqual([
      { file, line: 7, field: 'bot', message: `names ${join(folder, 'bot.mjs')}, which is not there` },
      {
        file,
        line: 7,
        field: 'caller[0].repeat[0].play',
        message: `names ${join(folder, 'gone.wav')}, which is not there`,
      },
      {
        file,
        line: 7,
        field: 'expect.sound[1]',
        message: expect.stringContaining(`names ${join(folder, 'bot.ts')}: `),
      },
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each<[object, string[]]>([
  [{ caller: [{ say: 'Hello', durring: 'welcome' }] }, ['caller[0].durring is not known: did you mean during?']],
  [
    { caller: [{ repeat: [{ repeat: [{ press: '1', tlkOver: true }] }] }] },
    ['caller[0].repeat[0].repeat[0].tlkOver is not known: did you mean talkOver?'],
  ],
  [
    { caller: [{ hangup: true }] },
    [
      'caller[0] a step has exactly one of the fields say, play, press, hangUp, wait, hear, repeat, either: did you mean hangUp?',
    ],
  ],
  [{ model: [{ say: 'yes', thniks: '1s' }] }, ['model[0].thniks is not known: did you mean thinks?']],
  [
    { faults: [{ breakApi: '1s', durring: 'x', after: '1s' }] },
    ['faults[0].durring is not known: did you mean during?'],
  ],
  [
    { expect: { notHeard: [1250] } },
    ['expect.notHeard[0] must be words: a number that is meant as a text needs quotes'],
  ],
  [
    { tags: ['slow', 'no spaces', 'a,b', '!x', 7] },
    [1, 2, 3, 4].map((at) => `tags[${at}] must be a tag of letters, digits, "-", "_" and "."`),
  ],
  [{ tags: 'slow' }, ['tags must be a list of tags, such as [menu, slow]']],
  [{ skip: '' }, ['skip must say why it is not run, or be true']],
  [{ skip: false }, ['skip must say why it is not run, or be true']],
  [{ only: 'yes' }, ['only must be true']],
  [{ only: true, skip: true }, ['only cannot be of a scenario that is skipped']],
])('what cannot be is refused, with what may have been meant: %j', (given, problems) => {
  expect(problemsOf({ name: 'a', ...given })).toEqual(problems);
});

test('tags, why it is skipped, and that only this one runs', () => {
  expect(place({ tags: ['menu', 'v1.2-x_y'], skip: ' the bank has no back end ' })).toMatchObject({
    tags: ['menu', 'v1.2-x_y'],
    skip: 'the bank has no back end',
  });
  expect(place({ skip: true })).toMatchObject({ tags: [], skip: true });
  expect(place({ only: true })).toMatchObject({ only: true });
});
