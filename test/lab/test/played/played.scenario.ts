import { callerPlayedBy } from '../../../../src/lab/scenario/model-caller.js';
import { judgedBy } from '../../../../src/lab/scenario/model-judge.js';
import { scenario } from '../../../../src/lab/scenario/scenario.js';
import { playedModel } from '../../scenario/played-model.js';

const NOTHING = { say: null, press: null, hangUp: false, succeeded: null, because: 'I wait for an answer' };

/** A caller who asks once, and hangs up with success or without. */
const caller = (succeeded: boolean) =>
  callerPlayedBy(
    playedModel(
      JSON.stringify({ ...NOTHING, say: 'When are you open on Sunday?' }),
      JSON.stringify({ ...NOTHING, hangUp: true, succeeded, because: 'closed, they say' }),
    ).model,
    { persona: 'a hurried woman', goal: 'to learn the hours on Sunday', success: 'the bot has named them' },
  );

const judge = (passed: boolean) =>
  judgedBy(
    playedModel(JSON.stringify({ passed, because: 'the bot says that it is closed' })).model,
    'The bot is friendly.',
  );

const common = {
  bot: '../../../../templates/answer/bot.ts',
  model: [
    { when: 'open on Sunday', call: { opening_hours: { day: 'Sunday' } } },
    { after: 'opening_hours', say: 'We are closed on Sunday.' },
  ],
};

export default [
  scenario({
    ...common,
    name: 'a caller who succeeds in a call that is judged well',
    caller: caller(true),
    expect: { heard: ['closed on Sunday'], understood: ['open on Sunday'], judge: judge(true), end: 'caller_hung_up' },
  }),
  scenario({
    ...common,
    name: 'a caller who does not succeed, in a call that is judged badly',
    caller: caller(false),
    expect: { heard: ['closed on Sunday'], judge: judge(false) },
  }),
];
