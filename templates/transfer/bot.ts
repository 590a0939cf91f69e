import { openai } from '@ai-sdk/openai';
import { cartesia, deepgram, defineBot, endCall } from 'voicebot';

const SYSTEM = `You are the reception of Bluebird Bakery. You are friendly and brief: one or two short sentences at a time, in
plain words, for everything you write is spoken. When a caller needs more than a greeting, connect them with a colleague.`;

export default defineBot({
  stt: deepgram(),
  llm: openai('gpt-4.1-mini'),
  tts: cartesia(),

  /** Said first, in every call. Nothing stops it. */
  disclosure: { text: 'Hello, you are talking to a machine of Bluebird Bakery.', when: 'always' },

  async onCall(call) {
    const talk = call.converse({
      system: SYSTEM,
      greeting: 'This is the reception. What can I do for you?',
      tools: {
        transfer_call: {
          description: 'Connects the caller with a colleague.',
          run(_input, { endTurn }) {
            endTurn();
            void transfer(); // the model speaks again when this function has returned
          },
        },
        end_call: endCall({ say: 'Thank you for calling. Goodbye!' }),
      },
    });

    /**
     * Tells the caller in the model's own words, and holds them while a colleague is called, told what it is about and asked. The colleague who
     * presses 1 talks to the caller; otherwise the caller is with the bot again.
     */
    async function transfer(): Promise<void> {
      const wasHeard = await call.instruct(
        'Tell the caller in one short sentence that you connect them with a colleague now.',
      );
      if (!wasHeard) return; // the caller has interrupted it
      const { status } = await call.transfer(process.env.OPERATOR_NUMBER, {
        warm: { brief: { prompt: 'Say in one or two sentences what the caller wants.' }, accept: '1' },
      });
      console.log(`transfer: ${status}`);
      if (status === 'answered' || status === 'caller_left') return;
      await call.instruct(`The colleague was not reached (${status}). Tell the caller, and ask what else you can do.`);
    }
    await talk.ended;
  },
});
