import { DIALLED, dialled, NOT_ANSWERED, type Story } from '../story.js';

const outcome = (title: string, to: string, record: object, body: object = {}): Story => ({
  title,
  play: async (rig) => ({ record: await rig.over(await dialled(rig, to, body)) }),
  record: { ...record, to },
});

/** What a number that the bot calls does: each of those that the sandbox has. */
export const DIALLED_NUMBERS: readonly Story[] = [
  {
    title: 'a call that the bot dials brings its body and its parameters',
    play: async (rig) => {
      const id = await dialled(rig, '+12025550101', { does: '1', name: 'Ada "&<>' }, { campaign_id: 'spring & fall' });
      const { query, body, direction } = await rig.hears(id, 'serves');
      return { record: await rig.over(id), facts: { query, body, direction } };
    },
    record: { ...DIALLED, to: '+12025550101', endReason: 'bot_ended' },
    facts: { query: { campaign_id: 'spring & fall' }, body: { does: '1', name: 'Ada "&<>' }, direction: 'outbound' },
  },
  outcome('a number that is called is busy', '+12025550102', { ...NOT_ANSWERED, endReason: 'busy' }),
  outcome('a number that is called does not answer', '+12025550103', { ...NOT_ANSWERED, endReason: 'no_answer' }),
  outcome('a number that is called declines', '+12025550104', { ...NOT_ANSWERED, endReason: 'rejected' }),
  outcome('a voicemail answers', '+12025550105', { ...DIALLED, endReason: 'voicemail', answeredBy: 'machine' }),
  outcome('a person who screens calls answers', '+12025550106', { ...DIALLED, endReason: 'bot_ended' }, { does: '1' }),
  outcome('somebody answers, and hangs up after three seconds', '+12025550107', {
    ...DIALLED,
    endReason: 'caller_hung_up',
    answeredBy: 'person',
  }),
  outcome(
    'a number that only fails as the destination of a transfer answers',
    '+12025550108',
    { ...DIALLED, endReason: 'bot_ended' },
    { does: '1' },
  ),
];
