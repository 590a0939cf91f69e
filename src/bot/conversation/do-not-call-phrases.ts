import type { Language } from '../pipeline/language.js';
import { sentencesOf } from './plain-words.js';

/** What counts as the wish not to be called again, and what beside it says that it is something else, such as a time of day. */
interface Phrases {
  readonly asks: readonly RegExp[];
  readonly unless: readonly RegExp[];
}

/**
 * One pattern of several parts, for a sentence without capitals, accents and marks: it stands between the ends of words. A missed wish is one that
 * the model still hears; a wrong one keeps a person from being called who wants to be.
 */
const phrase = (...parts: readonly string[]): RegExp => new RegExp(`(?<![\\w'])(?:${parts.join('')})(?![\\w'])`);

const EN_CALL = '(?:call|ring|phone|telephone|contact|dial|bother)';
const EN_CALLING = '(?:calling|ringing|phoning|telephoning|contacting|dialing|dialling|bothering)';
const EN_US =
  '(?:me|us|here|(?:this|my|our) (?:number|phone|line|phone number|cell|mobile|home|house|office))(?: (?:on|at) (?:this|my|our) (?:number|phone|phone number|cell|mobile))?';
const EN_AGAIN = '(?:(?:ever )?again|any ?more|any longer|in (?:the )?future|ever)';
const EN_NOT = "(?:do not|don't|dont|never|must not|mustn't|may not|not)";
const EN_LIST =
  '(?:call |calling |phone |contact |marketing |mailing |sales |dialing |customer )*(?:lists?|database|system|records?|files?)';

