import { sentencesOf } from './plain-words.js';

/** Of whole words without marks, capitals and accents. */
const PATTERNS: readonly string[] = [
  // English: "don't record this", "stop recording", "I do not want to be recorded", "I object to the recording", "delete the recording"
  "(?:please )?(?:do not|don't|dont|never) (?:you )?(?:dare )?(?:to )?(?:record|tape)(?: me| this| it| us| that| the call| this call| my voice| our (?:call|conversation)| anything)?(?! (?:yet|my order|my address|my name|it as))",
  '(?:stop|quit|cease|end|turn off|switch off|shut off|disable|cancel) (?:the |this |that |your |any |with the )?(?:call )?(?:recording|taping)(?! (?:device|studio|session))',
  "(?:i|we) (?:really |just )?(?:do not|don't|dont|did not|didn't) (?:want|wish|agree|consent|like|allow|permit|give you permission)(?: for| to| with| you| it| this| that| the| call| me| us| my)*(?: (?:be|being|get|getting))?(?: call)? (?:recorded|record|recording|taped|taping)",
  "(?:i'd|i would|we'd|we would) (?:rather|prefer)(?: that)?(?: you)?(?: this| it| the call)?(?: was| were)? (?:not|didn't|did not|don't)(?: to)?(?: be)?(?: being)? (?:recorded|record|recording|taped)",
  "(?:i|we) (?:strongly )?(?:object|do not consent|don't consent|refuse|decline|am against|withdraw my consent)(?: to| being| be| for| the| this| any| of)* (?:recorded|recording|recordings)",
  '(?:no recording|without (?:a |the |any )?recording|not be recorded)(?: please)?$',
  "(?:delete|erase|remove|destroy) (?:the |this |that |my |your |any |what you |everything you |whatever you )?(?:have |'ve )?(?:recording|recorded)",
  // German
  '(?:nicht|keinesfalls|auf keinen fall) (?:aufzeichnen|aufnehmen|mitschneiden|aufgezeichnet|aufgenommen|mitgeschnitten)(?: werden| wird| wissen)?',
  '(?:keine|die|diese|ihre|eure) (?:gesprachs)?(?:aufzeichnung|aufnahme|mitschnitt)(?: bitte)? (?:bitte |sofort |jetzt )?(?:stoppen|stopp|beenden|abbrechen|abstellen|ausschalten|loschen|unterlassen)',
  '(?:den|diesen|keinen) mitschnitt(?: bitte)? (?:bitte |sofort |jetzt )?(?:stoppen|stopp|beenden|abbrechen|abstellen|ausschalten|loschen|unterlassen)',
  '(?:stoppen|beenden|unterlassen|loschen|brechen|schalten|stellen) sie (?:bitte |sofort |jetzt )?(?:die|diese|den|diesen) (?:gesprachs)?(?:aufzeichnung|aufnahme|mitschnitt)',
  '(?:ich|wir) (?:widerspreche|widersprechen|lehne|lehnen)(?: hiermit| ausdrucklich)? (?:der|einer|dieser|die|eine|diese|dem) (?:gesprachs)?(?:aufzeichnung|aufnahme|mitschnitt)',
  '(?:ich|wir) (?:mochte|mochten|will|wollen|wunsche|erlaube|stimme)(?: bitte)? (?:keine|keiner|keinen) (?:gesprachs)?(?:aufzeichnung|aufnahme|mitschnitt)',
  '(?:ich bin|wir sind) (?:mit der|mit einer|gegen die|gegen eine) (?:gesprachs)?(?:aufzeichnung|aufnahme)(?: nicht einverstanden)',
  '(?:ich bin|wir sind) gegen (?:die|eine|den|einen) (?:gesprachs)?(?:aufzeichnung|aufnahme|mitschnitt)',
  '(?:bitte )?(?:keine (?:gesprachs)?aufzeichnung|keine aufnahme|kein mitschnitt|ohne aufzeichnung|ohne aufnahme)(?: bitte)?$',
  // Spanish
  '(?:no (?:me |nos |lo |la )?(?:grabe|graben|grabes|grabeis|registre))(?: la llamada| esta llamada| esto| nada| la conversacion)?',
  'no (?:quiero|queremos|deseo|acepto|autorizo|consiento|permito|doy permiso)(?: para| a)?(?: que)?(?: se)?(?: me| nos)?(?: la| esta| lo| ser| sea)?(?: llamada| conversacion)?(?: que)?(?: sea)? (?:graben|grabe|grabada|grabado|grabar|grabarme|grabacion|la grabacion)',
  '(?:pare|paren|detenga|detengan|deje|dejen|apague|corte|quite|borre|borren|elimine|eliminen|cancele)(?: por favor)?(?: de)?(?: la| esta| lo)? (?:grabacion|grabar|grabarme|grabado)',
  '(?:me opongo|nos oponemos|me niego|no estoy de acuerdo)(?: con| a)?(?: que)?(?: se)?(?: me| la| esta)?(?: llamada)? (?:grabacion|grabe|graben|ser grabad[oa])',
  '(?:sin grabar|sin grabacion|nada de grabar|nada de grabaciones)(?: por favor)?$',
  // French
  "(?:(?:ne |n')(?:m'|nous |l')?|m')enregistre[zr]? (?:pas|rien)(?: cet appel| l'appel| la conversation| ceci)?",
  "(?:je|nous|on) (?:ne |n')?(?:veux|voulons|souhaite|souhaitons|desire|accepte|acceptons|consens|autorise|suis) pas(?: d'accord)?(?: pour)?(?: a)?(?: que)?(?: cet appel| l'appel| la conversation| cette conversation)?(?: vous)?(?: etre| soit| soyez| a etre| d'etre| m'| que vous m')? ?(?:enregistree?s?|enregistriez|enregistrer|l'enregistrement|enregistrement)",
  "je (?:ne |n')?(?:veux|souhaite) pas (?:d'|que vous m'|qu'on m'|etre |d'etre )(?:enregistrement|enregistriez|enregistre|enregistree?)",
  "(?:arretez|arreter|stoppez|coupez|cessez|supprimez|effacez|supprimer|effacer)(?: s'il vous plait)? (?:l'|cet |votre |tout |de m'|d')?(?:enregistrement|enregistrer)",
  "(?:je m'oppose|nous nous opposons|je refuse|nous refusons)(?: a| que)? (?:l'|cet |tout |d'etre |cet appel soit |l'appel soit )?(?:enregistrement|enregistree?)",
  "(?:pas d'enregistrement|sans enregistrement|sans enregistrer)(?: s'il vous plait)?$",
  // Italian
  'non (?:mi |ci |la |lo )?(?:registri|registrate|registrare|registrarmi|registrarci)(?: la chiamata| questa chiamata| niente| la telefonata)?',
  "non (?:voglio|vogliamo|desidero|acconsento|acconsentiamo|accetto|autorizzo|permetto|do il consenso|sono d'accordo)(?: a| con| alla| che)*(?: essere| la| questa| mi| si| venga| sia)*(?: chiamata| telefonata| conversazione)?(?: venga| sia| essere)? (?:registrat[oa]|registrazione|registri|registriate|registrare)",
  '(?:fermi|fermate|smetta di|smettete di|interrompa|interrompete|spenga|blocchi|cancelli|cancellate|elimini|eliminate|sospenda)(?: per favore)?(?: la| questa| il)? (?:registrazione|registrare|registrarmi)',
  '(?:mi oppongo|ci opponiamo|sono contrari[oa]|rifiuto)(?: alla| a| la| che)*(?: questa)?(?: chiamata)?(?: venga| sia)? (?:registrazione|registrat[oa])',
  '(?:niente registrazione|niente registrazioni|senza registrazione|senza registrare)(?: per favore)?$',
];

const OBJECTS = new RegExp(`(?<= |^)(?:${PATTERNS.join('|')})(?= |$)`);

/** Whether a caller who says this objects to the recording, in English, German, Spanish, French or Italian. */
export const objectsToRecording = (text: string): boolean =>
  sentencesOf(text).some((sentence) => OBJECTS.test(sentence));
