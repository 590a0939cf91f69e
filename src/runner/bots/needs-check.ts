import type { BotSource } from './bot-source.js';
import { type BotUses, usesOf } from './bot-uses.js';

/** Of a bot that transfers callers, on a real account. */
export const NO_OPERATOR = {
  message:
    'the bot transfers callers to OPERATOR_NUMBER, which is not set to a real number: they reach an unassigned number',
  fix: 'Set OPERATOR_NUMBER in .env',
};

/** Of a bot that serves calls over a carrier. */
export const NO_EARS = {
  message:
    'the only ears of the bot are those of the room provider (transcriptionEnabled): over a carrier it understands no words',
  fix: 'Add stt, such as deepgram(), or serve it in rooms: --transport rooms',
};

/** What the bot serves. */
interface ServedSide {
  /** Undefined on a real account where it is not set. */
  readonly operatorNumber?: string | undefined;
  readonly provider: { readonly kind: 'carrier' | 'rooms' };
}

const lacks = (uses: BotUses, { operatorNumber, provider }: ServedSide) => [
  ...(uses.operator && !operatorNumber ? [NO_OPERATOR] : []),
  ...(uses.transcription === 'ears' && provider.kind === 'carrier' ? [NO_EARS] : []),
];

/** Looks whether the configuration lacks what the code of the bot needs. */
export class NeedsCheck {
  uses: BotUses = {
    operator: false,
    wholeAnswerVoice: false,
    providers: [],
    transcription: undefined,
    language: undefined,
  };
  /** For people; each told once, as long as it stays. */
  readonly warnings: string[] = [];

  constructor(
    private readonly served: ServedSide,
    private readonly warn: (message: string) => void,
  ) {}

  look(source: BotSource): void {
    this.uses = usesOf(source);
    const lacking = lacks(this.uses, this.served).map(({ message, fix }) => `${message}. ${fix}`);
    const known = this.warnings.splice(0, this.warnings.length, ...lacking);
    for (const warning of lacking) if (!known.includes(warning)) this.warn(warning);
  }
}
