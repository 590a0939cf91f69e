import { refuseProblems } from '../../../base/names/option-names.js';
import type { FrameProcessor } from '../../pipeline/index.js';
import { SttService } from '../../services/stt/index.js';
import { TtsService } from '../../services/tts/tts-service.js';
import type { Service } from '../services.js';
import { aiService } from './ai-service.js';
import { partOf } from './load-parts.js';
import { type BotPart, type Making, type ServicePartName, singlePart, wrongPart } from './part.js';

interface Made {
  readonly stt: SttService;
  readonly tts: TtsService;
}

const EXAMPLES: Readonly<Record<ServicePartName, string>> = { stt: 'deepgram()', tts: 'cartesia()' };
const CLASSES = { stt: SttService, tts: TtsService } as const;

/** One service that the bot gives as its ears or its voice, and what it is there for. */
export interface GivenService {
  readonly part: ServicePartName;
  /** Where the bot gives it, such as `tts[1]`. */
  readonly at: string;
  /** What is said of one that is neither an `SttService` nor a `TtsService`, behind its path; undefined: it may be any processor. */
  readonly ifOther?: string | undefined;
}

/** What is said of one that cannot take turns with others. @param which such as `each one of a list` */
export const noService = (part: ServicePartName, which: string) =>
  `makes no ${CLASSES[part].name}, which ${which} has to be`;

/** What is said of ears or a voice that are none. */
export const noChoice = (part: ServicePartName) => `must be a service such as ${EXAMPLES[part]}`;

function servicePart(given: unknown, { part, at, ifOther }: GivenService): BotPart<FrameProcessor> {
  const making = isService(given) ? makingOf(given) : aiService(part, given, at);
  if (!making) return wrongPart([`${at} ${noChoice(part)}${Array.isArray(given) ? ', not a list' : ''}`]);
  if (ifOther === undefined) return singlePart(at, making);
  const create = () => {
    const made = making.create();
    refuseProblems(made instanceof CLASSES[part] ? [] : [`${at} ${ifOther}`]);
    return made;
  };
  return singlePart(at, { key: making.key, create, load: async () => making.load?.() });
}

/**
 * One service, or a list of them.
 * @param none what is wrong with a list that has none
 * @param inTurn makes one of several for a call
 */
export function listPart<Name extends ServicePartName>(
  given: unknown,
  service: GivenService & { readonly part: Name },
  none: string,
  inTurn: (services: readonly Made[Name][]) => FrameProcessor,
): BotPart<FrameProcessor> {
  const { part, at } = service;
  if (!Array.isArray(given)) return servicePart(given, service);
  if (given.length === 0) return wrongPart([`${at} ${none}`]);
  const ifOther = given.length > 1 ? noService(part, 'each one of a list') : service.ifOther;
  const parts = given.map((one, index) => servicePart(one, { part, at: `${at}[${index}]`, ifOther }));
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return partOf(parts, () => inTurn(parts.map((one) => one.make()) as unknown as Made[Name][]));
}

const makingOf = (given: Service | (() => FrameProcessor)): Making<FrameProcessor> =>
  typeof given === 'function' ? { create: given } : given;

/** Whether a value is a service, or makes one. */
export function isService(choice: unknown): choice is Service | (() => FrameProcessor) {
  return typeof choice === 'function' || typeof (choice as Partial<Service> | null)?.create === 'function';
}
