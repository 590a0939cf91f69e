import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeCartesia, FakeDeepgram, FakeLanguageModel } from '../../../src/lab/kit/index.js';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { type CliEvent, Voicebot } from '../../e2e/voicebot.js';

const BOT = readFileSync(join(PACKAGE_ROOT, 'templates/answer/bot.ts'), 'utf8');
const QUESTION = 'When are you open on Sunday?';
const SCENARIO = `
name: asks for Sunday
bot: bot.ts
caller: [{ hear: How can I help you }, { say: "${QUESTION}" }, { hear: closed }]
`;
const MODEL = `
model:
  - { when: open on Sunday, call: { opening_hours: { day: Sunday } } }
  - { after: opening_hours, say: We are closed on Sunday. }
`;

const NO_DIFFERENCE = { exitCode: 0, differing: [], edits: [], changes: [] };

/** A project whose bot has had one call. */
class Project {
  readonly #home = mkdtempSync(join(tmpdir(), 'voicebot-replay-'));

  constructor(private readonly environment: Record<string, string> = {}) {
    mkdirSync(join(this.#home, 'node_modules'));
    symlinkSync(PACKAGE_ROOT, join(this.#home, 'node_modules', 'voicebot'));
    for (const name of ['@ai-sdk', 'ai', 'zod'])
      symlinkSync(join(PACKAGE_ROOT, 'node_modules', name), join(this.#home, 'node_modules', name));
    this.write('bot.ts', BOT);
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.#home, name), text);
  }

  async run(...args: string[]): Promise<{ exitCode: number | null; events: readonly CliEvent[] }> {
    await using voicebot = new Voicebot(args, { home: this.#home, cwd: this.#home, environment: this.environment });
    const exitCode = await voicebot.exit;
    return { exitCode, events: voicebot.events.all };
  }

  /** @returns the folder of the call */
  async record(scenario: string, ...args: string[]): Promise<string> {
    this.write('call.scenario.yaml', scenario);
    const { exitCode, events } = await this.run('test', 'call.scenario.yaml', ...args);
    expect(exitCode).toBe(0);
    return events.find(({ event }) => event === 'scenario_ran')?.folder;
  }

  /** @returns the fields that differ, with what is recorded and what is there now */
  async replay(bot: string, ...args: string[]) {
    const { exitCode, events } = await this.run('replay', ...args, '--bot', bot);
    const replayed = events.find(({ event }) => event === 'replay');
    const sections: ReadonlyArray<{ field: string; differs: boolean; edits: Array<{ text: string; is: string }> }> =
      replayed?.sections ?? [];
    const differing = sections.filter(({ differs }) => differs);
    const edits = differing.flatMap((one) =>
      one.edits.filter(({ is }) => is !== 'same').map(({ is, text }) => `${is}: ${text}`),
    );
    const changes: readonly string[] = replayed?.changes ?? [];
    return { exitCode, differing: differing.map(({ field }) => field), edits, changes };
  }
}

test('a recorded conversation differs from the bot as it was in nothing, and from one with another greeting or result in that; saved as a scenario it passes', async () => {
  const project = new Project();
  const folder = await project.record(SCENARIO + MODEL);
  project.write('changed.ts', BOT.replace('Hello, this is Bluebird Bakery.', 'Good day, Bluebird Bakery here.'));
  project.write('closed.ts', BOT.replace("sunday: 'closed'", "sunday: 'ten to four'"));
  project.write('rude.ts', BOT.replace('You are friendly', 'You are rude').replace('a weekday, in English', 'a day'));
  // One at a time: a call beside four others answers late on a slow machine, which would be a difference.
  const same = await project.replay('bot.ts', folder, '--recorded');
  const changed = await project.replay('changed.ts', folder, '--recorded');
  const hours = await project.replay('closed.ts', folder, '--recorded');
  const rude = await project.replay('rude.ts', folder, '--recorded');
  const saved = [
    (await project.run('replay', folder, '--bot', 'bot.ts', '--save', 'saved.yaml')).exitCode,
    (await project.run('test', 'saved.yaml')).exitCode,
  ];
  expect(same).toEqual(NO_DIFFERENCE);
  expect([changed.exitCode, changed.differing]).toEqual([1, ['transcript']]);
  expect(changed.edits).toEqual([
    expect.stringMatching(/recorded: .*Hello, this is/),
    expect.stringMatching(/now: .*Good day/),
  ]);
  expect([hours.exitCode, hours.differing]).toEqual([1, ['tools']]);
  expect(hours.edits).toEqual([
    'recorded: opening_hours({"day":"Sunday"}) = closed',
    'now: opening_hours({"day":"Sunday"}) = ten to four',
  ]);
  expect([rude.exitCode, rude.differing]).toEqual([0, []]);
  expect(rude.changes).toEqual([
    expect.stringContaining('system prompt is another one'),
    expect.stringMatching(/another schema or description.*: opening_hours\.$/),
  ]);
  expect(saved).toEqual([0, 0]);
}, 300_000);

test('with services of its own, a bot with a changed prompt answers something else, and that is the difference', async () => {
  await using deepgram = await FakeDeepgram.start({ texts: () => [QUESTION] });
  await using cartesia = await FakeCartesia.start({ characterMs: 40 });
  await using model = await FakeLanguageModel.start({
    replies: ([system]) => ({
      text: /formal/.test(system?.text ?? '') ? 'Dear Sir or Madam, we are closed.' : 'No, closed.',
    }),
  });
  const project = new Project({
    DEEPGRAM_API_KEY: 'test',
    DEEPGRAM_BASE_URL: deepgram.url,
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: model.url,
    CARTESIA_API_KEY: 'test',
    CARTESIA_BASE_URL: cartesia.url,
  });
  const folder = await project.record(SCENARIO, '--real');
  project.write('changed.ts', BOT.replace('You are friendly and brief', 'You are formal'));
  const same = await project.replay('bot.ts', folder);
  const changed = await project.replay('changed.ts', folder);
  expect(same).toEqual(NO_DIFFERENCE);
  expect(changed.exitCode).toBe(1);
  expect(changed.edits).toEqual([
    expect.stringMatching(/recorded: .*No, closed/),
    expect.stringMatching(/now: .*Dear Sir or Madam/),
  ]);
}, 120_000);
