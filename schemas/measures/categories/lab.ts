/** Values of the laboratory: sugar and lipids in the blood, and records of doctors. */
import { createMolar, createRow, createShare, inCategory } from '../rows/create-row.js'

export const lab = inCategory('lab', [
  createMolar(
    'glucose',
    ['Blood glucose', 'Blutzucker', 'Glycémie'],
    285,
    180.156,
    [
      [1.5, 28],
      [0, 200]
    ],
    {
      icon: 'droplet',
      codes: {
        loinc: ['2339-0', '15074-8', '2345-7', '14749-6', '41653-7'],
        healthKit: ['HKQuantityTypeIdentifierBloodGlucose'],
        healthConnect: ['BloodGlucoseRecord']
      }
    }
  ),
  createMolar(
    'fasting-glucose',
    ['Fasting glucose', 'Nüchternblutzucker', 'Glycémie à jeun'],
    300,
    180.156,
    [
      [2, 20],
      [0, 200]
    ],
    {
      icon: 'droplet',
      codes: { loinc: ['1558-6'], snomed: ['167087006'], hds: ['body-blood-serum-glucose-fasting'] }
    }
  ),
  createShare('hba1c', ['HbA1c', 'HbA1c', 'HbA1c'], 'droplets', 270, [4, 15], {
    loinc: ['4548-4'],
    snomed: ['43396009'],
    hds: ['body-blood-hba1c']
  }),
  createMolar(
    'total-cholesterol',
    ['Total cholesterol', 'Gesamtcholesterin', 'Cholestérol total'],
    45,
    386.65,
    [
      [2, 12],
      [0, 60]
    ],
    {
      codes: {
        loinc: ['2093-3', '14647-2'],
        snomed: ['412808005'],
        hds: ['body-blood-serum-cholesterol-total']
      }
    }
  ),
  createMolar(
    'ldl-cholesterol',
    ['LDL cholesterol', 'LDL-Cholesterin', 'Cholestérol LDL'],
    20,
    386.65,
    [
      [0.3, 9],
      [0, 50]
    ],
    {
      codes: {
        loinc: ['13457-7', '2089-1', '18262-6', '22748-8'],
        snomed: ['166833005'],
        hds: ['body-blood-serum-cholesterol-ldl']
      }
    }
  ),
  createMolar(
    'hdl-cholesterol',
    ['HDL cholesterol', 'HDL-Cholesterin', 'Cholestérol HDL'],
    70,
    386.65,
    [
      [0.3, 4],
      [0, 20]
    ],
    {
      codes: {
        loinc: ['2085-9', '14646-4'],
        snomed: ['166832000'],
        hds: ['body-blood-serum-cholesterol-hdl']
      }
    }
  ),
  createMolar(
    'triglycerides',
    ['Triglycerides', 'Triglyzeride', 'Triglycérides'],
    95,
    885.7,
    [
      [0.2, 15],
      [0, 200]
    ],
    {
      codes: { loinc: ['2571-8', '14927-8'], snomed: ['271245006'], hds: ['body-blood-serum-triglycerides'] }
    }
  ),
  createRow(
    'blood-alcohol',
    ['Blood alcohol', 'Blutalkohol', 'Alcoolémie'],
    'wine',
    345,
    'level',
    ['ratio/percent'],
    {
      plausible: [0, 0.4],
      possible: [0, 2],
      codes: { healthKit: ['HKQuantityTypeIdentifierBloodAlcoholContent'] }
    }
  ),
  createRow(
    'clinical-record',
    ['Clinical records', 'Klinische Befunde', 'Dossiers cliniques'],
    'clipboard-plus',
    170,
    'text',
    ['clinical/fhir'],
    { isDefault: true }
  )
])
