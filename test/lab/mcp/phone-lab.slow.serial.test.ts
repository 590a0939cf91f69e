import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCallFolders } from '../../../src/call/folder/folder-name.js';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import { PACKAGE_ROOT, voicebot } from '../../cli/voicebot.js';
import { allGone, childrenOf } from '../../e2e/processes.js';
import { Agent } from './agent.js';

const DEMO = join(PACKAGE_ROOT, 'templates/demo/bot.ts');
const ANSWER = join(PACKAGE_ROOT, 'templates/answer/bot.ts');

test('an agent walks through a call with the demo', async () => {
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
  const placed = await agent.use('place_call');
  expect(placed.structured).toMatchObject({ state: 'talking', callId: expect.any(String) });
  expect(await agent.use('wait_for', { words: 'reached the demo' })).toMatchObject({ structured: { met: true } });
  await agent.use('press', { keys: '1' });
  expect(await agent.use('wait_for', { words: '/It is \\d+:\\d+/' })).toMatchObject({ structured: { met: true } });
  await agent.use('press', { keys: '9' });
  expect((await agent.use('wait_for', { what: 'end' })).text).toContain('the bot hung up');
  expect((await agent.use('transcript')).text).toMatch(
    /bot: Hello! This is voicebot.*bot: Thank you for calling. Goodbye!/s,
  );
  expect((await agent.use('timeline')).text).toMatch(/provider -> runner: .*Folder: /s);
}, 60_000);

test('an agent talks with a bot whose model it plays, and hangs up', async () => {
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
}, 60_000);

test('the bot calls a number of the offline network', async () => {
  await using agent = await Agent.start([join(PACKAGE_ROOT, 'templates/dial/bot.ts')]);
  const placed = await agent.use('place_call', { dial: '+12025550142', body: { user: { firstName: 'Ada' } } });
  expect(placed.structured).toMatchObject({ state: 'talking' });
  expect((await agent.use('wait_for', { words: 'Hello Ada' })).structured).toMatchObject({ met: true });
}, 60_000);

test('a bot that does not load is told to the agent, who may mend it and call again', async () => {
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
}, 60_000);

test('several calls go on at once; what an agent was too slow to hear it is told', async () => {
  await using agent = await Agent.start([DEMO]);
  const [first, second] = await Promise.all([
    agent.use('place_call'),
    agent.use('place_call', { from: '+12025550101' }),
  ]);
  const ids = [first, second].map(({ structured }) => structured.callId as string);
  const end = (call_id: string | undefined) => agent.use('wait_for', { what: 'end', call_id });
  for (const call_id of ids) {
    await agent.use('wait_for', { words: 'reached the demo', call_id });
    await agent.use('press', { keys: '9', call_id });
  }
  await Promise.all(ids.map(end));
  const late = await agent.use('wait_for', { words: 'Goodbye', call_id: ids[0] });
  expect(late.structured).toMatchObject({ met: true, state: 'ended' });
  expect((await agent.use('hang_up', { call_id: ids[1] })).text).toContain('the bot hung up');
  expect((await agent.use('list_calls')).structured.calls).toMatchObject([{ state: 'ended' }, { state: 'ended' }]);
}, 60_000);

test.each(['SIGTERM', 'end of input'])(
  'on %s it hangs up, and leaves no process',
  async (how) => {
    const agent = await Agent.start([DEMO]);
    const placed = await agent.use('place_call');
    const processes = childrenOf(agent.pid);
    expect(processes.length).toBeGreaterThan(0);
    if (how === 'SIGTERM') process.kill(agent.pid, 'SIGTERM');
    else void agent[Symbol.asyncDispose]();
    await allGone(processes);
    await agent[Symbol.asyncDispose]();
    const [folder = ''] = await findCallFolders(agent.home, placed.structured.callId as string);
    expect((await readCallFolder(folder)).record).toMatchObject({ state: 'ended', endReason: 'caller_hung_up' });
  },
  60_000,
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
