import { vendorOf } from '../model-vendor.js';
import { ContinuousSpeaker } from './continuous-speaker.js';
import type { LiveAnswer } from './live-answer.js';
import { LiveEars } from './live-ears.js';
import type { ResolvedLiveOptions } from './live-options.js';
import type { LiveScene, LiveService } from './live-service.js';
import { isContinuous } from './realtime-model.js';
import { type SlowAnswer, slowAnswer } from './slow-answer.js';
import { TurnBasedSpeaker } from './turn-based-speaker.js';

/** Makes the session of one call; it connects when the pipeline starts. */
export function createLive(options: ResolvedLiveOptions, scene: LiveScene): LiveService {
  const takesTurns = isContinuous(options.model);
  let onSlow: ((slow: SlowAnswer) => void) | undefined;
  const words = {
    interim: (text: string) => ears.interim(text),
    final: (text: string) => ears.final(text),
    late: (...late: Parameters<LiveEars['late']>) => ears.late(...late),
  };
  const speaker = takesTurns
    ? new ContinuousSpeaker(options, scene, { ...words, taken: () => ears.taken() })
    : new TurnBasedSpeaker(options, scene.hasVoice, { ...words, slow: (answer) => tellSlow(answer) });
  const tellSlow = (answer: LiveAnswer) => {
    const { session } = speaker as TurnBasedSpeaker;
    if (session) onSlow?.(slowAnswer(answer, session, vendorOf(options.model).name));
  };
  const ears: LiveEars = new LiveEars(
    {
      start: ({ audioInSampleRate }) => speaker.begin(audioInSampleRate),
      write: (pcm) => speaker.session?.write(pcm),
      speak: (language) => (speaker instanceof TurnBasedSpeaker ? speaker.session?.speak(language) : undefined),
      mute: (isMuted) => speaker.session?.mute(isMuted),
    },
    takesTurns,
  );
  const giveUp = () => {
    ears.close();
    if (speaker instanceof TurnBasedSpeaker) speaker.session?.giveUp();
  };
  return {
    ears,
    speaker,
    introduce: (context) => speaker.introduce(context),
    onSlow: (listener) => {
      onSlow = listener;
    },
    knowsWords: (turn) => ears.knowsWords(turn),
    giveUp,
  };
}
