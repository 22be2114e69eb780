/** What names of streams say about a measurement, in the languages of the pages. (docs/api/exports.md#fhir) */
import { BoundedMap } from '../security/bounded-map.js'

/** Names of what people want to reach or expect. */
const wanted =
  /\b(?:goal|target)s?\b|ziel|wunsch|\bsoll|objectif|\bcible|\bvisée?s?(?![a-zà-ÿ])|desired|ideal|idéal|predict|prognos|prévision|limit|grenz|threshold|schwelle|seuil|alarm|alert|🎯/i
/** Names of statistics and of differences. */
const derived =
  /deviation|abweichung|(?<![a-zà-ÿ])écart|\bsd\b|coefficient|koeffizient|varia[bnt]|schwankung|fluctuat|\bchanges?\b|änderung|changement|differ|différ|\bdelta\b|Δ|trend\b|tendance|per[cz]entil|\bremain|\brestante?s?\b|übrig|verbleib/i
/**
 * Names of averages, highest and lowest values, which have codes of their own. `max` and `min` only beside what they are of: `Max` is
 * also a person, or the end of a device's name, and `min` a unit.
 */
const summaries =
  /maxim(?:um|al)|minim(?:um|al)|\b(?:best|highest|lowest|peak|averages?|avg|mean|median)\b|höchst|niedrigst|tiefst|spitzen|mittler|mittelwert|durchschnitt|\bmoyen(?:ne)?s?\b|\bmoy\b|médian|plus (?:haut|bas)|[⌀∅]|(?<![a-zà-ÿ])ø(?![a-zà-ÿ])|\b(?:max|min)\.? ?(?:heart|h[rf]\b|fc\b|rr\b|puls|herz|pouls|b?pm\b|bp\b|blood|blut|tension|spo2|o2|oxygen|sauerstoff|saturation|weight|gewicht|poids|glucose|zucker|glyc|temp|resp|steps?\b|schritt)|(?:rate|cardiaque|puls|pulse|pouls|frequenz|pressure|druck|tension|artérielle|\bh[rf]|\bfc|\brr|\bbpm|\bbp|spo2|o2|oxygen|saturation|sättigung|weight|gewicht|poids|glucose|sugar|zucker|glycémie|temp(?:eratur)?e?|respiratoire|steps|schritte)\.? ?(?:max|min(?!ute|[-⁻−^]))\b|[,(] ?(?:max|min(?![-⁻−^]))\b/i
/** Names of those whose account it is not: unborn children, animals, plants. */
const notOwn =
  /\bf(?:o?e|œ)tal|fötal|fœtal|birth|geburt|naissance|\b(?:dog|cat|horse|pet|fish|plant|tree|rabbit|pony|hamster|animal)s?\b|\bpupp(?:y|ies)\b|kitten|\bhunde?s?\b|hündin|\bwelpen?\b|\bkatzen?\b|\bkater\b|\bpferd|haustier|kaninchen|meerschwein|fisch|pflanze|\bchiens?\b|chienne|\bchiots?\b|\bchats?\b|\bchatons?\b|\blapins?\b|\bcheval\b|\bpoissons?\b|\bplantes?\b|\barbres?\b|animaux/i
/** Names of relatives and families. */
const relatives =
  /\bbab(?:y|ies)\b|\binfants?\b|newborn|toddler|\b(?:grand)?child(?:ren)?\b|\bkids?\b|\b(?:grand|step)?sons?\b|daughter|mother|father|\bm[ou]m(?:my)?\b|\bdad(?:dy)?\b|\bparents?\b|husband|\bwife\b|spouse|\bpartner|sister|brother|\bgrand(?:ma|pa)\b|\bgrann?y\b|\b(?:boy|girl)(?:friend)?s?\b|\baunt|\buncle|nephew|\bniece|cousin|\btwins?\b|family|säugling|neugeboren|kind(?:er|es|s)?\b|sohn(?:e?s)?\b|söhne|tochter|töchter|mutt(?:er|i)|\bvat(?:er|i)|vaters?\b|\bmam[ai]\b|\bpap[aiy]\b|eltern|ehemann|ehefrau|\bmann(?:e?s)?\b|\bfrau(?:en)?\b|\bgatt(?:e|in)|\bfreund(?:in|es)?\b|schwester|bruder|\bo[mp][ai]s?\b|enkel|\bnichte|\bneffe|\btante|\bonkel|zwilling|familie|\bbébé|nourrisson|\benfants?\b|\bfils\b|\bfilles?\b|\bgarçon|\bpetite?s?\b(?! déjeuner)|mère\b|père\b|\bmamans?\b|\bmamie\b|\bmari\b|\bfemme\b|(?<![a-zà-ÿ])épou(?:x|se)\b|conjoint|\bcopine?\b|\bcopain|\bcompagn|\bsœur|\bfrère|\boncle|\bneveu|\bnièce|famille/i
/** Symbols of plants, animals and relatives. */
const symbolsOfOthers =
  /[\u{1F331}-\u{1F335}\u{1F33F}\u{1F400}-\u{1F43F}\u{1F980}-\u{1F9AE}\u{1F466}\u{1F467}\u{1F46A}\u{1F474}-\u{1F476}\u{1F9D2}\u{1F9D3}]/u
/** Names of what is no measurement of the user, whatever it is of. */
const notMeasured = [wanted, derived, summaries, notOwn, relatives, symbolsOfOthers]

/** Words of devices and programs. */
const deviceWords = toWords(
  'scale scales waage balance meter cgm thermometer thermomètre oximeter oxymeter oximètre oxymètre sensor capteur monitor analyzer analyser',
  'health google fit samsung huawei xiaomi mi fitbit garmin withings oura polar suunto whoop omron beurer tanita renpho eufy nokia dexcom libre freestyle',
  'watch band ring tracker phone iphone ipad android apple galaxy pixel app apps connect import manual manually manuell uhr armband handy montre bague téléphone balance pèse',
  'device devices gerät geräte appareil appareils ⌚ 📱'
)

/** Words that do not change what a measurement is: when it was made, how, by what, and in which unit. */
const neutralWords = new Set([
  ...deviceWords,
  ...toWords(
    'a an the my of in on at by from with and to s der die das des dem den mein meine meiner am im um von vom mit und',
    'le la les l de du des d mon ma mes à au aux en par avec et',
    'morning noon evening night bedtime day daily today hour hourly morgen morgens früh mittag mittags abend abends nacht nachts tag täglich',
    'matin midi soir nuit jour jours quotidien',
    'before after fasting fasted breakfast lunch dinner vor nach nüchtern frühstück mittagessen abendessen avant après jeun petit déjeuner dîner',
    'measure measured measurement measurements reading readings record records sample samples value values log history data level levels',
    'messung messungen gemessen wert werte verlauf daten spiegel mesure mesures mesuré mesurée valeur valeurs relevé relevés niveau données',
    'manual manually self home manuell selbst zuhause maison',
    'percentage percent share ratio anteil prozent taux part pourcentage pour cent',
    'kg kilogram kilograms g gram grams lb lbs pound st oz cm centimetres centimeters m metres meters ft inch inches',
    'mmol mg dl ml c f celsius fahrenheit bpm ° ® ©',
    'finger fingertip doigt oral mouth ear ohr oreille forehead stirn armpit achsel rectal rektal',
    'capillary kapillar capillaire peripheral',
    '⚖ 📏 📐 🌡 ❤ ♥ 💓 💗 🫀 🫁 🩸 💧 🤒 📈 📉 📊 📝 🩺 🌅 🌞 ☀ 🌙 ⏰'
  )
])

/** Words of streams that group measurements, besides {@link neutralWords}: what is measured, for what, and in which program. */
const groupWords = toWords(
  'body bodies physical vital vitals sign signs heart cardio cardiovascular blood glucose sugar weight height oxygen respiratory temperature metabolic metabolism composition anthropometry anthropometrics',
  'metrics metric stats statistics tracking tracker trackers tracked tracks diary journal quantified profile personal me own everything all general various misc other others',
  'fitness sport sports gym training workout workouts activity activities exercise running cycling lifestyle wellness wellbeing nutrition diet sleep recovery',
  'medical medicine clinical clinic hospital doctor doctors gp care healthcare patient lab labs laboratory test tests checkup study studies diabetes hypertension asthma pregnancy fertility cycle cycles',
  'import imports imported export app apps application device devices sensor sensors wearable wearables watch phone iphone android apple connect nightscout home assistant stream streams root test archive old new',
  'körper gesundheit vital vitalwerte vitaldaten vitalzeichen herz kreislauf blut zucker gewicht grösse größe sauerstoff atmung temperatur körperwerte körpermasse körperdaten gesundheitsdaten messwerte zusammensetzung stoffwechsel',
  'tagebuch persönlich ich eigene alles allgemein verschiedenes sonstiges andere aktivität aktivitäten bewegung schlaf ernährung fitness erholung',
  'medizin medizinisch klinik spital krankenhaus arzt ärztin hausarzt praxis labor studie diabetes bluthochdruck schwangerschaft zyklus importiert gerät geräte uhr handy archiv alt neu',
  'corps corporel corporelle corporelles santé vitaux vitales signes constantes coeur cœur sang sucre poids taille oxygène respiration température composition métabolisme',
  'suivi carnet personnel personnelles moi tout tous général divers autres activité activités sommeil alimentation forme récupération entraînement',
  'médical médicales médecine clinique hôpital médecin docteur soins laboratoire étude diabète grossesse cycle importé importées appareil appareils montre téléphone archives',
  '🏥 💊 🏃 🏋 💪 🛌 😴 ⌚ 📱 📓 📔 📁 📂'
)

function toWords(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap(line => line.normalize('NFKC').split(' ')))
}

