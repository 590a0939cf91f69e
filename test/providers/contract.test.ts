import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = process.cwd();
/** Who knows the providers' own words: their folders, their far ends on loopback, and the dialects of speech companies. */
const INSIDE = /^(providers|sandbox|bot\/services|lab\/kit)\//;
const outside = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !INSIDE.test(file))
  .map((file) => [file, readFileSync(join(ROOT, 'src', file), 'utf8')] as const);

/** Finds a provider for whoever needs one, by what each says of itself. */
const registry = readdirSync(join(ROOT, 'src/providers/registry')).map(
  (file) => [file, readFileSync(join(ROOT, 'src/providers/registry', file), 'utf8')] as const,
);

/** The members of an interface, in the order they are written. */
function membersOf(file: string, name: string): string[] {
  const source = readFileSync(join(ROOT, 'src', file), 'utf8');
  const [, body = ''] = new RegExp(`^export interface ${name} .*?\\{\\n(.*?)^\\}`, 'ms').exec(source) ?? [];
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member = '']) => member);
}

test.each([
  ['providers/carrier.ts', 'Carrier'],
  ['providers/carrier.ts', 'CarrierCapabilities'],
  ['providers/carrier.ts', 'CarrierRestClient'],
  ['providers/carrier.ts', 'StreamCodec'],
  ['providers/rooms/room-provider.ts', 'RoomProvider'],
  ['providers/rooms/room-provider.ts', 'RoomsRestClient'],
])('everything that %s asks of a %s is used', (file, name) => {
  const members = membersOf(file, name);
  expect(members.length).toBeGreaterThan(1);
  const isUsed = (member: string) =>
    [...outside, ...registry].some(([, text]) => new RegExp(`\\.${member}\\b`).test(text));
  expect(members.filter((member) => !isUsed(member))).toEqual([]);
});

test.each([
  'CallUUID',
  'request_uuid',
  'answer_url',
  'aleg_url',
  'extra_headers',
  'CallSid',
  'VoiceUrl',
  'StatusCallback',
  'pinless',
  'hmac:',
  'dg-error',
  'Cartesia-Version',
])("the provider's word %s stays inside its folder", (word) => {
  expect(outside.filter(([, text]) => text.includes(word)).map(([file]) => file)).toEqual([]);
});
