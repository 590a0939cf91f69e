import { errorText } from '../../base/error-text.js';
import { VoicebotError } from '../../base/errors.js';
import { packageVersion } from '../../base/package-version.js';
import type { Carrier } from '../carrier.js';
import type { RoomProvider } from '../rooms/room-provider.js';
import { addCarrier } from './carriers.js';
import { addRoomProvider } from './rooms.js';

/** The version of the contract between voicebot and extensions. It grows when an extension that was right before would not be any more. */
export const PROVIDER_CONTRACT = 1;

/** What the package of an extension has as its default export: a carrier that voicebot itself does not have, a room provider, or both. */
export interface VoicebotExtension {
  /** The version of the contract that it was written for: a number, not {@link PROVIDER_CONTRACT}, which changes with voicebot. */
  readonly providerContract: number;
  /** Its wire. The name is small letters, digits and `-`; it is what `--carrier` takes. */
  readonly carrier?: Carrier;
  /**
   * Loads the carrier's own side, by which the offline phone network plays it: a `CarrierSandbox` of `voicebot/testing`. Without it the
   * carrier can be used with an account only.
   */
  readonly sandbox?: () => Promise<object>;
  /** The wire of a room provider. Its name, of the same form, is what the setting `roomsProvider` takes. */
  readonly rooms?: RoomProvider;
  /** As {@link sandbox}, for the room provider: resolves with a `RoomsSandbox` of `voicebot/testing`. */
  readonly roomsSandbox?: () => Promise<object>;
}

/** An extension that this process uses, and what to import for it in another. */
interface UsedExtension {
  readonly extension: VoicebotExtension;
  /** As a person names it; undefined where code has brought it. */
  readonly name: string | undefined;
  readonly url: string | undefined;
}

/** By the names of what they bring. */
const used = new Map<string, UsedExtension>();

/** Where an extension is imported from. */
export interface ExtensionSource {
  /** As a person names it: a package, or a path. */
  readonly name: string;
  /** `file:` address of its module. */
  readonly url: string;
}

/** Those in use that another process of this project has to load as well, such as that of a bot. */
export const extensionSources = (): readonly ExtensionSource[] =>
  [...new Set(used.values())].flatMap(({ name, url }) =>
    name !== undefined && url !== undefined ? [{ name, url }] : [],
  );

/** The extension that brings this carrier, or this room provider, and the name of its package; undefined for those of this project. */
export const extensionOf = (provider: string): UsedExtension | undefined => used.get(provider);

/**
 * Loads extensions; one that is loaded already stays as it is.
 * @param found what is wrong with others, which is told along
 * @throws VoicebotError VB_EXTENSION_INVALID naming everything that is wrong with any of them, on a line each
 */
export async function loadExtensions(
  sources: readonly ExtensionSource[],
  found: readonly ExtensionProblem[] = [],
): Promise<void> {
  const problems = [...found];
  for (const source of sources) {
    if (extensionSources().some(({ url }) => url === source.url)) continue;
    try {
      const { default: exported } = await import(source.url);
      const wrong = await problemsOf(exported, source.name);
      problems.push(...wrong);
      if (wrong.length === 0) use({ extension: exported, ...source });
    } catch (error) {
      problems.push({ text: `${source.name} could not be loaded: ${errorText(error)}` });
    }
  }
  throwIfWrong(problems);
}

/**
 * Uses an extension in this process, for tests of it: afterwards `startSandbox` and the other names of voicebot know what it brings.
 * @returns what ends that
 * @throws VoicebotError VB_EXTENSION_INVALID naming everything that is wrong with it
 */
export async function useExtension(extension: VoicebotExtension): Promise<() => void> {
  throwIfWrong(await problemsOf(extension, 'the extension'));
  return use({ extension, name: undefined, url: undefined });
}

function use(one: UsedExtension): () => void {
  const { carrier, rooms } = one.extension;
  const removals = [carrier && addCarrier(carrier), rooms && addRoomProvider(rooms)];
  const names = [carrier, rooms].flatMap((provider) => provider?.name ?? []);
  for (const name of names) used.set(name, one);
  return () => {
    for (const name of names) used.delete(name);
    for (const remove of removals) remove?.();
  };
}

/** Something that is wrong with an extension. */
export interface ExtensionProblem {
  readonly text: string;
  /** What to do about it, where it is not to be told its author. */
  readonly hint?: string;
}

/** @throws VoicebotError VB_EXTENSION_INVALID when there is one */
function throwIfWrong(problems: readonly ExtensionProblem[]): void {
  if (problems.length === 0) return;
  const hints = [...new Set(problems.flatMap(({ hint }) => hint ?? []))];
  throw new VoicebotError('VB_EXTENSION_INVALID', problems.map(({ text }) => text).join('\n'), {
    hint: hints.join('; ') || 'Tell the author of the extension, or take it out of `extensions`',
  });
}

/** @param name what it is called in messages */
async function problemsOf(exported: unknown, name: string): Promise<readonly ExtensionProblem[]> {
  const { providerContract: contract }: Partial<VoicebotExtension> = Object(exported);
  if (Number.isInteger(contract) && contract !== PROVIDER_CONTRACT) {
    const [older, command] =
      Number(contract) > PROVIDER_CONTRACT
        ? ['voicebot', 'npm install voicebot@latest']
        : [name, `npm install ${name}@latest`];
    return [
      {
        text: `${name} is written for version ${contract} of the provider contract, and voicebot ${packageVersion()} has version ${PROVIDER_CONTRACT}`,
        hint: `Update ${older}: ${command}`,
      },
    ];
  }
  const { shapeProblems } = await import('./extension-shape.js'); // most runs have no extension
  const wrong = shapeProblems(exported);
  return wrong.map((text) => ({ text: `${name}: ${text}` }));
}
