import type { CallRecord } from '../../../src/call/call-record.js';
import type { Rig } from './rig.js';

/** What a story shows besides the record of its call. */
export type Facts = Readonly<Record<string, unknown>>;

export interface Story {
  readonly title: string;
  /** Plays it. @returns the record of the call when it is over, and what else was seen: the same at every carrier */
  readonly play: (rig: Rig) => Promise<{ record: CallRecord; facts?: Facts }>;
  readonly record: Partial<Record<string, unknown>>;
  readonly facts?: Facts;
}

const BOT = '+12025550100';
const inbound = {
  direction: 'inbound',
  to: BOT,
  attempt: 1,
  reconnects: 0,
  answeredBy: 'unknown',
  hasProviderCallId: true,
};
const outbound = {
  direction: 'outbound',
  from: BOT,
  attempt: 1,
  reconnects: 0,
  answeredBy: 'unknown',
  hasProviderCallId: true,
};
const WHOLE = 'started answered connected ended';

const ofCaller = (from: string) => (record: CallRecord) => record.from === from;
const ofCall = (id: string | undefined) => (record: CallRecord) => record.id === id;

/** A caller who is greeted and then presses keys. */
async function caller(rig: Rig, from: string) {
  const line = await rig.call(from);
  const served = await rig.serves(from);
  const id = served.id;
  await rig.hears(id, 'greeted');
  return { line, id, served };
}

/** Has the bot call a number. */
async function dialled(rig: Rig, to: string, body: object = {}, query: Record<string, string> = {}) {
  const { status, body: answer } = await rig.start({ phone_number: to, body }, query);
  if (status !== 202) throw new Error(`${status}: ${JSON.stringify(answer)}`);
  return answer.call_id as string;
}

const outcome = (title: string, to: string, record: object, body: object = {}): Story => ({
  title,
  play: async (rig) => ({ record: await rig.over(ofCall(await dialled(rig, to, body))) }),
  record: { ...outbound, to, ...record },
});

/** A caller who is transferred, and what came of it. */
const transferred = (title: string, from: string, key: string, status: string, record: object): Story => ({
  title,
  play: async (rig) => {
    const { line, id } = await caller(rig, from);
    line.press(key);
    const told = await rig.hears(id, 'transfer');
    if (status !== 'answered') {
      await rig.pause(300);
      line.press('1');
    }
    return { record: await rig.over(ofCaller(from)), facts: { status: told.status, attempt: told.attempt } };
  },
  record: { ...inbound, from, times: WHOLE, ...record },
  facts: { status, attempt: 1 },
});

