/** How tables are written in many countries: number formats, date formats, column names. */

export interface Locale {
  readonly name: string
  /** Decimal separator. */
  readonly decimal: string
  /** Thousands separator. */
  readonly group: string
  /** Date patterns: `Y` year, `y` its last two digits, `M` and `D` two digits, `m` and `d` without a leading zero. */
  readonly dates: readonly string[]
  /** Time patterns: `H` and `K` hours (12-hour), `N` minutes, `S` seconds, `P` AM or PM. */
  readonly clocks: readonly string[]
  readonly words: Words
}

/** Column names by content. */
export interface Words {
  readonly time: readonly string[]
  readonly date: readonly string[]
  readonly clock: readonly string[]
  readonly weight: readonly string[]
  readonly heart: readonly string[]
  readonly steps: readonly string[]
  readonly energy: readonly string[]
  readonly glucose: readonly string[]
  readonly temperature: readonly string[]
  readonly fat: readonly string[]
  readonly oxygen: readonly string[]
  readonly systolic: string
  readonly diastolic: string
  readonly note: readonly string[]
  readonly minimum: string
  readonly maximum: string
  readonly average: string
  readonly goal: string
  /** The word before a unit. */
  readonly in: string
}

const english: Words = {
  time: ['Time', 'Timestamp', 'Date/Time', 'Recorded at', 'When', 'start_time', 'dateTime'],
  date: ['Date', 'Day', 'date'],
  clock: ['Time', 'Time of day', 'time'],
  weight: ['Weight', 'Body weight', 'weight'],
  heart: ['Heart rate', 'Pulse', 'HR', 'heart_rate'],
  steps: ['Steps', 'Step count'],
  energy: ['Energy', 'Calories', 'Energy burned'],
  glucose: ['Glucose', 'Blood glucose', 'Blood sugar'],
  temperature: ['Temperature', 'Body temperature', 'Temp'],
  fat: ['Body fat', 'Fat'],
  oxygen: ['SpO2', 'Oxygen saturation', 'Blood oxygen'],
  systolic: 'Systolic',
  diastolic: 'Diastolic',
  note: ['Notes', 'Comment', 'note'],
  minimum: 'Min',
  maximum: 'Max',
  average: 'Average',
  goal: 'Target',
  in: 'in'
}
const german: Words = {
  time: ['Zeitpunkt', 'Zeitstempel', 'Datum', 'Datum/Uhrzeit', 'Messzeit'],
  date: ['Datum', 'Tag'],
  clock: ['Uhrzeit', 'Zeit'],
  weight: ['Gewicht', 'Körpergewicht'],
  heart: ['Puls', 'Herzfrequenz'],
  steps: ['Schritte'],
  energy: ['Energie', 'Kalorien'],
  glucose: ['Glukose', 'Blutzucker'],
  temperature: ['Temperatur', 'Körpertemperatur'],
  fat: ['Körperfett', 'Fett'],
  oxygen: ['Sauerstoffsättigung', 'SpO2'],
  systolic: 'Systolisch',
  diastolic: 'Diastolisch',
  note: ['Notizen', 'Bemerkung', 'Kommentar'],
  minimum: 'Minimaler',
  maximum: 'Maximaler',
  average: 'Durchschnittlicher',
  goal: 'Ziel',
  in: 'in'
}
const french: Words = {
  time: ['Horodatage', 'Date', 'Date et heure'],
  date: ['Date', 'Jour'],
  clock: ['Heure'],
  weight: ['Poids'],
  heart: ['Fréquence cardiaque', 'Pouls'],
  steps: ['Nombre de pas', 'Pas'],
  energy: ['Énergie', 'Calories'],
  glucose: ['Glycémie', 'Glucose'],
  temperature: ['Température'],
  fat: ['Masse grasse', 'Graisse corporelle'],
  oxygen: ['Saturation en oxygène', 'SpO2'],
  systolic: 'Systolique',
  diastolic: 'Diastolique',
  note: ['Remarque', 'Commentaire', 'Notes'],
  minimum: 'Minimum',
  maximum: 'Maximum',
  average: 'Moyenne',
  goal: 'Objectif',
  in: 'en'
}
const italian: Words = {
  time: ['Data e ora', 'Data'],
  date: ['Data', 'Giorno'],
  clock: ['Ora'],
  weight: ['Peso', 'Peso corporeo'],
  heart: ['Frequenza cardiaca', 'Battito'],
  steps: ['Passi'],
  energy: ['Energia', 'Calorie'],
  glucose: ['Glucosio', 'Glicemia'],
  temperature: ['Temperatura'],
  fat: ['Grasso corporeo', 'Massa grassa'],
  oxygen: ['Saturazione ossigeno', 'SpO2'],
  systolic: 'Sistolica',
  diastolic: 'Diastolica',
  note: ['Note', 'Commenti'],
  minimum: 'Minima',
  maximum: 'Massima',
  average: 'Media',
  goal: 'Obiettivo',
  in: 'in'
}
const spanish: Words = {
  time: ['Fecha y hora', 'Fecha'],
  date: ['Fecha', 'Día'],
  clock: ['Hora'],
  weight: ['Peso', 'Peso corporal'],
  heart: ['Frecuencia cardíaca', 'Pulso'],
  steps: ['Pasos'],
  energy: ['Energía', 'Calorías'],
  glucose: ['Glucosa', 'Glucemia'],
  temperature: ['Temperatura'],
  fat: ['Grasa corporal'],
  oxygen: ['Saturación de oxígeno', 'SpO2'],
  systolic: 'Sistólica',
  diastolic: 'Diastólica',
  note: ['Notas', 'Comentarios'],
  minimum: 'Mínima',
  maximum: 'Máxima',
  average: 'Promedio',
  goal: 'Objetivo',
  in: 'en'
}
const dutch: Words = {
  time: ['Datum en tijd', 'Tijdstip'],
  date: ['Datum', 'Dag'],
  clock: ['Tijd'],
  weight: ['Gewicht', 'Lichaamsgewicht'],
  heart: ['Hartslag', 'Pols'],
  steps: ['Stappen'],
  energy: ['Energie', 'Calorieën'],
  glucose: ['Glucose', 'Bloedsuiker'],
  temperature: ['Temperatuur'],
  fat: ['Lichaamsvet', 'Vet'],
  oxygen: ['Zuurstofsaturatie', 'SpO2'],
  systolic: 'Systolisch',
  diastolic: 'Diastolisch',
  note: ['Notities', 'Opmerking'],
  minimum: 'Minimale',
  maximum: 'Maximale',
  average: 'Gemiddelde',
  goal: 'Doel',
  in: 'in'
}
const swedish: Words = {
  time: ['Datum och tid', 'Tidpunkt'],
  date: ['Datum', 'Dag'],
  clock: ['Tid'],
  weight: ['Vikt', 'Kroppsvikt'],
  heart: ['Puls', 'Hjärtfrekvens'],
  steps: ['Steg'],
  energy: ['Energi', 'Kalorier'],
  glucose: ['Glukos', 'Blodsocker'],
  temperature: ['Temperatur'],
  fat: ['Kroppsfett', 'Fett'],
  oxygen: ['Syremättnad', 'SpO2'],
  systolic: 'Systoliskt',
  diastolic: 'Diastoliskt',
  note: ['Anteckningar', 'Kommentar'],
  minimum: 'Lägsta',
  maximum: 'Högsta',
  average: 'Genomsnittlig',
  goal: 'Mål',
  in: 'i'
}
const polish: Words = {
  time: ['Data i godzina', 'Czas pomiaru'],
  date: ['Data', 'Dzień'],
  clock: ['Godzina'],
  weight: ['Waga', 'Masa ciała'],
  heart: ['Tętno', 'Puls'],
  steps: ['Kroki'],
  energy: ['Energia', 'Kalorie'],
  glucose: ['Glukoza'],
  temperature: ['Temperatura'],
  fat: ['Tkanka tłuszczowa'],
  oxygen: ['Saturacja', 'SpO2'],
  systolic: 'Skurczowe',
  diastolic: 'Rozkurczowe',
  note: ['Notatki', 'Uwagi'],
  minimum: 'Minimalne',
  maximum: 'Maksymalne',
  average: 'Średnie',
  goal: 'Docelowa',
  in: 'w'
}
const japanese: Words = {
  time: ['日時', '測定日時'],
  date: ['日付', '測定日'],
  clock: ['時刻', '時間'],
  weight: ['体重'],
  heart: ['心拍数', '脈拍'],
  steps: ['歩数'],
  energy: ['カロリー'],
  glucose: ['血糖値'],
  temperature: ['体温'],
  fat: ['体脂肪率'],
  oxygen: ['血中酸素', 'SpO2'],
  systolic: '最高血圧',
  diastolic: '最低血圧',
  note: ['メモ'],
  minimum: '最低',
  maximum: '最高',
  average: '平均',
  goal: '目標',
  in: ''
}