const EN: Phrases = {
  asks: [
    phrase(
      `(?<!(?:i|we|they|people|you) )${EN_NOT}(?: (?:ever|please|you|you ever|even|dare|dare to|to))? ${EN_CALL}(?: ${EN_US})? ${EN_AGAIN}`,
    ),
    phrase(`(?:stop|quit|cease) ${EN_CALLING}(?: ${EN_US})`),
    new RegExp(
      `^(?:please |just |then |and |so |can you |could you |will you |would you )*(?:stop|quit|cease) ${EN_CALLING}(?: please| now)?$`,
    ),
    phrase(
      `(?:take|remove|delete|strike|get|drop) (?:me|us|(?:my|this|our) (?:phone )?(?:number|name)|my details) (?:off|from|out) (?:of )?(?:your|the|this|that|any|all|all your)(?: \\w+)? ${EN_LIST}`,
    ),
    phrase(
      `(?:put|add|place|register) (?:me|us|(?:my|this|our) (?:phone )?number) (?:on|to|onto|in) (?:your |the |a |that )?do not call(?: list| registry| register)?`,
    ),
    phrase(
      `(?:i|we) (?:do not|don't|dont|no longer) (?:want|wish|care)(?: for)? (?:to (?:be|get) (?:called|contacted|phoned|telephoned)|you to ${EN_CALL} ${EN_US}|you ${EN_CALLING} ${EN_US})(?: by you)?(?: ${EN_AGAIN})?`,
    ),
    phrase(
      `(?:i|we) never want (?:to (?:be|get) (?:called|contacted|phoned)|you to ${EN_CALL} ${EN_US})(?: by you)?(?: ${EN_AGAIN})?`,
    ),
    phrase(
      "(?:i|we) (?:do not|don't|dont|no longer) (?:want|wish)(?: to (?:get|receive|have))? (?:any )?(?:more |further |of )?(?:your |these |those )?(?:phone |sales |marketing )?calls(?: any ?more| from you| again)?",
    ),
    /^(?:please |and |so |ok |okay |no )*no (?:more|further) (?:phone |sales |marketing )?calls(?: (?:please|to me|from you|to this number|here))*$/,
    /^(?:please |just |and |then |so |can you |could you )*(?:lose|delete|erase|forget) (?:my|this|our) (?:phone |telephone )?number(?: please| now)?$/,
    phrase(
      '(?:opt me out|unsubscribe me from (?:your |these |all )?calls|(?:want|like|wish) to opt out of (?:your|these|all|any|further)(?: \\w+)? calls)',
    ),
    new RegExp(
      `^(?:please |and |look |listen |no |just |ok |okay |i said )*(?:do not|don't|dont|never) (?:ever |you )?${EN_CALL} (?:me|us|this number|here)(?: please)?$`,
    ),
  ],
  unless: [
    phrase(
      "(?:before|until|till|after|during|between|while|when|unless|if|except|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|on (?:the |a )?weekends?|at (?:night|noon|work|lunch|dinner|this hour|this time|\\w+ o'clock|\\w+ (?:a ?m|p ?m))|in the (?:morning|mornings|afternoon|evening|evenings|middle)|today|tonight|tomorrow|right now|(?:so|this|that|too) (?:late|early|often)|this (?:morning|afternoon|evening|week|month)|next (?:week|month|year)|for (?:a|an|the next|another|one|two|three|a few|some) (?:\\w+ )?(?:minutes?|hours?|days?|weeks?|months?|while))",
    ),
    /^(?:so |but |and |well )?(?:why|did|does|do (?:you|i|we|they|people)|what|how|who|should)(?![\w'])/,
    phrase('(?:he|she|they|you|people|someone|my \\w+) (?:\\w+ )?(?:said|says|told|tells|asked|asks|keeps? saying)'),
    phrase('i (?:told|asked) (?:him|her|them|my)'),
    phrase("(?:did not|didn't|never) (?:say|ask|tell|mean)"),
    phrase("(?:i am|i'm|is|are) not (?:saying|asking)"),
  ],
};

const DE_ME = '(?:mich|uns|hier|bei (?:mir|uns)|diese nummer|unter dieser nummer|auf dieser nummer|mein handy)';
const DE_NEVER =
  '(?:nicht mehr|nie mehr|niemals mehr|nie wieder|niemals wieder|nicht wieder|nicht noch einmal|nicht nochmals?|nimmer|nie nie wieder)';
const DE_LIST =
  '(?:(?:anruf|telefon|kunden|adress|werbe|call)?(?:listen?|kartei|datenbank|verteiler|daten|system|datei))';

const DE: Phrases = {
  asks: [
    phrase(
      `rufen sie(?: bitte)?(?: ${DE_ME})?(?: bitte| ab sofort| kunftig| in zukunft)* ${DE_NEVER}(?: ${DE_ME})? an`,
    ),
    new RegExp(
      `^(?:bitte |und |also |nein |dann |he |hey )*ruft?(?: bitte)?(?: ${DE_ME})?(?: bitte| ab sofort| kunftig| in zukunft)* ${DE_NEVER}(?: ${DE_ME})? an(?!\\w)`,
    ),
    phrase(
      `(?:sie )?(?:sollen|durfen|brauchen|mussen)(?: sie)?(?: ${DE_ME})? ${DE_NEVER}(?: ${DE_ME})? an(?:zu)?rufen`,
    ),
    phrase(`(?:bitte )?(?:${DE_ME} )?${DE_NEVER} anrufen`),
    phrase(
      `(?:kontaktier|kontaktieren|belastig|belastigen|stor|storen)(?: sie)?(?: bitte)?(?: mich| uns)?(?: bitte| kunftig| in zukunft)* (?:${DE_NEVER}|nicht (?:langer|weiter))`,
    ),
    phrase(
      `(?:ich|wir) (?:will|wollen|mochte|mochten|wunsche|wunschen)(?: von ihnen| in zukunft| kunftig| ab sofort)* (?:${DE_NEVER}|nicht|nie)(?: von ihnen)? (?:angerufen|kontaktiert|belastigt) werden`,
    ),
    phrase(
      `(?:ich|wir) (?:will|wollen|mochte|mochten|wunsche|wunschen)(?: von ihnen| in zukunft| kunftig| ab sofort)* keine(?: weiteren?| solchen?| ihrer)* (?:werbe)?(?:anrufe|telefonate)(?: mehr)?(?: von ihnen| bekommen| erhalten| haben)*`,
    ),
    /^(?:bitte |also |und |nein |so )*keine(?: weiteren)? (?:werbe)?anrufe mehr(?: bitte| von ihnen| an diese nummer)*$/,
    phrase(
      `(?:ich|wir) (?:will|wollen|mochte|mochten) nicht dass sie (?:mich|uns|hier) (?:noch einmal |nochmal |wieder |weiter |weiterhin )?anrufen`,
    ),
    phrase(
      `hor(?:en|t)?(?: sie)?(?: bitte| endlich)* auf(?: bitte)? (?:(?:mich|uns|hier|bei uns|bei mir)(?: \\w+)? anzurufen|anzurufen|mit (?:den|diesen|ihren) anrufen)`,
    ),
    phrase(
      `(?:streich|streichen|losch|loschen|nehm|nehmen|nimm|entfern|entfernen|werfen)(?: sie)?(?: bitte)? (?:mich|uns|meine (?:telefon)?nummer|diese (?:telefon)?nummer|unsere (?:telefon)?nummer|meinen namen)(?: bitte| sofort)*(?: aus| von) (?:ihrer|der|ihrem|dem|ihren|den|eurer|allen)(?: \\w+)? ${DE_LIST}`,
    ),
    phrase(`(?:losch|loschen|sperr|sperren|vergessen)(?: sie)?(?: bitte)? (?:meine|diese|unsere) (?:telefon)?nummer`),
    phrase(
      `(?:setz|setzen|nehmen|schreiben)(?: sie)?(?: bitte)? (?:mich|uns|meine (?:telefon)?nummer|diese (?:telefon)?nummer)(?: bitte)? (?:auf|in) (?:die|ihre|eine|eure) (?:sperrliste|robinsonliste|schwarze liste)`,
    ),
    phrase(
      `unterlass(?:en|t)?(?: sie)?(?: bitte| kunftig| in zukunft)* (?:diese|weitere|ihre|solche|die|jegliche) (?:werbe)?anrufe`,
    ),
    phrase(
      '(?:ich )?widerspreche? (?:der|jeder|weiteren|kunftigen|diesen|ihren)(?: \\w+)? (?:telefonwerbung|werbeanrufen|anrufen|telefonischen werbung)',
    ),
  ],
  unless: [
    phrase(
      '(?:vor|nach|bis|wahrend|zwischen|wenn|falls|bevor|ausser|heute|morgen|ubermorgen|jetzt|gerade|vormittags|nachmittags|morgens|abends|nachts|mittags|sonntags|samstags|montags|uhr|ab \\w+ uhr|diese woche|nachste woche|dieses jahr|am (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|wochenende|abend|morgen|vormittag|nachmittag)|in der (?:nacht|arbeit|mittagspause)|im buro|so (?:spat|fruh|oft)|um diese (?:zeit|uhrzeit))',
    ),
    /^(?:und |aber |also |ja )?(?:warum|wieso|weshalb|wann|wer|was|wie|haben sie|hat|wollen sie|mochten sie|soll ich|durfen sie)(?![\w'])/,
    phrase('(?:er|sie|man|jemand|mein \\w+|meine \\w+) (?:\\w+ )?(?:hat gesagt|sagte|sagt|meinte|meint)'),
    phrase('(?:nicht|nie) gesagt'),
    phrase('damit meine ich nicht'),
  ],
};

const ES_CALL = '(?:llame|llamen|llames|llameis|telefonee|telefoneen|contacte|contacten|moleste|molesten)';
const ES_MORE =
  '(?:nunca mas|jamas|nunca|mas(?! (?:tarde|temprano|adelante|de|que|veces|a menudo))|otra vez|de nuevo|nuevamente)';
const ES_HERE =
  '(?: (?:a|en) (?:este|mi|ese|nuestro) (?:numero|telefono|movil|celular)(?: de telefono)?| aqui| a mi casa| a esta casa| por favor)*';
const ES_LIST = '(?:listas?|base de datos|bases de datos|sistema|registros?|ficheros?|archivos?)';

const ES: Phrases = {
  asks: [
    phrase(
      `no (?:me |nos |se )?(?:vuelva|vuelvan|vuelvas|volvais) a (?:llamar|telefonear|contactar|molestar)(?:me|nos)?`,
    ),
    phrase(`no (?:me|nos) ${ES_CALL}${ES_HERE} ${ES_MORE}`),
    phrase(`no ${ES_CALL}(?: ${ES_MORE}${ES_HERE}|${ES_HERE} ${ES_MORE})`),
    phrase(`(?:nunca|jamas)(?: mas)? (?:me|nos) (?:vuelva a llamar|vuelvan a llamar|${ES_CALL})(?: mas)?`),
    phrase(
      `(?:no|nunca|jamas) (?:quiero|queremos|deseo|deseamos)(?: mas)? que (?:me|nos) (?:vuelvan? a (?:llamar|contactar)|${ES_CALL})(?: ${ES_MORE})?`,
    ),
    phrase(
      'no (?:quiero|queremos|deseo|deseamos)(?: recibir)?(?: ninguna)? (?:mas (?:sus |de sus |estas )?llamadas|sus llamadas|llamadas suyas)(?: (?:suyas|comerciales|de ustedes))*',
    ),
    /^(?:por favor |y |ya |no )*no mas llamadas(?: por favor| a este numero| de ustedes)*$/,
    phrase(`(?:deje|dejen|dejad|deja) (?:ya )?de (?:llamar(?:me|nos)?|telefonear(?:me|nos)?|molestarme por telefono)`),
    phrase(
      `(?:quite|quiten|saque|saquen|borre|borren|elimine|eliminen|retire|retiren)(?:me|nos| mi (?:numero|nombre|telefono)| este (?:numero|telefono)| mis datos)(?: por favor)? de (?:su|sus|la|las|esa|esta|todas sus)(?: \\w+)? ?${ES_LIST}`,
    ),
    phrase(`(?:borre|borren|elimine|eliminen|olvide|olviden) (?:mi|este) (?:numero|telefono)(?: de telefono)?`),
    phrase(
      '(?:ponga|pongan|apunte|apunten|inscriba|inscriban|incluya|incluyan|anada|anadan)(?:me|nos| mi numero| este numero)(?: por favor)? (?:en|a) (?:la|su|una) lista (?:robinson|de exclusion|negra|de no llamar|de numeros bloqueados)',
    ),
    phrase('no (?:quiero|deseo) (?:volver a ser|ser mas|seguir siendo) (?:llamado|llamada|contactado|contactada)'),
    /^(?:por favor |y |pues |oiga |mire |que )*no (?:me|nos) (?:llame|llamen|llames)(?: por favor)?$/,
  ],
  unless: [
    phrase(
      '(?:antes|despues|hasta|durante|mientras|cuando|salvo|excepto|entre las|a las|a la una|a esta hora|a estas horas|hoy|manana|ahora|ahorita|esta (?:semana|noche|tarde|manana)|este mes|por la (?:manana|noche|tarde)|de noche|los (?:lunes|martes|miercoles|jueves|viernes|sabados|domingos|fines)|el (?:lunes|martes|miercoles|jueves|viernes|sabado|domingo|fin)|tan (?:temprano|tarde|seguido)|al trabajo|en el trabajo|la proxima semana)',
    ),
    /\w si (?:no|es|estoy|puede|llama|hay|tiene|quiere|esta|ya)(?!\w)/,
    /^(?:y |pero |entonces )?(?:por que|cuando|quien|como|acaso|sabe|cree|es que)(?!\w)/,
    phrase('(?:el|ella|ellos|mi \\w+|alguien) (?:\\w+ )?(?:dijo|dice|dijeron|pidio|ha dicho)'),
    phrase('no (?:he dicho|dije|digo|estoy diciendo|quise decir|le dije|le he dicho)'),
  ],
};

const FR_CALL = '(?:appelez|appelle|rappelez|rappelle|telephonez|contactez|contacte|derangez|recontactez)';
const FR_MORE = "(?:plus jamais|plus(?! (?:tard|tot|souvent|de|que|d'))|jamais plus|jamais)";
const FR_WHO = '(?:je|tu|il|elle|on|nous|vous|ils|elles|qui|personne|mari|femme)';
const FR_LIST = '(?:listes?|fichiers?|bases?(?: de donnees)?|registres?|systeme|repertoire)';

const FR: Phrases = {
  asks: [
    phrase(`(?<!${FR_WHO} )ne (?:m'|me |nous )${FR_CALL} ${FR_MORE}`),
    new RegExp(`^(?:s'il vous plait |et |non |bon )*(?:m'|me )${FR_CALL} ${FR_MORE}(?![\\w'])`),
    phrase(
      `(?<!${FR_WHO} )(?:n'|ne )${FR_CALL} ${FR_MORE}(?: (?:ici|a ce numero|ce numero|sur ce numero|mon numero|chez moi))?`,
    ),
    phrase(
      `(?:vous )?ne (?:devez|pouvez|faut) (?:plus|jamais) (?:m'appeler|me rappeler|nous appeler|me contacter|me telephoner)`,
    ),
    phrase(
      `(?:je|nous) ne (?:veux|voulons|souhaite|souhaitons|desire|veut) (?:plus jamais|plus|pas) (?:etre|d'etre) (?:appelee?s?|rappelee?s?|contactee?s?|derangee?s?|recontactee?s?|demarchee?s?)`,
    ),
    phrase(
      `(?:je|nous) ne (?:veux|voulons|souhaite|souhaitons|desire) (?:plus|pas) que vous (?:m'appeliez|me rappeliez|nous appeliez|me contactiez|me telephoniez|appeliez)`,
    ),
    phrase(
      `(?:je|nous) ne (?:veux|voulons|souhaite|souhaitons|desire) plus (?:recevoir )?(?:d'|de |vos |aucun |ces |de vos )(?:appels?|coups de fil|demarchage)`,
    ),
    /^(?:s'il vous plait |et |alors |non )*plus d'appels?(?: s'il vous plait| merci| a ce numero)*$/,
    phrase(
      `(?:arretez|arrete|cessez|cesse)(?: donc| tout de suite| s'il vous plait)? (?:de (?:m'|nous |me )(?:appeler|rappeler|telephoner|contacter|deranger)|d'appeler(?: ici| ce numero| chez moi)?|de telephoner|(?:vos|ces|tous ces) appels)`,
    ),
    phrase(
      `(?:retirez|supprimez|enlevez|rayez|effacez|otez|sortez)(?: moi| nous)?(?: mon (?:numero|nom)(?: de telephone)?| ce numero| mes coordonnees)?(?: s'il vous plait)? (?:de|des) (?:votre|vos|la|toutes vos|cette)? ?${FR_LIST}`,
    ),
    phrase(`(?:effacez|supprimez|oubliez) (?:mon|ce) numero(?: de telephone)?`),
    phrase(
      `(?:inscrivez|mettez|ajoutez|placez)(?: moi| nous| mon numero| ce numero)(?: s'il vous plait)? (?:sur|a|dans) (?:la |votre |une )?liste (?:d'opposition|rouge|noire|bloctel|d'exclusion)`,
    ),
    phrase(`je m'oppose a (?:vos|tout|ces|d'autres|tous vos|ce) (?:appels?|demarchage)(?: telephoniques?)?`),
    /^(?:s'il vous plait |et |alors |ecoutez |non )*ne (?:m'|me |nous )(?:appelez|appelle|telephonez) pas(?: s'il vous plait)?$/,
  ],
  unless: [
    phrase(
      `(?:avant|apres|pendant|entre|quand|lorsque|jusqu'a|jusqu'au|jusque|sauf|tant que|demain|aujourd'hui|maintenant|en ce moment|ce (?:soir|matin|mois)|cette (?:semaine|nuit|apres midi)|cet apres midi|la semaine prochaine|le (?:matin|soir|midi|dimanche|samedi|lundi|mardi|mercredi|jeudi|vendredi|week end)|la nuit|a (?:midi|cette heure|\\w+ heures?)|au (?:travail|bureau)|heures|aussi (?:tot|tard|souvent)|si (?:tot|tard|je|vous|c'est|ca|j'ai))`,
    ),
    /^(?:et |mais |alors )?(?:pourquoi|quand|qui|comment|est ce que|avez vous|voulez vous)(?![\w'])/,
    phrase(`(?:il|elle|ils|on|mon \\w+|ma \\w+) (?:\\w+ )?(?:dit|a dit|ont dit|m'a dit|disait|demande)`),
    phrase(`(?:je n'ai|n'ai) (?:pas|jamais) (?:dit|demande)`),
    phrase(`je ne dis pas`),
  ],
};

const IT_MORE = "(?:mai piu|piu(?! (?:tardi|presto|spesso|avanti|di|che))|di nuovo|un'altra volta|ancora|piu piu)";
const IT_CALL =
  '(?:chiami|chiamate|chiamino|chiamiate|telefoniate|contattiate|richiamiate|richiami|richiamate|telefoni|telefonate|contatti|contattate|disturbi|disturbate)';
const IT_LIST = '(?:list[ae]|elench[io]|elenco|database|archivi?o?|registri?|registro|sistema|banca dati)';

const IT: Phrases = {
  asks: [
    phrase(`non (?:mi|ci) ${IT_CALL}(?: per favore)? ${IT_MORE}`),
    phrase(
      `non (?:chiamate|telefonate|contattate|richiamate|disturbate|chiamar|telefonar|contattar|richiamar|disturbar)(?:mi|ci) ${IT_MORE}`,
    ),
    phrase(
      `non (?:chiami|chiamate|telefoni|telefonate|richiami|richiamate|chiamare) (?:${IT_MORE}(?: (?:qui|questo numero|a questo numero|il mio numero))?|(?:qui|questo numero|a questo numero|il mio numero) ${IT_MORE})`,
    ),
    phrase(`mai piu (?:mi|ci) ${IT_CALL}`),
    phrase(
      `(?:la smetta|smetta|smettete|smettetela|smettila|smetti|finitela|la finisca|finite) (?:subito )?di (?:chiamar(?:mi|ci|e)|telefonar(?:mi|ci|e)|contattar(?:mi|ci)|disturbar(?:mi|ci))`,
    ),
    phrase(
      `non (?:voglio|vogliamo|desidero|desideriamo|vorrei)(?: mai)?(?: piu)? (?:essere|venire) (?:richiamat[oaie]|chiamat[oaie]|contattat[oaie]|disturbat[oaie])(?: ${IT_MORE})?`,
    ),
    phrase(`non (?:voglio|vogliamo|desidero|desideriamo)(?: piu)? che (?:mi|ci) ${IT_CALL}(?: ${IT_MORE})?`),
    phrase(
      `non (?:voglio|vogliamo|desidero|desideriamo) (?:piu|altre)(?: ricevere)?(?: (?:le|altre|vostre|sue|queste))* (?:chiamate|telefonate)(?: (?:da voi|vostre|commerciali))*`,
    ),
    phrase(
      `non (?:voglio|vogliamo|desidero|desideriamo) ricevere (?:piu|altre|ulteriori)(?: (?:le|altre|vostre|sue))* (?:chiamate|telefonate)`,
    ),
    /^(?:per favore |e |allora |no )*basta (?:con )?(?:le |queste |con le |con queste )?(?:chiamate|telefonate)(?: per favore| grazie)*$/,
    phrase(
      `(?:cancell|elimin)(?:i|ate)(?:mi|ci)?(?: per favore)?(?: il mio (?:numero|nome)| questo numero| i miei dati)? da(?:l|lla|lle|i|gli)?(?: (?:vostr[aoie]|su[aoi]e?|tutte le vostre))? ?${IT_LIST}`,
    ),
    phrase(
      `(?:mi )?(?:tolga|togliete|togli|rimuova|rimuovete|levi|levate)(?:mi|ci)?(?: per favore)?(?: il mio (?:numero|nome)| questo numero| i miei dati)? da(?:l|lla|lle|i|gli)?(?: (?:vostr[aoie]|su[aoi]e?|tutte le vostre))? ?${IT_LIST}`,
    ),
    phrase(
      `(?:mi )?(?:cancell|elimin)(?:i|ate)(?:mi)? da(?:l|lla|lle|i|gli)?(?: (?:vostr[aoie]|su[aoi]e?))? ?${IT_LIST}`,
    ),
    phrase(
      `(?:cancelli|cancellate|elimini|eliminate|dimentichi|dimenticate) (?:il mio|questo) numero(?: di telefono)?`,
    ),
    phrase(
      `(?:mi )?(?:metta|mettete|inserisca|inserite|iscriva|iscrivete)(?:mi)?(?: per favore)?(?: il mio numero| questo numero)? (?:nella|nel|in una|alla|al) (?:vostra |sua )?(?:lista di esclusione|lista nera|registro delle opposizioni|lista dei non chiamare)`,
    ),
    phrase(`mi oppongo a(?:lle|i| ulteriori| tutte le)?(?: (?:vostre|sue|altre))? (?:chiamate|telefonate)`),
    /^(?:per favore |e |senta |guardi |no )*non (?:mi (?:chiami|chiamate|telefoni)|chiamatemi|chiamarmi|ci (?:chiami|chiamate))(?: per favore)?$/,
  ],
  unless: [
    phrase(
      `(?:prima|dopo|fino|finche|durante|mentre|quando|tranne|salvo|alle|all'una|a mezzogiorno|a quest'ora|a queste ore|tra le|oggi|domani|adesso|stasera|stamattina|stanotte|questa (?:settimana|sera|mattina)|questo mese|la prossima settimana|la (?:mattina|sera|notte|domenica)|di (?:mattina|sera|notte|domenica|sabato|pomeriggio)|nel pomeriggio|il (?:lunedi|martedi|mercoledi|giovedi|venerdi|sabato|fine settimana|pomeriggio)|in ufficio|al lavoro|cosi (?:presto|tardi|spesso))`,
    ),
    /\w se (?:non|e|sono|puo|chiama|ha|vuole|sto|c'e|possibile)(?!\w)/,
    /^(?:e |ma |allora )?(?:perche|quando|chi|come mai|come|cosa|che cosa|lei crede)(?![\w'])/,
    phrase(`(?:lui|lei|loro|mio \\w+|mia \\w+|qualcuno) (?:\\w+ )?(?:ha detto|dice|diceva|hanno detto|ha chiesto)`),
    phrase(`non (?:ho detto|dico|sto dicendo|ho chiesto|intendevo)`),
  ],
};

const BY_LANGUAGE: Readonly<Record<Language, Phrases>> = { en: EN, de: DE, es: ES, fr: FR, it: IT };

/**
 * @param text what a person has said, as it was understood
 * @returns in which language they have asked not to be called again; undefined where they have not
 */
export function languageAskedIn(text: string): Language | undefined {
  const sentences = sentencesOf(text);
  const found = (Object.entries(BY_LANGUAGE) as Array<[Language, Phrases]>).find(([, { asks, unless }]) =>
    sentences.some((sentence) => asks.some((one) => one.test(sentence)) && !unless.some((one) => one.test(sentence))),
  );
  return found?.[0];
}
