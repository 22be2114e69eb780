/** Values of the laboratory whose unit no event type has, in the category of the laboratory: their names say the unit. */
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'

/** Units of the activity of enzymes. */
const unitsPerLitre: NameList = ['U/L', 'U/L', 'UI/L']

interface Value {
  /** The same in all languages, or by language. */
  readonly unit?: string | NameList
  readonly plausible: readonly [number, number]
  readonly largest: number
  readonly loinc?: readonly string[]
  readonly snomed?: string
  /** Without the prefix `body-blood-`. */
  readonly hds?: string
}

/** Builds a value that is a plain number in the unit that its name says. */
function createValue(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  { hds, largest, loinc, plausible, snomed, unit }: Value
): Row {
  return createRow(id, addUnit(names, unit), icon, hue, 'level', ['count/generic'], {
    plausible,
    possible: [0, largest],
    codes: {
      ...(loinc && { loinc }),
      ...(snomed !== undefined && { snomed: [snomed] }),
      ...(hds !== undefined && { hds: [`body-blood-${hds}`] })
    }
  })
}

function addUnit(names: NameList, unit: Value['unit']): NameList {
  if (unit === undefined) return names
  const [en, de, fr] = typeof unit === 'string' ? [unit, unit, unit] : unit
  return [`${names[0]} (${en})`, `${names[1]} (${de})`, `${names[2]} (${fr})`]
}

export const blood = inCategory('lab', [
  createValue('tsh', ['TSH', 'TSH', 'TSH'], 'test-tube-diagonal', 200, {
    unit: ['mIU/L', 'mU/L', 'mUI/L'],
    plausible: [0, 50],
    largest: 1000,
    loinc: ['3016-3'],
    snomed: '61167004',
    hds: 'serum-tsh'
  }),
  createValue('free-t4', ['Free T4', 'Freies T4', 'T4 libre'], 'test-tube-diagonal', 215, {
    unit: 'ng/dL',
    plausible: [0.2, 5],
    largest: 50,
    loinc: ['3024-7'],
    snomed: '313837000',
    hds: 'serum-free-t4'
  }),
  createValue('c-reactive-protein', ['CRP', 'CRP', 'CRP'], 'test-tube-diagonal', 5, {
    unit: 'mg/L',
    plausible: [0, 400],
    largest: 1500,
    loinc: ['1988-5']
  }),
  createValue('ferritin', ['Ferritin', 'Ferritin', 'Ferritine'], 'test-tube-diagonal', 10, {
    unit: 'µg/L',
    plausible: [2, 1000],
    largest: 200_000,
    loinc: ['2276-4'],
    snomed: '269821003',
    hds: 'serum-ferritin'
  }),
  createValue('serum-vitamin-d', ['Vitamin D level', 'Vitamin-D-Spiegel', 'Taux de vitamine D'], 'sun', 45, {
    unit: 'ng/mL',
    plausible: [3, 150],
    largest: 1000,
    loinc: ['1989-3', '62292-8'],
    snomed: '12199005',
    hds: 'serum-vitamin-d-25oh'
  }),
  createValue(
    'serum-vitamin-b12',
    ['Vitamin B12 level', 'Vitamin-B12-Spiegel', 'Taux de vitamine B12'],
    'fish',
    350,
    {
      unit: 'pg/mL',
      plausible: [50, 2000],
      largest: 100_000,
      loinc: ['2132-9'],
      snomed: '271216009',
      hds: 'serum-vitamin-b12'
    }
  ),
  createValue(
    'egfr',
    ['Kidney function, eGFR', 'Nierenfunktion, eGFR', 'Fonction rénale, DFGe'],
    'test-tube-diagonal',
    160,
    {
      unit: ['mL/min/1.73 m²', 'mL/min/1,73 m²', 'mL/min/1,73 m²'],
      plausible: [5, 150],
      largest: 300,
      loinc: ['98979-8', '62238-1', '33914-3'],
      hds: 'serum-egfr'
    }
  ),
  createValue('alt', ['ALT', 'ALT (GPT)', 'ALAT'], 'test-tube-diagonal', 60, {
    unit: unitsPerLitre,
    plausible: [3, 500],
    largest: 50_000,
    loinc: ['1742-6'],
    snomed: '34608000',
    hds: 'serum-alt'
  }),
  createValue('ast', ['AST', 'AST (GOT)', 'ASAT'], 'test-tube-diagonal', 75, {
    unit: unitsPerLitre,
    plausible: [3, 500],
    largest: 50_000,
    loinc: ['1920-8'],
    snomed: '250641004',
    hds: 'serum-ast'
  }),
  createValue('ggt', ['GGT', 'Gamma-GT', 'Gamma-GT'], 'test-tube-diagonal', 90, {
    unit: unitsPerLitre,
    plausible: [3, 1000],
    largest: 50_000,
    loinc: ['2324-2'],
    snomed: '313849004',
    hds: 'serum-ggt'
  }),
  createValue('leukocytes', ['White blood cells', 'Leukozyten', 'Leucocytes'], 'microscope', 190, {
    unit: '10⁹/L',
    plausible: [1, 40],
    largest: 2000,
    loinc: ['6690-2', '26464-8'],
    snomed: '767002',
    hds: 'cbc-wbc'
  }),
  createValue('erythrocytes', ['Red blood cells', 'Erythrozyten', 'Érythrocytes'], 'microscope', 355, {
    unit: '10¹²/L',
    plausible: [1.5, 8],
    largest: 20,
    loinc: ['789-8', '26453-1'],
    snomed: '14089001',
    hds: 'cbc-rbc'
  }),
  createValue('platelets', ['Platelets', 'Thrombozyten', 'Plaquettes'], 'microscope', 40, {
    unit: '10⁹/L',
    plausible: [20, 1000],
    largest: 10_000,
    loinc: ['777-3', '26515-7'],
    snomed: '61928009',
    hds: 'cbc-platelets'
  }),
  createValue('inr', ['INR', 'INR', 'INR'], 'timer', 345, {
    plausible: [0.7, 6],
    largest: 30,
    loinc: ['6301-6']
  }),
  createValue('prostate-antigen', ['PSA', 'PSA', 'PSA'], 'test-tube-diagonal', 260, {
    unit: 'ng/mL',
    plausible: [0, 100],
    largest: 20_000,
    loinc: ['2857-1']
  })
])
