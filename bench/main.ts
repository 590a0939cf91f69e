/**
 * `npm run bench [-- part …]`: measures the built library and prints each figure when it has it. A part that needs a program which
 * is not installed is left out, and named. Without a name it runs the parts that compare, `carrier-echo [calls …]` and `stall [calls]` among
 * them, which say what an echo costs, and how soon it is in time again after its process has stood still. When named: `carrier-dialects
 * [calls]` says what an echo costs in the dialect of each carrier; `capacity [rounds]` finds the largest number of calls that meets the limits
 * of `voicebot load --find`, beside what that finds; `flood`, `rush [calls]` and
 * `dialing [calls]` put the runner under stress, `bridge [calls] [seconds]` says how late two people hear each other whom a bot has joined, what
 * that costs beside an echo, what they hear at the joints between two sounds, and how it lasts on a line with jitter and with clocks that
 * differ: an hour by a simulated clock, and so many seconds of real time, `disclosure [calls] [at once]` kills bots that say what has to be heard first, `do-not-call [numbers]` a do-not-call list in a file and in a cluster, `rooms-answer [calls]` and `rooms-mixing [rooms]` measure calls in the sandbox's rooms,
 * `rooms-recovery [calls]` says how soon another bot takes over from one that dies; `rooms-answer-browser [calls]`,
 * `rooms-delay [seconds]` and `rooms-load [calls …]` say what joining rooms through a browser costs, beside the built-in connection: until
 * the first audio, in delay of the audio both ways, in processor time and memory. `voice-detection` says how well speech is told
 * from noise, `voice-codecs` how near audio in rooms is to what was said, `conversation-latency [turns]` says how long the steps of an
 * answer take us, `conversations [calls]` has many of them at once, `failing-services` has models and voices fail at every moment of a call and
 * tells what the caller hears by the sound, without a second and with one, `beside-livekit [turns] [ours] [group …]` has the same calls with LiveKit
 * Agents, `recording [calls]` says what a folder of each call costs, `tape [calls]` what
 * recording their audio does, and `help [times]` says how long a person waits for the help of
 * each command.
 *
 * Three runners behind HAProxy, with a Redis: `cluster-calls [calls] [seconds] [runners]` has callers come and go; `cluster-kill
 * [calls] [seconds] [runners] [deaths]` lets machines die among them, `cluster-restart [calls] [seconds] [runners] [drain seconds]`
 * restarts the runners in turn, `cluster-debts [calls] [runners]` says how soon the others settle what a machine that dies still owes the
 * provider; each also as `cluster-rooms-…`. `cluster-overhead [webhooks]` says what the cluster adds to a webhook,
 * `cluster-campaign [rows] [per minute] [at once] [runners]` places calls while runners die and Redis stops. One runner is measured alone,
 * without Redis.
 */
import { BESIDE_WORDS, besideLivekit } from './beside/beside-livekit.js';
import { clusterCalls } from './cluster/cluster-calls.js';
import { clusterCampaign } from './cluster/cluster-campaign.js';
import { clusterDebts } from './cluster/cluster-debts.js';
import { clusterKill } from './cluster/cluster-kill.js';
import { clusterOverhead } from './cluster/cluster-overhead.js';
import { clusterRedis } from './cluster/cluster-redis.js';
import { clusterRestart } from './cluster/cluster-restart.js';
import { clusterUpgrade } from './cluster/cluster-upgrade.js';
import { doNotCall } from './cluster/do-not-call.js';
import { compile } from './compile.js';
import { conversationLatency } from './conversation/conversation-latency.js';
import { conversations } from './conversation/conversations.js';
import { dialing } from './dialing/dialing.js';
import { disclosure } from './dialing/disclosure.js';
import { failingLive } from './failing/failing-live.js';
import { failingServices } from './failing/failing-services.js';
import { type Figure, heading, row } from './figure.js';
import { flood } from './flood/flood.js';
import { bridge } from './handover/bridge.js';
import { liveConversations } from './live/live-conversations.js';
import { liveInterruptions } from './live/live-interruptions.js';
import { voiceToVoice } from './live/voice-to-voice.js';
import { machineLine } from './machine.js';
import { MissingProgram } from './missing-program.js';
import { answering } from './parts/answering.js';
import { capacity } from './parts/capacity.js';
import { carrierDialects } from './parts/carrier-dialects.js';
import { carrierEcho } from './parts/carrier-echo.js';
import { firstFrame } from './parts/first-frame.js';
import { help } from './parts/help.js';
import { memory } from './parts/memory.js';
import { pacing } from './parts/pacing.js';
import { recording } from './parts/recording.js';
import { rush } from './parts/rush.js';
import { stall } from './parts/stall.js';
import { tape } from './parts/tape.js';
import { voiceCodecs } from './parts/voice-codecs.js';
import { voiceDetection } from './parts/voice-detection.js';
import { roomsAnswer, roomsAnswerBrowser } from './rooms/rooms-answer.js';
import { roomsDelay } from './rooms/rooms-delay.js';
import { roomsLoad } from './rooms/rooms-load.js';
import { roomsMixing } from './rooms/rooms-mixing.js';
import { roomsRecovery } from './rooms/rooms-recovery.js';

