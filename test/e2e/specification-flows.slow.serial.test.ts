import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { ANSWERS_AND_HANGS_UP, ANSWERS_AND_TALKS, END, scriptedModel, TRANSFER } from '../templates/scripted-model.js';
import { TemplateUnderTest } from '../templates/template-under-test.js';
import { testsAtOnce } from '../tests-at-once.js';

const fileOf = (name: string) => join(PACKAGE_ROOT, 'test/e2e/flows', `${name}.ts`);

/** What the model answers, whoever asks. */
const replies = scriptedModel({
  person: TRANSFER,
  'Tell the caller': { text: 'I am connecting you with my colleague.' },
  fine: END,
});

type Transport = 'carrier' | 'rooms';

async function answers(bot: string, transport: Transport): Promise<void> {
  await using it = await TemplateUnderTest.start(fileOf(bot), { transport, replies, texts: ['That is fine.'] });
  await using caller = await it.caller();
  await it.says('Bluebird Bakery', 20_000);
  await caller.says('three short words');
  await it.says('Goodbye!', 20_000);
  expect(await it.ended(30_000)).toMatchObject({ direction: 'inbound', endReason: 'bot_ended', attempt: 1 });
}

async function dials(bot: string, transport: Transport): Promise<void> {
  await using it = await TemplateUnderTest.start(fileOf(bot), { transport, replies, texts: ['That is fine.'] });
  await it.dial(ANSWERS_AND_TALKS, { user: { firstName: 'Ada' } });
  await it.says('Hello Ada, this is Bluebird Bakery.', 20_000);
  await it.says('Goodbye!', 20_000);
  expect(await it.ended(30_000)).toMatchObject({ direction: 'outbound', endReason: 'bot_ended', attempt: 1 });
}

async function transfers(bot: string): Promise<void> {
  await using it = await TemplateUnderTest.start(fileOf(bot), {
    transport: 'rooms',
    replies,
    texts: ['I want a person.'],
    environment: { OPERATOR_NUMBER: ANSWERS_AND_HANGS_UP },
  });
  await using caller = await it.caller();
  await it.says('Bluebird Bakery', 20_000);
  await caller.says('three short words');
  expect(await it.ended(30_000)).toMatchObject({ endReason: 'transferred', attempt: 1 });
  expect(it.served.records.all.map(({ state }) => state)).toContain('transferring');
}

test('the bot of all flows has at most 30 lines', () => {
  expect(readFileSync(fileOf('defined'), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(30);
});

testsAtOnce(
  {
    'room dial-in, by defineBot': () => answers('defined', 'rooms'),
    'room dial-in, by the classes of the specification': () => answers('rooms-dialin', 'rooms'),
    'room dial-out, by defineBot': () => dials('defined', 'rooms'),
    'room dial-out, by the classes of the specification': () => dials('rooms-dialout', 'rooms'),
    'cold transfer, by defineBot': () => transfers('defined'),
    'cold transfer, by the classes of the specification': () => transfers('cold-transfer'),
    'carrier dial-in, by defineBot': () => answers('defined', 'carrier'),
    'carrier dial-in, by the classes of the specification': () => answers('carrier-dialin', 'carrier'),
    'carrier dial-out, by defineBot': () => dials('defined', 'carrier'),
    'carrier dial-out, by the classes of the specification': () => dials('carrier-dialout', 'carrier'),
  },
  120_000,
  5,
);