const day24 = ['H:N', 'H:N:S']

export const locales: readonly Locale[] = [
  {
    name: 'en-US',
    decimal: '.',
    group: ',',
    dates: ['m/d/Y', 'M/D/Y', 'm/d/y'],
    clocks: ['K:N P', 'K:N:S P', 'H:N'],
    words: english
  },
  {
    name: 'en-GB',
    decimal: '.',
    group: ',',
    dates: ['D/M/Y', 'D-M-Y', 'D/M/y'],
    clocks: day24,
    words: english
  },
  {
    name: 'en-AU',
    decimal: '.',
    group: ',',
    dates: ['d/M/Y', 'D/M/Y'],
    clocks: ['K:N P', 'K:N:S P'],
    words: english
  },
  {
    name: 'en-IN',
    decimal: '.',
    group: ',',
    dates: ['D-M-Y', 'd/m/Y', 'D/M/y'],
    clocks: ['K:N P', 'H:N'],
    words: english
  },
  {
    name: 'en-CA',
    decimal: '.',
    group: ',',
    dates: ['Y-M-D', 'Y/M/D'],
    clocks: ['K:N P', 'H:N'],
    words: english
  },
  {
    name: 'de-DE',
    decimal: ',',
    group: '.',
    dates: ['D.M.Y', 'd.m.Y', 'D.M.y'],
    clocks: ['H:N', 'H:N:S', 'H:N Uhr', 'H.N'],
    words: german
  },
  { name: 'de-CH', decimal: '.', group: '’', dates: ['D.M.Y', 'd.m.y'], clocks: day24, words: german },
  {
    name: 'fr-FR',
    decimal: ',',
    group: '\u202f',
    dates: ['D/M/Y', 'D/M/y'],
    clocks: ['H:N', 'H:N:S', 'HhN'],
    words: french
  },
  { name: 'fr-CH', decimal: ',', group: '\u00a0', dates: ['D.M.Y'], clocks: ['H:N', 'HhN'], words: french },
  {
    name: 'it-IT',
    decimal: ',',
    group: '.',
    dates: ['D/M/Y', 'd/m/Y'],
    clocks: ['H:N', 'H.N'],
    words: italian
  },
  {
    name: 'es-ES',
    decimal: ',',
    group: '.',
    dates: ['D/M/Y', 'd/m/y'],
    clocks: ['H:N', 'H:N:S'],
    words: spanish
  },
  { name: 'es-MX', decimal: '.', group: ',', dates: ['D/M/Y'], clocks: ['K:N p', 'H:N'], words: spanish },
  {
    name: 'nl-NL',
    decimal: ',',
    group: '.',
    dates: ['D-M-Y', 'd-m-Y', 'D-M-y'],
    clocks: day24,
    words: dutch
  },
  { name: 'sv-SE', decimal: ',', group: '\u00a0', dates: ['Y-M-D', 'y-M-D'], clocks: day24, words: swedish },
  { name: 'pl-PL', decimal: ',', group: ' ', dates: ['D.M.Y', 'Y-M-D'], clocks: day24, words: polish },
  {
    name: 'ja-JP',
    decimal: '.',
    group: ',',
    dates: ['Y/M/D', 'y/M/D', 'Y/m/d'],
    clocks: day24,
    words: japanese
  },
  { name: 'ko-KR', decimal: '.', group: ',', dates: ['Y.M.D', 'y.M.D'], clocks: ['H:N'], words: english }
]

