/** What columns hold, by their names without accents in English, German, French and some other languages, and by their units. */

export interface Rule {
  readonly name: RegExp
  /** What the name has to hold as well. One pattern with a gap would take the square of its length. */
  readonly and?: RegExp
  /** The type where no unit is named. */
  readonly type?: string
  /** Types of the units that are taken; others make it another measure. */
  readonly takes?: readonly string[]
  /** What stands in brackets for the first of these besides its names. */
  readonly unit?: RegExp
  /** The stream; the name of the column unless given. */
  readonly stream?: string
  /** `both`: of a blood pressure, in one cell. */
  readonly field?: string
}

/** Names of columns of comments. */
export const notes =
  /^(?:notes?|notiz(?:en)?|comments?|kommentare?|bemerkung(?:en)?|commentaires?|remarques?|notas?|comentarios?|commenti|notities|opmerking(?:en)?|anteckning(?:ar)?|notatki|uwagi)\b/

const pressure = { type: 'blood-pressure/mmhg-bpm', stream: 'Blood pressure', takes: ['pressure/mmhg'] }
const masses = ['mass/kg', 'mass/lb', 'mass/st', 'mass/g']
const lengths = ['length/cm', 'length/m', 'length/in', 'length/ft']
const perMinute = ['frequency/bpm', 'frequency/rpm', 'frequency/brpm']

export const rules: readonly Rule[] = [
  { name: /systol|^sys\b/, ...pressure, field: 'systolic' },
  { name: /diastol|^dia\b/, ...pressure, field: 'diastolic' },
  {
    name: /blood ?pressure|blutdruck|tension art|presion|pressione|bloeddruk|blodtry|\bbp\b/,
    ...pressure,
    field: 'both'
  },
  { name: /fat|muscle|bone|water|lean|fett|muskel|knochen|wasser/, and: /mass|lean/, takes: masses },
  {
    name: /body ?fat|fat ?\(?%|korperfett|masse grasse|graisse corp|grasa corp|grasso corp|massa grassa|lichaamsvet|kroppsfett/,
    type: 'ratio/percent',
    takes: ['ratio/percent'],
    stream: 'Body fat'
  },
  { name: /weight|gewicht|poids|peso\b|\b(?:kropps)?vikt\b|\bwaga\b/, takes: masses, stream: 'Weight' },
  {
    name: /\bhrv\b|rmssd|sdnn|variab/,
    and: /\bhrv\b|rmssd|sdnn|heart|herz|cardia/,
    type: 'time/ms',
    takes: ['time/ms', 'time/s'],
    stream: 'Heart rate variability'
  },
  {
    name: /resting|ruhe|repos/,
    and: /heart|pulse?|\bhr\b|herz|cardia/,
    type: 'frequency/bpm',
    takes: ['frequency/bpm'],
    stream: 'Resting heart rate'
  },
  {
    name: /heart ?rate|pulse|\bbpm\b|\bhr\b|beats per|\bpuls\b|herzfrequenz|frequence cardiaque|\bpouls\b|pulso\b|hartslag|frecuencia cardiaca|frequenza cardiaca|battito|hjartfrekvens/,
    type: 'frequency/bpm',
    takes: ['frequency/bpm'],
    stream: 'Heart rate'
  },
  { name: /respirat|breath|\batem/, type: 'frequency/brpm', takes: perMinute, stream: 'Respiratory rate' },
  {
    name: /gluc[oa]|gluce|glukos|glycem|glicem|blutzucker|blood ?sugar|bloedsuiker|blodsocker|\bbg\b|\bsgv\b/,
    takes: ['density/mg-dl', 'density/mmol-l'],
    stream: 'Blood glucose'
  },
  { name: /insulin/, takes: ['volume/iu'], unit: /^(?:units?|einheit(?:en)?|unites?|u|e|ie|iu|ui)$/ },
  {
    name: /spo2|oxygen|sauerstoff|oxigen|ossigeno|zuurstof|syremattnad/,
    type: 'ratio/percent',
    takes: ['ratio/percent'],
    stream: 'Oxygen saturation'
  },
  {
    name: /temp/,
    and: /skin|haut|wrist|peau/,
    takes: ['temperature/c', 'temperature/f'],
    stream: 'Skin temperature'
  },
  {
    name: /\btemp\b|temperatu|fieber|fievre/,
    takes: ['temperature/c', 'temperature/f'],
    stream: 'Temperature'
  },
  {
    name: /\bsteps?\b|schritte|\bpas\b|\bpasos\b|\bpassi\b|\bstappen\b|\bsteg\b|\bkroki\b/,
    type: 'count/steps',
    takes: ['count/steps', 'count/generic'],
    stream: 'Steps'
  },
  {
    name: /calori|kalori|\bkcal\b/,
    type: 'energy/kcal',
    takes: ['energy/kcal', 'energy/j'],
    stream: 'Energy'
  },
  { name: /energ[yi]/, takes: ['energy/kcal', 'energy/j'], stream: 'Energy' },
  { name: /distance|distanz|strecke/, takes: ['length/km', 'length/m', 'length/mi'], stream: 'Distance' },
  { name: /height|grosse/, takes: lengths, stream: 'Height' },
  { name: /waist|hip|chest|thigh|biceps|neck/, takes: ['length/cm', 'length/in'] },
  { name: /\blat(?:itude)?\b/, type: 'position/wgs84', stream: 'Positions', field: 'latitude' },
  { name: /\b(?:lon|lng|long)(?:itude)?\b/, type: 'position/wgs84', stream: 'Positions', field: 'longitude' },
  {
    name: /altitude|elevation/,
    type: 'position/wgs84',
    stream: 'Positions',
    field: 'altitude',
    takes: ['length/m']
  },
  {
    name: notes,
    type: 'note/txt',
    stream: 'Notes'
  }
]

/** Names of what is derived from a measure: its unit tells the type, and the column keeps its own name. */
export const derived =
  /\b(?:goal|target|ziel|objectif|score|status|index|zones?|trend|change|delta|difference|rate of|per|alarm|limit|threshold|baseline|deviation|need|debt|non[- ]numeric|nicht numerische[rs]?|non numerique)\b/

/** Parts of names that tell values of one measure apart. */
export const parts: readonly (readonly [name: RegExp, part: string])[] = [
  [/\b(?:min|minim(?:um|ale?[rs]?|a|o)|lowest|low|lagsta)\b/, 'minimum'],
  [/\b(?:max|maxim(?:um|ale?[rs]?|a|o)|massim[ao]|highest|peak|hogsta)\b/, 'maximum'],
  [
    /\b(?:avg|average|mean|durchschnitt(?:liche)?[rs]?|mittelwert|moyenne?|promedio|gemiddelde?|genomsnittlig(?:t|a)?)\b/,
    'average'
  ]
]
