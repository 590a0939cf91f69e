import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { resolveConfig } from '../../../src/config/config.js';
import { LAB_TOOLS, type LabAnswer, runTool } from '../../../src/lab/mcp/lab-tools.js';
import { PhoneLab } from '../../../src/lab/mcp/phone-lab.js';
import { RunningRunners } from '../../../src/runners/running-runners.js';
import { CALL, FakeRunner, NOTHING, type Reply } from '../../cli/fake-runner.js';

const directory = mkdtempSync(join(tmpdir(), 'voicebot-lab-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let homes = 0;

/** A lab whose stage is never opened: what is told here needs no telephone. */
async function labOf(allowed?: string) {
  homes += 1;
  const home = join(directory, `home-${homes}`);
  const environment = { VOICEBOT_HOME: home, ...(allowed && { VOICEBOT_LAB_NUMBERS: allowed }) };
  const config = await resolveConfig({ flags: {}, environment, directory });
  const context = {
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    readStdin: async () => '',
    environment,
    directory,
    nodeVersion: process.versions.node,
  };
  const lab = new PhoneLab({ config, context, usesReal: false });
  const use = (name: string, given?: unknown): Promise<LabAnswer> =>
    runTool(lab, name, given, new AbortController().signal);
  return { home, use, [Symbol.asyncDispose]: () => lab.close() };
}

const codeOf = ({ structuredContent, isError }: LabAnswer) => isError && structuredContent.code;
const messageOf = ({ structuredContent }: LabAnswer) => structuredContent.message;

/** A call to a real number, as a runner tells of it. */
const told: Reply = (response) => {
  const record = { ...CALL, state: 'talking', answeredAt: 2_000 };
  const events = [
    { type: 'record', at: 2_000, source: 'runner', record },
    { type: 'said', at: 5_000, startedAt: 3_000, source: 'bot', bot: 1, speaker: 'bot', text: 'Hello Ada.' },
    {
      type: 'record',
      at: 6_000,
      source: 'runner',
      record: { ...record, state: 'ended', endedAt: 6_000, endReason: 'caller_hung_up' },
    },
  ];
  const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${lines}event: end\ndata: {}\n\n`);
};

test('each tool is listed with what it takes and nothing else', () => {
  for (const { listed } of LAB_TOOLS) {
    expect(listed.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(listed.description).toMatch(/\.$/);
  }
});

test('every problem of what a tool is given is told at once', async () => {
  await using lab = await labOf();
  const answer = await lab.use('place_call', { to: '+12025550100', from: 'me', model: [{ whn: 'x', say: '' }] });
  expect(codeOf(answer)).toBe('VB_REQUEST_INVALID');
  for (const part of ['from must be', 'model[0].say must not be empty', 'model[0].whn is not known', 'to is not known'])
    expect(messageOf(answer)).toContain(part);
});

test.each([
  ['say', { text: ' ' }, 'text must not be empty'],
  ['say', { text: 'Hi', call_id: 7 }, 'call_id must be a text'],
  ['press', { keys: '1 x' }, '"x" is not a key'],
  ['press', {}, 'keys is missing'],
  ['wait_for', { words: '/(/' }, 'is no regular expression'],
  ['wait_for', { words: '?' }, 'must have a letter or a digit'],
  ['wait_for', { within_seconds: 301 }, 'at most 300'],
  ['wait_for', { what: 'words' }, 'words are given where what is words'],
  ['say', { text: 'Hi' }, 'there has been no call yet'],
  ['hang_up', { call_id: 'unknown' }, 'the lab knows no call unknown'],
  ['timeline', { call_id: 'unknown' }, 'the lab knows no call unknown'],
  ['dial', {}, 'there is no tool dial; there are place_call'],
])('%s of %j is refused', async (name, given, reason) => {
  await using lab = await labOf();
  const answer = await lab.use(name, given);
  expect(codeOf(answer)).toBe('VB_REQUEST_INVALID');
  expect(messageOf(answer)).toContain(reason);
});

test('a real number that nobody has allowed is refused, and no runner hears of it', async () => {
  await using runner = await FakeRunner.start();
  await using lab = await labOf('+15551234567');
  await runner.announce(lab.home);
  const answer = await lab.use('place_call', { dial: '+15551234568' });
  expect(codeOf(answer)).toBe('VB_TARGET_REFUSED');
  expect(answer.content[0]?.text).toContain('VOICEBOT_LAB_NUMBERS=+15551234567,+15551234568');
  expect(runner.requests).toEqual([]);
});

test('an allowed number is called by the runner on the account; the agent follows the call and is not in it', async () => {
  await using runner = await FakeRunner.start();
  runner.reads = [told];
  await using lab = await labOf('+15551234567');
  await runner.announce(lab.home, 'the-token');
  const placed = await lab.use('place_call', { dial: '+15551234567', body: { name: 'Ada' } });
  expect(placed.structuredContent).toMatchObject({ callId: 'out_1' });
  const [request] = runner.requests;
  expect(request).toMatchObject({ url: '/start', headers: { authorization: 'Bearer the-token' } });
  expect(JSON.parse(request?.body ?? '')).toEqual({ phone_number: '+15551234567', body: { name: 'Ada' } });
  for (const [name, given] of [
    ['say', { text: 'Hi' }],
    ['press', { keys: '1' }],
    ['wait_for', {}],
  ] as const) {
    const refused = await lab.use(name, given);
    expect(messageOf(refused)).toContain('no telephone of the lab is in call out_1');
  }
  expect((await lab.use('wait_for', { words: 'hello Ada' })).structuredContent).toMatchObject({ met: true });
  expect((await lab.use('wait_for', { what: 'end' })).content[0]?.text).toBe(
    'The call is over: the person called hung up',
  );
  expect((await lab.use('transcript')).content[0]?.text).toContain('1.0 s  bot: Hello Ada.');
  expect((await lab.use('list_calls')).structuredContent).toMatchObject({
    calls: [{ callId: 'out_1', state: 'ended' }],
  });
});

test('a call that the runner tells nothing of is said to go on, perhaps', async () => {
  await using runner = await FakeRunner.start();
  runner.reads = [NOTHING];
  await using lab = await labOf('+15551234567');
  await runner.announce(lab.home);
  await lab.use('place_call', { dial: '+15551234567' });
  expect((await lab.use('wait_for', { what: 'end' })).content[0]?.text).toContain('may go on');
});

test('a runner on the sandbox calls no real number', async () => {
  await using runner = await FakeRunner.start();
  await using lab = await labOf('+15551234567');
  const { port, url } = runner;
  const account = { authId: 'x', authToken: 'x', apiUrl: url, roomsApiKey: 'x', roomsApiUrl: url };
  const sandbox = { url, phoneToken: 'x', number: '+12025550100', account };
  await new RunningRunners(lab.home).announce({ version: 1, pid: process.pid, port, url, startedAt: 1, sandbox });
  const answer = await lab.use('place_call', { dial: '+15551234567' });
  expect(answer.structuredContent).toMatchObject({ code: 'VB_RUNNER_NOT_FOUND', next: 'npx voicebot run' });
  expect(runner.requests).toEqual([]);
});

test('numbers that may be called are checked when the lab starts', async () => {
  await expect(labOf('+15551234567,911')).rejects.toMatchObject({ code: 'VB_CONFIG_INVALID' });
});
