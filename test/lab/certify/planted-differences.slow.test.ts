import type { Certificate } from '../../../src/lab/certify/certificate.js';
import { PLANTS } from './plants.js';
import { tourOfSandbox } from './tour-of-sandbox.js';

/** So many tours beside each other. */
const AT_ONCE = 3;

/** What is different, in one line each. */
const told = ({ differences }: Certificate) =>
  differences.map(({ step, kind, where, field }) => `${step}: ${kind}: ${where}${field ? `: ${field}` : ''}`);

const found = new Map<string, Certificate>();

beforeAll(async () => {
  const waiting = [...PLANTS];
  const play = async () => {
    for (let plant = waiting.shift(); plant; plant = waiting.shift()) {
      found.set(plant.title, await tourOfSandbox(plant.carrier, [plant.step], plant.deviation));
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
