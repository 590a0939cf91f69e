/** One scenario for each fault that `bot.ts` can have: it catches that fault, and passes without it. */
import type { ModelScript } from '../../../../src/lab/scenario/model-script.js';
import { scenario } from '../../../../src/lab/scenario/scenario.js';
import type { ScenarioOptions } from '../../../../src/lab/scenario/scenario-options.js';

const { FAULT } = process.env;
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The fault, and by what the scenario notices it. */
const PLANTED: ReadonlyArray<readonly [fault: string, story: string, scenario: Omit<ScenarioOptions, 'name'>]> = [
  [
    'lying_transfer',
    'menu',
    {
      environment: { OPERATOR_NUMBER: '+12025550102' },
      caller: [{ press: '0', during: 'Bakery' }],
      expect: {
        transfer: { to: '+12025550102', outcome: 'busy' },
        notHeard: 'connected',
        heard: 'nobody can take your call',
      },
    },
  ],
  ['late_first_word', 'menu', { caller: [{ press: '1', during: 'hours' }], expect: { firstWordWithin: '4s' } }],
  [
    'lost_key',
    'menu',
    { caller: [{ press: '2', during: 'Bluebird' }], expect: { heard: ['your order', 'is ready'], keysReceived: '2' } },
  ],
  [
    'said_twice',
    'talk',
    {
      caller: [{ say: 'When are you open on Sunday?' }],
      model: asked(),
      expect: { nothingTwice: true, heard: 'closed' },
    },
  ],
  [
    'unheard_words',
    'talk',
    {
      caller: [{ say: 'When are you open on Sunday?' }, { say: 'And how are you?' }],
      model: asked(),
      expect: { contextAsHeard: true },
    },
  ],
  [
    'unanswered_voicemail',
    'reminder',
    {
      limit: '90s', // a bot that talks to the machine as to a person goes on for a minute
      dialout: { to: '+12025550105' },
      expect: { heard: 'Please call us back. Goodbye', end: 'voicemail' },
    },
  ],
  [
    'wrong_day',
    'talk',
    {
      caller: [{ say: 'When are you open tomorrow?' }],
      model: asked(),
      expect: { tools: [{ name: 'opening_hours', input: { day: 'Saturday' } }], heard: 'eight to one' },
    },
  ],
  [
    'goodbye_cut_off',
    'menu',
    { caller: [{ press: '1', during: 'hours' }], expect: { heard: 'nice day. Goodbye', end: 'bot_ended' } },
  ],
  [
    'silence_after_crash',
    'talk',
    {
      faults: [{ killBot: true, during: 'Bluebird Bakery' }],
      caller: [{ hear: 'Hello' }, { wait: '8s' }, { hangUp: true }],
      expect: { silentAtMost: '5s' },
    },
  ],
  [
    'loop',
    'talk',
    {
      caller: [{ repeat: [{ say: 'I did not understand you.' }] }],
      model: [{ say: 'Please say it again.' }],
      limit: '45s',
      expect: { end: 'bot_ended' },
    },
  ],
  [
    'barge_in_ignored',
    'talk',
    {
      caller: [{ say: 'Stop, when are you open on Sunday?', during: 'Bluebird Bakery' }],
      model: asked(),
      expect: { stopsWithin: '1.2s', heard: 'closed' },
    },
  ],
  [
    'answers_too_early',
    'talk',
    {
      caller: [{ say: 'I would like to know,' }, { say: 'when you are open on Sunday.', after: '2s' }],
      // Long enough to be cut off.
      model: [
        { when: 'Sunday', say: 'On Sunday we are closed.' },
        { say: 'I am well, thank you, and I hope very much that so are you on this beautiful morning in our bakery.' },
      ],
      expect: { cutOffs: 0 },
    },
  ],
  [
    'stops_for_listeners',
    'talk',
    { caller: [{ say: 'uh-huh', during: 'Bluebird Bakery' }], model: asked(), expect: { falseStops: 0 } },
  ],
  [
    'slow_calendar',
    'talk',
    { caller: [{ say: 'When are you open on Sunday?' }], model: asked(), expect: { hole: '4s' } },
  ],
  [
    'number_read_wrongly',
    'menu',
    { caller: [{ press: '2', during: 'order' }], expect: { heard: 'order 4 7 1 1 is ready' } },
  ],
];

/** A model that knows which day is tomorrow by its system prompt. */
function asked(): ModelScript {
  return ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { say: last.text };
    const [, today = ''] = /Today is (\w+)/.exec(messages[0]?.text ?? '') ?? [];
    const tomorrow = DAYS[(DAYS.indexOf(today) + 1) % DAYS.length];
    const day = /tomorrow/.test(last?.text ?? '') ? tomorrow : /open/.test(last?.text ?? '') ? 'Sunday' : undefined;
    return day ? { call: { opening_hours: { day } } } : { say: 'I am well, thank you.' };
  };
}

export default PLANTED.map(([fault, STORY, options]) =>
  scenario({
    bot: './bot.ts',
    ...options,
    name: fault,
    environment: { STORY, ...options.environment, ...(FAULT === 'planted' && { FAULT: fault }) },
  }),
);
