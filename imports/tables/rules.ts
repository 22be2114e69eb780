/**
 * Rules for what columns contain, by their names without accents in English, German, French and some other languages, and by their
 * units.
 */

export interface Rule {
  readonly name: RegExp
  /** The name must match this as well. A single pattern with a gap would take quadratic time. */
  readonly and?: RegExp
  /** Type, if there is no unit. */
  readonly type?: string
  /** Types of the accepted units. Other units mean another measure. */
  readonly takes?: readonly string[]
  /** Additional names, in brackets, for the unit of the first of these types. */
  readonly unit?: RegExp
  /** Stream; the name of the column by default. */
  readonly stream?: string
  /** Field of the content. `both` stands for a blood pressure in one cell. */
  readonly field?: string
}

/** Names of comment columns. */
export const notes =
  /^(?:notes?|notiz(?:en)?|comments?|kommentare?|bemerkung(?:en)?|commentaires?|remarques?|notas?|comentarios?|commenti|notities|opmerking(?:en)?|anteckning(?:ar)?|notatki|uwagi)\b/

const pressureRule = { type: 'blood-pressure/mmhg-bpm', stream: 'Blood pressure', takes: ['pressure/mmhg'] }
const massTypes = ['mass/kg', 'mass/lb', 'mass/st', 'mass/g']
const lengthTypes = ['length/cm', 'length/m', 'length/in', 'length/ft']
const rateTypes = ['frequency/bpm', 'frequency/rpm', 'frequency/brpm']

export const rules: readonly Rule[] = [
  { name: /systol|^sys\b/, ...pressureRule, field: 'systolic' },
  { name: /diastol|^dia\b/, ...pressureRule, field: 'diastolic' },
  {
    name: /blood ?pressure|blutdruck|tension art|presion|pressione|bloeddruk|blodtry|\bbp\b/,
    ...pressureRule,
    field: 'both'
  },
  { name: /fat|muscle|bone|water|lean|fett|muskel|knochen|wasser/, and: /mass|lean/, takes: massTypes },
  {
    name: /body ?fat|fat ?\(?%|korperfett|masse grasse|graisse corp|grasa corp|grasso corp|massa grassa|lichaamsvet|kroppsfett/,
    type: 'ratio/percent',
    takes: ['ratio/percent'],
    stream: 'Body fat'
  },
  { name: /weight|gewicht|poids|peso\b|\b(?:kropps)?vikt\b|\bwaga\b/, takes: massTypes, stream: 'Weight' },
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
  { name: /respirat|breath|\batem/, type: 'frequency/brpm', takes: rateTypes, stream: 'Respiratory rate' },
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
  { name: /height|grosse/, takes: lengthTypes, stream: 'Height' },
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

/** Names of derived values: their type follows from the unit, and the column keeps its name. */
export const derived =
  /\b(?:goal|target|ziel|objectif|score|status|index|zones?|trend|change|delta|difference|rate of|per|alarm|limit|threshold|baseline|deviation|need|debt|non[- ]numeric|nicht numerische[rs]?|non numerique)\b/

/** Statistics in names, which distinguish values of one measure. */
export const parts: readonly (readonly [name: RegExp, part: string])[] = [
  [/\b(?:min|minim(?:um|ale?[rs]?|a|o)|lowest|low|lagsta)\b/, 'minimum'],
  [/\b(?:max|maxim(?:um|ale?[rs]?|a|o)|massim[ao]|highest|peak|hogsta)\b/, 'maximum'],
  [
    /\b(?:avg|average|mean|durchschnitt(?:liche)?[rs]?|mittelwert|moyenne?|promedio|gemiddelde?|genomsnittlig(?:t|a)?)\b/,
    'average'
  ]
]
