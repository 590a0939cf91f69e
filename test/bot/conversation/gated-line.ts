import { HoldConversationFrame, RestartConversationFrame } from '../../../src/bot/conversation/conversation-frames.js';
import {
  type ScreeningStatus,
  VoicemailGate,
  type VoicemailGateOptions,
} from '../../../src/bot/conversation/voicemail-gate.js';
import {
  EndFrame,
  type Frame,
  InputAudioFrame,
  InterruptionFrame,
  StartFrame,
  TTSSpeakFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { concat, cut, sine } from '../../base/audio/signals.js';
import { silence } from '../../base/audio/voices.js';
import { Recorder } from '../pipeline/recorder.js';

export const BEEP = concat(sine(1_000, 8_000, 4_000, 6_000), silence(300));

const gates: VoicemailGate[] = [];

export function cleanUpGates(): void {
  for (const gate of gates.splice(0)) gate.cleanup();
}

/** A gate between two recorders, and what was detected. */
export function gated(options: VoicemailGateOptions = {}) {
  const [before, after] = [new Recorder(), new Recorder()];
  const detected: string[] = [];
  const statuses: ScreeningStatus[] = [];
  const gate = new VoicemailGate({
    onMachine: (evidence) => detected.push(evidence),
    onScreening: (status) => statuses.push(status),
    ...options,
  });
  gates.push(gate);
  before.link(gate);
  gate.link(after);
  const send = (frame: Frame) => before.receive(frame, 'downstream');
  send(new StartFrame(8_000, 8_000));
  return {
    gate,
    before,
    after,
    detected,
    statuses,
    send,
    hear: (pcm: Int16Array) => {
      for (const piece of cut(pcm, [160])) send(new InputAudioFrame(piece, 8_000));
    },
    heardFromCaller: () => after.seen.filter(({ frame }) => frame instanceof InputAudioFrame).length,
    /** What the gate itself said and did, in order. */
    acts: () =>
      after.seen.flatMap(({ frame }) => {
        if (frame instanceof InterruptionFrame) return ['interrupt'];
        if (frame instanceof TTSSpeakFrame) return [frame.text];
        if (frame instanceof HoldConversationFrame) return ['hold'];
        if (frame instanceof RestartConversationFrame) return [`restart: ${frame.words}`];
        return frame instanceof EndFrame ? [`end: ${frame.reason}`] : [];
      }),
  };
}