/** What a caller, and a number that is called, may live through at every carrier. */
export const STORIES: readonly Story[] = [
  {
    title: 'a caller hears the bot, and hangs up',
    play: async (rig) => {
      const { line } = await caller(rig, '+12025550121');
      const level = await line.hearsTone();
      line.hangUp();
      return { record: await rig.over(ofCaller('+12025550121')), facts: { isHeard: level } };
    },
    record: { ...inbound, from: '+12025550121', times: WHOLE, endReason: 'caller_hung_up' },
    facts: { isHeard: true },
  },
  {
    title: 'a caller presses a key, and the bot hangs up',
    play: async (rig) => {
      const { line, id } = await caller(rig, '+12025550122');
      line.press('1');
      const { digit } = await rig.hears(id, 'key');
      return { record: await rig.over(ofCaller('+12025550122')), facts: { digit } };
    },
    record: { ...inbound, from: '+12025550122', times: WHOLE, endReason: 'bot_ended' },
    facts: { digit: '1' },
  },
  {
    title: 'the bot presses keys, and the caller hears their tones',
    play: async (rig) => {
      const { line } = await caller(rig, '+12025550123');
      line.press('2');
      const keys = await line.hearsKeys('12#');
      line.hangUp();
      return { record: await rig.over(ofCaller('+12025550123')), facts: { keys } };
    },
    record: { ...inbound, from: '+12025550123', times: WHOLE, endReason: 'caller_hung_up' },
    facts: { keys: '12#' },
  },
  {
    title: 'the bot is interrupted: the rest is dropped at the carrier and does not count as heard',
    play: async (rig) => {
      const { line, id } = await caller(rig, '+12025550124');
      line.press('3');
      await line.hearsTone();
      line.press('4');
      const { wasHeard } = await rig.hears(id, 'said');
      const isQuiet = await line.hearsSilence();
      line.press('1');
      return { record: await rig.over(ofCaller('+12025550124')), facts: { wasHeard, isQuiet } };
    },
    record: { ...inbound, from: '+12025550124', times: WHOLE, endReason: 'bot_ended' },
    facts: { wasHeard: false, isQuiet: true },
  },
  transferred('a transfer is answered', '+12025550126', '6', 'answered', { endReason: 'transferred' }),
  transferred('a transfer meets a busy line: the same bot has the caller back', '+12025550127', '5', 'busy', {
    endReason: 'bot_ended',
  }),
  transferred('a transfer is declined', '+12025550128', '8', 'rejected', { endReason: 'bot_ended' }),
  transferred('a transfer fails', '+12025550129', '9', 'failed', { endReason: 'bot_ended' }),
  {
    title: 'a caller hangs up while the destination of a transfer rings',
    play: async (rig) => {
      const { line, id } = await caller(rig, '+12025550130');
      line.press('*');
      await rig.until(() =>
        rig.served.records.all.some((record) => record.id === id && record.state === 'transferring'),
      );
      await rig.pause(500);
      line.hangUp();
      const { status } = await rig.hears(id, 'transfer');
      return { record: await rig.over(ofCaller('+12025550130')), facts: { status } };
    },
    record: { ...inbound, from: '+12025550130', times: WHOLE, endReason: 'caller_hung_up' },
    facts: { status: 'caller_left' },
  },
  {
    title: 'a call that the bot dials brings its body and its parameters',
    play: async (rig) => {
      const id = await dialled(rig, '+12025550101', { does: '1', name: 'Ada "&<>' }, { campaign_id: 'spring & fall' });
      const { query, body, direction } = await rig.hears(id, 'serves');
      return { record: await rig.over(ofCall(id)), facts: { query, body, direction } };
    },
    record: { ...outbound, to: '+12025550101', times: WHOLE, endReason: 'bot_ended' },
    facts: {
      query: { campaign_id: 'spring & fall' },
      body: { does: '1', name: 'Ada "&<>' },
      direction: 'outbound',
    },
  },
  outcome('a number that is called is busy', '+12025550102', { times: 'started ended', endReason: 'busy' }),
  outcome('a number that is called does not answer', '+12025550103', {
    times: 'started ended',
    endReason: 'no_answer',
  }),
  outcome('a number that is called declines', '+12025550104', { times: 'started ended', endReason: 'rejected' }),
  outcome('a voicemail answers', '+12025550105', { times: WHOLE, endReason: 'voicemail', answeredBy: 'machine' }),
  outcome(
    'a person who screens calls answers',
    '+12025550106',
    { times: WHOLE, endReason: 'bot_ended' },
    { does: '1' },
  ),
  outcome('somebody answers, and hangs up after three seconds', '+12025550107', {
    times: WHOLE,
    endReason: 'caller_hung_up',
    answeredBy: 'person',
  }),
  outcome(
    'a number that only fails as the destination of a transfer answers',
    '+12025550108',
    { times: WHOLE, endReason: 'bot_ended' },
    { does: '1' },
  ),
];

/** Those that stand in the way of others. */
export const DISRUPTIVE_STORIES: readonly Story[] = [
  {
    title: 'a bot that dies is replaced, and the caller stays',
    play: async (rig) => {
      const { line, id } = await caller(rig, '+12025550125');
      line.press('7');
      await rig.until(() =>
        rig.told.all.some((told) => told.id === id && told.attempt === 2 && told.event === 'greeted'),
      );
      line.press('1');
      return { record: await rig.over(ofCaller('+12025550125')) };
    },
    record: { ...inbound, from: '+12025550125', attempt: 2, times: WHOLE, endReason: 'bot_ended' },
  },
];
