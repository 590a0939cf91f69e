import { CALLED, greeted, type Story } from '../story.js';

const states = (...names: string[]): string => names.join(' ');
const TALKED = states('ringing', 'starting', 'connected', 'ended');

/** A caller who is transferred, and what came of it: one who comes back presses 1, and the bot hangs up. */
const transferred = (title: string, from: string, key: string, status: string): Story => ({
  title,
  play: async (rig) => {
    const { line, id } = await greeted(rig, from);
    line.press(key);
    const told = await rig.hears(id, 'transfer');
    if (status !== 'answered') {
      await rig.pause(300);
      line.press('1');
    }
    return { record: await rig.over(id), facts: { status: told.status, attempt: told.attempt } };
  },
  record: {
    ...CALLED,
    from,
    endReason: status === 'answered' ? 'transferred' : 'bot_ended',
    states:
      status === 'answered'
        ? states('ringing', 'starting', 'connected', 'transferring', 'ended')
        : states('ringing', 'starting', 'connected', 'transferring', 'starting', 'connected', 'ended'),
  },
  facts: { status, attempt: 1 },
});

/** What somebody who calls the bot lives through. */
export const CALLERS: readonly Story[] = [
  {
    title: 'a caller hears the bot, and hangs up',
    play: async (rig) => {
      const { line, id, wasHeard } = await greeted(rig, '+12025550121');
      const isHeard = await line.hasHeardTone();
      line.hangUp();
      return { record: await rig.over(id), facts: { isHeard, wasHeard } };
    },
    record: { ...CALLED, from: '+12025550121', states: TALKED, endReason: 'caller_hung_up' },
    facts: { isHeard: true, wasHeard: true },
  },
  {
    title: 'a caller presses a key, and the bot hangs up',
    play: async (rig) => {
      const { line, id } = await greeted(rig, '+12025550122');
      line.press('1');
      const { digit } = await rig.hears(id, 'key');
      return { record: await rig.over(id), facts: { digit } };
    },
    record: { ...CALLED, from: '+12025550122', endReason: 'bot_ended' },
    facts: { digit: '1' },
  },
  {
    title: 'the bot presses keys, and the caller hears their tones',
    play: async (rig) => {
      const { line, id } = await greeted(rig, '+12025550123');
      line.press('2');
      const keys = await line.hearsKeys('12#');
      line.hangUp();
      return { record: await rig.over(id), facts: { keys } };
    },
    record: { ...CALLED, from: '+12025550123', endReason: 'caller_hung_up' },
    facts: { keys: '12#' },
  },
  {
    title: 'the bot is interrupted: the rest is dropped at the carrier and does not count as heard',
    play: async (rig) => {
      const { line, id } = await greeted(rig, '+12025550124');
      line.press('3');
      await line.hearsTone();
      line.press('4');
      const { wasHeard } = await rig.hears(id, 'said');
      const isQuiet = await line.hearsSilence();
      line.press('1');
      return { record: await rig.over(id), facts: { wasHeard, isQuiet } };
    },
    record: { ...CALLED, from: '+12025550124', endReason: 'bot_ended' },
    facts: { wasHeard: false, isQuiet: true },
  },
  transferred('a transfer is answered', '+12025550126', '6', 'answered'),
  transferred('a transfer meets a busy line: the same bot has the caller back', '+12025550127', '5', 'busy'),
  transferred('a transfer is declined', '+12025550128', '8', 'rejected'),
  transferred('a transfer fails', '+12025550129', '9', 'failed'),
  {
    title: 'a caller hangs up while the destination of a transfer rings',
    play: async (rig) => {
      const { line, id } = await greeted(rig, '+12025550130');
      line.press('*');
      await rig.reaches(id, 'transferring');
      await rig.pause(500);
      line.hangUp();
      const { status } = await rig.hears(id, 'transfer');
      return { record: await rig.over(id), facts: { status } };
    },
    record: {
      ...CALLED,
      from: '+12025550130',
      endReason: 'caller_hung_up',
      states: states('ringing', 'starting', 'connected', 'transferring', 'ended'),
    },
    facts: { status: 'caller_left' },
  },
];
