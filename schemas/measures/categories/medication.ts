/** Measures of medication. Each medicine that a person takes is a measure of the person's own. */
import { severities } from '../rows/choices.js'
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'

/** Builds a number of doses, with the largest plausible one. */
function createDoses(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  largest: number,
  codes?: Row['codes']
): Row {
  return createRow(id, names, icon, hue, 'sum', ['count/generic'], {
    plausible: [0, largest],
    possible: [0, 50 * largest],
    ...(codes && { codes })
  })
}

/** Builds an amount of an active ingredient (mg), with the largest plausible one. */
function createAmount(id: string, names: NameList, hue: number, largest: number, codes?: Row['codes']): Row {
  return createRow(id, names, 'pill', hue, 'sum', ['mass/mg', 'mass/g'], {
    unit: { shown: 'mass/mg', offered: ['mass/mg', 'mass/g'] },
    plausible: [0, largest],
    possible: [0, 500_000],
    ...(codes && { codes })
  })
}

/** Builds an amount of insulin (international units). */
function createInsulin(id: string, names: NameList, hue: number, codes?: Row['codes']): Row {
  return createRow(id, names, 'syringe', hue, 'sum', ['volume/iu'], {
    plausible: [0, 150],
    possible: [0, 5000],
    ...(codes && { codes })
  })
}

export const medication = inCategory('medication', [
  createRow('medication', ['Medication', 'Medikamente', 'Médicaments'], 'pill', 280, 'text', ['note/txt'], {
    codes: { hds: ['medication-intake-basic'] }
  }),
  createRow(
    'medication-taken',
    ['Medication taken', 'Medikament genommen', 'Médicament pris'],
    'circle-check',
    150,
    'category',
    ['boolean/bool']
  ),
  createDoses('tablets', ['Tablets', 'Tabletten', 'Comprimés'], 'tablets', 265, 12),
  createDoses(
    'inhaler-puffs',
    ['Inhaler puffs', 'Hübe aus dem Inhalator', 'Bouffées d’inhalateur'],
    'spray-can',
    190,
    20,
    {
      healthKit: ['HKQuantityTypeIdentifierInhalerUsage']
    }
  ),
  createAmount(
    'active-ingredient',
    ['Active ingredient', 'Wirkstoffmenge', 'Quantité de principe actif'],
    245,
    5000
  ),
  createInsulin('insulin', ['Insulin', 'Insulin', 'Insuline'], 210, {
    healthKit: ['HKQuantityTypeIdentifierInsulinDelivery']
  }),
  createInsulin('basal-insulin', ['Basal insulin', 'Basalinsulin', 'Insuline basale'], 225),
  createInsulin('bolus-insulin', ['Bolus insulin', 'Bolusinsulin', 'Insuline bolus'], 240),
  createRow(
    'supplement',
    ['Supplements', 'Nahrungsergänzungsmittel', 'Compléments alimentaires'],
    'pill-bottle',
    100,
    'text',
    ['note/txt']
  ),
  createRow('vaccination', ['Vaccinations', 'Impfungen', 'Vaccinations'], 'shield-check', 140, 'text', [
    'note/txt'
  ]),
  createRow(
    'side-effects',
    ['Side effects', 'Nebenwirkungen', 'Effets indésirables'],
    'triangle-alert',
    40,
    'category',
    ['symptoms/severity'],
    { choices: severities }
  )
])
