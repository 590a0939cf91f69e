import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { Voicebot } from '../../e2e/voicebot.js';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-mutants-judged-'));
  mkdirSync(join(home, 'node_modules'));
  symlinkSync(PACKAGE_ROOT, join(home, 'node_modules', 'voicebot'));
});
afterAll(() => rmSync(home, { recursive: true }));

/** What `voicebot test --mutate` tells of a bot. */
async function mutated(name: string, bot: string, scenarios: string, ...args: string[]) {
  const files = { [`${name}.mjs`]: bot, [`${name}.yaml`]: `bot: ${name}.mjs\nscenarios:\n${scenarios}` };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(home, file), text);
  await using voicebot = new Voicebot(['test', `${name}.yaml`, '--mutate', ...args], { home, cwd: home });
  const exitCode = await voicebot.exit;
  const { all } = voicebot.events;
  const mutants = all.filter(({ event }) => event === 'mutant');
  const outcomes = Object.fromEntries(mutants.map((one) => [one.mutation.kind, one.is]));
  return { exitCode, all, mutants, outcomes, end: all.find(({ event }) => event === 'mutation_ended') };
}

test('a mutant whose bot does not load is told apart, with why, and counts as not noticed', async () => {
  const bot = `import { defineBot, flite } from 'voicebot';
if (process.env.VOICEBOT_MUTATION?.includes('sentence_twice')) throw new Error('no bot today');
export default defineBot({ tts: flite(), async onCall(call) { await call.say('Good day to you.'); await call.hangUp(); } });
`;
  const { mutants, outcomes, end } = await mutated(
    'unloaded',
    bot,
    '- { name: hears it, expect: { heard: Good day, end: bot_ended } }\n',
  );
  expect(outcomes).toMatchObject({
    sentence_twice: 'not_tried',
    goodbye_missing: 'noticed',
    never_hangs_up: 'noticed',
  });
  expect(mutants.find(({ is }) => is === 'not_tried')?.why).toContain('no bot today');
  expect(end?.notTried).toBe(1);
  expect(end?.mutants).toBe(end?.noticed + end?.unnoticed + end?.notReached + 1);
}, 240_000);

const LONG =
  'This is a rather long sentence about nothing in particular, which takes a voice some nine seconds and a tone not even one.';

test('with --text mutants are planned from the run that counts, and called as that one was', async () => {
  const spoken = `import { defineBot, flite } from 'voicebot';
export default defineBot({ tts: flite(), async onCall(call) {
  setTimeout(() => { call.interrupt(); void call.say('Please stay.'); }, 3_000).unref();
  if (!(await call.say('${LONG}'))) await call.listen({ keys: 1, timeoutMs: 8_000 });
  await call.hangUp();
} });
`;
  const stays =
    '- { name: stays, caller: [{ hear: please stay }, { hangUp: true }], expect: { end: caller_hung_up } }\n';
  const words = await mutated('words', spoken, stays, '--text');
  expect(words.all.find(({ event }) => event === 'test_ended')).toMatchObject({ spokenAgain: 1, passed: 1 });
  expect(Object.keys(words.outcomes)).not.toContain('never_hangs_up'); // in tones the bot had ended the call
  const impatient = `import { defineBot, flite } from 'voicebot';
export default defineBot({ tts: flite(), async onCall(call) {
  setTimeout(() => process.exit(3), 12_000).unref(); // in words, while the sentence is said a second time
  await call.say('${LONG}');
  await call.hangUp();
} });
`;
  const short = '- { name: says it, expect: { heard: rather long, end: bot_ended } }\n';
  const tones = await mutated('tones', impatient, short, '--text');
  const ended = tones.all.find(({ event }) => event === 'test_ended');
  expect(ended).toMatchObject({ passed: 1 });
  expect(ended).not.toHaveProperty('spokenAgain');
  expect(tones.outcomes).toMatchObject({ sentence_twice: 'unnoticed', never_hangs_up: 'noticed' });
}, 400_000);

test('keys that a bot masks are known by what the caller presses, for its mutants and for its coverage', async () => {
  const bot = `import { defineBot, flite } from 'voicebot';
export default defineBot({ tts: flite(), record: { maskDigits: true }, async onCall(call) {
  void call.say('Press one.');
  const heard = await call.listen({ keys: 1, timeoutMs: 8_000 });
  await call.say(heard?.keys === '1' ? 'Thank you.' : 'That is nothing.');
  await call.hangUp();
} });
`;
  const presses = '- { name: presses, caller: [{ press: "1" }], expect: { heard: Thank you, end: bot_ended } }\n';
  const { all, mutants, outcomes } = await mutated('masked', bot, presses, '--coverage');
  expect(mutants.find(({ mutation }) => mutation.kind === 'key_ignored')?.mutation).toMatchObject({ key: '1' });
  expect(outcomes).toMatchObject({ key_ignored: 'noticed', keys_shifted: 'noticed' });
  const coverage = all.find(({ event }) => event === 'coverage');
  expect(coverage?.bots[0].kinds.key).toEqual({ touched: 1, of: 1 });
}, 240_000);
