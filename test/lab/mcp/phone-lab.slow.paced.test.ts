import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCallFolders } from '../../../src/call/folder/folder-name.js';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import { PACKAGE_ROOT, voicebot } from '../../cli/voicebot.js';
import { allGone, childrenOf } from '../../e2e/processes.js';
import { testsAtOnce } from '../../tests-at-once.js';
import { Agent } from './agent.js';

const DEMO = join(PACKAGE_ROOT, 'templates/demo/bot.ts');
const ANSWER = join(PACKAGE_ROOT, 'templates/answer/bot.ts');

/** Whoever stops the lab has its call hung up, and leaves no process. */
async function expectStopped(agent: Agent, callId: string, stop: () => void) {
  const processes = childrenOf(agent.pid);
  expect(processes.length).toBeGreaterThan(0);
  stop();
  await allGone(processes);
  await agent[Symbol.asyncDispose]();
  const [folder = ''] = await findCallFolders(agent.home, callId);
  expect((await readCallFolder(folder)).record).toMatchObject({ state: 'ended', endReason: 'caller_hung_up' });
}

async function walkThroughTwoCalls() {
  await using agent = await Agent.start([DEMO]);
  expect(await agent.tools()).toEqual([
    'place_call',
    'say',
    'press',
    'wait_for',
    'transcript',
    'timeline',
    'hang_up',
    'list_calls',
  ]);
  const placed = await Promise.all([agent.use('place_call'), agent.use('place_call', { from: '+12025550101' })]);
  for (const { structured } of placed)
    expect(structured).toMatchObject({ state: 'talking', callId: expect.any(String) });
  const [first = '', second = ''] = placed.map(({ structured }) => structured.callId as string);
  const met = { structured: { met: true } };
  for (const call_id of [first, second])
    expect(await agent.use('wait_for', { words: 'reached the demo', call_id })).toMatchObject(met);
  await agent.use('press', { keys: '9', call_id: second });
  await agent.use('press', { keys: '1', call_id: first });
  expect(await agent.use('wait_for', { words: '/It is \\d+:\\d+/', call_id: first })).toMatchObject(met);
  await agent.use('press', { keys: '9', call_id: first });
  for (const call_id of [first, second])
    expect((await agent.use('wait_for', { what: 'end', call_id })).text).toContain('the bot hung up');
  expect((await agent.use('transcript', { call_id: first })).text).toMatch(
    /bot: Hello! This is voicebot.*bot: Thank you for calling. Goodbye!/s,
  );
  expect((await agent.use('timeline', { call_id: first })).text).toMatch(/provider -> runner: .*Folder: /s);
  const late = await agent.use('wait_for', { words: 'Goodbye', call_id: second });
  expect(late.structured).toMatchObject({ met: true, state: 'ended' });
  expect((await agent.use('hang_up', { call_id: second })).text).toContain('the bot hung up');
  expect((await agent.use('list_calls')).structured.calls).toMatchObject([{ state: 'ended' }, { state: 'ended' }]);
}

async function talkWithPlayedModel() {
  await using agent = await Agent.start([ANSWER]);
  const model = [
    { when: 'open on Sunday', call: { opening_hours: { day: 'Sunday' } } },
    { after: 'opening_hours', say: 'We are closed on Sunday.' },
  ];
  await agent.use('place_call', { model });
  await agent.use('say', { text: 'When are you open on Sunday?' });
  expect((await agent.use('wait_for', { words: 'closed on Sunday' })).structured).toMatchObject({ met: true });
  expect((await agent.use('hang_up')).text).toContain('hung up');
  expect(await agent.use('say', { text: 'Hello?' })).toMatchObject({
    isError: true,
    structured: { code: 'VB_REQUEST_INVALID' },
  });
  const placed = await agent.use('place_call');
  await expectStopped(agent, placed.structured.callId as string, () => void agent[Symbol.asyncDispose]());
}

async function bePhonedByBot() {
  await using agent = await Agent.start([join(PACKAGE_ROOT, 'templates/dial/bot.ts')]);
  const placed = await agent.use('place_call', { dial: '+12025550142', body: { user: { firstName: 'Ada' } } });
  expect(placed.structured).toMatchObject({ state: 'talking' });
  expect((await agent.use('wait_for', { words: 'Ada, I am calling' })).structured).toMatchObject({ met: true });
  await expectStopped(agent, placed.structured.callId as string, () => process.kill(agent.pid, 'SIGTERM'));
}

async function mendBot() {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-lab-bot-'));
  const bot = join(folder, 'bot.mjs');
  writeFileSync(bot, 'throw new Error("not today");\n');
  await using agent = await Agent.start([bot]);
  const refused = await agent.use('place_call');
  expect(refused).toMatchObject({ isError: true, structured: { code: 'VB_BOT_LOAD_FAILED' } });
  expect(refused.text).toContain('not today');
  writeFileSync(bot, 'export const bot = async () => {};\n');
  expect((await agent.use('place_call')).isError).toBe(false);
  writeFileSync(bot, 'export const bot = 7;\n');
  expect(await agent.use('place_call')).toMatchObject({ isError: true });
  writeFileSync(bot, 'console.log("{}"); export const bot = async () => { throw new Error("later"); };\n');
  await agent.use('place_call');
  expect((await agent.use('wait_for', { what: 'end' })).text).toContain('every bot of this call failed');
  expect(agent.errors).toEqual([]); // what the bot writes is not for the client
}

testsAtOnce(
  {
    'an agent walks through two calls with the demo at once; what it was too slow to hear it is told':
      walkThroughTwoCalls,
    'an agent talks with a bot whose model it plays, and hangs up; at the end of input the lab does so':
      talkWithPlayedModel,
    'the bot calls a number of the offline network; on SIGTERM the lab hangs up': bePhonedByBot,
    'a bot that does not load is told to the agent, who may mend it and call again': mendBot,
  },
  180_000,
  3,
);

test('without the SDK of the protocol it says what to install', async () => {
  const hooks = `export const resolve = (name, context, next) => {
    if (!name.startsWith('@modelcontextprotocol/')) return next(name, context);
    throw Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' });
  };`;
  const inUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const hide = inUrl(`import { register } from 'node:module'; register(${JSON.stringify(inUrl(hooks))});`);
  const cwd = mkdtempSync(join(tmpdir(), 'voicebot-lab-'));
  const bot = join(cwd, 'bot.mjs');
  writeFileSync(bot, 'export const bot = async () => {};\n');
  const { exitCode, stdout } = await voicebot(['mcp', bot, '--json'], { nodeArgs: ['--import', hide], cwd });
  expect(exitCode).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    code: 'VB_CONFIG_INVALID',
    next: 'npm install --save-dev @modelcontextprotocol/sdk',
  });
}, 30_000);
