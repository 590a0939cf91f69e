import { once } from 'node:events';
import { deferred } from '../../base/async/deferred.js';
import type { PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES } from '../network/hangup-causes.js';
import type { Callee } from '../network/phone.js';
import { playRingback, ring } from '../network/ringing.js';
import type { DialParty, DialVerb } from './call-document.js';
import type { CallServices } from './call-services.js';
import type { DocumentRequest } from './document-fetch.js';

/** A third party that is being dialled. */
interface DialledParty {
  readonly leg: PhoneCall;
  readonly callee: Callee;
  /** Sends a webhook about this party to the document's callback. */
  readonly tell: (action: 'answer' | 'connected' | 'hangup') => void;
}

/**
 * Dials the document's numbers, all at once, with ringback for the caller, and connects the caller with the first that
 * answers, until one of the two hangs up, the time is up, or the call is transferred.
 * @returns the action that gives the next document; undefined when the call is over, transferred, or simply goes on
 */
export async function performDial(
  verb: DialVerb,
  call: PhoneCall,
  services: CallServices,
): Promise<DocumentRequest | undefined> {
  if (verb.parties.length === 0) {
    call.progress({ hop: 'dial', ok: false, text: '<Dial> names no number, going on' });
    return undefined;
  }
  call.progress({
    hop: 'dial',
    ok: true,
    text: `dialling ${verb.parties.map(({ number }) => e164(number)).join(', ')}`,
  });
  const parties = verb.parties.map((party, index) => startLeg({ ...party, position: index + 1 }, verb, call, services));
  const { interruption } = call;
  const leave = (): void => {
    for (const { leg } of parties) {
      const cause = leg.answeredAt ? HANGUP_CAUSES.normal : HANGUP_CAUSES.cancelled;
      leg.finish(cause, call.end?.source ?? 'API Request');
    }
  };
  interruption.addEventListener('abort', leave, { once: true });
  const answered = await firstAnswered(parties, call);
  if (answered) await connect(call, answered);
  interruption.removeEventListener('abort', leave);
  if (interruption.aborted) return undefined;

  const legs = parties.map(({ leg }) => leg);
  const cause = (answered?.leg ?? legs.at(-1))?.end?.cause ?? HANGUP_CAUSES.carrierError;
  call.progress({ hop: 'dial', ok: cause.status === 'completed', text: `dial ${cause.status}: ${cause.cause}` });
  if (!verb.action) return undefined;
  const hasRung = legs.some(({ end }) => end?.cause !== HANGUP_CAUSES.busy);
  const { words } = services.face;
  const parameters = words.dialEnded(call, { cause, hasRung, leg: answered?.leg });
  if (verb.isRedirecting) return { hop: 'action', target: verb.action, parameters };
  void services.inform(call, 'Dial', verb.action, { ...words.document(call, 'action'), ...parameters });
  return undefined;
}

function startLeg(
  party: DialParty & { position: number },
  verb: DialVerb,
  call: PhoneCall,
  services: CallServices,
): DialledParty {
  const { callerId = call.setup.from, ringTimeoutMs, timeLimitMs } = verb;
  const { number: to, callback } = party;
  const { leg, callee } = services.dialLeg({ from: callerId, to, ringTimeoutMs, timeLimitMs });
  const tell: DialledParty['tell'] = (action) => {
    if (!callback) return;
    const parameters = services.face.words.leg(call, leg, party, action);
    if (parameters) call.legNews = call.legNews.then(() => services.inform(call, 'Dial', callback, parameters));
  };
  leg.signal.addEventListener('abort', () => tell('hangup'), { once: true });
  return { leg, callee, tell };
}

/** Rings all parties while the caller hears ringback, and gives up the others as soon as one has answered. */
async function firstAnswered(parties: readonly DialledParty[], call: PhoneCall): Promise<DialledParty | undefined> {
  const ringing = new AbortController();
  void playRingback(call, ringing.signal);
  const first = deferred<DialledParty | undefined>();
  const rings = parties.map(async (party) => {
    await ring(party.leg, party.callee);
    if (!party.leg.isOver) first.resolve(party);
  });
  void Promise.all(rings).then(() => first.resolve(undefined));
  const answered = await first.promise;
  ringing.abort();
  for (const party of parties) {
    if (party !== answered) party.leg.finish(HANGUP_CAUSES.lostRace, 'Network');
  }
  return answered;
}

/** Lets the two hear each other until the leg is over. */
async function connect(call: PhoneCall, { leg, tell }: DialledParty): Promise<void> {
  if (leg.isOver) return;
  tell('answer');
  tell('connected');
  call.progress({ hop: 'dial', ok: true, text: `connected with ${e164(leg.setup.to)}` });
  call.otherLeg = leg;
  leg.otherLeg = call;
  await once(leg.signal, 'abort');
  call.otherLeg = undefined;
  call.playback.clear();
}

/** For people: some carriers leave the plus out. */
const e164 = (number: string) => (/^[1-9]\d{6,14}$/.test(number) ? `+${number}` : number);
