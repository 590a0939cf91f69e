import { LiveEars } from './live-ears.js';
import type { ResolvedLiveOptions } from './live-options.js';
import type { LiveScene, LiveService } from './live-service.js';
import { TurnBasedSpeaker } from './turn-based-speaker.js';

/** Makes the session of one call; it connects when the pipeline starts. */
export function createLive(options: ResolvedLiveOptions, { hasVoice }: LiveScene): LiveService {
  const speaker = new TurnBasedSpeaker(options, hasVoice, {
    interim: (text) => ears.interim(text),
    final: (text) => ears.final(text),
    late: (...words) => ears.late(...words),
  });
  const ears = new LiveEars({
    start: ({ audioInSampleRate }) => speaker.begin(audioInSampleRate),
    write: (pcm) => speaker.session?.write(pcm),
    mute: (isMuted) => speaker.session?.mute(isMuted),
  });
  return { ears, speaker, introduce: (context) => speaker.introduce(context) };
}
