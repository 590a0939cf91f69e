import { fileURLToPath } from 'node:url';
import express, { type Request, type Response, type Router } from 'express';
import type { Logger } from '../../../base/logger.js';
import type { CallDirection } from '../../../call/call.js';
import { asCallId } from '../../../call/call-id.js';
import { type AccountNames, namesOf } from '../../../providers/account-names.js';
import type { AnswerStep, Carrier, CarrierWebhook, WebhookCredentials } from '../../../providers/carrier.js';
import { carrierOfWebhook } from '../../../providers/registry/carriers.js';
import { type CallTicket, type CallTickets, customParameters } from '../../dialing/call-tickets.js';
import type { ConnectionGuard } from '../../http/connection-guard.js';
import type { CallsElsewhere, PeerAnswer } from '../../http/elsewhere.js';
import { isProbe } from '../../http/probe-agent.js';
import type { RefusalLog } from '../../http/refusal-log.js';
import type { WebhookAddresses } from '../../http/webhook-addresses.js';
import type { CallTimelines } from '../life/call-timelines.js';
import { type CarrierEvent, type CarrierWebhooks, idOf } from './carrier-webhooks.js';
import type { WebhookMemory } from './webhook-memory.js';

/** Largest webhook body, in bytes. */
const MAX_BODY_BYTES = 64 * 1_024;
/** Tokens and signatures stand in the query of an address, or behind the call in that of a stream. */
const ADDRESS_QUERY = /\?(?!xml)[^"'<>\s]+/g;
const STREAM_TOKEN = /(\/ws\/[^/?"'<>\s]+\/)[^/?"'<>\s]+/g;
const FORM = 'application/x-www-form-urlencoded';
const NO_BODY = Buffer.alloc(0);
const ASSETS = fileURLToPath(new URL('../../../../assets/', import.meta.url));

export interface CarrierRoutesOptions {
  carrier: Carrier;
  credentials: WebhookCredentials;
  addresses: WebhookAddresses;
  tickets: CallTickets;
  webhooks: CarrierWebhooks;
  memory: WebhookMemory;
  /** Whether the other party of a call may hear nothing of the runner's own. */
  isSilent: (news: CarrierEvent) => boolean;
  /** Where answered webhooks are noted. */
  timelines: CallTimelines;
  guard: ConnectionGuard;
  refusals: RefusalLog;
  /** The calls of the other runners; undefined when there are none. */
  sharing?: CallsElsewhere | undefined;
  /** Accept webhooks without a signature. */
  insecure: boolean;
  logger: Logger;
}

type Handle = (news: CarrierEvent) => AnswerStep[] | Promise<AnswerStep[]>;

/** What the carrier calls over HTTP. */
export function carrierRoutes(options: CarrierRoutesOptions): Router {
  const { carrier, credentials, webhooks, addresses, guard, refusals, memory, logger } = options;
  const router = express.Router();

  const webhook = (path: string, handle: Handle) => {
    const answer = async (request: Request, response: Response) => {
      const received = readWebhook(request, options);
      if (received === 'forged' && isProbe(request, carrier.signatureHeader)) response.status(403).end();
      else if (received === 'forged') {
        const { isUnsigned, hint } = aboutForged(carrier, namesOf(credentials), request);
        const refusal = isUnsigned ? 'unsigned' : 'bad_signature';
        refusals.refuse(refusal, { path, method: request.method, hint }, request);
        response.status(403).end();
      } else if (received === 'bad_ticket') {
        refusals.refuse('bad_address', { path }, request);
        response.status(403).end();
      } else if (received === 'unusable') {
        const problem = 'the identifier of the call is missing or not of the expected form';
        response.status(400).type('text').send(`${problem}\n`);
      } else if (received === 'unsigned_address') {
        const problem = `${carrier.name} does not sign what stands in the address of a GET: set the method of this address to POST`;
        refusals.warn('webhook refused: it came by GET', { path, hint: problem }, request);
        response.status(400).type('text').send(`${problem}\n`);
      } else if (await isAnsweredElsewhere(path, request, response, received)) {
        guard.trust(request.socket);
      } else if (isRepeated(request, received)) {
        refusals.refuse('repeated', { path, providerCallId: received.providerCallId }, request);
        response.status(403).end();
      } else {
        guard.trust(request.socket);
        rememberWhenAnswered(request, response);
        const beganAt = performance.now();
        const document = await documentOf(received, handle);
        response.type('application/xml').send(document);
        noteWebhook(path, received, document, performance.now() - beganAt);
        await options.sharing?.settle(idOf(received));
      }
    };
    router
      .route(path)
      .get(answer)
      .post(express.raw({ type: () => true, limit: MAX_BODY_BYTES }), answer)
      .all((_request, response) => void response.status(405).set('allow', 'GET, POST').end());
  };
  const isAnsweredElsewhere = async (path: string, request: Request, response: Response, received: CarrierEvent) => {
    const answer = await answerElsewhere(path, request, received, options.sharing);
    if (!answer) return false;
    response
      .status(answer.status)
      .type(answer.contentType ?? 'application/xml')
      .send(answer.body);
    return true;
  };
  const noteWebhook = (path: string, received: CarrierEvent, document: string, ms: number) => {
    const callId = idOf(received);
    const { timelines } = options;
    timelines.note(callId, { type: 'webhook', path, event: received.event, status: 200, ms });
    timelines.note(callId, { type: 'document', path, document: withoutSecrets(document) });
  };
  const nonceOf = ({ headers }: Request) => (options.insecure ? undefined : carrier.webhookNonce?.(headers));
  /** A request that is repeated about a call we know is answered again; only what comes back later was captured on the way. */
  const isRepeated = (request: Request, received: CarrierEvent) => {
    const nonce = nonceOf(request);
    return nonce !== undefined && memory.hasAnswered(nonce) && !webhooks.knows(received);
  };
  /** A carrier that got no answer may ask with the same nonce, even the next runner. */
  const rememberWhenAnswered = (request: Request, response: Response) => {
    const nonce = nonceOf(request);
    if (nonce !== undefined) response.once('finish', () => memory.answered(nonce));
  };
  /** A caller whose document we fail to make hears the recorded line, not the carrier's own error; one who may hear nothing yet is hung up on. */
  const documentOf = async (received: CarrierEvent, handle: Handle): Promise<string> => {
    try {
      return carrier.answerDocument(await handle(received));
    } catch (error) {
      logger.error('webhook failed', {
        callId: idOf(received),
        providerCallId: received.providerCallId,
        event: received.event,
        error,
      });
      const apology: AnswerStep[] = options.isSilent(received) ? [] : [{ do: 'play', url: addresses.apologyUrl }];
      return carrier.answerDocument([...apology, { do: 'hangup' }]);
    }
  };
  /** For webhooks whose answer means nothing to the carrier. */
  const told = (tell: (news: CarrierEvent) => void): Handle => {
    return (received) => {
      tell(received);
      return [];
    };
  };
  const hangup = told((received) => webhooks.hangup(received));

  // A carrier whose hang-up address is unset calls the answer address again, so the event decides.
  webhook('/answer', (received) => (received.event === 'hangup' ? hangup(received) : webhooks.answer(received)));
  webhook('/resume', (received) => (received.event === 'hangup' ? hangup(received) : webhooks.resume(received)));
  webhook('/hangup', (received) => (received.event === 'hangup' ? hangup(received) : []));
  webhook('/ring', (received) =>
    received.event === 'hangup' ? hangup(received) : told((news) => webhooks.ring(news))(received),
  );
  webhook(
    '/machine',
    told((received) => webhooks.machine(received)),
  );
  webhook('/transfer', (received) => (received.event === 'hangup' ? hangup(received) : webhooks.transfer(received)));
  webhook(
    '/transfer-status',
    told((received) => webhooks.transferStatus(received)),
  );
  webhook('/transfer-ended', (received) =>
    received.event === 'hangup' ? hangup(received) : webhooks.transferEnded(received),
  );
  webhook(
    '/stream-status',
    told((received) => webhooks.streamProblem(received)),
  );
  router.get('/prompts/apology.wav', (_request, response) => response.sendFile('apology.wav', { root: ASSETS }));
  return router;
}

/** The answer of the runner that has the call; undefined when this one has it, or may. */
async function answerElsewhere(
  path: string,
  request: Request,
  received: CarrierEvent,
  sharing: CallsElsewhere | undefined,
): Promise<PeerAnswer | undefined> {
  if (!sharing) return undefined;
  const { method, originalUrl: target, headers } = request;
  const body = Buffer.isBuffer(request.body) ? request.body : NO_BODY;
  return sharing.route({
    id: idOf(received),
    providerCallId: received.providerCallId,
    isFromPeer: sharing.isFromPeer({ headers, method, url: target }),
    isNew: path === '/answer' && received.event !== 'hangup',
    request: { method, target, headers, body },
  });
}

/** What may be wrong with a webhook that is not signed as this carrier's are. */
function aboutForged(
  { name, variables, signatureHeader }: Carrier,
  { webhookKey }: AccountNames,
  { headers }: Request,
): { isUnsigned: boolean; hint: string } {
  const isUnsigned = headers[signatureHeader] === undefined;
  const sender = carrierOfWebhook(headers);
  if (sender !== undefined && sender !== name) {
    const hint = `it looks like a webhook of ${sender}, and this runner is at ${name}: is the number one of ${name}, or is CARRIER=${sender} meant?`;
    return { isUnsigned, hint };
  }
  if (isUnsigned) {
    const hint = `it has no ${signatureHeader} header: it is not from ${name}, or a proxy has taken the header away`;
    return { isUnsigned, hint };
  }
  const key = `${webhookKey} the ${variables.publicKey ? 'public key' : 'token'}`;
  const hint = `is ${key} of the account that owns the number, and the public URL the registered one?`;
  return { isUnsigned, hint };
}

const withoutSecrets = (document: string) => document.replace(ADDRESS_QUERY, '?…').replace(STREAM_TOKEN, '$1…');

function readWebhook(
  request: Request,
  { carrier, credentials, addresses, tickets, webhooks, insecure }: CarrierRoutesOptions,
): CarrierEvent | 'forged' | 'bad_ticket' | 'unusable' | 'unsigned_address' {
  const body = Buffer.isBuffer(request.body) ? request.body : NO_BODY;
  const contentType = mediaTypeOf(request);
  const form = isForm(contentType) ? [...new URLSearchParams(body.toString())] : [];
  const { method, headers, originalUrl } = request;
  const isSignedFor = (url: string) => carrier.verifyWebhook({ method, url, form, body, headers }, credentials);
  if (!insecure && !addresses.of(originalUrl).some(isSignedFor)) return 'forged';
  const { searchParams } = new URL(addresses.publicUrl + originalUrl);
  const ticket = tickets.read(searchParams);
  // An address of ours that names the call is signed: one that is not was cut off.
  if (ticket === 'refused' || (!ticket && searchParams.has('call_id'))) return 'bad_ticket';
  const parameters = new Map([...searchParams, ...form]);
  const webhook = carrier.parseWebhook({ parameters, body, contentType });
  const isNamed = parameters.has(carrier.callIdParameter);
  const providerCallId =
    webhook.providerCallId ?? (ticket && !isNamed ? webhooks.providerIdOf(ticket.callId) : undefined);
  if (providerCallId === undefined) {
    const asForm = { parameters, body: Buffer.from(searchParams.toString()), contentType: FORM };
    return method === 'GET' && carrier.parseWebhook(asForm).providerCallId ? 'unsigned_address' : 'unusable';
  }
  const query = customParameters(searchParams, (name) => carrier.isWebhookParameter(name));
  return {
    ...webhook,
    providerCallId,
    direction: directionOf(webhook, ticket),
    ticket,
    streamNo: streamNoOf(searchParams),
    query,
  };
}

function streamNoOf(query: URLSearchParams): number | undefined {
  const text = query.get('stream_no') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/** In lower case, without parameters; empty when none was named. */
export function mediaTypeOf({ headers }: Pick<Request, 'headers'>): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function isForm(contentType: string): boolean {
  return contentType === '' || contentType === FORM;
}

/** Not every carrier says it; only a call that we dialled has an identifier of our own in its addresses. */
function directionOf({ providerCallId, direction }: CarrierWebhook, ticket: CallTicket | undefined): CallDirection {
  return ticket && ticket.callId !== asCallId(providerCallId ?? '') ? 'outbound' : direction;
}
