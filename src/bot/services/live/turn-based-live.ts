import type { ResolvedLiveOptions } from './live-options.js';
import type { LiveScene, LiveService } from './live-service.js';

/** A session whose model answers when it is asked. */
export function turnBasedLive(_options: ResolvedLiveOptions, _scene: LiveScene): LiveService {
  throw new Error('not built yet');
}
