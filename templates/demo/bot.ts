import { type Call, defineBot, flite } from 'voicebot';
import { type Frame, type FrameDirection, FrameProcessor, InputAudioFrame, OutputAudioFrame } from 'voicebot/pipeline';

const GREETING = 'Hello! This is voicebot, and you have reached the demo.';
const MENU = 'Press 1 for the time, 2 for an echo, 0 for a person, or 9 to hang up.';
const ECHO = 'I will repeat what you say. Press any key to stop.';

/** How long the demo speaks and waits for a key before it says goodbye, in milliseconds. */
const PATIENCE_MS = 25_000;

/** Says back what it hears, while it is on. */
class Echo extends FrameProcessor {
  isOn = false;

  override process(frame: Frame, direction: FrameDirection): void {
    const isEchoed = this.isOn && frame instanceof InputAudioFrame;
    this.push(isEchoed ? new OutputAudioFrame(frame.pcm, frame.sampleRate) : frame, direction);
  }
}

/** Says the menu and does what the keys say, until the call is over. Every key interrupts the bot. */
async function answer(call: Call, echo: Echo): Promise<void> {
  for (let text = `${GREETING} ${MENU}`; !call.isOver; ) {
    void call.say(text);
    const key = (await call.listen({ timeoutMs: PATIENCE_MS }))?.keys;
    call.interrupt();
    const wasEchoing = echo.isOn;
    echo.isOn = key === '2' && !wasEchoing;
    if (echo.isOn) text = ECHO;
    else if (wasEchoing) text = MENU;
    else if (key === '1') text = `It is ${new Date().toLocaleTimeString('en-US', { timeStyle: 'short' })}. ${MENU}`;
    else if (key === '0') text = `${await connect(call)} ${MENU}`;
    else if (key === '9' || key === undefined) return leave(call);
    else text = `That key does nothing. ${MENU}`;
  }
}

/** Connects the caller with a person. @returns what to say when that came to nothing */
async function connect(call: Call): Promise<string> {
  const { status } = await call.transfer(process.env.OPERATOR_NUMBER, {
    announce: 'One moment please, I will connect you.',
  });
  console.log(`transfer to the operator: ${status}`);
  return 'I am sorry. Nobody can take your call right now.';
}

async function leave(call: Call): Promise<void> {
  await call.say('Thank you for calling. Goodbye!');
  await call.hangUp();
}

export default defineBot({
  tts: flite(),

  async onCall(call) {
    const echo = new Echo();
    await Promise.all([call.run([echo]), answer(call, echo)]);
  },
});
