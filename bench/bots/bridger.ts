import { defineBot } from 'voicebot';

let calls = 0;

/** Connects each caller with another person, whom it calls. */
export default defineBot({
  async onCall(call) {
    calls += 1;
    const colleague = await call.consult(`+1202555${1_000 + (calls % 1_000)}`);
    const bridge = await call.bridge(colleague);
    await bridge.ended;
  },
});
