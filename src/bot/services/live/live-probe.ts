import type { ServiceName } from '../../../call/service-name.js';
import { vendorOf } from '../model-vendor.js';
import { NO_BRIEFING } from './live-briefing.js';
import { LiveLink } from './live-link.js';
import { formatOf, mannerOf, openaiFormatFor } from './manners.js';
import { isContinuous, type LiveClientEvent, type LiveModel } from './realtime-model.js';

/** Longer than a session may take to be there, in milliseconds. */
const LIMIT_MS = 6_000;
const SAMPLE_RATE = 8_000;

export const liveName = (model: LiveModel): ServiceName => ({
  does: 'live',
  provider: vendorOf(model).name,
  model: model.modelId,
});

/**
 * Opens a session, and closes it as soon as it is there: it answers nothing.
 * @throws ProviderError with what is wrong with the model
 */
export async function probeLive(model: LiveModel): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let close = () => {};
  try {
    await new Promise<void>((resolve, reject) => {
      const link = new LiveLink(model, {
        opened: () => link.send(beginning(model)),
        event: (event) => {
          if (event.type === 'error') reject(link.failure(event.message));
          else resolve();
        },
        mended: () => {},
        gaveUp: reject,
      });
      close = () => link.close();
      const late = () => reject(link.failure('opens no session'));
      timer = setTimeout(late, LIMIT_MS).unref();
      link.open();
    });
  } finally {
    clearTimeout(timer);
    close();
  }
}

/** What a session is begun with. */
function beginning(model: LiveModel): LiveClientEvent {
  if (isContinuous(model)) {
    const format = formatOf(openaiFormatFor(SAMPLE_RATE));
    return { type: 'session-start', config: { instructions: '', inputAudioFormat: format, outputAudioFormat: format } };
  }
  const manner = mannerOf(model);
  const { input, output } = manner.formats(SAMPLE_RATE);
  const { instructions, tools } = NO_BRIEFING;
  const settings = { instructions, tools, voice: undefined, transcription: {}, input, output };
  return { type: 'session-update', config: manner.config(settings) };
}
