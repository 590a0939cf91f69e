import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOf } from '../../base/http/inline-hash.js';
import type { CallFolder } from '../../call/folder/read-call-folder.js';
import { CALL_DATA_ID, type CallPageData } from '../../call/view/call-page-data.js';
import { conclusionOf } from '../../call/view/conclusion.js';
import { errorSectionOf } from '../../call/view/error-section.js';
import { keptOf } from '../../runner/operator/call-feed.js';
import { PeakReader } from '../../runner/operator/peaks.js';
import { html, jsonInHtml } from './html.js';
import { GENERATOR } from './report-folder.js';

const PAGE = fileURLToPath(new URL('../../../assets/call.html', import.meta.url));
const ERRORS = fileURLToPath(new URL('../../../docs/errors.md', import.meta.url));
/** As many as a call of two minutes has. */
const MOST_PEAKS = 12_000;

/** What the page says beside what is in the folder of the call. */
export type CallPageHead = Pick<CallPageData, 'title' | 'back' | 'tone' | 'notes'>;

/** The page of a call as one file, with its sound: the view of the runner's page, with all that it shows in it. It loads nothing. */
export async function callPage(folder: CallFolder, head: CallPageHead): Promise<string> {
  const { record, events } = folder;
  const { code } = conclusionOf(record, events, true);
  const section = code && errorSectionOf(readFileSync(ERRORS, 'utf8'), code);
  const recording = await recordingOf(folder);
  const data: CallPageData = {
    ...head,
    record,
    events,
    kept: await keptOf(folder),
    ...(recording && { recording }),
    errors: code && section ? { [code]: section } : {},
  };
  return withData(readFileSync(PAGE, 'utf8'), data);
}

async function recordingOf({ path, audio }: CallFolder): Promise<CallPageData['recording']> {
  const peaks = audio && (await new PeakReader().read(join(path, 'audio.wav'), MOST_PEAKS));
  return peaks && { peaks, audio: readFileSync(audio.path).toString('base64') };
}

/** The page may run and show what is in it, and load nothing. */
function withData(page: string, data: CallPageData): string {
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(page, 'script')}`,
    `style-src ${hashOf(page, 'style')}`,
    'media-src blob:',
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const head = html`<meta http-equiv="Content-Security-Policy" content="${policy}">`.text;
  const title = html`<title>${data.title}</title>`.text;
  const place = '<div id="page"></div>';
  const script = html`<script type="application/json" id="${CALL_DATA_ID}">${jsonInHtml(data)}</script>`.text;
  return page
    .replace('<title>voicebot</title>', () => `${head}\n${GENERATOR}\n${title}`)
    .replace(place, () => `${place}\n${script}`);
}
