import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Router } from 'express';

/** Not a room's address: those have no dot in them. */
const PATH = '/client.js';
/** Compiled for browsers, with all it imports, from `page/call-object.ts`. */
const MODULE = fileURLToPath(new URL('../../../dist/sandbox/rooms/page/call-object.js', import.meta.url));

/** Pages of any origin may load it: there is nothing secret in it. */
const HEADERS = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** Whether an address, without its origin, is that of the module. */
export const isClientModule = (url: string): boolean => url.split('?', 1)[0] === PATH;

/** The ES module with which a page on this machine joins the rooms: a part of the provider's own client. */
export function clientModule(): Router {
  return Router({ caseSensitive: true, strict: true }).get(PATH, (_request, response) => {
    response.set(HEADERS).type('js').send(readFileSync(MODULE, 'utf8'));
  });
}
