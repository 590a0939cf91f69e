import { DEMO_OPERATOR } from '../../call/operator-number.js';
import type { BotSource } from './bot-source.js';
import { type BotUses, usesOf } from './bot-uses.js';

/** Of a bot that transfers callers, on a real account. */
export const NO_OPERATOR = {
  message: `the bot transfers callers to OPERATOR_NUMBER, which is not set to a real number: they reach ${DEMO_OPERATOR}, an unassigned number`,
  fix: 'Set OPERATOR_NUMBER in .env',
};

/** Looks whether the configuration lacks what the code of the bot needs. */
export class OperatorCheck {
  uses: BotUses = {
    operator: false,
    wholeAnswerVoice: false,
    providers: [],
    transcription: undefined,
    language: undefined,
  };
  /** For people; told once, as long as they are the same. */
  readonly warnings: string[] = [];

  /** @param operatorNumber undefined on a real account where it is not set */
  constructor(
    private readonly operatorNumber: string | undefined,
    private readonly warn: (message: string) => void,
  ) {}

  look(source: BotSource): void {
    this.uses = usesOf(source);
    const isLacking = !this.operatorNumber && this.uses.operator;
    if (!isLacking) this.warnings.length = 0;
    if (!isLacking || this.warnings.length > 0) return;
    const warning = `${NO_OPERATOR.message}. ${NO_OPERATOR.fix}`;
    this.warnings.push(warning);
    this.warn(warning);
  }
}
