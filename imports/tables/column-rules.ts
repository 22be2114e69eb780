/**
 * Rules for what columns contain, by their names without accents in English, German, French and some other languages, and by their
 * units.
 */

export interface ColumnRule {
  readonly name: RegExp
  /** A second pattern that the name must match as well. A single pattern with a gap would take quadratic time. */
  readonly also?: RegExp
  /** Type, if there is no unit. */
  readonly type?: string
  /** Types of the accepted units. Other units mean another measure. */
  readonly unitTypes?: readonly string[]
  /** Additional names, in brackets, that select the unit of the first of the types. */
  readonly bracketUnit?: RegExp
  /** Stream; the name of the column by default. */
  readonly stream?: string
  /** Field of the content. `both` stands for a blood pressure in one cell. */
  readonly field?: string
}

/** Names of comment columns. */
export const noteNames =
  /^(?:notes?|notiz(?:en)?|comments?|kommentare?|bemerkung(?:en)?|commentaires?|remarques?|notas?|comentarios?|commenti|notities|opmerking(?:en)?|anteckning(?:ar)?|notatki|uwagi)\b|^(?:メモ|備考|コメント|메모|비고|备注|備註|заметк|примечани|комментари)/

const pressureRule = {
  type: 'blood-pressure/mmhg-bpm',
  stream: 'Blood pressure',
  unitTypes: ['pressure/mmhg']
}
const massTypes = ['mass/kg', 'mass/lb', 'mass/st', 'mass/g']
const lengthTypes = ['length/cm', 'length/m', 'length/in', 'length/ft']
const rateTypes = ['frequency/bpm', 'frequency/rpm', 'frequency/brpm']

export const columnRules: readonly ColumnRule[] = [
  { name: /systol|^sys\b/, ...pressureRule, field: 'systolic' },
  { name: /diastol|^dia\b/, ...pressureRule, field: 'diastolic' },
  {
    name: /blood ?pressure|blutdruck|tension art|presion|pressione|bloeddruk|blodtry|\bbp\b/,
    ...pressureRule,
    field: 'both'
  },
  { name: /fat|muscle|bone|water|lean|fett|muskel|knochen|wasser/, also: /mass|lean/, unitTypes: massTypes },
  {
    name: /body ?fat|fat ?\(?%|korperfett|masse grasse|graisse corp|grasa corp|grasso corp|massa grassa|lichaamsvet|kroppsfett/,
    type: 'ratio/percent',
    unitTypes: ['ratio/percent'],
    stream: 'Body fat'
  },
  {
    name: /weight|gewicht|poids|peso\b|\b(?:kropps)?vikt\b|\bwaga\b/,
    unitTypes: massTypes,
    stream: 'Weight'
  },
  {
    name: /\bhrv\b|rmssd|sdnn|variab/,
    also: /\bhrv\b|rmssd|sdnn|heart|herz|cardia/,
    type: 'time/ms',
    unitTypes: ['time/ms', 'time/s'],
    stream: 'Heart rate variability'
  },
  {
    name: /resting|ruhe|repos/,
    also: /heart|pulse?|\bhr\b|herz|cardia/,
    type: 'frequency/bpm',
    unitTypes: ['frequency/bpm'],
    stream: 'Resting heart rate'
  },
  {
    name: /heart ?rate|pulse|\bbpm\b|\bhr\b|beats per|\bpuls\b|herzfrequenz|frequence cardiaque|\bpouls\b|pulso\b|hartslag|frecuencia cardiaca|frequenza cardiaca|battito|hjartfrekvens/,
    type: 'frequency/bpm',
    unitTypes: ['frequency/bpm'],
    stream: 'Heart rate'
  },
  {
    name: /respirat|breath|\batem/,
    type: 'frequency/brpm',
    unitTypes: rateTypes,
    stream: 'Respiratory rate'
  },
  {
    name: /gluc[oa]|gluce|glukos|glycem|glicem|blutzucker|blood ?sugar|bloedsuiker|blodsocker|\bbg\b|\bsgv\b/,
    unitTypes: ['density/mg-dl', 'density/mmol-l'],
    stream: 'Blood glucose'
  },
  {
    name: /insulin/,
    unitTypes: ['volume/iu'],
    bracketUnit: /^(?:units?|einheit(?:en)?|unites?|u|e|ie|iu|ui)$/
  },
  {
    name: /spo2|oxygen|sauerstoff|oxigen|ossigeno|zuurstof|syremattnad/,
    type: 'ratio/percent',
    unitTypes: ['ratio/percent'],
    stream: 'Oxygen saturation'
  },
  {
    name: /temp/,
    also: /skin|haut|wrist|peau/,
    unitTypes: ['temperature/c', 'temperature/f'],
    stream: 'Skin temperature'
  },
  {
    name: /\btemp\b|temperatu|fieber|fievre/,
    unitTypes: ['temperature/c', 'temperature/f'],
    stream: 'Temperature'
  },
  {
    name: /\bsteps?\b|schritte|\bpas\b|\bpasos\b|\bpassi\b|\bstappen\b|\bsteg\b|\bkroki\b/,
    type: 'count/steps',
    unitTypes: ['count/steps', 'count/generic'],
    stream: 'Steps'
  },
  {
    name: /calori|kalori|\bkcal\b/,
    type: 'energy/kcal',
    unitTypes: ['energy/kcal', 'energy/j'],
    stream: 'Energy'
  },
  { name: /energ[yi]/, unitTypes: ['energy/kcal', 'energy/j'], stream: 'Energy' },
  { name: /distance|distanz|strecke/, unitTypes: ['length/km', 'length/m', 'length/mi'], stream: 'Distance' },
  { name: /height|grosse/, unitTypes: lengthTypes, stream: 'Height' },
  { name: /waist|hip|chest|thigh|biceps|neck/, unitTypes: ['length/cm', 'length/in'] },
  { name: /\blat(?:itude)?\b/, type: 'position/wgs84', stream: 'Positions', field: 'latitude' },
  { name: /\b(?:lon|lng|long)(?:itude)?\b/, type: 'position/wgs84', stream: 'Positions', field: 'longitude' },
  {
    name: /altitude|elevation/,
    type: 'position/wgs84',
    stream: 'Positions',
    field: 'altitude',
    unitTypes: ['length/m']
  },
  {
    name: noteNames,
    type: 'note/txt',
    stream: 'Notes'
  }
]

/** Names of derived values: their type follows from the unit, and the column keeps its name. */
export const derivedNames =
  /\b(?:goal|target|ziel|objectif|score|status|index|zones?|trend|change|delta|difference|rate of|per|alarm|limit|threshold|baseline|deviation|need|debt|non[- ]numeric|nicht numerische[rs]?|non numerique)\b/

/** Statistics in names, which distinguish values of one measure. */
export const statisticNames: readonly (readonly [name: RegExp, part: string])[] = [
  [/\b(?:min|minim(?:um|ale?[rs]?|a|o)|lowest|low|lagsta)\b/, 'minimum'],
  [/\b(?:max|maxim(?:um|ale?[rs]?|a|o)|massim[ao]|highest|peak|hogsta)\b/, 'maximum'],
  [
    /\b(?:avg|average|mean|durchschnitt(?:liche)?[rs]?|mittelwert|moyenne?|promedio|gemiddelde?|genomsnittlig(?:t|a)?)\b/,
    'average'
  ]
]
