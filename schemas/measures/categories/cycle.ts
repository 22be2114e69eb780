/** Measures of the cycle, pregnancy and sexual health. */
import { menstrualFlows, mucusQualities, ovulationResults, protections } from '../rows/choices.js'
import { createRow, inCategory } from '../rows/create-row.js'
import { temperature, temperatures } from '../rows/units.js'

export const cycle = inCategory('cycle', [
  createRow(
    'menstrual-flow',
    ['Period', 'Menstruation', 'Règles'],
    'droplet',
    350,
    'category',
    ['reproductive-health/menstrual-flow'],
    {
      isDefault: true,
      choices: menstrualFlows,
      codes: {
        healthKit: ['HKCategoryTypeIdentifierMenstrualFlow'],
        healthConnect: ['MenstruationFlowRecord'],
        hds: ['body-vulva-bleeding']
      }
    }
  ),
  createRow(
    'spotting',
    ['Spotting', 'Zwischenblutung', 'Spotting'],
    'droplets',
    10,
    'category',
    ['boolean/bool'],
    {
      codes: {
        healthKit: ['HKCategoryTypeIdentifierIntermenstrualBleeding'],
        healthConnect: ['IntermenstrualBleedingRecord']
      }
    }
  ),
  createRow(
    'ovulation-test',
    ['Ovulation test', 'Ovulationstest', 'Test d’ovulation'],
    'test-tube-diagonal',
    280,
    'category',
    ['reproductive-health/ovulation'],
    {
      isDefault: true,
      choices: ovulationResults,
      codes: {
        healthKit: ['HKCategoryTypeIdentifierOvulationTestResult'],
        healthConnect: ['OvulationTestRecord'],
        hds: ['fertility-test-opk']
      }
    }
  ),
  createRow(
    'cervical-mucus',
    ['Cervical mucus', 'Zervixschleim', 'Glaire cervicale'],
    'waves',
    195,
    'category',
    ['reproductive-health/mucus-quality'],
    {
      isDefault: true,
      choices: mucusQualities,
      codes: {
        healthKit: ['HKCategoryTypeIdentifierCervicalMucusQuality'],
        healthConnect: ['CervicalMucusRecord'],
        hds: ['body-vulva-mucus-inspect']
      }
    }
  ),
  createRow(
    'basal-body-temperature',
    ['Basal body temperature', 'Basaltemperatur', 'Température basale'],
    'thermometer',
    310,
    'level',
    temperatures,
    {
      unit: temperature,
      plausible: [35, 38.5],
      possible: [10, 50],
      codes: {
        healthKit: ['HKQuantityTypeIdentifierBasalBodyTemperature'],
        healthConnect: ['BasalBodyTemperatureRecord'],
        hds: ['body-temperature-basal']
      }
    }
  ),
  createRow(
    'sexual-activity',
    ['Sexual activity', 'Sexuelle Aktivität', 'Activité sexuelle'],
    'heart',
    335,
    'category',
    ['reproductive-health/sexual-activity'],
    {
      isDefault: true,
      choices: protections,
      codes: {
        healthKit: ['HKCategoryTypeIdentifierSexualActivity'],
        healthConnect: ['SexualActivityRecord'],
        hds: ['fertility-sexual-activity']
      }
    }
  ),
  createRow(
    'pregnancy-test',
    ['Pregnancy test', 'Schwangerschaftstest', 'Test de grossesse'],
    'test-tube',
    300,
    'category',
    ['boolean/bool'],
    {
      codes: { healthKit: ['HKCategoryTypeIdentifierPregnancyTestResult'], hds: ['fertility-test-pregnancy'] }
    }
  ),
  createRow(
    'pregnancy',
    ['Pregnancy', 'Schwangerschaft', 'Grossesse'],
    'baby',
    325,
    'span',
    ['activity/plain'],
    {
      codes: {
        snomed: ['77386006'],
        healthKit: ['HKCategoryTypeIdentifierPregnancy'],
        hds: ['fertility-pregnancy']
      }
    }
  ),
  createRow(
    'contraceptive',
    ['Contraception', 'Verhütung', 'Contraception'],
    'shield',
    260,
    'text',
    ['note/txt'],
    {
      codes: { healthKit: ['HKCategoryTypeIdentifierContraceptive'] }
    }
  )
])
