/** A bot that serves many calls in one process. */
import { pathToFileURL } from 'node:url';
import type { EchoServer } from './bare-server.js';
import { answer } from './questions.js';
import { serveBots } from './serve-bots.js';

const [botFile = ''] = process.argv.slice(2);
const module = await import(pathToFileURL(botFile).href);
const bot = module.bot ?? module.default;
const serving = serveBots(bot);

const questions: EchoServer = { url: () => serving };

answer(questions);