const names: Readonly<Record<string, readonly string[]>> = {
  en: 'January February March April May June July August September October November December'.split(' '),
  de: 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' '),
  fr: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' '),
  it: 'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre'.split(
    ' '
  ),
  es: 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' '),
  nl: 'januari februari maart april mei juni juli augustus september oktober november december'.split(' '),
  sv: 'januari februari mars april maj juni juli augusti september oktober november december'.split(' ')
}

/** Writes a number with at least two digits. */
export function two(value: number): string {
  return String(value).padStart(2, '0')
}

/** Writes a local time, given as a UTC date, in a pattern of {@link Locale}. */
export function writeDate(pattern: string, at: Date): string {
  const hours = at.getUTCHours()
  const parts: Readonly<Record<string, string>> = {
    Y: String(at.getUTCFullYear()),
    y: two(at.getUTCFullYear() % 100),
    M: two(at.getUTCMonth() + 1),
    m: String(at.getUTCMonth() + 1),
    D: two(at.getUTCDate()),
    d: String(at.getUTCDate()),
    H: two(hours),
    K: String(hours % 12 || 12),
    N: two(at.getUTCMinutes()),
    S: two(at.getUTCSeconds()),
    P: hours < 12 ? 'AM' : 'PM',
    p: hours < 12 ? 'a. m.' : 'p. m.'
  }
  return pattern.replaceAll(/[YyMmDdHKNSPp]/g, part => parts[part]!)
}

/** Writes a date with the month's name in a locale's language, in full or as three letters. */
export function writeWordDate(locale: string, at: Date, isShort: boolean): string {
  const own = names[locale.slice(0, 2)] ?? names['en']!
  const month = isShort ? own[at.getUTCMonth()]!.slice(0, 3) : own[at.getUTCMonth()]!
  const [day, year] = [at.getUTCDate(), at.getUTCFullYear()]
  if (own === names['en']) return `${month} ${day}, ${year}`
  if (own === names['de']) return `${day}. ${month} ${year}`
  return own === names['es'] && !isShort ? `${day} de ${month} de ${year}` : `${day} ${month} ${year}`
}
