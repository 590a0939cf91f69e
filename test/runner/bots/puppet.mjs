import { setImmediate as immediate } from 'node:timers/promises';

/** Does what the far end of its stream orders, and says hello first. Imports only from Node: a test copies it elsewhere. */
export function bot({ websocket, call, signal, body, query }) {
  let isStubborn = false;
  return new Promise((resolve, reject) => {
    const orders = {
      return: () => resolve(),
      throw: () => reject(new Error('as ordered')),
      exit: () => process.exit(3),
      misconfigure: () => reject(ours('VB_CONFIG_INVALID', 'it calls no functions')),
      misread_file: () => reject(ours('VB_WAV_INVALID', 'alaw.wav: there is no data')),
      misread_stream: () => {
        linkOf(websocket).cannotRead(ours('VB_STREAM_UNREADABLE', 'it carries G722'));
        websocket.close(1011);
      },
      throw_later: () =>
        void setImmediate(() => {
          throw Object.assign(new Error('out of luck'), { code: 'E_LUCK' });
        }),
      run_out: () => {
        console.error(
          'FATAL ERROR: out of memory\n----- Native stack trace -----\n\n 1: 0xb78db3 node\n10: 0xb9821 node',
        );
        process.abort();
      },
      block: () => {
        console.error('blocks');
        for (;;);
      },
      close: () => websocket.close(1000),
      end_for: (reason) => linkOf(websocket).endsFor(reason),
      ignore_stop: () => {
        isStubborn = true;
      },
      nothing: () => {},
      // A step at a time: on a slow machine the whole would be silence for which the runner ends the process.
      leak: async (mebibytes) => {
        globalThis.leaked = [];
        while (globalThis.leaked.push(Buffer.alloc(2 ** 20, 1)) < Number(mebibytes)) await immediate();
      },
      flood: () => {
        for (let line = 0; line < 4_096; line += 1) console.error('x'.repeat(1_023));
      },
      say: (text) => linkOf(websocket).timeline?.note({ type: 'said', speaker: 'bot', text }),
      print: () => console.error(`puppet ${process.pid} prints`),
    };
    websocket.on('message', (data) => {
      const { order, argument } = JSON.parse(data);
      orders[order](argument);
      websocket.send(JSON.stringify({ event: 'done', order }));
    });
    websocket.on('close', () => isStubborn || resolve());
    signal.addEventListener('abort', () => isStubborn || resolve());
    const secret = process.env.CARRIER_AUTH_TOKEN;
    websocket.send(JSON.stringify({ event: 'hello', pid: process.pid, call, body, query, secret }));
    websocket.resume();
  });
}

const linkOf = (websocket) => globalThis[Symbol.for('voicebot.runnerLinks')].get(websocket);
const ours = (code, message) => Object.assign(new Error(message), { name: 'VoicebotError', code });