/** Maximum length of a name that is compared, in characters: there may be thousands of long ones. */
const maxComparedLength = 256

/** What a name says, whatever the measurement is. */
export interface NameReading {
  /** The forms in which it is compared. */
  readonly forms: readonly string[]
  /** Whether something is no measurement of the user. */
  readonly isNotMeasured: boolean
  /** Whether a stream of this name groups measurements of the user. Any other word may be what those below are of. */
  readonly isGroup: boolean
  /** Whether a stream of this name below a measurement can be a device: others may be what is measured there, such as `Bike`. */
  readonly isDevice: boolean
}

/** The latest names: those of streams above are read for each stream below. */
const readings = new BoundedMap<string, NameReading>(2000)

/** Reads a name. */
export function readName(name: string): NameReading {
  let reading = readings.get(name)
  if (!reading) {
    const forms = listForms(name)
    reading = {
      forms,
      isNotMeasured: forms.some(form => notMeasured.some(pattern => pattern.test(form))),
      isGroup: forms.some(isGroup),
      isDevice: forms.some(isDevice)
    }
    readings.set(name, reading)
  }
  return reading
}

/**
 * Returns the forms in which a name is compared: programs write `maxHeartRate` and `heart_rate`, and systems decompose accents. Some
 * words have capitals inside, such as `SpO2`. The end of a long name counts as a word.
 */
