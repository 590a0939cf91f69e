// A program of one's own, without a runner: joins a room, says something until it is heard to its end, and leaves.
import { EndFrame, Pipeline, PipelineTask, RoomsTransport } from 'voicebot';
import { OutputAudioFrame, ToneSource } from 'voicebot/pipeline';

const [roomUrl, token, seconds] = process.argv.slice(2);
const transport = new RoomsTransport(roomUrl, token, 'Program', { apiKey: 'key', apiUrl: 'http://127.0.0.1:9' });
const task = new PipelineTask(new Pipeline([transport.input(), transport.output()]));
transport.on('joined', () => {
  process.stdout.write('joined\n');
  const hold = ToneSource.hold().read(8_000 * Number(seconds));
  for (const frame of [new OutputAudioFrame(hold, 8_000), new EndFrame()]) task.queueFrame(frame);
});
await task.run();
process.stdout.write('over\n');
