import { writeSync } from 'node:fs';
import { setImmediate as immediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { WebSocket } from 'ws';
import { runnerLinkOf } from '../../../../dist/call/runner-link.js';

/** Says hello in its room, does what it is ordered there, and ends when it is asked to or the room is closed. */
export async function bot(args) {
  const { room_url, token, body, phone_number, call, signal } = args;
  const link = runnerLinkOf({ roomUrl: room_url, token });
  const room = new WebSocket(room_url.replace('http:', 'ws:'));
  const say = (said) => room.readyState === WebSocket.OPEN && room.send(JSON.stringify(said));
  const done = new Promise((resolve, reject) => {
    let isStubborn = false;
    const orders = {
      return: () => resolve(),
      throw: () => reject(new Error('as ordered')),
      throw_arguments: () => reject(Object.assign(new Error('as ordered'), { args, body, cause: body })),
      exit: () => process.exit(3),
      block: () => {
        writeSync(2, 'blocks\n');
        for (;;);
      },
      // A step at a time: on a slow machine the whole would be silence for which the runner ends the process.
      leak: async (mebibytes) => {
        globalThis.leaked = [];
        while (globalThis.leaked.push(Buffer.alloc(2 ** 20, 1)) < Number(mebibytes)) await immediate();
      },
      ignore_stop: () => {
        isStubborn = true;
      },
      tell: (news) => link.tell(news),
      check: (to) => link.checkTarget(to).catch(({ name, code, message, hint }) => ({ name, code, message, hint })),
      print_arguments: () => {
        console.error(args);
        console.error(body);
        console.error(`${JSON.stringify(args)} ${JSON.stringify([body])}`);
        console.error('printed');
      },
      show_body: () => [inspect(body), inspect({ body }, { depth: 9, showHidden: true }), JSON.stringify(body)],
      read_key: () => body.daily_api_key,
    };
    room.on('message', async (data) => {
      const { id, order, argument } = JSON.parse(data);
      say({ id, result: await orders[order](argument) });
    });
    room.on('close', resolve);
    room.on('error', () => {});
    signal.addEventListener('abort', () => {
      say({ event: 'asked_to_end', isReplaced: link.isReplaced() });
      if (!isStubborn) resolve();
    });
  });
  room.on('open', () => {
    const { past, silenceMs } = link;
    const { transport } = args;
    say({ event: 'hello', pid: process.pid, transport, room_url, token, body, phone_number, call, past, silenceMs });
  });
  await done.finally(() => room.close());
}
