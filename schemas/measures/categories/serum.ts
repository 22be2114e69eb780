/** Values of the laboratory: kidneys, liver, proteins, blood and ions. */
import { createMolar, createRow, createShare, inCategory } from '../rows/create-row.js'

const moles = { shown: 'density/mmol-l', offered: ['density/mmol-l'] }

export const serum = inCategory('lab', [
  createRow(
    'creatinine',
    ['Creatinine', 'Kreatinin', 'Créatinine'],
    'test-tube',
    150,
    'level',
    ['density/mg-dl', 'density/mmol-l'],
    {
      unit: { shown: 'density/mg-dl', offered: ['density/mg-dl', 'density/mmol-l'] },
      molarMass: 113.12,
      plausible: [0.2, 12],
      possible: [0, 150],
      codes: { loinc: ['2160-0', '14682-9'], snomed: ['113075003'], hds: ['body-blood-serum-creatinine'] }
    }
  ),
  createRow(
    'uric-acid',
    ['Uric acid', 'Harnsäure', 'Acide urique'],
    'test-tube',
    130,
    'level',
    ['density/mg-dl', 'density/mmol-l'],
    {
      unit: { shown: 'density/mg-dl', offered: ['density/mg-dl', 'density/mmol-l'] },
      molarMass: 168.11,
      plausible: [1, 14],
      possible: [0, 100],
      codes: { loinc: ['3084-1', '14933-6'] }
    }
  ),
  createRow(
    'albumin',
    ['Albumin', 'Albumin', 'Albumine'],
    'test-tube',
    215,
    'level',
    ['density/g-dl', 'density/mg-dl'],
    {
      unit: { shown: 'density/g-dl', offered: ['density/g-dl'] },
      plausible: [1.5, 6],
      possible: [0, 15],
      codes: { loinc: ['1751-7'], snomed: ['104485008'], hds: ['body-blood-serum-albumin'] }
    }
  ),
  createRow(
    'haemoglobin',
    ['Haemoglobin', 'Hämoglobin', 'Hémoglobine'],
    'droplets',
    350,
    'level',
    ['density/g-dl', 'density/mmol-l', 'density/kg-m3', 'density/mg-dl'],
    {
      unit: { shown: 'density/g-dl', offered: ['density/g-dl', 'density/mmol-l'] },
      // One of its four subunits, by which laboratories count.
      molarMass: 16_114.5,
      plausible: [5, 21],
      possible: [0.5, 35],
      codes: { loinc: ['718-7'], snomed: ['441689006'], hds: ['body-blood-cbc-hemoglobin'] }
    }
  ),
  createShare('haematocrit', ['Haematocrit', 'Hämatokrit', 'Hématocrite'], 'droplets', 5, [15, 65], {
    loinc: ['4544-3'],
    snomed: ['28317006'],
    hds: ['body-blood-cbc-hematocrit']
  }),
  createMolar(
    'blood-sodium',
    ['Blood sodium', 'Natrium im Blut', 'Natrémie'],
    190,
    22.99,
    [
      [110, 170],
      [50, 250]
    ],
    {
      unit: moles,
      codes: { loinc: ['2951-2'], snomed: ['104934005'], hds: ['body-blood-serum-sodium'] }
    }
  ),
  createMolar(
    'blood-potassium',
    ['Blood potassium', 'Kalium im Blut', 'Kaliémie'],
    50,
    39.098,
    [
      [2, 8],
      [0.5, 20]
    ],
    {
      unit: moles,
      codes: { loinc: ['2823-3'], snomed: ['271236005'], hds: ['body-blood-serum-potassium'] }
    }
  ),
  createMolar(
    'blood-calcium',
    ['Blood calcium', 'Kalzium im Blut', 'Calcémie'],
    200,
    40.078,
    [
      [1.5, 4],
      [0.2, 10]
    ],
    {
      unit: {
        shown: 'density/mmol-l',
        byRegion: { US: 'density/mg-dl' },
        offered: ['density/mmol-l', 'density/mg-dl']
      },
      codes: { loinc: ['17861-6', '2000-8'], snomed: ['271240001'], hds: ['body-blood-serum-calcium'] }
    }
  )
])
