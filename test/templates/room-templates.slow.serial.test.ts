import { BUSY, END, scriptedModel, TRANSFER, VOICEMAIL } from './scripted-model.js';
import { TemplateUnderTest } from './template-under-test.js';
import { testsAtOnce } from './tests-at-once.js';

testsAtOnce(
  {
    'answer in a room goes on with a caller whose operator is busy, and ends the call': async () => {
      await using template = await TemplateUnderTest.start('answer', {
        transport: 'rooms',
        texts: ['I want a person.', 'Goodbye then.'],
        replies: scriptedModel({ person: TRANSFER, Goodbye: END }),
        environment: { OPERATOR_NUMBER: BUSY },
      });
      await using caller = await template.caller();
      await template.says('Hello, this is Bluebird Bakery.', 20_000);
      await caller.says();
      await template.says('One moment please, I will connect you.');
      await template.says('the line is busy', 20_000);
      await caller.says();
      await template.says('Thank you for calling. Goodbye!', 20_000);
      expect(await template.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
      expect(template.output).toContain('transfer to operator: busy');
    },

    'dial in a room leaves a message on a voicemail': async () => {
      await using template = await TemplateUnderTest.start('dial', {
        transport: 'rooms',
        texts: ['You have reached my voicemail. Please leave a message after the tone.'],
        replies: { text: 'I see.' },
      });
      await template.dial(VOICEMAIL);
      await template.says('Please call us back. Goodbye!', 30_000);
      expect(await template.ended(30_000)).toMatchObject({ endReason: 'voicemail', attempt: 1 });
    },

    'transfer in a room goes on with the caller when nobody can be reached': async () => {
      await using template = await TemplateUnderTest.start('transfer', {
        transport: 'rooms',
        texts: ['I want a person.', 'Goodbye then.'],
        replies: scriptedModel({
          person: TRANSFER,
          'not reached (busy)': { text: 'My colleague is busy.' },
          'Tell the caller': { text: 'I am connecting you with my colleague.' },
          Goodbye: END,
        }),
        environment: { OPERATOR_NUMBER: BUSY },
      });
      await using caller = await template.caller();
      await template.says('Hello, this is the reception', 20_000);
      await caller.says();
      await template.says('My colleague is busy.', 30_000);
      await caller.says();
      await template.says('Thank you for calling. Goodbye!', 20_000);
      expect(await template.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
    },

    'answer in a room with a key that is refused answers, apologises and ends for provider_error': async () => {
      await using template = await TemplateUnderTest.start('answer', { transport: 'rooms', replies: {} });
      template.deepgram.refuse(401, 'Invalid credentials.');
      await using caller = await template.caller();
      expect(await template.ended(30_000)).toMatchObject({ endReason: 'provider_error', attempt: 1 });
      expect(template.output).toContain('Invalid credentials.');
      expect(template.output).toContain('DEEPGRAM_API_KEY');
      expect(template.output).not.toContain('deepgram-key');
      expect(caller.heard.audibleMs(Math.max(0, caller.heardMs - 7_000))).toBeGreaterThan(3_000); // the recorded apology
    },
  },
  180_000,
);
