/** Prometheus itself reads the metrics of runners with calls. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { END, scriptedModel } from '../../templates/scripted-model.js';
import { TemplateUnderTest } from '../../templates/template-under-test.js';
import { send } from '../hand-carrier.js';
import { botFile, RUNNER_TOKEN, RunnerUnderTest } from '../runner-under-test.js';
import { dashboardQueries } from './dashboard.js';
import { complaintsAbout, Prometheus, prometheusTest } from './prometheus.js';

prometheusTest()(
  'reads a conversation, and what every panel of the dashboard asks for (needs prometheus)',
  async () => {
    await using template = await TemplateUnderTest.start('answer', {
      transport: 'carrier',
      texts: ['When are you open?', 'Goodbye then.'],
      replies: scriptedModel({ open: { text: 'We are open from seven to six.' }, Goodbye: END }),
    });
    const { url } = template.served.runner;
    await using prometheus = await Prometheus.start([{ job: 'voicebot', url }]);
    await prometheus.shows('up', { voicebot: 1 });
    await prometheus.shows('sum by (job) (voicebot_calls_ended_total)', { voicebot: 0 });
    await using caller = await template.caller();
    await template.says('Hello, this is Bluebird Bakery.');
    await prometheus.shows('voicebot_calls_live{state="connected"} == 1', { inbound: 1 }, 'direction');
    await caller.says();
    await template.says('from seven to six');
    await caller.begins(); // the voice is asked before the answer is heard
    await caller.says();
    await template.ended();
    await prometheus.shows('voicebot_calls_ended_total{end_reason="bot_ended"}', { inbound: 1 }, 'direction');
    await prometheus.shows('voicebot_turn_latency_seconds_count', { caller_stopped: 1 }, 'since');
    await prometheus.shows('voicebot_call_setup_seconds_count{until="first_audio"}', { inbound: 1 }, 'direction');
    const positive = async (query: string) =>
      expect([query, (await prometheus.query(query)).voicebot]).toEqual([query, expect.any(Number)]);
    await positive('sum by (job) (voicebot_bot_speech_seconds_total) > 1');
    await positive('sum by (job) (voicebot_bots{state="warm"}) > 0');
    await positive('voicebot_bots_memory_bytes > 20e6');
    await positive('sum by (job) (voicebot_event_loop_delay_seconds_count{process="bot"}) > 0');
    await positive('sum by (job) (voicebot_turn_step_seconds_count{step="voice"}) > 0');
    await positive('sum by (job) (voicebot_model_answers_total{outcome="ok"}) > 1');
    await positive('process_resident_memory_bytes > 20e6');
    for (const query of dashboardQueries()) {
      const shown = query.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*');
      await expect(prometheus.query(shown)).resolves.toBeDefined();
    }
    expect(complaintsAbout((await send(`${url}/metrics`)).body)).toBe('');
  },
  120_000,
);

prometheusTest()(
  'brings the token where it is wanted, and sees bots that die and bots that do not load (needs prometheus)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'voicebot-metrics-'));
    const file = join(folder, 'bot.mjs');
    copyFileSync(botFile('puppet.mjs'), file);
    await using served = await RunnerUnderTest.start({ isOpenLocally: false, botFile: file });
    const { url } = served.runner;
    await using prometheus = await Prometheus.start([
      { job: 'ours', url, token: RUNNER_TOKEN },
      { job: 'stranger', url },
    ]);
    await prometheus.shows('up', { ours: 1, stranger: 0 });
    const stream = await served.carrier.call();
    stream.order('exit');
    await prometheus.shows('voicebot_bot_deaths_total > 0', { busy: 1 }, 'state');
    await prometheus.shows('voicebot_bots', { warm: 1 }, 'state');
    writeFileSync(file, 'throw new Error("no more");');
    await served.carrier.call();
    await prometheus.shows('voicebot_bot_deaths_total{state="starting"} >= bool 1', { starting: 1 }, 'state');
    rmSync(folder, { recursive: true });
  },
  60_000,
);
