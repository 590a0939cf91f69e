import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { VoicebotError } from '../../base/errors.js';
import { VENDORS, type VendorName } from '../../bot/services/vendor.js';
import type { PaidService } from '../../call/call-cost.js';
import type { ServiceUnit } from '../../call/usage.js';
import { resolveConfig } from '../../config/config.js';
import { PRICES_FILE } from '../../config/files.js';
import { CARRIER_NAMES } from '../../providers/registry/carrier-names.js';
import { usesOf } from '../../runner/bots/bot-uses.js';
import { EXAMPLE_SOURCE } from '../../runner/costs/prices.js';
import type { CliContext } from '../../terminal/context.js';
import type { Output } from '../../terminal/output.js';

/** What a vendor may be paid for, by what each of its services is paid by. */
type PaidFor = Readonly<Partial<Record<PaidService, readonly ServiceUnit[]>>>;

const TEXT_TOKENS = ['input_token', 'cached_input_token', 'output_token'] as const;
const AUDIO_TOKENS = ['input_audio_token', 'cached_input_audio_token', 'output_audio_token'] as const;
const MODEL: PaidFor = { language_model: TEXT_TOKENS };

/** Which services of each vendor a bot can use. */
const PAID_FOR: Readonly<Record<VendorName, PaidFor>> = {
  deepgram: { speech_to_text: ['second'], text_to_speech: ['character'] },
  cartesia: { text_to_speech: ['character'] },
  elevenlabs: { speech_to_text: ['second'], text_to_speech: ['character'] },
  openai: {
    ...MODEL,
    live: [...TEXT_TOKENS, ...AUDIO_TOKENS],
    speech_to_text: ['second'],
    text_to_speech: ['character'],
  },
  anthropic: { language_model: [...TEXT_TOKENS, 'cache_write_token'] },
  xai: { ...MODEL, live: ['second'] },
  groq: MODEL,
  assemblyai: { speech_to_text: ['second'] },
  google: { ...MODEL, live: [...TEXT_TOKENS, ...AUDIO_TOKENS], text_to_speech: ['character'] },
};

const EXAMPLE = `${EXAMPLE_SOURCE}, no price: put in what you pay, and where and when you have read it`;

/** An item as the file has it. */
interface WrittenItem {
  readonly provider: string;
  readonly service: PaidService;
  readonly direction?: string;
  readonly prefix?: string;
  readonly unit: ServiceUnit | 'minute';
  readonly per?: number;
  readonly amount: string;
  readonly rounding?: number;
  readonly source: string;
}

export interface ExampleRequest {
  /** Default: that of the configuration. */
  readonly bot: string | undefined;
  /** ISO 4217. */
  readonly currency: string;
}

/**
 * Writes an example beside the configuration, or to the file that the setting names: every amount in it says that it is one.
 * @throws VoicebotError VB_FILE_EXISTS, VB_CONFIG_INVALID, VB_BOT_LOAD_FAILED when there is no such bot file
 */
export async function writeExamplePrices(
  { bot, currency }: ExampleRequest,
  { environment, directory }: Pick<CliContext, 'environment' | 'directory'>,
  output: Output,
): Promise<void> {
  const config = await resolveConfig({ flags: {}, environment, directory });
  const path = config.prices ?? join(directory, PRICES_FILE);
  if (existsSync(path)) {
    throw new VoicebotError('VB_FILE_EXISTS', path, { hint: 'Check it: npx voicebot prices check' });
  }
  const named = bot ?? config.bot;
  const vendors = named === undefined ? [] : vendorsIn(resolve(directory, named));
  const { carrier, accounts } = config.carriers;
  const known = accounts.map((account) => account.carrier);
  const carriers = known.length > 0 ? known : carrier ? [carrier] : CARRIER_NAMES;
  const rooms = config.roomsApiKey === undefined && config.transport !== 'rooms' ? [] : [config.roomsProvider];
  const items = [
    ...carriers.flatMap((name) => carrierItems(name, 'media_stream')),
    ...rooms.flatMap((name) => carrierItems(name, 'room')),
    ...vendors.flatMap(vendorItems),
  ];
  const note =
    'Every amount is an example. Replace each with what you pay; remove what you do not use. See docs/costs.md';
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ note, currency, items }, undefined, 2)}\n`, { flag: 'wx' });
  output.event('prices_written', { file: path, items: items.length, vendors, carriers: [...carriers, ...rooms] });
  output.line(`Wrote ${path}: ${items.length} items, each with an example in the place of the amount.`);
  output.line('Put in what you pay. Then see what is missing: npx voicebot prices check');
}

function vendorsIn(file: string): readonly VendorName[] {
  let code: string;
  try {
    code = readFileSync(file, 'utf8');
  } catch (error) {
    throw new VoicebotError('VB_BOT_LOAD_FAILED', `${file} cannot be read`, { cause: error });
  }
  return usesOf({ file, code }).providers;
}

const carrierItems = (provider: string, media: 'media_stream' | 'room'): WrittenItem[] => [
  ...(['inbound', 'outbound'] as const).map(
    (direction): WrittenItem => ({ provider, service: 'carrier', direction, ...minutes(60) }),
  ),
  { provider, service: 'carrier', direction: 'outbound', prefix: '+49', ...minutes(60) },
  { provider, service: media, ...minutes(60) },
];

const minutes = (rounding: number) => ({ unit: 'minute', amount: '1', rounding, source: EXAMPLE }) as const;

function vendorItems(vendor: VendorName): WrittenItem[] {
  const provider = VENDORS[vendor].name;
  return Object.entries(PAID_FOR[vendor]).flatMap(([service, units]) =>
    units.map((unit): WrittenItem => {
      const of = { provider, service: service as PaidService };
      if (unit === 'second') return { ...of, unit: 'minute', amount: '1', source: EXAMPLE };
      return { ...of, unit, per: unit === 'character' ? 1_000 : 1_000_000, amount: '1', source: EXAMPLE };
    }),
  );
}
