/**
 * `npm run bench [-- part …]`: measures the built library and prints one table. Without a name it runs the parts that
 * compare; `flood` and `dialing [calls]` put the runner under stress and run when named.
 */
import { compile } from './compile.js';
import { dialing } from './dialing/dialing.js';
import { type Figure, table } from './figure.js';
import { flood } from './flood/flood.js';
import { machineLine } from './machine.js';
import { answering } from './parts/answering.js';
import { carrierEcho } from './parts/carrier-echo.js';
import { memory } from './parts/memory.js';
import { pacing } from './parts/pacing.js';

const COMPARING = { 'carrier-echo': carrierEcho, pacing, answering, memory };
const PARTS: Readonly<Record<string, (calls?: number) => Promise<Figure[]>>> = { ...COMPARING, flood, dialing };

const args = process.argv.slice(2);
const isCount = (arg: string) => /^[1-9]\d{0,5}$/.test(arg);
const calls = args.find(isCount);
const names = args.filter((arg) => !isCount(arg));
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. There are: ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}

const machine = machineLine();
compile();
const figures: Figure[] = [];
for (const name of names.length > 0 ? names : Object.keys(COMPARING)) {
  console.error(`Measuring ${name} …`);
  figures.push(...((await PARTS[name]?.(calls === undefined ? undefined : Number(calls))) ?? []));
}
console.log(`\n${table(figures)}\n\n${machine}`);
