import { ANSWERS_AND_HANGS_UP, ANSWERS_AND_TALKS, END, scriptedModel, TRANSFER } from './scripted-model.js';
import { TemplateUnderTest } from './template-under-test.js';
import { testsAtOnce } from './tests-at-once.js';

testsAtOnce(
  {
    'rooms-dialin connects the caller with an operator, and leaves': async () => {
      await using template = await TemplateUnderTest.start('rooms-dialin', {
        transport: 'rooms',
        texts: ['I want a person.'],
        replies: scriptedModel({ person: TRANSFER }),
        environment: { OPERATOR_NUMBER: ANSWERS_AND_HANGS_UP },
      });
      await using caller = await template.caller();
      await template.says('Hello, this is Bluebird Bakery.', 20_000);
      await caller.says('three short words');
      expect(await template.ended(30_000)).toMatchObject({ endReason: 'transferred' });
      expect(template.model.requests).toHaveLength(1); // nobody is left to talk to
    },

    'rooms-dialout speaks to who answers': async () => {
      await using template = await TemplateUnderTest.start('rooms-dialout', {
        transport: 'rooms',
        texts: ['Yes, that is fine.'],
        replies: scriptedModel({ fine: END }),
      });
      await template.dial(ANSWERS_AND_TALKS, { user: { firstName: 'Ada' } });
      await template.says('Hello Ada, this is Bluebird Bakery.', 20_000);
      await template.says('Thank you. Goodbye!', 20_000);
      expect(await template.ended(30_000)).toMatchObject({ endReason: 'bot_ended' });
    },

    'cold-transfer tells the caller in the words of the model, transfers, and leaves': async () => {
      await using template = await TemplateUnderTest.start('cold-transfer', {
        transport: 'rooms',
        texts: ['I want a person.'],
        replies: scriptedModel({
          person: TRANSFER,
          'Tell the caller': { text: 'I am connecting you with my colleague.' },
        }),
        environment: { OPERATOR_NUMBER: ANSWERS_AND_HANGS_UP },
      });
      await using caller = await template.caller();
      await template.says('Hello, this is the reception', 20_000);
      await caller.says('three short words');
      await template.says('I am connecting you with my colleague.', 20_000);
      const asked = template.model.requests.at(-1)?.messages.at(-1);
      expect(asked?.text).toContain('<system>Tell the caller in one short sentence');
      expect(await template.ended(30_000)).toMatchObject({ endReason: 'transferred' });
      expect(template.output).toContain('the transfer was answered');
      expect(template.served.records.all.map(({ state }) => state)).toContain('transferring');
    },

    'carrier-dialin greets, looks something up, and connects the caller with a person': async () => {
      await using template = await TemplateUnderTest.start('carrier-dialin', {
        transport: 'carrier',
        texts: ['When are you open on Saturday?', 'Can I talk to a person?'],
        replies: scriptedModel({
          Saturday: { toolCalls: [{ name: 'opening_hours', input: { day: 'Saturday' } }] },
          person: TRANSFER,
        }),
        environment: { OPERATOR_NUMBER: ANSWERS_AND_HANGS_UP },
      });
      await using caller = await template.caller();
      await template.says('Hello, this is Bluebird Bakery.');
      await caller.says('three short words');
      await template.says('The result is eight to one');
      await caller.says('three short words');
      await template.says('One moment please, I will connect you.');
      expect(await template.ended(20_000)).toMatchObject({ endReason: 'transferred', attempt: 1 });
    },

    'carrier-dialout says what it calls for, and hangs up when all is said': async () => {
      await using template = await TemplateUnderTest.start('carrier-dialout', {
        transport: 'carrier',
        texts: ['Yes, that is fine.'],
        replies: scriptedModel({ fine: END }),
      });
      await template.dial(ANSWERS_AND_TALKS, { user: { firstName: 'Ada' }, reason: 'to say that the cake is ready' });
      await template.says('Hello Ada, this is Bluebird Bakery. I am calling to say that the cake is ready.');
      const { messages } = await template.model.request(0);
      expect(messages[0]).toMatchObject({ role: 'system', text: expect.stringContaining('You are calling Ada for') });
      expect(messages[0]?.text).toContain('to say that the cake is ready');
      await template.says('Thank you. Goodbye!');
      expect(await template.ended(30_000)).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
    },
  },
  60_000,
  5,
);
