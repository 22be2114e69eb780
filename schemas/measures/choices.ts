/** Words that several measures choose from. */
import type { Choice } from './measure.js'

/** Severities of a symptom. */
export const severities: readonly Choice[] = [
  { value: 'notPresent', names: { en: 'Not present', de: 'Nicht vorhanden', fr: 'Absent' } },
  { value: 'mild', names: { en: 'Mild', de: 'Leicht', fr: 'Léger' } },
  { value: 'moderate', names: { en: 'Moderate', de: 'Mäßig', fr: 'Modéré' } },
  { value: 'severe', names: { en: 'Severe', de: 'Stark', fr: 'Sévère' } },
  { value: 'unspecified', names: { en: 'Unspecified', de: 'Nicht näher bezeichnet', fr: 'Non précisé' } }
]
