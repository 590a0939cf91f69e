import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { command } from '../cli/in-process.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { until } from './processes.js';
import { type CliEvent, type Served, Voicebot } from './voicebot.js';

const SETTINGS = {
  VOICEBOT_DIAL_AT_ONCE: '20',
  VOICEBOT_DIAL_PER_MINUTE: '1000',
  VOICEBOT_DIAL_SECONDS_PER_NUMBER: '0',
  VOICEBOT_RING_SECONDS: '5',
  VOICEBOT_MACHINE_DETECTION: 'hangup',
};
const AREAS = ['202', '212', '310', '415', '617'];
/** What the sandbox's numbers do. */
const OUTCOMES: Readonly<Record<string, string>> = {
  '0101': 'bot_ended',
  '0102': 'busy',
  '0103': 'no_answer',
  '0104': 'rejected',
  '0105': 'voicemail',
  '0107': 'caller_hung_up',
};
const GREETER = `${PACKAGE_ROOT}test/e2e/bots/greeter.ts`;

let home: string;
let served: Served;
const open: Voicebot[] = [];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-campaign-'));
  served = await Voicebot.serve(GREETER, { home, environment: SETTINGS }, ['--warm', '6']);
}, 30_000);

afterAll(async () => {
  for (const voicebot of open) await voicebot[Symbol.asyncDispose]();
  await served?.[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
}, 30_000);

/** A process of `campaign`. */
function campaign(...args: string[]): Voicebot {
  const voicebot = new Voicebot(['campaign', ...args], { home, cwd: home, environment: SETTINGS });
  open.push(voicebot);
  return voicebot;
}

/** The same inside this process, to its end. */
async function campaignHere(...args: string[]) {
  const environment = { VOICEBOT_HOME: home, ...SETTINGS };
  const { exitCode, events } = await command(['campaign', ...args, '--json'], home, environment).finished;
  return { exitCode, event: (name: string) => (events as CliEvent[]).find(({ event }) => event === name) as CliEvent };
}

function contacts(name: string, ...lines: string[]): string {
  const path = join(home, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const readCsv = (path: string) =>
  parse(readFileSync(path, 'utf8'), { columns: true }) as unknown as Array<Record<string, string>>;

/** How often the carrier was asked to dial each number, as its records say. */
async function carrierCalls(): Promise<Map<string, number>> {
  const [file = ''] = readdirSync(join(home, 'runners')).filter((one) => one.endsWith('.json'));
  const { sandbox } = JSON.parse(readFileSync(join(home, 'runners', file), 'utf8'));
  const { authId, authToken, apiUrl } = sandbox.account;
  const authorization = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
  const counts = new Map<string, number>();
  for (let offset = 0; ; offset += 20) {
    const url = `${apiUrl}/Account/${authId}/Call/?limit=20&offset=${offset}`;
    const answer = await fetch(url, { headers: { authorization } });
    const { objects } = (await answer.json()) as { objects: Array<{ to_number: string }> };
    for (const { to_number: to } of objects) counts.set(to, (counts.get(to) ?? 0) + 1);
    if (objects.length < 20) return counts;
  }
}

test('thirty rows are called, each as often as the rules say, and the results are beside the contacts', async () => {
  const numbers = AREAS.flatMap((area) => Object.keys(OUTCOMES).map((line) => `+1${area}555${line}`));
  const rows = numbers.map((number, index) => `${number},"Ada, ${index}",row-${index}`);
  const file = contacts('thirty.csv', 'phone_number,user.firstName,id', ...rows);
  const { exitCode, event } = await campaignHere(
    ...[file, '--per-minute', '600', '--at-once', '12', '--retry', 'busy:1s:2'],
  );
  expect(exitCode).toBe(0);
  expect(event('campaign_ended')).toMatchObject({
    condition: 'done',
    rows: 30,
    done: 30,
    faults: 0,
    results: join(home, 'thirty-results.csv'),
  });
  const results = readCsv(join(home, 'thirty-results.csv'));
  const carrier = await carrierCalls();
  for (const [index, result] of results.entries()) {
    const number = numbers[index] ?? '';
    const outcome = OUTCOMES[number.slice(-4)];
    const attempts = outcome === 'busy' ? 3 : 1;
    expect(result).toMatchObject({
      phone_number: number,
      'user.firstName': `Ada, ${index}`,
      id: `row-${index}`,
      outcome,
      attempts: String(attempts),
      call_id: expect.stringMatching(/^out_/),
      started_at: expect.stringMatching(/^20\d\d-/),
    });
    expect([number, carrier.get(number.slice(1))]).toEqual([number, attempts]);
  }
}, 90_000);

test('rows that cannot be called are named by their lines, and nobody is called', async () => {
  const file = contacts(
    'bad.csv',
    'phone_number,time_zone,name',
    '+12125550101,,Ada',
    '12125550101,,Bob',
    '+12125550101,,Cy',
    '+19005550101,,Di',
    '+12135550101,Mars/Olympus,Ed',
    '+12145550101,,Fay,too much',
    `+12155550101,,${'x'.repeat(9_000)}`,
  );
  const refused = await campaignHere(file);
  expect(refused.exitCode).toBe(2);
  const { code, message } = refused.event('error');
  expect(code).toBe('VB_CONTACTS_INVALID');
  expect(message.split('\n')).toEqual([
    'Some contacts of the campaign cannot be called: 6 of 7 rows',
    '  line 3: phone_number must begin with "+" and the country code',
    expect.stringMatching(/^ {2}line 4: the number of line 2 again$/),
    expect.stringMatching(/^ {2}line 5: .*premium/),
    expect.stringMatching(/^ {2}line 6: time_zone is not known/),
    expect.stringMatching(/^ {2}line 7: it has 4 fields, and the header has 3$/),
    expect.stringMatching(/^ {2}line 8: .* bytes as JSON/),
  ]);
  const left = await campaignHere(file, '--skip-bad', '--output', 'left.csv', '--per-minute', '600');
  expect(left.exitCode).toBe(0);
  const outcomes = readCsv(join(home, 'left.csv')).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['bot_ended', ...Array(6).fill('skipped')]);
}, 60_000);

test('Ctrl+C leaves it in the runner, where it is paused, shown, resumed and cancelled', async () => {
  const numbers = ['301', '302', '303', '304'].map((area) => `+1${area}5550101`);
  const voicebot = campaign(contacts('left.csv.in', 'phone_number', ...numbers), '--at-once', '1');
  const { id } = await voicebot.event('campaign_begun');
  voicebot.signal('SIGINT');
  expect(await voicebot.exit).toBe(130);
  const order = async (word: string) => {
    const { exitCode, event } = await campaignHere(word, id);
    expect(exitCode).toBe(0);
    return event('campaign').campaign;
  };
  expect(await order('pause')).toMatchObject({ condition: 'paused' });
  expect(await order('resume')).toMatchObject({ condition: 'running' });
  expect(await order('cancel')).toMatchObject({ condition: 'cancelled', waiting: 0 });
  await until(async () => (await order('status')).endedAt !== undefined, 'the last call is over', 30_000);
  const unknown = await campaignHere('pause', 'cmp_none');
  expect(unknown.exitCode).toBe(2);
}, 90_000);

test('with --bot a bot is served for as long as the campaign lasts', async () => {
  const own = mkdtempSync(join(home, 'own-'));
  const file = contacts('two.csv', 'phone_number', '+12025550101', '+12025550102');
  const options = ['--bot', GREETER, '--sandbox', '--per-minute', '600'];
  const environment = { ...SETTINGS, VOICEBOT_PORT: '0' };
  const voicebot = new Voicebot(['campaign', file, ...options], { home: own, cwd: home, environment });
  open.push(voicebot);
  expect(await voicebot.exit).toBe(0);
  const outcomes = readCsv(join(home, 'two-results.csv')).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['bot_ended', 'busy']);
}, 60_000);
