// A program of one's own, without a runner: joins a room, says something until it is heard to its end, and leaves.
import * as vb from 'voicebot';

const [roomUrl, token, seconds] = process.argv.slice(2);
const transport = new vb.RoomsTransport(roomUrl, token, 'Program', { apiKey: 'key', apiUrl: 'http://127.0.0.1:9' });
const task = new vb.PipelineTask(new vb.Pipeline([transport.input(), transport.output()]));
transport.on('joined', () => {
  process.stdout.write('joined\n');
  const hold = vb.ToneSource.hold().read(8_000 * Number(seconds));
  for (const frame of [new vb.OutputAudioFrame(hold, 8_000), new vb.EndFrame()]) task.queueFrame(frame);
});
await task.run();
process.stdout.write('over\n');
