import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { Voicebot } from '../../e2e/voicebot.js';

const HELLO = join(PACKAGE_ROOT, 'templates/hello/bot.ts');
const ANSWER = join(PACKAGE_ROOT, 'templates/answer/bot.ts');
const SCENARIOS = `
- name: says its text
  bot: ${HELLO}
  caller: [{ hear: Goodbye }]
  expect: { heard: [telephone bot of your own, Goodbye], nothingTwice: true, end: bot_ended }
- name: talks
  bot: ${ANSWER}
  caller: [{ hear: How can I help you }, { say: When are you open on Sunday? }, { hear: closed on Sunday }]
  model:
    - { when: open on Sunday, call: { opening_hours: { day: Sunday } } }
    - { after: opening_hours, say: "We are {{result}} on Sunday." }
  expect:
    understood: open on Sunday
    tools: [{ name: opening_hours, result: closed }]
    contextAsHeard: true
- name: interrupts
  bot: ${HELLO}
  caller: [{ say: Stop., during: telephone bot }]
  expect: { end: [bot_ended, caller_hung_up] }
- name: wrong
  bot: ${HELLO}
  expect: { heard: something else }
`;

test('a call that failed with tones and that --bail kept from being made again is not counted as made again', async () => {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-text-only-'));
  try {
    const wrong = (name: string) => `- name: ${name}\n  bot: ${HELLO}\n  expect: { heard: something else }\n`;
    writeFileSync(join(home, 'all.yaml'), wrong('one') + wrong('other'));
    await using voicebot = new Voicebot(['test', 'all.yaml', '--text', '--bail', '--at-once', '1'], {
      home,
      cwd: home,
    });
    expect(await voicebot.exit).toBe(1);
    const ended = voicebot.events.all.find(({ event }) => event === 'test_ended');
    expect(ended).toMatchObject({ failed: 1, notRun: 1, spokenAgain: 1 });
  } finally {
    rmSync(home, { recursive: true });
  }
}, 180_000);

test('wording alone: what passes in words passes in tones, what fails is made again with words, what needs speech has it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-text-only-'));
  try {
    writeFileSync(join(home, 'all.yaml'), SCENARIOS);
    await using voicebot = new Voicebot(['test', 'all.yaml', '--text'], { home, cwd: home });
    expect(await voicebot.exit).toBe(1);
    const { all } = voicebot.events;
    const of = (event: string) => all.filter((one) => one.event === event);
    expect(of('test_began')).toMatchObject([{ textOnly: true, spoken: { 'words that are talked over': 1 } }]);
    expect(Object.fromEntries(of('scenario').map(({ name, passed }) => [name, passed]))).toEqual({
      'says its text': true,
      talks: true,
      interrupts: true,
      wrong: false,
    });
    expect(of('test_ended')).toMatchObject([{ passed: 3, failed: 1, spokenAgain: 1 }]);
    const lengthOf = (name: string): number => of('scenario').find((one) => one.name === name)?.lengthMs;
    expect(lengthOf('says its text')).toBeLessThan(lengthOf('wrong')); // the same bot, with words
  } finally {
    rmSync(home, { recursive: true });
  }
}, 180_000);
