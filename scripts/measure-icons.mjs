/** A plugin of the pages' build: the icons of measures, from Lucide, as one module that is loaded when the first one is shown. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { runnerImport } from 'vite'

/** Offered for measures of the user's own, besides those of the catalogue. */
const offeredIcons = 'dog cat leaf sprout car brush shirt target flag clock hash thumbs-up'

/** The module that the plugin makes; `measure-icons.d.ts` declares it. */
const name = 'web/app/data/measure-icons'

/** Returns the plugin. The build fails if Lucide lacks an icon of the catalogue. */
export function measureIcons(root) {
  const id = join(root, `${name}.js`)
  return {
    name: 'measure-icons',
    resolveId: (source, importer) =>
      source.endsWith('/measure-icons.js') && importer !== undefined ? id : undefined,
    async load(path) {
      if (path !== id) return undefined
      const { measures } = (await runnerImport(join(root, 'schemas/measures/catalogue.ts'))).module
      const names = [...new Set([...measures.map(({ icon }) => icon), ...offeredIcons.split(' ')])]
      const paths = Object.fromEntries(names.map(each => [each, readPath(each)]))
      return `/*! Icons by Lucide Icons and Contributors: ISC License, https://lucide.dev/license */export const paths = ${JSON.stringify(paths)}`
    }
  }
}

const folder = join(dirname(createRequire(import.meta.url).resolve('lucide-static/package.json')), 'icons')

/** Returns the shapes of an icon as the data of one path. Throws if there is no such icon. */
function readPath(icon) {
  const shapes = readFileSync(join(folder, `${icon}.svg`), 'utf8').matchAll(/<(\w+) ([^>]*)\/>/g)
  const parts = Array.from(shapes, ([, shape, text]) =>
    toPath(
      shape,
      Object.fromEntries(Array.from(text.matchAll(/([\w-]+)="([^"]*)"/g), ([, key, value]) => [key, value]))
    )
  )
  return parts.map(shorten).join('')
}

/** Rounds the numbers of a path to hundredths of a twenty-fourth of its size, which nobody sees. */
function shorten(path) {
  return path.replaceAll(/([a-z])([^a-z]*)/gi, (_, command, text) => {
    const numbers = []
    let end = 0
    const pattern = /\s*,?\s*([-+]?(?:\d+\.?\d*|\.\d+))/y
    const flag = /\s*,?\s*([01])/y
    for (;;) {
      // The two flags of an arc are single digits, which need nothing between them and what follows.
      const isFlag = command.toLowerCase() === 'a' && [3, 4].includes(numbers.length % 7)
      const reader = isFlag ? flag : pattern
      reader.lastIndex = end
      const found = reader.exec(text)
      if (!found) break
      end = reader.lastIndex
      numbers.push(String(Math.round(Number(found[1]) * 100) / 100).replace(/^(-?)0\./, '$1.'))
    }
    return (
      command +
      numbers.reduce(
        (joined, each) => (joined === '' || each.startsWith('-') ? joined + each : `${joined} ${each}`),
        ''
      )
    )
  })
}

/** Converts a shape to the data of a path. */
function toPath(shape, attributes) {
  const { d, points } = attributes
  const get = (key, otherwise = 0) => Number(attributes[key] ?? otherwise)
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map(key => get(key))
  const radius = get('rx', attributes.ry ?? attributes.r)
  switch (shape) {
    case 'path':
      // After a relative move, which is relative to the shape before, further points are relative as well.
      return d.startsWith('m') ? `M0 0${d}` : d
    case 'line':
      return `M${get('x1')} ${get('y1')}L${get('x2')} ${get('y2')}`
    case 'polyline':
      return `M${points}`
    case 'polygon':
      return `M${points}z`
    case 'circle':
    case 'ellipse':
      return (
        `M${get('cx') - radius} ${get('cy')}` +
        [2 * radius, -2 * radius].map(across => `a${radius} ${get('ry', radius)} 0 1 0 ${across} 0`).join('')
      )
    case 'rect': {
      const turn = (dx, dy) => `a${radius} ${radius} 0 0 1 ${dx * radius} ${dy * radius}`
      const [across, down] = [width - 2 * radius, height - 2 * radius]
      return `M${x + radius} ${y}h${across}${turn(1, 1)}v${down}${turn(-1, 1)}h${-across}${turn(-1, -1)}v${-down}${turn(1, -1)}z`
    }
    default:
      throw new Error(`The shape ${shape} of an icon cannot be drawn`)
  }
}
