import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { Voicebot } from '../../e2e/voicebot.js';

const ANSWER = join(PACKAGE_ROOT, 'templates/answer/bot.ts');
const DIAL = join(PACKAGE_ROOT, 'templates/dial/bot.ts');
const SUNDAY = `
  caller: [{ say: "When are you open on Sunday?" }]
  model:
    - { when: open on Sunday, call: { opening_hours: { day: Sunday } } }
    - { after: opening_hours, say: We are closed on Sunday. }`;

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'voicebot-tests-run-'));
}

/** Runs scenarios to the end. */
async function run(yaml: string, ...args: string[]) {
  const home = folder();
  writeFileSync(join(home, 'all.yaml'), yaml);
  await using voicebot = new Voicebot(['test', 'all.yaml', ...args], { home, cwd: home });
  const exitCode = await voicebot.exit;
  const events = voicebot.events.all;
  const results = events.filter(({ event }) => event === 'scenario');
  const failures = Object.fromEntries(
    results.map((result) => {
      const runs = events.filter(({ event, name }) => event === 'scenario_ran' && name === result.name);
      return [result.name, runs.flatMap((one) => one.failures.map(({ field }: { field: string }) => field))];
    }),
  );
  return { exitCode, events, failures, home };
}

describe('scenarios of several bots in one run', () => {
  let ran: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    const yaml = `
- name: holds
  bot: ${ANSWER}${SUNDAY}
  expect:
    heard: [Bluebird Bakery, closed on Sunday]
    understood: open on Sunday
    tools: [{ name: opening_hours, input: { day: Sunday } }]
    transfer: none
    end: caller_hung_up
    contextAsHeard: true
    nothingTwice: true
- name: does not hold
  bot: ${ANSWER}${SUNDAY}
  expect:
    heard: open on Sunday from nine
    notHeard: closed
    tools: [{ name: opening_hours, input: { day: Monday } }]
    keys: "12"
    transfer: { outcome: busy }
    end: bot_ended
- name: has no answer
  bot: ${ANSWER}
  caller: [{ say: "How much is the bread?" }]
  model: [{ when: never, say: x }]
- name: does not end
  bot: ${ANSWER}
  limit: 4s
  caller: [{ wait: 60s }]
- name: killed
  bot: ${ANSWER}
  faults: [{ killBot: true, during: Bluebird }]
  caller: [{ wait: 3s }, { say: "When are you open on Sunday?" }]
  expect: { heard: opening hours says }
- name: tunnel
  bot: ${ANSWER}
  faults: [{ breakTunnel: 2s, after: 2s }]
  caller: [{ wait: 10s }, { say: "When are you open on Sunday?" }]
  expect: { heard: opening hours says }
- name: api
  bot: ${ANSWER}
  faults: [{ breakApi: 2s, after: 1s }]
  environment: { OPERATOR_NUMBER: "+12025550102" }
  caller: [{ press: "0", after: 5s }, { wait: 6s }]
  expect: { transfer: { to: "+12025550102", outcome: busy } }
- name: bad line
  bot: ${ANSWER}
  network: { loss: 3%, jitter: 100ms, noise: 25dB, stalls: [{ after: 2s, for: 300ms }] }
  caller: [{ say: "When are you open on Sunday?" }]
  expect: { heard: opening hours says }
- name: answered
  bot: ${DIAL}
  carrier: twilio
  dialout: { body: { name: Ada } }
  caller: [{ say: "Hello, who is there?", talkOver: true }, { wait: 5s }]
  expect: { end: caller_hung_up }
- name: busy
  bot: ${DIAL}
  carrier: twilio
  dialout: { outcome: busy }
  expect: { end: busy }
- name: voicemail
  bot: ${DIAL}
  carrier: twilio
  dialout: { to: "+12025550105" }
  expect: { end: voicemail }
`;
    ran = await run(yaml, '--junit', 'junit.xml');
  }, 240_000);

  const ranOf = (scenario: string) =>
    ran.events.find(({ event, name }) => event === 'scenario_ran' && name === scenario);

  test('what holds passes, what does not fails with what happened, and JUnit has both', () => {
    const { exitCode, failures, home } = ran;
    expect(exitCode).toBe(1);
    expect(failures.holds).toEqual([]);
    expect(failures['does not hold']).toEqual(['tools', 'heard', 'notHeard', 'keys', 'transfer', 'end']);
    expect(failures['has no answer']).toContain('model');
    expect(readFileSync(join(ranOf('holds')?.folder, 'transcript.json'), 'utf8')).toContain('closed on Sunday');
    expect(readFileSync(join(home, 'junit.xml'), 'utf8')).toMatch(/tests="11" failures="3"/);
  });

  test('a caller goes on after the bot was killed, the tunnel and the API broke, and over a bad line', () => {
    expect(ran.failures).toMatchObject({ killed: [], tunnel: [], api: [], 'bad line': [] });
  });

  test('a bot that calls is answered, meets a busy line, and a voicemail', () => {
    expect(ran.failures).toMatchObject({ answered: [], busy: [], voicemail: [] });
  });

  test('a call that does not end is ended at its limit, and has its folder', () => {
    expect(ran.failures['does not end']).toEqual(['limit']);
    expect(ranOf('does not end')?.folder).toEqual(expect.any(String));
  });
});

test('a bot that does not load is told once, and no call is made', async () => {
  const home = folder();
  writeFileSync(join(home, 'bad.mjs'), 'throw new Error("not today");\n');
  writeFileSync(join(home, 'all.yaml'), 'bot: bad.mjs\nscenarios: [{ name: a }, { name: b }]\n');
  await using voicebot = new Voicebot(['test', 'all.yaml'], { home, cwd: home });
  expect(await voicebot.exit).toBe(1);
  const { all } = voicebot.events;
  expect(all.filter(({ event }) => event === 'scenario_not_run').map(({ name }) => name)).toEqual(['a', 'b']);
  expect(all.filter(({ event }) => event === 'error')).toHaveLength(1);
}, 120_000);

test('scenarios run again when the bot is saved', async () => {
  const home = folder();
  const bot = join(home, 'bot.mjs');
  const says = (words: string) =>
    writeFileSync(
      bot,
      `import { defineBot, flite } from 'voicebot';
export default defineBot({ tts: flite(), async onCall(call) { await call.say('${words}'); } });\n`,
    );
  mkdirSync(join(home, 'node_modules'));
  symlinkSync(PACKAGE_ROOT, join(home, 'node_modules', 'voicebot'));
  says('Good evening everybody.');
  writeFileSync(join(home, 'all.yaml'), 'name: greets\nbot: bot.mjs\nexpect: { heard: good morning }\n');
  await using voicebot = new Voicebot(['test', 'all.yaml', '--watch'], { home, cwd: home });
  await voicebot.event('test_ended', { failed: 1 }, 60_000);
  says('Good morning everybody.');
  await voicebot.event('test_ended', { passed: 1 }, 60_000);
}, 120_000);
