import type { Certificate } from '../../../src/lab/certify/certificate.js';
import { PLANTS, type Plant } from './plants.js';
import { tourOfSandbox } from './tour-of-sandbox.js';

/** So many tours beside each other. */
const AT_ONCE = 3;

/** What is different, in one line each. */
const told = ({ differences }: Certificate) =>
  differences.map(({ step, kind, where, field }) => `${step}: ${kind}: ${where}${field ? `: ${field}` : ''}`);

/** Tours in which nothing is planted. */
const UNPLANTED: readonly Pick<Plant, 'title' | 'carrier' | 'step' | 'deviation'>[] = (
  ['plivo', 'twilio', 'telnyx'] as const
).map((carrier) => ({ title: `nothing at ${carrier}`, carrier, step: 'transfer', deviation: () => ({}) }));

const found = new Map<string, Certificate>();

beforeAll(async () => {
  const waiting = [...PLANTS, ...UNPLANTED];
  const play = async () => {
    for (let plant = waiting.shift(); plant; plant = waiting.shift()) {
      found.set(plant.title, await tourOfSandbox(plant.carrier, [plant.step], plant.deviation()));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, play));
}, 600_000);

test.each(PLANTS)('finds and names: $title', ({ title, step, finds }) => {
  const certificate = found.get(title) as Certificate;
  const { kind, where, field } = finds;
  expect(told(certificate)).toContain(`${step}: ${kind}: ${where}${field ? `: ${field}` : ''}`);
  expect(certificate.differences).toContainEqual(expect.objectContaining({ step, ...finds }));
});

test.each(UNPLANTED)('invents $title where nothing is planted', ({ title }) => {
  const certificate = found.get(title) as Certificate;
  expect(told(certificate)).toEqual([]);
  expect(certificate.steps.filter(({ state }) => state === 'failed')).toEqual([]);
});

test('names one difference for each that was planted, what follows from it, and no other', () => {
  const others = PLANTS.flatMap(({ title, finds, also = /^$/ }) => {
    const differences = found.get(title)?.differences ?? [];
    return differences
      .filter((one) => one.kind !== finds.kind || one.field !== finds.field)
      .map(({ kind, where, field = '' }) => `${kind}: ${where}: ${field}`)
      .filter((one) => !also.test(one))
      .map((one) => `${title}: ${one}`);
  });
  expect(others).toEqual([]);
});
