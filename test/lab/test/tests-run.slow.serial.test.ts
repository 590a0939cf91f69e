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

test('what holds passes, what does not fails with what happened, and JUnit has both', async () => {
  const { exitCode, events, failures, home } = await run(
    `bot: ${ANSWER}
scenarios:
  - name: holds${SUNDAY}
    expect:
      heard: [Bluebird Bakery, closed on Sunday]
      understood: open on Sunday
      tools: [{ name: opening_hours, input: { day: Sunday } }]
      transfer: none
      end: caller_hung_up
      contextAsHeard: true
      nothingTwice: true
  - name: does not hold${SUNDAY}
    expect:
      heard: open on Sunday from nine
      notHeard: closed
      tools: [{ name: opening_hours, input: { day: Monday } }]
      keys: "12"
      transfer: { outcome: busy }
      end: bot_ended
  - name: has no answer
    caller: [{ say: "How much is the bread?" }]
    model: [{ when: never, say: x }]
`,
    '--junit',
    'junit.xml',
  );
  expect(exitCode).toBe(1);
  expect(failures.holds).toEqual([]);
  expect(failures['does not hold']).toEqual(['heard', 'notHeard', 'tools', 'keys', 'transfer', 'end']);
  expect(failures['has no answer']).toContain('model');
  const ran = events.find(({ event, name }) => event === 'scenario_ran' && name === 'holds');
  expect(readFileSync(join(ran?.folder, 'transcript.json'), 'utf8')).toContain('closed on Sunday');
  expect(readFileSync(join(home, 'junit.xml'), 'utf8')).toMatch(/tests="3" failures="2"/);
}, 120_000);

test('the same scenario passes over each carrier and in a room', async () => {
  const yaml = `bot: ${ANSWER}\nname: hours${SUNDAY.replaceAll('\n    ', '\n')}\nexpect: { heard: closed on Sunday }\n`;
  const carriers = await run(yaml, '--carrier', 'all');
  expect([
    carriers.exitCode,
    carriers.events
      .filter(({ event }) => event === 'scenario')
      .map(({ wire }) => wire)
      .sort(),
  ]).toEqual([0, ['plivo', 'telnyx', 'twilio']]);
  expect((await run(yaml, '--transport', 'rooms')).exitCode).toBe(0);
}, 120_000);

test('a caller goes on after the bot was killed, the tunnel and the API broke, and over a bad line', async () => {
  const { failures, exitCode } = await run(`bot: ${ANSWER}
scenarios:
  - name: killed
    faults: [{ killBot: true, during: Bluebird }]
    caller: [{ wait: 3s }, { say: "When are you open on Sunday?" }]
    expect: { heard: opening hours says }
  - name: tunnel
    faults: [{ breakTunnel: 2s, after: 2s }]
    caller: [{ wait: 10s }, { say: "When are you open on Sunday?" }]
    expect: { heard: opening hours says }
  - name: api
    faults: [{ breakApi: 2s, after: 1s }]
    environment: { OPERATOR_NUMBER: "+12025550102" }
    caller: [{ press: "0", after: 5s }, { wait: 6s }]
    expect: { transfer: { to: "+12025550102", outcome: busy } }
  - name: bad line
    network: { loss: 3%, jitter: 100ms, noise: 25dB, stalls: [{ after: 2s, for: 300ms }] }
    caller: [{ say: "When are you open on Sunday?" }]
    expect: { heard: opening hours says }
`);
  expect(failures).toEqual({ killed: [], tunnel: [], api: [], 'bad line': [] });
  expect(exitCode).toBe(0);
}, 120_000);

test('a bot that calls is answered, meets a busy line, and a voicemail', async () => {
  const { failures } = await run(`bot: ${DIAL}
scenarios:
  - name: answered
    dialout: { body: { name: Ada } }
    caller: [{ say: "Hello, who is there?", talkOver: true }, { wait: 5s }]
    expect: { end: caller_hung_up }
  - name: busy
    dialout: { outcome: busy }
    expect: { end: busy }
  - name: voicemail
    dialout: { to: "+12025550105" }
    expect: { end: voicemail }
`);
  expect(failures).toEqual({ answered: [], busy: [], voicemail: [] });
}, 120_000);

test('a call that does not end is ended at its limit, and has its folder', async () => {
  const { failures, events } = await run(`bot: ${ANSWER}\nname: long\nlimit: 4s\ncaller: [{ wait: 60s }]\n`);
  expect(failures.long).toEqual(['limit']);
  expect(events.find(({ event }) => event === 'scenario_ran')?.folder).toEqual(expect.any(String));
}, 120_000);

test('a bot that does not load is told once, and no call is made', async () => {
  const home = folder();
  writeFileSync(join(home, 'bad.mjs'), 'throw new Error("not today");\n');
  writeFileSync(join(home, 'all.yaml'), 'bot: bad.mjs\nscenarios: [{ name: a }, { name: b }]\n');
  await using voicebot = new Voicebot(['test', 'all.yaml'], { home, cwd: home });
  expect(await voicebot.exit).toBe(7);
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
  await voicebot.event('test_ended', { failed: 1 }, 25_000);
  says('Good morning everybody.');
  await voicebot.event('test_ended', { passed: 1 }, 25_000);
}, 120_000);
