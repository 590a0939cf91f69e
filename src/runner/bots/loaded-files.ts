import { findSourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';
import type { LoadedFile } from '../../base/exception/exception-of.js';
import { compiledPath, placesOf } from './bot-source.js';

/** In the process of a bot: its files as they were loaded, which may have been saved again since. @param file of the bot */
export function loadedFiles(botFile: string): (file: string) => LoadedFile | undefined {
  return (file) => {
    const map = findSourceMap(compiledPath(botFile, process.pid))?.payload as Partial<SourceMap> | undefined;
    const at = map?.sources?.findIndex(
      (source) => resolve(dirname(botFile), source.replace(/^file:\/\//, '')) === file,
    );
    const text = at === undefined ? undefined : map?.sourcesContent?.[at];
    if (!text) return undefined;
    const places = placesOf(file);
    return text.startsWith(places) ? { text: text.slice(places.length), movedBy: places.length } : { text };
  };
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent: ReadonlyArray<string | undefined>;
}
