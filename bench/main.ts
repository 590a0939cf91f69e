/** `npm run bench [-- part …]`: measures the built library and prints one table. */
import { compile } from './compile.js';
import { type Figure, table } from './figure.js';
import { machineLine } from './machine.js';
import { answering } from './parts/answering.js';
import { carrierEcho } from './parts/carrier-echo.js';
import { memory } from './parts/memory.js';
import { pacing } from './parts/pacing.js';

const PARTS: Readonly<Record<string, () => Promise<Figure[]>>> = {
  'carrier-echo': carrierEcho,
  pacing,
  answering,
  memory,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. There are: ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}

const machine = machineLine();
compile();
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.error(`Measuring ${name} …`);
  figures.push(...(await measure()));
}
console.log(`\n${table(figures)}\n\n${machine}`);