function listForms(name: string): readonly string[] {
  const whole = name
    .slice(0, maxComparedLength)
    .normalize('NFKC')
    .replaceAll(/\p{Variation_Selector}|\p{Join_Control}/gu, '')
    .replaceAll('_', ' ')
  const isLong = name.length > maxComparedLength || whole.length > maxComparedLength
  const plain = isLong ? `${whole.slice(0, maxComparedLength)} etc` : whole
  const split = plain.replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, ' ')
  return split === plain ? [plain] : [plain, split]
}

/** Returns whether a form of a name consists of what a pattern matches and neutral words. Any other word may be what the measurement is of. */
export function isName(form: string, pattern: RegExp): boolean {
  const rest = listWords(form)
    .filter(word => !neutralWords.has(word))
    .join(' ')
  // Few repetitions: a name could match in very many ways.
  return new RegExp(`^(?:${pattern.source})(?: (?:${pattern.source})){0,2}$`).test(rest)
}

function isGroup(form: string): boolean {
  return listWords(form).every(word => neutralWords.has(word) || groupWords.has(word))
}

function isDevice(form: string): boolean {
  return /\d/.test(form) || listWords(form).some(word => deviceWords.has(word))
}

/** Units of frequencies, in which `min` is no minimum. */
const perMinute = /\/ ?min\b|\bmin(?=[-⁻−^])/g
/** What German compounds have before and after the name of a measure. */
const [compoundStart, compoundEnd] = [
  /^(?:morgen|abend|nüchtern)(?=gewicht|blutzucker|puls)/,
  /s?(?:werte?|messung(?:en)?|spiegel|verlauf)$/
]

/** Returns the words of a name, and its symbols that may be words, without numbers. */
function listWords(form: string): readonly string[] {
  const text = form.toLowerCase().replaceAll(perMinute, ' ')
  const words = text.match(/[\p{L}\p{M}\d]+|\p{So}|\p{Extended_Pictographic}|[≤≥∑∅]/gu) ?? []
  return words
    .filter(word => !/^\d+$/.test(word))
    .map(word => word.replace(compoundStart, '').replace(compoundEnd, ''))
    .filter(word => word !== '')
}