const COMPARING = { 'carrier-echo': carrierEcho, 'first-frame': firstFrame, stall, pacing, answering, memory };
const RECORDING = { recording, tape };
const STRESSING = {
  flood,
  rush,
  dialing,
  bridge,
  'do-not-call': doNotCall,
  disclosure,
  capacity,
  'carrier-dialects': carrierDialects,
};
const CONVERSING = {
  'conversation-latency': conversationLatency,
  conversations,
  'failing-services': failingServices,
  'failing-live': failingLive,
  'beside-livekit': (turns?: number) => besideLivekit(turns, words),
};
const LIVE = {
  'voice-to-voice': voiceToVoice,
  'live-conversations': liveConversations,
  'live-interruptions': liveInterruptions,
};
const HEARING = { 'voice-detection': voiceDetection, 'voice-codecs': voiceCodecs };
const WAITING = { help };
const ROOMS = {
  'rooms-answer': roomsAnswer,
  'rooms-answer-browser': roomsAnswerBrowser,
  'rooms-mixing': roomsMixing,
  'rooms-recovery': roomsRecovery,
  'rooms-delay': roomsDelay,
  'rooms-load': roomsLoad,
};
const CLUSTER = {
  'cluster-calls': clusterCalls('carrier'),
  'cluster-kill': clusterKill('carrier'),
  'cluster-restart': clusterRestart('carrier'),
  'cluster-upgrade': clusterUpgrade,
  'cluster-debts': clusterDebts('carrier'),
  'cluster-rooms-calls': clusterCalls('rooms'),
  'cluster-rooms-kill': clusterKill('rooms'),
  'cluster-rooms-restart': clusterRestart('rooms'),
  'cluster-rooms-debts': clusterDebts('rooms'),
  'cluster-overhead': clusterOverhead,
  'cluster-redis': clusterRedis,
  'cluster-campaign': clusterCampaign,
};
const args = process.argv.slice(2);
/** Those that say which calls are had beside LiveKit. */
const words = args.filter((arg) => args.includes('beside-livekit') && BESIDE_WORDS.includes(arg));
const PARTS: Readonly<Record<string, (...counts: number[]) => AsyncIterable<Figure>>> = {
  ...COMPARING,
  ...RECORDING,
  ...STRESSING,
  ...ROOMS,
  ...HEARING,
  ...CONVERSING,
  ...LIVE,
  ...WAITING,
  ...CLUSTER,
};

const isCount = (arg: string) => /^[1-9]\d{0,5}$/.test(arg);
const counts = args.filter(isCount).map(Number);
const names = args.filter((arg) => !isCount(arg) && !words.includes(arg));
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. There are: ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}

const machine = machineLine();
compile();
const leftOut: string[] = [];
console.log(`${machine}\n\n${heading()}`);
for (const name of names.length > 0 ? names : Object.keys(COMPARING)) {
  console.error(`Measuring ${name} …`);
  try {
    for await (const figure of PARTS[name]?.(...counts) ?? []) console.log(row(figure));
  } catch (error) {
    if (!(error instanceof MissingProgram)) throw error;
    leftOut.push(`${name}: ${error.message}`);
  }
}
for (const reason of leftOut) console.log(`\nLeft out: ${reason}`);
