import type { PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES } from '../network/hangup-causes.js';
import type { Callee } from '../network/phone.js';
import { ring } from '../network/ringing.js';
import type { SandboxDocument, Verb } from './call-document.js';
import type { CallServices } from './call-services.js';
import { type DocumentRequest, fetchDocument } from './document-fetch.js';
import { performVerb } from './verbs.js';

/** A call that follows this many documents is going round in circles (carrier reference 1.3, transfer). */
const MAX_DOCUMENTS = 70;

/** A phone has dialled the application's number. Returns when the call is over. */
export async function runInboundCall(call: PhoneCall, services: CallServices): Promise<void> {
  call.phone.notify({ type: 'ringing', callId: call.id });
  if (services.face.answersFirst) call.answer();
  const document = await fetchFirstDocument(call, services);
  if (!document) return;
  const [first] = document.verbs;
  const isRefused = first?.verb === 'hangup' && first.reason !== undefined && first.afterMs === 0;
  if (!isRefused) call.answer();
  await followDocuments(call, services, document);
}

/** The application has dialled a phone. Returns when the call is over. */
export async function runOutboundCall(call: PhoneCall, callee: Callee, services: CallServices): Promise<void> {
  const { ring: ringTarget, answered } = call.setup;
  const { words } = services.face;
  if (ringTarget) void services.inform(call, 'Ring', ringTarget, words.ringing(call));
  await ring(call, callee);
  if (call.isOver) return;
  if (answered) void services.inform(call, 'Answered', answered, words.answered(call));
  void detectMachine(call, callee, services);
  const document = await fetchFirstDocument(call, services);
  if (document) await followDocuments(call, services, document);
}

function fetchFirstDocument(call: PhoneCall, services: CallServices): Promise<SandboxDocument | undefined> {
  const { answer, fallback } = call.setup;
  return fetchDocument(call, services, { hop: 'answer', target: answer, fallback });
}

async function followDocuments(call: PhoneCall, services: CallServices, first: SandboxDocument): Promise<void> {
  let document = first;
  for (let count = 1; count < MAX_DOCUMENTS; count += 1) {
    const request = await performDocument(call, services, document.verbs);
    if (call.isOver) return;
    if (!request) {
      call.progress({ hop: 'hangup', ok: true, text: 'the document has ended, hanging up' });
      return call.finish(HANGUP_CAUSES.endOfXml, 'Network');
    }
    const next = await fetchDocument(call, services, request);
    if (!next) return;
    document = next;
  }
  call.progress({
    hop: 'redirect',
    ok: false,
    text: `${MAX_DOCUMENTS} documents lead to another one, giving up`,
  });
  call.finish(HANGUP_CAUSES.loopDetected, 'Error');
}

/** Performs verbs until the call is over, the document ends, or another document is due. */
async function performDocument(
  call: PhoneCall,
  services: CallServices,
  verbs: readonly Verb[],
): Promise<DocumentRequest | undefined> {
  let next = transferOf(call);
  for (const verb of verbs) {
    if (call.isOver || next) break;
    const asked = await performVerb(verb, call, services);
    next = transferOf(call) ?? asked;
  }
  return next;
}

function transferOf(call: PhoneCall): DocumentRequest | undefined {
  const target = call.takeTransfer();
  return target && { hop: 'transfer', target };
}

/** Finds out whether a machine has answered, and does what was asked for then. @see carrier reference 1.2 and 2.2 */
async function detectMachine(call: PhoneCall, callee: Callee, services: CallServices): Promise<void> {
  const { machineDetection: detection } = call.setup;
  if (!detection) return;
  await call.wait(detection.afterMs);
  if (call.isOver) return;
  if (detection.report) {
    const parameters = services.face.words.machine(call, callee.isMachine);
    void services.inform(call, 'MachineDetection', detection.report, parameters);
  }
  if (callee.isMachine && detection.hangsUp) call.finish(HANGUP_CAUSES.machine, 'Network');
}
