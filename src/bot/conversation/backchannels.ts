import { BACKCHANNELS } from '../../call/backchannels.js';
import { type Language, languageOf } from './language.js';

const BY_LANGUAGE: Readonly<Record<Language, readonly string[]>> = BACKCHANNELS;

/** What listeners say to show that they listen. @param language BCP 47, default `en` */
export const backchannelsOf = (language: string | undefined): readonly string[] => BY_LANGUAGE[languageOf(language)];
