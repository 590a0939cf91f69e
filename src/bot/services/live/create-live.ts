import { ContinuousSpeaker } from './continuous-speaker.js';
import { LiveEars } from './live-ears.js';
import type { ResolvedLiveOptions } from './live-options.js';
import type { LiveScene, LiveService } from './live-service.js';
import { isContinuous } from './realtime-model.js';
import { TurnBasedSpeaker } from './turn-based-speaker.js';

/** Makes the session of one call; it connects when the pipeline starts. */
export function createLive(options: ResolvedLiveOptions, scene: LiveScene): LiveService {
  const takesTurns = isContinuous(options.model);
  const words = {
    interim: (text: string) => ears.interim(text),
    final: (text: string) => ears.final(text),
    late: (...late: Parameters<LiveEars['late']>) => ears.late(...late),
  };
  const speaker = takesTurns
    ? new ContinuousSpeaker(options, scene, { ...words, taken: () => ears.taken() })
    : new TurnBasedSpeaker(options, scene.hasVoice, words);
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
  return { ears, speaker, introduce: (context) => speaker.introduce(context), giveUp };
}
