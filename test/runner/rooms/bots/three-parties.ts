import { type Call, defineBot } from 'voicebot';
import { OutputAudioFrame } from 'voicebot/pipeline';

/** At the caller's key 1 it consults both colleagues and joins all three. Says to each what the others are not to hear, and tells what it sees. */
export default defineBot({
  async onCall(call) {
    const { id, attempt } = call;
    const tell = (event: string, more: object = {}) => console.error(JSON.stringify({ event, id, attempt, ...more }));
    call.on('dtmf', ({ digit }) => void (digit === '1' && joinAll(call, tell)));
    tell('serves', { pid: process.pid });
    tell('greeted', { wasHeard: await call.say(tone(600, 0.3)) });
    tell('over', { reason: await call.ended });
  },
});

async function joinAll(call: Call, tell: (event: string, more?: object) => void): Promise<void> {
  const colleagues: Call[] = [];
  for (const to of [process.env.COLLEAGUE, process.env.SECOND]) {
    const colleague = await call.consult(to ?? '', { ringSeconds: 20, hold: 'silence' });
    colleagues.push(colleague);
    tell('consulted', { colleague: colleague.id, isOver: colleague.isOver });
  }
  const bridge = await call.bridge(colleagues);
  void bridge.ended.then((by) => tell('bridge over', { by }));
  tell('bridged');
  tell('whispered', { wasHeard: await bridge.whisper(tone(900, 0.4), { to: 'caller' }) });
  tell('said', { wasHeard: await colleagues[0]?.say(tone(1_200, 0.4)) });
  tell('said to all', { wasHeard: await bridge.whisper(tone(1_600, 0.4), { to: 'both' }) });
  if (process.env.LEAVES) bridge.leave();
  else if ((await bridge.ended) === 'colleague') tell('back', { wasHeard: await call.say(tone(600, 0.3)) });
}

function tone(hertz: number, seconds: number): OutputAudioFrame {
  const samples = Int16Array.from(
    { length: 8_000 * seconds },
    (_, n) => 8_000 * Math.sin((n * hertz * Math.PI) / 4_000),
  );
  return new OutputAudioFrame(samples, 8_000);
}
