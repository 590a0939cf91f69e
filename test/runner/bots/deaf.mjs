import { bot as puppet } from './puppet.mjs';

/** Does not listen before the attempt that the call's address names; then it is a puppet. */
export function bot(args) {
  console.error(`deaf ${process.pid}`);
  return args.call.attempt < Number(args.query.listens_at ?? 2) ? new Promise(() => {}) : puppet(args);
}
