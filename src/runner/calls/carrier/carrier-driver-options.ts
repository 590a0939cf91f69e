import type { Logger } from '../../../base/logger.js';
import type { Carrier, CarrierCredentials } from '../../../providers/carrier.js';
import type { BotPool } from '../../bots/bot-pool.js';
import type { StartedCall } from '../../dialing/start-request.js';
import type { Reach } from '../../http/reach.js';
import type { Hangups } from '../debts/hangups.js';
import type { CallRegistry } from '../life/call-registry.js';
import type { BesideRequest } from '../life/consults.js';
import type { CallSupervisorOptions } from '../life/supervisor.js';
import type { CallDocuments } from './call-documents.js';
import type { PassSigner } from './stream-pass.js';
import type { TransferRequestsOptions } from './transfer-requests.js';

export interface CarrierDriverOptions {
  registry: CallRegistry;
  pool: BotPool;
  documents: CallDocuments;
  hangups: Hangups;
  carrier: Pick<Carrier, 'name' | 'createCodec'>;
  client: TransferRequestsOptions['client'];
  checkTarget: TransferRequestsOptions['checkTarget'];
  /** Dials beside a live call. */
  dialBeside: (request: BesideRequest) => Promise<StartedCall>;
  operatorNumber?: string | undefined;
  /** Longest an inbound call may last, in milliseconds. */
  maxCallMs: number;
  /** Longest a dialled call may last, in milliseconds. */
  maxDialledCallMs: number;
  /** How long a dialled phone may ring, in seconds. */
  ringSeconds: number;
  /** Longest both sides may be silent, in milliseconds; 0 means for ever. */
  silenceMs: number;
  /** A call that a machine answered is ended. */
  endsOnMachine: boolean;
  /** How the carrier reaches us. */
  reach: Reach;
  /** Its way to us is a tunnel, which may break: calls outlive that. Default false. */
  isTunnelled?: boolean | undefined;
  /** Signs the passes of streams. Default: a key of this runner's own. */
  passes?: PassSigner | undefined;
  /** Of calls that stay on this machine: bots end them there, and not at the account of their environment. Default: they are no such calls. */
  ownAccount?: CarrierCredentials | undefined;
  /** See {@link CallSupervisorOptions}. */
  onChanged?: CallSupervisorOptions['onChanged'];
  inDoubt?: CallSupervisorOptions['inDoubt'];
  isSandbox?: CallSupervisorOptions['isSandbox'];
  doNotCall: CallSupervisorOptions['doNotCall'];
  /** Most calls at once; undefined means any number. */
  maxCalls?: (() => number | undefined) | undefined;
  logger: Logger;
}
