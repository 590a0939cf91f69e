import type { PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES } from '../network/hangup-causes.js';
import { beep, wavToMulaw } from '../network/prompt-audio.js';
import type { Verb } from './call-document.js';
import type { CallServices } from './call-services.js';
import { performDial } from './dial.js';
import type { DocumentRequest } from './document-fetch.js';
import { performStream } from './stream-verb.js';

const SAMPLE_RATE = 8_000;

/**
 * Performs one verb. A verb that fails is reported, and the call goes on.
 * @returns when the next verb may start, or with the document that takes over
 */
export async function performVerb(
  verb: Verb,
  call: PhoneCall,
  services: CallServices,
): Promise<DocumentRequest | undefined> {
  switch (verb.verb) {
    case 'redirect':
      return { hop: 'redirect', target: verb };
    case 'dial':
      return performDial(verb, call, services);
    default:
      await performStep(verb, call, services);
      return undefined;
  }
}

type SimpleVerb = Exclude<Verb, { verb: 'redirect' | 'dial' }>;

async function performStep(verb: SimpleVerb, call: PhoneCall, services: CallServices): Promise<void> {
  switch (verb.verb) {
    case 'stream':
      return performStream(verb, call, services);
    case 'speak':
      return speak(verb.text, verb.language, call, services);
    case 'play':
      return playFile(verb.url, call, services);
    case 'wait':
      call.progress({ hop: 'wait', ok: true, text: `waiting ${verb.ms / 1_000} s` });
      return call.wait(verb.ms, call.interruption);
    case 'hangup':
      return hangUp(verb, call);
    case 'unsupported':
      return call.progress({
        hop: 'document',
        ok: false,
        text: `the sandbox does not perform <${verb.name}>, going on`,
      });
  }
}

function hangUp({ reason, afterMs }: Extract<Verb, { verb: 'hangup' }>, call: PhoneCall): void {
  const cause = reason ? HANGUP_CAUSES[reason] : HANGUP_CAUSES.normal;
  const finish = (): void => {
    call.progress({ hop: 'hangup', ok: true, text: `hanging up${reason ? ` (${reason})` : ''}` });
    call.finish(cause, 'Answer XML');
  };
  if (afterMs === 0) finish();
  else void call.wait(afterMs).then(finish);
}

async function speak(text: string, language: string, call: PhoneCall, { speech }: CallServices): Promise<void> {
  call.progress({ hop: 'speak', ok: true, text: `speaking: ${text}` });
  await call.play((await speech.speak(text, language, call.interruption)) ?? beep(440, 400));
}

async function playFile(url: string, call: PhoneCall, { webhooks }: CallServices): Promise<void> {
  try {
    const { status, body, ms } = await webhooks.fetchFile(url, call.interruption);
    if (status !== 200) {
      return call.progress({ hop: 'play', ok: false, text: `cannot play ${url}: status ${status}`, url, status, ms });
    }
    const audio = await wavToMulaw(body);
    call.progress({
      hop: 'play',
      ok: true,
      text: `playing ${url} (${(audio.length / SAMPLE_RATE).toFixed(1)} s)`,
      url,
      status,
      ms,
    });
    await call.play(audio);
  } catch (error) {
    if (call.interruption.aborted) return;
    call.progress({ hop: 'play', ok: false, text: `cannot play ${url}: ${(error as Error).message}`, url });
  }
}
