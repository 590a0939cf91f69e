import { interruptedCalls } from './live/interrupted-call.js';
const [wire='plivo', n='2', times='4'] = process.argv.slice(2);
const made = await interruptedCalls(wire as never, {calls:Number(n), times:Number(times)});
console.log(made.silences.join(' ')); console.log(made.cuts.map(x=>x.rememberedMs-x.recordedMs).join(' '));
process.exit();
