/** Formats the catalogue of measures for docs/api/measures.md. */
import { listDefaultTypes, measures } from '../../schemas/measures/catalogue.js'
import type { Measure } from '../../schemas/measures/measure.js'

/** Most types that a cell lists; amounts of money have one for each currency. */
const maxTypes = 12

/** Returns the page below its introduction: a heading and a table for each category. */
export function formatMeasuresPage(): string {
  const categories = [...new Set(measures.map(({ category }) => category))]
  return categories
    .map(category => {
      const rows = measures.filter(each => each.category === category).map(formatRow)
      return [
        `## ${formatTitle(category)}`,
        '',
        '| Id | Name | Kind | Types | Unit | Plausible | Possible |',
        '| --- | --- | --- | --- | --- | --- | --- |',
        ...rows
      ].join('\n')
    })
    .join('\n\n')
}

function formatRow(measure: Measure): string {
  const { id, kind, names, plausible, possible, types, unit } = measure
  const defaults = new Set(listDefaultTypes(measure))
  const listed =
    types.length > maxTypes
      ? `\`${types[0]!.split('/')[0]}/*\``
      : types.map(type => (defaults.has(type) ? `**\`${type}\`**` : `\`${type}\``)).join(', ')
  const shown = unit ? `\`${unit.shown}\`` : ''
  return `| \`${id}\` | ${names.en} | ${kind} | ${listed} | ${shown} | ${formatRange(plausible)} | ${formatRange(possible)} |`
}

function formatRange(range: readonly [number, number] | undefined): string {
  return range ? range.map(each => each.toLocaleString('en-GB').replace('-', '−')).join(' to ') : ''
}

function formatTitle(category: string): string {
  const words = category.replace('-', ' ')
  return words[0]!.toUpperCase() + words.slice(1)
}
