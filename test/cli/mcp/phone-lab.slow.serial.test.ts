import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { PACKAGE_ROOT } from '../voicebot.js';

interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly structured: Record<string, unknown>;
}

/** A coding agent: the protocol's own client, with the real command as its server. */
class Agent implements AsyncDisposable {
  readonly #client = new Client({ name: 'test', version: '1' });

  static async start(bot: string, environment: Record<string, string> = {}): Promise<Agent> {
    const agent = new Agent();
    const home = mkdtempSync(join(tmpdir(), 'voicebot-lab-'));
    const { PATH = '', HOME = '' } = process.env;
    await agent.#client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(PACKAGE_ROOT, 'bin/voicebot.js'), 'mcp', bot],
        env: { PATH, HOME, VOICEBOT_HOME: home, ...environment },
        stderr: 'ignore',
      }),
    );
    return agent;
  }

  async tools(): Promise<string[]> {
    return (await this.#client.listTools()).tools.map(({ name }) => name);
  }

  async use(name: string, given: Record<string, unknown> = {}): Promise<Answer> {
    const { content, isError, structuredContent } = await this.#client.callTool({ name, arguments: given });
    const text = (content as Array<{ text: string }>).map((part) => part.text).join('\n');
    return { text, isError: isError === true, structured: (structuredContent ?? {}) as Record<string, unknown> };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}

const DEMO = join(PACKAGE_ROOT, 'templates/demo/bot.ts');
const ANSWER = join(PACKAGE_ROOT, 'templates/answer/bot.ts');

test('an agent walks through a call with the demo', async () => {
  await using agent = await Agent.start(DEMO);
  expect(await agent.tools()).toEqual(['place_call', 'say', 'press', 'wait_for', 'transcript', 'timeline', 'hang_up']);
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
  await using agent = await Agent.start(ANSWER);
  const model = [
    { when: 'open on Sunday', call: { opening_hours: { day: 'Sunday' } } },
    { after: 'opening_hours', say: 'We are closed on Sunday.' },
  ];
  await agent.use('place_call', { model });
  await agent.use('say', { text: 'When are you open on Sunday?' });
  expect((await agent.use('wait_for', { words: 'closed on Sunday' })).structured).toEqual({ met: true });
  expect((await agent.use('hang_up')).text).toContain('hung up');
  expect(await agent.use('say', { text: 'Hello?' })).toMatchObject({
    isError: true,
    structured: { code: 'VB_REQUEST_INVALID' },
  });
}, 60_000);

test('the bot calls a number of the offline network', async () => {
  await using agent = await Agent.start(join(PACKAGE_ROOT, 'templates/dial/bot.ts'));
  const placed = await agent.use('place_call', { dial: '+12025550142', body: { user: { firstName: 'Ada' } } });
  expect(placed.structured).toMatchObject({ state: 'talking' });
  expect((await agent.use('wait_for', { words: 'Hello Ada' })).structured).toEqual({ met: true });
}, 60_000);

test('a real number is refused with the setting that would allow it; an allowed one needs a runner on an account', async () => {
  await using agent = await Agent.start(DEMO, { VOICEBOT_LAB_NUMBERS: '+14155550123' });
  const refused = await agent.use('place_call', { dial: '+15551234567' });
  expect(refused).toMatchObject({ isError: true, structured: { code: 'VB_TARGET_REFUSED' } });
  expect(refused.text).toContain('VOICEBOT_LAB_NUMBERS=+14155550123,+15551234567');
  const allowed = await agent.use('place_call', { dial: '+14155550123' });
  expect(allowed).toMatchObject({ isError: true, structured: { code: 'VB_RUNNER_NOT_FOUND' } });
}, 30_000);

test('what cannot be done is an error that says what to do', async () => {
  await using agent = await Agent.start(DEMO);
  const codeOf = async (name: string, given = {}) => (await agent.use(name, given)).structured.code;
  expect(await codeOf('hang_up')).toBe('VB_REQUEST_INVALID');
  expect(await codeOf('say', { text: 'x', call_id: 'unknown' })).toBe('VB_REQUEST_INVALID');
  expect(await codeOf('timeline', { call_id: 'unknown' })).toBe('VB_REQUEST_INVALID');
  expect(await codeOf('place_call', { from: 'me' })).toBe('VB_REQUEST_INVALID');
  expect(await codeOf('place_call', { model: [{ whn: 'x', say: 'y' }] })).toBe('VB_REQUEST_INVALID');
  expect((await agent.use('say', { text: '' })).isError).toBe(true);
}, 30_000);

test('a bot that does not load is told to the agent, who may mend it and call again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-lab-bot-'));
  const bot = join(folder, 'bot.mjs');
  writeFileSync(bot, 'throw new Error("not today");\n');
  await using agent = await Agent.start(bot);
  const refused = await agent.use('place_call');
  expect(refused).toMatchObject({ isError: true, structured: { code: 'VB_BOT_LOAD_FAILED' } });
  expect(refused.text).toContain('not today');
  writeFileSync(bot, 'export const bot = async () => {};\n');
  expect((await agent.use('place_call')).isError).toBe(false);
}, 60_000);
