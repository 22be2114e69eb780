/** Words that the events of measures choose from. */
import type { Choice } from '../measure.js'
import { toNames, type NameList } from './create-row.js'

function toChoices(list: Readonly<Record<string, NameList>>): readonly Choice[] {
  return Object.entries(list).map(([value, names]) => ({ value, names: toNames(names) }))
}

const notSet: NameList = ['Not set', 'Keine Angabe', 'Non renseigné']
const unspecified: NameList = ['Unspecified', 'Nicht näher bezeichnet', 'Non précisé']

export const severities = toChoices({
  notPresent: ['Not present', 'Nicht vorhanden', 'Absent'],
  mild: ['Mild', 'Leicht', 'Léger'],
  moderate: ['Moderate', 'Mäßig', 'Modéré'],
  severe: ['Severe', 'Stark', 'Sévère'],
  unspecified
})

export const appetiteChanges = toChoices({
  decreased: ['Decreased', 'Vermindert', 'En baisse'],
  noChange: ['No change', 'Unverändert', 'Sans changement'],
  increased: ['Increased', 'Erhöht', 'En hausse'],
  unspecified
})

export const sleepStates = toChoices({
  inBed: ['In bed', 'Im Bett', 'Au lit'],
  asleep: ['Asleep', 'Schlafend', 'Endormi'],
  awake: ['Awake', 'Wach', 'Éveillé']
})

export const menstrualFlows = toChoices({
  none: ['None', 'Keine', 'Aucun'],
  light: ['Light', 'Leicht', 'Léger'],
  medium: ['Medium', 'Mittel', 'Moyen'],
  heavy: ['Heavy', 'Stark', 'Abondant'],
  unspecified
})

export const ovulationResults = toChoices({
  negative: ['Negative', 'Negativ', 'Négatif'],
  luteinizingHormoneSurge: ['LH surge', 'LH-Anstieg', 'Pic de LH'],
  estrogenSurge: ['Estrogen surge', 'Östrogenanstieg', 'Pic d’œstrogènes'],
  indeterminate: ['Inconclusive', 'Nicht eindeutig', 'Indéterminé']
})

export const mucusQualities = toChoices({
  dry: ['Dry', 'Trocken', 'Sèche'],
  sticky: ['Sticky', 'Klebrig', 'Collante'],
  creamy: ['Creamy', 'Cremig', 'Crémeuse'],
  watery: ['Watery', 'Wässrig', 'Aqueuse'],
  eggWhite: ['Egg white', 'Eiweißartig', 'Blanc d’œuf']
})

export const protections = toChoices({
  protectionUsed: ['With protection', 'Mit Schutz', 'Avec protection'],
  protectionNotUsed: ['Without protection', 'Ohne Schutz', 'Sans protection'],
  notSet
})

export const sexes = toChoices({
  female: ['Female', 'Weiblich', 'Féminin'],
  male: ['Male', 'Männlich', 'Masculin'],
  other: ['Other', 'Andere', 'Autre'],
  notSet
})

export const bloodTypes = toChoices({
  aPositive: ['A+', 'A+', 'A+'],
  aNegative: ['A−', 'A−', 'A−'],
  bPositive: ['B+', 'B+', 'B+'],
  bNegative: ['B−', 'B−', 'B−'],
  abPositive: ['AB+', 'AB+', 'AB+'],
  abNegative: ['AB−', 'AB−', 'AB−'],
  oPositive: ['O+', '0+', 'O+'],
  oNegative: ['O−', '0−', 'O−'],
  notSet
})

export const skinTypes = toChoices({
  'Pale white skin': ['Pale white skin', 'Sehr helle Haut', 'Peau très claire'],
  'White skin': ['White skin', 'Helle Haut', 'Peau claire'],
  'White to light brown skin': [
    'White to light brown skin',
    'Helle bis hellbraune Haut',
    'Peau claire à légèrement brune'
  ],
  'Beige-olive skin': ['Beige to olive skin', 'Beige bis olivfarbene Haut', 'Peau beige à olive'],
  'Brown skin': ['Brown skin', 'Braune Haut', 'Peau brune'],
  'Dark brown to black skin': [
    'Dark brown to black skin',
    'Dunkelbraune bis schwarze Haut',
    'Peau brun foncé à noire'
  ],
  notSet
})

/** The Bristol scale of stool forms. */
export const stoolForms: readonly Choice[] = (
  [
    ['Separate hard lumps', 'Einzelne harte Klümpchen', 'Petites billes dures séparées'],
    ['Lumpy sausage', 'Wurstförmig, klumpig', 'En forme de saucisse, grumeleuse'],
    ['Sausage with cracks', 'Wurstförmig, rissig', 'En forme de saucisse, craquelée'],
    ['Smooth, soft sausage', 'Wurstförmig, glatt und weich', 'En forme de saucisse, lisse et molle'],
    ['Soft blobs with clear edges', 'Weiche Klümpchen mit klarem Rand', 'Morceaux mous aux bords nets'],
    ['Mushy, ragged edges', 'Breiig, mit unklarem Rand', 'Pâteuse, aux bords déchiquetés'],
    ['Liquid', 'Flüssig', 'Liquide']
  ] as const
).map((names, index) => ({ value: index + 1, names: toNames(names) }))
