import { VoicebotError } from '../../base/errors.js';
import type { DeclaredDisclosure } from '../../call/disclosure.js';
import { countriesOf } from './dial-target.js';

/**
 * Where who is called by a machine must be told so: the member states of the European Union, and the parts of them that numbering plans and
 * ISO 3166-1 have apart and in which its law applies (Åland, and French regions overseas).
 * @see Regulation (EU) 2024/1689, Article 50(1), applicable from 2 August 2026 (Article 113); Articles 349 and 355 TFEU
 */
const UNION: ReadonlySet<string> = new Set(
  'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE AX GF GP MF MQ RE YT'.split(' '),
);

export const NOT_NEEDED_SETTING = 'VOICEBOT_DISCLOSURE_NOT_NEEDED';

/** What says that the callee is told, or why they need not be. */
export interface DisclosureSettings {
  /** What the bot says of it; undefined for nothing. */
  readonly disclosure?: (() => DeclaredDisclosure | undefined) | undefined;
  /** Why no bot of this runner needs to. */
  readonly disclosureNotNeeded?: string | undefined;
}

/**
 * A number may be called by a machine.
 * @param number E.164
 * @throws VoicebotError VB_DISCLOSURE_MISSING
 */
export async function checkDisclosed(number: string, settings: DisclosureSettings): Promise<void> {
  if (settings.disclosure?.() !== undefined || settings.disclosureNotNeeded !== undefined) return;
  const countries = await countriesOf(number);
  const country = countries.find((one) => UNION.has(one));
  if (country === undefined) return;
  throw new VoicebotError('VB_DISCLOSURE_MISSING', `callees in ${country} must be told so`, {
    hint: `give the bot disclosure: { text: 'You are talking to a machine …', when: 'outbound' }; or say why it need not: disclosure: { notNeeded: 'reason' } in the bot, or ${NOT_NEEDED_SETTING}=reason. A bot that is a bare function (with acceptCall) cannot tell what it says: it needs that setting`,
  });
}
